//! The check that the files and anchors that a text refers to in this repository are there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use regex::Regex;

use super::Finding;
use super::source::prose;

/// The files of the repository, and the anchors of those that are Markdown.
pub(super) struct Targets {
    anchors: BTreeMap<String, BTreeSet<String>>,
    /// A link of Markdown.
    link: Regex,
    /// A page of docs/, or a source file of a crate, that a comment or a page names.
    mention: Regex,
}

impl Targets {
    /// `texts` are all files of the repository that are text; others have no content here.
    pub(super) fn new(texts: &BTreeMap<String, String>) -> Result<Self> {
        let anchor = Regex::new(r#"<a (?:id|name)="([^"]+)""#)?;
        let anchors = texts.iter().map(|(file, text)| {
            let headings = text.lines().filter(|_| is_markdown(file)).filter_map(heading).map(slug);
            let named = anchor.captures_iter(text).filter_map(|found| Some(found.get(1)?.as_str().to_owned()));
            (file.clone(), headings.chain(named).collect())
        });
        Ok(Self {
            anchors: anchors.collect(),
            link: Regex::new(r"\]\(([^)\s]+)\)")?,
            mention: Regex::new(
                r"docs/(?:adr/[0-9]{4}|[A-Za-z0-9_/-]+\.md(?:#[a-z0-9_-]+)?)|(?:app|auth|domain|edge|git|http|markdown|outbound|web|server|storage|testkit|bench)/(?:src|tests)/[a-z0-9_/]+\.rs",
            )?,
        })
    }

    /// Every link of `text` that leads nowhere. Links to other hosts are not followed.
    pub(super) fn check(&self, file: &str, text: &str) -> Vec<Finding> {
        let mut findings = Vec::new();
        // A migration is not edited; the files that it names may have moved since.
        if file.starts_with("migrations/") {
            return findings;
        }
        let folder = Path::new(file).parent().and_then(Path::to_str).unwrap_or_default();
        let mut fenced = false;
        for (number, line) in (1..).zip(text.lines()) {
            fenced ^= is_markdown(file) && line.trim_start().starts_with("```");
            let links = self.link.captures_iter(line).filter_map(|found| Some(found.get(1)?.as_str()));
            let links = links
                .filter(|link| is_markdown(file) && !fenced && !link.contains("://") && !link.starts_with("mailto:"));
            let mentions = self.mention.find_iter(prose(file, line));
            let mentions = mentions.filter(|found| is_start(prose(file, line), found.start()));
            let dead = links.filter(|link| !self.has(folder, file, link)).chain(
                mentions
                    .map(|found| found.as_str())
                    .filter(|mention| !self.has("", file, mention) && !self.has("crates", file, mention)),
            );
            findings.extend(dead.map(|link| Finding {
                file: format!("{file}:{number}"),
                rule: "a link within the repository leads somewhere",
                fault: format!("{link} does not exist"),
                fix: "correct the name, or remove the link",
            }));
        }
        findings
    }

    /// True if a link that stands in `file` leads to a file, a folder or an anchor. The number of a decision stands for
    /// it.
    fn has(&self, folder: &str, file: &str, link: &str) -> bool {
        let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
        let path = if path.is_empty() { file.to_owned() } else { joined(folder, path) };
        if let Some(anchors) = self.anchors.get(&path) {
            return anchor.is_empty() || anchors.contains(anchor);
        }
        let is_decision = path.starts_with("docs/adr/");
        let is_within = |name: &String| {
            let rest = name.strip_prefix(&path);
            rest.is_some_and(|rest| path.is_empty() || rest.starts_with('/') || is_decision && rest.starts_with('-'))
        };
        anchor.is_empty() && self.anchors.keys().any(is_within)
    }
}

fn is_markdown(file: &str) -> bool {
    Path::new(file).extension().is_some_and(|extension| extension == "md")
}

/// A path that goes on to the left, or an address, is no page of this repository.
fn is_start(line: &str, start: usize) -> bool {
    let before = line.get(..start).and_then(|before| before.chars().next_back());
    let within = line.get(..start).is_some_and(|before| before.ends_with("crates/"));
    within || before.is_none_or(|before| !before.is_alphanumeric() && !matches!(before, '/' | '.' | '-' | '_' | '}'))
}

fn joined(folder: &str, path: &str) -> String {
    let mut words: Vec<&str> = folder.split('/').filter(|word| !word.is_empty()).collect();
    for word in path.split('/') {
        match word {
            "" | "." => {}
            ".." => drop(words.pop()),
            word => words.push(word),
        }
    }
    words.join("/")
}

fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    (text.len() < line.len()).then(|| text.strip_prefix(' ')).flatten()
}

/// The anchor that a heading gets on the pages of code hosting.
fn slug(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The findings in `text`, which stands in `file`.
    fn dead(file: &str, text: &str) -> Vec<String> {
        let texts = [
            ("README.md", "# Tenon\n## First steps: two commands"),
            ("docs/limits.md", "<a id=\"spool\"></a>"),
            ("docs/adr/0007-one-writer.md", ""),
            ("crates/app/src/lib.rs", ""),
            (file, text),
        ];
        let texts = texts.map(|(file, text)| (file.to_owned(), text.to_owned())).into();
        let findings = Targets::new(&texts).unwrap().check(file, text);
        findings.into_iter().map(|finding| finding.fault).collect()
    }

    #[test]
    fn links_to_files_folders_and_anchors_are_sound() {
        let text = "[a](limits.md) [b](limits.md#spool) [c](../README.md#first-steps-two-commands) [d](adr) [e](../crates/app)\n\
                    # Here\n[f](#here) [g](https://example.org/gone.md)\n```\n[h](gone.md)\n```\nSee docs/adr/0007, docs/limits.md and `app/src/lib.rs`.";
        assert_eq!(dead("docs/a.md", text), [""; 0]);
        assert_eq!(dead("docs/a.md", "`app/src/gone.rs`"), ["app/src/gone.rs does not exist"]);
        assert_eq!(
            dead("crates/a.rs", "/// See docs/limits.md#spool; `https://git-scm.com/docs/gone` is not here."),
            [""; 0]
        );
    }

    #[test]
    fn dead_links_are_findings() {
        assert_eq!(
            dead("docs/a.md", "[a](gone.md) [b](limits.md#gone)"),
            ["gone.md does not exist", "limits.md#gone does not exist"]
        );
        assert_eq!(
            dead("crates/a.rs", "// docs/adr/0099 and (docs/gone.md)"),
            ["docs/adr/0099 does not exist", "docs/gone.md does not exist"]
        );
    }
}
