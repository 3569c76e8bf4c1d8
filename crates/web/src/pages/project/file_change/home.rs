//! The project that gets the commit of a form: the one on whose page the form is, or the caller's fork of it.

use actix_web::http::{StatusCode, header};
use askama::Template;
use tenon_app::Reference;
use tenon_app::project::{self, OwnFork};
use tenon_app::repository::{self, Browsed, CommitPlace, Located, RefKind};
use tenon_domain::project::Import;

use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::new_request;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::pages::project::tree;

/// The seconds after which the page about a fork that is being made asks again.
const REFRESH: &str = "2";

/// Where the commit of a form goes.
#[derive(Debug, Clone)]
pub(super) enum Home {
    Here,
    /// The caller may not push here, but has a fork.
    Fork(OwnFork),
}

impl Home {
    pub(super) fn place(&self, context: &ProjectContext) -> CommitPlace {
        match self {
            Self::Here => CommitPlace { project: context.project(), upstream: None },
            Self::Fork(fork) => {
                CommitPlace { project: Reference::Id(fork.id.get()), upstream: Some(context.project()) }
            }
        }
    }

    /// The path of the fork. Empty if there is none.
    pub(super) fn fork_path(&self) -> &str {
        match self {
            Self::Here => "",
            Self::Fork(fork) => &fork.full_path,
        }
    }

    /// Leads to the form of a merge request for a new branch.
    pub(super) fn proposed(&self, context: &ProjectContext, branch: &str, start: &str) -> Answer {
        let new = new_request(branch, Some(start));
        match self {
            Self::Here => context.done(&new),
            Self::Fork(fork) => {
                let target = context.page.view.brief.project.id;
                let there = format!("/{}{new}&merge_request[target_project_id]={target}", fork.full_path);
                Answer::done(&context.request.own(&there))
            }
        }
    }
}

/// The page before a form, for a caller who may not push and has no fork that is complete.
#[derive(Template)]
#[template(path = "project/fork_first.html")]
struct ForkPage {
    frame: Frame,
    project: ProjectFrame,
    /// The address of the form, to which the browser comes back.
    back: String,
    state: ForkState,
}

/// The place of the commits of the caller, or what comes before the form.
pub(super) enum Found {
    Home(Home),
    /// There is no fork that is complete.
    First(ForkState),
}

/// The state of the caller's fork.
pub(super) enum ForkState {
    None,
    /// The fork at this path is being made.
    Coming(String),
    /// The reason why it could not be made.
    Failed(String),
}

/// The place of commits of the caller, for a form that is opened. 403 if there is none.
pub(super) async fn find(context: &ProjectContext) -> Result<Found, PageError> {
    context.frame.user.as_ref().ok_or(PageError::SignIn)?;
    if context.page.may_push {
        return Ok(Found::Home(Home::Here));
    }
    if !context.may_propose() {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    let Some(fork) = own_fork(context).await? else { return Ok(Found::First(ForkState::None)) };
    Ok(match &fork.import {
        Import::None | Import::Finished => Found::Home(Home::Fork(fork)),
        Import::Scheduled | Import::Started => Found::First(ForkState::Coming(fork.full_path)),
        Import::Failed(reason) => Found::First(ForkState::Failed(reason.clone())),
    })
}

/// The page that offers a fork, or says that it is being made. Then it asks again by itself.
pub(super) fn first(context: ProjectContext, state: ForkState) -> Result<Answer, PageError> {
    let project = frame(&context);
    let back = context.request.with_query(context.request.path());
    let waits = matches!(state, ForkState::Coming(_));
    let page = Answer::page(&ForkPage { frame: context.frame, project, back, state })?;
    Ok(if waits { page.header(header::REFRESH, REFRESH.to_owned()) } else { page })
}

/// The place of the commit of a form that was sent. The use case refuses callers who have none.
pub(super) async fn of_sent(context: &ProjectContext) -> Result<Home, PageError> {
    if context.page.may_push || !context.may_propose() {
        return Ok(Home::Here);
    }
    // Nothing is written to a fork that is still being filled.
    let is_complete = |fork: &OwnFork| matches!(fork.import, Import::None | Import::Finished);
    Ok(own_fork(context).await?.filter(is_complete).map_or(Home::Here, Home::Fork))
}

async fn own_fork(context: &ProjectContext) -> Result<Option<OwnFork>, PageError> {
    let project = context.project();
    context.request.ask(move |query| project::own_fork(query, &project)).await
}

/// The branch, the path and the commit of a place. Files are changed on branches only.
pub(super) fn branch_of(located: Located) -> Result<(String, String, String), PageError> {
    let Located { at, path } = located;
    if at.kind != Some(RefKind::Branch) {
        return Err(PageError::NotFound);
    }
    Ok((at.name, path.as_kept().to_owned(), at.commit_id))
}

/// The branch, the path and the commit of the directory that the address of a form of new files names.
pub(super) async fn directory(context: &ProjectContext) -> Result<(String, String, String), PageError> {
    let project = &context.page.view.brief.project;
    if project.default_branch.is_none() {
        // The first commit makes the branch.
        return Ok((project.unborn_branch.clone(), String::new(), String::new()));
    }
    match tree::find(context).await? {
        Browsed::Found(found) => branch_of(found.located),
        Browsed::Other(_) | Browsed::Empty => Err(PageError::NotFound),
    }
}

/// The branch for the commit: this one, or the name of a new one if the caller may not push to it.
pub(super) async fn branch_for(
    context: &ProjectContext,
    home: &Home,
    start: &str,
    commit: &str,
) -> Result<String, PageError> {
    let user = context.frame.user.as_ref().map_or("", |user| user.username.as_str());
    // The user may have proposed something else for the same commit.
    let new = || format!("{user}-patch-{}", context.request.app().now().timestamp() % 1_000_000);
    if commit.is_empty() {
        return Ok(start.to_owned());
    }
    if matches!(home, Home::Fork(_)) {
        return Ok(new());
    }
    let (app, identity) = (context.request.app(), context.request.identity());
    let branch = repository::branch(app, identity, context.project(), start.to_owned()).await?;
    Ok(if branch.can_push { start.to_owned() } else { new() })
}

pub(super) fn frame(context: &ProjectContext) -> ProjectFrame {
    ProjectFrame::new(&context.frame.root, &context.page, Tab::Files)
}
