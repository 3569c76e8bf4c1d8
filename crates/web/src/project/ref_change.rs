//! Making and removing branches and tags with forms.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::repository::{self, NewBranch, NewTag, RefNames};

use super::Room;
use super::frame::{ProjectFrame, Tab};
use super::refs;
use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Form, Problems};
use crate::frame::Frame;
use crate::place::in_path;

#[derive(Template)]
#[template(path = "project/new_ref.html")]
struct NewPage {
    frame: Frame,
    project: ProjectFrame,
    is_tag: bool,
    problems: Problems,
    typed: Typed,
    /// Names that the field of the start suggests.
    names: RefNames,
}

/// What was typed into the form, or stands in it at first.
#[derive(Debug, Clone, Default)]
struct Typed {
    name: String,
    from: String,
    message: String,
    notes: String,
}

impl Typed {
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

pub(super) async fn new_branch(room: Room) -> Result<Answer, PageError> {
    new(room, false).await
}

pub(super) async fn new_tag(room: Room) -> Result<Answer, PageError> {
    new(room, true).await
}

/// The form, filled with what the address says.
async fn new(room: Room, is_tag: bool) -> Result<Answer, PageError> {
    room.frame.user.as_ref().ok_or(PageError::SignIn)?;
    if !room.page.may_push {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    let usual = room.page.view.brief.project.default_branch.clone().unwrap_or_default();
    let sent = Typed::sent(Form::new(room.visit.parameters().map()), is_tag);
    let from = Some(sent.from).filter(|from| !from.is_empty()).unwrap_or(usual);
    form(room, is_tag, Problems::default(), Typed { from, ..sent }).await
}

async fn form(room: Room, is_tag: bool, problems: Problems, typed: Typed) -> Result<Answer, PageError> {
    let names = repository::ref_names(room.visit.app(), room.code()?).await?;
    let tab = if is_tag { Tab::Tags } else { Tab::Branches };
    let project = ProjectFrame::new(&room.frame.root, &room.page, tab);
    Answer::page(&NewPage { frame: room.frame, project, is_tag, problems, typed, names })
}

pub(super) async fn create_branch(room: Room) -> Result<Answer, PageError> {
    let typed = Typed::sent(room.visit.form(), false);
    let request = NewBranch { branch: typed.name.clone(), from: typed.from.clone() };
    let (app, identity) = (room.visit.app(), room.visit.identity());
    match repository::create_branch(app, identity, room.project(), request).await {
        Ok(branch) => Ok(room.done(&format!("/tree/{}?ref_type=heads", in_path(&branch.name)))),
        Err(error) => refused(room, false, Problems::of(error)?, typed).await,
    }
}

pub(super) async fn create_tag(room: Room) -> Result<Answer, PageError> {
    let typed = Typed::sent(room.visit.form(), true);
    let text = |text: &str| Some(text.to_owned()).filter(|text| !text.trim().is_empty());
    let request = NewTag {
        name: typed.name.clone(),
        from: typed.from.clone(),
        message: text(&typed.message),
        release_description: text(&typed.notes),
    };
    let (app, identity) = (room.visit.app(), room.visit.identity());
    match repository::create_tag(app, identity, room.project(), request).await {
        Ok(tag) => Ok(room.done(&format!("/tags/{}", in_path(&tag.name)))),
        Err(error) => refused(room, true, Problems::of(error)?, typed).await,
    }
}

async fn refused(room: Room, is_tag: bool, problems: Problems, typed: Typed) -> Result<Answer, PageError> {
    Ok(form(room, is_tag, problems, typed).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

/// The name in the address of a branch or tag; it may be that of one of our pages.
fn named(room: &Room, list: &str) -> String {
    let below = room.asked.below("path").join("/");
    if below.is_empty() { room.asked.pattern.trim_start_matches(list).trim_matches('/').to_owned() } else { below }
}

pub(super) async fn delete_branch(room: Room) -> Result<Answer, PageError> {
    let name = named(&room, "/branches");
    let list = format!("/{}", refs::list_named(&room.visit.form().text("", "list")));
    let (app, identity) = (room.visit.app(), room.visit.identity());
    match repository::delete_branch(app, identity, room.project(), name).await {
        Ok(()) => Ok(room.done(&list).cookie(cookie::of_flash(Flash::BranchRemoved))),
        Err(error) => {
            let problems = Problems::of(error)?.under("The branch could not be deleted");
            Ok(refs::branches_with(room, problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

pub(super) async fn delete_tag(room: Room) -> Result<Answer, PageError> {
    let name = named(&room, "/tags");
    let (app, identity) = (room.visit.app(), room.visit.identity());
    match repository::delete_tag(app, identity, room.project(), name).await {
        Ok(()) => Ok(room.done("/tags").cookie(cookie::of_flash(Flash::TagRemoved))),
        Err(error) => {
            let problems = Problems::of(error)?.under("The tag could not be deleted");
            Ok(refs::tags_with(room, problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

/// Removes the branches that the default branch has wholly, but for those that are protected or of open merge requests.
pub(super) async fn delete_merged(room: Room) -> Result<Answer, PageError> {
    repository::delete_merged(room.visit.app(), room.visit.identity(), room.project()).await?;
    Ok(room.done("/branches").cookie(cookie::of_flash(Flash::BranchesRemoved)))
}
