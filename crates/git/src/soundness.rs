//! The check of a repository by `git fsck`.

use std::time::Duration;

use crate::command::budget::Budget;
use crate::command::lossy;
use crate::config::HARMLESS;
use crate::error::GitError;
use crate::repository::Repository;

/// Time that one repository may take.
const TIME: Duration = Duration::from_hours(1);
/// Lines of Git's output that are passed on.
const LINES: usize = 3;
/// Git's exit code if an object is at fault, and neither a pack, a ref, a link, nor an index.
const OBJECT: i32 = 1;
/// With as many bytes of errors as this, some may not have been read.
const LONGEST_LOG: usize = 16 << 10;

/// The depth of a check of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Refs and objects have to lead to objects that are there. Contents are not read.
    Connectivity,
    /// All of `git fsck`: every object is read, too.
    Contents,
}

/// The findings of `git fsck` in a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Soundness {
    /// Nothing is wrong.
    Sound,
    /// All is there and as it was sent. The form of some objects is not as Git demands, and a push may bring it. The
    /// first lines that say so.
    Malformed(Vec<String>),
    /// Something is missing or damaged, or has a form that no push may bring. The first lines that say so.
    Damaged(Vec<String>),
}

impl Repository {
    /// The findings of `git fsck` in the repository, as closely as `depth` says.
    pub fn soundness(&self, depth: Depth) -> Result<Soundness, GitError> {
        let how = match depth {
            Depth::Connectivity => "--connectivity-only",
            Depth::Contents => "--full",
        };
        let outcome = self
            .git("fsck")
            // As a push is checked: a reason to refuse a push is an error here.
            .args(["--strict", how, "--no-dangling", "--no-progress"])
            .time(TIME)
            .budget(Budget::Maintenance)
            .outcome()?;
        if !self.exists() {
            return Err(GitError::NoRepository);
        }
        let found = judged(outcome.code, &lossy(&outcome.stdout), &outcome.log.0);
        if found != Soundness::Sound {
            tracing::warn!(repository = ?self.path(), log = ?outcome.log, "git fsck found faults");
        }
        Ok(found)
    }

    /// True if every ref leads to an object, and every object to those that it names. Reads no files.
    pub fn is_connected(&self) -> Result<bool, GitError> {
        Ok(self.soundness(Depth::Connectivity)? == Soundness::Sound)
    }
}

/// The meaning of an exit code of `git fsck`, with the texts that it has printed on both streams.
fn judged(code: Option<i32>, printed: &str, errors: &str) -> Soundness {
    if code == Some(0) {
        return Soundness::Sound;
    }
    let is_remark = |line: &&str| ["notice: ", "warning: ", "warning in "].iter().any(|word| line.starts_with(word));
    let lines: Vec<&str> = errors.lines().chain(printed.lines()).filter(|line| !is_remark(line)).collect();
    // "error in commit 1234: missingEmail: ..." is about the form; other lines are not. Names are compared as Git does.
    let is_form = |line: &&str| {
        let fault = line.strip_prefix("error in ").and_then(|rest| rest.split(": ").nth(1));
        fault.is_some_and(|fault| HARMLESS.iter().any(|name| name.eq_ignore_ascii_case(fault)))
    };
    let is_read_whole = errors.len() < LONGEST_LOG;
    let first = |lines: Vec<&str>| lines.into_iter().take(LINES).map(ToOwned::to_owned).collect();
    if code == Some(OBJECT) && is_read_whole && !lines.is_empty() && lines.iter().all(is_form) {
        return Soundness::Malformed(first(lines));
    }
    // Faults of the form come last.
    let (form, damage): (Vec<&str>, Vec<&str>) = lines.into_iter().partition(is_form);
    Soundness::Damaged(first(damage.into_iter().chain(form).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_about_the_form_is_no_damage() {
        let form =
            "notice: HEAD points to an unborn branch (main)\nerror in commit 1234: missingEmail: invalid author\n";
        assert_eq!(judged(Some(0), "", form), Soundness::Sound);
        let said = vec!["error in commit 1234: missingEmail: invalid author".to_owned()];
        assert_eq!(judged(Some(1), "", form), Soundness::Malformed(said.clone()));
        for (code, printed, errors) in [
            (Some(3), "missing blob 1234\n", form),
            (Some(1), "missing blob 1234\n", form),
            (Some(1), "", &format!("{form}error: 1234: object corrupt or missing: /x\n")),
            (Some(1), "", &format!("{form}error in tree 1234: hasDotgit: contains '.git'\n")),
            (Some(1), "", "error in blob 1234: gitmodulesUrl: disallowed submodule url: -u./x\n"),
            (Some(1), "", "error in tree 1234: duplicateEntries: contains duplicate file entries\n"),
            (Some(1), "", "error in tree 1234: broken links\n"),
            (Some(9), "", form),
            (Some(1), "", &form.repeat(1_000)),
            (Some(1), "", ""),
            (None, "", ""),
        ] {
            assert!(matches!(judged(code, printed, errors), Soundness::Damaged(_)), "{code:?} {printed} {errors:.200}");
        }
        let Soundness::Damaged(first) = judged(Some(3), "missing blob 1234\n", form) else { panic!() };
        assert_eq!(first, ["missing blob 1234", &said[0]]);
    }
}
