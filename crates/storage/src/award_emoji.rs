//! Reactions with an emoji.

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::{AwardId, IssuableId, NoteId, ProjectId, UserId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;

use crate::db::connection::Backend;
use crate::db::paging::page;
use crate::db::row::{naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::{award_emoji, issuables};

/// A reaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Award {
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
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// The target of a reaction: an issuable, or a note in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject {
    /// The issuable.
    pub issuable: IssuableId,
    /// The note.
    pub note: Option<NoteId>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = award_emoji)]
struct AwardRow {
    id: i64,
    issuable_id: i64,
    note_id: Option<i64>,
    user_id: i64,
    name: String,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl From<AwardRow> for Award {
    fn from(row: AwardRow) -> Self {
        Self {
            id: AwardId::new(row.id),
            subject: Subject { issuable: IssuableId::new(row.issuable_id), note: row.note_id.map(NoteId::new) },
            user: UserId::new(row.user_id),
            name: row.name,
            created_at: utc(row.created_at),
            updated_at: utc(row.updated_at),
        }
    }
}

fn of<'a>(subject: Subject) -> award_emoji::BoxedQuery<'a, Backend> {
    let query = award_emoji::table.filter(award_emoji::issuable_id.eq(subject.issuable.get())).into_boxed();
    match subject.note {
        Some(note) => query.filter(award_emoji::note_id.eq(note.get())),
        None => query.filter(award_emoji::note_id.is_null()),
    }
}

/// One page of the reactions to something, by id.
pub fn list(tx: &mut ReadTx<'_>, subject: Subject, request: PageRequest) -> StoreResult<Page<Award>> {
    let total = of(subject).count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let rows: Vec<AwardRow> = of(subject)
            .order(award_emoji::id)
            .limit(limit)
            .offset(offset)
            .select(AwardRow::as_select())
            .load(tx.conn)?;
        Ok(rows.into_iter().map(Into::into).collect())
    })
}

/// All reactions to an issuable and to its notes, by id; for copying.
pub fn all(tx: &mut ReadTx<'_>, issuable: IssuableId) -> StoreResult<Vec<Award>> {
    let rows: Vec<AwardRow> = award_emoji::table
        .filter(award_emoji::issuable_id.eq(issuable.get()))
        .order(award_emoji::id)
        .select(AwardRow::as_select())
        .load(tx.conn)?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// One reaction to something.
pub fn find(tx: &mut ReadTx<'_>, subject: Subject, id: AwardId) -> StoreResult<Option<Award>> {
    let row: Option<AwardRow> =
        of(subject).filter(award_emoji::id.eq(id.get())).select(AwardRow::as_select()).first(tx.conn).optional()?;
    Ok(row.map(Into::into))
}

/// The newest reaction in a project to what is neither confidential nor deleted.
pub fn newest(tx: &mut ReadTx<'_>, project: ProjectId) -> StoreResult<Option<Award>> {
    let shown = issuables::table
        .filter(issuables::project_id.eq(project.get()))
        .filter(issuables::deleted_at.is_null())
        .filter(issuables::confidential.eq(false))
        .select(issuables::id);
    let row: Option<AwardRow> = award_emoji::table
        .filter(award_emoji::issuable_id.eq_any(shown))
        .order(award_emoji::id.desc())
        .select(AwardRow::as_select())
        .first(tx.conn)
        .optional()?;
    Ok(row.map(Into::into))
}

/// Stores a reaction. Fails with [`crate::UniqueKey::Award`] if the user has reacted like that already.
pub fn insert(tx: &mut WriteTx<'_>, award: &Award) -> StoreResult<AwardId> {
    let id = diesel::insert_into(award_emoji::table)
        .values((
            award_emoji::issuable_id.eq(award.subject.issuable.get()),
            award_emoji::note_id.eq(award.subject.note.map(NoteId::get)),
            award_emoji::user_id.eq(award.user.get()),
            award_emoji::name.eq(&award.name),
            award_emoji::created_at.eq(naive(award.created_at)),
            award_emoji::updated_at.eq(naive(award.updated_at)),
        ))
        .returning(award_emoji::id)
        .get_result(tx.conn)?;
    Ok(AwardId::new(id))
}

/// How many reactions of `user` something has.
pub fn count(tx: &mut ReadTx<'_>, subject: Subject, user: UserId) -> StoreResult<i64> {
    Ok(of(subject).filter(award_emoji::user_id.eq(user.get())).count().get_result(tx.conn)?)
}

/// True if `user` has reacted to something with this emoji.
pub fn exists(tx: &mut ReadTx<'_>, subject: Subject, user: UserId, name: &str) -> StoreResult<bool> {
    let query = of(subject)
        .filter(award_emoji::user_id.eq(user.get()))
        .filter(award_emoji::name.eq(name.to_owned()))
        .select(award_emoji::id);
    Ok(query.first::<i64>(tx.conn).optional()?.is_some())
}

/// Takes a reaction back.
pub fn delete(tx: &mut WriteTx<'_>, id: AwardId) -> StoreResult<()> {
    diesel::delete(award_emoji::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}
