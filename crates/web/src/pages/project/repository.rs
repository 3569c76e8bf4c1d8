//! The settings of the repository of a project: its default branch, its protected refs, and its deploy keys.

use actix_web::http::{Method, StatusCode};
use askama::Template;
use tenon_app::deploy_key::{self, NewDeployKey};
use tenon_app::error::AppError;
use tenon_app::project::{self, EditProject};
use tenon_app::repository::{self, AccessChange, EditProtection, NewProtection, ProtectionView};
use tenon_app::{PageRequest, Query};
use tenon_domain::deploy_key::EnabledKey;
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::id::DeployKeyId;
use tenon_domain::page::Page;
use tenon_domain::repository::{Grantee, NO_ONE, ProtectedAction, ProtectionKind};
use tenon_domain::time::start_of_day;

use super::mirror::{self, Mirror};
use super::protected_ref::{self, LIST as ADDRESS};
use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::choice::Choice;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::{Form, day as typed_day};
use crate::kit::problems::Problems;
use crate::kit::words::Moment;
use crate::table::project::ProjectTable;

pub(super) fn routes(table: &mut ProjectTable) {
    table.page(ADDRESS, read, show);
    table.put(ADDRESS, change);
    table.post("/protected_branches", |context| protect(context, ProtectionKind::Branch));
    table.delete("/protected_branches", |context| unprotect(context, ProtectionKind::Branch));
    table.post("/protected_tags", |context| protect(context, ProtectionKind::Tag));
    table.delete("/protected_tags", |context| unprotect(context, ProtectionKind::Tag));
    table.post("/settings/mirror", change_mirror);
    table.post("/mirror/pull", update_mirror);
    table.post("/deploy_keys", add_key);
    table.act(Method::DELETE, "/deploy_keys/{id}", remove_key);
}

#[derive(Template)]
#[template(path = "project/repository.html")]
struct RepositoryPage {
    frame: Frame,
    project: ProjectFrame,
    problems: Problems,
    /// The form that the problems are about.
    wrong: Wrong,
    typed: FormValues,
    branches: Vec<Choice>,
    /// The levels that may push to, merge into, or make the refs of a new rule.
    push_levels: Vec<Choice>,
    merge_levels: Vec<Choice>,
    create_levels: Vec<Choice>,
    rules: Vec<Rule>,
    rules_total: i64,
    tags: Vec<Rule>,
    tags_total: i64,
    keys: Vec<Key>,
    keys_total: i64,
    may_manage_keys: bool,
    /// None for callers who may not change it.
    mirror: Option<Mirror>,
}

/// The form that was refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Wrong {
    #[default]
    None,
    Default,
    Mirror,
    Branch,
    Tag,
    Key,
}

impl Wrong {
    /// The prefix of the ids of the fields of the form.
    const fn anchor(self) -> &'static str {
        match self {
            Self::None | Self::Default | Self::Mirror => "",
            Self::Branch => "protected_branch-",
            Self::Tag => "protected_tag-",
            Self::Key => "deploy_key-",
        }
    }
}

impl RepositoryPage {
    /// True if a field of this form was refused.
    fn refuses(&self, form: Wrong, field: &str) -> bool {
        self.wrong == form && self.problems.has(field)
    }
}

/// The values of the form that was refused.
#[derive(Debug, Clone, Default)]
struct FormValues {
    name: String,
    push_level: String,
    merge_level: String,
    needs_code_owners: bool,
    title: String,
    key: String,
    can_push: bool,
    expires_at: String,
    mirror: Option<Mirror>,
}

/// The levels that a new rule may have. If the refused form is this one, its level is chosen.
fn levels(is_of_form: bool, typed: &str) -> Vec<Choice> {
    let chosen = if is_of_form && !typed.is_empty() { typed } else { "40" };
    protected_ref::level_choices(chosen)
}

/// A rule, with those whom it names in words.
struct Rule {
    name: String,
    push: String,
    merge: String,
    forced: bool,
    needs_code_owners: bool,
    may_change: bool,
    /// The address of its page.
    href: String,
}

impl Rule {
    fn new(project: &str, view: ProtectionView) -> Self {
        let words = |action| {
            let of_action = view.entries.iter().filter(|named| named.entry.action == action);
            let words = of_action.map(|named| match named.entry.grantee {
                Grantee::Level(value) => protected_ref::level_words(value).to_owned(),
                Grantee::User(_) | Grantee::Group(_) | Grantee::DeployKey(_) => named.description.clone(),
            });
            let words: Vec<String> = words.collect();
            if words.is_empty() { protected_ref::level_words(NO_ONE).to_owned() } else { words.join(", ") }
        };
        Self {
            push: words(ProtectedAction::Push),
            merge: words(ProtectedAction::Merge),
            forced: view.rule.allow_force_push,
            needs_code_owners: view.rule.needs_code_owners,
            may_change: view.may_change,
            href: format!("{project}{}", protected_ref::address(view.rule.kind, &view.rule.name)),
            name: view.rule.name,
        }
    }
}

