//! One's own applications, to which other users sign in with their accounts on this server, and all applications for
//! administrators.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::oauth::{self, ApplicationFields, NewApplication};
use tenon_app::{Command, Secret};
use tenon_domain::id::{ApplicationId, UserId};
use tenon_domain::oauth::{Application, ClientKind, PlainHttp, redirect_uris};
use tenon_domain::token::{Scope, Scopes};

use super::authorize::words;
use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::Form;
use crate::kit::pagination::{self, Pagination};
use crate::kit::problems::Problems;
use crate::kit::words::Moment;

/// The addresses of the two lists.
const OWN: &str = "/oauth/applications";
const OF_SERVER: &str = "/admin/applications";
const FORM: &str = "doorkeeper_application";

/// The scopes that have an effect on this server.
const OFFERED: [Scope; 10] = [
    Scope::Api,
    Scope::ReadApi,
    Scope::ReadUser,
    Scope::ReadRepository,
    Scope::WriteRepository,
    Scope::OpenId,
    Scope::Profile,
    Scope::Email,
    Scope::Sudo,
    Scope::AdminMode,
];

#[derive(Template)]
#[template(path = "oauth/applications.html")]
struct ListPage {
    frame: Frame,
    home: String,
    is_of_server: bool,
    applications: Vec<ApplicationRow>,
    pages: Pagination,
}

#[derive(Template)]
#[template(path = "admin/applications.html")]
struct ServerListPage {
    frame: Frame,
    home: String,
    is_of_server: bool,
    applications: Vec<ApplicationRow>,
    pages: Pagination,
}

struct ApplicationRow {
    id: i64,
    name: String,
    addresses: Vec<String>,
    /// Who has registered it, if the list says so.
    owner: Option<i64>,
    created: Moment,
}

#[derive(Template)]
#[template(path = "oauth/application.html")]
struct ShowPage {
    frame: Frame,
    home: String,
    id: i64,
    name: String,
    uid: String,
    /// The secret that was just made. Shown once.
    secret: Option<String>,
    addresses: Vec<String>,
    is_confidential: bool,
    scopes: Vec<ScopeBox>,
    created: Moment,
}

#[derive(Template)]
#[template(path = "admin/application.html")]
struct ServerShowPage {
    frame: Frame,
    home: String,
    id: i64,
    name: String,
    uid: String,
    /// The secret that was just made. Shown once.
    secret: Option<String>,
    addresses: Vec<String>,
    is_confidential: bool,
    scopes: Vec<ScopeBox>,
    created: Moment,
}

#[derive(Template)]
#[template(path = "oauth/application_form.html")]
struct FormPage {
    frame: Frame,
    home: String,
    /// The application that is changed. `None` for a new one.
    id: Option<i64>,
    problems: Problems,
    name: String,
    redirect_uri: String,
    /// True if addresses may be `http`.
    takes_http: bool,
    is_confidential: bool,
    scopes: Vec<ScopeBox>,
}

#[derive(Template)]
#[template(path = "admin/application_form.html")]
struct ServerFormPage {
    frame: Frame,
    home: String,
    /// The application that is changed. `None` for a new one.
    id: Option<i64>,
    problems: Problems,
    name: String,
    redirect_uri: String,
    /// True if addresses may be `http`.
    takes_http: bool,
    is_confidential: bool,
    scopes: Vec<ScopeBox>,
}

struct ScopeBox {
    name: &'static str,
    words: &'static str,
    ticked: bool,
}

struct FormValues {
    name: String,
    redirect_uri: String,
    is_confidential: bool,
    scopes: Vec<String>,
}

impl FormValues {
    fn of(form: Form<'_>) -> Self {
        Self {
            name: form.filled(FORM, "name").unwrap_or_default(),
            redirect_uri: form.filled(FORM, "redirect_uri").unwrap_or_default(),
            // Programs that fill forms may leave the field out. The application is then confidential, which is safer.
            is_confidential: !form.has(FORM, "confidential") || form.ticked(FORM, "confidential"),
            scopes: form.list(FORM, "scopes").into_iter().map(ToOwned::to_owned).collect(),
        }
    }

