//! A push that has not been accepted yet: its objects are there, its refs are not.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;

use tenon_domain::direction::turns_text;

use crate::command::budget::Budget;
use crate::command::{Command, failure, lossy};
use crate::config::NOT_PUSHABLE;
use crate::error::GitError;
use crate::hook::QuarantinePaths;
use crate::name::RefName;
use crate::objects::{ObjectKind, Objects};
use crate::oid::Oid;
use crate::repository::Repository;
use crate::store::size;
use crate::tree_path::is_dot_git;

/// How many tags may lead to each other.
const TAGS: usize = 10;

/// The longest path, as of a file system.
const PATH: usize = 4096;

/// A repository together with the objects of a push or an import.
#[derive(Debug)]
pub struct Quarantine {
    repository: Repository,
    environment: Vec<(&'static str, OsString)>,
    /// What `git rev-list` leaves out: what the refs of the repository reach already, or nothing.
    known: &'static str,
}

impl Repository {
    /// What a hook has reported of a push. The paths are used only if they lie in this repository's own directory: they
    /// come over a socket.
    pub fn quarantine(&self, paths: &QuarantinePaths) -> Result<Quarantine, GitError> {
        let objects = self.path().join("objects");
        // A colon begins another directory, `..` leads out of this one.
        let inside = |path: &str| Path::new(path).starts_with(&objects) && !path.contains(':') && !path.contains("/..");
        let variables =
            [("GIT_OBJECT_DIRECTORY", &paths.objects), ("GIT_ALTERNATE_OBJECT_DIRECTORIES", &paths.alternates)];
        let mut environment = Vec::new();
        for (name, value) in variables {
            // A push without objects, such as a deletion, has no quarantine.
            let Some(value) = value else { continue };
            if !inside(value) {
                return Err(GitError::Unexpected("receive-pack"));
            }
            environment.push((name, OsString::from(value)));
        }
        // The refs of the push have not moved yet.
        Ok(Quarantine { repository: self.clone(), environment, known: "--not\n--all\n" })
    }

    /// A repository that was fetched whole, before anything else knows of it.
    pub(crate) fn fetched(&self) -> Quarantine {
        Quarantine { repository: self.clone(), environment: Vec::new(), known: "" }
    }
}

impl Repository {
    /// The bytes that a push has brought and that lie in quarantine; 0 where it has brought nothing.
    pub fn quarantine_size(&self, paths: &QuarantinePaths) -> Result<u64, GitError> {
        let Some(path) = &paths.quarantine else { return Ok(0) };
        if !Path::new(path).starts_with(self.path().join("objects")) || path.contains("/..") {
            return Err(GitError::Unexpected("receive-pack"));
        }
        size(Path::new(path)).map_err(GitError::File)
    }
}

impl Quarantine {
    fn git(&self, name: &'static str) -> Command {
        // A push may bring the whole history of a large project.
        let time = self.repository.limits().push.judge_time;
        self.repository.git(name).envs(self.environment.iter().cloned()).time(time).budget(Budget::Transfer)
    }

    /// Whether `older` comes before `newer`: an update that is not so is a force push.
    pub fn is_ancestor(&self, older: Oid, newer: Oid) -> Result<bool, GitError> {
        let names = [older.to_string(), newer.to_string()];
        let outcome = self.git("merge-base").arg("--is-ancestor").operands(names).outcome()?;
        match outcome.code {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            code => Err(failure("merge-base", Some(self.repository.path()), code, outcome.log)),
        }
    }

    /// Whether `id` is a commit: a branch must not point at anything else.
    pub fn is_commit(&self, id: Oid) -> Result<bool, GitError> {
        let output = self.git("cat-file").arg("--batch-check").input(format!("{id}\n")).bytes()?;
        Ok(lossy(&output).contains(" commit "))
    }

    /// Commits that the push brings, newest first, at most `limit`.
    pub fn new_commits(&self, tips: &[Oid], limit: u32) -> Result<Vec<Oid>, GitError> {
        let output = self.revisions(tips, &[&format!("--max-count={limit}")]).bytes()?;
        Ok(lossy(&output).lines().filter_map(|line| line.parse().ok()).collect())
    }

