//! The to-do list.

use askama::Template;
use tenon_app::todo::{self, ListTodos, TodoTarget, TodoView};
use tenon_domain::id::{TodoId, UserId};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::todo::TodoAction;

use super::frame::DashboardFrame;
use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::address::with_note;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::pagination::{Pagination, chosen};
use crate::kit::words::Moment;
use crate::parts::links::{PersonLink, own_path};

/// Characters of a text that an entry shows.
const SHOWN: usize = 200;

#[derive(Template)]
#[template(path = "dashboard/todos.html")]
struct TodosPage {
    frame: Frame,
    top: DashboardFrame,
    done: bool,
    /// The kind to which the list is narrowed, as in the address. Empty for everything.
    kind: &'static str,
    rows: Vec<Row>,
    pages: Pagination,
}

pub(super) struct Row {
    id: i64,
    pub(super) author: Option<PersonLink>,
    /// The action in words: the text before the name of the object, and the text behind it.
    pub(super) what: (&'static str, &'static str),
    pub(super) href: String,
    /// The project, with the number of the object in it.
    pub(super) reference: String,
    pub(super) title: String,
    /// The text of the note, if it is not the title.
    pub(super) said: Option<String>,
    pub(super) at: Moment,
}

impl Row {
    /// An entry of this reader's list.
    pub(super) fn new(frame: &Frame, base_url: &str, reader: UserId, view: TodoView) -> Self {
        let shared = view.target.shared();
        let title = shared.issuable.title.clone();
        let is_request = matches!(view.target, TodoTarget::MergeRequest(_));
        // An event that the server has found has no author.
        let is_of_author = !matches!(view.todo.action, TodoAction::BuildFailed | TodoAction::Unmergeable);
        let is_own = is_of_author && view.author.as_ref().is_some_and(|user| user.id == reader);
        let author = view.author.as_ref().filter(|_| is_of_author && !is_own);
        let said: String = view.body.chars().take(SHOWN).collect();
        Self {
            id: view.todo.id.get(),
            author: author.map(|user| PersonLink::new(frame, user)),
            what: if is_own { own_words(view.todo.action) } else { words(view.todo.action, is_request) },
            href: with_note(&own_path(&frame.root, base_url, &view.target_url)),
            reference: format!("{}{}", shared.project_path, shared.issuable.short_reference()),
            said: Some(said).filter(|said| *said != title),
            title,
            at: view.todo.created_at.into(),
        }
    }
}

/// The reason for an entry.
const fn words(action: TodoAction, is_request: bool) -> (&'static str, &'static str) {
    match (action, is_request) {
        (TodoAction::Assigned, true) => ("assigned you", ""),
        (TodoAction::Assigned, false) => ("assigned you to", ""),
        (TodoAction::Mentioned | TodoAction::DirectlyAddressed, _) => ("mentioned you on", ""),
        (TodoAction::BuildFailed, _) => ("The pipeline failed for", ""),
        (TodoAction::Marked, _) => ("added", " to your to-do list"),
        (TodoAction::ApprovalRequired, _) => ("requested your approval of", ""),
        (TodoAction::Unmergeable, _) => ("Merge conflicts in", ""),
        (TodoAction::ReviewSubmitted, _) => ("requested changes to", ""),
    }
}

/// As [`words`], if the reader has done it.
const fn own_words(action: TodoAction) -> (&'static str, &'static str) {
    match action {
        TodoAction::Assigned => ("You assigned yourself to", ""),
        TodoAction::Mentioned | TodoAction::DirectlyAddressed => ("You mentioned yourself on", ""),
        TodoAction::BuildFailed => ("The pipeline failed for", ""),
        TodoAction::Marked => ("You added", " to your to-do list"),
        TodoAction::ApprovalRequired => ("You requested your own approval of", ""),
        TodoAction::Unmergeable => ("Merge conflicts in", ""),
        TodoAction::ReviewSubmitted => ("You requested changes to", ""),
    }
}

/// The kind that an address or a form names, and its name. Everything if it names none.
fn kind_of(named: Option<&str>) -> (Option<IssuableKind>, &'static str) {
    match named {
        Some("Issue") => (Some(IssuableKind::Issue), "Issue"),
        Some("MergeRequest") => (Some(IssuableKind::MergeRequest), "MergeRequest"),
        Some(_) | None => (None, ""),
    }
}

pub(super) async fn list(context: RequestContext) -> Result<Answer, PageError> {
    let done = context.query("state") == Some("done");
    let (about, kind) = kind_of(context.query("type"));
    let request = ListTodos { done, kind: about, ..ListTodos::default() };
    let page = chosen(context.parameters());
    let read = context.read(move |query| {
        let reader = query.user()?.id;
        Ok((DashboardFrame::read(query, "todos")?, reader, todo::list(query, &request, page)?))
    });
    let (frame, (top, reader, found)) = read.await?;
    let base_url = context.app().base_url();
    let state = if done { "state=done" } else { "" };
    let about = if kind.is_empty() { String::new() } else { format!("type={kind}") };
    let query: Vec<&str> = [state, &about].into_iter().filter(|part| !part.is_empty()).collect();
    let pages = Pagination::of(&found).with_query(&query.join("&"));
    let rows = found.items.into_iter().map(|view| Row::new(&frame, base_url, reader, view)).collect();
    Answer::cacheable(&TodosPage { frame, top, done, kind, rows, pages })
}

pub(super) async fn mark_done(context: RequestContext) -> Result<Answer, PageError> {
    let id = TodoId::new(context.id("id")?);
    context.write(move |command| todo::mark_done(command, id)).await?;
    Ok(Answer::done(&context.own("/dashboard/todos")))
}

pub(super) async fn mark_all_done(context: RequestContext) -> Result<Answer, PageError> {
    let (about, kind) = kind_of(context.form().filled("", "type").as_deref());
    let request = ListTodos { kind: about, ..ListTodos::default() };
    context.write(move |command| todo::mark_all_done(command, &request)).await?;
    let query = if kind.is_empty() { String::new() } else { format!("?type={kind}") };
    Ok(Answer::done(&context.own(&format!("/dashboard/todos{query}"))))
}
