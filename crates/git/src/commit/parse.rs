//! Commits as Git stores them, read in the way in which `git log` shows them.

use crate::command::lossy;
use crate::commit::{Commit, cut_text};
use crate::oid::Oid;
use crate::signature::Signature;

/// The links and the date of a commit, which stand before the people and the message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Links {
    pub(crate) tree: Oid,
    pub(crate) parents: Vec<Oid>,
    /// When it was committed, in seconds since 1970.
    pub(crate) seconds: i64,
}

/// A commit, with at most `longest` bytes of its message. `None` if it is not written as Git writes commits, or not in
/// UTF-8: `git log` then shows another text than the stored one.
pub(crate) fn commit(id: Oid, content: &[u8], longest: u64) -> Option<Commit> {
    let head = Head::read(content)?;
    let mut rest = head.rest;
    let message = loop {
        let (line, behind) = split_line(rest)?;
        match line {
            b"" => break behind,
            // The text is in another encoding, or a header that should be there once is there twice.
            _ if [&b"encoding"[..], b"author", b"committer", b"parent", b"tree"]
                .iter()
                .any(|it| line.starts_with(it)) =>
            {
                return None;
            }
            _ => rest = behind,
        }
    };
    Some(Commit {
        id,
        parents: head.links.parents,
        author: head.author,
        committer: head.committer,
        message: cut_text(lossy(message), longest),
    })
}

/// The parents of a commit and the moment it was made. `None` as in [`commit`], whatever the encoding.
pub(crate) fn links(content: &[u8]) -> Option<Links> {
    Head::read(content).map(|head| head.links)
}

/// The tree of a commit, whatever else the commit says.
pub(crate) fn tree(content: &[u8]) -> Option<Oid> {
    let (line, _) = split_line(content)?;
    line.strip_prefix(b"tree ").and_then(Oid::from_bytes)
}

/// The tree of a commit and its first parent, whatever else the commit says.
pub(crate) fn tree_and_parent(content: &[u8]) -> Option<(Oid, Option<Oid>)> {
    let (line, rest) = split_line(content)?;
    let tree = line.strip_prefix(b"tree ").and_then(Oid::from_bytes)?;
    let parent = match split_line(rest).and_then(|(line, _)| line.strip_prefix(b"parent ")) {
        Some(parent) => Some(Oid::from_bytes(parent)?),
        None => None,
    };
    Some((tree, parent))
}

struct Head<'a> {
    links: Links,
    author: Signature,
    committer: Signature,
    /// The text behind the line of the committer.
    rest: &'a [u8],
}

impl<'a> Head<'a> {
    fn read(content: &'a [u8]) -> Option<Self> {
        // Git ends the text there.
        if content.contains(&0) {
            return None;
        }
        let (line, mut rest) = split_line(content)?;
        let tree = line.strip_prefix(b"tree ").and_then(Oid::from_bytes)?;
        let mut parents = Vec::new();
        let author = loop {
            let (line, behind) = split_line(rest)?;
            rest = behind;
            match line.strip_prefix(b"parent ") {
                Some(parent) => parents.push(Oid::from_bytes(parent)?),
                None => break person(line.strip_prefix(b"author ")?)?,
            }
        };
        let (line, rest) = split_line(rest)?;
        let committer = person(line.strip_prefix(b"committer ")?)?;
        let links = Links { tree, parents, seconds: committer.seconds };
        Some(Self { links, author, committer, rest })
    }
}

/// `<name> <<address>> <seconds> <offset>`, in the form in which nothing is left out or guessed when it is shown.
fn person(line: &[u8]) -> Option<Signature> {
    let open = line.iter().position(|byte| *byte == b'<')?;
    let close = line.iter().position(|byte| *byte == b'>')?;
    let (name, email, date) = (line.get(..open)?, line.get(open + 1..close)?, line.get(close + 1..)?);
    let name = match name {
        b"" => name,
        name => name.strip_suffix(b" ")?,
    };
    let is_plain = |text: &[u8]| !text.iter().any(|byte| matches!(byte, b'<' | b'>'));
    let is_odd_at_end = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_whitespace() || *byte == 0x0b);
    if !is_plain(email) || !is_plain(date) || is_odd_at_end(name.first()) || is_odd_at_end(name.last()) {
        return None;
    }
    let date = std::str::from_utf8(date.strip_prefix(b" ")?).ok()?;
    let (seconds, offset) = date.split_once(' ')?;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_usual = is_number(seconds)
        && (1..=LONGEST_DATE).contains(&seconds.len())
        && offset.len() == 5
        && offset.starts_with(['+', '-'])
        && is_number(offset.get(1..)?);
    is_usual.then(|| Signature::from_parts(lossy(name), lossy(email), date))
}

/// Digits of a number of seconds that a graph of commits holds whole.
const LONGEST_DATE: usize = 10;

fn split_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = text.iter().position(|byte| *byte == b'\n')?;
    Some((text.get(..end)?, text.get(end + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n";
    const PEOPLE: &str = "author A <a@b> 5 +0100\ncommitter B <> 7 -0000\n";

    fn parsed(text: &str) -> Option<Commit> {
        commit(Oid::ZERO, text.as_bytes(), 100)
    }

    #[test]
    fn a_usual_commit_is_read() {
        let parent = format!("parent {}\n", Oid::EMPTY_TREE);
        let found = parsed(&format!("{TREE}{parent}{PEOPLE}gpgsig x\n y\n\n\ntitle\n")).unwrap();
        assert_eq!((found.parents.as_slice(), &*found.message), (&[Oid::EMPTY_TREE][..], "\ntitle\n"));
        assert_eq!((&*found.author.name, found.author.seconds, found.author.offset_minutes), ("A", 5, 60));
        assert_eq!((&*found.committer.email, found.committer.offset_minutes), ("", 0));
        assert_eq!(parsed(&format!("{TREE}{PEOPLE}\n")).unwrap().message, "");
        assert_eq!(links(format!("{TREE}{PEOPLE}").as_bytes()).unwrap().seconds, 7);
    }

    #[test]
    fn what_is_shown_differently_than_it_is_written_is_left_to_git() {
        let with = |author: &str| format!("{TREE}author {author}\ncommitter B <b@c> 7 +0000\n\nx\n");
        let odd = [
            format!("{TREE}{PEOPLE}"),
            format!("{PEOPLE}\nx"),
            format!("{TREE}{PEOPLE}encoding latin1\n\nx"),
            format!("{TREE}{PEOPLE}author B <b@c> 7 +0000\n\nx"),
            format!("{TREE}{PEOPLE}\nx\0y"),
            with("A <a@b>"),
            with("A <a@b> x"),
            with("A <a@b> -5 +0000"),
            with("A <a@b> 5 0000"),
            with("A <a@b> 5 +000"),
            with("A <a@b> 5 +000000"),
            with("A <a@b> 99999999999 +0000"),
            with("A <a@b>  5 +0000"),
            with("A <a>b> 5 +0000"),
            with("A <<a@b> 5 +0000"),
            with("A<a@b> 5 +0000"),
            with("A  <a@b> 5 +0000"),
            with(" A <a@b> 5 +0000"),
            with("A > <a@b> 5 +0000"),
        ];
        for text in odd {
            assert_eq!(parsed(&text), None, "{text}");
        }
    }
}
