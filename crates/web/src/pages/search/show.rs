//! The page of a search.

use askama::Template;
use tenon_app::error::AppError;
use tenon_app::group::{self, ShowGroup};
use tenon_app::project::{self, ProjectPage, ShowProject};
use tenon_app::search::{self, Found, Labels, Listing, Scope};
use tenon_app::{ContainerReference, PageRequest, Reference};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::page::Page;
use tenon_domain::visibility::Visibility;

use crate::context::frame::Frame;
use crate::context::project_frame::{self, ProjectFrame};
use crate::context::request::RequestContext;
use crate::kit::address::{in_path, in_query, of_note};
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::found::Needles;
use crate::kit::pagination::{Pagination, chosen};
use crate::kit::words::Moment;
use crate::parts::commit_line::CommitLine;
use crate::parts::issuable::list::{Row, list_of};
use crate::parts::links::{PersonLink, own_path};
use crate::parts::project_list::ProjectRow;

/// A scope: its name in the address, the words of its tab, and the scope.
pub(super) type Named = (&'static str, &'static str, Scope);

const PROJECTS: Named = ("projects", "Projects", Scope::Projects);
const ISSUES: Named = ("issues", "Issues", Scope::Issues);
const REQUESTS: Named = ("merge_requests", "Merge requests", Scope::MergeRequests);
const MILESTONES: Named = ("milestones", "Milestones", Scope::Milestones);
const SNIPPETS: Named = ("snippet_titles", "Snippets", Scope::SnippetTitles);
const EVERYWHERE: [Named; 6] = [PROJECTS, ISSUES, REQUESTS, MILESTONES, SNIPPETS, ("users", "Users", Scope::Users)];
/// The same for callers without an account, who find no accounts.
const FOR_STRANGERS: [Named; 5] = [PROJECTS, ISSUES, REQUESTS, MILESTONES, SNIPPETS];
const IN_GROUP: [Named; 4] = [PROJECTS, ISSUES, REQUESTS, MILESTONES];
const IN_PROJECT: [Named; 6] = [
    ("blobs", "Code", Scope::Blobs),
    ("commits", "Commits", Scope::Commits),
    ISSUES,
    REQUESTS,
    MILESTONES,
    ("notes", "Comments", Scope::Notes),
];

#[derive(Template)]
#[template(path = "search.html")]
struct SearchPage {
    frame: Frame,
    /// The top of the pages of the project in which the search runs.
    project: Option<ProjectFrame>,
    /// The words that are marked.
    needles: Needles,
    text: String,
    /// The text, as part of addresses.
    address: String,
    scope: &'static str,
    /// True if the address names the scope.
    is_chosen: bool,
    place: Place,
    tabs: Vec<Tab>,
    /// The address at which the script requests the totals of the other scopes. Empty if there is no text to search
    /// for.
    counts: String,
    hits: Hits,
    pages: Pagination,
}

struct Tab {
    /// The scope, as addresses name it.
    name: &'static str,
    words: &'static str,
    /// The total. None if it is not counted, or not yet.
    total: Option<i64>,
    /// True if the script shows the total.
    is_counted_later: bool,
    href: String,
    is_here: bool,
}

/// The place of the search.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    /// The name and the address of the project or group. None for the whole server.
    home: Option<(String, String)>,
    /// The field that names it in the form.
    field: &'static str,
    id: i64,
}

impl Place {
    /// The words for the place in the search field of the header.
    fn what(&self) -> &'static str {
        if self.field == "project_id" { "this project" } else { "this group" }
    }
}

/// The results, as the page shows them.
enum Hits {
    Projects(Vec<ProjectRow>),
    Issuables(Vec<Row>),
    /// Milestones, or snippets.
    Links(Vec<Link>),
    Users(Vec<PersonLink>),
    Notes(Vec<NoteHit>),
    Commits(Vec<CommitLine>),
    Code(Vec<CodeHit>),
    Nothing,
}

