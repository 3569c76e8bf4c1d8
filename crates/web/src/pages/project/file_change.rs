//! Changing files with forms: a new file, another text or name, a deletion. Each is one commit, on the branch or on a new
//! one.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::{AppError, Missing};
use tenon_app::repository::{
    self, Browsed, Content, FileAction, FileActionKind, FileView, Located, NewCommit, RefKind,
};
use tenon_domain::file_path::shown;
use tenon_domain::refusal::{Refusal, RepositoryRefusal};

use super::tree;
use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::{in_path, new_request};
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::{Form, Problems};
use crate::kit::text;
use crate::kit::text_style::TextStyle;

/// The kind of change that a form asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    New,
    Edit,
    Delete,
}

#[derive(Template)]
#[template(path = "project/file_change.html")]
struct ChangePage {
    frame: Frame,
    project: ProjectFrame,
    change: Change,
    typed: FormValues,
    problems: Problems,
    /// The sentence that says why the text cannot be changed here. Empty if it can.
    obstacle: &'static str,
    /// The text of the file as it is now, if another user has changed it.
    current: Option<String>,
    /// The text as HTML, if a preview was asked for: safe HTML, made by the renderer of Markdown.
    preview: Option<String>,
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

/// The values of the form, typed or initial.
#[derive(Debug, Clone, Default)]
struct FormValues {
    /// The branch on which the form was opened.
    start: String,
    /// The path of the file until now, in its kept form ([`tenon_domain::file_path`]). Empty for a new file.
    was: String,
    /// The path that was typed.
    path: String,
    content: String,
    message: String,
    /// The branch that gets the commit.
    branch: String,
    /// The last commit that has changed the file, as the form has shown it.
    last_commit: String,
}

impl FormValues {
    fn sent(form: Form<'_>) -> Self {
        let line = |field: &str| form.text("file", field).trim().to_owned();
        let start = line("start");
        Self {
            was: form.text("file", "was"),
            path: line("path"),
            content: form.text("file", "content"),
            message: form.text("file", "message").trim().to_owned(),
            branch: Some(line("branch")).filter(|branch| !branch.is_empty()).unwrap_or_else(|| start.clone()),
            last_commit: line("last_commit"),
            start,
        }
    }

    /// The branch and the path until now, as part of addresses.
    fn place(&self) -> String {
        format!("{}/{}", in_path(&self.start), in_path(&self.was))
    }

    /// The path after the change, in its kept form. One that was not changed may have bytes that no form can send.
    fn becomes(&self) -> String {
        if self.path.is_empty() || self.path == shown(&self.was) { self.was.clone() } else { self.path.clone() }
    }

    /// The message of the commit: the typed one, or one that says what is done.
    fn said(&self, change: Change) -> String {
        let name = |path: &str| shown(path.rsplit('/').next().unwrap_or_default()).into_owned();
        let (old, new) = (name(&self.was), name(&self.becomes()));
        match change {
            _ if !self.message.is_empty() => self.message.clone(),
            Change::New => format!("Create {new}"),
            Change::Edit if self.becomes() == self.was => format!("Update {new}"),
            Change::Edit => format!("Rename {old} to {new}"),
            Change::Delete => format!("Delete {old}"),
        }
    }

