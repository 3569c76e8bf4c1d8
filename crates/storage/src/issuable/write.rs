//! Writing issues and merge requests: the row, the counts and the search index, always together.

use diesel::dsl::case_when;
use diesel::prelude::*;
use diesel::sql_types;
use tenon_domain::id::{IssuableId, LabelId, ProjectId, UserId};
use tenon_domain::issuable::{Issuable, IssuableKind};
use tenon_domain::time::{TimeDelta, Timestamp};

use crate::db::connection::on_each;
use crate::db::row::naive;
use crate::db::tx::WriteTx;
use crate::error::StoreResult;
use crate::rows::issuable::IssuableColumns;
use crate::rows::sender::Sender;
use crate::schema::{
    award_emoji, issuable_assignees, issuable_counts, issuable_labels, issuable_subscriptions, issuables, notes,
    projects, todos,
};
use crate::text_index::{self, Entry};

/// Stores a new one and yields its id; the id and the counts in `issuable` are ignored. Fails with
/// [`crate::UniqueKey::Iid`] if its number is taken.
pub fn insert(tx: &mut WriteTx<'_>, issuable: &Issuable, sender: &Sender) -> StoreResult<IssuableId> {
    let id: i64 = diesel::insert_into(issuables::table)
        .values((
            IssuableColumns::from(issuable),
            issuables::user_agent.eq(&sender.user_agent),
            issuables::ip_address.eq(&sender.ip_address),
        ))
        .returning(issuables::id)
        .get_result(tx.conn)?;
    count(tx, issuable, 1)?;
    text_index::put(tx.conn, &[Entry::of(issuable, id)])?;
    Ok(IssuableId::new(id))
}

/// Stores it as it is `after`, having been `before`; the counts of notes and votes are kept by others.
pub fn update(tx: &mut WriteTx<'_>, before: &Issuable, after: &Issuable) -> StoreResult<()> {
    let id = after.id.get();
    diesel::update(issuables::table.find(id)).set(IssuableColumns::from(after)).execute(tx.conn)?;
    if (before.state.as_str(), before.confidential) != (after.state.as_str(), after.confidential) {
        count(tx, before, -1)?;
        count(tx, after, 1)?;
    }
    if before.title != after.title || before.description != after.description {
        text_index::update(tx.conn, &Entry::of(before, id), &Entry::of(after, id))?;
    }
    Ok(())
}

/// Marks it as deleted, so that it is not found any more, and removes it from all to-do lists. The row stays.
pub fn delete(tx: &mut WriteTx<'_>, issuable: &Issuable, at: Timestamp) -> StoreResult<()> {
    let id = issuable.id.get();
    diesel::update(issuables::table.find(id)).set(issuables::deleted_at.eq(naive(at))).execute(tx.conn)?;
    diesel::delete(todos::table.filter(todos::issuable_id.eq(id))).execute(tx.conn)?;
    text_index::remove(tx.conn, id)?;
    count(tx, issuable, -1)
}

/// Moves its date of change forward.
pub fn touch(tx: &mut WriteTx<'_>, id: IssuableId, at: Timestamp) -> StoreResult<()> {
    diesel::update(issuables::table.find(id.get())).set(issuables::updated_at.eq(naive(at))).execute(tx.conn)?;
    Ok(())
}

/// Counts the comments anew.
pub fn recount_notes(tx: &mut WriteTx<'_>, id: IssuableId) -> StoreResult<()> {
    let said: i64 = notes::table
        .filter(notes::issuable_id.eq(id.get()))
        .filter(notes::system.eq(false))
        .count()
        .get_result(tx.conn)?;
    diesel::update(issuables::table.find(id.get())).set(issuables::user_notes_count.eq(said)).execute(tx.conn)?;
    Ok(())
}

/// Counts one comment more, and moves the date of change forward.
pub fn count_note(tx: &mut WriteTx<'_>, id: IssuableId, at: Timestamp) -> StoreResult<()> {
    diesel::update(issuables::table.find(id.get()))
        .set((issuables::user_notes_count.eq(issuables::user_notes_count + 1), issuables::updated_at.eq(naive(at))))
        .execute(tx.conn)?;
    Ok(())
}

/// Counts the votes anew.
pub fn recount_votes(tx: &mut WriteTx<'_>, id: IssuableId) -> StoreResult<()> {
    let mut votes = |name: &str| -> StoreResult<i64> {
        Ok(award_emoji::table
            .filter(award_emoji::issuable_id.eq(id.get()))
            .filter(award_emoji::note_id.is_null())
            .filter(award_emoji::name.eq(name))
            .count()
            .get_result(tx.conn)?)
    };
    let (up, down) = (votes("thumbsup")?, votes("thumbsdown")?);
    diesel::update(issuables::table.find(id.get()))
        .set((issuables::upvotes.eq(up), issuables::downvotes.eq(down)))
        .execute(tx.conn)?;
    Ok(())
}

/// Replaces the labels.
pub fn set_labels(tx: &mut WriteTx<'_>, id: IssuableId, labels: &[LabelId]) -> StoreResult<()> {
    diesel::delete(issuable_labels::table.filter(issuable_labels::issuable_id.eq(id.get()))).execute(tx.conn)?;
    let rows: Vec<_> = labels
        .iter()
        .map(|label| (issuable_labels::issuable_id.eq(id.get()), issuable_labels::label_id.eq(label.get())))
        .collect();
    if !rows.is_empty() {
        on_each!(tx.conn, c => diesel::insert_into(issuable_labels::table).values(&rows).execute(c))?;
    }
    Ok(())
}

