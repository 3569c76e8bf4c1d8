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

/// Extensions of files that a text can embed.
const SHOWN: [&str; 12] = ["png", "jpg", "jpeg", "gif", "bmp", "tiff", "ico", "mp4", "m4v", "mov", "webm", "ogv"];

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
    upload::place(query, &asked.project, 0).map(drop)
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
            store(&room, &name, bytes).await
        }
    };
    let link = match stored {
        Ok(stored) => Link::new(&stored.secret, &stored.file_name),
        Err(error) => return refused(room, error, as_json),
    };
    if as_json {
        let link = json!({"alt": link.alt, "url": link.url, "markdown": link.markdown});
        return Ok(Answer::json(&json!({"link": link})));
    }
    Ok(page(room, Problems::default(), link.markdown)?.status(StatusCode::CREATED))
}

/// The bytes are stored before the row, so that no row ever names a missing file.
async fn store(room: &Room, name: &str, bytes: bytes::Bytes) -> Result<upload::UploadView, AppError> {
    let (project, size) = (room.project(), bytes.len());
    let (app, identity) = (room.visit.app(), room.visit.identity());
    let place = app.read(identity, move |query| upload::place(query, &project, size)).await?;
    let stored = upload::store(app, place, name, bytes).await?;
    let row = stored.clone();
    let recorded = room.visit.write(move |command| upload::record(command, &row)).await;
    if recorded.is_err() {
        upload::forget(app, &stored).await;
    }
    recorded
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

/// How a text names a file.
struct Link {
    alt: String,
    /// Below the address of the project.
    url: String,
    markdown: String,
}

impl Link {
    // A stored name contains no brackets, so nothing needs escaping.
    fn new(secret: &str, name: &str) -> Self {
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        let ending = ending.to_ascii_lowercase();
        let (alt, mark) = match ending.as_str() {
            ending if SHOWN.contains(&ending) => (stem, "!"),
            "svg" => (name, "!"),
            _ => (name, ""),
        };
        let url = format!("/uploads/{secret}/{name}");
        Self { alt: alt.to_owned(), markdown: format!("{mark}[{alt}]({url})"), url }
    }
}
