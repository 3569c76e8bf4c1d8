//! The page of a tag, and its release notes.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::release;
use tenon_app::repository::{self, TagView};

use super::releases::ReleaseCard;
use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::in_path;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::problems::Problems;
use crate::parts::commit_line::CommitLine;

/// The segment of the form of release notes in an address, below its tag.
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
    /// True if the address asks for the form of release notes.
    is_writing: bool,
}

pub(super) async fn show(context: ProjectContext) -> Result<Answer, PageError> {
    context.code()?;
    let name = context.asked.below("path").join("/");
    page(context, name, Problems::default(), None).await
}

async fn page(
    context: ProjectContext,
    name: String,
    problems: Problems,
    typed: Option<String>,
) -> Result<Answer, PageError> {
    let (app, identity) = (context.request.app(), context.request.identity());
    let tag: TagView = repository::tag(app, identity, context.project(), name).await?;
    let found = match &tag.release {
        Some(_) => Some(release::show(app, identity, context.project(), tag.name.clone(), true).await?),
        None => None,
    };
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Tags)
        .with_api_path(&format!("/repository/tags/{}", crate::kit::address::in_query(&tag.name)));
    let written = tag.release.as_ref().map(|release| release.description.clone()).unwrap_or_default();
    Answer::cacheable(&TagPage {
        is_writing: context.request.query("release").is_some(),
        archive: in_path(&format!("{}-{}", project.path, tag.name.replace('/', "-"))),
        address: in_path(&tag.name),
        release: found.map(|view| ReleaseCard::new(&context, view)),
        notes: typed.unwrap_or(written),
        may_push: context.page.may_push && context.frame.user.is_some(),
        is_protected: tag.protected,
        message: tag.message.unwrap_or_default(),
        last: tag.commit.map(Into::into),
        name: tag.name,
        frame: context.frame,
        project,
        problems,
    })
}

/// Writes the release notes of a tag: `{tag}/release`.
pub(super) async fn write_notes(context: ProjectContext) -> Result<Answer, PageError> {
    let segments = context.asked.below("path").to_vec();
    let Some((_, name)) = segments.split_last().filter(|(last, name)| *last == NOTES && !name.is_empty()) else {
        return Err(PageError::NotFound);
    };
    let (name, notes) = (name.join("/"), context.request.form().text("release", "description"));
    let (app, identity) = (context.request.app(), context.request.identity());
    let tag = repository::tag(app, identity, context.project(), name.clone()).await?;
    let written = match tag.release {
        Some(_) => release::edit_notes(app, identity, context.project(), name.clone(), notes.clone()).await,
        None => release::create_notes(app, identity, context.project(), name.clone(), notes.clone()).await,
    };
    match written {
        Ok(_) => Ok(context.done(&format!("/tags/{}", in_path(&name))).cookie(cookie::of_flash(Flash::NotesSaved))),
        Err(error) => {
            let problems = Problems::of(error)?;
            Ok(page(context, name, problems, Some(notes)).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}
