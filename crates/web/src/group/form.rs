//! Making, changing and removing groups.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::group::{self, CreateGroup, EditGroup, GroupPage, GroupSettings};
use tenon_app::{Query, Reference, visibilities};
use tenon_domain::id::NamespaceId;
use tenon_domain::patch::Patch;

use super::{GroupTop, Path, Tab, read};
use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Form, Problems, Shown};
use crate::frame::Frame;
use crate::issuable::list::Choice;
use crate::project::new::{visibility, visibility_choices};
use crate::visit::Visit;

const FORM: &str = "group";

#[derive(Template)]
#[template(path = "group/new.html")]
struct NewPage {
    frame: Frame,
    object: &'static str,
    problems: Problems,
    typed: Typed,
    visibilities: Vec<Choice>,
    /// The full path of the group above.
    above: Option<String>,
}

#[derive(Template)]
#[template(path = "group/edit.html")]
struct EditPage {
    frame: Frame,
    group: GroupTop,
    object: &'static str,
    problems: Problems,
    typed: Typed,
    visibilities: Vec<Choice>,
    /// What has to be typed before the group is deleted.
    full_path: String,
}

#[derive(Debug, Clone, Default)]
struct Typed {
    name: String,
    path: String,
    description: String,
    visibility: String,
    parent: String,
    share_lock: bool,
    /// The fields as the page had them at first ([`Shown::field`]); empty for a new group.
    shown: String,
}

impl Typed {
    fn sent(form: Form<'_>) -> Self {
        let text = |field: &str| form.filled(FORM, field).unwrap_or_default();
        Self {
            name: text("name"),
            path: text("path"),
            description: form.text(FORM, "description"),
            visibility: text("visibility_level"),
            parent: text("parent_id"),
            share_lock: form.ticked(FORM, "share_with_group_lock"),
            shown: Shown::sent(form).field(),
        }
    }

    fn of(page: &GroupPage) -> Self {
        let group = &page.group;
        let (name, path) = (group.namespace.name.clone(), group.namespace.path.clone());
        let (description, visibility) = (group.description.clone(), group.visibility().level().to_string());
        let shown = Shown::of([
            ("name", name.as_str().into()),
            ("path", path.as_str().into()),
            ("description", description.as_str().into()),
            ("visibility_level", visibility.as_str().into()),
            ("share_with_group_lock", group.share_with_group_lock.into()),
        ]);
        Self {
            name,
            path,
            description,
            visibility,
            parent: String::new(),
            share_lock: group.share_with_group_lock,
            shown: shown.field(),
        }
    }
}

pub(super) async fn new(visit: Visit) -> Result<Answer, PageError> {
    let asked = visit.parameters();
    let sent = Typed::sent(Form::new(asked.map()));
    let typed = Typed { parent: asked.text("parent_id").map_or(sent.parent, str::to_owned), ..sent };
    new_form(&visit, typed, Problems::default()).await
}

/// The form of a new group. 403 where the caller may make none, or none below the one that is named.
async fn new_form(visit: &Visit, typed: Typed, problems: Problems) -> Result<Answer, PageError> {
    let parent = typed.parent.parse::<i64>().ok().map(Reference::Id);
    let read = move |query: &mut Query<'_>| {
        let above = parent.map(|parent| group::page(query, &parent)).transpose()?;
        let offered = visibilities::of_new(query, above.as_ref().map(|page| &page.group.namespace))?;
        Ok((above, offered))
    };
    let (frame, (above, offered)) = visit.read(read).await?;
    let may_create = match &above {
        Some(page) => page.may.create_subgroup,
        None => frame.user.as_ref().is_some_and(|user| user.may_create_group),
    };
    if !may_create {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    let usual = visit.app().known_settings().default_group_visibility;
    let visibilities = visibility_choices(&offered, &typed.visibility, usual);
    let above = above.map(|page| page.group.namespace.full_path);
    Answer::page(&NewPage { frame, object: FORM, problems, typed, visibilities, above })
}

