//! A commit in a line of a list.

use tenon_app::repository::CommitView;

use crate::kit::subject::{self, SubjectPart};
use crate::kit::words::Moment;

pub(crate) struct CommitLine {
    pub(crate) id: String,
    pub(crate) short_id: String,
    pub(crate) title: String,
    pub(crate) author: String,
    pub(crate) at: Moment,
}

impl CommitLine {
    /// Its title, with code between backticks.
    pub(crate) fn subject(&self) -> Vec<SubjectPart<'_>> {
        subject::parts(&self.title)
    }

    /// The letters that stand for the author.
    pub(crate) fn initials(&self) -> String {
        initials(&self.author)
    }

    /// The number of the colour behind these letters, from 1 to 6. It is always the same for one name.
    pub(crate) fn ground(&self) -> u32 {
        ground(&self.author)
    }
}

/// The first letters of the first and the last word of a name.
pub(crate) fn initials(name: &str) -> String {
    let mut letters = name.split(|c: char| !c.is_alphanumeric()).filter_map(|word| word.chars().next());
    let first = letters.next();
    first.into_iter().chain(letters.next_back()).flat_map(char::to_uppercase).take(2).collect()
}

/// The number of the colour behind the letters of a name.
pub(crate) fn ground(name: &str) -> u32 {
    name.chars().fold(0_u32, |sum, c| sum.wrapping_mul(31).wrapping_add(u32::from(c))) % 6 + 1
}

impl From<CommitView> for CommitLine {
    fn from(commit: CommitView) -> Self {
        Self {
            id: commit.id,
            short_id: commit.short_id,
            title: commit.title,
            author: commit.author.name,
            at: commit.committer.at.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_stand_for_a_name() {
        for (name, want) in [
            ("Ada Lovelace", "AL"),
            ("sharkdp", "S"),
            ("dependabot[bot]", "DB"),
            ("\u{e9}mile de Zed", "\u{c9}Z"),
            ("", ""),
        ] {
            assert_eq!(initials(name), want, "{name}");
            assert!((1..=6).contains(&ground(name)), "{name}");
        }
    }
}
