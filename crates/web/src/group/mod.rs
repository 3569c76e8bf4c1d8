//! The pages of groups. Their addresses end with the path of a group, or go on behind `/-/`.

mod activity;
mod form;
mod issuables;
mod labels;
mod members;
mod milestones;
mod pages;
mod projects;
mod show;

use actix_web::http::{Method, StatusCode};
use tenon_app::error::{AppError, Missing};
use tenon_app::group::{self, GroupPage};
use tenon_app::identity::Guard;
use tenon_app::{Place, Query, Reference, place};

use crate::address::decode;
use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::place::in_path;
use crate::site::{Routes, allowed};
use crate::visit::Visit;

pub(crate) use self::show::show;

pub(crate) fn routes(routes: &mut Routes) {
    routes.get("/groups/new", Guard::SignedIn, form::new);
    routes.post("/groups", Guard::SignedIn, form::create);
    routes.get("/groups/{*path}", Guard::Anyone, dispatch);
    routes.post("/groups/{*path}", Guard::SignedIn, dispatch);
    routes.put("/groups/{*path}", Guard::SignedIn, dispatch);
    routes.delete("/groups/{*path}", Guard::SignedIn, dispatch);
}

/// A tab of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    Overview,
    Activity,
    Issues,
    MergeRequests,
    Labels,
    Milestones,
    Members,
    Settings,
}

/// The top of each page of a group.
pub(crate) struct GroupTop {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) href: String,
    /// The group above: its name, and its address.
    pub(crate) above: Option<(String, String)>,
    pub(crate) visibility: &'static str,
    pub(crate) may_administer: bool,
    /// The same thing in the API.
    pub(crate) twin: String,
    tab: Tab,
}

impl GroupTop {
    pub(crate) fn new(root: &str, page: &GroupPage, tab: Tab) -> Self {
        let namespace = &page.group.namespace;
        let names = namespace.full_name.rsplit_once(" / ").map(|(above, _)| above);
        let paths = namespace.full_path.rsplit_once('/').map(|(above, _)| above);
        Self {
            id: namespace.id.get(),
            name: namespace.name.clone(),
            href: format!("{root}/groups/{}", namespace.full_path),
            above: names.zip(paths).map(|(name, path)| (name.to_owned(), format!("{root}/groups/{path}"))),
            visibility: crate::words::visibility(page.group.visibility()),
            may_administer: page.may.administer,
            twin: format!("{root}/api/v4/groups/{}", namespace.id),
            tab,
        }
    }

    pub(crate) fn is_at(&self, tab: &str) -> bool {
        let here = match self.tab {
            Tab::Overview => "overview",
            Tab::Activity => "activity",
            Tab::Issues => "issues",
            Tab::MergeRequests => "merge_requests",
            Tab::Labels => "labels",
            Tab::Milestones => "milestones",
            Tab::Members => "members",
            Tab::Settings => "settings",
        };
        here == tab
    }
}

/// The path of a group, decoded segment by segment.
#[derive(Debug, Clone)]
struct Path(Vec<String>);

impl Path {
    /// The address of something behind the group.
    fn address(&self, below: &str) -> String {
        format!("/groups/{}{below}", in_path(&self.0.join("/")))
    }

    /// The group of this path. 404 where there is none that the caller may see.
    fn find(&self, query: &mut Query<'_>) -> Result<Reference, AppError> {
        match place::find(query, &self.0)? {
            Place::Group { id, .. } => Ok(Reference::Id(id.get())),
            Place::User { .. } | Place::Project { .. } => Err(AppError::NotFound(Missing::Plain)),
        }
    }
}

/// Reads a group and what a page of it shows, on one snapshot.
async fn read<T: Send + 'static>(
    visit: &Visit,
    path: &Path,
    work: impl FnOnce(&mut Query<'_>, &Reference) -> Result<T, AppError> + Send + 'static,
) -> Result<(Frame, GroupPage, T), PageError> {
    let path = path.clone();
    let read = visit.read(move |query| {
        let reference = path.find(query)?;
        Ok((group::page(query, &reference)?, work(query, &reference)?))
    });
    let (frame, (page, found)) = read.await?;
    Ok((frame, page, found))
}

/// Pages behind `/-/`, which older addresses have without it.
const BELOW: [&str; 10] = [
    "issues",
    "merge_requests",
    "labels",
    "milestones",
    "group_members",
    "edit",
    "activity",
    "projects",
    "shared",
    "archived",
];

/// The page of a group that an address names.
async fn dispatch(visit: Visit) -> Result<Answer, PageError> {
    let sent = visit.segment("path").trim_end_matches('/').to_owned();
    let raw: Vec<&str> = sent.split('/').collect();
    let dash = raw.iter().position(|segment| *segment == "-").unwrap_or(raw.len());
    let (group, rest) = raw.split_at_checked(dash).ok_or(PageError::NotFound)?;
    let decoded: Option<Vec<String>> = group.iter().map(|segment| decode(segment)).collect();
    let path = Path(decoded.ok_or(PageError::NotFound)?);
    let rest = rest.get(1..).unwrap_or_default();
    let reads = matches!(*visit.method(), Method::GET | Method::HEAD);
    if reads
        && !rest.is_empty()
        && let Some(there) = stored_spelling(&visit, &path).await?
    {
        let there = visit.with_query(&format!("/groups/{there}/-/{}", rest.join("/")));
        return Ok(Answer::to(&there).status(StatusCode::MOVED_PERMANENTLY));
    }
    if reads && rest.is_empty() && dash == raw.len() {
        return match crate::address::group(visit.clone(), &sent).await {
            Err(PageError::NotFound) => without_dash(&visit, &path).await,
            answer => answer,
        };
    }
    let mut actions = pages::at(rest)?;
    let wanted = if reads { Method::GET } else { visit.method().clone() };
    if let Some(at) = actions.iter().position(|(method, _)| *method == wanted) {
        return (actions.swap_remove(at).1)(visit, path).await;
    }
    if actions.is_empty() {
        return Err(PageError::NotFound);
    }
    // What is hidden has no methods.
    visit.ask(move |query| path.find(query)).await?;
    Err(PageError::Method(allowed(actions.iter().map(|(method, _)| method))))
}

/// The path of a group as it is stored, where an address spells it otherwise.
async fn stored_spelling(visit: &Visit, path: &Path) -> Result<Option<String>, PageError> {
    let asked = path.clone();
    match visit.ask(move |query| place::find(query, &asked.0)).await {
        Ok(Place::Group { full_path, .. }) => Ok(Some(full_path).filter(|stored| *stored != path.0.join("/"))),
        Ok(Place::User { .. } | Place::Project { .. }) | Err(PageError::NotFound) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Leads from an older address to the one behind `/-/`, where it is that of a group.
async fn without_dash(visit: &Visit, path: &Path) -> Result<Answer, PageError> {
    let Some((page, group)) = path.0.split_last() else { return Err(PageError::NotFound) };
    if !BELOW.contains(&page.as_str()) || group.is_empty() {
        return Err(PageError::NotFound);
    }
    let group = Path(group.to_vec());
    let page = page.clone();
    let found = visit.ask(move |query| {
        let reference = group.find(query)?;
        Ok(group::page(query, &reference)?.group.namespace.full_path)
    });
    Ok(Answer::to(&visit.with_query(&format!("/groups/{}/-/{page}", found.await?))))
}

/// A segment as a number, written in the one way that numbers have. 404 where it is none.
fn number(text: &str) -> Result<i64, PageError> {
    let number = text.parse::<i64>().ok().filter(|number| *number > 0 && number.to_string() == text);
    number.ok_or(PageError::NotFound)
}
