//! A commit in a line of a list.

use std::collections::HashMap;

use tenon_app::repository::CommitView;
use tenon_app::user::{self, UserRef};

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::error::PageError;
use crate::kit::subject::{self, SubjectPart};
use crate::kit::words::Moment;
use crate::parts::links::PersonLink;

pub(crate) struct CommitLine {
    pub(crate) id: String,
    pub(crate) short_id: String,
    pub(crate) title: String,
    pub(crate) author: String,
    /// The address of the author.
    email: String,
    /// The user of this address, if it is known and may be shown.
    pub(crate) face: Option<PersonLink>,
    pub(crate) at: Moment,
}

/// Users by the addresses of their commits.
pub(crate) type Faces = HashMap<String, UserRef>;

/// Finds the users who have written these commits. All are looked up at once. A page that asks the database anyway does it with
/// [`addresses`] and [`show_faces`].
pub(crate) async fn find_faces<'a>(
    request: &RequestContext,
    frame: &Frame,
    commits: impl IntoIterator<Item = &'a mut CommitLine>,
) -> Result<(), PageError> {
    let commits: Vec<&mut CommitLine> = commits.into_iter().collect();
    if commits.is_empty() {
        return Ok(());
    }
    let asked = addresses(commits.iter().map(|commit| &**commit));
    let faces = request.ask(move |query| user::committers(query, asked)).await?;
    show_faces(frame, &faces, commits);
    Ok(())
}

/// The addresses of the authors of these commits.
pub(crate) fn addresses<'a>(commits: impl IntoIterator<Item = &'a CommitLine>) -> Vec<String> {
    commits.into_iter().map(|commit| commit.email.clone()).collect()
}

/// Shows the users who have written these commits.
pub(crate) fn show_faces<'a>(frame: &Frame, faces: &Faces, commits: impl IntoIterator<Item = &'a mut CommitLine>) {
    for commit in commits {
        commit.face = faces.get(&commit.email).map(|user| PersonLink::new(frame, user));
    }
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
            email: commit.author.email,
            face: None,
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