    fn commit(&self, change: Change, content: Vec<u8>) -> NewCommit {
        let action = |kind, path, previous_path, content| FileAction {
            kind,
            path,
            previous_path,
            content,
            last_commit_id: Some(self.last_commit.clone()).filter(|id| !id.is_empty()),
            executable: None,
        };
        let (was, becomes) = (self.was.clone(), self.becomes());
        let action = match change {
            Change::New => action(FileActionKind::Create, becomes, None, Some(content)),
            Change::Edit if becomes == was => action(FileActionKind::Update, was, None, Some(content)),
            Change::Edit => action(FileActionKind::Move, becomes, Some(was), Some(content)),
            Change::Delete => action(FileActionKind::Delete, was, None, None),
        };
        NewCommit {
            branch: self.branch.clone(),
            start_branch: Some(self.start.clone()).filter(|start| *start != self.branch),
            message: self.said(change),
            author_email: None,
            author_name: None,
            actions: vec![action],
        }
    }
}

/// The form of a new file in a directory.
pub(super) async fn new(context: ProjectContext) -> Result<Answer, PageError> {
    check(&context)?;
    let project = &context.page.view.brief.project;
    let (start, directory, commit) = if project.default_branch.is_some() {
        match tree::find(&context).await? {
            Browsed::Found(found) => branch_of(found.located)?,
            Browsed::Other(_) | Browsed::Empty => return Err(PageError::NotFound),
        }
    } else {
        // The first commit makes the branch.
        (project.unborn_branch.clone(), String::new(), String::new())
    };
    let path = if directory.is_empty() { directory } else { format!("{}/", shown(&directory)) };
    let branch = proposed(&context, &start, &commit).await?;
    let typed = FormValues { start, path, branch, ..FormValues::default() };
    page(context, Change::New, typed, Problems::default())
}

/// The form about the file that the address names: its text, or with `delete=1` its deletion.
pub(super) async fn edit(context: ProjectContext) -> Result<Answer, PageError> {
    check(&context)?;
    let change = if context.request.query("delete") == Some("1") { Change::Delete } else { Change::Edit };
    let found = match repository::file_page(context.request.app(), context.code()?, context.at()).await? {
        Browsed::Found(found) => found,
        Browsed::Other(_) | Browsed::Empty => return Err(PageError::NotFound),
    };
    let (start, was, commit) = branch_of(found.located)?;
    let branch = proposed(&context, &start, &commit).await?;
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
    let project = frame(&context);
    let page = ChangePage {
        project,
        change,
        typed,
        problems: Problems::default(),
        obstacle,
        current: None,
        preview: None,
        frame: context.frame,
    };
    Answer::page(&page)
}

/// Succeeds if the caller has signed in and may push to the project. The use case decides about the branch.
fn check(context: &ProjectContext) -> Result<(), PageError> {
    context.frame.user.as_ref().ok_or(PageError::SignIn)?;
    if context.page.may_push { Ok(()) } else { Err(PageError::Status(StatusCode::FORBIDDEN, None)) }
}

/// The branch, the path and the commit of a place. Files are changed on branches only.
fn branch_of(located: Located) -> Result<(String, String, String), PageError> {
    let Located { at, path } = located;
    if at.kind != Some(RefKind::Branch) {
        return Err(PageError::NotFound);
    }
    Ok((at.name, path.as_kept().to_owned(), at.commit_id))
}

/// The branch for the commit: this one, or the name of a new one if the caller may not push to it.
async fn proposed(context: &ProjectContext, start: &str, commit: &str) -> Result<String, PageError> {
    if commit.is_empty() {
        return Ok(start.to_owned());
    }
    let (app, identity) = (context.request.app(), context.request.identity());
    let branch = repository::branch(app, identity, context.project(), start.to_owned()).await?;
    let user = context.frame.user.as_ref().map_or("", |user| user.username.as_str());
    let new = || format!("{user}-patch-{}", commit.get(..8).unwrap_or(commit));
    Ok(if branch.can_push { start.to_owned() } else { new() })
}

/// The file that a form is about, as it is now. None if it is gone.
async fn stored(context: &ProjectContext, typed: &FormValues) -> Result<Option<FileView>, PageError> {
    let (app, identity) = (context.request.app(), context.request.identity());
    let limit = app.limits().pages.text;
    match repository::file(app, identity, context.project(), typed.was.clone(), typed.start.clone(), limit).await {
        Ok(file) => Ok(Some(file)),
        Err(AppError::NotFound(Missing::Project)) => Err(PageError::NotFound),
        Err(AppError::NotFound(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let typed = FormValues::sent(context.request.form());
    if is_preview(&context) {
        return preview(context, Change::New, typed).await;
    }
    let bytes = typed.content.clone().into_bytes();
    if typed.path.is_empty() || typed.path.ends_with('/') {
        return refused(context, Change::New, typed, Problems::with("path", "Enter a file name."));
    }
    save(context, Change::New, typed, bytes).await
}

pub(super) async fn update(context: ProjectContext) -> Result<Answer, PageError> {
    let typed = FormValues::sent(context.request.form());
    if is_preview(&context) {
        return preview(context, Change::Edit, typed).await;
    }
    let style = match stored(&context, &typed).await?.map(|file| file.content) {
        Some(Content::Whole(bytes)) => match TextStyle::read(&bytes) {
            Ok((_, style)) => style,
            Err(obstacle) => return refused(context, Change::Edit, typed, Problems::with("content", obstacle)),
        },
        Some(Content::Large(_)) => {
            return refused(context, Change::Edit, typed, Problems::with("content", "This file is too large."));
        }
        // The commit is refused, and says why.
        None => TextStyle::default(),
    };
    let bytes = style.write(&typed.content);
    save(context, Change::Edit, typed, bytes).await
}

pub(super) async fn delete(context: ProjectContext) -> Result<Answer, PageError> {
    let typed = FormValues::sent(context.request.form());
    save(context, Change::Delete, typed, Vec::new()).await
}

/// Makes the commit, and leads to the file, or to the form of a merge request for a new branch.
async fn save(context: ProjectContext, change: Change, typed: FormValues, bytes: Vec<u8>) -> Result<Answer, PageError> {
    let (app, identity) = (context.request.app(), context.request.identity());
    let made = repository::create_commit(app, identity, context.project(), typed.commit(change, bytes), false).await;
    match made {
        Ok(_) => Ok(done(&context, change, &typed)),
        Err(AppError::Refused(Refusal::Repository(RepositoryRefusal::FileChanged(_)))) => {
            conflict(context, change, typed).await
        }
        Err(AppError::Refused(Refusal::Repository(refusal @ RepositoryRefusal::BranchProtected))) => {
            refused(context, change, typed, Problems::with("branch", &refusal.to_string()))
        }
        Err(error @ (AppError::Forbidden | AppError::Unauthenticated)) => Err(error.into()),
        Err(error) => refused(context, change, typed, Problems::of(error)?),
    }
}

fn done(context: &ProjectContext, change: Change, typed: &FormValues) -> Answer {
    if typed.branch != typed.start && context.page.view.brief.project.default_branch.is_some() {
        return context.done(&new_request(&typed.branch, Some(&typed.start)));
    }
    let branch = in_path(&typed.branch);
    let page = match change {
        Change::New | Change::Edit => format!("/blob/{branch}/{}", in_path(&typed.becomes())),
        Change::Delete => format!("/tree/{branch}"),
    };
    context.done(&page).cookie(cookie::of_flash(Flash::FileSaved))
}

/// Another user has changed the file. If it is now as the form wants it, the form was sent twice.
async fn conflict(context: ProjectContext, change: Change, typed: FormValues) -> Result<Answer, PageError> {
    let Some(file) = stored(&context, &typed).await? else {
        return refused(context, change, typed, Problems::with("path", "The file was deleted by someone else."));
    };
    let current = match &file.content {
        Content::Whole(bytes) => TextStyle::read(bytes).map(|(text, _)| text).unwrap_or_default(),
        Content::Large(_) => String::new(),
    };
    if change == Change::Edit && current == typed.content && typed.becomes() == typed.was {
        return Ok(done(&context, change, &typed));
    }
    let text = "Someone else changed this file after you opened it. Compare both versions, then save again to overwrite theirs.";
    let problems = Problems::with("content", text);
    let typed = FormValues { last_commit: file.last_commit_id, ..typed };
    let project = frame(&context);
    let current = Some(current).filter(|_| change == Change::Edit);
    let page =
        ChangePage { project, change, typed, problems, obstacle: "", current, preview: None, frame: context.frame };
    Ok(Answer::page(&page)?.status(StatusCode::CONFLICT))
}

fn is_preview(context: &ProjectContext) -> bool {
    context.request.form().text("", "action") == "preview"
}

async fn preview(context: ProjectContext, change: Change, typed: FormValues) -> Result<Answer, PageError> {
    check(&context)?;
    let preview = Some(context.rendered(typed.content.clone()).await?);
    let project = frame(&context);
    let problems = Problems::default();
    Answer::page(&ChangePage {
        project,
        change,
        typed,
        problems,
        obstacle: "",
        current: None,
        preview,
        frame: context.frame,
    })
}

fn refused(
    context: ProjectContext,
    change: Change,
    typed: FormValues,
    problems: Problems,
) -> Result<Answer, PageError> {
    check(&context)?;
    Ok(page(context, change, typed, problems)?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

fn page(context: ProjectContext, change: Change, typed: FormValues, problems: Problems) -> Result<Answer, PageError> {
    let project = frame(&context);
    let (obstacle, current, preview) = ("", None, None);
    Answer::page(&ChangePage { project, change, typed, problems, obstacle, current, preview, frame: context.frame })
}

fn frame(context: &ProjectContext) -> ProjectFrame {
    ProjectFrame::new(&context.frame.root, &context.page, Tab::Files)
}
