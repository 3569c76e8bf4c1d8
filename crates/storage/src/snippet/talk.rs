//! Comments on snippets, and reactions to both.

use std::collections::HashMap;

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::{AwardId, NoteId, SnippetId, UserId};
use tenon_domain::note::NoteKind;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::snippet::SnippetNote;
use tenon_domain::time::Timestamp;

use crate::db::connection::Backend;
use crate::db::expressions::in_texts;
use crate::db::paging::page;
use crate::db::row::{naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::{snippet_awards, snippet_notes};

#[derive(Queryable, Selectable)]
#[diesel(table_name = snippet_notes)]
struct NoteRow {
    id: i64,
    snippet_id: i64,
    author_id: i64,
    discussion_id: String,
    individual: bool,
    body: String,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl From<NoteRow> for SnippetNote {
    fn from(row: NoteRow) -> Self {
        Self {
            id: NoteId::new(row.id),
            snippet: SnippetId::new(row.snippet_id),
            author: UserId::new(row.author_id),
            discussion: row.discussion_id,
            kind: if row.individual { NoteKind::Note } else { NoteKind::Discussion },
            body: row.body,
            created_at: utc(row.created_at),
            updated_at: utc(row.updated_at),
        }
    }
}

type Notes<'a> = snippet_notes::BoxedQuery<'a, Backend>;

fn notes_of<'a>(snippet: SnippetId) -> Notes<'a> {
    snippet_notes::table.filter(snippet_notes::snippet_id.eq(snippet.get())).into_boxed()
}

fn load(tx: &mut ReadTx<'_>, query: Notes<'_>) -> StoreResult<Vec<SnippetNote>> {
    let rows: Vec<NoteRow> = query.select(NoteRow::as_select()).load(tx.conn)?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// One page of the comments on a snippet, by the date of creation or of the last change.
pub fn notes(
    tx: &mut ReadTx<'_>,
    snippet: SnippetId,
    (by_change, descending): (bool, bool),
    request: PageRequest,
) -> StoreResult<Page<SnippetNote>> {
    let total = notes_of(snippet).count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let query = notes_of(snippet).limit(limit).offset(offset);
        let query = match (by_change, descending) {
            (false, true) => query.order((snippet_notes::created_at.desc(), snippet_notes::id.desc())),
            (false, false) => query.order((snippet_notes::created_at, snippet_notes::id)),
            (true, true) => query.order((snippet_notes::updated_at.desc(), snippet_notes::id.desc())),
            (true, false) => query.order((snippet_notes::updated_at, snippet_notes::id)),
        };
        load(tx, query)
    })
}

/// How many comments a snippet has.
pub fn count_notes(tx: &mut ReadTx<'_>, snippet: SnippetId) -> StoreResult<i64> {
    Ok(notes_of(snippet).count().get_result(tx.conn)?)
}

/// One page of discussions, each with its comments in order; a discussion has the place of its first comment.
pub fn discussions(
    tx: &mut ReadTx<'_>,
    snippet: SnippetId,
    request: PageRequest,
) -> StoreResult<Page<Vec<SnippetNote>>> {
    let total = notes_of(snippet)
        .select(diesel::dsl::count(snippet_notes::discussion_id).aggregate_distinct())
        .get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let first = diesel::dsl::min(snippet_notes::id);
        let ids: Vec<(String, Option<i64>)> = snippet_notes::table
            .filter(snippet_notes::snippet_id.eq(snippet.get()))
            .group_by(snippet_notes::discussion_id)
            .order(first)
            .select((snippet_notes::discussion_id, first))
            .limit(limit)
            .offset(offset)
            .load(tx.conn)?;
        let ids: Vec<String> = ids.into_iter().map(|(id, _)| id).collect();
        let query = notes_of(snippet).filter(in_texts(snippet_notes::discussion_id, &ids)).order(snippet_notes::id);
        let mut by_discussion: HashMap<String, Vec<SnippetNote>> = HashMap::new();
        for note in load(tx, query)? {
            by_discussion.entry(note.discussion.clone()).or_default().push(note);
        }
        Ok(ids.iter().filter_map(|id| by_discussion.remove(id)).collect())
    })
}

/// The comments of one discussion, in order; empty if there is none.
pub fn discussion(tx: &mut ReadTx<'_>, snippet: SnippetId, id: &str) -> StoreResult<Vec<SnippetNote>> {
    let query = notes_of(snippet).filter(snippet_notes::discussion_id.eq(id.to_owned()));
    load(tx, query.order(snippet_notes::id))
}

/// A comment on a snippet.
pub fn find_note(tx: &mut ReadTx<'_>, snippet: SnippetId, id: NoteId) -> StoreResult<Option<SnippetNote>> {
    Ok(load(tx, notes_of(snippet).filter(snippet_notes::id.eq(id.get())))?.pop())
}

