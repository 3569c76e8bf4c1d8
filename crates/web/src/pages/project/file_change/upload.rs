//! The form of files that are uploaded into a directory.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::repository::{self, UploadFiles};
use tenon_domain::file_path::shown;
use tenon_domain::refusal::{Refusal, RepositoryRefusal};

use super::form::check;
use super::home::{Home, frame};
use super::save::{may_be_repeated, problems_of};
use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::ProjectFrame;
use crate::kit::address::in_path;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::problems::Problems;

const FILES: &str = "file[files][]";

#[derive(Template)]
#[template(path = "project/file_upload.html")]
struct UploadPage {
    frame: Frame,
    project: ProjectFrame,
    typed: UploadValues,
    problems: Problems,
    /// The path of the fork that gets the commit. Empty if the project itself gets it.
    fork: String,
    /// The most mebibytes of one file.
    most: i64,
}

impl UploadPage {
    /// The address to which the form is sent, below the project.
    fn target(&self) -> String {
        format!("/create/{}?upload=1", in_path(&self.typed.start))
    }

    /// The page from which the form was opened, below the project.
    fn origin(&self) -> String {
        self.typed.tree(&self.typed.start)
    }
}

/// The values of the form, but for the files.
#[derive(Debug, Clone, Default)]
struct UploadValues {
    start: String,
    directory: String,
    replaces: bool,
    message: String,
    branch: String,
}

impl UploadValues {
    /// The page of the directory on a branch, below the project.
    fn tree(&self, branch: &str) -> String {
        let below = if self.directory.is_empty() { String::new() } else { format!("/{}", in_path(&self.directory)) };
        format!("/tree/{}{below}", in_path(branch))
    }

    fn said(&self, files: &[(String, bytes::Bytes)]) -> String {
        match files {
            _ if !self.message.is_empty() => self.message.clone(),
            [(name, _)] => format!("Upload {}", shown(name)),
            files => format!("Upload {} files", files.len()),
        }
    }
}

/// True if the address names the form of files that are uploaded.
pub(super) fn is_asked_for(context: &ProjectContext) -> bool {
    context.request.query("upload") == Some("1")
}

pub(super) fn new(
    context: ProjectContext,
    home: &Home,
    start: String,
    directory: &str,
    branch: String,
) -> Result<Answer, PageError> {
    let typed = UploadValues { start, directory: shown(directory).into_owned(), branch, ..UploadValues::default() };
    page(context, home, typed, Problems::default())
}

/// Makes a commit of the files, and leads to their directory, or to the form of a merge request for a new branch.
pub(super) async fn create(context: ProjectContext, home: Home) -> Result<Answer, PageError> {
    let form = context.request.form();
    let line = |field: &str| form.text("file", field).trim().to_owned();
    let start = line("start");
    let typed = UploadValues {
        directory: line("directory").trim_matches('/').to_owned(),
        replaces: form.ticked("file", "replace"),
        message: line("message"),
        branch: Some(line("branch")).filter(|branch| !branch.is_empty()).unwrap_or_else(|| start.clone()),
        start,
    };
    let sent = context.request.files(FILES).iter();
    let files: Vec<(String, bytes::Bytes)> = sent.map(|file| (file.file_name.clone(), file.bytes.clone())).collect();
    if files.is_empty() {
        return refused(context, &home, typed, Problems::with("files", "Choose at least one file."));
    }
    let request = UploadFiles {
        branch: typed.branch.clone(),
        start_branch: Some(typed.start.clone()).filter(|start| *start != typed.branch),
        message: typed.said(&files),
        directory: typed.directory.clone(),
        files,
        replaces: typed.replaces,
    };
    let placed = request.placed();
    let (app, identity) = (context.request.app(), context.request.identity());
    let place = home.place(&context);
    let project = place.project.clone();
    let error = match repository::upload_files(app, identity, place, request).await {
        Ok(()) => return Ok(done(&context, &home, &typed).cookie(cookie::of_flash(Flash::FileSaved))),
        Err(error) => error,
    };
    let is_empty = matches!(error, AppError::Refused(Refusal::Repository(RepositoryRefusal::NothingToChange)));
    if is_empty || may_be_repeated(&error) {
        let wanted = placed.into_iter().map(|(path, bytes)| (path, Some(bytes.to_vec()))).collect();
        if repository::has_files(app, identity, project, typed.branch.clone(), wanted).await? {
            return Ok(done(&context, &home, &typed));
        }
    }
    let problems = match error {
        AppError::Refused(Refusal::Repository(refusal @ RepositoryRefusal::FileTaken(_))) => {
            Problems::with("replace", &format!("{refusal}. Select “Replace existing files” to overwrite it."))
        }
        AppError::Refused(Refusal::Repository(refusal @ RepositoryRefusal::InvalidFileName(_))) => {
            Problems::with("files", &refusal.to_string())
        }
        error => problems_of(error)?,
    };
    refused(context, &home, typed, problems)
}

fn done(context: &ProjectContext, home: &Home, typed: &UploadValues) -> Answer {
    let is_new = typed.branch != typed.start && context.page.view.brief.project.default_branch.is_some();
    if is_new || matches!(home, Home::Fork(_)) {
        return home.proposed(context, &typed.branch, &typed.start);
    }
    context.done(&typed.tree(&typed.branch))
}

fn refused(context: ProjectContext, home: &Home, typed: UploadValues, problems: Problems) -> Result<Answer, PageError> {
    check(&context, home)?;
    let page = page(context, home, typed, problems.under("Upload failed"))?;
    Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
}

fn page(context: ProjectContext, home: &Home, typed: UploadValues, problems: Problems) -> Result<Answer, PageError> {
    let project = frame(&context);
    let most = context.request.app().known_settings().max_attachment_size;
    let fork = home.fork_path().to_owned();
    Answer::page(&UploadPage { frame: context.frame, project, typed, problems, fork, most })
}
