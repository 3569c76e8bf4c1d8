//! Who has to do with an issue or merge request.

use std::collections::HashMap;

use diesel::dsl::exists;
use diesel::prelude::*;
use tenon_domain::id::{IssuableId, UserId};
use tenon_domain::issuable::Issuable;

use crate::any_of::any_of;
use crate::error::StoreResult;
use crate::schema::{award_emoji, issuable_assignees, issuable_subscriptions, mentions, notes};
use crate::unit_of_work::ReadTx;

/// The assignees of each, in the order in which they were named.
pub fn assignees(tx: &mut ReadTx<'_>, ids: &[IssuableId]) -> StoreResult<HashMap<IssuableId, Vec<UserId>>> {
    let mut found: HashMap<IssuableId, Vec<UserId>> = HashMap::new();
    if ids.is_empty() {
        return Ok(found);
    }
    let rows: Vec<(i64, i64)> = issuable_assignees::table
        .filter(any_of(issuable_assignees::issuable_id, ids, IssuableId::get))
        .order((issuable_assignees::issuable_id, issuable_assignees::position, issuable_assignees::user_id))
        .select((issuable_assignees::issuable_id, issuable_assignees::user_id))
        .load(tx.conn)?;
    for (issuable, user) in rows {
        found.entry(IssuableId::new(issuable)).or_default().push(UserId::new(user));
    }
    Ok(found)
}

/// Everybody who takes part, each once: author, assignees, who wrote in it, who reacted, who was named
/// (reference: issues-merge-requests-projects, section 3.10).
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

/// Whether `user` takes part in it.
pub fn is_participant(tx: &mut ReadTx<'_>, issuable: &Issuable, user: UserId) -> StoreResult<bool> {
    if issuable.author == user {
        return Ok(true);
    }
    let (id, user) = (issuable.id.get(), user.get());
    let assigned = issuable_assignees::table.find((id, user));
    let wrote = notes::table.filter(notes::issuable_id.eq(id)).filter(notes::author_id.eq(user));
    let reacted = award_emoji::table.filter(award_emoji::issuable_id.eq(id)).filter(award_emoji::user_id.eq(user));
    let named = mentions::table.filter(mentions::issuable_id.eq(id)).filter(mentions::user_id.eq(user));
    let query = diesel::select(exists(assigned).or(exists(wrote)).or(exists(reacted)).or(exists(named)));
    Ok(query.get_result(tx.conn)?)
}

/// What `user` has said about being told of changes; nothing where nothing was said.
pub fn subscription(tx: &mut ReadTx<'_>, id: IssuableId, user: UserId) -> StoreResult<Option<bool>> {
    Ok(issuable_subscriptions::table
        .find((id.get(), user.get()))
        .select(issuable_subscriptions::subscribed)
        .first(tx.conn)
        .optional()?)
}
