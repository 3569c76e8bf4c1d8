//! Rules for sentences (docs/STYLE.md, section Text), as far as a program can check them.

use anyhow::Result;
use regex::Regex;

use super::Finding;
use super::source::prose;

/// Texts of licences, which are served as they are published.
const LICENSES: [&str; 2] = ["LICENSE-APACHE", "crates/app/templates/licenses/"];

/// Documents that are not in this repository, as citations name them.
const ABSENT: &str = r"([Rr]eference, [a-z]|[Ss]pecification [0-9]|[Aa]buse case|[Dd]ocument [123]\b|\(reference[,:;]|[Ss]ections? [0-9]+(\.[0-9]+)?)";

/// The beginning of a comment without a subject.
const WITHOUT_SUBJECT: &str = r"^\s*//[/!]? (What|Whether) ";

/// The patterns, compiled once.
pub(super) struct Sentences {
    absent: Regex,
    without_subject: Regex,
}

impl Sentences {
    pub(super) fn new() -> Result<Self> {
        Ok(Self { absent: Regex::new(ABSENT)?, without_subject: Regex::new(WITHOUT_SUBJECT)? })
    }

    /// Every citation of a document that is not here, and every comment that begins without its subject.
    pub(super) fn check(&self, file: &str, text: &str) -> Vec<Finding> {
        if LICENSES.iter().any(|texts| file.starts_with(texts)) {
            return Vec::new();
        }
        let mut findings = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let mut found = |rule, fault: String, fix| {
                findings.push(Finding { file: format!("{file}:{number}"), rule, fault, fix });
            };
            if let Some(cited) = self.absent.find(prose(file, line)) {
                found(
                    "no text cites a document that is not in this repository",
                    format!("cites {:?}", cited.as_str()),
                    "say the rule in words, or link to its anchor in docs/API-QUIRKS.md",
                );
            }
            if let Some(opening) = self.without_subject.captures(line).and_then(|opening| opening.get(1)) {
                found(
                    "a comment names its subject",
                    format!("begins with {:?}", opening.as_str()),
                    "name the thing: \"The jobs that wait\", \"True if the address is confirmed\"",
                );
            }
        }
        findings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(line: &str) -> Vec<String> {
        Sentences::new().unwrap().check("a.rs", line).into_iter().map(|finding| finding.fault).collect()
    }

    #[test]
    fn comments_without_a_subject_are_findings() {
        assert_eq!(faults("    /// What waits."), ["begins with \"What\""]);
        assert_eq!(faults("// Whether it is."), ["begins with \"Whether\""]);
        for sound in ["/// The jobs that wait.", "/// Returns what waits.", "let text = \"What waits\";"] {
            assert_eq!(faults(sound), [""; 0], "{sound}");
        }
    }

    #[test]
    fn citations_of_absent_documents_are_findings() {
        for cited in ["(reference: git 3)", "as specification 2 says", "abuse case 43", "section 10.5", "document 3"] {
            assert_eq!(faults(&format!("// {cited}")).len(), 1, "{cited}");
        }
        assert_eq!(faults("// a reference to an issue, and Git's documents"), [""; 0]);
        assert_eq!(faults("fn index(reference: &Reference, issue: Issue) {}"), [""; 0]);
    }
}
