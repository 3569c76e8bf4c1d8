//! Code owners: the file `CODEOWNERS`, which says who has to approve changes of which paths.
//!
//! A line is a pattern of paths and its owners. Lines stand in sections, whose headings may say how many approvals are
//! required, that none is, and who owns the lines that name no owner. In each section the last line that stands for a
//! path counts, and a line that begins with `!` takes its paths out of the section.

mod parse;
mod pattern;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use pattern::Pattern;
pub use pattern::{MAX_PATTERN, Path, Steps, TooManySteps};

use crate::access::AccessLevel;
use crate::words::words;

/// The places at which the file may be. The first one that is there counts.
pub const PLACES: [&str; 3] = ["CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"];
/// The most bytes of the file.
pub const MAX_BYTES: usize = 512 << 10;
/// The most lines of the file.
pub const MAX_LINES: usize = 10_000;
/// The most owners that all lines name.
pub const MAX_OWNERS: usize = 20_000;
/// The most owners of one line. Further ones are passed over.
pub const MAX_OWNERS_OF_LINE: usize = 500;
/// The most approvals that a section requires.
pub const MAX_REQUIRED: i64 = 100;
/// The most lines that one merge request may touch.
pub const MAX_TOUCHED: usize = 1_000;
/// The most bytes of these lines with the headings of their sections.
pub const MAX_EXCERPT: usize = 64 << 10;
/// The most problems of the file that are kept.
pub const MAX_PROBLEMS: usize = 100;

words! {
    /// Why owners cannot be found, so that no approval can count as theirs.
    pub enum OwnersRefusal {
        /// The file has more than [`MAX_BYTES`] bytes.
        TooLarge = "too_large",
        /// It has more than [`MAX_LINES`] lines.
        TooManyLines = "too_many_lines",
        /// Its lines name more than [`MAX_OWNERS`] owners.
        TooManyOwners = "too_many_owners",
        /// More files are changed than are compared.
        TooManyPaths = "too_many_paths",
        /// The changed files touch more than [`MAX_TOUCHED`] lines.
        TooManyTouched = "too_many_touched",
        /// These lines and the headings of their sections have more than [`MAX_EXCERPT`] bytes.
        TooLongExcerpt = "too_long_excerpt",
        /// The comparison of the paths with the patterns takes too many steps.
        TooManySteps = "too_many_steps",
    }
}

impl OwnersRefusal {
    /// The reason in words.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::TooLarge => "CODEOWNERS has more than 512 KiB",
            Self::TooManyLines => "CODEOWNERS has more than 10,000 lines",
            Self::TooManyOwners => "CODEOWNERS names more than 20,000 owners",
            Self::TooManyPaths => "too many files are changed to find their code owners",
            Self::TooManyTouched => "the changes touch more than 1,000 lines of CODEOWNERS",
            Self::TooLongExcerpt => "the lines of CODEOWNERS that the changes touch have more than 64 KiB",
            Self::TooManySteps => "the patterns of CODEOWNERS take too long to compare",
        }
    }
}

impl From<TooManySteps> for OwnersRefusal {
    fn from(TooManySteps: TooManySteps) -> Self {
        Self::TooManySteps
    }
}

/// The part of the file that a merge request touches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TouchedOwners {
    /// The lines ([`CodeOwners::excerpt`]). Empty if it touches none.
    pub lines: String,
    /// Why they could not be found. Then no approval is enough.
    pub refusal: Option<OwnersRefusal>,
}

/// An owner, as the file names one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Owner {
    /// `@name` and `@group/below`: a user or a group.
    Name(String),
    /// The address of a user.
    Email(String),
    /// `@@maintainer`: the direct members of the project who have exactly this role.
    Role(AccessLevel),
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "@{name}"),
            Self::Email(address) => f.write_str(address),
            Self::Role(AccessLevel::Owner) => f.write_str("@@owner"),
            Self::Role(AccessLevel::Maintainer) => f.write_str("@@maintainer"),
            Self::Role(_) => f.write_str("@@developer"),
        }
    }
}

/// Something that is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineProblem {
    /// The line, counted from 1.
    pub line: usize,
    /// The problem.
    pub reason: String,
}

/// A line with a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    line: usize,
    text: String,
    pattern: Pattern,
    is_exclusion: bool,
    owners: Arc<[Owner]>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Section {
    /// Empty for the lines above all headings.
    name: String,
    is_optional: bool,
    required: i64,
    /// The lines of its headings.
    headings: Vec<usize>,
    entries: Vec<Entry>,
}

