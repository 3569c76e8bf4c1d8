//! Refs, read from their files without a process of Git: a lookup costs microseconds and is done for nearly every read.
//!
//! The files are those of gitrepository-layout(5): one below `refs/` for each ref, and `packed-refs` for the others.
//! Writing is left to Git. As Git does, the file of a ref is read before `packed-refs`: `git pack-refs` writes the one
//! before it removes the other, so that a ref that is being packed is always found.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use crate::error::GitError;
use crate::name::RefName;
use crate::oid::Oid;
use crate::repository::Repository;

/// How many refs may name another one in a row, as in Git.
const LONGEST_CHAIN: usize = 5;
/// Names of folders below `refs/` that are followed into each other. A name of a ref has at most 1,000 bytes.
const DEEPEST: usize = 500;

/// The content of the file of a ref.
enum Target {
    Object(Oid),
    Ref(RefName),
}

impl Repository {
    /// The object that the ref points at, without following annotated tags. `None` if there is no such ref, and if its
    /// file is damaged. Fails with [`GitError::NoRepository`] if there is no repository.
    pub fn ref_target(&self, name: &RefName) -> Result<Option<Oid>, GitError> {
        let mut name = name.clone();
        for _ in 0..LONGEST_CHAIN {
            match self.read_ref(&name)? {
                Some(Target::Object(oid)) => return Ok(Some(oid)),
                Some(Target::Ref(next)) => name = next,
                None if self.exists() => return Ok(None),
                None => return Err(GitError::NoRepository),
            }
        }
        Ok(None)
    }

    /// The ref that `HEAD` names, whether or not it is there; `None` if `HEAD` names a commit. Fails if there is no
    /// repository.
    pub(crate) fn head(&self) -> Result<Option<RefName>, GitError> {
        let content = self.read_file("HEAD")?.ok_or(GitError::NoRepository)?;
        match target(&content) {
            Some(Target::Ref(name)) => Ok(Some(name)),
            Some(Target::Object(_)) => Ok(None),
            None => Err(GitError::Unexpected("HEAD")),
        }
    }

    /// The refs below `prefix`, such as `refs/heads/`, with the objects they point at, by name. Refs that name another
    /// ref are left out, and so are damaged ones.
    pub(crate) fn refs_below(&self, prefix: &str) -> Result<BTreeMap<RefName, Oid>, GitError> {
        self.some_below(prefix, usize::MAX)
    }

    /// As [`Repository::refs_below`]; of those in `packed-refs` only the first `most`.
    fn some_below(&self, prefix: &str, most: usize) -> Result<BTreeMap<RefName, Oid>, GitError> {
        let mut loose = BTreeMap::new();
        for name in self.loose_refs(prefix.trim_end_matches('/'), &[])? {
            if let Some(Target::Object(oid)) = self.read_file(name.as_str())?.and_then(|content| target(&content)) {
                loose.insert(name, oid);
            }
        }
        let mut refs = BTreeMap::new();
        let packed = self.packed_refs()?;
        let start = lower_bound(&packed, prefix.as_bytes());
        for (name, oid) in lines(packed.get(start..).unwrap_or_default()).take(most) {
            if !name.starts_with(prefix.as_bytes()) {
                break;
            }
            let name = std::str::from_utf8(name).ok().and_then(|name| RefName::parse(name).ok());
            refs.extend(name.zip(oid));
        }
        refs.extend(loose);
        if refs.is_empty() && !self.exists() {
            return Err(GitError::NoRepository);
        }
        Ok(refs)
    }

    /// The first `most` names below `prefix`, such as `refs/heads/`, by name.
    pub fn names_below(&self, prefix: &str, most: usize) -> Result<Vec<RefName>, GitError> {
        self.some_below(prefix, most).map(|refs| refs.into_keys().take(most).collect())
    }

