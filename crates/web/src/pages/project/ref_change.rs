//! Making and removing branches and tags with forms.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::repository::{self, NewBranch, NewTag, RefNames};

use super::refs;
use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::in_path;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::Form;
use crate::kit::problems::Problems;

#[derive(Template)]
#[template(path = "project/new_ref.html")]
struct NewPage {
    frame: Frame,
    project: ProjectFrame,
    is_tag: bool,
    problems: Problems,
    typed: FormValues,
    /// Names that the field of the start suggests.
    names: RefNames,
}

/// The values of the form, typed or initial.
#[derive(Debug, Clone, Default)]
struct FormValues {
    name: String,
    from: String,
    message: String,
    notes: String,
}

impl FormValues {
    fn sent(form: Form<'_>, is_tag: bool) -> Self {
        let name = if is_tag { "tag_name" } else { "branch_name" };
        Self {
            name: form.filled("", name).unwrap_or_default(),
            from: form.filled("", "ref").unwrap_or_default(),
            message: form.text("", "message"),
            notes: form.text("", "release_description"),
        }
    }
}

pub(super) async fn new_branch(context: ProjectContext) -> Result<Answer, PageError> {
    new(context, false).await
}

pub(super) async fn new_tag(context: ProjectContext) -> Result<Answer, PageError> {
    new(context, true).await
}

/// The form, filled with the values in the address.
async fn new(context: ProjectContext, is_tag: bool) -> Result<Answer, PageError> {
    context.frame.user.as_ref().ok_or(PageError::SignIn)?;
    if !context.page.may_push {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    let usual = context.page.view.brief.project.default_branch.clone().unwrap_or_default();
    let sent = FormValues::sent(Form::new(context.request.parameters().map()), is_tag);
    let from = Some(sent.from).filter(|from| !from.is_empty()).unwrap_or(usual);
    form(context, is_tag, Problems::default(), FormValues { from, ..sent }).await
}

async fn form(
    context: ProjectContext,
    is_tag: bool,
    problems: Problems,
    typed: FormValues,
) -> Result<Answer, PageError> {
    let names = repository::ref_names(context.request.app(), context.code()?).await?;
    let tab = if is_tag { Tab::Tags } else { Tab::Branches };
    let project = ProjectFrame::new(&context.frame.root, &context.page, tab);
    Answer::page(&NewPage { frame: context.frame, project, is_tag, problems, typed, names })
}

pub(super) async fn create_branch(context: ProjectContext) -> Result<Answer, PageError> {
    let typed = FormValues::sent(context.request.form(), false);
    let request = NewBranch { branch: typed.name.clone(), from: typed.from.clone() };
    let (app, identity) = (context.request.app(), context.request.identity());
    match repository::create_branch(app, identity, context.project(), request).await {
        Ok(branch) => Ok(context.done(&format!("/tree/{}?ref_type=heads", in_path(&branch.name)))),
        Err(error) => refused(context, false, Problems::of(error)?, typed).await,
    }
}

pub(super) async fn create_tag(context: ProjectContext) -> Result<Answer, PageError> {
    let typed = FormValues::sent(context.request.form(), true);
    let text = |text: &str| Some(text.to_owned()).filter(|text| !text.trim().is_empty());
    let request = NewTag {
        name: typed.name.clone(),
        from: typed.from.clone(),
        message: text(&typed.message),
        release_description: text(&typed.notes),
    };
    let (app, identity) = (context.request.app(), context.request.identity());
    match repository::create_tag(app, identity, context.project(), request).await {
        Ok(tag) => Ok(context.done(&format!("/tags/{}", in_path(&tag.name)))),
        Err(error) => refused(context, true, Problems::of(error)?, typed).await,
    }
}

async fn refused(
    context: ProjectContext,
    is_tag: bool,
    problems: Problems,
    typed: FormValues,
) -> Result<Answer, PageError> {
    Ok(form(context, is_tag, problems, typed).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

/// The name in the address of a branch or tag. It may be that of one of our pages.
fn named(context: &ProjectContext, list: &str) -> String {
    let below = context.asked.below("path").join("/");
    if below.is_empty() { context.asked.pattern.trim_start_matches(list).trim_matches('/').to_owned() } else { below }
}

pub(super) async fn delete_branch(context: ProjectContext) -> Result<Answer, PageError> {
    let name = named(&context, "/branches");
    let list = format!("/{}", refs::list_named(&context.request.form().text("", "list")));
    let (app, identity) = (context.request.app(), context.request.identity());
    match repository::delete_branch(app, identity, context.project(), name).await {
        Ok(()) => Ok(context.done(&list).cookie(cookie::of_flash(Flash::BranchRemoved))),
        Err(error) => {
            let problems = Problems::of(error)?.under("The branch could not be deleted");
            Ok(refs::branches_with(context, problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

pub(super) async fn delete_tag(context: ProjectContext) -> Result<Answer, PageError> {
    let name = named(&context, "/tags");
    let (app, identity) = (context.request.app(), context.request.identity());
    match repository::delete_tag(app, identity, context.project(), name).await {
        Ok(()) => Ok(context.done("/tags").cookie(cookie::of_flash(Flash::TagRemoved))),
        Err(error) => {
            let problems = Problems::of(error)?.under("The tag could not be deleted");
            Ok(refs::tags_with(context, problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

/// Removes the branches whose commits are all in the default branch. Protected branches, and those of open merge
/// requests, stay.
pub(super) async fn delete_merged(context: ProjectContext) -> Result<Answer, PageError> {
    repository::delete_merged(context.request.app(), context.request.identity(), context.project()).await?;
    Ok(context.done("/branches").cookie(cookie::of_flash(Flash::BranchesRemoved)))
}
