//! Making a project.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::group::{self, ListGroups};
use tenon_app::identity::Guard;
use tenon_app::project::{self, CreateProject, ProjectSettings, ShowProject};
use tenon_app::{PageRequest, Query, Reference, namespace, repository};
use tenon_domain::access::AccessLevel;
use tenon_domain::id::NamespaceId;
use tenon_domain::visibility::Visibility;

use crate::answer::Answer;
use crate::error::PageError;
use crate::form::{Form, Problems};
use crate::frame::Frame;
use crate::issuable::list::Choice;
use crate::site::Routes;
use crate::visit::Visit;

const FORM: &str = "project";

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

/// The namespaces in which the caller may have projects: the own one, and groups.
pub(crate) fn homes(query: &mut Query<'_>) -> Result<Vec<(i64, String)>, AppError> {
    let own = query.user()?.username.clone();
    let page = PageRequest::new(None, Some(PageRequest::MAX_PER_PAGE));
    let own = namespace::show(query, &Reference::Path(own)).map(|view| view.namespace);
    let request = ListGroups { min_access_level: Some(AccessLevel::Developer), page, ..ListGroups::default() };
    let groups = group::list(query, request)?.items.into_iter().map(|view| view.group.namespace);
    Ok(own.into_iter().chain(groups).map(|home| (home.id.get(), home.full_path)).collect())
}

/// The form, filled with what the address says.
async fn new(visit: Visit) -> Result<Answer, PageError> {
    let asked = visit.parameters();
    let sent = Typed::sent(Form::new(asked.map()));
    let usual = visit.app().known_settings().default_project_visibility.level().to_string();
    let typed = Typed {
        namespace: asked.text("namespace_id").map_or(sent.namespace, str::to_owned),
        visibility: Some(sent.visibility).filter(|level| visibility(level).is_some()).unwrap_or(usual),
        ..sent
    };
    form(&visit, typed, Problems::default()).await
}

async fn create(visit: Visit) -> Result<Answer, PageError> {
    let typed = Typed::sent(visit.form());
    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let request = CreateProject {
        name: given(&typed.name),
        path: given(&typed.path),
        avatar: None,
        namespace: typed.namespace.parse().ok().map(NamespaceId::new),
        settings: ProjectSettings {
            description: given(&typed.description),
            visibility: visibility(&typed.visibility),
            import_url: given(&typed.import_url),
            ..ProjectSettings::default()
        },
    };
    if request.name.is_none() && request.path.is_none() {
        return refused(&visit, typed, Problems::with("name", "Name can't be blank")).await;
    }
    let imports = request.settings.import_url.is_some();
    let view = match visit.write(move |command| project::create(command, request)).await {
        Ok(view) => view,
        Err(AppError::NotFound(_)) => {
            let problems = Problems::with("namespace", "Namespace is not one in which you may make projects");
            return refused(&visit, typed, problems).await;
        }
        Err(error) => return refused(&visit, typed, Problems::of(error)?).await,
    };
    if typed.with_readme && !imports {
        let (id, author) = (view.brief.project.id, view.brief.project.creator);
        repository::initialise(visit.app(), id, author, None).await?;
    }
    Ok(Answer::done(&visit.own(&format!("/{}", view.brief.full_path))))
}

async fn refused(visit: &Visit, typed: Typed, problems: Problems) -> Result<Answer, PageError> {
    Ok(form(visit, typed, problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

async fn form(visit: &Visit, typed: Typed, problems: Problems) -> Result<Answer, PageError> {
    let (frame, homes) = visit.read(homes).await?;
    let choice = |(id, path): (i64, String)| {
        let id = id.to_string();
        Choice::new(&id, &path, id == typed.namespace)
    };
    let homes = homes.into_iter().map(choice).collect();
    let may_import = visit.app().known_settings().imports_by_url;
    Answer::page(&NewPage { frame, object: FORM, problems, typed, homes, may_import })
}

/// Leads from the number of a project to its page.
async fn by_id(visit: Visit) -> Result<Answer, PageError> {
    let project = Reference::Id(visit.id("id")?);
    let view = visit.ask(move |query| project::show(query, &project, ShowProject::default())).await?;
    Ok(Answer::to(&visit.own(&format!("/{}", view.brief.full_path))))
}
