//! One rule about protected branches or tags: who may do what.

use actix_web::http::StatusCode;
use askama::Template;
use serde_json::Value;
use tenon_app::error::AppError;
use tenon_app::repository::{self, AccessChange, EditProtection, EntryChange, ProtectionView};
use tenon_app::{PageRequest, Query, deploy_key};
use tenon_domain::id::DeployKeyId;
use tenon_domain::repository::{Grantee, NO_ONE, ProtectedAction, ProtectionKind};

use super::approval_rules::references;
use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::in_query;
use crate::kit::answer::Answer;
use crate::kit::choice::Choice;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::{Form, OriginalValues};
use crate::kit::problems::Problems;
use crate::table::project::ProjectTable;

const FORM: &str = "rule";
/// The address of the page with all rules, below the project.
pub(super) const LIST: &str = "/settings/repository";
const BRANCH: &str = "/settings/protected_branch";
const TAG: &str = "/settings/protected_tag";

pub(super) fn routes(table: &mut ProjectTable) {
    table.page(BRANCH, |query, asked| read_asked(query, asked, ProtectionKind::Branch), show);
    table.put(BRANCH, |context| update(context, ProtectionKind::Branch));
    table.page(TAG, |query, asked| read_asked(query, asked, ProtectionKind::Tag), show);
    table.put(TAG, |context| update(context, ProtectionKind::Tag));
}

const fn path(kind: ProtectionKind) -> &'static str {
    match kind {
        ProtectionKind::Branch => BRANCH,
        ProtectionKind::Tag => TAG,
    }
}

/// The address of the page of a rule below its project. Names of rules have slashes and asterisks.
pub(super) fn address(kind: ProtectionKind, name: &str) -> String {
    format!("{}?name={}", path(kind), in_query(name))
}

/// One thing that a rule permits: the action, the key of its fields, the parameter that refusals name, and the words.
type Action = (ProtectedAction, &'static str, &'static str, &'static str);

const fn actions(kind: ProtectionKind) -> &'static [Action] {
    match kind {
        ProtectionKind::Branch => &[
            (ProtectedAction::Push, "push", "allowed_to_push", "Allowed to push"),
            (ProtectedAction::Merge, "merge", "allowed_to_merge", "Allowed to merge"),
            (
                ProtectedAction::Unprotect,
                "unprotect",
                "allowed_to_unprotect",
                "Maintainers who can change and remove this rule",
            ),
        ],
        ProtectionKind::Tag => &[(ProtectedAction::Push, "create", "allowed_to_create", "Allowed to create")],
    }
}

#[derive(Template)]
#[template(path = "project/protected_ref.html")]
struct RulePage {
    frame: Frame,
    project: ProjectFrame,
    problems: Problems,
    title: &'static str,
    name: String,
    path: &'static str,
    shown: String,
    actions: Vec<AccessFields>,
    /// True if a push may be forced. None for tags.
    forced: Option<bool>,
    /// True if code owners approve.
    needs_code_owners: bool,
}

/// The fields about one action.
struct AccessFields {
    key: &'static str,
    parameter: &'static str,
    legend: &'static str,
    levels: Vec<Choice>,
    users: String,
    groups: String,
    keys: Vec<Choice>,
}

/// The values of the fields about one action.
struct AccessValues {
    level: String,
    users: String,
    groups: String,
    keys: Vec<String>,
}

/// The names of the fields of an action.
fn fields(key: &str) -> [String; 4] {
    ["level", "users", "groups", "keys"].map(|field| format!("{key}_{field}"))
}

impl AccessValues {
    fn of(view: &ProtectionView, action: ProtectedAction) -> Self {
        let named = || view.entries.iter().filter(|named| named.entry.action == action);
        let handles = |is_wanted: fn(&Grantee) -> bool| -> Vec<String> {
            let wanted = named().filter(|named| is_wanted(&named.entry.grantee));
            wanted.map(|named| named.handle.clone()).collect()
        };
        // The lowest level includes the others, except for no one.
        let levels = named().filter_map(|named| match named.entry.grantee {
            Grantee::Level(level) => Some(level),
            Grantee::User(_) | Grantee::Group(_) | Grantee::DeployKey(_) => None,
        });
        let level = levels.min_by_key(|level| if *level == 0 { i64::MAX } else { *level });
        Self {
            level: level.map(|level| level.to_string()).unwrap_or_default(),
            users: handles(|grantee| matches!(grantee, Grantee::User(_))).join(", "),
            groups: handles(|grantee| matches!(grantee, Grantee::Group(_))).join(", "),
            keys: handles(|grantee| matches!(grantee, Grantee::DeployKey(_))),
        }
    }

