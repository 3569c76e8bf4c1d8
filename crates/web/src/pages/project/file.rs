//! Files.

use std::sync::Arc;

use askama::Template;
use tenon_app::highlighter::Source;
use tenon_app::repository::{self, Browsed, FilePage};

use super::diff_context;
use super::spot::Spot;
use super::tree::rendered;
use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::in_path;
use crate::kit::answer::Answer;
use crate::kit::code::Lines;
use crate::kit::error::PageError;
use crate::kit::text;
use crate::parts::commit_line::CommitLine;

/// The largest picture that a page shows, in bytes.
const PICTURE: u64 = 10 << 20;

#[derive(Template)]
#[template(path = "project/file.html")]
struct ShowPage {
    frame: Frame,
    project: ProjectFrame,
    spot: Spot,
    last: Option<CommitLine>,
    size: String,
    /// The number of lines, in words. Empty if there are none.
    lines_of_all: String,
    is_executable: bool,
    content: Content,
    /// True if it has characters that change the direction of text.
    turns: bool,
    /// True if it has a rendered form and its source.
    has_source: bool,
}

enum Content {
    /// Its lines, and the number of further ones.
    Lines(Lines, usize),
    /// Safe HTML, made by the renderer of Markdown.
    Html(String),
    Picture,
    /// The target of a symbolic link.
    Link(String),
    Binary,
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
    let FilePage { located, blob, last, size, content: bytes, is_link, is_executable, refs } = found;
    let spot = Spot::new(&located, refs, only, "blob");
    let limits = context.request.app().limits().pages.clone();
    let is_text = bytes.as_ref().is_some_and(|bytes| !text::is_binary(bytes));
    let is_markdown = text::is_markdown(&spot.last) && !is_link && is_text;
    let is_svg = text::picture(&spot.last) == Some(text::SVG) && !is_link && is_text;
    let as_source = context.request.query("plain") == Some("1");
    let mut turns = false;
    let mut lines_of_all = String::new();
    let shown = match bytes {
        Some(bytes) if is_link => Content::Link(text::shown(&bytes)),
        _ if !is_text && text::picture(&spot.last).is_some() && size <= PICTURE => Content::Picture,
        Some(_) if is_svg && !as_source => Content::Picture,
        None => Content::TooLarge(text::size(limits.text)),
        Some(_) if !is_text => Content::Binary,
        Some(bytes) => {
            let whole = text::shown(&bytes);
            turns = text::turns_direction(&whole);
            if is_markdown && !as_source {
                Content::Html(rendered(&context, &spot.name, &spot.path, whole, 1).await?)
            } else {
                let count = whole.lines().count();
                lines_of_all = format!("{count} {}", if count == 1 { "line" } else { "lines" });
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
    let size = text::size(size);
    Answer::cacheable(&ShowPage {
        frame: context.frame,
        project,
        spot,
        last: last.map(Into::into),
        size,
        lines_of_all,
        is_executable,
        content: shown,
        turns,
        has_source: is_markdown || is_svg,
    })
}