impl Hits {
    const fn is_empty(&self) -> bool {
        match self {
            Self::Projects(rows) => rows.is_empty(),
            Self::Issuables(rows) => rows.is_empty(),
            Self::Links(rows) => rows.is_empty(),
            Self::Users(rows) => rows.is_empty(),
            Self::Notes(rows) => rows.is_empty(),
            Self::Commits(rows) => rows.is_empty(),
            Self::Code(rows) => rows.is_empty(),
            Self::Nothing => true,
        }
    }
}

/// A result with a page of its own.
struct Link {
    href: String,
    title: String,
}

struct NoteHit {
    href: String,
    reference: String,
    author: Option<PersonLink>,
    text: String,
    at: Moment,
}

struct CodeHit {
    path: String,
    /// The page of the file.
    href: String,
    /// Lines with their numbers.
    lines: Vec<(u64, String)>,
}

/// The number of characters of a comment that are shown.
const NOTE: usize = 300;

/// The parameters in the address of a search.
pub(super) struct SearchRequest {
    pub(super) text: String,
    pub(super) within: Option<ContainerReference>,
}

impl SearchRequest {
    pub(super) fn of(context: &RequestContext) -> Self {
        let asked = context.parameters();
        let id = |name: &str| asked.number(name).map(Reference::Id);
        let within = match (id("project_id"), id("group_id")) {
            (Some(project), _) => Some(ContainerReference::Project(project)),
            (None, Some(group)) => Some(ContainerReference::Group(group)),
            (None, None) => None,
        };
        Self { text: asked.words("search").unwrap_or_default(), within }
    }

    /// The scopes of the place, for a caller with or without an account.
    pub(super) fn offered(&self, is_stranger: bool) -> &'static [Named] {
        match &self.within {
            None if is_stranger => &FOR_STRANGERS,
            None => &EVERYWHERE,
            Some(ContainerReference::Group(_)) => &IN_GROUP,
            Some(ContainerReference::Project(_)) => &IN_PROJECT,
        }
    }
}

/// Strangers may search if the server shows them any content.
pub(super) fn admit(context: &RequestContext, is_stranger: bool) -> Result<(), PageError> {
    let is_closed = is_stranger && context.app().known_settings().restricts(Visibility::Public);
    if is_closed { Err(PageError::SignIn) } else { Ok(()) }
}

/// True if the tab of a scope has its total. Git is asked only for the scope that is shown.
pub(super) const fn is_counted(scope: Scope) -> bool {
    !matches!(scope, Scope::Blobs | Scope::Commits | Scope::Nothing)
}

pub(super) async fn show(context: RequestContext) -> Result<Answer, PageError> {
    let asked = SearchRequest::of(&context);
    let page = chosen(context.parameters());
    let of = asked.within.clone();
    let read = move |query: &mut tenon_app::Query<'_>| {
        let place = place(query, of.clone())?;
        let project = match &of {
            Some(ContainerReference::Project(project)) => Some(project::page(query, project)?),
            Some(ContainerReference::Group(_)) | None => None,
        };
        Ok((place, project))
    };
    let (frame, (place, project)): (Frame, (Place, Option<ProjectPage>)) = context.read(read).await?;
    admit(&context, frame.user.is_none())?;
    let offered = asked.offered(frame.user.is_none());
    let named = context.query("scope").and_then(|name| offered.iter().find(|known| known.0 == name));
    let Opened { known: (scope, _, wanted), found, totals } = match named {
        Some(known) => {
            Opened { known: *known, found: find(&context, &asked, known.2, page).await?, totals: Vec::new() }
        }
        None => first_with_hits(&context, &asked, offered, page).await?,
    };
    let is_chosen = named.is_some();
    let SearchRequest { text, .. } = asked;
    let place = Place { home: place.home.map(|(name, path)| (name, format!("{}{path}", frame.root))), ..place };
    let is_known = is_counted(wanted) && !matches!(found, Found::Nothing(_));
    let (hits, pages) = present(&context, &frame, &place, found);
    let within = if place.field.is_empty() { String::new() } else { format!("&{}={}", place.field, place.id) };
    let address = in_query(&text);
    let query = |scope: &str| format!("scope={scope}&search={address}{within}");
    let total = |known: &Named| totals.iter().find(|(scope, _)| *scope == known.2).map(|(_, total)| *total);
    let tab = |known: &Named| Tab {
        name: known.0,
        words: known.1,
        total: total(known).or_else(|| Some(pages.total).filter(|_| is_known && known.0 == scope)),
        is_counted_later: is_counted(known.2) && known.0 != scope && !text.is_empty() && totals.is_empty(),
        href: format!("?{}", query(known.0)),
        is_here: known.0 == scope,
    };
    let tabs: Vec<Tab> = offered.iter().map(tab).collect();
    let later = tabs.iter().filter(|tab| tab.is_counted_later).map(|tab| format!("scope[]={}&", tab.name));
    let later: String = later.collect();
    let counts = if later.is_empty() {
        String::new()
    } else {
        format!("{}/search/count?{later}search={address}{within}", frame.root)
    };
    let pages = pages.with_query(&query(scope));
    let project = project.map(|page| ProjectFrame::new(&frame.root, &page, project_frame::Tab::Search));
    let needles = match wanted {
        Scope::Blobs | Scope::Commits => Needles::of_text(&text),
        _ => Needles::of_words(&text),
    };
    Answer::page(&SearchPage {
        frame,
        project,
        needles,
        text,
        address,
        scope,
        is_chosen,
        place,
        tabs,
        counts,
        hits,
        pages,
    })
}

