//! The page with the form of one file.

use actix_web::http::StatusCode;
use askama::Template;

use super::home::{Home, frame};
use super::template::TemplateGroup;
use super::values::{Change, FormValues};
use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::ProjectFrame;
use crate::kit::address::in_path;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::problems::Problems;
use crate::kit::{asset, text};
use crate::parts::diff::ChangedFile;

#[derive(Template)]
#[template(path = "project/file_change.html")]
pub(super) struct ChangePage {
    frame: Frame,
    project: ProjectFrame,
    change: Change,
    typed: FormValues,
    problems: Problems,
    parts: Parts,
    /// The address of the editor, which the script puts in the place of the field.
    editor: String,
}

/// Parts that only some pages with the form have.
#[derive(Default)]
pub(super) struct Parts {
    /// The path of the fork that gets the commit. Empty if the project itself gets it.
    pub(super) fork: String,
    /// The sentence that says why the text cannot be changed here. Empty if it can.
    pub(super) obstacle: &'static str,
    /// The text of the file as it is now, if another user has changed it.
    pub(super) current: Option<String>,
    /// The changes of the other user.
    pub(super) difference: Vec<ChangedFile>,
    /// Templates that are offered for a new file.
    pub(super) templates: Vec<TemplateGroup>,
    /// The text as HTML, if a preview was asked for: safe HTML, made by the renderer of Markdown.
    pub(super) preview: Option<String>,
}

impl Parts {
    pub(super) fn of(home: &Home) -> Self {
        Self { fork: home.fork_path().to_owned(), ..Self::default() }
    }
}

impl ChangePage {
    const fn is(&self, change: Change) -> bool {
        matches!(
            (self.change, change),
            (Change::New, Change::New) | (Change::Edit, Change::Edit) | (Change::Delete, Change::Delete)
        )
    }

    /// The address to which the form is sent, below the project.
    fn target(&self) -> String {
        match self.change {
            Change::New => format!("/create/{}", in_path(&self.typed.start)),
            Change::Edit => format!("/edit/{}", self.typed.place()),
            Change::Delete => format!("/blob/{}", self.typed.place()),
        }
    }

    /// The page from which the form was opened, below the project.
    fn origin(&self) -> String {
        match self.change {
            Change::New => {
                let directory = self.typed.path.rsplit_once('/').map_or("", |(directory, _)| directory);
                let below = if directory.is_empty() { String::new() } else { format!("/{}", in_path(directory)) };
                format!("/tree/{}{below}", in_path(&self.typed.start))
            }
            Change::Edit | Change::Delete => format!("/blob/{}", self.typed.place()),
        }
    }

    /// The page of the form of a new file, below the project.
    fn own(&self) -> String {
        self.origin().replacen("/tree/", "/new/", 1)
    }

    fn title(&self) -> &'static str {
        match self.change {
            Change::New => "New file",
            Change::Edit => "Edit file",
            Change::Delete => "Delete file",
        }
    }

    fn is_markdown(&self) -> bool {
        text::is_markdown(&self.typed.path)
    }
}

pub(super) fn page(
    context: ProjectContext,
    change: Change,
    typed: FormValues,
    problems: Problems,
    parts: Parts,
) -> Result<Answer, PageError> {
    let project = frame(&context);
    let editor = context.request.site().assets().address(&context.frame.root, asset::EDITOR);
    Answer::page(&ChangePage { project, change, typed, problems, parts, editor, frame: context.frame })
}

/// The form with its problems. It is no page for callers who may not use it.
pub(super) fn refused(
    context: ProjectContext,
    home: &Home,
    change: Change,
    typed: FormValues,
    problems: Problems,
) -> Result<Answer, PageError> {
    check(&context, home)?;
    Ok(page(context, change, typed, problems, Parts::of(home))?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

/// Succeeds if the caller has signed in and may push to the project, or to a fork. The use case decides about the branch.
pub(super) fn check(context: &ProjectContext, home: &Home) -> Result<(), PageError> {
    context.frame.user.as_ref().ok_or(PageError::SignIn)?;
    if context.page.may_push || matches!(home, Home::Fork(_)) {
        return Ok(());
    }
    Err(PageError::Status(StatusCode::FORBIDDEN, None))
}
