//! The rules of a project about approvals: how many of whom a merge request needs.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::merge_request::{self, ApprovalRuleView, EditApprovalRule, NewApprovalRule};
use tenon_app::{Query, Reference};
use tenon_domain::id::ApprovalRuleId;
use tenon_domain::merge_request::RuleKind;
use tenon_domain::page::Page;

use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::{Form, OriginalValues};
use crate::kit::pagination::{Pagination, chosen};
use crate::kit::problems::Problems;
use crate::parts::links::PersonLink;
use crate::table::project::ProjectTable;

const FORM: &str = "rule";
const ADDRESS: &str = "/settings/approval_rules";

pub(super) fn routes(table: &mut ProjectTable) {
    table.page("/settings/approval_rules", read_list, list);
    table.post("/settings/approval_rules", create);
    table.page("/settings/approval_rules/{id}/edit", read_one, edit);
    table.put("/settings/approval_rules/{id}", update);
    table.delete("/settings/approval_rules/{id}", delete);
}

#[derive(Template)]
#[template(path = "project/approval_rules.html")]
struct ListPage {
    frame: Frame,
    project: ProjectFrame,
    problems: Problems,
    rules: Vec<Row>,
    pages: Pagination,
    typed: FormValues,
}

#[derive(Template)]
#[template(path = "project/approval_rule.html")]
struct EditPage {
    frame: Frame,
    project: ProjectFrame,
    problems: Problems,
    id: i64,
    has_hidden_groups: bool,
    typed: FormValues,
}

struct Row {
    id: i64,
    name: String,
    required: i64,
    /// True if everyone who may approve counts.
    is_for_all: bool,
    people: Vec<PersonLink>,
    /// The groups: names, and addresses.
    groups: Vec<(String, String)>,
    has_hidden_groups: bool,
}

#[derive(Default)]
struct FormValues {
    name: String,
    required: String,
    is_for_all: bool,
    users: String,
    groups: String,
    /// The fields as the page had them at first ([`OriginalValues::field`]). Empty for a new rule.
    shown: String,
}

impl FormValues {
    fn of(view: &ApprovalRuleView) -> Self {
        let users: Vec<&str> = view.users.iter().map(|user| user.username.as_str()).collect();
        let groups: Vec<&str> = view.groups.iter().map(|group| group.namespace.full_path.as_str()).collect();
        let values = Self {
            name: view.rule.name.clone(),
            required: view.rule.required.to_string(),
            is_for_all: view.rule.kind == RuleKind::AnyApprover,
            users: users.join(", "),
            groups: groups.join(", "),
            shown: String::new(),
        };
        let shown = OriginalValues::of([
            ("name", values.name.as_str().into()),
            ("approvals_required", values.required.as_str().into()),
            ("users", values.users.as_str().into()),
            ("groups", values.groups.as_str().into()),
        ]);
        Self { shown: shown.field(), ..values }
    }

    fn sent(form: Form<'_>) -> Self {
        Self {
            name: form.filled(FORM, "name").unwrap_or_default(),
            required: form.filled(FORM, "approvals_required").unwrap_or_default(),
            is_for_all: form.ticked(FORM, "for_all"),
            users: form.text(FORM, "users"),
            groups: form.text(FORM, "groups"),
            shown: OriginalValues::sent(form).field(),
        }
    }

    fn required(&self) -> Result<i64, AppError> {
        self.required.parse().map_err(|_no_number| AppError::invalid("approvals_required", "is not a number"))
    }
}