pub(super) async fn create(visit: Visit) -> Result<Answer, PageError> {
    let typed = Typed::sent(visit.form());
    let request = CreateGroup {
        name: typed.name.clone(),
        path: typed.path.clone(),
        visibility: visibility(&typed.visibility),
        settings: GroupSettings { description: Some(typed.description.clone()), ..GroupSettings::default() },
        parent: typed.parent.parse().ok().map(NamespaceId::new),
    };
    match visit.write(move |command| group::create(command, request)).await {
        Ok(found) => {
            let path = found.group.group.namespace.full_path;
            Ok(Answer::done(&visit.own(&format!("/groups/{path}"))))
        }
        Err(error) => {
            let page = new_form(&visit, typed, Problems::of(error)?).await?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

/// The form of the settings. 403 where the caller may not change them.
pub(super) async fn edit(visit: Visit, path: Path) -> Result<Answer, PageError> {
    present(&visit, &path, None, Problems::default()).await
}

async fn present(visit: &Visit, path: &Path, typed: Option<Typed>, problems: Problems) -> Result<Answer, PageError> {
    let offered = |query: &mut Query<'_>, of: &Reference| {
        query.user()?;
        visibilities::of_group(query, of)
    };
    let (frame, page, offered) = read(visit, path, offered).await?;
    if !page.may.administer {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    let group = GroupTop::new(&frame.root, &page, Tab::Settings);
    let typed = typed.unwrap_or_else(|| Typed::of(&page));
    let visibilities = visibility_choices(&offered, &typed.visibility, page.group.visibility());
    let full_path = page.group.namespace.full_path;
    Answer::page(&EditPage { frame, group, object: FORM, problems, typed, visibilities, full_path })
}

async fn refused(visit: &Visit, path: &Path, typed: Option<Typed>, problems: Problems) -> Result<Answer, PageError> {
    Ok(present(visit, path, typed, problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

pub(super) async fn update(visit: Visit, path: Path) -> Result<Answer, PageError> {
    let shown = Shown::sent(visit.form());
    let form = visit.form().changed(&shown);
    let typed = Typed::sent(form);
    let given = |field: &str, text: &str| form.has(FORM, field).then(|| text.to_owned());
    let request = EditGroup {
        name: given("name", &typed.name),
        path: given("path", &typed.path),
        visibility: given("visibility_level", &typed.visibility).as_deref().and_then(visibility),
        settings: GroupSettings {
            description: given("description", &typed.description),
            share_with_group_lock: form.has(FORM, "share_with_group_lock").then_some(typed.share_lock),
            ..GroupSettings::default()
        },
        avatar: Patch::Absent,
    };
    let of = path.clone();
    let written = visit.write(move |command| {
        let reference = of.find(&mut command.query())?;
        group::edit(command, &reference, request)
    });
    match written.await {
        Ok(found) => {
            let there = format!("/groups/{}/-/edit", found.group.group.namespace.full_path);
            Ok(Answer::done(&visit.own(&there)).cookie(cookie::of_flash(Flash::SettingsSaved)))
        }
        Err(error) => refused(&visit, &path, Some(typed), Problems::of(error)?).await,
    }
}

/// Deletes the group whose path was typed.
pub(super) async fn delete(visit: Visit, path: Path) -> Result<Answer, PageError> {
    let named = visit.form().filled("", "confirm").unwrap_or_default();
    let of = path.clone();
    let page = visit.ask(move |query| {
        let reference = of.find(query)?;
        group::page(query, &reference)
    });
    let page = page.await?;
    if page.may.administer && named != page.group.namespace.full_path {
        let problems = Problems::with("confirm", "Type the path of the group to delete it");
        return refused(&visit, &path, None, problems).await;
    }
    let reference = Reference::Id(page.group.id().get());
    let deleted: Result<(), AppError> = visit.write(move |command| group::delete(command, &reference, None)).await;
    deleted?;
    Ok(Answer::done(&visit.own("/")).cookie(cookie::of_flash(Flash::GroupRemoved)))
}
