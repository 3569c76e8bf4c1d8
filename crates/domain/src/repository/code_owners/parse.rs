//! Reads files of code owners.

use std::collections::HashMap;
use std::sync::Arc;

use super::pattern::Pattern;
use super::{
    CodeOwners, Entry, LineProblem, MAX_BYTES, MAX_LINES, MAX_OWNERS, MAX_OWNERS_OF_LINE, MAX_PROBLEMS, MAX_REQUIRED,
    Owner, OwnersRefusal, Section,
};
use crate::access::AccessLevel;

/// A heading: `^[Name][2] @owner`.
struct Heading<'a> {
    name: &'a str,
    is_optional: bool,
    count: Option<&'a str>,
    owners: &'a str,
}

/// The kind of a line with a bracket.
enum Bracket<'a> {
    Heading(Heading<'a>),
    /// A set of characters at the beginning of a pattern.
    Pattern,
    Wrong(&'static str),
}

#[derive(Default)]
struct Reader {
    sections: Vec<Section>,
    /// The places of the sections by their names in lower case.
    places: HashMap<String, usize>,
    /// The section of the next line, and the owners of lines that name none.
    current: Option<usize>,
    default_owners: Arc<[Owner]>,
    problems: Vec<LineProblem>,
    owners: usize,
}

pub(super) fn parse(text: &str) -> Result<CodeOwners, OwnersRefusal> {
    if text.len() > MAX_BYTES {
        return Err(OwnersRefusal::TooLarge);
    }
    let mut reader = Reader::default();
    for (line, content) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        if line > MAX_LINES {
            return Err(OwnersRefusal::TooManyLines);
        }
        let content = content.trim();
        if !content.is_empty() && !content.starts_with('#') {
            reader.line(line, content)?;
        }
    }
    let Reader { sections, problems, .. } = reader;
    Ok(CodeOwners { sections, problems })
}

impl Reader {
    fn line(&mut self, line: usize, content: &str) -> Result<(), OwnersRefusal> {
        // PostgreSQL stores no such text, and no line of text has one.
        if content.contains('\0') {
            self.wrong(line, "the line has a NUL character");
            return Ok(());
        }
        if content.starts_with('[') || content.starts_with("^[") {
            match bracket(content) {
                Bracket::Heading(heading) => return self.heading(line, &heading),
                Bracket::Wrong(reason) => {
                    self.wrong(line, reason);
                    return Ok(());
                }
                Bracket::Pattern => {}
            }
        }
        self.entry(line, content)
    }

    fn heading(&mut self, line: usize, heading: &Heading<'_>) -> Result<(), OwnersRefusal> {
        let required = match heading.count.map(str::parse::<i64>) {
            None => 1,
            Some(Ok(count)) if (1..=MAX_REQUIRED).contains(&count) => {
                if heading.is_optional {
                    self.wrong(line, "an optional section requires no approvals, so that its number does not count");
                }
                count
            }
            Some(_) => {
                self.wrong(line, "the number of approvals is not between 1 and 100, so that 1 is required");
                1
            }
        };
        self.default_owners = self.owners(line, heading.owners)?.into();
        let place = self.section(heading.name, heading.is_optional);
        if let Some(section) = self.sections.get_mut(place) {
            // Of several headings of one name, the strictest counts.
            section.is_optional &= heading.is_optional;
            section.required = section.required.max(required);
            section.headings.push(line);
        }
        self.current = Some(place);
        Ok(())
    }

    /// The section of this name, which is made if there is none.
    fn section(&mut self, name: &str, is_optional: bool) -> usize {
        let sections = &mut self.sections;
        *self.places.entry(name.to_lowercase()).or_insert_with(|| {
            let (headings, entries) = (Vec::new(), Vec::new());
            sections.push(Section { name: name.to_owned(), is_optional, required: 1, headings, entries });
            sections.len() - 1
        })
    }

