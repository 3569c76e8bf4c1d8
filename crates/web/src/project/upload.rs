//! Files for use in texts: a form that takes one, for people and for the script.

use actix_web::http::StatusCode;
use askama::Template;
use serde_json::json;
use tenon_app::error::AppError;
use tenon_app::{Query, upload};

use super::frame::{ProjectFrame, Tab};
use super::{Asked, Room};
use crate::answer::Answer;
use crate::error::PageError;
use crate::form::Problems;
use crate::frame::Frame;

#[derive(Template)]
#[template(path = "project/upload.html")]
struct UploadPage {
    frame: Frame,
    project: ProjectFrame,
    problems: Problems,
    /// The Markdown of the file that was stored; empty where none was.
    markdown: String,
}

/// Whether the caller may upload: decided as for a file. Strangers sign in first.
pub(super) fn read(query: &mut Query<'_>, asked: &Asked) -> Result<(), AppError> {
    query.user()?;
    upload::check(query, &asked.project)
}

pub(super) async fn new(room: Room, (): ()) -> Result<Answer, PageError> {
    page(room, Problems::default(), String::new())
}

fn page(room: Room, problems: Problems, markdown: String) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Overview);
    Answer::page(&UploadPage { frame: room.frame, project, problems, markdown })
}

/// Stores a file, and answers how a text names it: with a page, or with JSON where that is asked for.
pub(super) async fn create(room: Room) -> Result<Answer, PageError> {
    let as_json = room.visit.accepts_json();
    let stored = match room.visit.file("file") {
        None => Err(AppError::invalid("file", "is missing")),
        Some(file) => {
            let (name, bytes) = (file.file_name.clone(), file.bytes.clone());
            upload::save(room.visit.app(), room.visit.identity(), room.project(), &name, bytes).await
        }
    };
    let link = match stored {
        Ok(view) => view.link(),
        Err(error) => return refused(room, error, as_json),
    };
    if as_json {
        let link = json!({"alt": link.alt, "url": link.url, "markdown": link.markdown});
        return Ok(Answer::json(&json!({"link": link})));
    }
    Ok(page(room, Problems::default(), link.markdown)?.status(StatusCode::CREATED))
}

/// The statuses are those of the API.
fn refused(room: Room, error: AppError, as_json: bool) -> Result<Answer, PageError> {
    let (status, problems) = match error {
        AppError::QuotaExceeded(text) => (StatusCode::PAYLOAD_TOO_LARGE, Problems::with("file", &text)),
        AppError::TooLarge => {
            let most = room.visit.app().known_settings().max_attachment_size;
            let text = format!("The file is larger than {most} MiB, the most that this server takes.");
            (StatusCode::PAYLOAD_TOO_LARGE, Problems::with("file", &text))
        }
        error => (StatusCode::UNPROCESSABLE_ENTITY, Problems::of(error)?),
    };
    if as_json {
        let said: Vec<&str> = problems.iter().map(|problem| problem.text.as_str()).collect();
        return Ok(Answer::json(&json!({"message": said.join(" ")})).status(status));
    }
    Ok(page(room, problems.under("The file was not stored"), String::new())?.status(status))
}