struct Key {
    id: i64,
    title: String,
    text: String,
    can_push: bool,
    created: Moment,
    /// The moment from which it opens nothing, if there is one.
    expires: Option<Moment>,
}

/// The data of the page.
pub(super) struct PageData {
    rules: Page<ProtectionView>,
    tags: Page<ProtectionView>,
    keys: Option<Page<EnabledKey>>,
    mirror: Option<Mirror>,
}

pub(super) fn read(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<PageData, AppError> {
    query.user()?;
    let first = PageRequest::new(None, Some(PageRequest::MAX_PER_PAGE));
    let project = &asked.project;
    Ok(PageData {
        rules: repository::list_protections(query, project, ProtectionKind::Branch, first)?,
        tags: repository::list_protections(query, project, ProtectionKind::Tag, first)?,
        keys: crate::kit::error::permitted(deploy_key::list(query, project, first))?,
        mirror: mirror::read(query, asked)?,
    })
}

async fn show(context: ProjectContext, found: PageData) -> Result<Answer, PageError> {
    present(context, found, Wrong::None, FormValues::default(), Problems::default()).await
}

async fn present(
    context: ProjectContext,
    found: PageData,
    wrong: Wrong,
    typed: FormValues,
    problems: Problems,
) -> Result<Answer, PageError> {
    let project =
        ProjectFrame::new(&context.frame.root, &context.page, Tab::Settings).with_api_path("/protected_branches");
    let names = match context.code() {
        Ok(code) => repository::ref_names(context.request.app(), code).await?.branches,
        Err(_) => Vec::new(),
    };
    let usual = context.page.view.brief.project.default_branch.clone().unwrap_or_default();
    let is_listed = names.contains(&usual) || usual.is_empty();
    let more = (!is_listed).then(|| usual.clone());
    let branches = names.into_iter().chain(more).map(|name| Choice::new(&name, &name, name == usual)).collect();
    let key = |enabled: EnabledKey| Key {
        id: enabled.key.id.get(),
        title: enabled.key.title,
        text: enabled.key.text,
        can_push: enabled.can_push,
        created: enabled.key.created_at.into(),
        expires: enabled.key.expires_at.map(Into::into),
    };
    Answer::page(&RepositoryPage {
        mirror: typed.mirror.clone().or(found.mirror),
        may_manage_keys: found.keys.is_some(),
        push_levels: levels(wrong == Wrong::Branch, &typed.push_level),
        merge_levels: levels(wrong == Wrong::Branch, &typed.merge_level),
        create_levels: levels(wrong == Wrong::Tag, &typed.push_level),
        rules_total: found.rules.total,
        rules: found.rules.items.into_iter().map(|view| Rule::new(&project.href, view)).collect(),
        tags_total: found.tags.total,
        tags: found.tags.items.into_iter().map(|view| Rule::new(&project.href, view)).collect(),
        keys_total: found.keys.as_ref().map_or(0, |page| page.total),
        keys: found.keys.into_iter().flat_map(|page| page.items).map(key).collect(),
        frame: context.frame,
        project,
        problems,
        wrong,
        typed,
        branches,
    })
}

async fn refused(
    context: ProjectContext,
    wrong: Wrong,
    typed: FormValues,
    error: AppError,
) -> Result<Answer, PageError> {
    let problems = Problems::of(error)?;
    let asked = context.asked.clone();
    let (frame, found) = context.request.read(move |query| read(query, &asked)).await?;
    let page = present(ProjectContext { frame, ..context }, found, wrong, typed, problems).await?;
    Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
}

fn saved(context: &ProjectContext) -> Answer {
    context.done(ADDRESS).cookie(cookie::of_flash(Flash::SettingsSaved))
}

/// Changes the default branch.
async fn change(context: ProjectContext) -> Result<Answer, PageError> {
    let default_branch = context.request.form().filled("project", "default_branch");
    let project = context.project();
    let request = EditProject { default_branch, ..EditProject::default() };
    match context.request.write(move |command| project::edit(command, &project, request)).await {
        Ok(_) => Ok(saved(&context)),
        Err(error) => refused(context, Wrong::Default, FormValues::default(), error).await,
    }
}

async fn change_mirror(context: ProjectContext) -> Result<Answer, PageError> {
    let typed = Mirror::sent(context.request.form());
    let (project, request) = (context.project(), typed.request());
    match context.request.write(move |command| project::edit(command, &project, request)).await {
        Ok(_) => Ok(saved(&context)),
        Err(error) => {
            let typed = FormValues { mirror: Some(typed), ..FormValues::default() };
            refused(context, Wrong::Mirror, typed, error).await
        }
    }
}

/// Asks for an update of the mirror now.
async fn update_mirror(context: ProjectContext) -> Result<Answer, PageError> {
    let project = context.project();
    context.request.write(move |command| project::update_mirror(command, &project)).await?;
    Ok(context.done(ADDRESS).cookie(cookie::of_flash(Flash::MirrorScheduled)))
}

/// The level that a form names. The usual one if it names none.
fn asked_level(form: Form<'_>, object: &str, parameter: &str) -> AccessChange {
    let level = form.filled(object, parameter).map(|text| text.parse().unwrap_or(-1));
    AccessChange { level, ..AccessChange::default() }
}

async fn protect(context: ProjectContext, kind: ProtectionKind) -> Result<Answer, PageError> {
    let form = context.request.form();
    let (object, wrong) = match kind {
        ProtectionKind::Branch => ("protected_branch", Wrong::Branch),
        ProtectionKind::Tag => ("protected_tag", Wrong::Tag),
    };
    let name = form.filled(object, "name").unwrap_or_default();
    let push = match kind {
        ProtectionKind::Branch => "push_access_level",
        ProtectionKind::Tag => "create_access_level",
    };
    let permits = EditProtection {
        push: asked_level(form, object, push),
        merge: asked_level(form, object, "merge_access_level"),
        needs_code_owners: (kind == ProtectionKind::Branch)
            .then(|| form.ticked(object, "code_owner_approval_required")),
        ..EditProtection::default()
    };
    let request = NewProtection { name: name.clone(), permits };
    let project = context.project();
    match context.request.write(move |command| repository::protect(command, &project, kind, &request)).await {
        Ok(_) => Ok(saved(&context)),
        Err(error) => {
            let level = |parameter: &str| form.filled(object, parameter).unwrap_or_default();
            let (push_level, merge_level) = (level(push), level("merge_access_level"));
            let needs_code_owners = form.ticked(object, "code_owner_approval_required");
            let typed = FormValues { name, push_level, merge_level, needs_code_owners, ..FormValues::default() };
            refused(context, wrong, typed, error).await
        }
    }
}

/// Removes the rule that the form names: names of rules have slashes and asterisks.
async fn unprotect(context: ProjectContext, kind: ProtectionKind) -> Result<Answer, PageError> {
    let name = context.request.form().text("", "name");
    let project = context.project();
    context.request.write(move |command| repository::unprotect(command, &project, kind, &name, None)).await?;
    Ok(saved(&context))
}

async fn add_key(context: ProjectContext) -> Result<Answer, PageError> {
    let form = context.request.form();
    let key = form.filled("deploy_key", "key").unwrap_or_default();
    let title = form.filled("deploy_key", "title").unwrap_or_default();
    let can_push = form.ticked("deploy_key", "can_push");
    let expires_at = form.filled("deploy_key", "expires_at").unwrap_or_default();
    let typed = FormValues { title, key, can_push, expires_at, ..FormValues::default() };
    let day = match typed_day(&typed.expires_at, "expires_at", "Expiration date must be a date such as 2027-01-31") {
        Ok(day) => day,
        Err(_problems) => {
            let error = AppError::invalid("expires_at", "must be a date such as 2027-01-31");
            return refused(context, Wrong::Key, typed, error).await;
        }
    };
    let new = NewDeployKey::new(typed.title.clone(), typed.key.clone(), can_push, day.map(start_of_day));
    let project = context.project();
    let error = match context.request.write(move |command| deploy_key::create(command, &project, new)).await {
        Ok(enabled) if enabled.can_push == can_push => return Ok(saved(&context)),
        // A key that the project already has stays as it is.
        Ok(_) if can_push => AppError::invalid(
            "key",
            "is already added with read-only access; remove it first to add it with write access",
        ),
        Ok(_) => AppError::invalid(
            "key",
            "is already added with write access; remove it first to add it with read-only access",
        ),
        Err(error) => of_key(error),
    };
    refused(context, Wrong::Key, typed, error).await
}

/// The same error with the field names of the form. The use case puts their object in front of them.
fn of_key(error: AppError) -> AppError {
    let AppError::Invalid(fields) = error else { return error };
    let mut own = FieldErrors::default();
    for (field, texts) in fields.iter() {
        for text in texts {
            own.add(field.trim_start_matches("deploy_key."), text.clone());
        }
    }
    AppError::Invalid(own)
}

async fn remove_key(context: ProjectContext) -> Result<Answer, PageError> {
    let (project, id) = (context.project(), DeployKeyId::new(context.asked.number("id")?));
    context.request.write(move |command| deploy_key::delete(command, &project, id, None)).await?;
    Ok(saved(&context))
}
