//! The page of a snippet, and the texts of its files.

use std::sync::Arc;

use actix_web::http::header;
use askama::Template;
use tenon_app::highlighter::Colours;
use tenon_app::snippet::{self, SnippetPage, SnippetReference};
use tenon_domain::snippet::SnippetFile;

use super::talk::{Talk, chosen_page};
use super::{frame, reference, reference_in};
use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::ProjectFrame;
use crate::context::request::RequestContext;
use crate::kit::address::in_path;
use crate::kit::answer::{Answer, RawBody};
use crate::kit::code::Lines;
use crate::kit::error::PageError;
use crate::kit::pagination::Pagination;
use crate::kit::problems::Problems;
use crate::kit::segment::decode;
use crate::kit::text;
use crate::kit::words::{self, Moment};
use crate::parts::links::{PersonLink, own_path};

/// A longer text has no button that copies it: the page would contain it twice.
const LONGEST_COPY: usize = 64 << 10;

/// A snippet as its page shows it.
struct Shown {
    title: String,
    href: String,
    visibility: &'static str,
    icon: &'static str,
    author: Option<PersonLink>,
    made: Moment,
    /// When it was changed after that.
    changed: Option<Moment>,
    /// Safe HTML, made by the renderer of Markdown.
    description: Option<String>,
    files: Vec<ShownFile>,
    may_edit: bool,
}

/// A file as the page of its snippet shows it.
struct ShownFile {
    path: String,
    /// The last part of its path.
    name: String,
    raw: String,
    size: String,
    /// The number of its lines, in words.
    lines_words: String,
    /// The beginning of the anchors of its lines.
    anchor: String,
    text: Arc<str>,
    lines: Lines,
    /// The number of lines that are not shown.
    left_out: usize,
    /// True if it has characters that change the direction of text.
    turns: bool,
}

impl ShownFile {
    /// The file at this place among its snippet's, of which at most `most` lines are shown.
    fn new(href: &str, place: usize, file: &SnippetFile, colours: Arc<Colours>, most: usize) -> Self {
        let text: Arc<str> = file.content.as_str().into();
        let count = text.lines().count();
        let number = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        Self {
            raw: format!("{href}/raw/main/{}", in_path(&file.path)),
            name: file.path.rsplit('/').next().unwrap_or_default().to_owned(),
            path: file.path.clone(),
            size: text::size(u64::try_from(text.len()).unwrap_or(u64::MAX)),
            lines_words: words::count(number(count), "line", "lines"),
            anchor: if place == 0 { String::new() } else { format!("{}-", place.saturating_add(1)) },
            turns: text::turns_direction(&text),
            lines: Lines::new(Arc::clone(&text), Some(colours), most),
            left_out: count.saturating_sub(most),
            text,
        }
    }

    /// The text that a button copies.
    fn copied(&self) -> Option<&str> {
        Some(&*self.text).filter(|text| text.len() <= LONGEST_COPY)
    }
}

/// The snippet with the colours of its files. All files together show as many lines as the page of one file does.
async fn shown(context: &RequestContext, frame: &Frame, page: SnippetPage) -> Shown {
    let app = context.app();
    let colours = app.colours(page.sources()).await;
    let href = own_path(&frame.root, app.base_url(), &page.view.web_url);
    let mut left = app.limits().pages.lines;
    let mut files = Vec::with_capacity(page.files.len());
    for (place, (file, colours)) in page.files.iter().zip(colours).enumerate() {
        files.push(ShownFile::new(&href, place, file, colours, left));
        left = left.saturating_sub(file.content.lines().count());
    }
    let snippet = page.view.snippet;
    Shown {
        href,
        visibility: words::visibility(snippet.visibility),
        icon: words::visibility_icon(snippet.visibility),
        author: page.view.author.as_ref().map(|user| PersonLink::new(frame, user)),
        made: snippet.created_at.into(),
        changed: (snippet.updated_at != snippet.created_at).then(|| snippet.updated_at.into()),
        description: page.description,
        files,
        may_edit: page.may_edit,
        title: snippet.title,
    }
}

#[derive(Template)]
#[template(path = "snippet/show.html")]
struct ShowTemplate {
    frame: Frame,
    shown: Shown,
}

/// A snippet of a user alone. One of a project is at its address there.
pub(super) async fn show(context: RequestContext) -> Result<Answer, PageError> {
    let of = reference(&context)?;
    let (frame, page) = context.read(move |query| snippet::page(query, &of)).await?;
    if page.view.snippet.project.is_some() {
        return Ok(Answer::to(&own_path(&frame.root, context.app().base_url(), &page.view.web_url)));
    }
    let shown = shown(&context, &frame, page).await;
    Answer::cacheable(&ShowTemplate { frame, shown })
}

#[derive(Template)]
#[template(path = "snippet/project_show.html")]
struct ProjectShowTemplate {
    frame: Frame,
    project: ProjectFrame,
    shown: Shown,
    talk: Talk,
    pages: Pagination,
    /// The errors of a comment that was refused.
    problems: Problems,
}

pub(super) async fn show_in_project(context: ProjectContext) -> Result<Answer, PageError> {
    present(context, String::new(), Problems::default()).await
}

/// The page of a snippet of a project; `typed` is a comment that was refused.
pub(super) async fn present(context: ProjectContext, typed: String, problems: Problems) -> Result<Answer, PageError> {
    let of = reference_in(&context)?;
    let project = frame(&context, &format!("/snippets/{}", of.id));
    let wanted = chosen_page(&context);
    let read =
        context.request.ask(move |query| Ok((snippet::page(query, &of)?, snippet::shown_notes(query, &of, wanted)?)));
    let (page, (notes, may_comment)) = read.await?;
    let shown = shown(&context.request, &context.frame, page).await;
    // A comment that was refused is shown at another address.
    let pages = Pagination::of(&notes).at(&shown.href);
    let talk = Talk::new(&context.frame, notes, may_comment, typed);
    Answer::cacheable(&ProjectShowTemplate { project, shown, talk, pages, problems, frame: context.frame })
}

pub(super) async fn raw(context: RequestContext) -> Result<Answer, PageError> {
    let of = reference(&context)?;
    let path = match context.segment("path") {
        "" => None,
        path => {
            let decoded: Option<Vec<String>> = path.split('/').map(decode).collect();
            Some(decoded.ok_or(PageError::NotFound)?.join("/"))
        }
    };
    sent(&context, of, path).await
}

pub(super) async fn raw_in_project(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference_in(&context)?;
    let path = Some(context.asked.below("path").join("/")).filter(|path| !path.is_empty());
    sent(&context.request, of, path).await
}

/// The text of a file, which no browser keeps: nobody may read it later who may not then.
async fn sent(context: &RequestContext, of: SnippetReference, path: Option<String>) -> Result<Answer, PageError> {
    let file = context.ask(move |query| snippet::file(query, &of, path.as_deref())).await?;
    Ok(Answer::raw(RawBody::Whole(file.content.into_bytes()))
        .header(header::CONTENT_TYPE, "text/plain; charset=utf-8".to_owned())
        .header(header::CONTENT_DISPOSITION, "inline".to_owned())
        .header(header::CACHE_CONTROL, "private, no-store".to_owned()))
}
