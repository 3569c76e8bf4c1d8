//! Branches and tags.

use std::collections::HashSet;

use askama::Template;
use tenon_app::repository::{self, BranchAges, BranchOrder, ListBranches, ListTags, TagView, TipAge};
use tenon_app::{PageRequest, Query, release, user};
use tenon_domain::page::Page;
use tenon_domain::time::Timestamp;

use super::branch_list;
use super::commit::wants_feed;
use super::ref_row::{Group, Row};
use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::{in_path, in_query};
use crate::kit::answer::Answer;
use crate::kit::choice::Choice;
use crate::kit::error::PageError;
use crate::kit::pagination::{self, Pagination};
use crate::kit::problems::Problems;
use crate::parts::commit_line::{CommitLine, addresses, show_faces};
use crate::parts::feed;

#[derive(Template)]
#[template(path = "project/refs.html")]
struct ListPage {
    frame: Frame,
    project: ProjectFrame,
    title: &'static str,
    /// The query that an address needs to mean one of this kind.
    ties: &'static str,
    /// The address, below the project, at which one of them is made and deleted.
    kind: &'static str,
    /// The address of the list, below the project.
    below: &'static str,
    /// Lists of some of the branches: their addresses, and their words.
    ages: Vec<AgeTab>,
    /// The query that keeps the search.
    query: String,
    search: String,
    /// The orders to choose from. Empty if there is only one.
    sorts: Vec<Choice>,
    groups: Vec<Group>,
    pages: Pagination,
    problems: Problems,
    may_push: bool,
}

/// The orders of branches, with their names in addresses. The first is the usual one.
const SORTS: [(&str, &str, BranchOrder); 3] = [
    ("name", "Name", BranchOrder::Name),
    ("updated_desc", "Last updated", BranchOrder::UpdatedDescending),
    ("updated_asc", "Oldest updated", BranchOrder::UpdatedAscending),
];

pub(super) async fn branches(context: ProjectContext) -> Result<Answer, PageError> {
    branches_with(context, Problems::default()).await
}

/// The lists of branches: the last segment of the address, the words of the tab, and the usual order.
const AGES: [(&str, &str, &str); 3] = [
    ("branches", "All", "updated_desc"),
    ("branches/active", "Active", "updated_desc"),
    ("branches/stale", "Stale", "updated_asc"),
];

/// The tab of one of these lists.
struct AgeTab {
    /// The address, below the project.
    address: &'static str,
    words: &'static str,
    /// The number of branches. `None` if it is not known.
    count: Option<usize>,
}

impl AgeTab {
    fn all(ages: Option<BranchAges>) -> Vec<Self> {
        let counts = match ages {
            Some(BranchAges { active, stale }) => [Some(active + stale), Some(active), Some(stale)],
            None => [None; 3],
        };
        AGES.iter().zip(counts).map(|(&(address, words, _), count)| Self { address, words, count }).collect()
    }
}

/// The list of branches from which a form was sent, as the form says. The list of all if it names none.
pub(super) fn list_named(named: &str) -> &'static str {
    AGES.iter().find(|age| age.0 == named).unwrap_or(&AGES[0]).0
}

/// The branches, with the problems of an action on one of them.
pub(super) async fn branches_with(context: ProjectContext, problems: Problems) -> Result<Answer, PageError> {
    let pattern = context.asked.pattern.trim_start_matches('/');
    let (below, _, usual) = *AGES.iter().find(|age| age.0 == pattern).unwrap_or(&AGES[0]);
    let age: Option<fn(Timestamp) -> TipAge> = match below {
        "branches/active" => Some(TipAge::Since),
        "branches/stale" => Some(TipAge::Before),
        _ => None,
    };
    let stale_before = branch_list::stale_before(context.request.app().now());
    let tips = age.map(|age| age(stale_before));
    let named = context.request.query("sort").unwrap_or(usual);
    let (sort, _, order) = *SORTS.iter().find(|known| known.0 == named).unwrap_or(&SORTS[0]);
    let (page, search) = (pagination::asked(context.request.parameters()), searched(&context));
    let shows_default = tips.is_none() && search.is_empty();
    let request = ListBranches { search: Some(search.clone()), tips, order, page, ..ListBranches::default() };
    let found = repository::branches_page(context.request.app(), context.code()?, request, stale_before).await?;
    let ages = AgeTab::all(found.ages);
    let pages = Pagination::of(&found.branches);
    let mut groups = branch_list::groups(&context, found, shows_default && pages.number == 1).await?;
    let mut commits: Vec<&mut CommitLine> =
        groups.iter_mut().flat_map(|group| &mut group.rows).filter_map(|row| row.last.as_mut()).collect();
    let authors = addresses(commits.iter().map(|commit| &**commit));
    let read = move |query: &mut Query<'_>| user::committers(query, authors);
    let faces = context.request.ask(read).await?;
    show_faces(&context.frame, &faces, commits.drain(..));
    let sorts = SORTS.iter().map(|known| Choice::new(known.0, known.1, known.0 == sort)).collect();
    let sort = if sort == usual { String::new() } else { format!("sort={sort}") };
    list(context, Tab::Branches, Listed { groups, pages, search, sorts, sort, problems, below, ages }).await
}