    fn sent(form: Form<'_>, key: &str) -> Self {
        let [level, users, groups, keys] = fields(key);
        Self {
            level: form.filled(FORM, &level).unwrap_or_default(),
            users: form.text(FORM, &users),
            groups: form.text(FORM, &groups),
            keys: form.list(FORM, &keys).into_iter().filter(|key| !key.is_empty()).map(str::to_owned).collect(),
        }
    }

    /// The request of a form. All fields of an action go together: without a change it says nothing.
    fn asked(form: Form<'_>, key: &str) -> AccessChange {
        if !fields(key).iter().any(|field| form.has(FORM, field)) {
            return AccessChange::default();
        }
        let values = Self::sent(form, key);
        let level = (!values.level.is_empty()).then(|| values.level.parse().unwrap_or(-1));
        let user = |name| EntryChange { user: Some(name), ..EntryChange::default() };
        let group = |path| EntryChange { group: Some(path), ..EntryChange::default() };
        let key = |id: &String| {
            let deploy_key = Some(DeployKeyId::new(id.parse().unwrap_or(0)));
            EntryChange { deploy_key, ..EntryChange::default() }
        };
        let entries = references(&values.users).into_iter().map(user);
        let entries = entries.chain(references(&values.groups).into_iter().map(group));
        let entries = entries.chain(values.keys.iter().map(key));
        AccessChange { level, entries: entries.collect(), is_all: true }
    }
}

/// The values of the form.
struct FormValues {
    /// In the order of the actions.
    actions: Vec<AccessValues>,
    forced: bool,
    needs_code_owners: bool,
    /// The fields as the page had them at first ([`OriginalValues::field`]).
    shown: String,
}

impl FormValues {
    fn of(view: &ProtectionView) -> Self {
        let values = actions(view.rule.kind).iter().map(|(action, ..)| AccessValues::of(view, *action));
        Self {
            actions: values.collect(),
            forced: view.rule.allow_force_push,
            needs_code_owners: view.rule.needs_code_owners,
            shown: shown(view).field(),
        }
    }

    fn sent(form: Form<'_>, kind: ProtectionKind) -> Self {
        Self {
            actions: actions(kind).iter().map(|(_, key, ..)| AccessValues::sent(form, key)).collect(),
            forced: form.ticked(FORM, "allow_force_push"),
            needs_code_owners: form.ticked(FORM, "code_owner_approval_required"),
            shown: OriginalValues::sent(form).field(),
        }
    }
}

/// A rule and the deploy keys that it may name, with their titles.
struct Found {
    view: ProtectionView,
    keys: Vec<(String, String)>,
}

fn read_asked(query: &mut Query<'_>, asked: &ProjectRequest, kind: ProtectionKind) -> Result<Found, AppError> {
    query.user()?;
    read(query, asked, kind, asked.query.text("name").unwrap_or_default())
}

fn read(query: &mut Query<'_>, asked: &ProjectRequest, kind: ProtectionKind, name: &str) -> Result<Found, AppError> {
    let view = repository::protection(query, &asked.project, kind, name)?;
    let first = PageRequest::new(None, Some(PageRequest::MAX_PER_PAGE));
    let enabled = deploy_key::list(query, &asked.project, first)?.items.into_iter().filter(|enabled| enabled.can_push);
    let mut keys: Vec<(String, String)> =
        enabled.map(|enabled| (enabled.key.id.to_string(), enabled.key.title)).collect();
    for named in &view.entries {
        let is_key = matches!(named.entry.grantee, Grantee::DeployKey(_));
        if is_key && keys.iter().all(|(id, _)| *id != named.handle) {
            keys.push((named.handle.clone(), named.description.clone()));
        }
    }
    Ok(Found { view, keys })
}

async fn show(context: ProjectContext, found: Found) -> Result<Answer, PageError> {
    let values = FormValues::of(&found.view);
    present(context, found, values, Problems::default())
}

