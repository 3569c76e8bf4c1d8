//! The form of one file: opened, previewed and sent.

use tenon_app::repository::{self, Browsed, Content};
use tenon_domain::file_path::shown;

use super::form::{Parts, check, page, refused};
use super::home::{Found, Home, branch_for, branch_of, directory, find, first, of_sent};
use super::save::{save, stored};
use super::values::{Change, FormValues};
use super::{template, upload};
use crate::context::project::ProjectContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::problems::Problems;
use crate::kit::text_style::TextStyle;

/// The form of a new file in a directory. With `upload=1` it is the form of files that are uploaded.
pub(super) async fn new(context: ProjectContext) -> Result<Answer, PageError> {
    let home = match find(&context).await? {
        Found::Home(home) => home,
        Found::First(state) => return first(context, state),
    };
    let (start, directory, commit) = directory(&context).await?;
    let branch = branch_for(&context, &home, &start, &commit).await?;
    if upload::is_asked_for(&context) {
        return upload::new(context, &home, start, &directory, branch);
    }
    let (name, text) = template::named(&context).await?;
    let path = if directory.is_empty() { name } else { format!("{}/{name}", shown(&directory)) };
    let typed = FormValues { start, path, content: text, branch, ..FormValues::default() };
    let templates = template::groups(&context).await?;
    page(context, Change::New, typed, Problems::default(), Parts { templates, ..Parts::of(&home) })
}

/// The form about the file that the address names: its text, or with `delete=1` its deletion.
pub(super) async fn edit(context: ProjectContext) -> Result<Answer, PageError> {
    let home = match find(&context).await? {
        Found::Home(home) => home,
        Found::First(state) => return first(context, state),
    };
    let change = if context.request.query("delete") == Some("1") { Change::Delete } else { Change::Edit };
    let found = match repository::file_page(context.request.app(), context.code()?, context.at()).await? {
        Browsed::Found(found) => found,
        Browsed::Other(_) | Browsed::Empty => return Err(PageError::NotFound),
    };
    let (start, was, commit) = branch_of(found.located)?;
    let branch = branch_for(&context, &home, &start, &commit).await?;
    let typed = FormValues { path: shown(&was).into_owned(), was, start, branch, ..FormValues::default() };
    let file = stored(&context, &typed).await?.ok_or(PageError::NotFound)?;
    let (text, obstacle) = match &file.content {
        _ if change == Change::Delete => (String::new(), ""),
        _ if found.is_link => (String::new(), "This file is a symbolic link."),
        Content::Large(_) => (String::new(), "This file is too large."),
        Content::Whole(bytes) => match TextStyle::read(bytes) {
            Ok((text, _)) => (text, ""),
            Err(obstacle) => (String::new(), obstacle),
        },
    };
    let typed = FormValues { content: text, last_commit: file.last_commit_id, ..typed };
    page(context, change, typed, Problems::default(), Parts { obstacle, ..Parts::of(&home) })
}

pub(super) async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let home = of_sent(&context).await?;
    if upload::is_asked_for(&context) {
        return upload::create(context, home).await;
    }
    let typed = FormValues::sent(context.request.form());
    if is_preview(&context) {
        return preview(context, &home, Change::New, typed).await;
    }
    let bytes = typed.content.clone().into_bytes();
    if typed.path.is_empty() || typed.path.ends_with('/') {
        return refused(context, &home, Change::New, typed, Problems::with("path", "Enter a file name."));
    }
    save(context, home, Change::New, typed, bytes).await
}

pub(super) async fn update(context: ProjectContext) -> Result<Answer, PageError> {
    let home = of_sent(&context).await?;
    let typed = FormValues::sent(context.request.form());
    if is_preview(&context) {
        return preview(context, &home, Change::Edit, typed).await;
    }
    let obstacle = |text: &str| Problems::with("content", text);
    let style = match stored(&context, &typed).await?.map(|file| file.content) {
        Some(Content::Whole(bytes)) => match TextStyle::read(&bytes) {
            Ok((_, style)) => style,
            Err(text) => return refused(context, &home, Change::Edit, typed, obstacle(text)),
        },
        Some(Content::Large(_)) => {
            return refused(context, &home, Change::Edit, typed, obstacle("This file is too large."));
        }
        // The commit is refused, and says why.
        None => TextStyle::default(),
    };
    let bytes = style.write(&typed.content);
    save(context, home, Change::Edit, typed, bytes).await
}

pub(super) async fn delete(context: ProjectContext) -> Result<Answer, PageError> {
    let home = of_sent(&context).await?;
    let typed = FormValues::sent(context.request.form());
    save(context, home, Change::Delete, typed, Vec::new()).await
}

fn is_preview(context: &ProjectContext) -> bool {
    context.request.form().text("", "action") == "preview"
}

async fn preview(context: ProjectContext, home: &Home, change: Change, typed: FormValues) -> Result<Answer, PageError> {
    check(&context, home)?;
    let preview = Some(context.rendered(typed.content.clone()).await?);
    page(context, change, typed, Problems::default(), Parts { preview, ..Parts::of(home) })
}
