//! The compared answers, and the differences.

use std::collections::BTreeMap;
use std::fmt::{self, Debug, Write as _};

/// Differences of each kind that are printed.
const SHOWN: usize = 20;
/// Characters of each side of a difference.
const LONGEST: usize = 300;

/// Answers that were compared, by kind.
#[derive(Debug, Default)]
pub struct Report {
    kinds: BTreeMap<&'static str, Kind>,
}

#[derive(Debug, Default)]
struct Kind {
    compared: usize,
    differences: Vec<String>,
}

impl Report {
    /// Compares one answer of the server with Git's.
    pub(super) fn compare<T: PartialEq + Debug>(&mut self, kind: &'static str, what: &str, served: &T, own: &T) {
        let found = self.kinds.entry(kind).or_default();
        found.compared += 1;
        if served != own {
            let (served, own) = (cut(&format!("{served:?}")), cut(&format!("{own:?}")));
            found.differences.push(format!("{what}\n  served {served}\n  Git    {own}"));
        }
    }

    /// Answers that were compared.
    #[must_use]
    pub fn compared(&self) -> usize {
        self.kinds.values().map(|kind| kind.compared).sum()
    }

    /// Answers that differ.
    #[must_use]
    pub fn differences(&self) -> usize {
        self.kinds.values().map(|kind| kind.differences.len()).sum()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        for (name, kind) in &self.kinds {
            for difference in kind.differences.iter().take(SHOWN) {
                writeln!(text, "{name}: {difference}")?;
            }
            let more = kind.differences.len().saturating_sub(SHOWN);
            if more > 0 {
                writeln!(text, "{name}: {more} more")?;
            }
        }
        writeln!(text, "| answers | compared | differ |\n|---|---|---|")?;
        for (name, kind) in &self.kinds {
            writeln!(text, "| {name} | {} | {} |", kind.compared, kind.differences.len())?;
        }
        writeln!(text, "| all | {} | {} |", self.compared(), self.differences())?;
        f.write_str(&text)
    }
}

fn cut(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}
