//! Making a project.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::identity::Guard;
use tenon_app::project::{self, CreateProject, NewProject, ProjectSettings, ShowProject};
use tenon_app::{Query, Reference, group, visibilities};
use tenon_domain::id::NamespaceId;
use tenon_domain::namespace::Namespace;
use tenon_domain::visibility::Visibility;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::choice::Choice;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::Form;
use crate::kit::problems::Problems;
use crate::parts::visibility::{visibility, visibility_choices};
use crate::table::site::SiteTable;

const FORM: &str = "project";
/// The error if no namespace is chosen, or one in which the caller may not make projects.
pub(super) const NO_HOME: &str = "Select a namespace in which you can create projects";

pub(crate) fn routes(table: &mut SiteTable) {
    table.get("/projects/new", Guard::SignedIn, new);
    table.post("/projects", Guard::SignedIn, create);
    table.get("/projects", Guard::Anyone, |context: RequestContext| async move {
        Ok(Answer::to(&context.own("/explore/projects")))
    });
    table.get("/projects/{id}", Guard::Anyone, by_id);
}

#[derive(Template)]
#[template(path = "project/new.html")]
struct NewPage {
    frame: Frame,
    object: &'static str,
    problems: Problems,
    typed: FormValues,
    homes: Vec<Choice>,
    visibilities: Vec<Choice>,
    may_import: bool,
}

#[derive(Debug, Clone, Default)]
struct FormValues {
    name: String,
    path: String,
    namespace: String,
    description: String,
    visibility: String,
    import_url: String,
    with_readme: bool,
}

impl FormValues {
    fn sent(form: Form<'_>) -> Self {
        let text = |field: &str| form.filled(FORM, field).unwrap_or_default();
        Self {
            name: text("name"),
            path: text("path"),
            namespace: text("namespace_id"),
            description: form.text(FORM, "description"),
            visibility: text("visibility_level"),
            import_url: text("import_url"),
            with_readme: form.ticked(FORM, "initialize_with_readme"),
        }
    }
}

/// The namespaces in which the caller may make projects, as a form offers them. The one that is named by its id is
/// among them, if the caller may make projects there.
pub(super) fn homes(query: &mut Query<'_>, named: &str) -> Result<Vec<Namespace>, AppError> {
    let named = named.parse::<i64>().ok().map(Reference::Id);
    group::homes(query, named.as_ref())
}

/// The same as choices. If another namespace is named, none of them is chosen. The project is then not made in an
/// unrequested place.
pub(super) fn home_choices(homes: &[Namespace], named: &str) -> Vec<Choice> {
    let choice = |home: &Namespace| {
        let id = home.id.to_string();
        Choice::new(&id, &home.full_path, id == named)
    };
    let mut choices: Vec<Choice> = homes.iter().map(choice).collect();
    if !named.is_empty() && !choices.iter().any(|choice| choice.chosen) {
        choices.insert(0, Choice::new("", "", true));
    }
    choices
}

/// The namespaces in which the caller may make projects, and the visibilities of a project in the one that is named. If
/// none is named, they are those of the first one.
fn places(query: &mut Query<'_>, named: &str) -> Result<(Vec<Namespace>, Vec<Visibility>), AppError> {
    let homes = homes(query, named)?;
    let home = if named.is_empty() { homes.first() } else { homes.iter().find(|home| home.id.to_string() == named) };
    let offered = visibilities::of_new(query, home)?;
    Ok((homes, offered))
}

/// The form, filled with the values in the address.
async fn new(context: RequestContext) -> Result<Answer, PageError> {
    let asked = context.parameters();
    let sent = FormValues::sent(Form::new(asked.map()));
    let typed = FormValues { namespace: asked.text("namespace_id").map_or(sent.namespace, str::to_owned), ..sent };
    form(&context, typed, Problems::default()).await
}

async fn create(context: RequestContext) -> Result<Answer, PageError> {
    let typed = FormValues::sent(context.form());
    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    // The form offers the visibilities of the namespace that was chosen when it was made. In another one the project
    // gets the most open one that is possible there, like a project that is moved.
    let named = typed.namespace.clone();
    let (_, offered) = context.ask(move |query| places(query, &named)).await?;
    let wanted = visibility(&typed.visibility);
    let possible = wanted.and_then(|wanted| offered.into_iter().filter(|known| *known <= wanted).max());
    let is_lowered = possible.is_some() && possible != wanted;
    let request = CreateProject {
        name: given(&typed.name),
        path: given(&typed.path),
        avatar: None,
        namespace: typed.namespace.parse().ok().map(NamespaceId::new),
        with_readme: typed.with_readme && typed.import_url.is_empty(),
        settings: ProjectSettings {
            description: given(&typed.description),
            visibility: possible.or(wanted),
            import_url: given(&typed.import_url),
            ..ProjectSettings::default()
        },
        ..CreateProject::default()
    };
    if context.form().has(FORM, "namespace_id") && typed.namespace.is_empty() {
        return refused(&context, typed, Problems::with("namespace_id", NO_HOME)).await;
    }
    if request.name.is_none() && request.path.is_none() {
        return refused(&context, typed, Problems::with("name", "Name can't be blank")).await;
    }
    let request = NewProject { project: request, ..NewProject::default() };
    let made = match project::create_with_repository(context.app(), context.identity(), request).await {
        Ok(made) => made,
        Err(AppError::NotFound(_)) => {
            let problems = Problems::with("namespace_id", NO_HOME);
            return refused(&context, typed, problems).await;
        }
        Err(error) => return refused(&context, typed, Problems::of(error)?).await,
    };
    let there = Answer::done(&context.own(&format!("/{}", made.view.brief.full_path)));
    if made.repository.is_err() {
        return Ok(there.cookie(cookie::of_flash(Flash::ProjectWithoutReadme)));
    }
    Ok(if is_lowered { there.cookie(cookie::of_flash(Flash::ProjectLowered)) } else { there })
}

async fn refused(context: &RequestContext, typed: FormValues, problems: Problems) -> Result<Answer, PageError> {
    Ok(form(context, typed, problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

async fn form(context: &RequestContext, typed: FormValues, problems: Problems) -> Result<Answer, PageError> {
    let named = typed.namespace.clone();
    let (frame, (homes, offered)) = context.read(move |query| places(query, &named)).await?;
    let usual = context.app().known_settings().default_project_visibility;
    let visibilities = visibility_choices(&offered, &typed.visibility, usual);
    let homes = home_choices(&homes, &typed.namespace);
    let may_import = context.app().known_settings().imports_by_url;
    Answer::page(&NewPage { frame, object: FORM, problems, typed, homes, visibilities, may_import })
}

/// Leads from the number of a project to its page.
async fn by_id(context: RequestContext) -> Result<Answer, PageError> {
    let project = Reference::Id(context.id("id")?);
    let view = context.ask(move |query| project::show(query, &project, ShowProject::default())).await?;
    Ok(Answer::to(&context.own(&format!("/{}", view.brief.full_path))))
}