    /// What is wrong with the names that the push brings, as a sentence for the pusher; `None` where nothing is. It is wrong
    /// when a path is longer than file systems have them, when it is taken for Git's own directory by some file system, and when a path, or the name or address of a person,
    /// shows as something else than it is (control characters, and what turns the direction of text). More than ten tags
    /// that lead to each other are refused as well.
    /// `receive.fsckObjects` refuses most paths before. Paths are bytes: that some are no UTF-8 must not hide them. Fails
    /// with [`GitError::TooLarge`] where one commit changes more files than `push.files_per_commit`, all of them more than
    /// `push.files`, or more than Git can hold: a few kilobytes of directories that contain each other can make any number.
    pub fn name_that_lies(&self, tips: &[Oid]) -> Result<Option<String>, GitError> {
        let (mut commits, mut trees, mut tags) = (Vec::new(), Vec::new(), Vec::new());
        for (tip, kind, behind) in self.behind(tips)? {
            match kind.as_str() {
                "commit" => commits.push(behind),
                "tree" => trees.push(behind),
                _ => {}
            }
            if tip != behind {
                tags.push(tip);
            }
        }
        if let Some(lie) = self.lie_of_tags(tags)? {
            return Ok(Some(lie));
        }
        for tree in trees {
            if let Some(lie) = self.lie_in_tree(tree)? {
                return Ok(Some(lie));
            }
        }
        if commits.is_empty() { Ok(None) } else { self.lie_in_commits(&commits) }
    }

    /// What each of these objects leads to when tags are followed, and of what kind that is.
    fn behind(&self, tips: &[Oid]) -> Result<Vec<(Oid, String, Oid)>, GitError> {
        let lines: String = tips.iter().filter(|tip| !tip.is_zero()).map(|tip| format!("{tip}^{{}}\n")).collect();
        let output = self.git("cat-file").arg("--batch-check").input(lines).text()?;
        let row = |(tip, line): (&Oid, &str)| {
            let mut words = line.split(' ');
            let behind = words.next()?.parse().ok()?;
            Some((*tip, words.next()?.to_owned(), behind))
        };
        Ok(tips.iter().filter(|tip| !tip.is_zero()).zip(output.lines()).filter_map(row).collect())
    }

    /// Reads these tags and those that they lead to, each of them once.
    fn lie_of_tags(&self, mut tags: Vec<Oid>) -> Result<Option<String>, GitError> {
        if tags.is_empty() {
            return Ok(None);
        }
        let mut objects = Objects::answering(self.git("cat-file"));
        let most = self.repository.limits().push.commit;
        let mut seen = HashSet::new();
        for _ in 0..TAGS {
            let mut behind = Vec::new();
            for tag in tags {
                if !seen.insert(tag) {
                    continue;
                }
                // A tag over its limit is refused by its size.
                let Some((header, Some(content))) = objects.content(&tag.to_string(), most)? else { continue };
                if header.kind != ObjectKind::Tag {
                    continue;
                }
                if let Some(lie) = lie_of_tag(&content) {
                    return Ok(Some(lie));
                }
                behind.extend(tag_behind(&content));
            }
            behind.retain(|tag| !seen.contains(tag));
            if behind.is_empty() {
                return Ok(None);
            }
            tags = behind;
        }
        Ok(Some(format!("A tag leads to more than {TAGS} tags.")))
    }

    /// Tags may lead to trees, which no commit brings.
    fn lie_in_tree(&self, tree: Oid) -> Result<Option<String>, GitError> {
        let listed = self.git("ls-tree").args(["-r", "-t", "-z", "--name-only", "--full-tree"]);
        let mut records = listed.operands([tree.to_string()]).stream()?.records();
        let mut left = self.most_files();
        while let Some(path) = records.next(0, PATH + 1)? {
            left = left.checked_sub(1).ok_or(GitError::TooLarge("ls-tree"))?;
            if let Some(lie) = lie_of_path(&path) {
                return Ok(Some(lie));
            }
        }
        Ok(None)
    }

    fn lie_in_commits(&self, tips: &[Oid]) -> Result<Option<String>, GitError> {
        // No path begins with a slash, so that such a field begins the next commit. Merges come once for each parent.
        let mut records = self
            .git("log")
            .args(["-z", "--format=tformat:/%H%x00%an%x00%ae%x00%cn%x00%ce", "--name-only", "--encoding=UTF-8"])
            .args(["--no-renames", "--diff-merges=separate", "--no-ext-diff", "--no-textconv", "--stdin"])
            .input(self.selection(tips))
            .stream()?
            .records();
        let (mut commit, mut left, mut is_counted) = (Vec::new(), 0, false);
        let mut left_in_all = self.repository.limits().push.files;
        // A line end stands before the first path of a commit.
        while let Some(field) = records.next(0, PATH + 2)? {
            if field.first() == Some(&b'/') {
                // Against its other parents, a merge differs by what came to the first one.
                is_counted = field != commit;
                commit = field;
                left = self.most_files();
                for _ in 0..PEOPLE {
                    let person = records.next(0, MAX_NAME)?.unwrap_or_default();
                    if let Some(lie) = lie_of_person(&person) {
                        return Ok(Some(lie));
                    }
                }
                continue;
            }
            left_in_all = left_in_all.checked_sub(1).ok_or(GitError::TooLarge("log"))?;
            if is_counted {
                left = left.checked_sub(1).ok_or(GitError::TooLarge("log"))?;
            }
            // An empty line stands between what is said of a commit and its first path.
            if let Some(lie) = lie_of_path(field.strip_prefix(b"\n").unwrap_or(&field)) {
                return Ok(Some(lie));
            }
        }
        Ok(None)
    }

