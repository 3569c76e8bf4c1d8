//! The history of a branch, directory or file.

use std::collections::{HashMap, HashSet};

use askama::Template;
use tenon_app::error::{AppError, Missing};
use tenon_app::repository::{self, Address, Browsed, CommitView, HistoryFilter, HistoryPage};
use tenon_app::{Query, pipeline, user};
use tenon_domain::id::PipelineId;
use tenon_domain::pipeline::JobStatus;

use super::commit::wants_feed;
use super::compare::Sides;
use super::spot::Spot;
use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::{in_path, in_query};
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::pagination::{self, Pagination};
use crate::kit::words;
use crate::parts::commit_line::{CommitLine, Faces, show_faces};
use crate::parts::feed;
use crate::parts::pipeline_line::PipelineMark;

#[derive(Template)]
#[template(path = "project/commits.html")]
struct ListPage {
    frame: Frame,
    project: ProjectFrame,
    spot: Spot,
    search: Search,
    /// The authors of the commits of the page, each with the address of the page with only the commits of that one.
    authors: Vec<(String, String)>,
    /// The address of the page with those of all authors.
    everyone: String,
    days: Vec<Day>,
    pages: Pagination,
}

/// The texts of the form that searches the history.
#[derive(Default)]
struct Search {
    message: String,
    author: String,
}

impl Search {
    fn of(context: &ProjectContext) -> Self {
        let typed = |name: &str| context.request.parameters().words(name).unwrap_or_default();
        let cut = |text: String| text.chars().take(LONGEST).collect();
        Self { message: cut(typed("search")), author: cut(typed("author")) }
    }

    fn is_empty(&self) -> bool {
        self.message.is_empty() && self.author.is_empty()
    }

    /// The part of the query that keeps these texts, and what decides between a branch and a tag.
    fn query(&self, ties: &str) -> String {
        let mut query = ties.trim_start_matches('?').to_owned();
        for (name, text) in [("search", &self.message), ("author", &self.author)] {
            if !text.is_empty() {
                let and = if query.is_empty() { "" } else { "&" };
                query.push_str(&format!("{and}{name}={}", in_query(text)));
            }
        }
        query
    }

    /// The address with the same message and another author. `here` is the address without a query.
    fn by(&self, author: &str, here: &str, ties: &str) -> String {
        let query = Self { message: self.message.clone(), author: author.to_owned() }.query(ties);
        if query.is_empty() { here.to_owned() } else { format!("{here}?{query}") }
    }

    fn filter(&self) -> HistoryFilter {
        let wanted = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        HistoryFilter { message: wanted(&self.message), author: wanted(&self.author) }
    }
}

/// Authors that a page offers.
const AUTHORS: usize = 20;

/// Characters of a text to search for.
const LONGEST: usize = 200;

/// The commits of one day, in a row.
struct Day {
    words: String,
    /// The number of its commits, in words. Empty if a part of them may be on another page.
    count: String,
    rows: Vec<Row>,
}

struct Row {
    commit: CommitLine,
    pipeline: Option<PipelineMark>,
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
    let search = Search::of(&context);
    if let Some(path) = context.request.parameters().path("path") {
        return Ok(to_path(&context, &search, path));
    }
    let (only, request) = (asked.only, pagination::asked(context.request.parameters()));
    let named = asked.segments.join("/");
    let (app, code) = (context.request.app(), context.code()?);
    let found = match repository::history(app, code, asked, search.filter(), request).await {
        Ok(Browsed::Found(found)) => found,
        Ok(Browsed::Other(_) | Browsed::Empty) => return Err(PageError::NotFound),
        Err(AppError::NotFound(missing)) => return of_range(&context, &named, missing).await,
        Err(error) => return Err(error.into()),
    };
    let HistoryPage { located, commits, refs } = found;
    let spot = Spot::new(&located, refs, only, "commits");
    let api_path = format!("/repository/commits?ref_name={}&path={}", in_query(&spot.name), in_query(&spot.kept_path));
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Commits).with_api_path(&api_path);
    let project = project.with_feed_query(context.feed_query().await?);
    let pages = Pagination { is_counted: commits.is_counted, ..Pagination::of(&commits.page) };
    let pages = pages.with_query(&search.query(spot.ties));
    let here = format!("{}/commits/{}{}", project.href, spot.revision, spot.below);
    let everyone = search.by("", &here, spot.ties);
    let authors =
        authors(&commits.page.items).map(|name| (name.to_owned(), search.by(name, &here, spot.ties))).collect();
    let (states, faces) = known(&context, &commits.page.items).await?;
    let mut days = days(commits.page.items, &states, &pages);
    let rows = days.iter_mut().flat_map(|day| &mut day.rows);
    show_faces(&context.frame, &faces, rows.map(|row| &mut row.commit));
    Answer::cacheable(&ListPage { frame: context.frame, project, spot, search, authors, everyone, days, pages })
}

