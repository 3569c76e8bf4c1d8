//! Who has to do with an issue or merge request.

use std::collections::{HashMap, HashSet};

use diesel::dsl::exists;
use diesel::prelude::*;
use tenon_domain::id::{IssuableId, NoteId, UserId};
use tenon_domain::issuable::Issuable;

use crate::db::connection::on_each;
use crate::db::expressions::in_ids;
use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::schema::{award_emoji, issuable_assignees, issuable_subscriptions, issuables, mentions, notes};

/// The assignees of each, in the order in which they were named.
pub fn assignees(tx: &mut ReadTx<'_>, ids: &[IssuableId]) -> StoreResult<HashMap<IssuableId, Vec<UserId>>> {
    let mut found: HashMap<IssuableId, Vec<UserId>> = HashMap::new();
    if ids.is_empty() {
        return Ok(found);
    }
    let rows: Vec<(i64, i64)> = on_each!(tx.conn, c => issuable_assignees::table
        .filter(in_ids(issuable_assignees::issuable_id, ids, IssuableId::get))
        .order((issuable_assignees::issuable_id, issuable_assignees::position, issuable_assignees::user_id))
        .select((issuable_assignees::issuable_id, issuable_assignees::user_id))
        .load(c))?;
    for (issuable, user) in rows {
        found.entry(IssuableId::new(issuable)).or_default().push(UserId::new(user));
    }
    Ok(found)
}

/// All participants, each once: author, assignees, commenters, users who reacted, users who were mentioned.
pub fn participants(tx: &mut ReadTx<'_>, issuable: &Issuable) -> StoreResult<Vec<UserId>> {
    let id = issuable.id.get();
    let assigned: Vec<i64> = issuable_assignees::table
        .filter(issuable_assignees::issuable_id.eq(id))
        .order(issuable_assignees::position)
        .select(issuable_assignees::user_id)
        .load(tx.conn)?;
    let first_note = diesel::dsl::min(notes::id);
    let wrote: Vec<(i64, Option<i64>)> = notes::table
        .filter(notes::issuable_id.eq(id))
        .group_by(notes::author_id)
        .select((notes::author_id, first_note))
        .load(tx.conn)?;
    let mut wrote: Vec<(Option<i64>, i64)> = wrote.into_iter().map(|(author, first)| (first, author)).collect();
    wrote.sort_unstable();
    let reacted: Vec<i64> = award_emoji::table
        .filter(award_emoji::issuable_id.eq(id))
        .order(award_emoji::user_id)
        .select(award_emoji::user_id)
        .distinct()
        .load(tx.conn)?;
    let named: Vec<i64> = mentions::table
        .filter(mentions::issuable_id.eq(id))
        .order(mentions::user_id)
        .select(mentions::user_id)
        .distinct()
        .load(tx.conn)?;
    let mut people: Vec<UserId> = Vec::new();
    let wrote = wrote.into_iter().map(|(_, author)| author);
    for user in std::iter::once(issuable.author.get()).chain(assigned).chain(wrote).chain(reacted).chain(named) {
        let user = UserId::new(user);
        if !people.contains(&user) {
            people.push(user);
        }
    }
    Ok(people)
}

/// Those of these to which `user` is subscribed: by their own choice, else because they participate.
pub fn subscribed_of(tx: &mut ReadTx<'_>, issuables: &[Issuable], user: UserId) -> StoreResult<HashSet<IssuableId>> {
    let ids: Vec<i64> = issuables.iter().map(|issuable| issuable.id.get()).collect();
    let number = std::convert::identity::<i64>;
    let user_id = user.get();
    let said: HashMap<i64, bool> = on_each!(tx.conn, c => issuable_subscriptions::table
        .filter(in_ids(issuable_subscriptions::issuable_id, &ids, number))
        .filter(issuable_subscriptions::user_id.eq(user_id))
        .select((issuable_subscriptions::issuable_id, issuable_subscriptions::subscribed))
        .load::<(i64, bool)>(c))?
    .into_iter()
    .collect();
    let is_open = |issuable: &&Issuable| issuable.author != user && !said.contains_key(&issuable.id.get());
    let open: Vec<i64> = issuables.iter().filter(is_open).map(|issuable| issuable.id.get()).collect();
    let takes_part: HashSet<i64> = if open.is_empty() { HashSet::new() } else { taking_part(tx, &open, user_id)? };
    let is_subscribed = |issuable: &&Issuable| {
        let id = issuable.id.get();
        said.get(&id).copied().unwrap_or(issuable.author == user || takes_part.contains(&id))
    };
    Ok(issuables.iter().filter(is_subscribed).map(|issuable| issuable.id).collect())
}

/// Those of these in which the user takes part: does it, wrote, reacted or was named.
fn taking_part(tx: &mut ReadTx<'_>, ids: &[i64], user: i64) -> StoreResult<HashSet<i64>> {
    let of_it = issuables::id;
    let does = issuable_assignees::table
        .filter(issuable_assignees::issuable_id.eq(of_it))
        .filter(issuable_assignees::user_id.eq(user));
    let wrote = notes::table.filter(notes::issuable_id.eq(of_it)).filter(notes::author_id.eq(user));
    let reacted = award_emoji::table.filter(award_emoji::issuable_id.eq(of_it)).filter(award_emoji::user_id.eq(user));
    let named = mentions::table.filter(mentions::issuable_id.eq(of_it)).filter(mentions::user_id.eq(user));
    let takes_part = exists(does).or(exists(wrote)).or(exists(reacted)).or(exists(named));
    let found: Vec<i64> = on_each!(tx.conn, c => issuables::table
        .filter(in_ids(issuables::id, ids, std::convert::identity))
        .filter(takes_part)
        .select(issuables::id)
        .load(c))?;
    Ok(found.into_iter().collect())
}

/// Users who have said that they want to hear of it, or that they do not.
pub fn subscriptions(tx: &mut ReadTx<'_>, id: IssuableId) -> StoreResult<HashMap<UserId, bool>> {
    let rows: Vec<(i64, bool)> = issuable_subscriptions::table
        .filter(issuable_subscriptions::issuable_id.eq(id.get()))
        .select((issuable_subscriptions::user_id, issuable_subscriptions::subscribed))
        .load(tx.conn)?;
    Ok(rows.into_iter().map(|(user, subscribed)| (UserId::new(user), subscribed)).collect())
}

/// Users whom this note names, or else the text of the issue or merge request itself.
pub fn mentioned(tx: &mut ReadTx<'_>, id: IssuableId, note: Option<NoteId>) -> StoreResult<HashSet<UserId>> {
    let query = mentions::table.filter(mentions::issuable_id.eq(id.get())).select(mentions::user_id);
    let rows: Vec<i64> = match note {
        Some(note) => query.filter(mentions::note_id.eq(note.get())).load(tx.conn)?,
        None => query.filter(mentions::note_id.is_null()).load(tx.conn)?,
    };
    Ok(rows.into_iter().map(UserId::new).collect())
}