    fn most_files(&self) -> usize {
        self.repository.limits().push.files_per_commit
    }

    fn revisions(&self, tips: &[Oid], options: &[&str]) -> Command {
        self.git("rev-list").args(options).arg("--stdin").input(self.selection(tips))
    }

    fn selection(&self, tips: &[Oid]) -> String {
        let tips: String = tips.iter().filter(|tip| !tip.is_zero()).map(|tip| format!("{tip}\n")).collect();
        tips + self.known
    }
}

/// Names and addresses that are asked for with each commit.
const PEOPLE: usize = 4;
/// Longer ones are cut.
const MAX_NAME: usize = 16 << 10;

/// The lines of a tag before its message.
fn head_of_tag(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    content.split(|byte| *byte == b'\n').take_while(|line| !line.is_empty())
}

fn lie_of_tag(content: &[u8]) -> Option<String> {
    let people = head_of_tag(content).filter_map(|line| line.strip_prefix(b"tagger "));
    let mut parts = people.flat_map(|person| person.split(|byte| matches!(byte, b'<' | b'>'))).map(<[u8]>::trim_ascii);
    parts.find_map(lie_of_person)
}

/// The tag that a tag leads to, if it is one.
fn tag_behind(content: &[u8]) -> Option<Oid> {
    let mut head = head_of_tag(content);
    let behind = head.next()?.strip_prefix(b"object ").and_then(Oid::from_bytes)?;
    (head.next()? == b"type tag").then_some(behind)
}

fn lie_of_path(path: &[u8]) -> Option<String> {
    if path.len() > PATH {
        return Some(format!("A path has more than {PATH} bytes."));
    }
    let text = lossy(path);
    let lies = text.contains(|c: char| c.is_control() || turns_text(c)) || text.split('/').any(is_dot_git);
    lies.then(|| format!("The path '{}' is not allowed.", escaped(&text)))
}

/// Control characters in the names of people are common in old histories, and no browser shows them.
fn lie_of_person(name: &[u8]) -> Option<String> {
    let text = lossy(name);
    text.contains(turns_text).then(|| format!("The name '{}' is not allowed.", escaped(&text)))
}

/// The text with what turns its direction written out.
fn escaped(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars() {
        if turns_text(c) || c.is_control() {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

impl Repository {
    /// Whether there is a branch, a tag or another ref that a client may push. The server's own refs do not count.
    pub fn has_refs(&self) -> Result<bool, GitError> {
        Ok(self.count_refs(&NOT_PUSHABLE)? > 0)
    }

    /// Whether a repository to which `created` refs are added has more than `quotas.refs`. The server's own refs do not
    /// count.
    pub fn has_too_many_refs(&self, created: usize) -> Result<bool, GitError> {
        let most = self.limits().quotas.refs;
        if created == 0 || (created <= most && !self.exists()) {
            return Ok(false);
        }
        Ok(created > most || self.count_refs(&NOT_PUSHABLE)? > most - created)
    }
}

/// Whether a client may push to a ref of this name at all: a branch or tag whose name cannot be taken for anything
/// else, or another ref that is not the server's own.
#[must_use]
pub fn is_pushable(name: &str) -> bool {
    let Ok(full) = RefName::parse(name) else { return false };
    if name.starts_with("refs/heads/") {
        return full.branch().is_some();
    }
    if name.starts_with("refs/tags/") {
        return full.tag().is_some();
    }
    !NOT_PUSHABLE.iter().any(|own| name.strip_prefix(own).is_some_and(|rest| rest.starts_with('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_mean_something_else_are_not_pushed() {
        for name in ["refs/heads/main", "refs/tags/v1", "refs/notes/commits"] {
            assert!(is_pushable(name), "{name}");
        }
        let sha = format!("refs/heads/{}", "a".repeat(40));
        for name in ["refs/heads/-x", "refs/heads/HEAD", "refs/tags/refs/heads/x", "refs/keep-around/x", "HEAD", &sha] {
            assert!(!is_pushable(name), "{name}");
        }
    }
}