/// The names in a field: between commas or blanks, with or without `@` in front.
fn names(typed: &str) -> Vec<String> {
    let names = typed.split(|c: char| c == ',' || c.is_whitespace()).map(|name| name.trim_start_matches('@'));
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The names in a field ([`names`]), for use cases.
pub(super) fn references(typed: &str) -> Vec<Reference> {
    names(typed).into_iter().map(Reference::Path).collect()
}

fn id_of(asked: &ProjectRequest) -> Result<ApprovalRuleId, AppError> {
    asked.number("id").map(ApprovalRuleId::new)
}

/// The rules, for those who may change them.
fn read_list(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<Page<ApprovalRuleView>, AppError> {
    query.user()?;
    merge_request::approval_settings(query, &asked.project)?;
    merge_request::approval_rules(query, &asked.project, chosen(&asked.query))
}

async fn list(context: ProjectContext, found: Page<ApprovalRuleView>) -> Result<Answer, PageError> {
    let typed = FormValues { required: "1".to_owned(), ..FormValues::default() };
    present_list(context, found, typed, Problems::default())
}

fn present_list(
    context: ProjectContext,
    found: Page<ApprovalRuleView>,
    typed: FormValues,
    problems: Problems,
) -> Result<Answer, PageError> {
    let frame = context.frame;
    let project = ProjectFrame::new(&frame.root, &context.page, Tab::Settings).with_api_path("/approval_rules");
    let pages = Pagination::of(&found).at(&format!("{}{ADDRESS}", project.href));
    let row = |view: ApprovalRuleView| Row {
        id: view.rule.id.get(),
        name: view.rule.name,
        required: view.rule.required,
        is_for_all: view.rule.kind == RuleKind::AnyApprover,
        people: view.users.iter().map(|user| PersonLink::new(&frame, user)).collect(),
        groups: view
            .groups
            .into_iter()
            .map(|group| (group.namespace.full_name, format!("{}/groups/{}", frame.root, group.namespace.full_path)))
            .collect(),
        has_hidden_groups: view.has_hidden_groups,
    };
    let rules = found.items.into_iter().map(row).collect();
    Answer::page(&ListPage { frame, project, problems, rules, pages, typed })
}

async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let typed = FormValues::sent(context.request.form());
    let made = match typed.required() {
        Ok(required) => {
            let (project, name) = (context.project(), typed.name.clone());
            let kind = if typed.is_for_all { RuleKind::AnyApprover } else { RuleKind::Regular };
            let (users, groups) = (references(&typed.users), references(&typed.groups));
            let request = NewApprovalRule { name, kind, required, users, groups };
            context.request.write(move |command| merge_request::create_rule(command, &project, request)).await
        }
        Err(error) => Err(error),
    };
    match made {
        Ok(_) => Ok(context.done(ADDRESS).cookie(cookie::of_flash(Flash::RuleSaved))),
        Err(error) => {
            let problems = Problems::of(error)?;
            let asked = context.asked.clone();
            let (frame, found) = context.request.read(move |query| read_list(query, &asked)).await?;
            let page = present_list(ProjectContext { frame, ..context }, found, typed, problems)?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

fn read_one(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<ApprovalRuleView, AppError> {
    query.user()?;
    merge_request::approval_settings(query, &asked.project)?;
    merge_request::approval_rule(query, &asked.project, id_of(asked)?)
}

async fn edit(context: ProjectContext, found: ApprovalRuleView) -> Result<Answer, PageError> {
    let typed = FormValues::of(&found);
    present(context, &found, typed, Problems::default())
}

fn present(
    context: ProjectContext,
    found: &ApprovalRuleView,
    typed: FormValues,
    problems: Problems,
) -> Result<Answer, PageError> {
    let id = found.rule.id.get();
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Settings)
        .with_api_path(&format!("/approval_rules/{id}"));
    let typed = FormValues { is_for_all: found.rule.kind == RuleKind::AnyApprover, ..typed };
    let has_hidden_groups = found.has_hidden_groups;
    Answer::page(&EditPage { frame: context.frame, project, problems, id, has_hidden_groups, typed })
}

async fn update(context: ProjectContext) -> Result<Answer, PageError> {
    let id = id_of(&context.asked)?;
    let shown = OriginalValues::sent(context.request.form());
    let form = context.request.form().changed(&shown);
    let typed = FormValues::sent(context.request.form());
    let required = if form.has(FORM, "approvals_required") { typed.required().map(Some) } else { Ok(None) };
    let saved = match required {
        Ok(required) => {
            let project = context.project();
            let name = form.has(FORM, "name").then(|| typed.name.clone());
            let users = form.has(FORM, "users").then(|| references(&typed.users));
            let groups = form.has(FORM, "groups").then(|| references(&typed.groups));
            let request = EditApprovalRule { name, required, users, groups };
            context.request.write(move |command| merge_request::edit_rule(command, &project, id, request)).await
        }
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => Ok(context.done(ADDRESS).cookie(cookie::of_flash(Flash::RuleSaved))),
        Err(error) => {
            let problems = Problems::of(error)?;
            let asked = context.asked.clone();
            let (frame, found) = context.request.read(move |query| read_one(query, &asked)).await?;
            let page = present(ProjectContext { frame, ..context }, &found, typed, problems)?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

async fn delete(context: ProjectContext) -> Result<Answer, PageError> {
    let (project, id) = (context.project(), id_of(&context.asked)?);
    context.request.write(move |command| merge_request::delete_rule(command, &project, id)).await?;
    Ok(context.done(ADDRESS).cookie(cookie::of_flash(Flash::RuleDeleted)))
}
