//! Snippets and their files.

#![expect(clippy::ref_option_ref, reason = "what the derive makes of optional columns")]

mod talk;

use std::collections::{HashMap, HashSet};

use chrono::{NaiveDate, NaiveDateTime};
use diesel::dsl::{exists, not};
use diesel::expression::is_aggregate;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use tenon_domain::access::Viewer;
use tenon_domain::id::{ProjectId, SnippetId, UserId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::FeatureLevel;
use tenon_domain::search::Search;
use tenon_domain::snippet::{Snippet, SnippetFile, size};
use tenon_domain::time::Timestamp;
use tenon_domain::visibility::Visibility;

use crate::db::connection::Backend;
use crate::db::expressions::{IdList, in_id_list, in_ids};
use crate::db::paging::page;
use crate::db::predicate::{Condition, matches, tested};
use crate::db::row::{inclusive, naive, parsed, utc};
use crate::db::static_sql::{StaticSql, static_sql};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::schema::{project_features, projects, snippet_files, snippets};
use crate::visibility::filter::{VisibilityFilter, open_to, visible_projects};

pub use crate::rows::sender::Sender;
pub use talk::{
    SnippetAward, Subject, awards, awards_of_user, count_notes, delete_award, delete_note, discussion, discussions,
    find_award, find_note, insert_award, insert_note, notes, update_note,
};

/// The snippets that a list is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnippetSet {
    /// All that there are.
    All,
    /// Those that are public.
    Public,
    /// Those that are public, and those of this user.
    PublicOrOf(UserId),
    /// Those of this user.
    Of(UserId),
    /// Those of this project.
    In(ProjectId),
}

/// The texts in which a search looks for its words.
#[derive(Debug, Clone)]
pub enum Searched {
    /// Titles, and paths of files.
    Names(Search),
    /// Contents of files.
    Contents(Search),
}

/// The snippets that are wanted, of those that a viewer may read.
#[derive(Debug, Clone)]
pub struct SnippetFilter {
    /// Of these.
    pub set: SnippetSet,
    /// Made at or after this moment.
    pub created_after: Option<Timestamp>,
    /// Made at or before this moment.
    pub created_before: Option<Timestamp>,
    /// That have these words.
    pub search: Option<Searched>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = snippets)]
struct SnippetRow {
    id: i64,
    project_id: Option<i64>,
    author_id: i64,
    title: String,
    description: Option<String>,
    visibility: String,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl TryFrom<SnippetRow> for Snippet {
    type Error = StoreError;

    fn try_from(row: SnippetRow) -> StoreResult<Self> {
        Ok(Self {
            id: SnippetId::new(row.id),
            project: row.project_id.map(ProjectId::new),
            author: UserId::new(row.author_id),
            title: row.title,
            description: row.description,
            visibility: parsed("snippets", "visibility", row.id, &row.visibility, Visibility::parse)?,
            created_at: utc(row.created_at),
            updated_at: utc(row.updated_at),
        })
    }
}

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = snippets, treat_none_as_null = true)]
struct SnippetColumns<'a> {
    project_id: Option<i64>,
    author_id: i64,
    title: &'a str,
    description: Option<&'a str>,
    visibility: &'a str,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl<'a> From<&'a Snippet> for SnippetColumns<'a> {
    fn from(snippet: &'a Snippet) -> Self {
        Self {
            project_id: snippet.project.map(ProjectId::get),
            author_id: snippet.author.get(),
            title: &snippet.title,
            description: snippet.description.as_deref(),
            visibility: snippet.visibility.as_str(),
            created_at: naive(snippet.created_at),
            updated_at: naive(snippet.updated_at),
        }
    }
}

/// The snippets that a viewer may read: the SQL form of the abilities to read (`tenon_domain::snippet`).
struct Readable {
    viewer: Viewer,
    /// Projects with snippets in which the visibility of each decides.
    open: IdList,
    /// Projects in which the viewer reads all snippets.
    whole: IdList,
}

