//! The feature flags of a project, with their strategies.

use std::collections::BTreeMap;

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::feature_flag::{self, FlagChange, FlagView, ScopeChange, StrategyChange};
use tenon_app::{PageRequest, Query, Reference};
use tenon_domain::feature_flag::{FeatureFlag, Strategy, StrategyKind, UserList};
use tenon_domain::id::{FlagStrategyId, UserListId};
use tenon_domain::page::Page;

use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::choice::Choice;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::{Form, OriginalValues, patch};
use crate::kit::pagination::{Pagination, chosen};
use crate::kit::problems::Problems;
use crate::table::project::ProjectTable;

const ADDRESS: &str = "/feature_flags";
const FLAG: &str = "feature_flag";
const STRATEGY: &str = "strategy";
/// The most lists of users that the form of a strategy offers.
const OFFERED: i64 = 100;

pub(crate) fn routes(table: &mut ProjectTable) {
    table.page(ADDRESS, read_list, list);
    table.post(ADDRESS, create);
    table.page("/feature_flags/new", read_new, new);
    // A flag may be called `new`, so that its own address ends with a word.
    table.page("/feature_flags/{name}/edit", read_one, edit);
    table.put("/feature_flags/{name}/edit", update);
    table.delete("/feature_flags/{name}/edit", delete);
    table.post("/feature_flags/{name}/toggle", toggle);
    table.post("/feature_flags/{name}/strategies", add_strategy);
    table.delete("/feature_flags/{name}/strategies/{id}", remove_strategy);
}

struct Row {
    name: String,
    description: String,
    is_on: bool,
    strategies: usize,
}

#[derive(Template)]
#[template(path = "feature_flag/list.html")]
struct ListPage {
    frame: Frame,
    project: ProjectFrame,
    rows: Vec<Row>,
    pages: Pagination,
    /// True if the project can be changed.
    may_manage: bool,
}

fn read_list(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<Page<FlagView>, AppError> {
    query.user()?;
    feature_flag::list(query, &asked.project, None, chosen(&asked.query))
}

async fn list(context: ProjectContext, found: Page<FlagView>) -> Result<Answer, PageError> {
    let (project, pages) = (frame(&context, ADDRESS), Pagination::of(&found));
    let row = |view: FlagView| Row {
        name: view.flag.name,
        description: view.flag.description.unwrap_or_default(),
        is_on: view.flag.active,
        strategies: view.flag.strategies.len(),
    };
    let rows = found.items.into_iter().map(row).collect();
    let may_manage = context.page.may.manage_feature_flags;
    Answer::cacheable(&ListPage { frame: context.frame, project, rows, pages, may_manage })
}

fn frame(context: &ProjectContext, api_path: &str) -> ProjectFrame {
    ProjectFrame::new(&context.frame.root, &context.page, Tab::Pipelines).with_api_path(api_path)
}

/// The values of the form of a flag.
#[derive(Default)]
struct FlagValues {
    name: String,
    description: String,
    /// The fields as the page had them at first ([`OriginalValues::field`]). Empty for a new flag.
    shown: String,
}

impl FlagValues {
    fn of(flag: &FeatureFlag) -> Self {
        let description = flag.description.clone().unwrap_or_default();
        let shown =
            OriginalValues::of([("name", flag.name.as_str().into()), ("description", description.as_str().into())]);
        Self { name: flag.name.clone(), description, shown: shown.field() }
    }

    fn sent(form: Form<'_>) -> Self {
        Self {
            name: form.text(FLAG, "name"),
            description: form.text(FLAG, "description"),
            shown: OriginalValues::sent(form).field(),
        }
    }
}

/// The fields that the form of a flag has.
fn changed(form: Form<'_>) -> FlagChange {
    FlagChange {
        name: form.has(FLAG, "name").then(|| form.text(FLAG, "name").trim().to_owned()),
        description: patch(form.has(FLAG, "description"), form.filled(FLAG, "description")),
        ..FlagChange::default()
    }
}

/// The values of the form of a new strategy.
struct StrategyValues {
    kind: String,
    percentage: String,
    users: String,
    list: String,
    environments: String,
}

impl Default for StrategyValues {
    fn default() -> Self {
        Self {
            kind: StrategyKind::Default.as_str().to_owned(),
            percentage: String::new(),
            users: String::new(),
            list: String::new(),
            environments: "*".to_owned(),
        }
    }
}

impl StrategyValues {
    fn sent(form: Form<'_>) -> Self {
        let text = |field: &str| form.text(STRATEGY, field);
        Self {
            kind: text("name"),
            percentage: text("percentage"),
            users: text("users"),
            list: text("user_list_id"),
            environments: text("environments"),
        }
    }

    fn kinds(&self) -> Vec<Choice> {
        let known = StrategyKind::ALL.iter();
        known.map(|kind| Choice::new(kind.as_str(), words(*kind), self.kind == kind.as_str())).collect()
    }

    /// The strategy that the form asks for.
    fn change(&self) -> StrategyChange {
        let kind = StrategyKind::parse(&self.kind);
        let percentage = self.percentage.trim().to_owned();
        let parameters: Vec<(&str, String)> = match kind {
            None | Some(StrategyKind::Default | StrategyKind::UserList) => Vec::new(),
            Some(StrategyKind::UserWithId) => vec![("userIds", self.users.trim().to_owned())],
            Some(StrategyKind::GradualRolloutUserId) => {
                vec![("groupId", "default".to_owned()), ("percentage", percentage)]
            }
            Some(StrategyKind::FlexibleRollout) => {
                let fixed = |text: &str| text.to_owned();
                vec![("groupId", fixed("default")), ("rollout", percentage), ("stickiness", fixed("default"))]
            }
        };
        let environments = self.environments.split(',').map(str::trim).filter(|name| !name.is_empty());
        let scope = |name: &str| ScopeChange { environment: Some(name.to_owned()), ..ScopeChange::default() };
        StrategyChange {
            kind,
            parameters: parameters
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect::<BTreeMap<_, _>>(),
            user_list: self.list.parse().ok().map(UserListId::new),
            scopes: environments.map(scope).collect(),
            ..StrategyChange::default()
        }
    }
}

/// A kind of strategies in words.
const fn words(kind: StrategyKind) -> &'static str {
    match kind {
        StrategyKind::Default => "All users",
        StrategyKind::GradualRolloutUserId => "Percent of users by ID",
        StrategyKind::UserWithId => "User IDs",
        StrategyKind::UserList => "User list",
        StrategyKind::FlexibleRollout => "Percent rollout",
    }
}

