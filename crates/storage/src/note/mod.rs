//! Comments and system notes.

mod draft;
mod open;
pub mod position;
mod suggestion;

use std::collections::HashMap;

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::{IssuableId, NoteId, ProjectId, UserId};
use tenon_domain::note::{Note, NoteKind, Resolution};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::search::Search;

use crate::db::connection::{Backend, on_each};
use crate::db::expressions::in_ids;
use crate::db::paging::page;
use crate::db::predicate::{Condition, matches, tested};
use crate::db::row::{Moment, naive, parsed, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::schema::{commit_references, issuables, mentions, notes};

pub use draft::{count_drafts, delete_draft, delete_drafts, drafts, insert_draft, is_draft_of, update_draft};
pub use open::{
    OpenDiscussion, has_open_discussions, having_open_discussions, open_discussions, open_on_lines, resolve_discussions,
};
pub use suggestion::{
    begin_suggestions, count_appliable, delete_suggestions, drop_suggestion_commit, finish_suggestions,
    insert_suggestion, open_suggestions, set_outdated, suggestions, suggestions_of,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = notes)]
struct NoteRow {
    id: i64,
    issuable_id: i64,
    author_id: i64,
    discussion_id: String,
    kind: String,
    system: bool,
    body: String,
    refers_to_id: Option<i64>,
    position: Option<String>,
    resolved_at: Option<Moment>,
    resolved_by_id: Option<i64>,
    created_at: Moment,
    updated_at: Moment,
}

impl TryFrom<NoteRow> for Note {
    type Error = StoreError;

    fn try_from(row: NoteRow) -> StoreResult<Self> {
        Ok(Self {
            id: NoteId::new(row.id),
            issuable: IssuableId::new(row.issuable_id),
            author: UserId::new(row.author_id),
            kind: parsed("notes", "kind", row.id, &row.kind, NoteKind::parse)?,
            discussion: row.discussion_id,
            system: row.system,
            body: row.body,
            refers_to: row.refers_to_id.map(IssuableId::new),
            position: match &row.position {
                Some(text) => Some(parsed("notes", "position", row.id, text, position::decode)?),
                None => None,
            },
            resolved: row.resolved_at.map(|at| Resolution { by: row.resolved_by_id.map(UserId::new), at: utc(at) }),
            created_at: utc(row.created_at),
            updated_at: utc(row.updated_at),
        })
    }
}

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = notes, treat_none_as_null = true)]
struct NoteColumns<'a> {
    issuable_id: i64,
    author_id: i64,
    discussion_id: &'a str,
    kind: &'a str,
    system: bool,
    body: &'a str,
    refers_to_id: Option<i64>,
    position: Option<String>,
    resolved_at: Option<NaiveDateTime>,
    resolved_by_id: Option<i64>,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl<'a> From<&'a Note> for NoteColumns<'a> {
    fn from(note: &'a Note) -> Self {
        Self {
            issuable_id: note.issuable.get(),
            author_id: note.author.get(),
            discussion_id: &note.discussion,
            kind: note.kind.as_str(),
            system: note.system,
            body: &note.body,
            refers_to_id: note.refers_to.map(IssuableId::get),
            position: note.position.as_ref().map(position::encode),
            resolved_at: note.resolved.map(|resolution| naive(resolution.at)),
            resolved_by_id: note.resolved.and_then(|resolution| resolution.by).map(UserId::get),
            created_at: naive(note.created_at),
            updated_at: naive(note.updated_at),
        }
    }
}

/// The things that a system note can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Nameable {
    /// An issue or merge request.
    Issuable(IssuableId),
    /// Commits of this project.
    CommitsOf(ProjectId),
}

/// Which notes of an issuable a list has.
#[derive(Debug, Clone)]
pub struct NoteFilter {
    /// Of this one.
    pub issuable: IssuableId,
    /// The things that its system notes may name and the caller may see: notes that name anything else are left out.
    pub may_name: Vec<Nameable>,
    /// Without what the server wrote, or without what people wrote.
    pub system: Option<bool>,
}

