//! Making, changing and removing groups.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::group::{self, CreateGroup, EditGroup, GroupPage, GroupSettings};
use tenon_app::{Query, Reference, visibilities};
use tenon_domain::group::setting::TOP_LEVEL_ONLY;
use tenon_domain::id::NamespaceId;
use tenon_domain::patch::Patch;

use super::setting_words::{self, FIELDS};
use crate::context::frame::Frame;
use crate::context::group::{GroupContext, GroupFrame, Tab};
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::choice::Choice;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::{Form, OriginalValues};
use crate::kit::problems::Problems;
use crate::kit::setting_field::{Content, SettingField};
use crate::parts::visibility::{visibility, visibility_choices};

const FORM: &str = "group";

#[derive(Template)]
#[template(path = "group/new.html")]
struct NewPage {
    frame: Frame,
    object: &'static str,
    problems: Problems,
    typed: FormValues,
    visibilities: Vec<Choice>,
    /// The full path of the parent group.
    parent: Option<String>,
}

#[derive(Template)]
#[template(path = "group/edit.html")]
struct EditPage {
    frame: Frame,
    group: GroupFrame,
    object: &'static str,
    problems: Problems,
    typed: FormValues,
    visibilities: Vec<Choice>,
    /// The path that has to be typed before the group is deleted.
    full_path: String,
    projects: Vec<SettingField>,
    merging: Vec<SettingField>,
    access: Vec<SettingField>,
}

#[derive(Debug, Clone, Default)]
struct FormValues {
    name: String,
    path: String,
    description: String,
    visibility: String,
    parent: String,
    share_lock: bool,
    takes_requests: bool,
    /// The fields as the page had them at first ([`OriginalValues::field`]). Empty for a new group.
    shown: String,
}

impl FormValues {
    fn sent(form: Form<'_>) -> Self {
        let text = |field: &str| form.filled(FORM, field).unwrap_or_default();
        Self {
            name: text("name"),
            path: text("path"),
            description: form.text(FORM, "description"),
            visibility: text("visibility_level"),
            parent: text("parent_id"),
            share_lock: form.ticked(FORM, "share_with_group_lock"),
            takes_requests: form.ticked(FORM, "request_access_enabled"),
            shown: OriginalValues::sent(form).field(),
        }
    }

    fn of(page: &GroupPage) -> Self {
        let group = &page.group;
        let (name, path) = (group.namespace.name.clone(), group.namespace.path.clone());
        let (description, visibility) = (group.description.clone(), group.visibility().level().to_string());
        let shown = OriginalValues::of([
            ("name", name.as_str().into()),
            ("path", path.as_str().into()),
            ("description", description.as_str().into()),
            ("visibility_level", visibility.as_str().into()),
            ("share_with_group_lock", group.share_with_group_lock.into()),
            ("request_access_enabled", group.request_access_enabled.into()),
        ]);
        let shown = FIELDS.shown(shown, &group.settings);
        Self {
            name,
            path,
            description,
            visibility,
            parent: String::new(),
            share_lock: group.share_with_group_lock,
            takes_requests: group.request_access_enabled,
            shown: shown.field(),
        }
    }
}

pub(super) async fn new(context: RequestContext) -> Result<Answer, PageError> {
    let asked = context.parameters();
    let sent = FormValues::sent(Form::new(asked.map()));
    let typed = FormValues { parent: asked.text("parent_id").map_or(sent.parent, str::to_owned), ..sent };
    new_form(&context, typed, Problems::default()).await
}

/// The form of a new group. 403 if the caller may make no group, or none in the named parent.
async fn new_form(context: &RequestContext, typed: FormValues, problems: Problems) -> Result<Answer, PageError> {
    let parent = typed.parent.parse::<i64>().ok().map(Reference::Id);
    let read = move |query: &mut Query<'_>| {
        let parent = parent.map(|parent| group::page(query, &parent)).transpose()?;
        let offered = visibilities::of_new(query, parent.as_ref().map(|page| &page.group.namespace))?;
        Ok((parent, offered))
    };
    let (frame, (parent, offered)) = context.read(read).await?;
    let may_create = match &parent {
        Some(page) => page.may.create_subgroup,
        None => frame.user.as_ref().is_some_and(|user| user.may_create_group),
    };
    if !may_create {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    let usual = context.app().known_settings().default_group_visibility;
    let visibilities = visibility_choices(&offered, &typed.visibility, usual);
    let parent = parent.map(|page| page.group.namespace.full_path);
    Answer::page(&NewPage { frame, object: FORM, problems, typed, visibilities, parent })
}