struct StrategyLine {
    id: i64,
    words: &'static str,
    /// The users or the percentage.
    detail: String,
    environments: Vec<String>,
}

impl StrategyLine {
    fn new(strategy: Strategy, lists: &std::collections::HashMap<UserListId, UserList>) -> Self {
        let parameter = |name: &str| strategy.parameters.get(name).cloned().unwrap_or_default();
        let detail = match strategy.kind {
            StrategyKind::Default => String::new(),
            StrategyKind::GradualRolloutUserId => format!("{}%", parameter("percentage")),
            StrategyKind::FlexibleRollout => format!("{}%", parameter("rollout")),
            StrategyKind::UserWithId => parameter("userIds"),
            StrategyKind::UserList => {
                let list = strategy.user_list.and_then(|id| lists.get(&id));
                list.map(|list| list.name.clone()).unwrap_or_default()
            }
        };
        Self {
            id: strategy.id.get(),
            words: words(strategy.kind),
            detail,
            environments: strategy.scopes.into_iter().map(|scope| scope.environment).collect(),
        }
    }
}

#[derive(Template)]
#[template(path = "feature_flag/new.html")]
struct NewPage {
    frame: Frame,
    project: ProjectFrame,
    /// The address to which the form is sent, and the address of the list.
    action: String,
    href: String,
    typed: FlagValues,
    problems: Problems,
}

fn read_new(query: &mut Query<'_>, _: &ProjectRequest) -> Result<(), AppError> {
    query.user().map(drop)
}

