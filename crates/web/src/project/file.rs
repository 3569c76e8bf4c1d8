//! Files.

use std::sync::Arc;

use askama::Template;
use tenon_app::highlighter::Source;
use tenon_app::repository::{self, Browsed, FilePage};

use super::frame::{ProjectFrame, Spot, Tab};
use super::tree::{CommitLine, rendered};
use super::{Room, context};
use crate::answer::Answer;
use crate::code::Lines;
use crate::error::PageError;
use crate::frame::Frame;
use crate::place::in_path;
use crate::text;

/// The largest picture that a page shows, in bytes.
const PICTURE: u64 = 10 << 20;

#[derive(Template)]
#[template(path = "project/file.html")]
struct Shown {
    frame: Frame,
    project: ProjectFrame,
    spot: Spot,
    last: Option<CommitLine>,
    size: String,
    /// Lines in words; empty where there are none.
    lines_of_all: String,
    is_executable: bool,
    content: Content,
    /// Whether characters in it turn the direction of text.
    turns: bool,
    /// Whether it can also be rendered.
    is_markdown: bool,
}

enum Content {
    /// Its lines, and how many more there are.
    Lines(Lines, usize),
    /// HTML that is safe: made by the renderer of Markdown.
    Html(String),
    Picture,
    /// Where a symbolic link leads.
    Link(String),
    Binary,
    TooLarge(String),
}

pub(super) async fn show(room: Room) -> Result<Answer, PageError> {
    if let Some(wanted) = context::wanted(&room) {
        return context::show(room, wanted).await;
    }
    let asked = room.at();
    let only = asked.only;
    let found = match repository::file_page(room.visit.app(), room.code()?, asked).await? {
        Browsed::Found(found) => found,
        Browsed::Other(located) => {
            let (revision, path) = (in_path(&located.at.name), in_path(located.path.as_kept()));
            let below = if path.is_empty() { String::new() } else { format!("/{path}") };
            return Ok(Answer::to(&room.address(&format!("/tree/{revision}{below}"))));
        }
        Browsed::Empty => return Err(PageError::NotFound),
    };
    let FilePage { located, blob, last, size, content, is_link, is_executable, refs } = found;
    let spot = Spot::new(&located, refs, only, "blob");
    let limits = room.visit.app().limits().pages.clone();
    let is_text = content.as_ref().is_some_and(|bytes| !text::is_binary(bytes));
    let is_markdown = text::is_markdown(&spot.last) && !is_link && is_text;
    let as_source = room.visit.query("plain") == Some("1");
    let mut turns = false;
    let mut lines_of_all = String::new();
    let content = match content {
        Some(bytes) if is_link => Content::Link(text::shown(&bytes)),
        _ if !is_text && text::picture(&spot.last).is_some() && size <= PICTURE => Content::Picture,
        None => Content::TooLarge(text::size(limits.text)),
        Some(_) if !is_text => Content::Binary,
        Some(bytes) => {
            let whole = text::shown(&bytes);
            turns = text::turns_direction(&whole);
            if is_markdown && !as_source {
                Content::Html(rendered(&room, &spot.name, &spot.path, whole, 1).await?)
            } else {
                let count = whole.lines().count();
                lines_of_all = format!("{count} {}", if count == 1 { "line" } else { "lines" });
                let text: Arc<str> = whole.into();
                let origin = room.page.view.brief.project.id.into();
                let source = Source { origin, blob, name: spot.last.as_str().into(), text: Arc::clone(&text) };
                let colours = Some(room.visit.app().colours_of_file(source).await);
                Content::Lines(Lines::new(text, colours, limits.lines), count.saturating_sub(limits.lines))
            }
        }
    };
    let twin = format!(
        "/repository/files/{}?ref={}",
        crate::place::in_query(&spot.kept_path),
        crate::place::in_query(&spot.name)
    );
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Files).with_twin(&twin);
    let size = text::size(size);
    Answer::cacheable(&Shown {
        frame: room.frame,
        project,
        spot,
        last: last.map(Into::into),
        size,
        lines_of_all,
        is_executable,
        content,
        turns,
        is_markdown,
    })
}