/// The features of a project whose snippets have this level.
#[diesel::dsl::auto_type(no_type_alias)]
fn level(level: FeatureLevel) -> _ {
    let word: &'static str = level.as_str();
    project_features::table
        .filter(project_features::project_id.eq(projects::id))
        .filter(project_features::snippets_access_level.eq(word))
}

impl Readable {
    /// `only` is a project if no other snippets are asked about.
    fn resolve(tx: &mut ReadTx<'_>, viewer: Viewer, today: NaiveDate, only: Option<ProjectId>) -> StoreResult<Self> {
        let visible = visible_projects(tx, viewer, today)?;
        let with_snippets = || {
            let snippets = snippets::table.filter(snippets::project_id.eq(projects::id.nullable()));
            let query = projects::table
                .filter(projects::deleting_at.is_null())
                .filter(exists(snippets))
                .filter(not(exists(level(FeatureLevel::Disabled))))
                .into_boxed::<Backend>();
            match only {
                Some(id) => query.filter(projects::id.eq(id.get())),
                None => query,
            }
        };
        let for_everybody = || with_snippets().filter(not(exists(level(FeatureLevel::Private))));
        let (open, whole) = match &visible {
            VisibilityFilter::All => (None, Some(with_snippets())),
            VisibilityFilter::Open(viewer) => {
                (Some(for_everybody().filter(open_to!(projects::visibility, viewer))), None)
            }
            VisibilityFilter::OpenOrMember(viewer, member) => (
                Some(for_everybody().filter(open_to!(projects::visibility, viewer))),
                Some(with_snippets().filter(member.projects())),
            ),
        };
        let mut ids = |query: Option<projects::BoxedQuery<'_, Backend>>| -> StoreResult<IdList> {
            let found: Vec<i64> = match query {
                Some(query) => query.select(projects::id).load(tx.conn)?,
                None => Vec::new(),
            };
            Ok(IdList::new(found))
        };
        Ok(Self { viewer, open: ids(open)?, whole: ids(whole)? })
    }

    fn condition(&self) -> Condition<snippets::table> {
        let of = |projects: &IdList| {
            snippets::project_id.is_not_null().and(in_id_list(snippets::project_id.assume_not_null(), projects))
        };
        let by_itself = snippets::project_id.is_null().or(of(&self.open)).and(self.is_open());
        Box::new(by_itself.or(of(&self.whole)))
    }

    /// The condition that the visibility of a snippet, or that it is their own, lets the viewer in.
    fn is_open(&self) -> Condition<snippets::table> {
        let open = open_to!(snippets::visibility, self.viewer);
        match self.viewer {
            Viewer::Anonymous => open,
            Viewer::User { admin: true, .. } => Box::new(snippets::id.gt(0)),
            Viewer::User { id, .. } => Box::new(open.or(snippets::author_id.eq(id.get()))),
        }
    }
}

type Query<'a> = snippets::BoxedQuery<'a, Backend>;

fn filtered<'a>(filter: &SnippetFilter, readable: &Readable) -> Query<'a> {
    let mut query = snippets::table.filter(readable.condition()).into_boxed::<Backend>();
    let public = snippets::visibility.eq(Visibility::Public.as_str());
    query = match filter.set {
        SnippetSet::All => query,
        SnippetSet::Public => query.filter(public),
        SnippetSet::PublicOrOf(user) => query.filter(public.or(snippets::author_id.eq(user.get()))),
        SnippetSet::Of(user) => query.filter(snippets::author_id.eq(user.get())),
        SnippetSet::In(project) => query.filter(snippets::project_id.eq(project.get())),
    };
    if let Some(from) = filter.created_after {
        query = query.filter(snippets::created_at.ge(naive(from)));
    }
    if let Some(to) = filter.created_before {
        query = query.filter(snippets::created_at.le(inclusive(to)));
    }
    query
}

