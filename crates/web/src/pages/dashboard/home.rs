//! The first page: everything that waits for the caller, with the caller's projects and their events beside it.

use askama::Template;
use tenon_app::contribution;
use tenon_app::dashboard::{self, Dashboard};
use tenon_app::error::AppError;
use tenon_app::issuable::IssuableView;
use tenon_app::project::{self, ListProjects, ProjectOrder, ProjectView};
use tenon_app::{PageRequest, Query, ssh_key};
use tenon_domain::page::Page;
use tenon_domain::todo::TodoAction;

use super::todos;
use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::address::{in_path, new_request};
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::words::{Moment, day};
use crate::parts::activity::{Happening, WithPaths, in_projects, newest, with_paths};
use crate::parts::links::{PersonLink, own_path};

/// Entries of a part of the page.
const ROWS: usize = 10;
/// The same, as the number of rows that are read.
const READ: i64 = 10;
/// Projects beside them, and events.
const PROJECTS: i64 = 7;
const EVENTS: i64 = 5;

#[derive(Template)]
#[template(path = "dashboard/home.html")]
struct HomePage {
    frame: Frame,
    base_url: String,
    parts: Vec<Part>,
    projects: Vec<Recent>,
    projects_count: i64,
    happenings: Vec<Happening>,
    /// True if the user is asked to add an SSH key.
    asks_for_key: bool,
    /// True if the user has no project yet, and the page suggests the next steps.
    is_first_start: bool,
    may_create_group: bool,
}

/// Entries of one kind that wait for the caller. There is at least one.
struct Part {
    title: &'static str,
    count: i64,
    /// The address of all of them. Empty if all are shown.
    all: String,
    rows: Vec<Waiting>,
}

