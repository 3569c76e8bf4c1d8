//! The members of a project.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::{Command, ContainerReference, Query, member as use_case, project};

use super::shares::{self, Shares};
use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::problems::Problems;
use crate::parts::access_requests;
use crate::parts::member::{self, FormValues, Found, Members};

const OBJECT: &str = "project_member";

#[derive(Template)]
#[template(path = "project/members.html")]
struct MembersPage {
    frame: Frame,
    project: ProjectFrame,
    members: Members,
    shares: Shares,
}

fn of(asked: &ProjectRequest) -> ContainerReference {
    ContainerReference::Project(asked.project.clone())
}

/// The data of the page.
pub(super) struct PageData {
    members: Found,
    sharing_is_locked: bool,
}

pub(super) fn read(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<PageData, AppError> {
    Ok(PageData {
        members: member::read(query, &of(asked), &asked.query)?,
        sharing_is_locked: project::sharing_is_locked(query, &asked.project)?,
    })
}

pub(super) async fn show(context: ProjectContext, found: PageData) -> Result<Answer, PageError> {
    present(context, found, Sent::default())
}

/// The values of one of the forms, and their errors.
#[derive(Default)]
struct Sent {
    member: Option<(FormValues, Problems)>,
    share: Option<(shares::FormValues, Problems)>,
}

fn present(context: ProjectContext, found: PageData, sent: Sent) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Members).with_api_path("/members");
    let may_manage = context.page.may.manage_members;
    let address = format!("{}/project_members", project.href);
    let members = found.members.present(&context.request, &context.frame, address, OBJECT, may_manage, sent.member);
    let shares = Shares::new(&context.frame.root, &context.page.view.shared_with, found.sharing_is_locked, sent.share);
    Answer::page(&MembersPage { frame: context.frame, project, members, shares })
}

/// The page with the errors of its form.
async fn refused(context: ProjectContext, typed: FormValues, problems: Problems) -> Result<Answer, PageError> {
    again(context, Sent { member: Some((typed, problems)), ..Sent::default() }).await
}

/// The page with the reason why the project was not shared.
pub(super) async fn not_shared(
    context: ProjectContext,
    typed: shares::FormValues,
    problems: Problems,
) -> Result<Answer, PageError> {
    again(context, Sent { share: Some((typed, problems)), ..Sent::default() }).await
}

