//! The members of a group.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::{Command, ContainerReference, Query, Reference, member as use_case};

use super::{GroupTop, Path, Tab, read};
use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::Problems;
use crate::frame::Frame;
use crate::member::{self, Members, Typed};
use crate::visit::Visit;

const OBJECT: &str = "group_member";

#[derive(Template)]
#[template(path = "group/members.html")]
struct MembersPage {
    frame: Frame,
    group: GroupTop,
    members: Members,
}

pub(super) async fn show(visit: Visit, path: Path) -> Result<Answer, PageError> {
    present(&visit, &path, None).await
}

async fn present(visit: &Visit, path: &Path, sent: Option<(Typed, Problems)>) -> Result<Answer, PageError> {
    let asked = visit.parameters().clone();
    let work = move |query: &mut Query<'_>, group: &Reference| {
        member::read(query, &ContainerReference::Group(group.clone()), &asked)
    };
    let (frame, page, found) = read(visit, path, work).await?;
    let group = GroupTop::new(&frame.root, &page, Tab::Members);
    let address = format!("{}/-/group_members", group.href);
    let members = found.present(visit, &frame, address, OBJECT, page.may.administer, sent);
    Answer::page(&MembersPage { frame, group, members })
}

/// The page with the reason why a membership is as it was.
async fn unchanged(visit: &Visit, path: &Path, typed: Typed, error: AppError) -> Result<Answer, PageError> {
    refused(visit, path, typed, Problems::of(error)?).await
}

async fn refused(visit: &Visit, path: &Path, typed: Typed, problems: Problems) -> Result<Answer, PageError> {
    Ok(present(visit, path, Some((typed, problems))).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

/// Changes the members of the group, and leads to them.
async fn write(
    visit: &Visit,
    path: Path,
    typed: Typed,
    flash: Flash,
    work: impl FnOnce(&mut Command<'_>, &ContainerReference) -> Result<(), AppError> + Send + 'static,
) -> Result<Answer, PageError> {
    let of = path.clone();
    let written = visit.write(move |command| {
        let group = of.find(&mut command.query())?;
        work(command, &ContainerReference::Group(group))
    });
    match written.await {
        Ok(()) => {
            let there = format!("/groups/{}/-/group_members", crate::place::in_path(&path.0.join("/")));
            Ok(Answer::done(&visit.own(&there)).cookie(cookie::of_flash(flash)))
        }
        Err(error) => unchanged(visit, &path, typed, error).await,
    }
}

pub(super) async fn add(visit: Visit, path: Path) -> Result<Answer, PageError> {
    let typed = Typed::sent(visit.form());
    let (names, day) = match member::wanted(&typed) {
        Ok(wanted) => wanted,
        Err(problems) => return refused(&visit, &path, typed, problems).await,
    };
    let sent = typed.clone();
    write(&visit, path, typed, Flash::MemberAdded, move |command, of| member::add(command, of, names, &sent, day)).await
}

pub(super) async fn change(visit: Visit, path: Path, id: i64) -> Result<Answer, PageError> {
    let typed = Typed::of_row(visit.form(), OBJECT, member::user(id));
    let change = match member::change(visit.form(), OBJECT) {
        Ok(change) => change,
        Err(problems) => return refused(&visit, &path, typed, problems).await,
    };
    let work =
        move |command: &mut Command<'_>, of: &ContainerReference| member::edit(command, of, member::user(id), change);
    write(&visit, path, typed, Flash::MemberChanged, work).await
}

pub(super) async fn remove(visit: Visit, path: Path, id: i64) -> Result<Answer, PageError> {
    let work =
        move |command: &mut Command<'_>, of: &ContainerReference| use_case::remove(command, of, member::user(id), None);
    write(&visit, path, Typed::default(), Flash::MemberRemoved, work).await
}

/// Ends the membership of the caller. The group may be hidden from them then.
pub(super) async fn leave(visit: Visit, path: Path) -> Result<Answer, PageError> {
    let of = path.clone();
    let left = visit.write(move |command| {
        let group = of.find(&mut command.query())?;
        let user = command.user()?.id;
        use_case::remove(command, &ContainerReference::Group(group), user, None)
    });
    match left.await {
        Ok(()) => Ok(Answer::done(&visit.own("/")).cookie(cookie::of_flash(Flash::HasLeft))),
        Err(error) => unchanged(&visit, &path, Typed::default(), error).await,
    }
}
