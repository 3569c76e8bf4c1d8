//! The members of a group.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::{Command, ContainerReference, Query, Reference, member as use_case};

use crate::context::frame::Frame;
use crate::context::group::{GroupContext, GroupFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::problems::Problems;
use crate::parts::access_requests;
use crate::parts::member::{self, FormValues, Members};

const OBJECT: &str = "group_member";

#[derive(Template)]
#[template(path = "group/members.html")]
struct MembersPage {
    frame: Frame,
    group: GroupFrame,
    members: Members,
}

pub(super) async fn show(context: GroupContext) -> Result<Answer, PageError> {
    present(&context, None).await
}

async fn present(context: &GroupContext, sent: Option<(FormValues, Problems)>) -> Result<Answer, PageError> {
    let asked = context.request.parameters().clone();
    let work = move |query: &mut Query<'_>, group: &Reference| {
        member::read(query, &ContainerReference::Group(group.clone()), &asked)
    };
    let (frame, page, found) = context.read(work).await?;
    let group = GroupFrame::new(&frame.root, &page, Tab::Members);
    let address = format!("{}/-/group_members", group.href);
    let members = found.present(&context.request, &frame, address, OBJECT, page.may.administer, sent);
    Answer::page(&MembersPage { frame, group, members })
}

/// The page with the reason why a membership was not changed.
async fn unchanged(context: &GroupContext, typed: FormValues, error: AppError) -> Result<Answer, PageError> {
    refused(context, typed, Problems::of(error)?).await
}

async fn refused(context: &GroupContext, typed: FormValues, problems: Problems) -> Result<Answer, PageError> {
    Ok(present(context, Some((typed, problems))).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

/// Changes the members of the group, and leads to them.
async fn write(
    context: &GroupContext,
    typed: FormValues,
    flash: Flash,
    work: impl FnOnce(&mut Command<'_>, &ContainerReference) -> Result<(), AppError> + Send + 'static,
) -> Result<Answer, PageError> {
    let of = context.path.clone();
    let written = context.request.write(move |command| {
        let group = of.find(&mut command.query())?;
        work(command, &ContainerReference::Group(group))
    });
    match written.await {
        Ok(()) => {
            let there = format!("/groups/{}/-/group_members", crate::kit::address::in_path(&context.path.0.join("/")));
            Ok(Answer::done(&context.request.own(&there)).cookie(cookie::of_flash(flash)))
        }
        Err(error) => unchanged(context, typed, error).await,
    }
}

pub(super) async fn add(context: GroupContext) -> Result<Answer, PageError> {
    let typed = FormValues::sent(context.request.form());
    let (names, day) = match member::wanted(&typed) {
        Ok(wanted) => wanted,
        Err(problems) => return refused(&context, typed, problems).await,
    };
    let (sent, added) = (typed.clone(), member::flash_of(&names));
    write(&context, typed, added, move |command, of| member::add(command, of, names, &sent, day)).await
}

pub(super) async fn change(context: GroupContext) -> Result<Answer, PageError> {
    let id = context.number("id")?;
    let typed = FormValues::of_row(context.request.form(), OBJECT, member::user(id));
    let change = match member::change(context.request.form(), OBJECT) {
        Ok(change) => change,
        Err(problems) => return refused(&context, typed, problems).await,
    };
    let work =
        move |command: &mut Command<'_>, of: &ContainerReference| member::edit(command, of, member::user(id), change);
    write(&context, typed, Flash::MemberChanged, work).await
}

pub(super) async fn remove(context: GroupContext) -> Result<Answer, PageError> {
    let id = context.number("id")?;
    let work =
        move |command: &mut Command<'_>, of: &ContainerReference| use_case::remove(command, of, member::user(id), None);
    write(&context, FormValues::default(), Flash::MemberRemoved, work).await
}

/// Ends the membership of the caller. The group may then be hidden from the caller.
pub(super) async fn leave(context: GroupContext) -> Result<Answer, PageError> {
    let of = context.path.clone();
    let left = context.request.write(move |command| {
        let group = of.find(&mut command.query())?;
        let user = command.user()?.id;
        use_case::remove(command, &ContainerReference::Group(group), user, None)
    });
    match left.await {
        Ok(()) => Ok(Answer::done(&context.request.own("/")).cookie(cookie::of_flash(Flash::HasLeft))),
        Err(error) => unchanged(&context, FormValues::default(), error).await,
    }
}

/// Sends an invitation once more.
pub(super) async fn resend(context: GroupContext) -> Result<Answer, PageError> {
    let address = context.request.form().text("", "email");
    let work =
        move |command: &mut Command<'_>, of: &ContainerReference| use_case::resend_invitation(command, of, &address);
    write(&context, FormValues::default(), Flash::InvitationSent, work).await
}

/// Takes an invitation back.
pub(super) async fn withdraw(context: GroupContext) -> Result<Answer, PageError> {
    let address = context.request.form().text("", "email");
    let work = move |command: &mut Command<'_>, of: &ContainerReference| {
        use_case::remove_invitation(command, of, &address, None)
    };
    write(&context, FormValues::default(), Flash::InvitationRemoved, work).await
}

/// Asks for access for the caller.
pub(super) async fn request_access(context: GroupContext) -> Result<Answer, PageError> {
    let work = |command: &mut Command<'_>, of: &ContainerReference| use_case::request_access(command, of).map(drop);
    write(&context, FormValues::default(), Flash::AccessRequested, work).await
}

/// Takes the caller's request back.
pub(super) async fn withdraw_request(context: GroupContext) -> Result<Answer, PageError> {
    let work = |command: &mut Command<'_>, of: &ContainerReference| {
        let user = command.user()?.id;
        use_case::deny(command, of, user, None)
    };
    write(&context, FormValues::default(), Flash::AccessRequestCanceled, work).await
}

/// Makes the user who has asked a member.
pub(super) async fn approve(context: GroupContext) -> Result<Answer, PageError> {
    let user = member::user(context.number("id")?);
    let level = access_requests::level(context.request.form());
    let work =
        move |command: &mut Command<'_>, of: &ContainerReference| use_case::approve(command, of, user, level).map(drop);
    write(&context, FormValues::default(), Flash::AccessRequestApproved, work).await
}

/// Denies the request of a user.
pub(super) async fn deny(context: GroupContext) -> Result<Answer, PageError> {
    let user = member::user(context.number("id")?);
    let work = move |command: &mut Command<'_>, of: &ContainerReference| use_case::deny(command, of, user, None);
    write(&context, FormValues::default(), Flash::AccessRequestDenied, work).await
}