    fn of_application(application: &Application) -> Self {
        Self {
            name: application.name.clone(),
            redirect_uri: lines(application).join("\n"),
            is_confidential: application.kind == ClientKind::Confidential,
            scopes: application.scopes.iter().map(|scope| scope.as_str().to_owned()).collect(),
        }
    }

    fn fields(&self) -> ApplicationFields {
        ApplicationFields {
            name: self.name.clone(),
            redirect_uri: self.redirect_uri.clone(),
            scopes: self.scopes.join(" "),
            kind: if self.is_confidential { ClientKind::Confidential } else { ClientKind::Public },
        }
    }
}

/// The list below which the page is, and whether it is that of the server.
fn home(context: &RequestContext) -> (String, bool) {
    let is_of_server = context.path().starts_with(OF_SERVER);
    (context.own(if is_of_server { OF_SERVER } else { OWN }), is_of_server)
}

fn lines(application: &Application) -> Vec<String> {
    redirect_uris(&application.redirect_uri).map(ToOwned::to_owned).collect()
}

pub(super) async fn list(context: RequestContext) -> Result<Answer, PageError> {
    let request = pagination::asked(context.parameters());
    let (home, is_of_server) = home(&context);
    let read = context.read(
        move |query| {
            if is_of_server { oauth::list(query, request) } else { oauth::list_own(query, request) }
        },
    );
    let (frame, found) = read.await?;
    let pages = Pagination::of(&found).at(&home);
    let row = |application: Application| ApplicationRow {
        id: application.id.get(),
        addresses: lines(&application),
        owner: application.owner.filter(|_| is_of_server).map(UserId::get),
        name: application.name,
        created: application.created_at.into(),
    };
    let applications = found.items.into_iter().map(row).collect();
    if is_of_server {
        return Answer::page(&ServerListPage { frame, home, is_of_server, applications, pages });
    }
    Answer::page(&ListPage { frame, home, is_of_server, applications, pages })
}

pub(super) async fn show(context: RequestContext) -> Result<Answer, PageError> {
    let id = id(&context)?;
    let (frame, found) = context.read(move |query| oauth::show(query, id)).await?;
    shown(&context, frame, found, None)
}

/// The empty form. 404 if the settings reserve applications for administrators.
pub(super) async fn new(context: RequestContext) -> Result<Answer, PageError> {
    let (frame, (may, http)) =
        context.read(|query| Ok((oauth::may_have_own(query)?, oauth::plain_http(query)))).await?;
    if !may && !home(&context).1 {
        return Err(PageError::NotFound);
    }
    let typed =
        FormValues { name: String::new(), redirect_uri: String::new(), is_confidential: true, scopes: Vec::new() };
    form(&context, (frame, http), None, &typed, Problems::default())
}

/// Registers an application, and shows its secret. The secret is stored nowhere.
pub(super) async fn create(context: RequestContext) -> Result<Answer, PageError> {
    let typed = FormValues::of(context.form());
    let fields = typed.fields();
    let is_of_server = home(&context).1;
    let make = move |command: &mut Command<'_>| {
        if !is_of_server {
            return oauth::create_own(command, fields);
        }
        let ApplicationFields { name, redirect_uri, scopes, kind } = fields;
        oauth::create(command, NewApplication { name, redirect_uri, scopes, kind, trusted: false })
    };
    match context.write(make).await {
        Ok((application, secret)) => {
            Ok(shown(&context, context.frame().await?, application, Some(&secret))?.status(StatusCode::CREATED))
        }
        Err(error) => refused(&context, None, &typed, Problems::of(error)?).await,
    }
}

pub(super) async fn edit(context: RequestContext) -> Result<Answer, PageError> {
    let id = id(&context)?;
    let (frame, (found, http)) =
        context.read(move |query| Ok((oauth::show(query, id)?, oauth::plain_http(query)))).await?;
    form(&context, (frame, http), Some(id), &FormValues::of_application(&found), Problems::default())
}