async fn again(context: ProjectContext, sent: Sent) -> Result<Answer, PageError> {
    let asked = context.asked.clone();
    let (frame, found) = context.request.read(move |query| read(query, &asked)).await?;
    Ok(present(ProjectContext { frame, ..context }, found, sent)?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

/// The page with the reason why a membership was not changed.
async fn unchanged(context: ProjectContext, typed: FormValues, error: AppError) -> Result<Answer, PageError> {
    refused(context, typed, Problems::of(error)?).await
}

pub(super) async fn add(context: ProjectContext) -> Result<Answer, PageError> {
    let typed = FormValues::sent(context.request.form());
    let (names, day) = match member::wanted(&typed) {
        Ok(wanted) => wanted,
        Err(problems) => return refused(context, typed, problems).await,
    };
    let (of, sent, added) = (of(&context.asked), typed.clone(), member::flash_of(&names));
    match context.request.write(move |command| member::add(command, &of, names, &sent, day)).await {
        Ok(()) => Ok(context.done("/project_members").cookie(cookie::of_flash(added))),
        Err(error) => refused(context, typed, Problems::of(error)?).await,
    }
}

pub(super) async fn change(context: ProjectContext) -> Result<Answer, PageError> {
    let user = member::user(context.asked.number("id")?);
    let typed = FormValues::of_row(context.request.form(), OBJECT, user);
    let change = match member::change(context.request.form(), OBJECT) {
        Ok(change) => change,
        Err(problems) => return refused(context, typed, problems).await,
    };
    let of = of(&context.asked);
    match context.request.write(move |command| member::edit(command, &of, user, change)).await {
        Ok(()) => Ok(context.done("/project_members").cookie(cookie::of_flash(Flash::MemberChanged))),
        Err(error) => unchanged(context, typed, error).await,
    }
}

pub(super) async fn remove(context: ProjectContext) -> Result<Answer, PageError> {
    let user = member::user(context.asked.number("id")?);
    let of = of(&context.asked);
    match context.request.write(move |command| use_case::remove(command, &of, user, None)).await {
        Ok(()) => Ok(context.done("/project_members").cookie(cookie::of_flash(Flash::MemberRemoved))),
        Err(error) => unchanged(context, FormValues::default(), error).await,
    }
}

/// Ends the membership of the caller. The project may then be hidden from the caller.
pub(super) async fn leave(context: ProjectContext) -> Result<Answer, PageError> {
    let container = of(&context.asked);
    let left = context.request.write(move |command| {
        let user = command.user()?.id;
        use_case::remove(command, &container, user, None)
    });
    match left.await {
        Ok(()) => Ok(Answer::done(&context.request.own("/")).cookie(cookie::of_flash(Flash::HasLeft))),
        Err(error) => unchanged(context, FormValues::default(), error).await,
    }
}

/// Sends an invitation once more.
pub(super) async fn resend(context: ProjectContext) -> Result<Answer, PageError> {
    let (of, address) = (of(&context.asked), context.request.form().text("", "email"));
    match context.request.write(move |command| use_case::resend_invitation(command, &of, &address)).await {
        Ok(()) => Ok(context.done("/project_members").cookie(cookie::of_flash(Flash::InvitationSent))),
        Err(error) => unchanged(context, FormValues::default(), error).await,
    }
}

/// Takes an invitation back.
pub(super) async fn withdraw(context: ProjectContext) -> Result<Answer, PageError> {
    let (of, address) = (of(&context.asked), context.request.form().text("", "email"));
    match context.request.write(move |command| use_case::remove_invitation(command, &of, &address, None)).await {
        Ok(()) => Ok(context.done("/project_members").cookie(cookie::of_flash(Flash::InvitationRemoved))),
        Err(error) => unchanged(context, FormValues::default(), error).await,
    }
}

/// Changes the requests for access, and leads to the members.
async fn answer(
    context: ProjectContext,
    flash: Flash,
    work: impl FnOnce(&mut Command<'_>, &ContainerReference) -> Result<(), AppError> + Send + 'static,
) -> Result<Answer, PageError> {
    let of = of(&context.asked);
    match context.request.write(move |command| work(command, &of)).await {
        Ok(()) => Ok(context.done("/project_members").cookie(cookie::of_flash(flash))),
        Err(error) => Box::pin(unchanged(context, FormValues::default(), error)).await,
    }
}

/// Asks for access for the caller.
pub(super) async fn request_access(context: ProjectContext) -> Result<Answer, PageError> {
    answer(context, Flash::AccessRequested, |command, of| use_case::request_access(command, of).map(drop)).await
}

/// Takes the caller's request back.
pub(super) async fn withdraw_request(context: ProjectContext) -> Result<Answer, PageError> {
    answer(context, Flash::AccessRequestCanceled, |command, of| {
        let user = command.user()?.id;
        use_case::deny(command, of, user, None)
    })
    .await
}

/// Makes the user who has asked a member.
pub(super) async fn approve(context: ProjectContext) -> Result<Answer, PageError> {
    let user = member::user(context.asked.number("id")?);
    let level = access_requests::level(context.request.form());
    answer(context, Flash::AccessRequestApproved, move |command, of| {
        use_case::approve(command, of, user, level).map(drop)
    })
    .await
}

/// Denies the request of a user.
pub(super) async fn deny(context: ProjectContext) -> Result<Answer, PageError> {
    let user = member::user(context.asked.number("id")?);
    answer(context, Flash::AccessRequestDenied, move |command, of| use_case::deny(command, of, user, None)).await
}
