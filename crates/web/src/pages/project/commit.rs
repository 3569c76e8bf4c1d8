//! Commits and their changes.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::{AppError, Missing};
use tenon_app::repository::{self, Address, Browsed, CommitPage, HistoryPage, NewComment, ShownComment, WhiteSpace};
use tenon_app::{PageRequest, Query};
use tenon_domain::direction::written_out;

use super::compare::Sides;
use super::spot::Spot;
use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::in_query;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::form::Problems;
use crate::kit::pagination::{self, Pagination};
use crate::kit::words::Moment;
use crate::parts::commit_line::CommitLine;
use crate::parts::diff::{ChangedFile, TOO_MUCH, all_changed, white_space};
use crate::parts::feed;
use crate::parts::links::PersonLink;
use crate::parts::patch_format::patch_format;

#[derive(Template)]
#[template(path = "project/commits.html")]
struct ListPage {
    frame: Frame,
    project: ProjectFrame,
    spot: Spot,
    commits: Vec<CommitLine>,
    pages: Pagination,
}

pub(super) async fn list(context: ProjectContext) -> Result<Answer, PageError> {
    let mut asked = context.at();
    if wants_feed(&context) {
        return feed(context, asked).await;
    }
    let feed_of = asked.segments.last().and_then(|name| name.strip_suffix(".atom")).map(str::to_owned);
    // A branch, a tag or a file may have such a name.
    if let Some(name) = feed_of
        && !repository::is_there(context.request.app(), context.code()?, asked.clone()).await?
        && let Some(last) = asked.segments.last_mut()
    {
        *last = name;
        return feed(context, asked).await;
    }
    let (only, request) = (asked.only, pagination::asked(context.request.parameters()));
    let named = asked.segments.join("/");
    let found = match repository::history(context.request.app(), context.code()?, asked, request).await {
        Ok(Browsed::Found(found)) => found,
        Ok(Browsed::Other(_) | Browsed::Empty) => return Err(PageError::NotFound),
        Err(AppError::NotFound(missing)) => return of_range(&context, &named, missing).await,
        Err(error) => return Err(error.into()),
    };
    let HistoryPage { located, commits, refs } = found;
    let spot = Spot::new(&located, refs, only, "commits");
    let api_path = format!("/repository/commits?ref_name={}&path={}", in_query(&spot.name), in_query(&spot.kept_path));
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Commits).with_api_path(&api_path);
    let pages = Pagination { is_counted: commits.is_counted, ..Pagination::of(&commits.page) }.with_query(spot.ties);
    let commits = commits.page.items.into_iter().map(Into::into).collect();
    Answer::cacheable(&ListPage { frame: context.frame, project, spot, commits, pages })
}

/// True if an address asks for the feed of its page.
pub(super) fn wants_feed(context: &ProjectContext) -> bool {
    context.request.query("format") == Some("atom")
}

/// The page with the commits of a range and their changes.
async fn of_range(context: &ProjectContext, named: &str, missing: Missing) -> Result<Answer, PageError> {
    let Some(sides) = Sides::parse(named) else { return Err(AppError::NotFound(missing).into()) };
    let known = repository::known_revisions(context.request.app(), context.code()?, sides.names()).await?;
    if known.contains(&false) {
        return Err(AppError::NotFound(missing).into());
    }
    Ok(Answer::to(&context.address(&sides.below())))
}

/// The feed of the commits at an address.
async fn feed(context: ProjectContext, asked: Address) -> Result<Answer, PageError> {
    let request = pagination::asked(context.request.parameters());
    match repository::history(context.request.app(), context.code()?, asked, request).await? {
        Browsed::Found(found) => feed::commits(&context, &found.located.at.name, found.commits.page.items),
        Browsed::Other(_) | Browsed::Empty => Err(PageError::NotFound),
    }
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
    files: Vec<ChangedFile>,
    /// True if there are more files, or more lines, than are shown.
    is_cut: bool,
    /// True if lines that differ only in white space count as equal.
    ignores_space: bool,
    comments: Vec<Comment>,
    comments_total: i64,
    pages: Pagination,
    may_comment: bool,
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
    let is_cut = is_cut || files.iter().any(|file| file.note == TOO_MUCH);
    let message = commit.message.trim();
    let body = message.split_once('\n').map(|(_, body)| body.trim_start_matches('\n').to_owned());
    // A title that lists shorten is shown in full here.
    let title = message.lines().next().filter(|title| !title.is_empty()).map(str::to_owned);
    let committer = (commit.committer.name != commit.author.name).then(|| commit.committer.name.clone());
    let authored = commit.author.at.into();
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
    let read = move |query: &mut Query<'_>| {
        let number = match (number, named) {
            (None, Some(comment)) => repository::page_of_comment(query, &of, &id, comment, COMMENTS)?,
            (number, _) => number,
        };
        repository::shown_comments(query, &of, &id, PageRequest::new(number, Some(COMMENTS)))
    };
    let comments = context.request.ask(read).await?;
    Answer::cacheable(&ShowPage {
        body,
        committer,
        authored,
        parents,
        files,
        is_cut,
        ignores_space: white_space == WhiteSpace::Ignored,
        comments_total: comments.total,
        // A comment that was refused is shown at another address.
        pages: Pagination::of(&comments).at(&format!("{}/commit/{}", project.href, line.id)),
        comments: comments.items.into_iter().map(|comment| shown(&context.frame, comment)).collect(),
        may_comment: context.page.may.comment,
        frame: context.frame,
        project,
        commit: line,
        typed,
        problems,
    })
}
