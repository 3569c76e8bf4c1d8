//! Directories.

use askama::Template;
use tenon_app::markdown::{self, FilePlace};
use tenon_app::repository::{self, Browsed, DirectoryEntry, DirectoryPage, Readme};
use tenon_app::{PageRequest, Reference};

use super::commits::known;
use super::file_tree::{self, TreeStep};
use super::spot::Spot;
use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::context::request::RequestContext;
use crate::kit::address::in_path;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::pagination::Pagination;
use crate::kit::taken::TAKEN;
use crate::kit::text;
use crate::parts::commit_line::{CommitLine, show_faces};
use crate::parts::pipeline_line::PipelineMark;

pub(super) struct Row {
    pub(super) name: String,
    /// The kind of page to which it leads. Empty for a submodule.
    pub(super) page: &'static str,
    /// The name as part of addresses.
    pub(super) address: String,
    /// The text behind the name.
    pub(super) note: String,
    pub(super) last: Option<CommitLine>,
}

impl Row {
    /// The name of the icon of its kind.
    pub(super) fn icon(&self) -> &'static str {
        match self.page {
            "tree" => "folder",
            "" => "folder-git-2",
            _ => "file",
        }
    }
}

/// The text that introduces a directory.
pub(super) struct Introduction {
    pub(super) name: String,
    /// The path as part of addresses, with a slash before it.
    pub(super) below: String,
    /// HTML that is safe: made by the renderer of Markdown.
    pub(super) html: Option<String>,
    /// The text, if it is no Markdown.
    pub(super) plain: Option<String>,
}

/// A directory, for its own page and for that of its project.
pub(super) struct Directory {
    pub(super) spot: Spot,
    pub(super) last: Option<CommitLine>,
    /// The state of the newest pipeline of that commit, if the caller may see it.
    pub(super) pipeline: Option<PipelineMark>,
    /// The number of commits that lead to it, in words. Empty if it is not known.
    pub(super) commits: String,
    pub(super) rows: Vec<Row>,
    /// The number of rows without a last commit, because the search would have taken too long.
    pub(super) late: usize,
    pub(super) pages: Pagination,
    pub(super) readme: Option<Introduction>,
    /// True if the caller may change files here.
    pub(super) may_edit: bool,
}

#[derive(Template)]
#[template(path = "project/tree.html")]
struct TreePage {
    frame: Frame,
    project: ProjectFrame,
    tree: Vec<TreeStep>,
    directory: Directory,
}

/// The page of entries that the address asks for.
pub(super) fn entries(context: &RequestContext) -> PageRequest {
    let number = context.query("page").and_then(|number| number.parse().ok());
    PageRequest::new(number, Some(PageRequest::MAX_PER_PAGE))
}

pub(super) async fn show(context: ProjectContext) -> Result<Answer, PageError> {
    let found = match find(&context).await? {
        Browsed::Found(found) => found,
        Browsed::Other(located) => {
            let (revision, path) = (in_path(&located.at.name), in_path(located.path.as_kept()));
            return Ok(Answer::to(&context.address(&format!("/blob/{revision}/{path}"))));
        }
        Browsed::Empty => return Err(PageError::NotFound),
    };
    let tree = file_tree::steps(&found.tree, &found.located.path);
    let directory = present(&context, found).await?;
    let api_path = format!("/repository/tree{}", directory.spot.api_path());
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Files).with_api_path(&api_path);
    Answer::cacheable(&TreePage { frame: context.frame, project, tree, directory })
}

/// The directory at an address.
pub(super) async fn find(context: &ProjectContext) -> Result<Browsed<DirectoryPage>, PageError> {
    let (code, request) = (context.code()?, entries(&context.request));
    Ok(repository::directory(context.request.app(), code, context.at(), request).await?)
}

/// The directory, as pages show it.
pub(super) async fn present(context: &ProjectContext, found: DirectoryPage) -> Result<Directory, PageError> {
    let DirectoryPage { located, last, entries, readme, tree: _, refs } = found;
    let asked = context.at().only;
    let may_edit = context.may_edit(located.at.kind);
    let spot = Spot::new(&located, refs, asked, "tree");
    let readme = match readme {
        Some(readme) => Some(introduce(context, &spot.name, readme).await?),
        None => None,
    };
    let pages = Pagination::of(&entries).with_query(spot.ties);
    let rows: Vec<Row> = entries.items.into_iter().map(row).collect();
    let late = rows.iter().filter(|row| row.last.is_none()).count();
    let (states, faces) = known(context, last.as_slice()).await?;
    let mut last = last.map(CommitLine::from);
    let pipeline = last.as_ref().and_then(|last| states.get(&last.id)).copied().map(PipelineMark::from);
    show_faces(&context.frame, &faces, &mut last);
    Ok(Directory { spot, last, pipeline, commits: String::new(), rows, late, pages, readme, may_edit })
}

pub(super) fn row(DirectoryEntry { entry, last }: DirectoryEntry) -> Row {
    let (page, note) = match (entry.kind, entry.mode.as_str()) {
        ("tree", _) => ("tree", String::new()),
        ("commit", _) => ("", format!(" @ {}", entry.id.get(..8).unwrap_or_default())),
        (_, "120000") => ("blob", " (link)".to_owned()),
        _ => ("blob", String::new()),
    };
    Row { address: in_path(entry.name.as_kept()), name: entry.name.legible(), page, note, last: last.map(Into::into) }
}

async fn introduce(context: &ProjectContext, revision: &str, readme: Readme) -> Result<Introduction, PageError> {
    let Readme { path, content } = readme;
    let below = format!("/{}", in_path(path.as_kept()));
    let (name, shown, path) = (path.name().to_string(), path.name().legible(), path.to_string());
    let text = content.filter(|bytes| !text::is_binary(bytes)).map(|bytes| text::shown(&bytes));
    let (html, plain) = match text {
        Some(text) if text::is_markdown(&name) => (Some(rendered(context, revision, &path, text, 2).await?), None),
        text => (None, text),
    };
    Ok(Introduction { name: shown, below, html, plain })
}

/// A Markdown file of the project as HTML, with headings lowered by this number of levels.
pub(super) async fn rendered(
    context: &ProjectContext,
    revision: &str,
    path: &str,
    text: String,
    levels: u8,
) -> Result<String, PageError> {
    let project = Reference::Id(context.page.view.brief.project.id.get());
    let file = FilePlace { revision: revision.to_owned(), path: path.to_owned(), levels, taken: &TAKEN };
    let (app, identity) = (context.request.app(), context.request.identity());
    Ok(markdown::render_file(app, identity, project, text, file).await?)
}