/// Those of these snippets that have the words that are searched for. Texts are read once, and only those of these snippets.
fn searched(tx: &mut ReadTx<'_>, search: &Searched, ids: Vec<i64>) -> StoreResult<Vec<i64>> {
    if ids.is_empty() {
        return Ok(ids);
    }
    let among = IdList::new(ids.clone());
    let mut of_files = |condition: Option<Condition<snippet_files::table>>| -> StoreResult<Vec<i64>> {
        let Some(condition) = condition else { return Ok(Vec::new()) };
        let files = snippet_files::table.filter(in_id_list(snippet_files::snippet_id, &among)).filter(condition);
        Ok(files.select(snippet_files::snippet_id).distinct().load(tx.conn)?)
    };
    let mut found = match search {
        Searched::Names(search) => of_files(matches(search, &[tested!(snippet_files::path)]))?,
        Searched::Contents(search) => of_files(matches(search, &[tested!(snippet_files::content)]))?,
    };
    if let Searched::Names(search) = search
        && let Some(titled) = matches(search, &[tested!(snippets::title)])
    {
        let query = snippets::table.filter(in_id_list(snippets::id, &among)).filter(titled);
        found.extend(query.select(snippets::id).load::<i64>(tx.conn)?);
    }
    let found: HashSet<i64> = found.into_iter().collect();
    Ok(ids.into_iter().filter(|id| found.contains(id)).collect())
}

/// One page of the snippets that match and that a viewer may read, newest first.
pub fn list(
    tx: &mut ReadTx<'_>,
    viewer: Viewer,
    today: NaiveDate,
    filter: &SnippetFilter,
    request: PageRequest,
) -> StoreResult<Page<Snippet>> {
    let only = match filter.set {
        SnippetSet::In(project) => Some(project),
        SnippetSet::All | SnippetSet::Public | SnippetSet::PublicOrOf(_) | SnippetSet::Of(_) => None,
    };
    let readable = Readable::resolve(tx, viewer, today, only)?;
    let newest_first = (snippets::created_at.desc(), snippets::id.desc());
    if let Some(search) = &filter.search {
        let all = filtered(filter, &readable).order(newest_first).select(snippets::id).load(tx.conn)?;
        let found = searched(tx, search, all)?;
        let total = i64::try_from(found.len()).unwrap_or(i64::MAX);
        return page(request, total, |limit, offset| {
            let wanted = found.iter().skip(usize::try_from(offset).unwrap_or(usize::MAX));
            let wanted: Vec<i64> = wanted.take(usize::try_from(limit).unwrap_or(0)).copied().collect();
            let rows = snippets::table.filter(in_ids(snippets::id, &wanted, |id| id)).order(newest_first);
            let rows: Vec<SnippetRow> = rows.select(SnippetRow::as_select()).load(tx.conn)?;
            rows.into_iter().map(TryInto::try_into).collect()
        });
    }
    let total = filtered(filter, &readable).count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let rows: Vec<SnippetRow> = filtered(filter, &readable)
            .order(newest_first)
            .limit(limit)
            .offset(offset)
            .select(SnippetRow::as_select())
            .load(tx.conn)?;
        rows.into_iter().map(TryInto::try_into).collect()
    })
}

/// The snippet of that id.
pub fn find(tx: &mut ReadTx<'_>, id: SnippetId) -> StoreResult<Option<Snippet>> {
    let row = snippets::table.find(id.get()).select(SnippetRow::as_select()).first(tx.conn).optional()?;
    row.map(TryInto::try_into).transpose()
}

/// From where a snippet was sent, if that is known.
pub fn sender(tx: &mut ReadTx<'_>, id: SnippetId) -> StoreResult<Option<Sender>> {
    let columns = (snippets::user_agent, snippets::ip_address);
    let found: Option<_> = snippets::table.find(id.get()).select(columns).first(tx.conn).optional()?;
    Ok(found.and_then(Sender::of))
}

/// The paths of the files of these snippets, in order.
pub fn paths(tx: &mut ReadTx<'_>, ids: &[SnippetId]) -> StoreResult<HashMap<SnippetId, Vec<String>>> {
    let rows: Vec<(i64, String)> = snippet_files::table
        .filter(in_ids(snippet_files::snippet_id, ids, SnippetId::get))
        .order(snippet_files::id)
        .select((snippet_files::snippet_id, snippet_files::path))
        .load(tx.conn)?;
    let mut paths: HashMap<SnippetId, Vec<String>> = HashMap::new();
    for (id, path) in rows {
        paths.entry(SnippetId::new(id)).or_default().push(path);
    }
    Ok(paths)
}

