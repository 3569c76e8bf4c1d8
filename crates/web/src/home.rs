//! The first page, and the way to the page that changes a password.

use askama::Template;
use tenon_app::PageRequest;
use tenon_app::identity::Guard;
use tenon_app::project::{self, ListProjects, ProjectBrief};
use tenon_app::ssh_key;
use url::Url;

use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::site::Routes;
use crate::visit::Visit;
use crate::words::{self, Moment};

/// Projects on the first page.
const SHOWN: i64 = 20;

pub(crate) fn routes(routes: &mut Routes) {
    routes.get("/", Guard::Anyone, show);
    routes.get("/.well-known/change-password", Guard::Anyone, change_password);
}

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage {
    frame: Frame,
    base_url: String,
    projects: Vec<ProjectRow>,
    total: i64,
    /// Whether there are more projects than are shown.
    is_cut: bool,
    /// Whether the user is asked to add an SSH key.
    asks_for_key: bool,
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
    let base_url = visit.app().base_url().to_owned();
    let found = visit
        .read(|query| {
            if query.caller.user.is_none() {
                return Ok(None);
            }
            let request =
                ListProjects { membership: true, page: PageRequest::new(None, Some(SHOWN)), ..ListProjects::default() };
            Ok(Some((project::list(query, request)?, ssh_key::is_asked_for(query)?)))
        })
        .await?;
    let (frame, Some((page, asks_for_key))) = found else { return Ok(Answer::to(&stranger_goes_to(&visit))) };
    let total = page.total;
    let projects = page.items.into_iter().map(|view| ProjectRow::new(&frame.root, view.brief)).collect();
    Answer::page(&HomePage { frame, base_url, projects, total, is_cut: total > SHOWN, asks_for_key })
}

fn stranger_goes_to(visit: &Visit) -> String {
    let settings = visit.app().known_settings();
    let there = settings.home_page_url.as_deref().and_then(|url| Url::parse(url).ok());
    match there.filter(|url| url.as_str().trim_end_matches('/') != visit.app().base_url()) {
        Some(url) => url.into(),
        None => visit.own("/users/sign_in"),
    }
}

/// Where password managers find the page that changes a password.
async fn change_password(visit: Visit) -> Result<Answer, PageError> {
    Ok(Answer::to(&visit.own("/profile/password/edit")))
}
