//! Threads on the lines of a difference. Each stands at its line. If the line is gone, the thread stands at its file,
//! with the lines that it was about.

use std::collections::HashMap;

use tenon_app::note::Thread;
use tenon_domain::merge_request::{DiffRefs, Version};
use tenon_domain::note::DiffPosition;

use crate::parts::diff::{ChangedFile, DiffLine, lines};

/// Lines that are quoted before the one that a thread is about.
const QUOTED: usize = 4;

/// Older versions whose lines are quoted.
pub(super) const OLDER: usize = 5;

/// The place of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Standing {
    /// On the line of these numbers.
    Line(String),
    /// Its line has moved, and now has these numbers.
    Moved(String),
    /// Its line is gone.
    Outdated,
}

/// The difference of an older version, by the paths of its files.
pub(super) type Older = HashMap<(String, String), HashMap<String, Vec<DiffLine>>>;

/// The version to which a position belongs, if the merge request has it. Other versions are never read from Git,
/// because a position may name any commit.
pub(super) fn version_of<'v>(position: &DiffPosition, versions: &'v [Version]) -> Option<&'v DiffRefs> {
    let is_same = |diff: &&DiffRefs| diff.head == position.head && diff.base == position.base;
    versions.iter().map(|version| &version.diff).find(is_same)
}

/// The lines of the files of an older difference, by their paths in each form that a position may have.
pub(super) fn by_path(files: Vec<tenon_app::repository::FileDifference>) -> HashMap<String, Vec<DiffLine>> {
    let mut by_path = HashMap::new();
    for file in files {
        let (stored, shown) = (file.new_path.to_stored(), file.new_path.to_string());
        let lines = lines(&file.diff);
        if shown != stored {
            by_path.entry(shown).or_insert_with(|| lines.clone());
        }
        by_path.insert(stored, lines);
    }
    by_path
}

/// The line that a position names, among those of a file.
fn named(position: &DiffPosition, lines: &[DiffLine]) -> Option<usize> {
    let number = |line: Option<i64>| line.and_then(|line| u64::try_from(line).ok());
    let (old, new) = (number(position.old_line), number(position.new_line));
    lines.iter().position(|line| match (old, new) {
        (_, Some(new)) => line.new == Some(new),
        (Some(old), None) => line.old == Some(old),
        (None, None) => false,
    })
}

/// The place of a thread in a file of the difference that is shown, whose commits are `refs`. If the lines of the
/// thread are gone, they are returned too.
pub(super) fn place(
    position: &DiffPosition,
    refs: &DiffRefs,
    file: &ChangedFile,
    older: &Older,
) -> (Standing, Vec<DiffLine>) {
    let is_current = position.head == refs.head && position.base == refs.base;
    if is_current && let Some(line) = named(position, &file.lines).and_then(|at| file.lines.get(at)) {
        return (Standing::Line(line.numbers()), Vec::new());
    }
    let known = older.get(&(position.base.clone(), position.head.clone()));
    let Some(before) = known.and_then(|files| files.get(&position.new_path)) else {
        return (Standing::Outdated, Vec::new());
    };
    let Some(at) = named(position, before) else { return (Standing::Outdated, Vec::new()) };
    // A line is in the same place if it and the line before it are the same.
    let same = |lines: &[DiffLine], at: usize| {
        let of = |at: Option<usize>| at.and_then(|at| lines.get(at)).filter(|line| line.is_line());
        let text = |line: &DiffLine| (line.sign, line.text.clone());
        (of(at.checked_sub(1)).map(text), of(Some(at)).map(text))
    };
    let wanted = same(before, at);
    let mut found = (0..file.lines.len()).filter(|now| same(&file.lines, *now) == wanted);
    if let (Some(now), None) = (found.next(), found.next())
        && let Some(line) = file.lines.get(now)
    {
        return (Standing::Moved(line.numbers()), Vec::new());
    }
    let first = at.saturating_sub(QUOTED);
    let quoted = before.iter().take(at + 1).skip(first).filter(|line| line.is_line());
    (Standing::Outdated, quoted.cloned().collect())
}

/// The older versions that threads are about, newest first, up to the number that is read.
pub(super) fn needed<'t>(
    threads: impl Iterator<Item = &'t Thread>,
    refs: &DiffRefs,
    versions: &[Version],
) -> Vec<DiffRefs> {
    let mut needed: Vec<DiffRefs> = Vec::new();
    for position in threads.filter_map(|thread| thread.position.as_ref()) {
        let is_current = position.head == refs.head && position.base == refs.base;
        let version = version_of(position, versions).filter(|_| !is_current && needed.len() < OLDER);
        if let Some(version) = version.filter(|version| !needed.contains(version)) {
            needed.push(version.clone());
        }
    }
    needed
}

#[cfg(test)]
mod tests {
    use tenon_app::repository::FileDifference;
    use tenon_domain::limits::PageLimits;

    use super::*;
    use crate::parts::diff::changed;

    fn refs(base: &str, head: &str) -> DiffRefs {
        DiffRefs {
            base: base.to_owned(),
            start: base.to_owned(),
            head: head.to_owned(),
            commits_count: 1,
            changes_count: 1,
            overflow: false,
        }
    }

    fn file(diff: &str) -> FileDifference {
        FileDifference { old_path: "a".into(), new_path: "a".into(), diff: diff.into(), ..FileDifference::default() }
    }

    fn position(head: &str, old_line: Option<i64>, new_line: Option<i64>) -> DiffPosition {
        DiffPosition {
            base: "b".into(),
            start: "b".into(),
            head: head.into(),
            old_path: "a".into(),
            new_path: "a".into(),
            old_line,
            new_line,
        }
    }

    #[test]
    fn a_thread_stands_where_its_line_is() {
        let first = "@@ -1,2 +1,3 @@\n one\n+two\n-three\n+four\n";
        let second = "@@ -1,2 +1,4 @@\n+zero\n one\n+two\n-three\n+five\n";
        let older: Older = HashMap::from([(("b".into(), "h1".into()), by_path(vec![file(first)]))]);
        let mut budget = crate::parts::diff::DiffBudget::of(&PageLimits { diff_lines: 100, ..PageLimits::default() });
        let now = changed(file(second), &tenon_app::repository::FileColours::default(), "h2", &mut budget);
        let at = |position: DiffPosition| place(&position, &refs("b", "h2"), &now, &older);
        assert_eq!(at(position("h2", None, Some(3))).0, Standing::Line("0_3".into()));
        assert_eq!(at(position("h2", Some(2), None)).0, Standing::Line("2_0".into()));
        // `two` behind `one` is one line further down now.
        assert_eq!(at(position("h1", None, Some(2))).0, Standing::Moved("0_3".into()));
        // `four` is gone, and is quoted.
        let (standing, quoted) = at(position("h1", None, Some(3)));
        assert_eq!(standing, Standing::Outdated);
        assert_eq!(quoted.last().map(|line| line.text.as_str()), Some("four"));
        // A version that is not known is not searched.
        assert_eq!(at(position("h9", None, Some(3))), (Standing::Outdated, Vec::new()));
    }
}
