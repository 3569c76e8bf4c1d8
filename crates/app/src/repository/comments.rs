//! Comments on commits.

use tenon_domain::field_errors::FieldErrors;
use tenon_domain::id::ProjectId;
use tenon_domain::issuable::MAX_TEXT;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::time::Timestamp;
use tenon_git::Oid;
use tenon_git::diff::{DiffLimits, FileDiff};
use tenon_storage::repository::{CommitComment, comments as stored, insert_comment, newer_comments};

use crate::core::app::{App, Query};
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::policy::reference::Reference;
use crate::repository::read::context::RepositoryContext;
use crate::shared::hook_event::commit_note_event;
use crate::shared::markdown::{PageText, render_all};
use crate::shared::views::user_ref::UserRef;

/// A comment as answers show it.
#[derive(Debug, Clone)]
pub struct CommentView {
    /// Its id.
    pub id: i64,
    /// The commit: 40 hexadecimal digits.
    pub sha: String,
    /// Markdown.
    pub note: String,
    /// The line that it is about, if it is about one.
    pub line: Option<CommentedLine>,
    /// Who said it.
    pub author: Option<UserRef>,
    /// When it was written.
    pub created_at: Timestamp,
}

/// A line of a commit's difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommentedLine {
    /// The file.
    pub path: String,
    /// The number of the line.
    pub line: i64,
    /// True if it is counted in the file as the commit leaves it; otherwise as it was before.
    pub is_new: bool,
}

/// A request to comment on a commit.
#[derive(Debug, Clone)]
pub struct NewComment {
    /// Markdown.
    pub note: String,
    /// The line that is meant. One that the commit does not change is ignored.
    pub line: Option<CommentedLine>,
}

/// The comments on a commit, oldest first.
pub async fn comments(
    app: &App,
    identity: &Identity,
    project: Reference,
    revision: String,
    page: PageRequest,
) -> Result<Page<CommentView>, AppError> {
    let code = app.readable(identity, project.clone()).await?;
    let id = app.read_git(move || code.commit_or(Some(&revision), Missing::Commit)).await?;
    app.read(identity, move |query| {
        let project = query.project(&project, ProjectAction::ReadCode)?.project.id;
        views(query, project, &id.to_string(), false, page)
    })
    .await
}

/// A comment for a page.
#[derive(Debug, Clone)]
pub struct ShownComment {
    /// The comment itself.
    pub view: CommentView,
    /// Its text as safe HTML.
    pub html: String,
}

/// A page of the comments on the commit with this id, for a page: the first page has the newest ones, each page begins with its
/// oldest one.
pub fn shown_comments(
    query: &mut Query<'_>,
    project: &Reference,
    sha: &str,
    page: PageRequest,
) -> Result<Page<ShownComment>, AppError> {
    let id = query.project(project, ProjectAction::ReadCode)?.project.id;
    let mut found = views(query, id, sha, true, page)?;
    found.items.reverse();
    let texts = found.items.iter();
    let texts = texts.map(|comment| PageText { key: format!("comment {}", comment.id), text: &comment.note });
    let texts: Vec<PageText<'_>> = texts.collect();
    let html = render_all(query, &texts, project)?;
    let mut html = html.into_iter();
    Ok(found.map(|view| ShownComment { view, html: html.next().unwrap_or_default() }))
}

/// The page of [`shown_comments`] with so many comments a page that has a comment; none if the commit has no such
/// comment.
pub fn page_of_comment(
    query: &mut Query<'_>,
    project: &Reference,
    sha: &str,
    id: i64,
    per_page: i64,
) -> Result<Option<i64>, AppError> {
    let project = query.project(project, ProjectAction::ReadCode)?.project.id;
    let newer = newer_comments(&mut query.tx, project, sha, id)?;
    Ok(newer.map(|newer| newer / per_page.max(1) + 1))
}