    /// How many refs there are, leaving out those in these folders, such as `refs/heads`. Fails if there is no
    /// repository.
    pub(crate) fn count_refs(&self, except: &[&str]) -> Result<usize, GitError> {
        let loose = self.loose_refs("refs", except)?;
        let loose: HashSet<&str> = loose.iter().map(RefName::as_str).collect();
        let packed = self.packed_refs()?;
        let is_left_out = |name: &str| {
            let below = |folder: &&str| name.strip_prefix(*folder).is_some_and(|rest| rest.starts_with('/'));
            except.iter().any(below)
        };
        let only_packed = lines(&packed).filter_map(|(name, _)| std::str::from_utf8(name).ok());
        let only_packed = only_packed.filter(|name| !is_left_out(name) && !loose.contains(name)).count();
        if loose.is_empty() && only_packed == 0 && !self.exists() {
            return Err(GitError::NoRepository);
        }
        Ok(loose.len() + only_packed)
    }

    /// The first of these refs that there is, and the object it points at, without following annotated tags. Reads
    /// `packed-refs` once at most, and after the files of all of them.
    pub(crate) fn first_of(&self, names: &[RefName]) -> Result<Option<(RefName, Oid)>, GitError> {
        let mut loose = Vec::new();
        for name in names {
            let found = match self.read_file(name.as_str())?.map(|content| target(&content)) {
                Some(Some(Target::Object(oid))) => Loose::Found(oid),
                Some(Some(Target::Ref(next))) => self.ref_target(&next)?.map_or(Loose::Damaged, Loose::Found),
                Some(None) => Loose::Damaged,
                None => Loose::Absent,
            };
            loose.push((name, found));
        }
        let packed = self.packed_refs()?;
        for (name, found) in loose {
            let target = match found {
                Loose::Found(oid) => Some(oid),
                Loose::Damaged => None,
                Loose::Absent => packed_target(&packed, name),
            };
            if let Some(oid) = target {
                return Ok(Some((name.clone(), oid)));
            }
        }
        if self.exists() { Ok(None) } else { Err(GitError::NoRepository) }
    }

    fn read_ref(&self, name: &RefName) -> Result<Option<Target>, GitError> {
        if let Some(content) = self.read_file(name.as_str())? {
            let found = target(&content);
            if found.is_none() {
                tracing::warn!(repository = %self.path().display(), name = name.as_str(), "the file of a ref is damaged");
            }
            return Ok(found);
        }
        Ok(packed_target(&self.packed_refs()?, name).map(Target::Object))
    }

    /// The lines of `packed-refs`, in the order of their names.
    fn packed_refs(&self) -> Result<Vec<u8>, GitError> {
        let Some(content) = self.read_file("packed-refs")? else { return Ok(Vec::new()) };
        let header = content.split(|byte| *byte == b'\n').next().unwrap_or_default();
        if header.starts_with(b"# pack-refs with:") && header.split(|byte| *byte == b' ').any(|word| word == b"sorted")
        {
            return Ok(content);
        }
        // Written by another program, or by a Git of before 2018.
        let mut sorted: Vec<&[u8]> =
            content.split_inclusive(|byte| *byte == b'\n').filter(|line| name_of(line).is_some()).collect();
        sorted.sort_unstable_by_key(|line| name_of(line));
        Ok(sorted.concat())
    }

    fn read_file(&self, name: &str) -> Result<Option<Vec<u8>>, GitError> {
        read(&self.path().join(name)).map_err(GitError::File)
    }

    /// The names of the refs that have a file in this folder or deeper, leaving out those in the folders `except`.
    fn loose_refs(&self, folder: &str, except: &[&str]) -> Result<Vec<RefName>, GitError> {
        let mut names = Vec::new();
        let mut folders = vec![(folder.to_owned(), DEEPEST)];
        while let Some((folder, depth)) = folders.pop() {
            let entries = match fs::read_dir(self.path().join(&folder)) {
                Ok(entries) => entries,
                Err(error) if is_absence(&error) => continue,
                Err(error) => return Err(GitError::File(error)),
            };
            for entry in entries {
                let entry = entry.map_err(GitError::File)?;
                let Some(name) = entry.file_name().to_str().map(|last| format!("{folder}/{last}")) else { continue };
                if !entry.file_type().map_err(GitError::File)?.is_dir() {
                    // Names of locks are no names of refs.
                    names.extend(RefName::parse(&name));
                } else if depth > 0 && !except.contains(&name.as_str()) {
                    folders.push((name, depth - 1));
                }
            }
        }
        Ok(names)
    }
}