struct Waiting {
    icon: &'static str,
    /// The class of the colour of the icon.
    class: &'static str,
    href: String,
    title: String,
    about: String,
    person: Option<PersonLink>,
    /// The day on which it is due.
    due: Option<String>,
    at: Moment,
    /// A further link: its words, and its address.
    action: Option<(&'static str, String)>,
}

struct Recent {
    href: String,
    name: String,
    namespace: String,
    at: Moment,
}

/// The data of the page.
pub(crate) struct Found {
    waiting: Dashboard,
    projects: Page<ProjectView>,
    happened: WithPaths,
    asks_for_key: bool,
}

/// Reads all that waits for the caller, the caller's projects, and their events.
pub(crate) fn read(query: &mut Query<'_>) -> Result<Found, AppError> {
    let projects = ListProjects {
        membership: true,
        simple: true,
        order_by: ProjectOrder::LastActivityAt,
        descending: true,
        page: PageRequest::new(None, Some(PROJECTS)),
        ..ListProjects::default()
    };
    let happened = contribution::of_memberships(query, &newest(EVENTS))?;
    Ok(Found {
        waiting: dashboard::dashboard(query, READ)?,
        projects: project::list(query, projects)?,
        happened: with_paths(query, happened)?,
        asks_for_key: ssh_key::is_asked_for(query)?,
    })
}

pub(super) async fn show(context: RequestContext) -> Result<Answer, PageError> {
    let (frame, found) = context.read(read).await?;
    shown(&context, frame, found).await
}

/// The page, for a caller who has signed in.
pub(crate) async fn shown(context: &RequestContext, frame: Frame, found: Found) -> Result<Answer, PageError> {
    let Found { mut waiting, projects, happened: (events, paths), asks_for_key } = found;
    waiting.branches = dashboard::unmerged(context.app(), waiting.branches, usize::MAX).await?;
    let projects_count = projects.total;
    let recent = projects.items.into_iter().map(|view| {
        let brief = view.brief;
        Recent {
            href: format!("{}/{}", frame.root, brief.full_path),
            namespace: brief.full_name.rsplit_once(" / ").map(|(before, _)| before.to_owned()).unwrap_or_default(),
            name: brief.project.name,
            at: brief.project.last_activity_at.into(),
        }
    });
    Answer::cacheable(&HomePage {
        parts: parts(context, &frame, waiting),
        projects: recent.collect(),
        projects_count,
        happenings: in_projects(&frame, &paths, events.items),
        asks_for_key: asks_for_key && context.app().serves_ssh(),
        is_first_start: projects_count == 0,
        may_create_group: frame.user.as_ref().is_some_and(|user| user.may_create_group),
        base_url: context.app().base_url().to_owned(),
        frame,
    })
}

/// The parts that have entries.
fn parts(context: &RequestContext, frame: &Frame, waiting: Dashboard) -> Vec<Part> {
    let (root, base_url) = (&frame.root, context.app().base_url());
    let whole = |name: &str| context.query("show") == Some(name);
    let of_list = |title, page_total: i64, all: &str, rows: Vec<Waiting>| Part {
        title,
        all: if page_total > READ { format!("{root}/dashboard/{all}") } else { String::new() },
        count: page_total,
        rows,
    };
    let issuable = |view: &IssuableView, icon| Waiting::issuable(frame, base_url, view, icon);
    let review = |view: &IssuableView| {
        let row = issuable(view, "git-pull-request-arrow");
        Waiting { action: Some(("Review", format!("{}/diffs", row.href))), due: None, ..row }
    };
    let Dashboard { reviews, issues, merge_requests, todos, failed, branches } = waiting;
    let todo = |view| Waiting::todo(frame, base_url, view);
    let parts = [
        of_list(
            "Review requests",
            reviews.total,
            "merge_requests?scope=reviewed_by_me",
            reviews.items.iter().map(|view| review(&view.of)).collect(),
        ),
        Part::bounded("Failed pipelines", "failed", whole("failed"), root, failed, |one| Waiting {
            icon: "circle-x",
            class: "bad",
            href: format!("{root}/{}/pipelines/{}", one.project_path, one.id),
            about: match &one.title {
                Some(_) => format!("Pipeline #{} · {} · {}", one.id, one.project_path, one.branch),
                None => format!("{} · {}", one.project_path, one.branch),
            },
            title: one.title.unwrap_or_else(|| format!("Pipeline #{} failed", one.id)),
            person: None,
            due: None,
            at: one.at.into(),
            action: None,
        }),
        of_list("Mentions and to-dos", todos.total, "todos", todos.items.into_iter().filter_map(todo).collect()),
        of_list(
            "Issues assigned to you",
            issues.total,
            "issues",
            issues.items.iter().map(|view| issuable(view, "circle-dot")).collect(),
        ),
        of_list(
            "Merge requests assigned to you",
            merge_requests.total,
            "merge_requests?scope=assigned_to_me",
            merge_requests.items.iter().map(|view| issuable(&view.of, "git-pull-request-arrow")).collect(),
        ),
        Part::bounded("Recently pushed branches", "branches", whole("branches"), root, branches, |one| {
            let project = format!("{root}/{}", one.project_path);
            let form = new_request(&one.name, None);
            Waiting {
                icon: "git-branch",
                class: "",
                href: format!("{project}/tree/{}", in_path(&one.name)),
                title: one.name,
                about: [Some(one.project_path), one.title].into_iter().flatten().collect::<Vec<_>>().join(" · "),
                person: None,
                due: None,
                at: one.at.into(),
                action: Some(("New merge request", format!("{project}{form}"))),
            }
        }),
    ];
    parts.into_iter().filter(|part| part.count > 0).collect()
}

impl Part {
    /// A list that the use case has read whole: the first entries of it, or all.
    fn bounded<T>(
        title: &'static str,
        name: &str,
        is_whole: bool,
        root: &str,
        found: Vec<T>,
        row: impl Fn(T) -> Waiting,
    ) -> Self {
        let most = if is_whole { usize::MAX } else { ROWS };
        Self {
            title,
            count: i64::try_from(found.len()).unwrap_or(i64::MAX),
            all: if found.len() > most { format!("{root}/dashboard?show={name}") } else { String::new() },
            rows: found.into_iter().take(most).map(row).collect(),
        }
    }
}

impl Waiting {
    fn issuable(frame: &Frame, base_url: &str, view: &IssuableView, icon: &'static str) -> Self {
        let issuable = &view.issuable;
        Self {
            icon,
            class: "good",
            href: own_path(&frame.root, base_url, &view.web_url),
            title: issuable.title.clone(),
            about: format!("{}{}", view.project_path, issuable.short_reference()),
            person: view.author.as_ref().map(|user| PersonLink::new(frame, user)),
            due: issuable.due_date.map(day),
            at: issuable.updated_at.into(),
            action: None,
        }
    }

    /// An entry of the to-do list.
    fn todo(frame: &Frame, base_url: &str, view: tenon_app::todo::TodoView) -> Option<Self> {
        let reader = frame.user.as_ref()?.id;
        let icon = match view.todo.action {
            TodoAction::Mentioned | TodoAction::DirectlyAddressed => "message-square",
            _ => "inbox",
        };
        let row = todos::Row::new(frame, base_url, tenon_domain::id::UserId::new(reader), view);
        let words = format!("{} {}{}", row.what.0, row.reference, row.what.1);
        Some(Self {
            icon,
            class: "",
            href: row.href,
            title: row.title,
            about: match (row.said, row.author.as_ref()) {
                (Some(said), Some(person)) => format!("{} · {}: {said}", row.reference, person.name),
                (Some(said), None) => format!("{} · {said}", row.reference),
                (None, Some(person)) => format!("{} {words}", person.name),
                (None, None) => words,
            },
            person: row.author,
            due: None,
            at: row.at,
            action: None,
        })
    }
}
