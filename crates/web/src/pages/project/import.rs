//! Fills an empty project from another repository.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::project::{self, EditProject, ProjectSettings};

use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::problems::Problems;

#[derive(Template)]
#[template(path = "project/import.html")]
struct ImportPage {
    frame: Frame,
    project: ProjectFrame,
    problems: Problems,
    import_url: String,
}

/// True if the page offers the form: the project has no content that an import would replace.
pub(super) fn is_offered(context: &ProjectContext) -> bool {
    let project = &context.page.view.brief.project;
    context.page.may.edit && project.default_branch.is_none() && context.request.app().known_settings().imports_by_url
}

pub(super) async fn new(context: ProjectContext) -> Result<Answer, PageError> {
    context.frame.user.as_ref().ok_or(PageError::SignIn)?;
    if !is_offered(&context) {
        return Err(PageError::NotFound);
    }
    form(context, Problems::default(), String::new())
}

fn form(context: ProjectContext, problems: Problems, import_url: String) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Overview);
    Answer::page(&ImportPage { frame: context.frame, project, problems, import_url })
}

pub(super) async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let import_url = context.request.form().filled("project", "import_url").unwrap_or_default();
    let of = context.project();
    let settings = ProjectSettings { import_url: Some(import_url.clone()), ..ProjectSettings::default() };
    let request = EditProject { settings, ..EditProject::default() };
    let saved = if import_url.is_empty() {
        Err(tenon_app::error::AppError::invalid("import_url", "can't be blank"))
    } else {
        context.request.write(move |command| project::edit(command, &of, request)).await
    };
    match saved {
        Ok(_) => Ok(context.done("")),
        Err(error) => {
            let problems = Problems::of(error)?;
            Ok(form(context, problems, import_url)?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}