/// The files of a snippet, in order.
pub fn files(tx: &mut ReadTx<'_>, id: SnippetId) -> StoreResult<Vec<SnippetFile>> {
    let rows: Vec<(String, String)> = snippet_files::table
        .filter(snippet_files::snippet_id.eq(id.get()))
        .order(snippet_files::id)
        .select((snippet_files::path, snippet_files::content))
        .load(tx.conn)?;
    Ok(rows.into_iter().map(|(path, content)| SnippetFile { path, content }).collect())
}

/// A file of a snippet: that of this path, or the first.
pub fn file(tx: &mut ReadTx<'_>, id: SnippetId, path: Option<&str>) -> StoreResult<Option<SnippetFile>> {
    let mut query = snippet_files::table.filter(snippet_files::snippet_id.eq(id.get())).into_boxed::<Backend>();
    if let Some(path) = path {
        query = query.filter(snippet_files::path.eq(path));
    }
    let found: Option<(String, String)> = query
        .order(snippet_files::id)
        .select((snippet_files::path, snippet_files::content))
        .first(tx.conn)
        .optional()?;
    Ok(found.map(|(path, content)| SnippetFile { path, content }))
}

/// How many snippets a user has, and the bytes of their files.
pub fn usage(tx: &mut ReadTx<'_>, author: UserId) -> StoreResult<(i64, i64)> {
    const SIZE: StaticSql<BigInt, is_aggregate::Yes> = static_sql("CAST(COALESCE(SUM(snippets.size), 0) AS BIGINT)");
    let own = || snippets::table.filter(snippets::author_id.eq(author.get()));
    Ok((own().count().get_result(tx.conn)?, own().select(SIZE).get_result(tx.conn)?))
}

/// Stores a new snippet and yields its id; the id in `snippet` is ignored.
pub fn insert(
    tx: &mut WriteTx<'_>,
    snippet: &Snippet,
    files: &[SnippetFile],
    sender: &Sender,
) -> StoreResult<SnippetId> {
    let id: i64 = diesel::insert_into(snippets::table)
        .values((
            SnippetColumns::from(snippet),
            snippets::size.eq(stored_size(files)),
            snippets::user_agent.eq(&sender.user_agent),
            snippets::ip_address.eq(&sender.ip_address),
        ))
        .returning(snippets::id)
        .get_result(tx.conn)?;
    insert_files(tx, id, files)?;
    Ok(SnippetId::new(id))
}

/// Stores a snippet as it now is, and all its files if they changed.
pub fn update(tx: &mut WriteTx<'_>, snippet: &Snippet, files: Option<&[SnippetFile]>) -> StoreResult<()> {
    let id = snippet.id.get();
    diesel::update(snippets::table.find(id)).set(SnippetColumns::from(snippet)).execute(tx.conn)?;
    if let Some(files) = files {
        diesel::update(snippets::table.find(id)).set(snippets::size.eq(stored_size(files))).execute(tx.conn)?;
        diesel::delete(snippet_files::table.filter(snippet_files::snippet_id.eq(id))).execute(tx.conn)?;
        insert_files(tx, id, files)?;
    }
    Ok(())
}

fn stored_size(files: &[SnippetFile]) -> i64 {
    i64::try_from(size(files)).unwrap_or(i64::MAX)
}

/// The ids rise in the order of the files.
fn insert_files(tx: &mut WriteTx<'_>, id: i64, files: &[SnippetFile]) -> StoreResult<()> {
    for file in files {
        diesel::insert_into(snippet_files::table)
            .values((
                snippet_files::snippet_id.eq(id),
                snippet_files::path.eq(&file.path),
                snippet_files::content.eq(&file.content),
            ))
            .execute(tx.conn)?;
    }
    Ok(())
}

/// Removes a snippet with its files.
pub fn delete(tx: &mut WriteTx<'_>, id: SnippetId) -> StoreResult<()> {
    diesel::delete(snippets::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}
