//! The members of a project.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::{ContainerReference, Query, member as use_case};

use super::frame::{ProjectFrame, Tab};
use super::share::{self, Shares};
use super::{Asked, Room};
use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::Problems;
use crate::frame::Frame;
use crate::member::{self, Found, Members, Typed};

const OBJECT: &str = "project_member";

#[derive(Template)]
#[template(path = "project/members.html")]
struct MembersPage {
    frame: Frame,
    project: ProjectFrame,
    members: Members,
    shares: Shares,
}

fn of(asked: &Asked) -> ContainerReference {
    ContainerReference::Project(asked.project.clone())
}

pub(super) fn read(query: &mut Query<'_>, asked: &Asked) -> Result<Found, AppError> {
    member::read(query, &of(asked), &asked.query)
}

pub(super) async fn show(room: Room, found: Found) -> Result<Answer, PageError> {
    present(room, found, Sent::default())
}

/// What was sent with one of the forms, and what is wrong with it.
#[derive(Default)]
struct Sent {
    member: Option<(Typed, Problems)>,
    share: Option<(share::Typed, Problems)>,
}

fn present(room: Room, found: Found, sent: Sent) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Members).with_twin("/members");
    let may_manage = room.page.may.manage_members;
    let address = format!("{}/project_members", project.href);
    let members = found.present(&room.visit, &room.frame, address, OBJECT, may_manage, sent.member);
    let shares = Shares::new(&room.frame.root, &room.page.view.shared_with, sent.share);
    Answer::page(&MembersPage { frame: room.frame, project, members, shares })
}

/// The page with what is wrong with its form.
async fn refused(room: Room, typed: Typed, problems: Problems) -> Result<Answer, PageError> {
    again(room, Sent { member: Some((typed, problems)), ..Sent::default() }).await
}

/// The page with the reason why the project was not shared.
pub(super) async fn not_shared(room: Room, typed: share::Typed, problems: Problems) -> Result<Answer, PageError> {
    again(room, Sent { share: Some((typed, problems)), ..Sent::default() }).await
}

async fn again(room: Room, sent: Sent) -> Result<Answer, PageError> {
    let asked = room.asked.clone();
    let (frame, found) = room.visit.read(move |query| read(query, &asked)).await?;
    Ok(present(Room { frame, ..room }, found, sent)?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

/// The page with the reason why a membership is as it was.
async fn unchanged(room: Room, typed: Typed, error: AppError) -> Result<Answer, PageError> {
    refused(room, typed, Problems::of(error)?).await
}

pub(super) async fn add(room: Room) -> Result<Answer, PageError> {
    let typed = Typed::sent(room.visit.form());
    let (names, day) = match member::wanted(&typed) {
        Ok(wanted) => wanted,
        Err(problems) => return refused(room, typed, problems).await,
    };
    let (of, sent) = (of(&room.asked), typed.clone());
    match room.visit.write(move |command| member::add(command, &of, names, &sent, day)).await {
        Ok(()) => Ok(room.done("/project_members").cookie(cookie::of_flash(Flash::MemberAdded))),
        Err(error) => refused(room, typed, Problems::of(error)?).await,
    }
}

pub(super) async fn change(room: Room) -> Result<Answer, PageError> {
    let user = member::user(room.asked.number("id")?);
    let typed = Typed::of_row(room.visit.form(), OBJECT, user);
    let change = match member::change(room.visit.form(), OBJECT) {
        Ok(change) => change,
        Err(problems) => return refused(room, typed, problems).await,
    };
    let of = of(&room.asked);
    match room.visit.write(move |command| member::edit(command, &of, user, change)).await {
        Ok(()) => Ok(room.done("/project_members").cookie(cookie::of_flash(Flash::MemberChanged))),
        Err(error) => unchanged(room, typed, error).await,
    }
}

pub(super) async fn remove(room: Room) -> Result<Answer, PageError> {
    let user = member::user(room.asked.number("id")?);
    let of = of(&room.asked);
    match room.visit.write(move |command| use_case::remove(command, &of, user, None)).await {
        Ok(()) => Ok(room.done("/project_members").cookie(cookie::of_flash(Flash::MemberRemoved))),
        Err(error) => unchanged(room, Typed::default(), error).await,
    }
}

/// Ends the membership of the caller. The project may be hidden from them then.
pub(super) async fn leave(room: Room) -> Result<Answer, PageError> {
    let container = of(&room.asked);
    let left = room.visit.write(move |command| {
        let user = command.user()?.id;
        use_case::remove(command, &container, user, None)
    });
    match left.await {
        Ok(()) => Ok(Answer::done(&room.visit.own("/")).cookie(cookie::of_flash(Flash::HasLeft))),
        Err(error) => unchanged(room, Typed::default(), error).await,
    }
}