/// The first authors of these commits, each once.
fn authors(commits: &[CommitView]) -> impl Iterator<Item = &str> {
    let mut seen = HashSet::new();
    let names = commits.iter().map(|commit| commit.author.name.as_str()).filter(|name| !name.is_empty());
    names.filter(move |name| seen.insert(*name)).take(AUTHORS)
}

/// Leads from the form to the history of the path that was typed.
fn to_path(context: &ProjectContext, search: &Search, path: &str) -> Answer {
    let ties = match context.request.query("ref_type") {
        Some("heads") => "ref_type=heads",
        Some("tags") => "ref_type=tags",
        _ => "",
    };
    let query = search.query(ties);
    let and = if query.is_empty() { "" } else { "?" };
    let revision = in_path(&context.asked.below("file").join("/"));
    Answer::to(&context.address(&format!("/commits/{revision}/{}{and}{query}", in_path(path.trim_matches('/')))))
}

/// Pipelines of commits: their ids and states, by commit.
pub(super) type States = HashMap<String, (PipelineId, JobStatus)>;

/// The states of the newest pipelines of these commits, if the caller may see them, and the users who have written them.
pub(super) async fn known(context: &ProjectContext, commits: &[CommitView]) -> Result<(States, Faces), PageError> {
    if commits.is_empty() {
        return Ok((States::new(), Faces::new()));
    }
    let (of, may_read) = (context.project(), context.page.may.read_pipelines);
    let shas: Vec<String> = commits.iter().map(|commit| commit.id.clone()).collect();
    let addresses: Vec<String> = commits.iter().map(|commit| commit.author.email.clone()).collect();
    let read = move |query: &mut Query<'_>| {
        let states = if may_read { pipeline::states_of_commits(query, &of, &shas)? } else { States::new() };
        Ok((states, user::committers(query, addresses)?))
    };
    context.request.ask(read).await
}

/// The commits, those of one day in a row together.
fn days(commits: Vec<CommitView>, known: &States, pages: &Pagination) -> Vec<Day> {
    let mut days: Vec<Day> = Vec::new();
    for commit in commits {
        let at = commit.committer.at;
        let words = at.format("%A, %-d %B %Y").to_string();
        let pipeline = known.get(&commit.id).copied().map(PipelineMark::from);
        let row = Row { commit: commit.into(), pipeline };
        match days.last_mut().filter(|day| day.words == words) {
            Some(day) => day.rows.push(row),
            None => days.push(Day { words, count: String::new(), rows: vec![row] }),
        }
    }
    for day in &mut days {
        day.count = words::count(i64::try_from(day.rows.len()).unwrap_or(i64::MAX), "commit", "commits");
    }
    // The page before or after this one may have more commits of the day.
    if let Some(day) = days.first_mut().filter(|_| pages.number > 1) {
        day.count.clear();
    }
    if let Some(day) = days.last_mut().filter(|_| pages.number < pages.last) {
        day.count.clear();
    }
    days
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
    let (app, filter) = (context.request.app(), HistoryFilter::default());
    match repository::history(app, context.code()?, asked, filter, request).await? {
        Browsed::Found(found) => feed::commits(&context, &found.located.at.name, found.commits.page.items),
        Browsed::Other(_) | Browsed::Empty => Err(PageError::NotFound),
    }
}