/// The order of a list of notes; ties go by id in the same direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NoteOrder {
    /// Date of creation.
    #[default]
    CreatedAt,
    /// Date of the last change.
    UpdatedAt,
}

type Query<'a> = notes::BoxedQuery<'a, Backend>;

fn filtered<'a>(filter: &NoteFilter) -> Query<'a> {
    let query = notes::table
        .filter(notes::issuable_id.eq(filter.issuable.get()))
        .filter(names_nothing_hidden(filter))
        .into_boxed::<Backend>();
    match filter.system {
        Some(system) => query.filter(notes::system.eq(system)),
        None => query,
    }
}

/// Names nothing, or only what is open to the caller.
fn names_nothing_hidden(filter: &NoteFilter) -> Condition<notes::table> {
    let mut issuables = Vec::new();
    let mut projects = Vec::new();
    for nameable in &filter.may_name {
        match nameable {
            Nameable::Issuable(id) => issuables.push(id.get()),
            Nameable::CommitsOf(id) => projects.push(id.get()),
        }
    }
    let number = std::convert::identity::<i64>;
    let of_issuables =
        notes::refers_to_id.is_null().or(in_ids(notes::refers_to_id.assume_not_null(), &issuables, number));
    let hidden = commit_references::table
        .filter(commit_references::issuable_id.eq(filter.issuable.get()))
        .filter(commit_references::note_id.is_not_null())
        .filter(commit_references::project_id.ne_all(projects))
        .select(commit_references::note_id.assume_not_null());
    Box::new(of_issuables.and(diesel::dsl::not(notes::id.eq_any(hidden))))
}

fn load(tx: &mut ReadTx<'_>, query: Query<'_>) -> StoreResult<Vec<Note>> {
    let rows: Vec<NoteRow> = query.select(NoteRow::as_select()).load(tx.conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// One page of those that match.
pub fn list(
    tx: &mut ReadTx<'_>,
    filter: &NoteFilter,
    order: NoteOrder,
    descending: bool,
    request: PageRequest,
) -> StoreResult<Page<Note>> {
    let total = filtered(filter).count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let query = filtered(filter).limit(limit).offset(offset);
        let query = match (order, descending) {
            (NoteOrder::CreatedAt, true) => query.order((notes::created_at.desc(), notes::id.desc())),
            (NoteOrder::CreatedAt, false) => query.order((notes::created_at, notes::id)),
            (NoteOrder::UpdatedAt, true) => query.order((notes::updated_at.desc(), notes::id.desc())),
            (NoteOrder::UpdatedAt, false) => query.order((notes::updated_at, notes::id)),
        };
        load(tx, query)
    })
}

/// One page of discussions, each with its notes in order; a discussion has the place of its first note.
pub fn discussions(tx: &mut ReadTx<'_>, filter: &NoteFilter, request: PageRequest) -> StoreResult<Page<Vec<Note>>> {
    let total =
        filtered(filter).select(diesel::dsl::count(notes::discussion_id).aggregate_distinct()).get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let first = diesel::dsl::min(notes::id);
        let ids: Vec<(String, Option<i64>)> = notes::table
            .filter(notes::issuable_id.eq(filter.issuable.get()))
            .filter(names_nothing_hidden(filter))
            .group_by(notes::discussion_id)
            .order(first)
            .select((notes::discussion_id, first))
            .limit(limit)
            .offset(offset)
            .load(tx.conn)?;
        let ids: Vec<String> = ids.into_iter().map(|(id, _)| id).collect();
        let found = load(tx, filtered(filter).filter(notes::discussion_id.eq_any(ids.clone())).order(notes::id))?;
        let mut by_discussion: HashMap<String, Vec<Note>> = HashMap::new();
        for note in found {
            by_discussion.entry(note.discussion.clone()).or_default().push(note);
        }
        Ok(ids.iter().filter_map(|id| by_discussion.remove(id)).collect())
    })
}

