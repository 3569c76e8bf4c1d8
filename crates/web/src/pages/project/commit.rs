//! Commits and their changes.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::repository::{self, CommitPage, CommitSignature, NewComment, ShownComment, WhiteSpace};
use tenon_app::{PageRequest, Query, user};
use tenon_domain::commit_signature::SignatureStatus;
use tenon_domain::direction::written_out;

use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::pagination::Pagination;
use crate::kit::problems::Problems;
use crate::kit::words::{self, Moment};
use crate::parts::commit_line::{CommitLine, addresses, show_faces};
use crate::parts::diff::{ChangedFile, TOO_MUCH, all_changed, white_space};
use crate::parts::links::PersonLink;
use crate::parts::patch_format::patch_format;

/// True if an address asks for the feed of its page.
pub(super) fn wants_feed(context: &ProjectContext) -> bool {
    context.request.query("format") == Some("atom")
}

#[derive(Template)]
#[template(path = "project/commit.html")]
struct ShowPage {
    frame: Frame,
    project: ProjectFrame,
    commit: CommitLine,
    /// The message without its first line.
    body: String,
    /// The committer, if it is not the author.
    committer: Option<String>,
    authored: Moment,
    /// The ids of the parents, and their first digits.
    parents: Vec<(String, String)>,
    /// The state of its signature, in words. Empty if it has none.
    signature: &'static str,
    is_verified: bool,
    files: Vec<ChangedFile>,
    /// The number of files, in words.
    count: String,
    /// Lines that it adds and removes, in as many files as are counted (`reads.stats_files`).
    added: u64,
    removed: u64,
    /// True if there are more files than are counted.
    has_more_lines: bool,
    /// True if there are more files, or more lines, than are shown.
    is_cut: bool,
    /// True if lines that differ only in white space count as equal.
    ignores_space: bool,
    comments: Vec<Comment>,
    comments_total: i64,
    pages: Pagination,
    may_comment: bool,
    may_push: bool,
    /// The text of a comment that was refused, and its errors.
    typed: String,
    problems: Problems,
}

struct Comment {
    id: i64,
    author: Option<PersonLink>,
    at: Moment,
    /// The line that it is about, in words. Empty if it is about none.
    line: String,
    /// Safe HTML, made by the renderer of Markdown.
    html: String,
}

/// Comments on a page.
const COMMENTS: i64 = 50;

pub(super) async fn show(context: ProjectContext) -> Result<Answer, PageError> {
    let revision = context.asked.segment("id").to_owned();
    let named = revision.clone();
    if let Some((revision, format)) = patch_format(&revision)
        // A branch or tag may have such a name.
        && repository::known_revisions(context.request.app(), context.code()?, vec![named.clone()]).await? == [false]
    {
        let text =
            repository::commit_patch(context.request.app(), context.code()?, revision.to_owned(), format).await?;
        return Ok(Answer::patch(text));
    }
    present(context, revision, String::new(), Problems::default()).await
}