/// Replaces the assignees; the first of them is the one that old clients see.
pub fn set_assignees(tx: &mut WriteTx<'_>, id: IssuableId, users: &[UserId]) -> StoreResult<()> {
    diesel::delete(issuable_assignees::table.filter(issuable_assignees::issuable_id.eq(id.get()))).execute(tx.conn)?;
    let rows: Vec<_> = (0_i64..)
        .zip(users)
        .map(|(position, user)| {
            (
                issuable_assignees::issuable_id.eq(id.get()),
                issuable_assignees::user_id.eq(user.get()),
                issuable_assignees::position.eq(position),
            )
        })
        .collect();
    if !rows.is_empty() {
        on_each!(tx.conn, c => diesel::insert_into(issuable_assignees::table).values(&rows).execute(c))?;
    }
    Ok(())
}

/// Stores whether a user has subscribed or unsubscribed.
pub fn set_subscription(tx: &mut WriteTx<'_>, id: IssuableId, user: UserId, subscribed: bool) -> StoreResult<()> {
    on_each!(tx.conn, c => diesel::insert_into(issuable_subscriptions::table)
        .values((
            issuable_subscriptions::issuable_id.eq(id.get()),
            issuable_subscriptions::user_id.eq(user.get()),
            issuable_subscriptions::subscribed.eq(subscribed),
        ))
        .on_conflict((issuable_subscriptions::issuable_id, issuable_subscriptions::user_id))
        .do_update()
        .set(issuable_subscriptions::subscribed.eq(subscribed))
        .execute(c))?;
    Ok(())
}

/// Copies the subscriptions.
pub fn copy_subscriptions(tx: &mut WriteTx<'_>, from: IssuableId, to: IssuableId) -> StoreResult<()> {
    let said: Vec<(i64, bool)> = issuable_subscriptions::table
        .filter(issuable_subscriptions::issuable_id.eq(from.get()))
        .select((issuable_subscriptions::user_id, issuable_subscriptions::subscribed))
        .load(tx.conn)?;
    for (user, subscribed) in said {
        set_subscription(tx, to, UserId::new(user), subscribed)?;
    }
    Ok(())
}

/// How old a project's date of last activity may be before it is written again. An index has the date: each write of it
/// writes all index entries of the project.
const ACTIVITY_INTERVAL: TimeDelta = TimeDelta::minutes(1);

/// Moves a project's date of last activity forward, at most once a minute.
pub fn touch_project(tx: &mut WriteTx<'_>, project: ProjectId, at: Timestamp) -> StoreResult<()> {
    let is_old = projects::last_activity_at.lt(naive(at - ACTIVITY_INTERVAL));
    diesel::update(projects::table.find(project.get()).filter(is_old))
        .set(projects::last_activity_at.eq(naive(at)))
        .execute(tx.conn)?;
    Ok(())
}

/// As [`touch_project`], after a push, which is counted in the same statement. True if it is the last of `period` pushes;
/// then counting begins anew.
pub fn touch_pushed_project(tx: &mut WriteTx<'_>, project: ProjectId, at: Timestamp, period: i64) -> StoreResult<bool> {
    let is_old = projects::last_activity_at.lt(naive(at - ACTIVITY_INTERVAL));
    let activity = case_when(is_old, naive(at).into_sql::<sql_types::Timestamp>());
    let is_last = projects::pushes_since_packing.ge(period - 1);
    let counted = case_when(is_last, 0_i64.into_sql::<sql_types::BigInt>());
    let pushes: Option<i64> = diesel::update(projects::table.find(project.get()))
        .set((
            projects::last_activity_at.eq(activity.otherwise(projects::last_activity_at)),
            projects::pushes_since_packing.eq(counted.otherwise(projects::pushes_since_packing + 1_i64)),
        ))
        .returning(projects::pushes_since_packing)
        .get_result(tx.conn)
        .optional()?;
    Ok(pushes == Some(0))
}

/// Keeps the counts of lists, and the project's public count of open issues.
fn count(tx: &mut WriteTx<'_>, issuable: &Issuable, by: i64) -> StoreResult<()> {
    let project = issuable.project.get();
    on_each!(tx.conn, c => diesel::insert_into(issuable_counts::table)
        .values((
            issuable_counts::project_id.eq(project),
            issuable_counts::kind.eq(issuable.kind.as_str()),
            issuable_counts::state.eq(issuable.state.as_str()),
            issuable_counts::confidential.eq(issuable.confidential),
            issuable_counts::count.eq(by),
        ))
        .on_conflict((
            issuable_counts::project_id,
            issuable_counts::kind,
            issuable_counts::state,
            issuable_counts::confidential,
        ))
        .do_update()
        .set(issuable_counts::count.eq(issuable_counts::count + by))
        .execute(c))?;
    if issuable.kind == IssuableKind::Issue && issuable.state.as_str() == "opened" && !issuable.confidential {
        diesel::update(projects::table.find(project))
            .set(projects::open_issues_count.eq(projects::open_issues_count + by))
            .execute(tx.conn)?;
    }
    Ok(())
}
