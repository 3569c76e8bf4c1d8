//! In which languages a project is written.

mod attributes;
mod left_out;

use std::collections::{BTreeMap, HashMap};

use linguist_types::{Language, LanguageType};
use tenon_domain::file_path::bytes_of;

use crate::error::GitError;
use crate::objects::Objects;
use crate::oid::Oid;
use crate::repository::Repository;
use crate::tree::{EntryKind, TreeEntry};
use attributes::Attributes;
use left_out::{is_documentation, is_generated, is_often_generated, says_generated};

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

/// The languages of data that are more common than others whose files end alike.
const COMMON_DATA: [&str; 4] = ["JSON", "SQL", "XML", "YAML"];

impl Repository {
    /// The languages of the files of `commit` with their shares in percent, the largest first; together they make 100.
    /// Only programs and markup count. Files that were taken over from elsewhere or generated do not, and documentation
    /// does not, unless `.gitattributes` says so. Empty if there are none. Reads contents: to be done in the background.
    pub fn languages(&self, commit: Oid) -> Result<Vec<(String, f64)>, GitError> {
        let files = self.files(commit)?;
        let attributes = self.language_attributes(commit, &files)?;
        let mut counter = Counter { objects: self.objects(), read: 0, named: HashMap::new() };
        let mut bytes: BTreeMap<&'static str, u64> = BTreeMap::new();
        for file in &files {
            let Some(size) = file.size.filter(|size| *size > 0) else { continue };
            let said =
                bytes_of(file.path.as_kept()).and_then(|path| attributes.get(&*path)).cloned().unwrap_or_default();
            if let Some(language) = counter.language(file, size, &said)? {
                *bytes.entry(language).or_default() += size;
            }
        }
        Ok(shares(bytes))
    }
}

/// The language of a file by its path alone, of whatever sort it is. `None` if the path does not decide.
#[must_use]
pub fn of_path(path: &str) -> Option<&'static str> {
    let candidates = detected(path, None);
    let prose = candidates.iter().find(|(_, kind)| matches!(kind, LanguageType::Prose));
    match candidates.as_slice() {
        [(only, _)] => Some(only),
        _ => prose.map(|(name, _)| *name).or_else(|| {
            let is_likely = |name: &&'static str| POPULAR.contains(name) || COMMON_DATA.contains(name);
            let likely: Vec<_> = candidates.iter().map(|(name, _)| *name).filter(is_likely).collect();
            most_popular(&likely)
        }),
    }
}

/// Finds the language for which a file counts.
struct Counter {
    objects: Objects,
    /// The number of files that were read.
    read: usize,
    /// The languages of the names that attributes have.
    named: HashMap<String, Option<Candidate>>,
}

impl Counter {
    /// `None` if the file counts for no language.
    fn language(&mut self, file: &TreeEntry, size: u64, said: &Attributes) -> Result<Option<&'static str>, GitError> {
        if file.kind != EntryKind::Blob || file.is_link() || is_left_out(file.path.as_kept(), said) {
            return Ok(None);
        }
        let path = file.path.as_kept();
        if let Some(name) = &said.language {
            return Ok(self.named(name).filter(|(_, kind)| counts(kind, said)).map(|(name, _)| name));
        }
        let mut candidates = detected(path, None);
        let is_ambiguous = candidates.len() > 1;
        let is_suspect = said.generated.is_none() && candidates.iter().any(|(name, _)| is_often_generated(name));
        if (is_ambiguous || is_suspect) && size <= LARGEST && self.read < MOST_READ {
            self.read += 1;
            let text = beginning(&mut self.objects, file.id)?;
            if said.generated.is_none() && says_generated(path, &text) {
                return Ok(None);
            }
            if is_ambiguous {
                candidates = detected(path, Some(&text));
            }
        }
        Ok(most_popular(&counting(&candidates, said)))
    }

    /// As [`named`], which goes through all languages only once for each name.
    fn named(&mut self, name: &str) -> Option<Candidate> {
        if let Some(known) = self.named.get(name) {
            return known.clone();
        }
        let found = named(name);
        self.named.insert(name.to_owned(), found.clone());
        found
    }
}