/// Comments on a commit, and leads to it.
pub(crate) async fn comment(context: ProjectContext, revision: String) -> Result<Answer, PageError> {
    let text = context.request.form().text("note", "note");
    let new = NewComment { note: text.clone(), line: None };
    let (app, identity) = (context.request.app(), context.request.identity());
    match repository::comment(app, identity, context.project(), revision.clone(), new).await {
        Ok(said) => Ok(context.done(&format!("/commit/{}#note_{}", said.sha, said.id))),
        Err(error) => {
            let page = present(context, revision, text, Problems::of(error)?).await?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

/// The number of changed files in words. There are more if it is a lower bound.
fn changed(files: usize, is_lower_bound: bool) -> String {
    if is_lower_bound {
        return format!("{files}+ files changed");
    }
    words::count(i64::try_from(files).unwrap_or(i64::MAX), "file changed", "files changed")
}

/// The state of the signature of a commit. `None` if it has none that this server checks.
async fn signature(context: &ProjectContext, id: &str) -> Result<Option<SignatureStatus>, PageError> {
    let (app, identity) = (context.request.app(), context.request.identity());
    let found = repository::commit_signature_of(app, identity, context.code()?, id.to_owned()).await;
    Ok(status_of(found)?)
}

/// The page does without the state if an overload prevents that the signature is judged.
fn status_of(found: Result<CommitSignature, AppError>) -> Result<Option<SignatureStatus>, AppError> {
    match found {
        Ok(CommitSignature::Gpg(signature)) => Ok(Some(signature.status)),
        Ok(CommitSignature::Ssh { status, .. }) => Ok(Some(status)),
        Ok(CommitSignature::Certificate)
        | Err(AppError::NotFound(_) | AppError::Busy { .. } | AppError::TookTooLong { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

const fn signature_words(status: SignatureStatus) -> &'static str {
    match status {
        SignatureStatus::Verified => "Verified",
        SignatureStatus::Unverified
        | SignatureStatus::SameUserDifferentEmail
        | SignatureStatus::OtherUser
        | SignatureStatus::UnverifiedKey
        | SignatureStatus::UnknownKey
        | SignatureStatus::MultipleSignatures => "Unverified",
        SignatureStatus::RevokedKey => "Key revoked",
    }
}

/// A comment, as the page of its commit shows it.
fn shown(frame: &Frame, comment: ShownComment) -> Comment {
    let ShownComment { view, html } = comment;
    Comment {
        id: view.id,
        author: view.author.map(|user| PersonLink::new(frame, &user)),
        at: view.created_at.into(),
        line: view.line.map(|line| format!("On line {} of {}", line.line, written_out(&line.path))).unwrap_or_default(),
        html,
    }
}

async fn present(
    context: ProjectContext,
    revision: String,
    typed: String,
    problems: Problems,
) -> Result<Answer, PageError> {
    let white_space = white_space(&context.request).await?;
    let found = repository::commit_page(context.request.app(), context.code()?, revision, white_space).await?;
    let CommitPage { commit, files, is_cut, sides } = found;
    let id = commit.id.clone();
    let files = all_changed(context.request.app(), Some(&sides), files, &id).await?;
    let count = changed(files.len(), is_cut);
    let is_cut = is_cut || files.iter().any(|file| file.note == TOO_MUCH);
    let message = commit.message.trim();
    let body = message.split_once('\n').map(|(_, body)| body.trim_start_matches('\n').to_owned());
    // A title that lists shorten is shown in full here.
    let title = message.lines().next().filter(|title| !title.is_empty()).map(str::to_owned);
    let committer = (commit.committer.name != commit.author.name).then(|| commit.committer.name.clone());
    let authored = commit.author.at.into();
    let (added, removed) = commit.stats.unwrap_or_default();
    let has_more_lines = files.len() >= context.request.app().limits().reads.stats_files;
    let signature = signature(&context, &id).await?;
    let digits = |id: &String| (id.clone(), id.get(..8).unwrap_or_default().to_owned());
    let parents = commit.parent_ids.iter().map(digits).collect();
    let mut line = CommitLine::from(commit);
    line.title = title.unwrap_or(line.title);
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Commits)
        .with_api_path(&format!("/repository/commits/{}", line.id));
    let body = body.unwrap_or_default();
    let asked = context.request.parameters();
    let (number, named) = (asked.number("page"), asked.number("note"));
    let of = context.project();
    let authors = addresses([&line]);
    let read = move |query: &mut Query<'_>| {
        let number = match (number, named) {
            (None, Some(comment)) => repository::page_of_comment(query, &of, &id, comment, COMMENTS)?,
            (number, _) => number,
        };
        let comments = repository::shown_comments(query, &of, &id, PageRequest::new(number, Some(COMMENTS)))?;
        Ok((comments, user::committers(query, authors)?))
    };
    let (comments, faces) = context.request.ask(read).await?;
    show_faces(&context.frame, &faces, [&mut line]);
    Answer::cacheable(&ShowPage {
        body,
        committer,
        authored,
        parents,
        signature: signature.map_or("", signature_words),
        is_verified: signature == Some(SignatureStatus::Verified),
        count,
        added,
        removed,
        has_more_lines,
        files,
        is_cut,
        ignores_space: white_space == WhiteSpace::Ignored,
        comments_total: comments.total,
        // A comment that was refused is shown at another address.
        pages: Pagination::of(&comments).at(&format!("{}/commit/{}", project.href, line.id)),
        comments: comments.items.into_iter().map(|comment| shown(&context.frame, comment)).collect(),
        may_comment: context.page.may.comment,
        may_push: context.page.may_push,
        frame: context.frame,
        project,
        commit: line,
        typed,
        problems,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overload_leaves_a_commit_without_the_state_of_its_signature() {
        for error in [AppError::Busy { retry_after: 1 }, AppError::TookTooLong { retry_after: 10 }] {
            assert_eq!(status_of(Err(error)).unwrap(), None);
        }
        assert!(status_of(Err(AppError::Forbidden)).is_err());
    }
}