/// A scope with its results. It has the totals of the other scopes, if they were requested.
struct Opened {
    known: Named,
    found: Found,
    totals: Vec<(Scope, i64)>,
}

/// The results of a scope. Empty if the caller may not read it: a project may have no merge requests, or may restrict
/// its code.
async fn find(
    context: &RequestContext,
    asked: &SearchRequest,
    scope: Scope,
    page: PageRequest,
) -> Result<Found, PageError> {
    let (within, text) = (asked.within.clone(), asked.text.clone());
    let listing = Listing { page, labels: Labels::Details };
    let found = search::search(context.app(), context.identity(), within, scope, text, listing);
    match found.await {
        Err(AppError::Forbidden) => Ok(Found::Nothing(page)),
        found => Ok(found?),
    }
}

/// The first of the scopes that has results. The first of all if none has. Git is asked only for scopes before the one
/// that is shown. The database is asked once for the totals of all others.
async fn first_with_hits(
    context: &RequestContext,
    asked: &SearchRequest,
    offered: &'static [Named],
    page: PageRequest,
) -> Result<Opened, PageError> {
    let first = *offered.first().unwrap_or(&PROJECTS);
    let mut counted: Option<Vec<(Scope, i64)>> = None;
    let mut of_first = None;
    if !asked.text.is_empty() {
        for known in offered {
            if is_counted(known.2) {
                let totals = match counted.take() {
                    Some(totals) => totals,
                    None => all_totals(context, asked, offered).await?,
                };
                if totals.iter().any(|(scope, total)| *scope == known.2 && *total > 0) {
                    let found = find(context, asked, known.2, page).await?;
                    return Ok(Opened { known: *known, found, totals });
                }
                counted = Some(totals);
            } else {
                let found = find(context, asked, known.2, page).await?;
                if !is_empty(&found) {
                    return Ok(Opened { known: *known, found, totals: counted.unwrap_or_default() });
                }
                of_first = of_first.or_else(|| Some(found).filter(|_| known.2 == first.2));
            }
        }
    }
    let found = match of_first {
        Some(found) => found,
        None => find(context, asked, first.2, page).await?,
    };
    Ok(Opened { known: first, found, totals: counted.unwrap_or_default() })
}

/// The total of each scope that the database counts.
async fn all_totals(
    context: &RequestContext,
    asked: &SearchRequest,
    offered: &[Named],
) -> Result<Vec<(Scope, i64)>, PageError> {
    let scopes = offered.iter().map(|known| known.2).filter(|scope| is_counted(*scope)).collect();
    let (within, text) = (asked.within.clone(), asked.text.clone());
    Ok(search::totals(context.app(), context.identity(), within, scopes, text).await?)
}