/// Stores a comment and yields its id; the id in `note` is ignored.
pub fn insert_note(tx: &mut WriteTx<'_>, note: &SnippetNote) -> StoreResult<NoteId> {
    let id = diesel::insert_into(snippet_notes::table)
        .values((
            snippet_notes::snippet_id.eq(note.snippet.get()),
            snippet_notes::author_id.eq(note.author.get()),
            snippet_notes::discussion_id.eq(&note.discussion),
            snippet_notes::individual.eq(note.kind == NoteKind::Note),
            snippet_notes::body.eq(&note.body),
            snippet_notes::created_at.eq(naive(note.created_at)),
            snippet_notes::updated_at.eq(naive(note.updated_at)),
        ))
        .returning(snippet_notes::id)
        .get_result(tx.conn)?;
    Ok(NoteId::new(id))
}

/// Stores the text of a comment as it now is.
pub fn update_note(tx: &mut WriteTx<'_>, note: &SnippetNote) -> StoreResult<()> {
    diesel::update(snippet_notes::table.find(note.id.get()))
        .set((snippet_notes::body.eq(&note.body), snippet_notes::updated_at.eq(naive(note.updated_at))))
        .execute(tx.conn)?;
    Ok(())
}

/// Removes a comment with the reactions to it.
pub fn delete_note(tx: &mut WriteTx<'_>, id: NoteId) -> StoreResult<()> {
    diesel::delete(snippet_notes::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}

/// The target of a reaction: a snippet, or a comment on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject {
    /// The snippet.
    pub snippet: SnippetId,
    /// The comment.
    pub note: Option<NoteId>,
}

/// A reaction to a snippet or to a comment on one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnippetAward {
    /// Its id.
    pub id: AwardId,
    /// To what.
    pub subject: Subject,
    /// Whose.
    pub user: UserId,
    /// The emoji's name, without colons.
    pub name: String,
    /// When.
    pub created_at: Timestamp,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = snippet_awards)]
struct AwardRow {
    id: i64,
    snippet_id: i64,
    note_id: Option<i64>,
    user_id: i64,
    name: String,
    created_at: NaiveDateTime,
}

impl From<AwardRow> for SnippetAward {
    fn from(row: AwardRow) -> Self {
        let subject = Subject { snippet: SnippetId::new(row.snippet_id), note: row.note_id.map(NoteId::new) };
        Self {
            id: AwardId::new(row.id),
            subject,
            user: UserId::new(row.user_id),
            name: row.name,
            created_at: utc(row.created_at),
        }
    }
}

fn awards_of<'a>(subject: Subject) -> snippet_awards::BoxedQuery<'a, Backend> {
    let query = snippet_awards::table.filter(snippet_awards::snippet_id.eq(subject.snippet.get())).into_boxed();
    match subject.note {
        Some(note) => query.filter(snippet_awards::note_id.eq(note.get())),
        None => query.filter(snippet_awards::note_id.is_null()),
    }
}

/// One page of the reactions to something, by id.
pub fn awards(tx: &mut ReadTx<'_>, subject: Subject, request: PageRequest) -> StoreResult<Page<SnippetAward>> {
    let total = awards_of(subject).count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let rows: Vec<AwardRow> = awards_of(subject)
            .order(snippet_awards::id)
            .limit(limit)
            .offset(offset)
            .select(AwardRow::as_select())
            .load(tx.conn)?;
        Ok(rows.into_iter().map(Into::into).collect())
    })
}

/// One reaction to something.
pub fn find_award(tx: &mut ReadTx<'_>, subject: Subject, id: AwardId) -> StoreResult<Option<SnippetAward>> {
    let query = awards_of(subject).filter(snippet_awards::id.eq(id.get())).select(AwardRow::as_select());
    Ok(query.first::<AwardRow>(tx.conn).optional()?.map(Into::into))
}

/// The emoji with which a user has reacted to something.
pub fn awards_of_user(tx: &mut ReadTx<'_>, subject: Subject, user: UserId) -> StoreResult<Vec<String>> {
    let query = awards_of(subject).filter(snippet_awards::user_id.eq(user.get())).select(snippet_awards::name);
    Ok(query.load(tx.conn)?)
}

/// Stores a reaction and yields its id; the id in `award` is ignored.
pub fn insert_award(tx: &mut WriteTx<'_>, award: &SnippetAward) -> StoreResult<AwardId> {
    let id = diesel::insert_into(snippet_awards::table)
        .values((
            snippet_awards::snippet_id.eq(award.subject.snippet.get()),
            snippet_awards::note_id.eq(award.subject.note.map(NoteId::get)),
            snippet_awards::user_id.eq(award.user.get()),
            snippet_awards::name.eq(&award.name),
            snippet_awards::created_at.eq(naive(award.created_at)),
        ))
        .returning(snippet_awards::id)
        .get_result(tx.conn)?;
    Ok(AwardId::new(id))
}

/// Takes a reaction back.
pub fn delete_award(tx: &mut WriteTx<'_>, id: AwardId) -> StoreResult<()> {
    diesel::delete(snippet_awards::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}
