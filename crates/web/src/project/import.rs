//! Filling an empty project from a repository elsewhere.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::project::{self, EditProject, ProjectSettings};

use super::Room;
use super::frame::{ProjectFrame, Tab};
use crate::answer::Answer;
use crate::error::PageError;
use crate::form::Problems;
use crate::frame::Frame;

#[derive(Template)]
#[template(path = "project/import.html")]
struct ImportPage {
    frame: Frame,
    project: ProjectFrame,
    problems: Problems,
    import_url: String,
}

/// Whether the caller may be asked for an address: the project has nothing that it would replace.
pub(super) fn is_offered(room: &Room) -> bool {
    let project = &room.page.view.brief.project;
    room.page.may.edit && project.default_branch.is_none() && room.visit.app().known_settings().imports_by_url
}

pub(super) async fn new(room: Room) -> Result<Answer, PageError> {
    room.frame.user.as_ref().ok_or(PageError::SignIn)?;
    if !is_offered(&room) {
        return Err(PageError::NotFound);
    }
    form(room, Problems::default(), String::new())
}

fn form(room: Room, problems: Problems, import_url: String) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Overview);
    Answer::page(&ImportPage { frame: room.frame, project, problems, import_url })
}

pub(super) async fn create(room: Room) -> Result<Answer, PageError> {
    let import_url = room.visit.form().filled("project", "import_url").unwrap_or_default();
    let of = room.project();
    let settings = ProjectSettings { import_url: Some(import_url.clone()), ..ProjectSettings::default() };
    let request = EditProject { settings, ..EditProject::default() };
    let saved = if import_url.is_empty() {
        Err(tenon_app::error::AppError::invalid("import_url", "can't be blank"))
    } else {
        room.visit.write(move |command| project::edit(command, &of, request)).await
    };
    match saved {
        Ok(_) => Ok(room.done("")),
        Err(error) => {
            let problems = Problems::of(error)?;
            Ok(form(room, problems, import_url)?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}