/// The entries of a rule, as fields that a page carries to find out what was changed.
fn shown(view: &ProtectionView) -> OriginalValues {
    let mut shown = OriginalValues::default();
    for (action, key, ..) in actions(view.rule.kind) {
        let values = AccessValues::of(view, *action);
        let [level, users, groups, keys] = fields(key);
        let of_keys = Value::Array(values.keys.into_iter().map(Value::String).collect());
        shown = shown.with(&level, values.level.into()).with(&users, values.users.into());
        shown = shown.with(&groups, values.groups.into()).with(&keys, of_keys);
    }
    let shown = shown.with("allow_force_push", Value::Bool(view.rule.allow_force_push));
    shown.with("code_owner_approval_required", Value::Bool(view.rule.needs_code_owners))
}

fn present(context: ProjectContext, found: Found, values: FormValues, problems: Problems) -> Result<Answer, PageError> {
    let (rule, offered) = (found.view.rule, found.keys);
    let kind = rule.kind;
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Settings).with_api_path(match kind {
        ProtectionKind::Branch => "/protected_branches",
        ProtectionKind::Tag => "/protected_tags",
    });
    let of_action = |((action, key, parameter, legend), values): (&Action, AccessValues)| {
        let keys = if *action == ProtectedAction::Push { offered.as_slice() } else { &[] };
        let choice = |(id, title): &(String, String)| Choice::new(id, title, values.keys.contains(id));
        AccessFields {
            key,
            parameter,
            legend,
            levels: levels(*action, &values.level),
            keys: keys.iter().map(choice).collect(),
            users: values.users,
            groups: values.groups,
        }
    };
    Answer::page(&RulePage {
        title: match kind {
            ProtectionKind::Branch => "Edit protected branch",
            ProtectionKind::Tag => "Edit protected tag",
        },
        name: rule.name,
        path: path(kind),
        shown: values.shown,
        forced: (kind == ProtectionKind::Branch).then_some(values.forced),
        needs_code_owners: values.needs_code_owners,
        actions: actions(kind).iter().zip(values.actions).map(of_action).collect(),
        frame: context.frame,
        project,
        problems,
    })
}

/// The levels that a rule may name, in words.
const LEVELS: [(i64, &str); 3] = [(40, "Maintainers"), (30, "Developers and Maintainers"), (NO_ONE, "No one")];

/// A level in words.
pub(super) fn level_words(level: i64) -> &'static str {
    LEVELS.into_iter().find(|(value, _)| *value == level).map_or("Others", |(_, words)| words)
}

/// The levels as choices.
pub(super) fn level_choices(chosen: &str) -> Vec<Choice> {
    let choice = |(level, words): (i64, &str)| Choice::new(&level.to_string(), words, level.to_string() == chosen);
    LEVELS.into_iter().map(choice).collect()
}

/// The levels that a rule may name for an action, and none.
fn levels(action: ProtectedAction, chosen: &str) -> Vec<Choice> {
    let mut offered = level_choices(chosen);
    if action == ProtectedAction::Unprotect {
        offered.retain(|choice| choice.value == "40" || choice.chosen);
    }
    offered.push(Choice::new("", "Only those named below", chosen.is_empty()));
    offered
}

async fn update(context: ProjectContext, kind: ProtectionKind) -> Result<Answer, PageError> {
    let name = context.request.form().text("", "name");
    let values = FormValues::sent(context.request.form(), kind);
    let original = OriginalValues::sent(context.request.form());
    let form = context.request.form().changed(&original);
    let forced = form.has(FORM, "allow_force_push").then_some(values.forced);
    let needs_code_owners = form.has(FORM, "code_owner_approval_required").then_some(values.needs_code_owners);
    let mut request = EditProtection { allow_force_push: forced, needs_code_owners, ..EditProtection::default() };
    for (action, key, ..) in actions(kind) {
        let asked = AccessValues::asked(form, key);
        match action {
            ProtectedAction::Push => request.push = asked,
            ProtectedAction::Merge => request.merge = asked,
            ProtectedAction::Unprotect => request.unprotect = asked,
        }
    }
    let (project, of_rule) = (context.project(), name.clone());
    let saved = context
        .request
        .write(move |command| repository::edit_protection(command, &project, (kind, &of_rule), &request, None))
        .await;
    match saved {
        Ok(_) => Ok(context.done(LIST).cookie(cookie::of_flash(Flash::SettingsSaved))),
        Err(error) => {
            let problems = Problems::of(error)?;
            let asked = context.asked.clone();
            let (frame, found) = context.request.read(move |query| read(query, &asked, kind, &name)).await?;
            let page = present(ProjectContext { frame, ..context }, found, values, problems)?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}