    fn entry(&mut self, line: usize, content: &str) -> Result<(), OwnersRefusal> {
        let (is_exclusion, content) = match content.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, content),
        };
        let (text, named) = split(content);
        let pattern = match Pattern::parse(text) {
            Ok(pattern) => pattern,
            Err(reason) => {
                self.wrong(line, reason);
                return Ok(());
            }
        };
        let owners = self.owners(line, named)?;
        let owners = if is_exclusion {
            if !named.is_empty() {
                self.wrong(line, "a line that excludes paths has no owners");
            }
            Arc::default()
        } else if owners.is_empty() {
            Arc::clone(&self.default_owners)
        } else {
            owners.into()
        };
        if owners.is_empty() && !is_exclusion {
            self.wrong(line, "the line has no owners, so that its paths need no approval");
        }
        let place = self.current.unwrap_or_else(|| self.section("", false));
        if let Some(section) = self.sections.get_mut(place) {
            section.entries.push(Entry { line, text: text.to_owned(), pattern, is_exclusion, owners });
        }
        Ok(())
    }

    fn owners(&mut self, line: usize, named: &str) -> Result<Vec<Owner>, OwnersRefusal> {
        let mut owners: Vec<Owner> = Vec::new();
        let mut is_full = false;
        for word in named.split_whitespace() {
            self.owners += 1;
            if self.owners > MAX_OWNERS {
                return Err(OwnersRefusal::TooManyOwners);
            }
            match owner(word) {
                Some(_) if owners.len() == MAX_OWNERS_OF_LINE => is_full = true,
                Some(owner) => owners.push(owner),
                None => self.wrong(line, format!("“{}” is not an owner", shortened(word))),
            }
        }
        if is_full {
            self.wrong(line, format!("only the first {MAX_OWNERS_OF_LINE} owners of a line count"));
        }
        owners.sort_unstable();
        owners.dedup();
        Ok(owners)
    }

    fn wrong(&mut self, line: usize, reason: impl Into<String>) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(LineProblem { line, reason: reason.into() });
        }
    }
}

/// The pattern, and what comes behind the first white space that no backslash stands before.
fn split(content: &str) -> (&str, &str) {
    let mut is_escaped = false;
    for (at, c) in content.char_indices() {
        if c.is_whitespace() && !is_escaped {
            let (pattern, rest) = content.split_at_checked(at).unwrap_or((content, ""));
            return (pattern, rest.trim());
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    (content, "")
}

fn bracket(content: &str) -> Bracket<'_> {
    let (is_optional, content) = match content.strip_prefix('^') {
        Some(rest) => (true, rest),
        None => (false, content),
    };
    let Some((name, rest)) = content.strip_prefix('[').and_then(|inner| inner.split_once(']')) else {
        return Bracket::Wrong("the heading of a section is not closed");
    };
    let (count, rest) = match rest.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        Some((count, behind)) => (Some(count), behind),
        None => (None, rest),
    };
    if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
        return if is_optional { Bracket::Wrong("this is no heading of a section") } else { Bracket::Pattern };
    }
    if name.trim().is_empty() {
        return Bracket::Wrong("the section has no name");
    }
    if name.chars().count() > 255 {
        return Bracket::Wrong("the name of the section is longer than 255 characters");
    }
    Bracket::Heading(Heading { name: name.trim(), is_optional, count, owners: rest.trim() })
}

/// The longest owner, in bytes.
const MAX_OWNER: usize = 1_024;

fn owner(word: &str) -> Option<Owner> {
    if word.len() > MAX_OWNER {
        return None;
    }
    if let Some(role) = word.strip_prefix("@@") {
        let role = role.to_ascii_lowercase();
        return match role.strip_suffix('s').unwrap_or(&role) {
            "developer" => Some(Owner::Role(AccessLevel::Developer)),
            "maintainer" => Some(Owner::Role(AccessLevel::Maintainer)),
            "owner" => Some(Owner::Role(AccessLevel::Owner)),
            _ => None,
        };
    }
    if let Some(name) = word.strip_prefix('@') {
        let is_name =
            |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
        return name.split('/').all(is_name).then(|| Owner::Name(name.to_owned()));
    }
    let (local, host) = word.rsplit_once('@')?;
    let is_plain = |c: char| !c.is_control() && !matches!(c, '<' | '>' | ',' | '"' | '(' | ')');
    (!local.is_empty() && !host.is_empty() && word.chars().all(is_plain)).then(|| Owner::Email(word.to_lowercase()))
}

/// The beginning of a word that is shown.
fn shortened(word: &str) -> String {
    let mut shown: String = word.chars().take(50).collect();
    if shown.len() < word.len() {
        shown.push('…');
    }
    shown
}
