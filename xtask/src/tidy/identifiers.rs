//! The check that the items of Rust that a text names are in the source.

use std::collections::HashSet;
use std::path::Path;

use anyhow::Result;
use regex::Regex;

use super::Finding;
use super::floors::Source;

/// Texts that are written as an item here, and belong to the system or to another program.
const FOREIGN: [&str; 7] = [
    "AmbientCapabilities",
    "CI_CACHE_DIR",
    "RLIMIT_CPU",
    "RLIMIT_DATA",
    "SQLITE_ENABLE_QPSG",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
];

/// The form of a text in backticks that is an item: a path, a call, a type, a constant.
const ITEM: &str =
    r"^(?:(?:\w+::)+\w+!?(?:\(.*\))?|[a-z_][a-z0-9_]*!?\(.*\)|(?:[A-Z][a-z0-9]+)+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)$";

/// The words of the source, and the patterns that are looked for in texts.
pub(super) struct Identifiers<'a> {
    known: HashSet<&'a str>,
    span: Regex,
    item: Regex,
}

impl<'a> Identifiers<'a> {
    pub(super) fn new(sources: &'a [Source]) -> Result<Self> {
        // These checks quote faults.
        let sources = sources.iter().filter(|source| !source.file.starts_with("xtask/src/tidy/"));
        let known = sources.flat_map(|source| source.text.lines().flat_map(|line| words(code(line)))).chain(FOREIGN);
        Ok(Self { known: known.collect(), span: Regex::new("`([^`]+)`")?, item: Regex::new(ITEM)? })
    }

    /// The items that a page of Markdown names and the source does not. The changelog names items of the past.
    pub(super) fn check(&self, file: &str, text: &str) -> Vec<Finding> {
        let mut findings = Vec::new();
        if file == "CHANGELOG.md" || Path::new(file).extension().is_none_or(|extension| extension != "md") {
            return findings;
        }
        let mut fenced = false;
        for (number, line) in (1..).zip(text.lines()) {
            fenced ^= line.trim_start().starts_with("```");
            let spans = self.span.captures_iter(line).filter_map(|found| Some(found.get(1)?.as_str()));
            let items = spans.filter(|span| !fenced && self.item.is_match(span));
            let absent = items.filter(|item| {
                let path = item.split('(').next().unwrap_or_default();
                !words(path).all(|word| self.known.contains(word))
            });
            findings.extend(absent.map(|item| Finding {
                file: format!("{file}:{number}"),
                rule: "an item of Rust that a text names is in the source",
                fault: format!("{item} is not there"),
                fix: "correct the name; one of another program goes to FOREIGN in xtask/src/tidy/identifiers.rs",
            }));
        }
        findings
    }
}

/// A line of Rust without its comment.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The findings in `text`.
    fn absent(file: &str, text: &str) -> Vec<String> {
        let code = "/// `Gone` was here.\npub struct ProjectPath; impl App { fn read() {} } // Gone::too()\n\
                    const MOST: usize = env(\"TENON_LISTEN\"); const MAX_JOBS: u8 = 1;";
        let sources = [Source { file: "crates/app/src/lib.rs".to_owned(), text: code.to_owned() }];
        let findings = Identifiers::new(&sources).unwrap().check(file, text);
        findings.into_iter().map(|finding| finding.fault).collect()
    }

    #[test]
    fn items_of_the_source_are_sound() {
        let text = "`ProjectPath`, `App::read`, `App::read(&self)`, `read()`, `MAX_JOBS`, `TENON_LISTEN`, `RLIMIT_CPU`";
        assert_eq!(absent("docs/a.md", text), [""; 0]);
    }

    #[test]
    fn what_is_no_item_is_not_looked_for() {
        let text = "Gone, `gone`, `gone_param`, `POST /gone`, `gone/Gone.rs`, `git gone`, `GONE`, `a.gone()`\n\
                    ```\n`Gone`\n```";
        assert_eq!(absent("docs/a.md", text), [""; 0]);
        assert_eq!(absent("CHANGELOG.md", "`Gone`"), [""; 0]);
        assert_eq!(absent("crates/app/src/lib.rs", "// `Gone`"), [""; 0]);
    }

    #[test]
    fn absent_items_are_findings() {
        for item in ["Gone", "GoneType", "App::gone", "Gone::read()", "gone()", "gone!(a)", "MAX_GONE"] {
            assert_eq!(absent("README.md", &format!("a `{item}` b")), [format!("{item} is not there")]);
        }
    }
}