/// The requirement of a line: approvals by some of its owners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequiredOwners<'a> {
    /// The name of the section. Empty for the lines above all headings.
    pub section: &'a str,
    /// The pattern, as the file has it.
    pub pattern: &'a str,
    /// How many owners have to approve; 0 in an optional section.
    pub required: i64,
    /// The owners. Empty if the path has no owners.
    pub owners: &'a [Owner],
}

/// The file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeOwners {
    sections: Vec<Section>,
    problems: Vec<LineProblem>,
}

impl CodeOwners {
    /// Reads the file. Lines that are wrong are passed over, and are among the problems.
    ///
    /// # Errors
    /// The limit that the file exceeds.
    pub fn parse(text: &str) -> Result<Self, OwnersRefusal> {
        parse::parse(text)
    }

    /// The first problems of the file, by line.
    #[must_use]
    pub fn problems(&self) -> &[LineProblem] {
        &self.problems
    }

    /// The requirements of all lines.
    pub fn required_owners(&self) -> impl Iterator<Item = RequiredOwners<'_>> {
        let entries =
            self.sections.iter().flat_map(|section| section.entries.iter().map(move |entry| (section, entry)));
        entries.filter(|(_, entry)| !entry.is_exclusion).map(|(section, entry)| required(section, entry))
    }

    /// The requirements of the lines that count for a path: one of each section at most.
    ///
    /// # Errors
    /// [`TooManySteps`] if no steps are left.
    pub fn required_owners_of(&self, path: &str, steps: &mut Steps) -> Result<Vec<RequiredOwners<'_>>, TooManySteps> {
        let path = Path::new(path);
        let mut found = Vec::new();
        for section in &self.sections {
            if let Some(entry) = section.entry_of(&path, steps)? {
                found.push(required(section, entry));
            }
        }
        Ok(found)
    }

    /// The part of the file that these paths touch: the lines that count for a path, and all headings of their sections. Read
    /// again, it has these lines and no others. Empty if no line counts. `text` is the file.
    ///
    /// # Errors
    /// The limit that the paths, the steps or the part exceed.
    pub fn excerpt<'p>(
        &self,
        text: &str,
        paths: impl IntoIterator<Item = &'p str>,
        steps: &mut Steps,
    ) -> Result<String, OwnersRefusal> {
        let mut lines = BTreeSet::new();
        for path in paths {
            let path = Path::new(path);
            for section in &self.sections {
                if let Some(entry) = section.entry_of(&path, steps)? {
                    lines.insert(entry.line);
                }
            }
            if lines.len() > MAX_TOUCHED {
                return Err(OwnersRefusal::TooManyTouched);
            }
        }
        let is_touched = |section: &&Section| section.entries.iter().any(|entry| lines.contains(&entry.line));
        let headings: Vec<usize> =
            self.sections.iter().filter(is_touched).flat_map(|section| section.headings.iter().copied()).collect();
        lines.extend(headings);
        let mut excerpt = String::new();
        for (_, line) in (1..).zip(text.lines()).filter(|(line, _)| lines.contains(line)) {
            excerpt.push_str(line.trim());
            excerpt.push('\n');
            if excerpt.len() > MAX_EXCERPT {
                return Err(OwnersRefusal::TooLongExcerpt);
            }
        }
        Ok(excerpt)
    }
}

impl Section {
    /// The line that counts for a path: the last one, unless a line takes the path out. Each section takes a step, also
    /// without lines.
    fn entry_of(&self, path: &Path, steps: &mut Steps) -> Result<Option<&Entry>, TooManySteps> {
        steps.take(1)?;
        let mut found = None;
        for entry in self.entries.iter().rev() {
            if (entry.is_exclusion || found.is_none()) && entry.pattern.covers(path, steps)? {
                if entry.is_exclusion {
                    return Ok(None);
                }
                found = Some(entry);
            }
        }
        Ok(found)
    }
}

fn required<'a>(section: &'a Section, entry: &'a Entry) -> RequiredOwners<'a> {
    RequiredOwners {
        section: &section.name,
        pattern: &entry.text,
        required: if section.is_optional { 0 } else { section.required },
        owners: &entry.owners,
    }
}

#[cfg(test)]
mod tests;
