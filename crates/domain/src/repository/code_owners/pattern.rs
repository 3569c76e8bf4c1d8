//! Patterns of paths, as files of code owners have them.
//!
//! A pattern that begins with a slash starts at the top; any other one starts in any directory. One that ends with a slash stands
//! for everything in a directory. `**` stands for any number of directories, `*` for any run of characters in a name, `?` for
//! one character, `[a-z]` and `[!a-z]` for one of a set, and a backslash takes its meaning away from the next character.
//! Names that begin with a dot are like others.
//!
//! Each part between two `**` is tried from the place at which the part before it was found first, and each part of a name
//! between two `*` likewise, so that no pattern takes more steps than the product of its length and that of the path.

/// The longest pattern, in characters.
pub const MAX_PATTERN: usize = 512;

/// The steps that may still be taken for comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Steps(u64);

/// The comparisons take more steps than they may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManySteps;

impl Steps {
    /// So many.
    #[must_use]
    pub const fn new(count: u64) -> Self {
        Self(count)
    }

    pub(super) fn take(&mut self, count: u64) -> Result<(), TooManySteps> {
        self.0 = self.0.checked_sub(count).ok_or(TooManySteps)?;
        Ok(())
    }
}

/// A path to compare with patterns.
#[derive(Debug, Clone)]
pub struct Path(Vec<Vec<char>>);

impl Path {
    /// The path with slashes between its names, and without one at its beginning.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.split('/').map(|name| name.chars().collect()).collect())
    }
}

/// A pattern of paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    /// The names between two `**`, in their order. The first ones stand at the top, and the last ones at the end.
    parts: Vec<Vec<Vec<Token>>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Is(char),
    Any,
    Run,
    Set { is_negated: bool, ranges: Vec<(char, char)> },
}

impl Token {
    /// The steps of one comparison with a character: those of a set are as many as it has ranges.
    fn cost(&self) -> u64 {
        match self {
            Self::Is(_) | Self::Any | Self::Run => 1,
            Self::Set { ranges, .. } => u64::try_from(ranges.len()).unwrap_or(u64::MAX),
        }
    }

    fn admits(&self, c: char) -> bool {
        match self {
            Self::Is(own) => *own == c,
            Self::Any | Self::Run => true,
            Self::Set { is_negated, ranges } => {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&c)) != *is_negated
            }
        }
    }
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// The problem with it.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        if text.is_empty() {
            return Err("the path is empty");
        }
        if text.chars().count() > MAX_PATTERN {
            return Err("the path is longer than 512 characters");
        }
        let (anchored, rest) = match text.strip_prefix('/') {
            Some(rest) => (true, rest),
            None => (text == "**", text),
        };
        let mut names: Vec<&str> = rest.split('/').collect();
        let is_directory = matches!(names.last(), Some(&("" | "**")));
        if is_directory {
            names.pop();
        }
        let mut parts = vec![Vec::new()];
        if !anchored {
            parts.push(Vec::new());
        }
        for name in names {
            if name == "**" {
                parts.push(Vec::new());
            } else if name.is_empty() {
                return Err("the path has two slashes one after the other");
            } else if let Some(part) = parts.last_mut() {
                part.push(tokens(name)?);
            }
        }
        if is_directory {
            parts.push(vec![vec![Token::Run]]);
        }
        Ok(Self { parts })
    }

    /// True if it stands for this path.
    ///
    /// # Errors
    /// [`TooManySteps`] if no steps are left.
    pub(super) fn covers(&self, path: &Path, steps: &mut Steps) -> Result<bool, TooManySteps> {
        steps.take(1)?;
        let Some((first, others)) = self.parts.split_first() else { return Ok(false) };
        let names = path.0.as_slice();
        let Some((head, mut rest)) = names.split_at_checked(first.len()) else { return Ok(false) };
        if !all_match(first, head, steps)? {
            return Ok(false);
        }
        let Some((last, middle)) = others.split_last() else { return Ok(rest.is_empty()) };
        let Some(tail_at) = rest.len().checked_sub(last.len()) else { return Ok(false) };
        let Some((between, tail)) = rest.split_at_checked(tail_at) else { return Ok(false) };
        if !all_match(last, tail, steps)? {
            return Ok(false);
        }
        rest = between;
        for part in middle {
            match behind_first(part, rest, steps)? {
                Some(behind) => rest = behind,
                None => return Ok(false),
            }
        }
        Ok(true)
    }
}

/// The names behind the first place at which these names are found.
fn behind_first<'a>(
    part: &[Vec<Token>],
    names: &'a [Vec<char>],
    steps: &mut Steps,
) -> Result<Option<&'a [Vec<char>]>, TooManySteps> {
    for at in 0..=names.len() {
        let Some(rest) = names.get(at..) else { break };
        let Some((head, behind)) = rest.split_at_checked(part.len()) else { break };
        if all_match(part, head, steps)? {
            return Ok(Some(behind));
        }
    }
    Ok(None)
}

