//! To-do lists.

use std::collections::{BTreeSet, HashMap};

use tenon_domain::group::GroupAction;
use tenon_domain::id::{IssuableId, NoteId, ProjectId, TodoId, UserId};
use tenon_domain::issuable::IssuableAction;
use tenon_domain::issuable::{Issuable, IssuableKind};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::todo::{Todo, TodoAction};
use tenon_domain::transition::Transition;
use tenon_domain::user::UserAction;
use tenon_storage::issuable::{self, IssuableSet, VisibleIssuables};
use tenon_storage::project::ProjectWithNamespace;
use tenon_storage::todo::{self, TodoFilter};
use tenon_storage::{namespace, note, project};

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::merge_request::{self, MergeRequestView};
use crate::policy::issuable::IssuableReference;
use crate::policy::reference::Reference;
use crate::shared::issuable::view::{Detail, IssuableView, views as issue_views, visible};
use crate::shared::views::user_ref::UserRef;

/// An entry of the caller's list as answers show it.
#[derive(Debug, Clone)]
pub struct TodoView {
    /// The entry.
    pub todo: Todo,
    /// The project of the target.
    pub project: ProjectWithNamespace,
    /// Who caused it.
    pub author: Option<UserRef>,
    /// The target of the entry.
    pub target: TodoTarget,
    /// Its page, and the comment there.
    pub target_url: String,
    /// The comment that caused it, or the title of what it is about.
    pub body: String,
}

/// The target of the entry.
#[derive(Debug, Clone)]
pub enum TodoTarget {
    /// An issue.
    Issue(Box<IssuableView>),
    /// A merge request.
    MergeRequest(Box<MergeRequestView>),
}

impl TodoTarget {
    /// The common part of both.
    #[must_use]
    pub const fn shared(&self) -> &IssuableView {
        match self {
            Self::Issue(view) => view,
            Self::MergeRequest(view) => &view.of,
        }
    }
}

/// A request for entries.
#[derive(Debug, Clone, Default)]
pub struct ListTodos {
    /// For this reason.
    pub action: Option<TodoAction>,
    /// Not for these reasons.
    pub but: Vec<TodoAction>,
    /// Caused by this user.
    pub author: Option<UserId>,
    /// About something in this project.
    pub project: Option<ProjectId>,
    /// About something in this group or below it.
    pub group: Option<i64>,
    /// Dealt with, or not.
    pub done: bool,
    /// About issues, or about merge requests.
    pub kind: Option<IssuableKind>,
}

/// The caller's list, newest first.
pub fn list(query: &mut Query<'_>, request: &ListTodos, page: PageRequest) -> Result<Page<TodoView>, AppError> {
    let filter = filter(query, request)?;
    let found = todo::list(&mut query.tx, &filter, page)?;
    Ok(Page { items: views(query, found.items)?, total: found.total, request: found.request })
}

/// How many of the newest entries of the caller's list that are not dealt with the caller may see. Each page shows the number, so that
/// no more than `most` are read.
pub fn pending(query: &mut Query<'_>, most: i64) -> Result<usize, AppError> {
    let user = query.user()?.id;
    let newest = todo::newest_pending(&mut query.tx, user, most)?;
    if newest.is_empty() {
        return Ok(0);
    }
    let distinct: Vec<IssuableId> = newest.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    let visible = visible(query, &distinct)?;
    Ok(newest.iter().filter(|about| visible.contains(about)).count())
}

/// Puts an issue on the caller's list; `Stayed` if something about it is there already.
pub fn mark(command: &mut Command<'_>, of: &IssuableReference) -> Result<Transition<Option<TodoView>>, AppError> {
    let found = command.query().issuable(of, IssuableAction::Read)?;
    let user = command.user()?.id;
    if !todo::pending_of(&mut command.tx, found.issuable.id, &[user])?.is_empty() {
        return Ok(Transition::Stayed(None));
    }
    let mut entry = Todo {
        id: TodoId::new(0),
        user,
        author: user,
        issuable: found.issuable.id,
        note: None,
        action: TodoAction::Marked,
        done: false,
        created_at: command.now,
        updated_at: command.now,
    };
    entry.id = todo::insert(&mut command.tx, &entry)?;
    Ok(Transition::Moved(Some(one(&mut command.query(), entry)?)))
}

