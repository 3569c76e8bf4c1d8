//! The environments of a project, and what was deployed to them.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::Query;
use tenon_app::deployment::{self, DeploymentView};
use tenon_app::environment::{self, EnvironmentChange, EnvironmentDetail, EnvironmentsPage};
use tenon_app::error::AppError;
use tenon_domain::deployment::{Deployment, DeploymentStatus};
use tenon_domain::environment::{Environment, EnvironmentState, Tier};
use tenon_domain::id::EnvironmentId;
use tenon_domain::page::Page;

use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::is_of_web;
use crate::kit::answer::Answer;
use crate::kit::choice::Choice;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::{Form, OriginalValues, patch};
use crate::kit::pagination::{Pagination, chosen};
use crate::kit::problems::Problems;
use crate::kit::words::Moment;
use crate::parts::links::PersonLink;
use crate::table::project::ProjectTable;

const ADDRESS: &str = "/environments";
const FORM: &str = "environment";

pub(crate) fn routes(table: &mut ProjectTable) {
    table.page(ADDRESS, read_list, list);
    table.post(ADDRESS, create);
    table.page("/environments/new", read_new, new);
    table.page("/environments/{id}", read_one, show);
    table.put("/environments/{id}", update);
    table.delete("/environments/{id}", delete);
    table.page("/environments/{id}/edit", read_edit, edit);
    table.post("/environments/{id}/stop", stop);
}

/// A deployment in a line.
struct DeploymentLine {
    id: i64,
    branch: String,
    /// The whole id of its commit, and the first digits.
    sha: String,
    short: String,
    status: &'static str,
    class: &'static str,
    at: Moment,
    person: Option<PersonLink>,
}

impl DeploymentLine {
    fn new(deployment: Deployment) -> Self {
        let (status, class) = words(deployment.status);
        Self {
            id: deployment.iid.get(),
            short: deployment.sha.get(..8).unwrap_or_default().to_owned(),
            sha: deployment.sha,
            branch: deployment.ref_name,
            status,
            class,
            at: deployment.finished_at.unwrap_or(deployment.created_at).into(),
            person: None,
        }
    }

    fn of(frame: &Frame, view: DeploymentView) -> Self {
        let person = view.user.as_ref().map(|user| PersonLink::new(frame, user));
        Self { person, ..Self::new(view.deployment) }
    }
}

/// A state in a word, and the class of its colour.
const fn words(status: DeploymentStatus) -> (&'static str, &'static str) {
    match status {
        DeploymentStatus::Running => ("running", "draft"),
        DeploymentStatus::Success => ("deployed", "open"),
        DeploymentStatus::Failed => ("failed", "closed"),
        DeploymentStatus::Canceled => ("cancelled", "closed"),
    }
}

/// A purpose in a word.
const fn tier_words(tier: Tier) -> &'static str {
    match tier {
        Tier::Production => "Production",
        Tier::Staging => "Staging",
        Tier::Testing => "Testing",
        Tier::Development => "Development",
        Tier::Other => "Other",
    }
}

struct Row {
    id: i64,
    name: String,
    tier: &'static str,
    /// An address of the web.
    link: Option<String>,
    last: Option<DeploymentLine>,
}

#[derive(Template)]
#[template(path = "environment/list.html")]
struct ListPage {
    frame: Frame,
    project: ProjectFrame,
    rows: Vec<Row>,
    pages: Pagination,
    available: i64,
    stopped: i64,
    /// True if the stopped ones are shown.
    is_stopped: bool,
    may_deploy: bool,
}

/// The state that an address asks for.
fn state(asked: Option<&str>) -> EnvironmentState {
    if asked == Some("stopped") { EnvironmentState::Stopped } else { EnvironmentState::Available }
}