/// The first note of the discussion with so many others before it; none if there are fewer.
pub fn first_at(tx: &mut ReadTx<'_>, filter: &NoteFilter, place: i64) -> StoreResult<Option<Note>> {
    let first = diesel::dsl::min(notes::id);
    let ids: Vec<Option<i64>> = notes::table
        .filter(notes::issuable_id.eq(filter.issuable.get()))
        .filter(names_nothing_hidden(filter))
        .group_by(notes::discussion_id)
        .order(first)
        .select(first)
        .limit(1)
        .offset(place)
        .load(tx.conn)?;
    match ids.into_iter().flatten().next() {
        Some(id) => find(tx, filter, NoteId::new(id)),
        None => Ok(None),
    }
}

/// How many discussions begin before this one; none if there is none of this id.
pub fn discussions_before(tx: &mut ReadTx<'_>, filter: &NoteFilter, id: &str) -> StoreResult<Option<i64>> {
    let of_this = filtered(filter).filter(notes::discussion_id.eq(id.to_owned()));
    let first: Option<i64> = of_this.select(diesel::dsl::min(notes::id)).get_result(tx.conn)?;
    let Some(first) = first else { return Ok(None) };
    // Each that begins before it has a note before its first one.
    let before = filtered(filter).filter(notes::id.lt(first));
    let count = before.select(diesel::dsl::count(notes::discussion_id).aggregate_distinct()).get_result(tx.conn)?;
    Ok(Some(count))
}

/// The notes of one discussion, in order; empty if there is none.
pub fn discussion(tx: &mut ReadTx<'_>, filter: &NoteFilter, id: &str) -> StoreResult<Vec<Note>> {
    load(tx, filtered(filter).filter(notes::discussion_id.eq(id.to_owned())).order(notes::id))
}

/// The note of that id, if it matches.
pub fn find(tx: &mut ReadTx<'_>, filter: &NoteFilter, id: NoteId) -> StoreResult<Option<Note>> {
    Ok(load(tx, filtered(filter).filter(notes::id.eq(id.get())))?.pop())
}

/// The notes of these ids.
pub fn by_ids(tx: &mut ReadTx<'_>, ids: &[NoteId]) -> StoreResult<HashMap<NoteId, Note>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let found = load(tx, notes::table.filter(in_ids(notes::id, ids, NoteId::get)).into_boxed::<Backend>())?;
    Ok(found.into_iter().map(|note| (note.id, note)).collect())
}

/// The newest comment in a project, of what is confidential or of all else.
pub fn newest(tx: &mut ReadTx<'_>, project: ProjectId, confidential: bool) -> StoreResult<Option<Note>> {
    let discussed = issuables::table
        .filter(issuables::project_id.eq(project.get()))
        .filter(issuables::deleted_at.is_null())
        .filter(issuables::confidential.eq(confidential))
        .filter(issuables::user_notes_count.gt(0))
        .select(issuables::id);
    let query = notes::table.filter(notes::issuable_id.eq_any(discussed)).filter(notes::system.eq(false));
    Ok(load(tx, query.into_boxed::<Backend>().order(notes::id.desc()).limit(1))?.pop())
}

/// The newest comments in a project whose text matches, up to `limit`; of what is not deleted.
pub fn search(tx: &mut ReadTx<'_>, project: ProjectId, search: &Search, limit: i64) -> StoreResult<Vec<Note>> {
    let inside = issuables::table
        .filter(issuables::project_id.eq(project.get()))
        .filter(issuables::deleted_at.is_null())
        .select(issuables::id);
    let mut query =
        notes::table.filter(notes::issuable_id.eq_any(inside)).filter(notes::system.eq(false)).into_boxed::<Backend>();
    if let Some(condition) = matches(search, &[tested!(notes::body)]) {
        query = query.filter(condition);
    }
    load(tx, query.order(notes::id.desc()).limit(limit))
}

/// All notes of an issuable, oldest first; for copying.
pub fn all(tx: &mut ReadTx<'_>, issuable: IssuableId) -> StoreResult<Vec<Note>> {
    load(
        tx,
        notes::table.filter(notes::issuable_id.eq(issuable.get())).order((notes::created_at, notes::id)).into_boxed(),
    )
}

