//! Branches and tags.

use askama::Template;
use tenon_app::repository::{self, ListBranches, ListTags};

use super::Room;
use super::frame::{ProjectFrame, Tab};
use super::tree::CommitLine;
use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::pagination::{self, Pagination};
use crate::place::{in_path, in_query};

/// The longest name of a branch or tag that is gone to, in bytes.
const LONGEST: usize = 1000;

/// A branch or tag.
struct Row {
    name: String,
    /// The name as part of addresses.
    address: String,
    notes: Vec<&'static str>,
    /// What an annotated tag says.
    message: String,
    last: Option<CommitLine>,
}

#[derive(Template)]
#[template(path = "project/refs.html")]
struct ListPage {
    frame: Frame,
    project: ProjectFrame,
    title: &'static str,
    /// What an address needs to mean one of this kind.
    ties: &'static str,
    /// The query that keeps the search.
    query: String,
    search: String,
    rows: Vec<Row>,
    pages: Pagination,
}

pub(super) async fn branches(room: Room) -> Result<Answer, PageError> {
    let (page, search) = (pagination::asked(&room.visit), searched(&room));
    let request = ListBranches { search: Some(search.clone()), page, ..ListBranches::default() };
    let found = repository::branches_of(room.visit.app(), room.code()?, request).await?;
    let pages = Pagination::of(&found);
    let rows = found.items.into_iter().map(|branch| {
        let notes = [(branch.default, "default"), (branch.protected, "protected"), (branch.merged, "merged")];
        Row {
            address: in_path(&branch.name),
            name: branch.name,
            notes: notes.into_iter().filter(|(holds, _)| *holds).map(|(_, note)| note).collect(),
            message: String::new(),
            last: Some(branch.commit.into()),
        }
    });
    list(room, Tab::Branches, rows.collect(), pages, search)
}

pub(super) async fn tags(room: Room) -> Result<Answer, PageError> {
    let (page, search) = (pagination::asked(&room.visit), searched(&room));
    let request = ListTags { search: Some(search.clone()), page, ..ListTags::default() };
    let found = repository::tags_of(room.visit.app(), room.code()?, request).await?;
    let pages = Pagination::of(&found);
    let rows = found.items.into_iter().map(|tag| Row {
        address: in_path(&tag.name),
        name: tag.name,
        notes: if tag.protected { vec!["protected"] } else { Vec::new() },
        message: tag.message.unwrap_or_default(),
        last: tag.commit.map(Into::into),
    });
    list(room, Tab::Tags, rows.collect(), pages, search)
}

fn searched(room: &Room) -> String {
    room.visit.query("search").unwrap_or_default().chars().take(100).collect()
}

fn list(room: Room, tab: Tab, rows: Vec<Row>, pages: Pagination, search: String) -> Result<Answer, PageError> {
    let (title, ties, twin) = match tab {
        Tab::Tags => ("Tags", "?ref_type=tags", "/repository/tags"),
        _ => ("Branches", "", "/repository/branches"),
    };
    let query = if search.is_empty() { String::new() } else { format!("search={}", in_query(&search)) };
    let and = if query.is_empty() { "" } else { "?" };
    let project = ProjectFrame::new(&room.frame.root, &room.page, tab).with_twin(&format!("{twin}{and}{query}"));
    let pages = pages.with_query(&query);
    Answer::page(&ListPage { frame: room.frame, project, title, ties, query, search, rows, pages })
}

/// Leads from the form in which a branch or tag is chosen to the page about it.
pub(super) async fn switch(room: Room) -> Result<Answer, PageError> {
    let id = room.visit.query("id").filter(|id| id.len() <= LONGEST).ok_or(PageError::NotFound)?;
    let (id, ties) = id.strip_prefix("tags:").map_or((id, ""), |id| (id, "?ref_type=tags"));
    let destination = match room.visit.query("destination") {
        Some("blob") => "blob",
        Some("commits") => "commits",
        Some("blame") => "blame",
        Some("find_file") => "find_file",
        _ => "tree",
    };
    let path = room.visit.query("path").map(|path| format!("/{}", in_path(path))).unwrap_or_default();
    Ok(Answer::to(&room.address(&format!("/{destination}/{}{path}{ties}", in_path(id)))))
}
