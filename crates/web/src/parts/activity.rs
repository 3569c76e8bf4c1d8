//! Events, as pages and feeds show them.

use std::collections::HashMap;

use tenon_app::contribution::{self, ContributionView, ListContributions};
use tenon_app::error::AppError;
use tenon_app::repository::PushData;
use tenon_app::{PageRequest, Query};
use tenon_domain::contribution::{ContributionAction, ContributionTarget};
use tenon_domain::id::ProjectId;
use tenon_domain::page::Page;

use crate::context::frame::Frame;
use crate::kit::address::{in_path, in_query, of_note};
use crate::kit::choice::Choice;
use crate::kit::pagination::chosen;
use crate::kit::parameters::Parameters;
use crate::kit::words::Moment;
use crate::parts::issuable::list::list_of;
use crate::parts::links::PersonLink;

/// The number of characters of a comment that a list shows.
const TEXT: usize = 300;

/// An event.
pub(crate) struct Happening {
    pub(crate) who: Option<PersonLink>,
    pub(crate) words: String,
    /// The object of the event: its address, and its title.
    pub(crate) about: Option<(String, String)>,
    /// The text of the comment.
    pub(crate) text: String,
    pub(crate) at: Moment,
    /// The project, on pages with several projects: its address, and its path.
    pub(crate) project: Option<(String, String)>,
}

/// The names of actions in addresses and on pages.
const ACTIONS: [(&str, &str, ContributionAction); 6] = [
    ("push", "Pushes", ContributionAction::Pushed),
    ("comments", "Comments", ContributionAction::Commented),
    ("merged", "Merges", ContributionAction::Merged),
    ("opened", "Opened", ContributionAction::Created),
    ("closed", "Closed", ContributionAction::Closed),
    ("joined", "New members", ContributionAction::Joined),
];

/// The kind of event to which a list is narrowed.
pub(crate) struct Kind {
    chosen: Option<&'static str>,
    action: Option<ContributionAction>,
}

impl Kind {
    pub(crate) fn parse(asked: &Parameters) -> Self {
        let found = ACTIONS.iter().find(|known| asked.text("event_filter") == Some(known.0));
        Self { chosen: found.map(|known| known.0), action: found.map(|known| known.2) }
    }

    pub(crate) fn request(&self, asked: &Parameters) -> ListContributions {
        ListContributions { action: self.action, page: chosen(asked), ..ListContributions::default() }
    }

    /// The kinds that a reader can choose. The first one is all of them.
    pub(crate) fn choices(&self) -> Vec<Choice> {
        let all = Choice::new("", "All events", self.chosen.is_none());
        let one =
            |known: &(&str, &str, ContributionAction)| Choice::new(known.0, known.1, self.chosen == Some(known.0));
        std::iter::once(all).chain(ACTIONS.iter().map(one)).collect()
    }

    /// The query of the same list.
    pub(crate) fn query(&self) -> String {
        self.chosen.map(|chosen| format!("event_filter={}", in_query(chosen))).unwrap_or_default()
    }
}

/// Contributions, and the paths of their projects.
pub(crate) type WithPaths = (Page<ContributionView>, HashMap<ProjectId, String>);

/// A page of contributions with the paths of their projects.
pub(crate) fn with_paths(query: &mut Query<'_>, page: Page<ContributionView>) -> Result<WithPaths, AppError> {
    let paths = contribution::places(query, &page.items)?;
    Ok((page, paths))
}

/// The newest contributions, for a page that shows other content too.
pub(crate) fn newest(most: i64) -> ListContributions {
    ListContributions { page: PageRequest::new(None, Some(most)), ..ListContributions::default() }
}

/// The address of more details, below the project. Empty if that is the project itself.
pub(crate) fn below(view: &ContributionView) -> String {
    if let Some(note) = &view.note {
        return of_note(&format!("/{}/{}", list_of(note.noteable_kind), note.noteable_iid), note.note.id);
    }
    let list = match view.contribution.target {
        Some(ContributionTarget::Issue) => "issues",
        Some(ContributionTarget::MergeRequest) => "merge_requests",
        Some(ContributionTarget::Milestone) => "milestones",
        Some(
            ContributionTarget::Note
            | ContributionTarget::Project
            | ContributionTarget::Snippet
            | ContributionTarget::User,
        )
        | None => return String::new(),
    };
    // A milestone that was deleted has no page.
    let is_gone = view.contribution.action == ContributionAction::Destroyed;
    view.target.filter(|_| !is_gone).map(|(_, number)| format!("/{list}/{number}")).unwrap_or_default()
}

