//! In which languages a project is written.

use std::collections::BTreeMap;

use linguist_types::LanguageType;

use crate::error::GitError;
use crate::objects::Objects;
use crate::oid::Oid;
use crate::repository::Repository;
use crate::tree::{EntryKind, TreeEntry};

/// How much of a file is read, as in the original of the definitions.
const BEGINNING: usize = 50 << 10;
/// Larger files are classified by their names alone.
const LARGEST: u64 = 1 << 20;
/// Files whose content is read; those after them are classified by their names alone.
const MOST_READ: usize = 10_000;

/// The more probable languages, most probable first. They decide between two if neither name nor content does.
const POPULAR: [&str; 28] = [
    "JavaScript",
    "TypeScript",
    "Python",
    "Java",
    "C",
    "C++",
    "C#",
    "Go",
    "Rust",
    "PHP",
    "Ruby",
    "Swift",
    "Kotlin",
    "Scala",
    "Shell",
    "Perl",
    "Objective-C",
    "R",
    "MATLAB",
    "Haskell",
    "Lua",
    "Dart",
    "HTML",
    "CSS",
    "TSX",
    "F#",
    "Common Lisp",
    "Prolog",
];

impl Repository {
    /// The languages of the files of `commit` with their shares in percent, the largest first; together they make 100.
    /// Only programs and markup count. Files that were taken over from elsewhere or generated do not, and documentation
    /// does not. Empty if there are none. Reads contents: to be done in the background.
    pub fn languages(&self, commit: Oid) -> Result<Vec<(String, f64)>, GitError> {
        let mut objects = self.objects();
        let mut bytes: BTreeMap<&'static str, u64> = BTreeMap::new();
        let mut read = 0;
        for file in self.files(commit)? {
            let Some(size) = counted(&file) else { continue };
            let mut candidates = detected(file.path.as_kept(), None);
            if candidates.len() > 1 && size <= LARGEST && read < MOST_READ {
                read += 1;
                let text = beginning(&mut objects, file.id)?;
                candidates = detected(file.path.as_kept(), Some(&text));
            }
            if let Some(language) = most_popular(&counting(&candidates)) {
                *bytes.entry(language).or_default() += size;
            }
        }
        Ok(shares(bytes))
    }
}

/// The size of a file that counts; `None` for another.
fn counted(file: &TreeEntry) -> Option<u64> {
    let is_file = file.kind == EntryKind::Blob && !file.is_link();
    let path = file.path.as_kept();
    let is_own = || !linguist::is_vendored(path).unwrap_or(false) && !is_generated(path);
    file.size.filter(|size| is_file && *size > 0 && is_own())
}

/// True for files that the definitions leave out: documentation, and files that programs write.
fn is_generated(path: &str) -> bool {
    let path = path.to_lowercase();
    let name = path.rsplit('/').next().unwrap_or_default();
    let ends =
        [".min.js", ".min.css", ".lock", "-lock.json", ".pb.go", "_pb2.py", ".g.dart", ".designer.cs", ".js.map"];
    let folders = ["docs", "doc", "documentation", "javadoc", "man"];
    let (folder, _) = path.rsplit_once('/').unwrap_or_default();
    ends.iter().any(|end| name.ends_with(end)) || folder.split('/').any(|part| folders.contains(&part))
}

/// A language that a file may be in, and what sort of language that is.
type Candidate = (&'static str, LanguageType);

/// The languages that a file may be in.
fn detected(path: &str, text: Option<&str>) -> Vec<Candidate> {
    let found = linguist::detect_language(path, text).unwrap_or_default();
    found
        .into_iter()
        .map(|it| (it.definition.group.as_deref().unwrap_or(it.name), it.definition.language_type.clone()))
        .collect()
}

/// The candidates that count: programs and markup. A file that may be prose is prose. Otherwise every project with a
/// `README.md` would be written in the other language whose files end so.
fn counting(candidates: &[Candidate]) -> Vec<&'static str> {
    if candidates.iter().any(|(_, kind)| matches!(kind, LanguageType::Prose)) {
        return Vec::new();
    }
    let counts = |kind: &LanguageType| matches!(kind, LanguageType::Markup | LanguageType::Programming);
    candidates.iter().filter(|(_, kind)| counts(kind)).map(|(name, _)| *name).collect()
}

fn beginning(objects: &mut Objects, id: Oid) -> Result<String, GitError> {
    let content = objects.blob(&id.to_string(), LARGEST)?.and_then(|blob| blob.content).unwrap_or_default();
    Ok(crate::command::lossy(content.get(..BEGINNING).unwrap_or(&content)))
}

fn most_popular(candidates: &[&'static str]) -> Option<&'static str> {
    let place = |name: &str| POPULAR.iter().position(|it| *it == name).unwrap_or(POPULAR.len());
    candidates.iter().copied().min_by_key(|name| (place(name), *name))
}

/// Shares with two digits. The largest one takes the difference that rounding makes.
fn shares(bytes: BTreeMap<&'static str, u64>) -> Vec<(String, f64)> {
    let total: u128 = bytes.values().map(|size| u128::from(*size)).sum();
    let mut shares: Vec<(&str, u128)> = bytes
        .into_iter()
        .map(|(name, size)| (name, (u128::from(size) * 20_000 + total) / (2 * total.max(1))))
        .collect();
    shares.sort_by_key(|(name, share)| (std::cmp::Reverse(*share), *name));
    let others: u128 = shares.iter().skip(1).map(|(_, share)| share).sum();
    if let Some((_, first)) = shares.first_mut() {
        *first = 10_000_u128.saturating_sub(others);
    }
    let percent = |share: u128| u32::try_from(share).map(f64::from).unwrap_or_default() / 100.0;
    shares.into_iter().filter(|(_, share)| *share > 0).map(|(name, share)| (name.to_owned(), percent(share))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_make_a_hundred_whatever_is_rounded() {
        let all = shares(BTreeMap::from([("A", 1), ("B", 1), ("C", 1)]));
        assert_eq!(all, [("A".to_owned(), 33.34), ("B".to_owned(), 33.33), ("C".to_owned(), 33.33)]);
        assert_eq!(shares(BTreeMap::from([("A", 1_000_000), ("B", 1)])), [("A".to_owned(), 100.0)]);
        assert_eq!(shares(BTreeMap::new()), []);
    }

    #[test]
    fn what_may_be_prose_does_not_count() {
        let markdown = [("GCC Machine Description", LanguageType::Programming), ("Markdown", LanguageType::Prose)];
        assert_eq!(counting(&markdown), [""; 0]);
        assert_eq!(counting(&[("XML", LanguageType::Data), ("Rust", LanguageType::Programming)]), ["Rust"]);
    }

    #[test]
    fn of_several_languages_the_more_popular_one_is_taken() {
        assert_eq!(most_popular(&["RenderScript", "Rust"]), Some("Rust"));
        assert_eq!(most_popular(&["XML", "Gosu"]), Some("Gosu"));
        assert_eq!(most_popular(&[]), None);
    }
}