/// The outcome of reading the file of a ref.
enum Loose {
    Found(Oid),
    Damaged,
    Absent,
}

/// The object that a ref points at in `packed-refs`.
fn packed_target(packed: &[u8], name: &RefName) -> Option<Oid> {
    let wanted = name.as_str().as_bytes();
    let start = lower_bound(packed, wanted);
    lines(packed.get(start..)?).next().filter(|(name, _)| *name == wanted).and_then(|(_, oid)| oid)
}

/// The content of a file; `None` if there is none, or a folder in its place.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(content) => Ok(Some(content)),
        Err(error) if is_absence(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory | ErrorKind::InvalidFilename
    )
}

/// `ref: <name>`, or the name of an object.
fn target(content: &[u8]) -> Option<Target> {
    let text = std::str::from_utf8(content).ok()?.trim_ascii_end();
    match text.strip_prefix("ref:") {
        Some(name) => RefName::parse(name.trim_ascii_start()).ok().map(Target::Ref),
        None => text.parse().ok().map(Target::Object),
    }
}

/// The name on a line of `packed-refs`: `<oid> <name>`. Other lines are the file's header, and the objects that tags
/// point at.
fn name_of(line: &[u8]) -> Option<&[u8]> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    match line.first()? {
        b'#' | b'^' => None,
        _ => line.get(41..),
    }
}

/// The refs on these lines, with the objects they point at.
fn lines(text: &[u8]) -> impl Iterator<Item = (&[u8], Option<Oid>)> {
    text.split(|byte| *byte == b'\n')
        .filter_map(|line| Some((name_of(line)?, line.get(..40).and_then(Oid::from_bytes))))
}

/// The offset of the first line whose name is not below `wanted`, in text whose lines are sorted by name.
fn lower_bound(text: &[u8], wanted: &[u8]) -> usize {
    let line_end = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        rest.iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| from + end + 1)
    };
    let (mut low, mut high) = (0, text.len());
    while low < high {
        let middle = low.midpoint(high);
        let before = text.get(..middle).unwrap_or_default();
        let begin = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1).max(low);
        // The first line from there on that has a name.
        let mut at = begin;
        let found = loop {
            if at >= high {
                break None;
            }
            let end = line_end(at);
            match text.get(at..end).and_then(name_of) {
                Some(name) => break Some((name, end)),
                None => at = end,
            }
        };
        match found {
            Some((name, end)) if name < wanted => low = end,
            _ => high = begin,
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(names: &[&str]) -> Vec<u8> {
        let mut text = b"# pack-refs with: peeled fully-peeled sorted \n".to_vec();
        for (number, name) in names.iter().enumerate() {
            text.extend(format!("{number:040x} {name}\n").into_bytes());
            if name.starts_with("refs/tags/") {
                text.extend(format!("^{:040x}\n", number + 1000).into_bytes());
            }
        }
        text
    }

    #[test]
    fn every_name_of_packed_refs_is_found_and_no_other() {
        let names =
            ["refs/heads/a", "refs/heads/a-b", "refs/heads/a/b", "refs/heads/b", "refs/tags/v1", "refs/tags/v2"];
        for count in 0..=names.len() {
            let text = packed(names.get(..count).unwrap());
            for (number, name) in names.iter().enumerate() {
                let at = lower_bound(&text, name.as_bytes());
                let found = lines(text.get(at..).unwrap()).next().filter(|(it, _)| *it == name.as_bytes());
                let want = (number < count).then(|| format!("{number:040x}").parse().unwrap());
                assert_eq!(found.and_then(|(_, oid)| oid), want, "{name} of {count}");
            }
            for absent in ["refs/heads/", "refs/heads/aa", "refs/tags/v", "refs/tags/v3", "refs/z"] {
                let at = lower_bound(&text, absent.as_bytes());
                let next = lines(text.get(at..).unwrap()).next();
                assert!(next.is_none_or(|(name, _)| name > absent.as_bytes()), "{absent} of {count}");
            }
        }
    }
}