fn all_match(part: &[Vec<Token>], names: &[Vec<char>], steps: &mut Steps) -> Result<bool, TooManySteps> {
    for (tokens, name) in part.iter().zip(names) {
        if !matches_name(tokens, name, steps)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// True if these tokens stand for a name. After a run has been taken, only that run grows: an earlier one need not.
fn matches_name(tokens: &[Token], name: &[char], steps: &mut Steps) -> Result<bool, TooManySteps> {
    let (mut token, mut at) = (0, 0);
    let mut run: Option<(usize, usize)> = None;
    loop {
        steps.take(tokens.get(token).map_or(1, Token::cost))?;
        match (tokens.get(token), name.get(at)) {
            (None, None) => return Ok(true),
            (Some(Token::Run), _) => {
                run = Some((token, at));
                token += 1;
            }
            (Some(one), Some(c)) if one.admits(*c) => {
                token += 1;
                at += 1;
            }
            _ => match &mut run {
                Some((place, end)) if *end < name.len() => {
                    *end += 1;
                    (token, at) = (*place + 1, *end);
                }
                _ => return Ok(false),
            },
        }
    }
}

fn tokens(name: &str) -> Result<Vec<Token>, &'static str> {
    let mut tokens = Vec::new();
    let mut rest = name.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => tokens.push(Token::Is(rest.next().ok_or("the path ends with a backslash")?)),
            '*' if tokens.last() == Some(&Token::Run) => {}
            '*' => tokens.push(Token::Run),
            '?' => tokens.push(Token::Any),
            '[' => {
                let (set, behind) = set(rest.as_str()).ok_or("a set of characters is not closed")?;
                tokens.push(set);
                rest = behind.chars();
            }
            other => tokens.push(Token::Is(other)),
        }
    }
    Ok(tokens)
}

/// The set of characters after its opening bracket, and what comes behind it.
fn set(text: &str) -> Option<(Token, &str)> {
    let is_negated = text.starts_with(['!', '^']);
    let mut chars = if is_negated { text.get(1..)? } else { text }.chars();
    let mut ranges: Vec<(char, char)> = Vec::new();
    loop {
        let first = match chars.next()? {
            ']' if !ranges.is_empty() => return Some((Token::Set { is_negated, ranges }, chars.as_str())),
            '\\' => chars.next()?,
            other => other,
        };
        let mut ahead = chars.clone();
        let is_range = ahead.next() == Some('-') && ahead.next().is_some_and(|last| last != ']');
        let last = if is_range {
            chars.next();
            match chars.next()? {
                '\\' => chars.next()?,
                other => other,
            }
        } else {
            first
        };
        ranges.push((first, last));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENOUGH: u64 = 1_000_000;

    fn covers(pattern: &str, path: &str) -> bool {
        Pattern::parse(pattern).unwrap().covers(&Path::new(path), &mut Steps::new(ENOUGH)).unwrap()
    }

    #[test]
    fn patterns_stand_for_paths() {
        for (pattern, path, want) in [
            ("*", "a", true),
            ("*", "a/b/.c", true),
            ("**", "a/b", true),
            ("/", "a/b", true),
            ("*.rs", "a.rs", true),
            ("*.rs", "src/deep/a.rs", true),
            ("*.rs", "a.rsx", false),
            ("README.md", "docs/README.md", true),
            ("README.md", "readme.md", false),
            ("/README.md", "README.md", true),
            ("/README.md", "docs/README.md", false),
            ("internal/README.md", "docs/internal/README.md", true),
            ("docs/", "docs/a/b.md", true),
            ("docs/", "other/docs/b.md", true),
            ("docs/", "docs", false),
            ("/docs/", "other/docs/b.md", false),
            ("/docs", "docs/a", false),
            ("/docs/*", "docs/a.md", true),
            ("/docs/*", "docs/a/b.md", false),
            ("/docs/**", "docs/a/b.md", true),
            ("/docs/**/*.md", "docs/a.md", true),
            ("/docs/**/*.md", "docs/a/b/c.md", true),
            ("/docs/**/*.md", "other/a.md", false),
            ("/docs/**/api/**/*.md", "docs/x/api/y/c.md", true),
            ("/docs/**/api/**/*.md", "docs/x/y/c.md", false),
            ("/docs/*/README.md", "docs/api/README.md", true),
            ("/docs/*spec*", "docs/qa_spec.rb", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("[ab].c", "b.c", true),
            ("[!ab].c", "b.c", false),
            ("[a-c]x", "bx", true),
            ("[]a]", "]", true),
            (r"path\ with\ spaces/", "path with spaces/a", true),
            (r"\#file", "#file", true),
            (r"\*", "a", false),
            (r"\*", "*", true),
            ("ä*", "äöü", true),
            ("a**b", "axxb", true),
        ] {
            assert_eq!(covers(pattern, path), want, "{pattern} {path}");
        }
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for wrong in ["", "a//b", "[ab", r"a\", &"a".repeat(MAX_PATTERN + 1)] {
            assert!(Pattern::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_set_takes_a_step_for_each_of_its_ranges() {
        let pattern = Pattern::parse(&format!("/[{}]", "ab".repeat(200))).unwrap();
        let path = Path::new("z");
        assert_eq!(pattern.covers(&path, &mut Steps::new(400)), Err(TooManySteps));
        assert_eq!(pattern.covers(&path, &mut Steps::new(401)), Ok(false));
    }

    #[test]
    fn no_pattern_takes_more_steps_than_the_product_of_the_lengths() {
        let hostile = [
            "*a".repeat(255) + "b",
            "**/a/".repeat(80) + "b",
            "[a-z]*".repeat(80) + "!",
            format!("[{}]*", "b".repeat(120)).repeat(4),
        ];
        let path = Path::new(&format!("{}{}", "a/".repeat(1_900), "a".repeat(250)));
        for pattern in hostile {
            let parsed = Pattern::parse(&pattern).unwrap();
            assert_eq!(parsed.covers(&path, &mut Steps::new(512 * 4_096)), Ok(false), "{pattern}");
            assert_eq!(parsed.covers(&path, &mut Steps::new(0)), Err(TooManySteps));
        }
    }
}