async fn new(context: ProjectContext, (): ()) -> Result<Answer, PageError> {
    if !context.page.may.manage_feature_flags {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    present_new(context, FlagValues::default(), Problems::default())
}

fn present_new(context: ProjectContext, typed: FlagValues, problems: Problems) -> Result<Answer, PageError> {
    let project = frame(&context, ADDRESS);
    let href = format!("{}{ADDRESS}", project.href);
    Answer::page(&NewPage { frame: context.frame, project, action: href.clone(), href, typed, problems })
}

async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let (project, change) = (context.project(), changed(context.request.form()));
    match context.request.write(move |command| feature_flag::create(command, &project, change)).await {
        Ok(made) => Ok(saved(&context, &made.flag.name)),
        Err(error) => {
            let typed = FlagValues::sent(context.request.form());
            Ok(present_new(context, typed, Problems::of(error)?)?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

/// Leads to the page of a flag that was saved.
fn saved(context: &ProjectContext, name: &str) -> Answer {
    context.done(&format!("{ADDRESS}/{name}/edit")).cookie(cookie::of_flash(Flash::FeatureFlagSaved))
}

#[derive(Template)]
#[template(path = "feature_flag/edit.html")]
struct EditPage {
    frame: Frame,
    project: ProjectFrame,
    /// The name of the flag as it is stored.
    name: String,
    /// The address of the flag without the last word, its own address, and that of the list.
    below: String,
    action: String,
    href: String,
    is_on: bool,
    strategies: Vec<StrategyLine>,
    lists: Vec<Choice>,
    typed: FlagValues,
    problems: Problems,
    strategy: StrategyValues,
    strategy_problems: Problems,
    may_manage: bool,
}

/// A flag, and the lists that its strategies may name.
type Found = (FlagView, Page<UserList>);

fn name(asked: &ProjectRequest) -> String {
    asked.segment("name").to_owned()
}

fn read_one(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<Found, AppError> {
    query.user()?;
    read(query, &asked.project, &name(asked))
}

fn read(query: &mut Query<'_>, project: &Reference, name: &str) -> Result<Found, AppError> {
    let view = feature_flag::show(query, project, name)?;
    let first = PageRequest::new(None, Some(OFFERED));
    Ok((view, feature_flag::user_lists(query, project, None, first)?))
}

async fn edit(context: ProjectContext, found: Found) -> Result<Answer, PageError> {
    let typed = FlagValues::of(&found.0.flag);
    let (strategy, none) = (StrategyValues::default(), Problems::default());
    present(context, found, (typed, Problems::default()), (strategy, none))
}

fn present(
    context: ProjectContext,
    (view, lists): Found,
    (typed, problems): (FlagValues, Problems),
    (strategy, strategy_problems): (StrategyValues, Problems),
) -> Result<Answer, PageError> {
    let FlagView { flag, lists: named } = view;
    let project = frame(&context, &format!("{ADDRESS}/{}", flag.name));
    let href = format!("{}{ADDRESS}", project.href);
    let below = format!("{href}/{}", flag.name);
    let choice = |list: UserList| {
        let id = list.id.to_string();
        Choice::new(&id, &list.name, id == strategy.list)
    };
    let lists = lists.items.into_iter().map(choice).collect();
    Answer::page(&EditPage {
        action: format!("{below}/edit"),
        may_manage: context.page.may.manage_feature_flags,
        frame: context.frame,
        project,
        name: flag.name,
        below,
        href,
        is_on: flag.active,
        strategies: flag.strategies.into_iter().map(|one| StrategyLine::new(one, &named)).collect(),
        lists,
        typed,
        problems,
        strategy,
        strategy_problems,
    })
}

/// The page of a flag again, after a form of it was refused.
async fn again(
    context: ProjectContext,
    typed: Option<(FlagValues, Problems)>,
    strategy: Option<(StrategyValues, Problems)>,
) -> Result<Answer, PageError> {
    let asked = context.asked.clone();
    let (frame, found) = context.request.read(move |query| read_one(query, &asked)).await?;
    let typed = typed.unwrap_or_else(|| (FlagValues::of(&found.0.flag), Problems::default()));
    let page = present(ProjectContext { frame, ..context }, found, typed, strategy.unwrap_or_default())?;
    Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
}

async fn update(context: ProjectContext) -> Result<Answer, PageError> {
    let (project, name) = (context.project(), name(&context.asked));
    let shown = OriginalValues::sent(context.request.form());
    let change = changed(context.request.form().changed(&shown));
    match context.request.write(move |command| feature_flag::edit(command, &project, &name, change)).await {
        Ok(view) => Ok(saved(&context, &view.flag.name)),
        Err(error) => {
            let typed = FlagValues::sent(context.request.form());
            again(context, Some((typed, Problems::of(error)?)), None).await
        }
    }
}

/// Switches a flag on, or off.
async fn toggle(context: ProjectContext) -> Result<Answer, PageError> {
    let (project, name) = (context.project(), name(&context.asked));
    let active = Some(context.request.form().text(FLAG, "active") == "1");
    let change = FlagChange { active, ..FlagChange::default() };
    context.request.write(move |command| feature_flag::edit(command, &project, &name, change)).await?;
    Ok(context.done(ADDRESS).cookie(cookie::of_flash(Flash::FeatureFlagSaved)))
}

async fn delete(context: ProjectContext) -> Result<Answer, PageError> {
    let (project, name) = (context.project(), name(&context.asked));
    context.request.write(move |command| feature_flag::delete(command, &project, &name, None)).await?;
    Ok(context.done(ADDRESS).cookie(cookie::of_flash(Flash::FeatureFlagDeleted)))
}

async fn add_strategy(context: ProjectContext) -> Result<Answer, PageError> {
    let (project, name) = (context.project(), name(&context.asked));
    let typed = StrategyValues::sent(context.request.form());
    let change = FlagChange { strategies: vec![typed.change()], ..FlagChange::default() };
    match context.request.write(move |command| feature_flag::edit(command, &project, &name, change)).await {
        Ok(view) => Ok(saved(&context, &view.flag.name)),
        Err(AppError::Invalid(fields)) => again(context, None, Some((typed, Problems::about("name", &fields)))).await,
        Err(error) => Err(error.into()),
    }
}

async fn remove_strategy(context: ProjectContext) -> Result<Answer, PageError> {
    let (project, name) = (context.project(), name(&context.asked));
    let id = Some(FlagStrategyId::new(context.asked.number("id")?));
    let gone = StrategyChange { id, is_removed: true, ..StrategyChange::default() };
    let change = FlagChange { strategies: vec![gone], ..FlagChange::default() };
    let written = context.request.write(move |command| feature_flag::edit(command, &project, &name, change));
    let view = written.await?;
    Ok(saved(&context, &view.flag.name))
}