pub(super) async fn tags(context: ProjectContext) -> Result<Answer, PageError> {
    if wants_feed(&context) {
        return tags_feed(context).await;
    }
    tags_with(context, Problems::default()).await
}

/// The tags, with the problems of an action on one of them.
pub(super) async fn tags_with(context: ProjectContext, problems: Problems) -> Result<Answer, PageError> {
    let (page, search) = (pagination::asked(context.request.parameters()), searched(&context));
    let request = ListTags { search: Some(search.clone()), page, ..ListTags::default() };
    let found = repository::tags_of(context.request.app(), context.code()?, request).await?;
    let pages = Pagination::of(&found);
    let may_push = context.page.may_push && context.frame.user.is_some();
    let may_release = may_push && context.page.may.read_releases;
    let released = if may_release { released(&context, &found).await? } else { HashSet::new() };
    let rows = found.items.into_iter().map(|tag| Row {
        address: in_path(&tag.name),
        may_release: may_release && tag.commit.is_some() && !released.contains(&tag.name),
        name: tag.name,
        notes: if tag.protected { vec!["Protected"] } else { Vec::new() },
        message: tag.message.unwrap_or_default(),
        last: tag.commit.map(Into::into),
        // No user deletes a protected tag.
        may_delete: may_push && !tag.protected,
        apart: None,
        request: None,
        new_request: None,
    });
    let groups = vec![Group { title: "", note: "", rows: rows.collect() }];
    let (sorts, sort) = (Vec::new(), String::new());
    let listed = Listed { groups, pages, search, sorts, sort, problems, below: "tags", ages: Vec::new() };
    list(context, Tab::Tags, listed).await
}

/// The tags of a page that have a release.
async fn released(context: &ProjectContext, tags: &Page<TagView>) -> Result<HashSet<String>, PageError> {
    let (project, names) = (context.project(), tags.items.iter().map(|tag| tag.name.clone()).collect::<Vec<_>>());
    context.request.ask(move |query| release::released(query, &project, &names)).await
}

/// The newest tags, for feed readers.
pub(super) async fn tags_feed(context: ProjectContext) -> Result<Answer, PageError> {
    let request = ListTags { page: PageRequest::new(None, Some(feed::ENTRIES)), ..ListTags::default() };
    let found = repository::tags_of(context.request.app(), context.code()?, request).await?;
    feed::tags(&context, found.items)
}

fn searched(context: &ProjectContext) -> String {
    context.request.query("search").unwrap_or_default().chars().take(100).collect()
}

/// A list that is ready for its page.
struct Listed {
    groups: Vec<Group>,
    pages: Pagination,
    search: String,
    sorts: Vec<Choice>,
    /// The part of the query that keeps the order.
    sort: String,
    problems: Problems,
    /// The address of the list, below the project.
    below: &'static str,
    ages: Vec<AgeTab>,
}

async fn list(context: ProjectContext, tab: Tab, listed: Listed) -> Result<Answer, PageError> {
    let Listed { groups, pages, search, sorts, sort, problems, below, ages } = listed;
    let (title, ties, kind, api_path) = match tab {
        Tab::Tags => ("Tags", "?ref_type=tags", "tags", "/repository/tags"),
        _ => ("Branches", "", "branches", "/repository/branches"),
    };
    let query = if search.is_empty() { String::new() } else { format!("search={}", in_query(&search)) };
    let and = if query.is_empty() { "" } else { "?" };
    let project =
        ProjectFrame::new(&context.frame.root, &context.page, tab).with_api_path(&format!("{api_path}{and}{query}"));
    let feed_query = if tab == Tab::Tags { context.feed_query().await? } else { String::new() };
    let project = project.with_feed_query(feed_query);
    let may_push = context.page.may_push && context.frame.user.is_some();
    let kept = [query.as_str(), sort.as_str()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
    let pages = pages.with_query(&kept.join("&")).at(&format!("{}/{below}", project.href));
    Answer::cacheable(&ListPage {
        frame: context.frame,
        project,
        title,
        ties,
        kind,
        below,
        ages,
        query,
        search,
        sorts,
        groups,
        pages,
        problems,
        may_push,
    })
}
