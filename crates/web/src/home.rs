//! The first page, and the way to the page that changes a password.

use actix_web::http::header;
use tenon_app::identity::Guard;
use tenon_app::project::ProjectBrief;
use url::Url;

use crate::answer::{Answer, RawBody};
use crate::dashboard::{self, ProjectOrdering, of_caller};
use crate::error::PageError;
use crate::site::Routes;
use crate::visit::Visit;
use crate::words::{self, Moment};

pub(crate) fn routes(routes: &mut Routes) {
    routes.get("/", Guard::Anyone, show);
    routes.get("/-/manifest.json", Guard::Anyone, manifest);
    routes.get("/.well-known/change-password", Guard::Anyone, change_password);
}

/// A project in a list.
pub(crate) struct ProjectRow {
    pub(crate) href: String,
    pub(crate) full_name: String,
    pub(crate) description: String,
    pub(crate) visibility: &'static str,
    pub(crate) updated: Moment,
}

impl ProjectRow {
    pub(crate) fn new(root: &str, brief: ProjectBrief) -> Self {
        Self {
            href: format!("{root}/{}", brief.full_path),
            full_name: brief.full_name,
            description: brief.project.description.unwrap_or_default(),
            visibility: words::visibility(brief.project.visibility),
            updated: brief.project.last_activity_at.into(),
        }
    }
}

/// The caller's projects, and what to do next. Callers that have not signed in go where the settings say, or sign in.
async fn show(visit: Visit) -> Result<Answer, PageError> {
    let order = ProjectOrdering::parse(visit.parameters());
    let request = order.request(visit.parameters());
    let read = visit.read(move |query| match query.caller.user {
        None => Ok(None),
        Some(_) => of_caller(query, request).map(Some),
    });
    match read.await? {
        (frame, Some(found)) => dashboard::shown(&visit, frame, found, order),
        (_, None) => Ok(Answer::to(&stranger_goes_to(&visit))),
    }
}

fn stranger_goes_to(visit: &Visit) -> String {
    let settings = visit.app().known_settings();
    let there = settings.home_page_url.as_deref().and_then(|url| Url::parse(url).ok());
    match there.filter(|url| url.as_str().trim_end_matches('/') != visit.app().base_url()) {
        Some(url) => url.into(),
        None => visit.own("/users/sign_in"),
    }
}

/// What a browser needs to show the pages as a program of their own.
async fn manifest(visit: Visit) -> Result<Answer, PageError> {
    let icon = visit.site().assets().address(&visit.own(""), "icon.svg");
    let manifest = serde_json::json!({
        "name": "Tenon", "short_name": "Tenon", "start_url": visit.own("/"), "scope": visit.own("/"), "display": "browser",
        "icons": [{"src": icon, "sizes": "any", "type": "image/svg+xml"}],
    });
    Ok(Answer::raw(RawBody::Whole(manifest.to_string().into_bytes()))
        .header(header::CONTENT_TYPE, "application/manifest+json".to_owned())
        .header(header::CACHE_CONTROL, "private, max-age=86400".to_owned()))
}

/// Where password managers find the page that changes a password.
async fn change_password(visit: Visit) -> Result<Answer, PageError> {
    Ok(Answer::to(&visit.own("/profile/password/edit")))
}
