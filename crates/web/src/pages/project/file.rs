//! Files.

use std::sync::Arc;

use askama::Template;
use tenon_app::highlighter::Source;
use tenon_app::repository::{self, Browsed, FilePage, PathOwners};
use tenon_domain::lfs::LfsPointer;

use super::diff_context;
use super::file_tree::{self, TreeStep};
use super::spot::Spot;
use super::tree::rendered;
use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::in_path;
use crate::kit::answer::Answer;
use crate::kit::code::Lines;
use crate::kit::error::PageError;
use crate::kit::sheet::{self, Sheet};
use crate::kit::{notebook, text, words};
use crate::parts::commit_line::{CommitLine, find_faces};

/// The largest picture or document that a page shows, in bytes.
const PICTURE: u64 = 10 << 20;

#[derive(Template)]
#[template(path = "project/file.html")]
struct ShowPage {
    frame: Frame,
    project: ProjectFrame,
    spot: Spot,
    tree: Vec<TreeStep>,
    last: Option<CommitLine>,
    facts: FileFacts,
    content: Content,
    /// True if it has characters that change the direction of text.
    turns: bool,
    owners: PathOwners,
}

/// The facts in the head line of a file.
#[expect(clippy::struct_excessive_bools, reason = "each is one choice of the template")]
pub(super) struct FileFacts {
    /// The number of lines, in words. Empty if they are not shown.
    pub(super) lines: String,
    pub(super) size: String,
    /// Empty if its name does not decide.
    pub(super) language: &'static str,
    pub(super) is_executable: bool,
    /// True if it has a rendered form and its source.
    pub(super) has_source: bool,
    /// True if that source is shown.
    pub(super) is_source: bool,
    /// True if the caller may change the file on this branch, or on a new one.
    pub(super) may_edit: bool,
    /// True on the page that says where the lines come from.
    pub(super) is_blame: bool,
}

impl FileFacts {
    pub(super) fn new(size: u64, language: Option<&'static str>) -> Self {
        Self {
            lines: String::new(),
            size: text::size(size),
            language: language.unwrap_or_default(),
            is_executable: false,
            has_source: false,
            is_source: false,
            may_edit: false,
            is_blame: false,
        }
    }

    /// Says that there is a rendered form, and which of the two is shown.
    fn offers_source(&mut self, is_rendered: bool, as_source: bool) {
        self.has_source |= is_rendered;
        self.is_source = self.has_source && as_source;
    }

    /// The number of lines, in words.
    pub(super) fn with_lines(self, lines: usize) -> Self {
        Self { lines: words::count(i64::try_from(lines).unwrap_or(i64::MAX), "line", "lines"), ..self }
    }
}

enum Content {
    /// Its lines, and the number of further ones.
    Lines(Lines, usize),
    /// Safe HTML, made by the renderer of Markdown.
    Html(String),
    Picture,
    /// A document for the viewer of the browser.
    Pdf,
    Table(Sheet),
    /// The target of a symbolic link.
    Link(String),
    Binary,
    /// A large file beside the repository, of that size.
    Lfs(String),
    TooLarge(String),
}

pub(super) async fn show(context: ProjectContext) -> Result<Answer, PageError> {
    if let Some(wanted) = diff_context::wanted(&context) {
        return diff_context::show(context, wanted).await;
    }
    let asked = context.at();
    let only = asked.only;
    let found = match repository::file_page(context.request.app(), context.code()?, asked).await? {
        Browsed::Found(found) => found,
        Browsed::Other(located) => {
            let (revision, path) = (in_path(&located.at.name), in_path(located.path.as_kept()));
            let below = if path.is_empty() { String::new() } else { format!("/{path}") };
            return Ok(Answer::to(&context.address(&format!("/tree/{revision}{below}"))));
        }
        Browsed::Empty => return Err(PageError::NotFound),
    };
    let FilePage { located, blob, last, size, content: bytes, language, owners, tree, is_link, is_executable, refs } =
        found;
    let tree = file_tree::steps(&tree, &located.path);
    let spot = Spot::new(&located, refs, only, "blob");
    let limits = context.request.app().limits().pages.clone();
    let is_text = bytes.as_ref().is_some_and(|bytes| !text::is_binary(bytes));
    let is_markdown = text::is_markdown(&spot.last) && !is_link && is_text;
    let is_svg = text::picture(&spot.last) == Some(text::SVG) && !is_link && is_text;
    let begins_as_pdf = |bytes: &Vec<u8>| text::is_pdf(&spot.last, bytes);
    let is_pdf = text::is_named_pdf(&spot.last) && bytes.as_ref().is_none_or(begins_as_pdf) && size <= PICTURE;
    let as_source = context.request.query("plain") == Some("1");
    let mut turns = false;
    let facts = FileFacts::new(size, language.filter(|_| is_text && !is_link));
    let has_source = is_markdown || is_svg;
    let may_edit = context.may_edit(located.at.kind);
    let mut facts = FileFacts { may_edit, is_executable, has_source, is_source: has_source && as_source, ..facts };
    let pointer = bytes.as_ref().and_then(|bytes| LfsPointer::parse(bytes));
    let large = pointer.map(|pointer| text::size(pointer.size));
    let shown = match bytes {
        Some(bytes) if is_link => Content::Link(text::shown(&bytes)),
        Some(_) if large.is_some() => Content::Lfs(large.unwrap_or_default()),
        _ if !is_text && text::picture(&spot.last).is_some() && size <= PICTURE => Content::Picture,
        Some(_) if is_svg && !as_source => Content::Picture,
        _ if is_pdf => Content::Pdf,
        None => Content::TooLarge(text::size(limits.text)),
        Some(_) if !is_text => Content::Binary,
        Some(bytes) => {
            let whole = text::shown(&bytes);
            turns = text::turns_direction(&whole);
            let sheet = sheet::separator(&spot.last).and_then(|separator| Sheet::parse(&whole, separator));
            let notebook = Some(&whole).filter(|_| notebook::is_notebook(&spot.last));
            let notebook = notebook.and_then(|whole| notebook::as_markdown(whole));
            facts.offers_source(sheet.is_some() || notebook.is_some(), as_source);
            if is_markdown && !as_source {
                Content::Html(rendered(&context, &spot.name, &spot.path, whole, 1).await?)
            } else if let Some(markdown) = notebook.filter(|_| !as_source) {
                Content::Html(rendered(&context, &spot.name, &spot.path, markdown, 1).await?)
            } else if let Some(sheet) = sheet.filter(|_| !as_source) {
                Content::Table(sheet)
            } else {
                let count = whole.lines().count();
                facts = facts.with_lines(count);
                let text: Arc<str> = whole.into();
                let origin = context.page.view.brief.project.id.into();
                let source = Source { origin, blob, name: spot.last.as_str().into(), text: Arc::clone(&text) };
                let colours = Some(context.request.app().colours_of_file(source).await);
                Content::Lines(Lines::new(text, colours, limits.lines), count.saturating_sub(limits.lines))
            }
        }
    };
    let api_path = format!(
        "/repository/files/{}?ref={}",
        crate::kit::address::in_query(&spot.kept_path),
        crate::kit::address::in_query(&spot.name)
    );
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Files).with_api_path(&api_path);
    let mut last = last.map(CommitLine::from);
    find_faces(&context.request, &context.frame, &mut last).await?;
    let page = ShowPage { frame: context.frame, project, spot, tree, last, facts, content: shown, turns, owners };
    let answer = Answer::cacheable(&page)?;
    Ok(if is_pdf { answer.embedding() } else { answer })
}