/// True for files that were taken over from elsewhere, files that programs write, and documentation.
fn is_left_out(path: &str, said: &Attributes) -> bool {
    said.vendored.unwrap_or_else(|| linguist::is_vendored(path).unwrap_or(false))
        || said.generated.unwrap_or_else(|| is_generated(path))
        || said.documentation.unwrap_or_else(|| is_documentation(path))
}

/// A language that a file may be in, and what sort of language that is.
type Candidate = (&'static str, LanguageType);

/// The languages that a file may be in.
fn detected(path: &str, text: Option<&str>) -> Vec<Candidate> {
    let found = linguist::detect_language(path, text).unwrap_or_default();
    found.into_iter().map(|it| candidate(it.name, it.definition)).collect()
}

fn candidate(name: &'static str, definition: &'static Language) -> Candidate {
    (definition.group.as_deref().unwrap_or(name), definition.language_type.clone())
}

/// The language of this name, or with this other name. Case does not matter, and `-` may replace a space.
fn named(name: &str) -> Option<Candidate> {
    let name = name.to_lowercase();
    let is_it = |known: &str, definition: &Language| {
        known.to_lowercase().replace(char::is_whitespace, "-") == name
            || definition.aliases.iter().flatten().any(|alias| alias.to_lowercase() == name)
    };
    let mut all = linguist::definitions::LANGUAGES.iter();
    all.find(|(known, definition)| is_it(known, definition)).map(|(known, definition)| candidate(known, definition))
}

/// True for programs and markup, unless the attributes of the file say otherwise.
fn counts(kind: &LanguageType, said: &Attributes) -> bool {
    said.detectable.unwrap_or(matches!(kind, LanguageType::Markup | LanguageType::Programming))
}

/// The candidates that count. A file that may be prose is prose. Otherwise every project with a `README.md` would be
/// written in the other language whose files end so.
fn counting(candidates: &[Candidate], said: &Attributes) -> Vec<&'static str> {
    let prose = candidates.iter().filter(|(_, kind)| matches!(kind, LanguageType::Prose)).collect::<Vec<_>>();
    let candidates = if prose.is_empty() { candidates.iter().collect() } else { prose };
    candidates.into_iter().filter(|(_, kind)| counts(kind, said)).map(|(name, _)| *name).collect()
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
        let said = Attributes::default();
        let markdown = [("GCC Machine Description", LanguageType::Programming), ("Markdown", LanguageType::Prose)];
        assert_eq!(counting(&markdown, &said), [""; 0]);
        assert_eq!(counting(&[("XML", LanguageType::Data), ("Rust", LanguageType::Programming)], &said), ["Rust"]);
        let said = Attributes { detectable: Some(true), ..said };
        assert_eq!(counting(&markdown, &said), ["Markdown"]);
    }

    #[test]
    fn a_path_decides_if_few_languages_are_likely() {
        let cases = [
            ("a/main.rs", Some("Rust")),
            ("README.md", Some("Markdown")),
            ("x.h", Some("C")),
            ("a.json", Some("JSON")),
            ("a.yml", Some("YAML")),
            ("none", None),
            ("", None),
        ];
        for (path, language) in cases {
            assert_eq!(of_path(path), language, "{path}");
        }
    }

    #[test]
    fn a_language_has_several_names() {
        let name = |text| named(text).map(|(name, _)| name);
        assert_eq!(
            [name("common-lisp"), name("Golang"), name("TSX")],
            [Some("Common Lisp"), Some("Go"), Some("TypeScript")]
        );
        assert_eq!(name("none of them"), None);
    }

    #[test]
    fn of_several_languages_the_more_popular_one_is_taken() {
        assert_eq!(most_popular(&["RenderScript", "Rust"]), Some("Rust"));
        assert_eq!(most_popular(&["XML", "Gosu"]), Some("Gosu"));
        assert_eq!(most_popular(&[]), None);
    }
}
