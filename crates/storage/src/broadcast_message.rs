//! Messages of administrators to all users.

use std::sync::Arc;

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::broadcast_message::{BroadcastMessage, BroadcastType};
use tenon_domain::id::BroadcastMessageId;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;

use crate::cache::access_cache::{CacheKey, Weight};
use crate::db::paging::page;
use crate::db::row::{naive, parsed, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::schema::broadcast_messages;

/// The most messages that are shown at once.
const SHOWN: i64 = 20;

#[derive(Queryable, Selectable)]
#[diesel(table_name = broadcast_messages)]
struct MessageRow {
    id: i64,
    message: String,
    starts_at: NaiveDateTime,
    ends_at: NaiveDateTime,
    color: String,
    font: String,
    target_access_levels: String,
    target_path: String,
    broadcast_type: String,
    dismissable: bool,
    theme: String,
    updated_at: NaiveDateTime,
}

impl TryFrom<MessageRow> for BroadcastMessage {
    type Error = StoreError;

    fn try_from(row: MessageRow) -> StoreResult<Self> {
        let levels = row.target_access_levels.split(',').filter_map(|level| level.parse().ok());
        Ok(Self {
            id: BroadcastMessageId::new(row.id),
            message: row.message,
            starts_at: utc(row.starts_at),
            ends_at: utc(row.ends_at),
            color: row.color,
            font: row.font,
            target_access_levels: levels.collect(),
            target_path: row.target_path,
            kind: parsed("broadcast_messages", "broadcast_type", row.id, &row.broadcast_type, BroadcastType::parse)?,
            dismissable: row.dismissable,
            theme: row.theme,
            updated_at: utc(row.updated_at),
        })
    }
}

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = broadcast_messages)]
struct MessageColumns<'a> {
    message: &'a str,
    starts_at: NaiveDateTime,
    ends_at: NaiveDateTime,
    color: &'a str,
    font: &'a str,
    target_access_levels: String,
    target_path: &'a str,
    broadcast_type: &'static str,
    dismissable: bool,
    theme: &'a str,
    updated_at: NaiveDateTime,
}

impl<'a> From<&'a BroadcastMessage> for MessageColumns<'a> {
    fn from(message: &'a BroadcastMessage) -> Self {
        let levels: Vec<String> = message.target_access_levels.iter().map(ToString::to_string).collect();
        Self {
            message: &message.message,
            starts_at: naive(message.starts_at),
            ends_at: naive(message.ends_at),
            color: &message.color,
            font: &message.font,
            target_access_levels: levels.join(","),
            target_path: &message.target_path,
            broadcast_type: message.kind.as_str(),
            dismissable: message.dismissable,
            theme: &message.theme,
            updated_at: naive(message.updated_at),
        }
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct MessagesToShow;

/// The messages that were read for pages.
struct Shown(Vec<BroadcastMessage>);

impl CacheKey for MessagesToShow {
    type Answer = Shown;
}

impl Weight for Shown {
    fn weight(&self) -> usize {
        self.0.iter().map(|message| message.message.len()).sum()
    }
}

/// The messages that are shown at `now`, by id, from memory as long as none has changed.
pub fn shown(tx: &mut ReadTx<'_>, now: Timestamp) -> StoreResult<Vec<BroadcastMessage>> {
    let kept: Arc<Shown> = tx.cached_while_writing(MessagesToShow, |tx| {
        // Those of the future are read too: time alone changes nothing that is kept.
        let rows: Vec<MessageRow> = broadcast_messages::table
            .filter(broadcast_messages::ends_at.ge(naive(now)))
            .order((broadcast_messages::ends_at, broadcast_messages::id))
            .limit(SHOWN)
            .select(MessageRow::as_select())
            .load(tx.conn)?;
        let mut messages: Vec<BroadcastMessage> =
            rows.into_iter().map(TryInto::try_into).collect::<StoreResult<_>>()?;
        messages.sort_by_key(|message| message.id);
        Ok(Shown(messages))
    })?;
    Ok(kept.0.iter().filter(|message| message.is_active(now)).cloned().collect())
}

/// One page of all messages, the newest first.
pub fn list(tx: &mut ReadTx<'_>, request: PageRequest) -> StoreResult<Page<BroadcastMessage>> {
    let total = broadcast_messages::table.count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let rows: Vec<MessageRow> = broadcast_messages::table
            .order(broadcast_messages::id.desc())
            .limit(limit)
            .offset(offset)
            .select(MessageRow::as_select())
            .load(tx.conn)?;
        rows.into_iter().map(TryInto::try_into).collect()
    })
}

/// The message of that id.
pub fn find(tx: &mut ReadTx<'_>, id: BroadcastMessageId) -> StoreResult<Option<BroadcastMessage>> {
    let row: Option<MessageRow> =
        broadcast_messages::table.find(id.get()).select(MessageRow::as_select()).first(tx.conn).optional()?;
    row.map(TryInto::try_into).transpose()
}

/// Stores a new message and yields its id; the id in `message` is ignored.
pub fn insert(tx: &mut WriteTx<'_>, message: &BroadcastMessage) -> StoreResult<BroadcastMessageId> {
    let id = diesel::insert_into(broadcast_messages::table)
        .values(MessageColumns::from(message))
        .returning(broadcast_messages::id)
        .get_result(tx.conn)?;
    tx.forget_revision();
    Ok(BroadcastMessageId::new(id))
}

/// Stores a message as it now is.
pub fn update(tx: &mut WriteTx<'_>, message: &BroadcastMessage) -> StoreResult<()> {
    diesel::update(broadcast_messages::table.find(message.id.get()))
        .set(MessageColumns::from(message))
        .execute(tx.conn)?;
    tx.forget_revision();
    Ok(())
}

/// Removes a message.
pub fn delete(tx: &mut WriteTx<'_>, id: BroadcastMessageId) -> StoreResult<()> {
    diesel::delete(broadcast_messages::table.find(id.get())).execute(tx.conn)?;
    tx.forget_revision();
    Ok(())
}
