//! A commit in a line of a list.

use std::collections::HashMap;

use tenon_app::initials::Initials;
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
        Initials::of(&self.author).letters().to_owned()
    }

    /// The number of the colour behind these letters, from 1 to 6. It is always the same for one name.
    pub(crate) fn ground(&self) -> usize {
        Initials::of(&self.author).ground()
    }
}

/// The most characters of a subject in a list. No row is wider.
const MAX_SUBJECT: usize = 200;

/// The first line of a message, which a list cuts off where its column ends.
fn subject_of(message: &str) -> String {
    let line = message.trim_start().lines().next().unwrap_or_default().trim_end();
    line.chars().take(MAX_SUBJECT).collect()
}

impl From<CommitView> for CommitLine {
    fn from(commit: CommitView) -> Self {
        Self {
            id: commit.id,
            short_id: commit.short_id,
            title: subject_of(&commit.message),
            author: commit.author.name,
            email: commit.author.email,
            face: None,
            at: commit.committer.at.into(),
        }
    }
}