fn views(
    query: &mut Query<'_>,
    project: ProjectId,
    sha: &str,
    newest_first: bool,
    page: PageRequest,
) -> Result<Page<CommentView>, AppError> {
    let found = stored(&mut query.tx, project, sha, newest_first, page)?;
    let people = UserRef::of(query, found.items.iter().map(|(_, comment)| comment.author).collect())?;
    Ok(found.map(|(id, comment)| CommentView {
        id,
        sha: comment.sha,
        author: people.get(&comment.author).cloned(),
        line: comment.line.map(|(path, line, is_new)| CommentedLine { path, line, is_new }),
        note: comment.note,
        created_at: comment.created_at,
    }))
}

/// Comments on a commit, which from then on stays, whatever becomes of its branches.
pub async fn comment(
    app: &App,
    identity: &Identity,
    project: Reference,
    revision: String,
    request: NewComment,
) -> Result<CommentView, AppError> {
    let reference = project.clone();
    let code = app.read(identity, move |query| query.code(&reference, ProjectAction::Comment)).await?;
    check(&request.note)?;
    let wanted = request.line;
    let (id, line) = app
        .on_git(move || {
            let id = code.commit_or(Some(&revision), Missing::Commit)?;
            let line = wanted.map(|line| known_line(&code, id, line)).transpose()?.flatten();
            code.repository.keep_alive(id).map_err(crate::repository::refs::ref_write::refused)?;
            Ok((id, line))
        })
        .await?;
    app.write(identity, move |command| {
        let project = command.query().project(&project, ProjectAction::Comment)?.project.id;
        let (author, created_at) = (command.user()?.id, command.now);
        let comment = CommitComment {
            sha: id.to_string(),
            author,
            note: request.note,
            line: line.clone().map(|line| (line.path, line.line, line.is_new)),
            created_at,
        };
        let id = insert_comment(&mut command.tx, project, &comment)?;
        commit_note_event::record_commit_note(command, project, id, &comment)?;
        let author = UserRef::of(&mut command.query(), vec![author])?.remove(&author);
        Ok(CommentView { id, sha: comment.sha, note: comment.note, line, author, created_at })
    })
    .await
}

fn check(note: &str) -> Result<(), AppError> {
    let mut errors = FieldErrors::default();
    errors.present("note", note);
    errors.at_most(MAX_TEXT, "note", note);
    Ok(errors.into_result()?)
}

/// The line, if it is part of what the commit changes.
fn known_line(code: &RepositoryContext, id: Oid, line: CommentedLine) -> Result<Option<CommentedLine>, AppError> {
    let diff = code.repository.commit_diff(id, DiffLimits::default())?.unwrap_or_default();
    Ok(Some(line).filter(|line| diff.files.iter().any(|file| shows(file, line))))
}

fn shows(file: &FileDiff, wanted: &CommentedLine) -> bool {
    let path = if wanted.is_new { &file.new_path } else { &file.old_path };
    path.to_string() == wanted.path
        && file.lines().any(|line| if wanted.is_new { line.new } else { line.old } == Some(wanted.line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_known_on_the_side_on_which_it_is_counted() {
        let file = FileDiff {
            old_path: "a".into(),
            new_path: "b".into(),
            diff: "@@ -1,3 +1,3 @@ fn x\n one\n-two\n+zwei\n three\n@@ -10 +10,2 @@\n ten\n+eleven\n".to_owned(),
            ..FileDiff::default()
        };
        let shown = |path: &str, line, is_new| shows(&file, &CommentedLine { path: path.to_owned(), line, is_new });
        for (path, is_new, lines) in [("b", true, [1, 2, 3, 10, 11].as_slice()), ("a", false, &[1, 2, 3, 10])] {
            let found: Vec<i64> = (0..20).filter(|line| shown(path, *line, is_new)).collect();
            assert_eq!(found, lines, "{path}");
        }
        assert!(!shown("a", 1, true));
    }
}
