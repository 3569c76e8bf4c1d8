//! Files for use in texts: a form for an upload, for people and for the script.

use actix_web::http::StatusCode;
use askama::Template;
use serde_json::json;
use tenon_app::error::AppError;
use tenon_app::{Query, upload};

use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::problems::Problems;

#[derive(Template)]
#[template(path = "project/upload.html")]
struct UploadPage {
    frame: Frame,
    project: ProjectFrame,
    problems: Problems,
    /// The Markdown of the file that was stored. Empty if none was.
    markdown: String,
}

/// Succeeds if the caller may upload, by the same decision as for a file. Strangers have to sign in first.
pub(super) fn read(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<(), AppError> {
    query.user()?;
    upload::check(query, &asked.project)
}

pub(super) async fn new(context: ProjectContext, (): ()) -> Result<Answer, PageError> {
    page(context, Problems::default(), String::new())
}

fn page(context: ProjectContext, problems: Problems, markdown: String) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Overview);
    Answer::page(&UploadPage { frame: context.frame, project, problems, markdown })
}

/// Stores a file, and answers with the Markdown that names it. The answer is a page, or JSON if the client asks for it.
pub(super) async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let as_json = context.request.accepts_json();
    let stored = match context.request.file("file") {
        None => Err(AppError::invalid("file", "is missing")),
        Some(file) => {
            let (name, bytes) = (file.file_name.clone(), file.bytes.clone());
            upload::save(context.request.app(), context.request.identity(), context.project(), &name, bytes).await
        }
    };
    let link = match stored {
        Ok(view) => view.link(),
        Err(error) => return refused(context, error, as_json),
    };
    if as_json {
        let link = json!({"alt": link.alt, "url": link.url, "markdown": link.markdown});
        return Ok(Answer::json(&json!({"link": link})));
    }
    Ok(page(context, Problems::default(), link.markdown)?.status(StatusCode::CREATED))
}

/// The statuses are those of the API.
fn refused(context: ProjectContext, error: AppError, as_json: bool) -> Result<Answer, PageError> {
    let (status, problems) = match error {
        AppError::QuotaExceeded(quota) => (StatusCode::PAYLOAD_TOO_LARGE, Problems::with("file", &quota.to_string())),
        AppError::TooLarge => {
            let most = context.request.app().known_settings().max_attachment_size;
            let text = format!("The file is too large. The maximum size is {most} MiB.");
            (StatusCode::PAYLOAD_TOO_LARGE, Problems::with("file", &text))
        }
        error => (StatusCode::UNPROCESSABLE_ENTITY, Problems::of(error)?),
    };
    if as_json {
        let said: Vec<&str> = problems.iter().map(|problem| problem.text.as_str()).collect();
        return Ok(Answer::json(&json!({"message": said.join(" ")})).status(status));
    }
    Ok(page(context, problems.under("Upload failed"), String::new())?.status(status))
}