/// The issuables that the system notes of an issuable name.
pub fn referred_to(tx: &mut ReadTx<'_>, issuable: IssuableId) -> StoreResult<Vec<IssuableId>> {
    let found: Vec<Option<i64>> = notes::table
        .filter(notes::issuable_id.eq(issuable.get()))
        .filter(notes::refers_to_id.is_not_null())
        .select(notes::refers_to_id)
        .distinct()
        .load(tx.conn)?;
    Ok(found.into_iter().flatten().map(IssuableId::new).collect())
}

/// True if a system note of `issuable` names `other` already.
pub fn is_referred_to(tx: &mut ReadTx<'_>, issuable: IssuableId, other: IssuableId) -> StoreResult<bool> {
    let query = notes::table.filter(notes::issuable_id.eq(issuable.get())).filter(notes::refers_to_id.eq(other.get()));
    Ok(diesel::select(diesel::dsl::exists(query)).get_result(tx.conn)?)
}

/// Stores a new note and yields its id; the id in `note` is ignored.
pub fn insert(tx: &mut WriteTx<'_>, note: &Note) -> StoreResult<NoteId> {
    let id =
        diesel::insert_into(notes::table).values(NoteColumns::from(note)).returning(notes::id).get_result(tx.conn)?;
    Ok(NoteId::new(id))
}

/// Stores a note as it now is.
pub fn update(tx: &mut WriteTx<'_>, note: &Note) -> StoreResult<()> {
    diesel::update(notes::table.find(note.id.get())).set(NoteColumns::from(note)).execute(tx.conn)?;
    Ok(())
}

/// Removes a note.
pub fn delete(tx: &mut WriteTx<'_>, id: NoteId) -> StoreResult<()> {
    diesel::delete(notes::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}

/// Remembers of the texts of a copied issue who is named in them; `copy_of` leads from its notes to
/// their copies.
pub fn copy_mentions(
    tx: &mut WriteTx<'_>,
    from: IssuableId,
    to: IssuableId,
    copy_of: impl Fn(NoteId) -> Option<NoteId>,
) -> StoreResult<()> {
    let named: Vec<(Option<i64>, i64)> = mentions::table
        .filter(mentions::issuable_id.eq(from.get()))
        .order(mentions::id)
        .select((mentions::note_id, mentions::user_id))
        .load(tx.conn)?;
    let rows: Vec<_> = named
        .into_iter()
        .filter_map(|(note, user)| {
            let copy = match note {
                Some(note) => Some(copy_of(NoteId::new(note))?.get()),
                None => None,
            };
            let columns = (mentions::issuable_id.eq(to.get()), mentions::note_id.eq(copy), mentions::user_id.eq(user));
            Some(columns)
        })
        .collect();
    for chunk in rows.chunks(1000) {
        on_each!(tx.conn, c => diesel::insert_into(mentions::table).values(chunk).execute(c))?;
    }
    Ok(())
}

/// Removes who is named in a text: that of `note`, or that of the issuable itself.
pub fn remove_mentions(tx: &mut WriteTx<'_>, issuable: IssuableId, note: Option<NoteId>) -> StoreResult<()> {
    let of_issuable = mentions::table.filter(mentions::issuable_id.eq(issuable.get()));
    match note {
        Some(note) => diesel::delete(of_issuable.filter(mentions::note_id.eq(note.get()))).execute(tx.conn)?,
        None => diesel::delete(of_issuable.filter(mentions::note_id.is_null())).execute(tx.conn)?,
    };
    Ok(())
}

/// Stores who is named in a text: that of `note`, or that of the issuable itself. Those of before must be removed.
pub fn insert_mentions(
    tx: &mut WriteTx<'_>,
    issuable: IssuableId,
    note: Option<NoteId>,
    users: &[UserId],
) -> StoreResult<()> {
    let rows: Vec<_> = users
        .iter()
        .map(|user| {
            (
                mentions::issuable_id.eq(issuable.get()),
                mentions::note_id.eq(note.map(NoteId::get)),
                mentions::user_id.eq(user.get()),
            )
        })
        .collect();
    if !rows.is_empty() {
        on_each!(tx.conn, c => diesel::insert_into(mentions::table).values(&rows).execute(c))?;
    }
    Ok(())
}