/// The address of the details of a push, below its project.
fn below_push(view: &ContributionView) -> String {
    let Some(push) = view.push.as_ref().filter(|push| push.action != "removed") else { return String::new() };
    let Some(name) = push.ref_name.as_deref() else { return String::new() };
    match (&push.commit_from, &push.commit_to) {
        // A tag may name another object than a commit.
        _ if push.ref_type == "tag" => format!("/tags/{}", in_path(name)),
        (Some(from), Some(to)) if push.action == "pushed" => format!("/compare/{from}...{to}"),
        _ => format!("/commits/{}", in_path(name)),
    }
}

/// The refs of a push that has done the same to several, in words: `5 branches`.
pub(crate) fn several(push: &PushData) -> Option<String> {
    let many = if push.ref_type == "tag" { "tags" } else { "branches" };
    push.ref_count.map(|count| crate::kit::words::count(count, &push.ref_type, many))
}

/// The action and its object, in words: `opened issue #12`.
fn words(view: &ContributionView) -> String {
    let done = match view.contribution.action_name {
        "accepted" => "merged",
        done => done,
    };
    if let Some(push) = &view.push {
        let is_push = push.action == "pushed";
        if let Some(refs) = several(push) {
            return if is_push { format!("pushed to {refs}") } else { format!("{} {refs}", push.action) };
        }
        let commits = (push.commit_count > 0).then(|| crate::kit::words::count(push.commit_count, "commit", "commits"));
        // The link has the name if there is no title of a commit.
        let is_named = push.commit_title.is_some() || push.action == "removed";
        let name = push.ref_name.as_ref().filter(|_| is_named).map(|name| format!(" {name}")).unwrap_or_default();
        let done = match (is_push, commits) {
            (true, Some(commits)) => format!("pushed {commits} to {}{name}", push.ref_type),
            (true, None) => format!("pushed to {}{name}", push.ref_type),
            (false, Some(commits)) => format!("{} {}{name} ({commits})", push.action, push.ref_type),
            (false, None) => format!("{} {}{name}", push.action, push.ref_type),
        };
        return if push.commit_title.is_some() { format!("{done}:") } else { done };
    }
    let number = view.target.map(|(_, number)| number).unwrap_or_default();
    match (&view.note, view.contribution.target) {
        (Some(note), _) => {
            let (what, sign) = match note.noteable_kind {
                tenon_domain::issuable::IssuableKind::Issue => ("issue", '#'),
                tenon_domain::issuable::IssuableKind::MergeRequest => ("merge request", '!'),
            };
            format!("{done} {what} {sign}{}", note.noteable_iid)
        }
        (None, Some(ContributionTarget::Issue)) => format!("{done} issue #{number}"),
        (None, Some(ContributionTarget::MergeRequest)) => format!("{done} merge request !{number}"),
        (None, Some(ContributionTarget::Milestone)) => format!("{done} milestone"),
        (None, Some(ContributionTarget::Project)) => format!("{done} project"),
        (None, Some(ContributionTarget::Note | ContributionTarget::Snippet | ContributionTarget::User) | None) => {
            done.to_owned()
        }
    }
}

/// The events in the projects at these paths.
pub(crate) fn in_projects(
    frame: &Frame,
    paths: &HashMap<ProjectId, String>,
    found: Vec<ContributionView>,
) -> Vec<Happening> {
    let one = |view: ContributionView| {
        let path = view.project.and_then(|id| paths.get(&id));
        let project = path.map(|path| (format!("{}/{path}", frame.root), path.clone()));
        let home = project.as_ref().map(|(href, _)| href.clone());
        let is_of_project = matches!(view.contribution.target, Some(ContributionTarget::Project));
        let happened = happening(frame, home, view);
        // An action on the project itself was not done in it.
        if is_of_project { Happening { about: project, ..happened } } else { Happening { project, ..happened } }
    };
    found.into_iter().map(one).collect()
}

/// An event in the project at `home`.
pub(crate) fn happening(frame: &Frame, home: Option<String>, view: ContributionView) -> Happening {
    let below = if view.push.is_some() { below_push(&view) } else { below(&view) };
    let title = match &view.push {
        Some(push) => push.commit_title.clone().or_else(|| push.ref_name.clone()).unwrap_or_default(),
        None => view.target_title.clone().unwrap_or_default(),
    };
    let about = home.filter(|_| !below.is_empty()).map(|home| (format!("{home}{below}"), title));
    let text = view.note.as_ref().map(|note| note.note.body.as_str()).unwrap_or_default();
    Happening {
        who: view.author.as_ref().map(|user| PersonLink::new(frame, user)),
        words: words(&view),
        about,
        text: text.chars().take(TEXT).collect(),
        at: view.created_at.into(),
        project: None,
    }
}
