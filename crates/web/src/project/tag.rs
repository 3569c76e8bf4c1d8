//! The page of a tag, and its release notes.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::release;
use tenon_app::repository::{self, TagView};

use super::Room;
use super::frame::{ProjectFrame, Tab};
use super::releases::ReleaseCard;
use super::tree::CommitLine;
use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::Problems;
use crate::frame::Frame;
use crate::place::in_path;

/// What the form of release notes is called in an address, below its tag.
const NOTES: &str = "release";

#[derive(Template)]
#[template(path = "project/tag.html")]
struct TagPage {
    frame: Frame,
    project: ProjectFrame,
    problems: Problems,
    name: String,
    /// The name as part of addresses.
    address: String,
    /// The name of its archives as part of addresses.
    archive: String,
    is_protected: bool,
    message: String,
    last: Option<CommitLine>,
    release: Option<ReleaseCard>,
    /// The release notes as they are in the form.
    notes: String,
    may_push: bool,
}

pub(super) async fn show(room: Room) -> Result<Answer, PageError> {
    room.code()?;
    let name = room.asked.below("path").join("/");
    page(room, name, Problems::default(), None).await
}

async fn page(room: Room, name: String, problems: Problems, typed: Option<String>) -> Result<Answer, PageError> {
    let (app, identity) = (room.visit.app(), room.visit.identity());
    let tag: TagView = repository::tag(app, identity, room.project(), name).await?;
    let found = match &tag.release {
        Some(_) => Some(release::show(app, identity, room.project(), tag.name.clone(), true).await?),
        None => None,
    };
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Tags)
        .with_twin(&format!("/repository/tags/{}", crate::place::in_query(&tag.name)));
    let written = tag.release.as_ref().map(|release| release.description.clone()).unwrap_or_default();
    Answer::cacheable(&TagPage {
        archive: in_path(&format!("{}-{}", project.path, tag.name.replace('/', "-"))),
        address: in_path(&tag.name),
        release: found.map(|view| ReleaseCard::new(&room, view)),
        notes: typed.unwrap_or(written),
        may_push: room.page.may_push && room.frame.user.is_some(),
        is_protected: tag.protected,
        message: tag.message.unwrap_or_default(),
        last: tag.commit.map(Into::into),
        name: tag.name,
        frame: room.frame,
        project,
        problems,
    })
}

/// Writes the release notes of a tag: `{tag}/release`.
pub(super) async fn write_notes(room: Room) -> Result<Answer, PageError> {
    let segments = room.asked.below("path").to_vec();
    let Some((_, name)) = segments.split_last().filter(|(last, name)| *last == NOTES && !name.is_empty()) else {
        return Err(PageError::NotFound);
    };
    let (name, notes) = (name.join("/"), room.visit.form().text("release", "description"));
    let (app, identity) = (room.visit.app(), room.visit.identity());
    let tag = repository::tag(app, identity, room.project(), name.clone()).await?;
    let written = match tag.release {
        Some(_) => release::edit_notes(app, identity, room.project(), name.clone(), notes.clone()).await,
        None => release::create_notes(app, identity, room.project(), name.clone(), notes.clone()).await,
    };
    match written {
        Ok(_) => Ok(room.done(&format!("/tags/{}", in_path(&name))).cookie(cookie::of_flash(Flash::NotesSaved))),
        Err(error) => {
            let problems = Problems::of(error)?;
            Ok(page(room, name, problems, Some(notes)).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}