pub(super) async fn update(context: RequestContext) -> Result<Answer, PageError> {
    let id = id(&context)?;
    let typed = FormValues::of(context.form());
    let fields = typed.fields();
    match context.write(move |command| oauth::change(command, id, fields)).await {
        Ok(_) => {
            let page = format!("{}/{}", home(&context).0, id.get());
            Ok(Answer::to(&page).cookie(cookie::of_flash(Flash::ApplicationChanged)))
        }
        Err(error) => refused(&context, Some(id), &typed, Problems::of(error)?).await,
    }
}

/// Gives an application a new secret, and shows it once.
pub(super) async fn renew(context: RequestContext) -> Result<Answer, PageError> {
    let id = id(&context)?;
    let (found, secret) = context.write(move |command| oauth::renew_secret(command, id)).await?;
    shown(&context, context.frame().await?, found, Some(&secret))
}

pub(super) async fn delete(context: RequestContext) -> Result<Answer, PageError> {
    let id = id(&context)?;
    context.write(move |command| oauth::delete(command, id)).await?;
    Ok(Answer::to(&home(&context).0).cookie(cookie::of_flash(Flash::ApplicationRemoved)))
}

fn id(context: &RequestContext) -> Result<ApplicationId, PageError> {
    context.id("id").map(ApplicationId::new)
}

fn shown(
    context: &RequestContext,
    frame: Frame,
    application: Application,
    secret: Option<&Secret>,
) -> Result<Answer, PageError> {
    let (home, is_of_server) = home(context);
    let page = ShowPage {
        frame,
        home,
        id: application.id.get(),
        secret: secret.map(|secret| secret.expose().to_owned()),
        addresses: lines(&application),
        is_confidential: application.kind == ClientKind::Confidential,
        scopes: boxes(&application.scopes, &[]),
        created: application.created_at.into(),
        name: application.name,
        uid: application.uid,
    };
    if !is_of_server {
        return Answer::page(&page);
    }
    let ShowPage { frame, home, id, name, uid, secret, addresses, is_confidential, scopes, created } = page;
    Answer::page(&ServerShowPage { frame, home, id, name, uid, secret, addresses, is_confidential, scopes, created })
}

async fn refused(
    context: &RequestContext,
    id: Option<ApplicationId>,
    typed: &FormValues,
    problems: Problems,
) -> Result<Answer, PageError> {
    let shown = context.read(|query| Ok(oauth::plain_http(query))).await?;
    Ok(form(context, shown, id, typed, problems)?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

fn form(
    context: &RequestContext,
    (frame, http): (Frame, PlainHttp),
    id: Option<ApplicationId>,
    typed: &FormValues,
    problems: Problems,
) -> Result<Answer, PageError> {
    let (home, is_of_server) = home(context);
    // Scopes that the application already has are offered as well. A change of another field then does not drop them.
    let ticked = typed.scopes.iter().filter_map(|name| Scope::parse(name));
    let page = FormPage {
        frame,
        home,
        id: id.map(ApplicationId::get),
        problems,
        name: typed.name.clone(),
        redirect_uri: typed.redirect_uri.clone(),
        takes_http: http == PlainHttp::Anywhere,
        is_confidential: typed.is_confidential,
        scopes: boxes(&Scopes::new(OFFERED.into_iter().chain(ticked)), &typed.scopes),
    };
    if !is_of_server {
        return Answer::page(&page);
    }
    let FormPage { frame, home, id, problems, name, redirect_uri, takes_http, is_confidential, scopes } = page;
    Answer::page(&ServerFormPage { frame, home, id, problems, name, redirect_uri, takes_http, is_confidential, scopes })
}

fn boxes(scopes: &Scopes, ticked: &[String]) -> Vec<ScopeBox> {
    let row = |scope: Scope| ScopeBox {
        name: scope.as_str(),
        words: words(scope),
        ticked: ticked.iter().any(|name| name == scope.as_str()),
    };
    scopes.iter().map(row).collect()
}
