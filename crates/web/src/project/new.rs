//! Making a project.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::group;
use tenon_app::identity::Guard;
use tenon_app::project::{self, CreateProject, ProjectSettings, ShowProject};
use tenon_app::{Query, Reference, repository, visibilities};
use tenon_domain::id::NamespaceId;
use tenon_domain::namespace::Namespace;
use tenon_domain::visibility::Visibility;

use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Form, Problems};
use crate::frame::Frame;
use crate::issuable::list::Choice;
use crate::site::Routes;
use crate::visit::Visit;

const FORM: &str = "project";
/// What is said where no namespace is chosen, or one that is not the caller's to fill.
pub(super) const NO_HOME: &str = "Choose a namespace in which you may make projects";

pub(crate) fn routes(routes: &mut Routes) {
    routes.get("/projects/new", Guard::SignedIn, new);
    routes.post("/projects", Guard::SignedIn, create);
    routes.get(
        "/projects",
        Guard::Anyone,
        |visit: Visit| async move { Ok(Answer::to(&visit.own("/explore/projects"))) },
    );
    routes.get("/projects/{id}", Guard::Anyone, by_id);
}

#[derive(Template)]
#[template(path = "project/new.html")]
struct NewPage {
    frame: Frame,
    object: &'static str,
    problems: Problems,
    typed: Typed,
    homes: Vec<Choice>,
    visibilities: Vec<Choice>,
    may_import: bool,
}

#[derive(Debug, Clone, Default)]
struct Typed {
    name: String,
    path: String,
    namespace: String,
    description: String,
    visibility: String,
    import_url: String,
    with_readme: bool,
}

impl Typed {
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

/// The visibility that a form names by its number.
pub(crate) fn visibility(level: &str) -> Option<Visibility> {
    Visibility::ALL.into_iter().find(|visibility| visibility.level().to_string() == level)
}

/// The visibilities that a form offers. Where none of them was chosen, it is the usual one, or else the most open one below that.
pub(crate) fn visibility_choices(offered: &[Visibility], chosen: &str, usual: Visibility) -> Vec<Choice> {
    let sent = visibility(chosen).filter(|sent| offered.contains(sent));
    let below = offered.iter().copied().filter(|known| *known <= usual).max();
    let chosen = sent.or(below).or(offered.first().copied());
    let choice = |known: &Visibility| {
        let words = match known {
            Visibility::Private => "Private: members only",
            Visibility::Internal => "Internal: everyone who has signed in",
            Visibility::Public => "Public: everyone",
        };
        Choice::new(&known.level().to_string(), words, Some(*known) == chosen)
    };
    offered.iter().map(choice).collect()
}

/// The namespaces in which the caller may make projects, as a form offers them. The one that is named by its id is among
/// them, if the caller may make projects there.
pub(super) fn homes(query: &mut Query<'_>, named: &str) -> Result<Vec<Namespace>, AppError> {
    let named = named.parse::<i64>().ok().map(Reference::Id);
    group::homes(query, named.as_ref())
}

/// The same as choices. Where another one is named, none of them is chosen, so that the project does not go where it was not
/// asked for.
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

/// Where the caller may make projects, and the visibilities of a project in the one that is named; in the first one where none is.
fn places(query: &mut Query<'_>, named: &str) -> Result<(Vec<Namespace>, Vec<Visibility>), AppError> {
    let homes = homes(query, named)?;
    let home = if named.is_empty() { homes.first() } else { homes.iter().find(|home| home.id.to_string() == named) };
    let offered = visibilities::of_new(query, home)?;
    Ok((homes, offered))
}

/// The form, filled with what the address says.
async fn new(visit: Visit) -> Result<Answer, PageError> {
    let asked = visit.parameters();
    let sent = Typed::sent(Form::new(asked.map()));
    let typed = Typed { namespace: asked.text("namespace_id").map_or(sent.namespace, str::to_owned), ..sent };
    form(&visit, typed, Problems::default()).await
}

async fn create(visit: Visit) -> Result<Answer, PageError> {
    let typed = Typed::sent(visit.form());
    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    // The visibilities that the form has offered are those of the place that was chosen when it was made. In another one the project
    // gets the most open one that is possible there, as a project does that moves.
    let named = typed.namespace.clone();
    let (_, offered) = visit.ask(move |query| places(query, &named)).await?;
    let wanted = visibility(&typed.visibility);
    let possible = wanted.and_then(|wanted| offered.into_iter().filter(|known| *known <= wanted).max());
    let is_lowered = possible.is_some() && possible != wanted;
    let request = CreateProject {
        name: given(&typed.name),
        path: given(&typed.path),
        avatar: None,
        namespace: typed.namespace.parse().ok().map(NamespaceId::new),
        settings: ProjectSettings {
            description: given(&typed.description),
            visibility: possible.or(wanted),
            import_url: given(&typed.import_url),
            ..ProjectSettings::default()
        },
    };
    if visit.form().has(FORM, "namespace_id") && typed.namespace.is_empty() {
        return refused(&visit, typed, Problems::with("namespace_id", NO_HOME)).await;
    }
    if request.name.is_none() && request.path.is_none() {
        return refused(&visit, typed, Problems::with("name", "Name can't be blank")).await;
    }
    let imports = request.settings.import_url.is_some();
    let view = match visit.write(move |command| project::create(command, request)).await {
        Ok(view) => view,
        Err(AppError::NotFound(_)) => {
            let problems = Problems::with("namespace_id", NO_HOME);
            return refused(&visit, typed, problems).await;
        }
        Err(error) => return refused(&visit, typed, Problems::of(error)?).await,
    };
    let there = Answer::done(&visit.own(&format!("/{}", view.brief.full_path)));
    if typed.with_readme && !imports {
        let (id, author) = (view.brief.project.id, view.brief.project.creator);
        // The project is there whether or not its first commit could be made, and asking for it again would make another one.
        if let Err(error) = repository::initialise(visit.app(), id, author, None).await {
            tracing::warn!(%error, project = id.get(), "the readme of a new project could not be made");
            return Ok(there.cookie(cookie::of_flash(Flash::ProjectWithoutReadme)));
        }
    }
    Ok(if is_lowered { there.cookie(cookie::of_flash(Flash::ProjectLowered)) } else { there })
}

async fn refused(visit: &Visit, typed: Typed, problems: Problems) -> Result<Answer, PageError> {
    Ok(form(visit, typed, problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

async fn form(visit: &Visit, typed: Typed, problems: Problems) -> Result<Answer, PageError> {
    let named = typed.namespace.clone();
    let (frame, (homes, offered)) = visit.read(move |query| places(query, &named)).await?;
    let usual = visit.app().known_settings().default_project_visibility;
    let visibilities = visibility_choices(&offered, &typed.visibility, usual);
    let homes = home_choices(&homes, &typed.namespace);
    let may_import = visit.app().known_settings().imports_by_url;
    Answer::page(&NewPage { frame, object: FORM, problems, typed, homes, visibilities, may_import })
}

/// Leads from the number of a project to its page.
async fn by_id(visit: Visit) -> Result<Answer, PageError> {
    let project = Reference::Id(visit.id("id")?);
    let view = visit.ask(move |query| project::show(query, &project, ShowProject::default())).await?;
    Ok(Answer::to(&visit.own(&format!("/{}", view.brief.full_path))))
}
