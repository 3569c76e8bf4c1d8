//! Words that a text of this repository does not use, because docs/GLOSSARY.md has a better one.

use anyhow::Result;
use regex::{Regex, RegexBuilder};

use super::Finding;
use super::source::prose;

/// The first names all of them; the licence is not ours to word; the last names the Unix account `nobody`.
const EXEMPT: [&str; 3] = ["xtask/src/tidy/words.rs", "LICENSE-APACHE", "crates/testkit/src/postgres.rs"];

/// Texts of licences that are served as they are published.
const LICENSES: &str = "crates/app/templates/licenses/";

/// A word, as a pattern that stands between two ends of words, and its replacement.
const OLD_WORDS: &[(&str, &str)] = &[
    ("nobody|somebody|anybody|whoever|whomever", "name the person: the caller, a user, a reader, no user"),
    ("told|tells? of", "say: returned, reported, named, described by"),
    ("looked at|looks at|look at", "say: read, checked, inspected"),
    ("(does|do|did|doing) (it )?no harm|does it no harm", "say: idempotent"),
    ("taken in|takes in|take_in|taking in", "say: received, indexed, applied, processed"),
    ("settles?|settled|settling", "say: complete, mark as done, recompute, move into place, sanitize"),
    ("meanwhile", "say: concurrently, in the meantime"),
    ("hang_on|note_down", "say: insert_associations, write_system_notes"),
    ("Lane|lanes?", "say: worker pool"),
    ("Reach|IssuableReach|reach_of|Sight", "say: VisibleProjects, VisibleIssuables, VisibilityFilter"),
    ("Recollection|Memo", "say: cache, CacheHandle, CacheMap"),
    ("unseen|ForgetUnseen|NarrowAccess|Narrowed", "say: revocation, PurgeInaccessible, RevokeAccess"),
    ("Judgement|judgements?", "say: push policy, PushDecision"),
    ("FoundProject|Placed|found\\.found", "say: AuthorizedProject, ProjectWithNamespace"),
    ("note_whole", "say: aggregate"),
    ("decoy|drawers?|dice", "say: dummy_hash, shard, jitter"),
    ("Gathering|Walking", "say: Plan::BySet, Plan::ByIndexScan"),
    ("any_of_many|any_listed|any_text_of|any_found", "say: in_ids, in_ids_large, in_id_list, in_texts, in_subquery"),
    ("fixed_sql", "say: static_sql"),
    (
        "LookAfterRepositories|ForgetMergeRequest|ReadMessages",
        "say: MaintenanceScan, DeleteMergeRequestRefs, ProcessCommitMessages",
    ),
];

/// Documents that are not in this repository, as they used to be cited.
const ABSENT: &str = r"([Rr]eference, [a-z]|[Ss]pecification [0-9]|[Aa]buse case|[Dd]ocument [123]\b|\(reference[,:;]|[Ss]ections? [0-9]+(\.[0-9]+)?)";

/// The patterns that are looked for, made once.
pub(super) struct Words {
    old: Vec<(Regex, &'static str)>,
    absent: Regex,
}

impl Words {
    pub(super) fn new() -> Result<Self> {
        let old = OLD_WORDS.iter().map(|(pattern, fix)| {
            // Names are compared as they are written; words of prose also at the beginning of a sentence and within
            // names.
            let is_name = pattern.contains(|c: char| c == '_' || c.is_ascii_uppercase());
            let (start, end) = if is_name { (r"\b", r"\b") } else { (r"(?:\b|_)", r"(?:\b|_)") };
            let pattern = RegexBuilder::new(&format!("{start}({pattern}){end}")).case_insensitive(!is_name).build()?;
            Ok((pattern, *fix))
        });
        Ok(Self { old: old.collect::<Result<_>>()?, absent: Regex::new(ABSENT)? })
    }

    /// The first use of each old word in `text`, and every citation of a document that is not here.
    pub(super) fn check(&self, file: &str, text: &str) -> Vec<Finding> {
        if EXEMPT.contains(&file) || file.starts_with(LICENSES) {
            return Vec::new();
        }
        let mut findings = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            for (pattern, fix) in &self.old {
                if let Some(found) = pattern.find(line) {
                    findings.push(Finding {
                        file: format!("{file}:{number}"),
                        rule: "the words are those of docs/GLOSSARY.md and of the manuals of Git, SQL, HTTP and Tokio",
                        fault: format!("says {:?}", found.as_str()),
                        fix,
                    });
                }
            }
            if let Some(found) = self.absent.find(prose(file, line)) {
                findings.push(Finding {
                    file: format!("{file}:{number}"),
                    rule: "no text cites a document that is not in this repository",
                    fault: format!("cites {:?}", found.as_str()),
                    fix: "say the rule in words, or link to its anchor in docs/API-QUIRKS.md",
                });
            }
        }
        findings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(line: &str) -> Vec<String> {
        Words::new().unwrap().check("a.rs", line).into_iter().map(|finding| finding.fault).collect()
    }

    #[test]
    fn old_words_are_findings() {
        assert_eq!(faults("//! Nobody waits."), ["says \"Nobody\""]);
        assert_eq!(faults("fn settle() {}"), ["says \"settle\""]);
        assert_eq!(faults("let pool = Lane::new();"), ["says \"Lane\""]);
        for sound in ["fn unsettled() {}", "planet", "a_retold_story", "reach the end", "the gathering"] {
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
