//! Commits and tags that are too large to be read whole: the beginning of the object, as Git stores it.

use crate::command::lossy;
use crate::commit::Commit;
use crate::error::GitError;
use crate::oid::Oid;
use crate::repository::Repository;
use crate::signature::Signature;

/// Bytes of the headers that are read: names of parents, a signature and others. Headers behind them are then missing.
const HEADER: usize = 64 << 10;
/// More of a line of the header is not read.
const LINE: usize = 4 << 10;

/// The part of a commit or tag that is read.
#[derive(Debug, Default)]
pub(crate) struct RawObject {
    /// The first line of each header, such as `author`, as its name and its value.
    headers: Vec<(String, Vec<u8>)>,
    /// The text behind the headers.
    pub(crate) message: String,
}

impl RawObject {
    /// The values of all headers of this name, in order.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = String> + 'a {
        self.headers.iter().filter(move |(it, _)| it == name).map(|(_, value)| lossy(value))
    }

    /// Who made it, by the header of this name.
    pub(crate) fn signature(&self, name: &str) -> Option<Signature> {
        let line = self.all(name).next()?;
        let (name, rest) = line.split_once('<')?;
        let (email, date) = rest.split_once('>').unwrap_or((rest, ""));
        Some(Signature::from_parts(name.trim().to_owned(), email.to_owned(), date.trim()))
    }
}

impl Repository {
    /// The beginning of a commit or tag, with at most `longest` bytes of its message. `None` if Git has not enough
    /// memory even for that, because it holds such objects whole.
    pub(crate) fn raw_object(&self, kind: &'static str, id: Oid, longest: u64) -> Result<Option<RawObject>, GitError> {
        match self.read_raw_object(kind, id, longest) {
            Ok(found) => Ok(Some(found)),
            Err(GitError::TooLarge(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn read_raw_object(&self, kind: &'static str, id: Oid, longest: u64) -> Result<RawObject, GitError> {
        // By the pipe, which is written when the limits of the process are set.
        let command = self.git("cat-file").arg("--batch=%(objecttype)").input(format!("{id}\n"));
        let mut records = command.stream()?.records();
        let (mut found, mut size) = (RawObject::default(), 0);
        if records.next(b'\n', LINE)?.as_deref() != Some(kind.as_bytes()) {
            return Ok(found);
        }
        while let Some(line) = records.next(b'\n', LINE)? {
            if line.is_empty() {
                break;
            }
            size += line.len();
            if size > HEADER {
                return Ok(found);
            }
            // A line that begins with a blank goes on with the one before it.
            let blank = line.iter().position(|byte| *byte == b' ').unwrap_or(line.len());
            if let (Some(name @ [_, ..]), Some(value)) = (line.get(..blank), line.get(blank + 1..)) {
                found.headers.push((lossy(name), value.to_vec()));
            }
        }
        // A message has no NUL, so that this is all of it.
        let most = usize::try_from(longest).unwrap_or(usize::MAX);
        let mut message = records.next(0, most)?.unwrap_or_default();
        // A line end follows the object.
        if message.len() < most {
            message.pop();
        }
        found.message = cut_text(lossy(&message), longest);
        Ok(found)
    }

    /// As much as can be known of a commit that is too large to be read as others are.
    pub(super) fn large_commit(&self, id: Oid, longest: u64) -> Result<Commit, GitError> {
        let found = self.raw_object("commit", id, longest)?.unwrap_or_default();
        let unknown = || Signature::from_parts(String::new(), String::new(), "");
        Ok(Commit {
            id,
            parents: found.all("parent").filter_map(|parent| parent.parse().ok()).collect(),
            author: found.signature("author").unwrap_or_else(unknown),
            committer: found.signature("committer").unwrap_or_else(unknown),
            message: found.message,
        })
    }
}

/// The text with at most `longest` bytes, ending between two characters.
pub(crate) fn cut_text(mut text: String, longest: u64) -> String {
    let longest = usize::try_from(longest).unwrap_or(usize::MAX);
    if text.len() > longest {
        text.truncate(text.floor_char_boundary(longest));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        for (text, longest, want) in [("abc", 3, "abc"), ("abc", 2, "ab"), ("a\u{e4}b", 2, "a"), ("\u{e4}", 0, "")] {
            assert_eq!(cut_text(text.to_owned(), longest), want);
        }
    }
}