/// Marks one entry of the caller's list as done. Idempotent.
pub fn mark_done(command: &mut Command<'_>, id: TodoId) -> Result<TodoView, AppError> {
    let user = command.user()?.id;
    let missing = || AppError::NotFound(Missing::Record);
    let mut entry = todo::find(&mut command.tx, user, id)?.ok_or_else(missing)?;
    // The target of the entry may have been hidden since.
    if !visible(&mut command.query(), &[entry.issuable])?.contains(&entry.issuable) {
        return Err(missing());
    }
    if !entry.done {
        let now = command.now;
        todo::mark_done(&mut command.tx, id, now)?;
        (entry.done, entry.updated_at) = (true, now);
    }
    one(&mut command.query(), entry)
}

/// Deals with everything on the caller's list that matches.
pub fn mark_all_done(command: &mut Command<'_>, request: &ListTodos) -> Result<(), AppError> {
    let filter = filter(&mut command.query(), &ListTodos { done: false, ..request.clone() })?;
    let now = command.now;
    Ok(todo::mark_all_done(&mut command.tx, &filter, now)?)
}

/// An unknown author, project or group is missing.
fn filter(query: &mut Query<'_>, request: &ListTodos) -> Result<TodoFilter, AppError> {
    let (viewer, today) = (query.viewer(), query.today());
    let user = query.user()?.id;
    let missing = |error: AppError| match error {
        AppError::NotFound(_) | AppError::Forbidden => AppError::NotFound(Missing::Record),
        other => other,
    };
    if let Some(author) = request.author {
        query.account(author, UserAction::Read).map_err(missing)?;
    }
    let mut projects: Option<Vec<ProjectId>> = None;
    if let Some(group) = request.group {
        let group = query.group(&Reference::Id(group), GroupAction::Read).map_err(missing)?.group.id();
        let below = namespace::subtree(&mut query.tx, group)?;
        projects = Some(project::ids_in(&mut query.tx, &below)?);
    }
    if let Some(id) = request.project {
        query.project(&Reference::Id(id.get()), ProjectAction::Read).map_err(missing)?;
        let wanted = projects.is_none_or(|below| below.contains(&id));
        projects = Some(if wanted { vec![id] } else { Vec::new() });
    }
    let mut reaches = Vec::new();
    for kind in IssuableKind::ALL {
        reaches.push(VisibleIssuables::resolve(&mut query.tx, *kind, viewer, IssuableSet::All, today)?);
    }
    Ok(TodoFilter {
        user,
        visible_issuables: reaches,
        done: request.done,
        action: request.action,
        but: request.but.clone(),
        author: request.author,
        projects,
        kind: request.kind,
    })
}

fn one(query: &mut Query<'_>, entry: Todo) -> Result<TodoView, AppError> {
    views(query, vec![entry])?.pop().ok_or(AppError::NotFound(Missing::Record))
}

fn views(query: &mut Query<'_>, entries: Vec<Todo>) -> Result<Vec<TodoView>, AppError> {
    let about: Vec<IssuableId> = entries.iter().map(|entry| entry.issuable).collect();
    let issues: Vec<Issuable> = issuable::by_ids(&mut query.tx, &about)?;
    let projects: Vec<ProjectId> = issues.iter().map(|issue| issue.project).collect();
    let (issues, requests): (Vec<_>, Vec<_>) = issues.into_iter().partition(|one| one.kind == IssuableKind::Issue);
    let detail = Detail { subscribed: true, ..Detail::default() };
    let issues = issue_views(query, issues, detail)?.into_iter().map(|view| TodoTarget::Issue(Box::new(view)));
    let requests = merge_request::views(query, requests, detail)?;
    let requests = requests.into_iter().map(|view| TodoTarget::MergeRequest(Box::new(view)));
    let targets: HashMap<IssuableId, TodoTarget> =
        issues.chain(requests).map(|target| (target.shared().issuable.id, target)).collect();
    let projects: HashMap<ProjectId, ProjectWithNamespace> =
        project::by_ids(&mut query.tx, &projects)?.into_iter().map(|placed| (placed.project.id, placed)).collect();
    let authors = UserRef::of(query, entries.iter().map(|entry| entry.author).collect())?;
    let causes: Vec<NoteId> = entries.iter().filter_map(|entry| entry.note).collect();
    let notes = note::by_ids(&mut query.tx, &causes)?;
    Ok(entries
        .into_iter()
        .filter_map(|entry| {
            let target = targets.get(&entry.issuable)?.clone();
            let note = entry.note.and_then(|id| notes.get(&id));
            Some(TodoView {
                project: projects.get(&target.shared().issuable.project)?.clone(),
                author: authors.get(&entry.author).cloned(),
                target_url: match note {
                    Some(note) => format!("{}#note_{}", target.shared().web_url, note.id),
                    None => target.shared().web_url.clone(),
                },
                body: note.map_or_else(|| target.shared().issuable.title.clone(), |note| note.body.clone()),
                target,
                todo: entry,
            })
        })
        .collect())
}