/// True if Git has found nothing.
fn is_empty(found: &Found) -> bool {
    match found {
        Found::Blobs(page) => page.items.is_empty(),
        Found::Commits(page) => page.items.is_empty(),
        Found::Projects(_)
        | Found::Issues(_)
        | Found::MergeRequests(_)
        | Found::Milestones(_)
        | Found::Users(_)
        | Found::Notes(_)
        | Found::Snippets(_)
        | Found::Nothing(_) => true,
    }
}

/// The project or group in which the search runs.
pub(super) fn place(query: &mut tenon_app::Query<'_>, within: Option<ContainerReference>) -> Result<Place, AppError> {
    Ok(match within {
        None => Place::default(),
        Some(ContainerReference::Project(project)) => {
            let brief = project::show(query, &project, ShowProject::default())?.brief;
            let home = Some((brief.full_name, format!("/{}", brief.full_path)));
            Place { home, field: "project_id", id: brief.project.id.get() }
        }
        Some(ContainerReference::Group(group)) => {
            let request = ShowGroup { with_projects: false, with_custom_attributes: false, statistics: false };
            let namespace = group::show(query, &group, request)?.group.group.namespace;
            let home = Some((namespace.full_name, format!("/groups/{}", namespace.full_path)));
            Place { home, field: "group_id", id: namespace.id.get() }
        }
    })
}

fn present(context: &RequestContext, frame: &Frame, place: &Place, found: Found) -> (Hits, Pagination) {
    let base_url = context.app().base_url();
    let project = place.home.as_ref().map(|(_, href)| href.clone()).unwrap_or_default();
    match found {
        Found::Projects(page) => listed(page, Hits::Projects, |view| ProjectRow::new(&frame.root, view.brief)),
        Found::Issues(page) => listed(page, Hits::Issuables, |view| Row::across(frame, base_url, &view, false)),
        Found::MergeRequests(page) => {
            listed(page, Hits::Issuables, |view| Row::across(frame, base_url, &view.of, view.request.draft))
        }
        Found::Milestones(page) => listed(page, Hits::Links, |view| Link {
            href: own_path(&frame.root, base_url, &view.web_url),
            title: view.milestone.title,
        }),
        Found::Snippets(page) => listed(page, Hits::Links, |view| Link {
            href: own_path(&frame.root, base_url, &view.web_url),
            title: view.snippet.title,
        }),
        Found::Users(page) => listed(page, Hits::Users, |view| PersonLink::new(frame, &view.basic)),
        Found::Notes(page) => listed(page, Hits::Notes, |view| {
            let sign = match view.noteable_kind {
                IssuableKind::Issue => '#',
                IssuableKind::MergeRequest => '!',
            };
            let list = list_of(view.noteable_kind);
            NoteHit {
                href: of_note(&format!("{project}/{list}/{}", view.noteable_iid), view.note.id),
                reference: format!("{sign}{}", view.noteable_iid),
                author: view.author.as_ref().map(|user| PersonLink::new(frame, user)),
                text: view.note.body.chars().take(NOTE).collect(),
                at: view.note.created_at.into(),
            }
        }),
        Found::Commits(page) => listed(page, Hits::Commits, |view| view.commit.into()),
        Found::Blobs(page) => listed(page, Hits::Code, |hit| CodeHit {
            href: format!("{project}/blob/{}/{}", in_path(&hit.branch), in_path(hit.path.as_kept())),
            lines: (hit.start_line..).zip(hit.data.lines().map(str::to_owned)).collect(),
            path: hit.path.legible(),
        }),
        Found::Nothing(request) => (Hits::Nothing, nothing(request)),
    }
}

fn listed<T, U>(page: Page<T>, hits: fn(Vec<U>) -> Hits, convert: impl FnMut(T) -> U) -> (Hits, Pagination) {
    let pages = Pagination::of(&page);
    (hits(page.items.into_iter().map(convert).collect()), pages)
}

fn nothing(request: PageRequest) -> Pagination {
    Pagination::of(&Page::<()>::empty(request))
}