pub(super) async fn create(context: RequestContext) -> Result<Answer, PageError> {
    let typed = FormValues::sent(context.form());
    let request = CreateGroup {
        name: typed.name.clone(),
        path: typed.path.clone(),
        visibility: visibility(&typed.visibility),
        settings: GroupSettings { description: Some(typed.description.clone()), ..GroupSettings::default() },
        parent: typed.parent.parse().ok().map(NamespaceId::new),
    };
    match context.write(move |command| group::create(command, request)).await {
        Ok(found) => {
            let path = found.group.group.namespace.full_path;
            Ok(Answer::done(&context.own(&format!("/groups/{path}"))))
        }
        Err(error) => {
            let page = new_form(&context, typed, Problems::of(error)?).await?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

/// The form of the settings. 403 if the caller may not change them.
pub(super) async fn edit(context: GroupContext) -> Result<Answer, PageError> {
    present(&context, None, Problems::default()).await
}

async fn present(context: &GroupContext, typed: Option<FormValues>, problems: Problems) -> Result<Answer, PageError> {
    let offered = |query: &mut Query<'_>, of: &Reference| {
        query.user()?;
        visibilities::of_group(query, of)
    };
    let (frame, page, offered) = context.read(offered).await?;
    if !page.may.administer {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    let group = GroupFrame::new(&frame.root, &page, Tab::Settings);
    let typed = typed.unwrap_or_else(|| FormValues::of(&page));
    let visibilities = visibility_choices(&offered, &typed.visibility, page.group.visibility());
    let full_path = page.group.namespace.full_path.clone();
    let (settings, at_top) = (&page.group.settings, page.group.namespace.parent.is_none());
    let fields = |names: &[&'static str]| {
        let is_possible = |name: &&str| at_top || TOP_LEVEL_ONLY.iter().all(|setting| setting.name != *name);
        let names: Vec<&str> = names.iter().copied().filter(is_possible).collect();
        FIELDS.fields(&names, settings, context.request.form())
    };
    Answer::page(&EditPage {
        projects: fields(&setting_words::PROJECTS),
        merging: fields(&setting_words::MERGING),
        access: fields(&setting_words::ACCESS),
        frame,
        group,
        object: FORM,
        problems,
        typed,
        visibilities,
        full_path,
    })
}

async fn refused(context: &GroupContext, typed: Option<FormValues>, problems: Problems) -> Result<Answer, PageError> {
    Ok(present(context, typed, problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

pub(super) async fn update(context: GroupContext) -> Result<Answer, PageError> {
    let shown = OriginalValues::sent(context.request.form());
    let form = context.request.form().changed(&shown);
    let typed = FormValues::sent(form);
    let mut problems = Problems::default();
    let table = FIELDS.changes(form, &mut problems);
    if !problems.is_empty() {
        return refused(&context, Some(typed), problems).await;
    }
    let given = |field: &str, text: &str| form.has(FORM, field).then(|| text.to_owned());
    let request = EditGroup {
        name: given("name", &typed.name),
        path: given("path", &typed.path),
        visibility: given("visibility_level", &typed.visibility).as_deref().and_then(visibility),
        settings: GroupSettings {
            description: given("description", &typed.description),
            share_with_group_lock: form.has(FORM, "share_with_group_lock").then_some(typed.share_lock),
            request_access_enabled: form.has(FORM, "request_access_enabled").then_some(typed.takes_requests),
            table,
            ..GroupSettings::default()
        },
        avatar: Patch::Absent,
    };
    let of = context.path.clone();
    let written = context.request.write(move |command| {
        let reference = of.find(&mut command.query())?;
        group::edit(command, &reference, request)
    });
    match written.await {
        Ok(found) => {
            let there = format!("/groups/{}/-/edit", found.group.group.namespace.full_path);
            Ok(Answer::done(&context.request.own(&there)).cookie(cookie::of_flash(Flash::SettingsSaved)))
        }
        Err(error) => refused(&context, Some(typed), Problems::of(error)?).await,
    }
}

/// Deletes the group whose path was typed.
pub(super) async fn delete(context: GroupContext) -> Result<Answer, PageError> {
    let named = context.request.form().filled("", "confirm").unwrap_or_default();
    let of = context.path.clone();
    let page = context.request.ask(move |query| {
        let reference = of.find(query)?;
        group::page(query, &reference)
    });
    let page = page.await?;
    if page.may.administer && named != page.group.namespace.full_path {
        let problems = Problems::with("confirm", "Type the group path to confirm deletion");
        return refused(&context, None, problems).await;
    }
    let reference = Reference::Id(page.group.id().get());
    let deleted: Result<(), AppError> =
        context.request.write(move |command| group::delete(command, &reference, None)).await;
    deleted?;
    Ok(Answer::done(&context.request.own("/")).cookie(cookie::of_flash(Flash::GroupRemoved)))
}