fn read_list(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<EnvironmentsPage, AppError> {
    query.user()?;
    environment::page(query, &asked.project, state(asked.query.text("scope")), chosen(&asked.query))
}

async fn list(context: ProjectContext, found: EnvironmentsPage) -> Result<Answer, PageError> {
    let project = frame(&context, ADDRESS);
    let is_stopped = state(context.request.query("scope")) == EnvironmentState::Stopped;
    let EnvironmentsPage { environments, available, stopped, may_deploy } = found;
    let scope = if is_stopped { "scope=stopped" } else { "scope=available" };
    let pages = Pagination::of(&environments).with_query(scope);
    let row = |(environment, last): (Environment, Option<Deployment>)| Row {
        id: environment.id.get(),
        name: environment.name,
        tier: tier_words(environment.tier),
        link: environment.external_url.filter(|address| is_of_web(address)),
        last: last.map(DeploymentLine::new),
    };
    let rows = environments.items.into_iter().map(row).collect();
    Answer::cacheable(&ListPage {
        frame: context.frame,
        project,
        rows,
        pages,
        available,
        stopped,
        is_stopped,
        may_deploy,
    })
}

fn frame(context: &ProjectContext, api_path: &str) -> ProjectFrame {
    ProjectFrame::new(&context.frame.root, &context.page, Tab::Pipelines).with_api_path(api_path)
}

#[derive(Template)]
#[template(path = "environment/show.html")]
struct ShowPage {
    frame: Frame,
    project: ProjectFrame,
    /// Its address.
    href: String,
    name: String,
    tier: &'static str,
    is_stopped: bool,
    link: Option<String>,
    description: String,
    deployments: Vec<DeploymentLine>,
    pages: Pagination,
    may_manage: bool,
}

fn id(asked: &ProjectRequest) -> Result<EnvironmentId, AppError> {
    asked.number("id").map(EnvironmentId::new)
}

fn read_one(
    query: &mut Query<'_>,
    asked: &ProjectRequest,
) -> Result<(EnvironmentDetail, Page<DeploymentView>), AppError> {
    query.user()?;
    let id = id(asked)?;
    let detail = environment::show(query, &asked.project, id)?;
    Ok((detail, deployment::of_environment(query, &asked.project, id, chosen(&asked.query))?))
}

async fn show(
    context: ProjectContext,
    (detail, found): (EnvironmentDetail, Page<DeploymentView>),
) -> Result<Answer, PageError> {
    let EnvironmentDetail { environment, may_manage, .. } = detail;
    let path = format!("{ADDRESS}/{}", environment.id);
    let project = frame(&context, &path);
    let pages = Pagination::of(&found);
    let deployments = found.items.into_iter().map(|view| DeploymentLine::of(&context.frame, view)).collect();
    Answer::cacheable(&ShowPage {
        href: format!("{}{path}", project.href),
        name: environment.name,
        tier: tier_words(environment.tier),
        is_stopped: environment.state == EnvironmentState::Stopped,
        link: environment.external_url.filter(|address| is_of_web(address)),
        description: environment.description.unwrap_or_default(),
        deployments,
        pages,
        may_manage,
        project,
        frame: context.frame,
    })
}

/// The values of the form of an environment.
struct FormValues {
    /// The environment that is changed. None for a new one.
    id: Option<i64>,
    name: String,
    link: String,
    description: String,
    /// The name of the purpose; empty if the name of the environment is to say it.
    tier: String,
    /// The fields as the page had them at first ([`OriginalValues::field`]). Empty for a new environment.
    shown: String,
}

impl FormValues {
    fn of(environment: Environment) -> Self {
        let link = environment.external_url.unwrap_or_default();
        let description = environment.description.unwrap_or_default();
        let shown = OriginalValues::of([
            ("name", environment.name.as_str().into()),
            ("external_url", link.as_str().into()),
            ("description", description.as_str().into()),
            ("tier", environment.tier.as_str().into()),
        ]);
        Self {
            id: Some(environment.id.get()),
            name: environment.name,
            link,
            description,
            tier: environment.tier.as_str().to_owned(),
            shown: shown.field(),
        }
    }

    /// The form of an environment, new if there is no id, as it was sent.
    fn sent(id: Option<i64>, form: Form<'_>) -> Self {
        Self {
            id,
            name: form.text(FORM, "name"),
            link: form.text(FORM, "external_url"),
            description: form.text(FORM, "description"),
            tier: form.text(FORM, "tier"),
            shown: OriginalValues::sent(form).field(),
        }
    }

    /// The choices of the purpose. A new environment may leave it to its name.
    fn tiers(&self) -> Vec<Choice> {
        let by_name = self.id.is_none().then(|| Choice::new("", "By name", self.tier.is_empty()));
        let known = Tier::ALL.iter();
        let known = known.map(|tier| Choice::new(tier.as_str(), tier_words(*tier), self.tier == tier.as_str()));
        by_name.into_iter().chain(known).collect()
    }
}

/// The fields that a form has.
fn changed(form: Form<'_>) -> EnvironmentChange {
    EnvironmentChange {
        name: form.has(FORM, "name").then(|| form.text(FORM, "name").trim().to_owned()),
        external_url: patch(form.has(FORM, "external_url"), form.filled(FORM, "external_url")),
        description: patch(form.has(FORM, "description"), form.filled(FORM, "description")),
        tier: Tier::parse(&form.text(FORM, "tier")),
        auto_stop: None,
    }
}

#[derive(Template)]
#[template(path = "environment/form.html")]
struct FormPage {
    frame: Frame,
    project: ProjectFrame,
    /// The address of the list.
    href: String,
    typed: FormValues,
    problems: Problems,
}

fn form(context: ProjectContext, typed: FormValues, problems: Problems) -> Result<Answer, PageError> {
    let project = frame(&context, ADDRESS);
    let href = format!("{}{ADDRESS}", project.href);
    Answer::page(&FormPage { frame: context.frame, project, href, typed, problems })
}

fn read_new(query: &mut Query<'_>, _: &ProjectRequest) -> Result<(), AppError> {
    query.user().map(drop)
}

async fn new(context: ProjectContext, (): ()) -> Result<Answer, PageError> {
    if !context.page.may.deploy {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    let typed = FormValues {
        id: None,
        name: String::new(),
        link: String::new(),
        description: String::new(),
        tier: String::new(),
        shown: String::new(),
    };
    form(context, typed, Problems::default())
}

async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let (project, change) = (context.project(), changed(context.request.form()));
    match context.request.write(move |command| environment::create(command, &project, change)).await {
        Ok(made) => {
            let path = format!("{ADDRESS}/{}", made.environment.id);
            Ok(context.done(&path).cookie(cookie::of_flash(Flash::EnvironmentSaved)))
        }
        Err(error) => {
            let typed = FormValues::sent(None, context.request.form());
            Ok(form(context, typed, Problems::of(error)?)?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

fn read_edit(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<EnvironmentDetail, AppError> {
    query.user()?;
    environment::show(query, &asked.project, id(asked)?)
}

async fn edit(context: ProjectContext, found: EnvironmentDetail) -> Result<Answer, PageError> {
    if !found.may_manage {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    form(context, FormValues::of(found.environment), Problems::default())
}

async fn update(context: ProjectContext) -> Result<Answer, PageError> {
    let (project, id) = (context.project(), id(&context.asked)?);
    let shown = OriginalValues::sent(context.request.form());
    let change = changed(context.request.form().changed(&shown));
    match context.request.write(move |command| environment::edit(command, &project, id, change)).await {
        Ok(_) => Ok(context.done(&format!("{ADDRESS}/{id}")).cookie(cookie::of_flash(Flash::EnvironmentSaved))),
        Err(error) => {
            let typed = FormValues::sent(Some(id.get()), context.request.form());
            Ok(form(context, typed, Problems::of(error)?)?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

async fn stop(context: ProjectContext) -> Result<Answer, PageError> {
    let (project, id) = (context.project(), id(&context.asked)?);
    context.request.write(move |command| environment::stop(command, &project, id)).await?;
    Ok(context.done(&format!("{ADDRESS}/{id}")).cookie(cookie::of_flash(Flash::EnvironmentStopped)))
}

async fn delete(context: ProjectContext) -> Result<Answer, PageError> {
    let (project, id) = (context.project(), id(&context.asked)?);
    context.request.write(move |command| environment::delete(command, &project, id, None)).await?;
    Ok(context.done(ADDRESS).cookie(cookie::of_flash(Flash::EnvironmentDeleted)))
}
