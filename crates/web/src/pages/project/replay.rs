//! Reverting and cherry-picking a commit: on a branch, or on a new one for a merge request.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::repository::{self, RefNames, Replay, ReplayOnto};
use tenon_domain::refusal::{Refusal, RepositoryRefusal};

use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::in_query;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::Form;
use crate::kit::problems::Problems;
use crate::parts::commit_line::CommitLine;

#[derive(Template)]
#[template(path = "project/replay.html")]
struct ReplayPage {
    frame: Frame,
    project: ProjectFrame,
    is_revert: bool,
    commit: CommitLine,
    typed: FormValues,
    problems: Problems,
    /// Names that the field of the branch suggests.
    names: RefNames,
}

impl ReplayPage {
    const fn title(&self) -> &'static str {
        if self.is_revert { "Revert commit" } else { "Cherry-pick commit" }
    }

    /// The address of the form, below the commit.
    const fn below(&self) -> &'static str {
        if self.is_revert { "revert" } else { "cherry_pick" }
    }
}

/// The values of the form, typed or initial.
#[derive(Debug, Clone, Default)]
struct FormValues {
    branch: String,
    /// True if a new branch gets the commit.
    separate: bool,
    new_branch: String,
}

impl FormValues {
    fn sent(form: Form<'_>) -> Self {
        let line = |field: &str| form.text("", field).trim().to_owned();
        Self { branch: line("branch"), separate: form.ticked("", "separate"), new_branch: line("new_branch") }
    }
}

pub(super) async fn revert_form(context: ProjectContext) -> Result<Answer, PageError> {
    new(context, Replay::Revert).await
}

pub(super) async fn pick_form(context: ProjectContext) -> Result<Answer, PageError> {
    new(context, Replay::CherryPick).await
}

pub(super) async fn revert(context: ProjectContext) -> Result<Answer, PageError> {
    save(context, Replay::Revert).await
}

pub(super) async fn pick(context: ProjectContext) -> Result<Answer, PageError> {
    save(context, Replay::CherryPick).await
}

/// The commit that the address names. Not found if there is none.
async fn named(context: &ProjectContext) -> Result<CommitLine, PageError> {
    let (app, identity) = (context.request.app(), context.request.identity());
    let revision = context.asked.segment("id").to_owned();
    Ok(repository::commit(app, identity, context.project(), revision, false).await?.commit.into())
}

/// The form, with the branch that the address names, or the default branch.
async fn new(context: ProjectContext, kind: Replay) -> Result<Answer, PageError> {
    context.frame.user.as_ref().ok_or(PageError::SignIn)?;
    if !context.page.may_push {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    let commit = named(&context).await?;
    let usual = || context.page.view.brief.project.default_branch.clone();
    let branch = context.request.query("branch").map(str::to_owned).or_else(usual).unwrap_or_default();
    let (app, identity) = (context.request.app(), context.request.identity());
    let found = repository::branch(app, identity, context.project(), branch.clone()).await;
    // Who may not push to the branch needs another one.
    let separate = found.is_ok_and(|found| !found.can_push);
    let typed = FormValues { branch, separate, new_branch: new_name(&commit, kind) };
    form(context, kind, commit, typed, Problems::default()).await
}

fn new_name(commit: &CommitLine, kind: Replay) -> String {
    match kind {
        Replay::Revert => format!("revert-{}", commit.short_id),
        Replay::CherryPick => format!("cherry-pick-{}", commit.short_id),
    }
}

async fn form(
    context: ProjectContext,
    kind: Replay,
    commit: CommitLine,
    typed: FormValues,
    problems: Problems,
) -> Result<Answer, PageError> {
    let names = repository::ref_names(context.request.app(), context.code()?).await?;
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Commits);
    let is_revert = kind == Replay::Revert;
    Answer::page(&ReplayPage { frame: context.frame, project, is_revert, commit, typed, problems, names })
}

/// Makes the commit, and leads to it, or to the form of a merge request for the new branch.
async fn save(context: ProjectContext, kind: Replay) -> Result<Answer, PageError> {
    context.frame.user.as_ref().ok_or(PageError::SignIn)?;
    let mut typed = FormValues::sent(context.request.form());
    let commit = named(&context).await?;
    if typed.new_branch.is_empty() {
        typed.new_branch = new_name(&commit, kind);
    }
    let new_branch = Some(typed.new_branch.clone()).filter(|_| typed.separate);
    let onto = ReplayOnto { branch: typed.branch.clone(), new_branch };
    let (app, identity) = (context.request.app(), context.request.identity());
    let problems = match repository::replay(app, identity, context.project(), commit.id.clone(), onto, kind).await {
        Ok(_) if typed.separate => {
            let (from, to) = (in_query(&typed.new_branch), in_query(&typed.branch));
            return Ok(context.done(&format!(
                "/merge_requests/new?merge_request[source_branch]={from}&merge_request[target_branch]={to}"
            )));
        }
        Ok(made) => {
            let flash = if kind == Replay::Revert { Flash::CommitReverted } else { Flash::CommitPicked };
            return Ok(context.done(&format!("/commit/{}", made.id)).cookie(cookie::of_flash(flash)));
        }
        Err(AppError::NotFound(_)) => Problems::with("branch", "There is no such branch."),
        Err(AppError::Refused(Refusal::Repository(refusal @ RepositoryRefusal::BranchProtected))) => {
            let field = if typed.separate { "new_branch" } else { "branch" };
            Problems::with(field, &format!("{refusal}."))
        }
        Err(AppError::Refused(Refusal::Repository(
            refusal @ (RepositoryRefusal::BranchTaken(_) | RepositoryRefusal::BranchNotCreated(_)),
        ))) => Problems::with("new_branch", &format!("{refusal}.")),
        Err(AppError::QuotaExceeded(quota)) => Problems::plain(&format!("{quota}.")),
        Err(error) => Problems::of(error)?,
    };
    Ok(form(context, kind, commit, typed, problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}
