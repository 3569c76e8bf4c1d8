//! Directories.

use askama::Template;
use tenon_app::markdown::{self, FileText};
use tenon_app::repository::{self, Browsed, CommitView, DirectoryEntry, DirectoryPage, Readme};
use tenon_app::{PageRequest, Reference};

use super::Room;
use super::frame::{ProjectFrame, Spot, Tab};
use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::pagination::Pagination;
use crate::place::in_path;
use crate::taken::TAKEN;
use crate::text;
use crate::visit::Visit;
use crate::words::Moment;

/// A commit in a line.
pub(crate) struct CommitLine {
    pub(crate) id: String,
    pub(crate) short_id: String,
    pub(crate) title: String,
    pub(crate) author: String,
    pub(crate) at: Moment,
}

impl From<CommitView> for CommitLine {
    fn from(commit: CommitView) -> Self {
        Self {
            id: commit.id,
            short_id: commit.short_id,
            title: commit.title,
            author: commit.author.name,
            at: commit.committer.at.into(),
        }
    }
}

/// An entry of a directory.
pub(super) struct Row {
    pub(super) name: String,
    /// The kind of page that it leads to; empty for a submodule.
    pub(super) page: &'static str,
    /// The name as part of addresses.
    pub(super) address: String,
    /// What stands behind the name.
    pub(super) note: String,
    pub(super) last: Option<CommitLine>,
}

/// The text that introduces a directory.
pub(super) struct Introduction {
    pub(super) name: String,
    /// The path as part of addresses, with a slash before it.
    pub(super) below: String,
    /// HTML that is safe: made by the renderer of Markdown.
    pub(super) html: Option<String>,
    /// The text where it is no Markdown.
    pub(super) plain: Option<String>,
}

/// A directory, for its page and for the one of its project.
pub(super) struct Directory {
    pub(super) spot: Spot,
    pub(super) last: Option<CommitLine>,
    pub(super) rows: Vec<Row>,
    /// How many rows have no last commit because finding out would have taken too long.
    pub(super) late: usize,
    pub(super) pages: Pagination,
    pub(super) readme: Option<Introduction>,
}

#[derive(Template)]
#[template(path = "project/tree.html")]
struct TreePage {
    frame: Frame,
    project: ProjectFrame,
    directory: Directory,
}

/// Entries on a page.
pub(super) fn entries(visit: &Visit) -> PageRequest {
    let number = visit.query("page").and_then(|number| number.parse().ok());
    PageRequest::new(number, Some(PageRequest::MAX_PER_PAGE))
}

pub(super) async fn show(room: Room) -> Result<Answer, PageError> {
    let found = match find(&room).await? {
        Browsed::Found(found) => found,
        Browsed::Other(located) => {
            let (revision, path) = (in_path(&located.at.name), in_path(located.path.as_kept()));
            return Ok(Answer::to(&room.address(&format!("/blob/{revision}/{path}"))));
        }
        Browsed::Empty => return Err(PageError::NotFound),
    };
    let directory = present(&room, found).await?;
    let twin = format!("/repository/tree{}", directory.spot.twin());
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Files).with_twin(&twin);
    Answer::cacheable(&TreePage { frame: room.frame, project, directory })
}

/// The directory at an address.
pub(super) async fn find(room: &Room) -> Result<Browsed<DirectoryPage>, PageError> {
    let (code, request) = (room.code()?, entries(&room.visit));
    Ok(repository::directory(room.visit.app(), code, room.at(), request).await?)
}

/// The directory, as pages show it.
pub(super) async fn present(room: &Room, found: DirectoryPage) -> Result<Directory, PageError> {
    let DirectoryPage { located, last, entries, readme, refs } = found;
    let asked = room.at().only;
    let spot = Spot::new(&located, refs, asked, "tree");
    let readme = match readme {
        Some(readme) => Some(introduce(room, &spot.name, readme).await?),
        None => None,
    };
    let pages = Pagination::of(&entries).with_query(spot.ties);
    let rows: Vec<Row> = entries.items.into_iter().map(row).collect();
    let late = rows.iter().filter(|row| row.last.is_none()).count();
    Ok(Directory { spot, last: last.map(Into::into), rows, late, pages, readme })
}

pub(super) fn row(DirectoryEntry { entry, last }: DirectoryEntry) -> Row {
    let (page, note) = match (entry.kind, entry.mode.as_str()) {
        ("tree", _) => ("tree", "/".to_owned()),
        ("commit", _) => ("", format!(" @ {}", entry.id.get(..8).unwrap_or_default())),
        (_, "120000") => ("blob", " (link)".to_owned()),
        _ => ("blob", String::new()),
    };
    Row { address: in_path(entry.name.as_kept()), name: entry.name.to_string(), page, note, last: last.map(Into::into) }
}

async fn introduce(room: &Room, revision: &str, readme: Readme) -> Result<Introduction, PageError> {
    let Readme { path, content } = readme;
    let below = format!("/{}", in_path(path.as_kept()));
    let (name, path) = (path.name().to_string(), path.to_string());
    let text = content.filter(|bytes| !text::is_binary(bytes)).map(|bytes| text::shown(&bytes));
    let (html, plain) = match text {
        Some(text) if text::is_markdown(&name) => (Some(rendered(room, revision, &path, text, 2).await?), None),
        text => (None, text),
    };
    Ok(Introduction { name, below, html, plain })
}

/// A Markdown file of the project as HTML, below as many levels of headings.
pub(super) async fn rendered(
    room: &Room,
    revision: &str,
    path: &str,
    text: String,
    levels: u8,
) -> Result<String, PageError> {
    let project = Reference::Id(room.page.view.brief.project.id.get());
    let file = FileText { text, revision: revision.to_owned(), path: path.to_owned(), levels, taken: &TAKEN };
    let html = room.visit.ask(move |query| markdown::render_file(query, &project, &file)).await?;
    Ok(html)
}
