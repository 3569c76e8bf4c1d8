//! The outbox.

use std::collections::BTreeMap;

use chrono::NaiveDateTime;
use diesel::dsl::{Eq, IntoBoxed, LeftJoin, Nullable, On};
use diesel::prelude::*;
use tenon_domain::contribution::{Contribution, of_kind};
use tenon_domain::event::{Event, EventKind};
use tenon_domain::id::{EventId, IssuableId, MilestoneId, NamespaceId, NoteId, ProjectId, UserId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::{Date, Timestamp};

use crate::db::connection::Backend;
use crate::db::expressions::{IdList, in_id_list, in_ids_large};
use crate::db::paging::page;
use crate::db::queue::Queue;
use crate::db::row::{naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::{events, issuables};
use crate::visibility::issuables::{VisibleIssuables, joined_and_visible};

#[derive(Queryable, Selectable)]
#[diesel(table_name = events)]
struct EventRow {
    id: i64,
    kind: String,
    actor_id: Option<i64>,
    user_id: Option<i64>,
    namespace_id: Option<i64>,
    project_id: Option<i64>,
    detail: Option<String>,
    issuable_id: Option<i64>,
    note_id: Option<i64>,
    milestone_id: Option<i64>,
    created_at: NaiveDateTime,
}

/// Appends an event from which work follows to the transaction that made it happen.
pub fn append(tx: &mut WriteTx<'_>, event: &Event) -> StoreResult<()> {
    insert(tx, event, false)?;
    tx.queued(Queue::Short);
    Ok(())
}

/// Appends an event from which no work follows: the relay does not see it.
pub fn append_relayed(tx: &mut WriteTx<'_>, event: &Event) -> StoreResult<()> {
    insert(tx, event, true)
}

fn insert(tx: &mut WriteTx<'_>, event: &Event, relayed: bool) -> StoreResult<()> {
    diesel::insert_into(events::table)
        .values((
            events::kind.eq(event.kind.as_str()),
            events::actor_id.eq(event.actor.map(UserId::get)),
            events::user_id.eq(event.user.map(UserId::get)),
            events::namespace_id.eq(event.namespace.map(NamespaceId::get)),
            events::project_id.eq(event.project.map(ProjectId::get)),
            events::issuable_id.eq(event.issuable.map(IssuableId::get)),
            events::note_id.eq(event.note.map(NoteId::get)),
            events::milestone_id.eq(event.milestone.map(MilestoneId::get)),
            events::detail.eq(&event.detail),
            events::relayed.eq(relayed),
            events::created_at.eq(naive(event.at)),
        ))
        .execute(tx.conn)?;
    tx.has_events();
    Ok(())
}

/// True if there are events that have not been relayed.
pub fn any_unrelayed(tx: &mut ReadTx<'_>) -> StoreResult<bool> {
    let first: Option<i64> = events::table
        .filter(diesel::dsl::not(events::relayed))
        .order(events::id)
        .select(events::id)
        .first(tx.conn)
        .optional()?;
    Ok(first.is_some())
}

/// The oldest events that have not been relayed, in order. `None` stands for one of a kind that this version does not
/// know: a newer one shares the database.
pub fn unrelayed(tx: &mut ReadTx<'_>, limit: i64) -> StoreResult<Vec<(EventId, Option<Event>)>> {
    let rows: Vec<EventRow> = events::table
        .filter(diesel::dsl::not(events::relayed))
        .order(events::id)
        .limit(limit)
        .select(EventRow::as_select())
        .load(tx.conn)?;
    Ok(rows.into_iter().map(|row| (EventId::new(row.id), known(row))).collect())
}

/// The event of a row, if this version knows its kind.
fn known(row: EventRow) -> Option<Event> {
    Some(Event {
        kind: EventKind::parse(&row.kind)?,
        actor: row.actor_id.map(UserId::new),
        user: row.user_id.map(UserId::new),
        namespace: row.namespace_id.map(NamespaceId::new),
        project: row.project_id.map(ProjectId::new),
        issuable: row.issuable_id.map(IssuableId::new),
        note: row.note_id.map(NoteId::new),
        milestone: row.milestone_id.map(MilestoneId::new),
        detail: row.detail,
        at: utc(row.created_at),
    })
}

/// Marks events as relayed; returns those that were not before. Of the others, another relay has made the jobs.
pub fn mark_relayed(tx: &mut WriteTx<'_>, ids: &[EventId]) -> StoreResult<Vec<EventId>> {
    let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
    let unrelayed = events::table.filter(events::id.eq_any(ids)).filter(diesel::dsl::not(events::relayed));
    let marked: Vec<i64> =
        diesel::update(unrelayed).set(events::relayed.eq(true)).returning(events::id).get_results(tx.conn)?;
    Ok(marked.into_iter().map(EventId::new).collect())
}

/// The id of the newest event; 0 before the first.
///
/// Ids grow in the order of commits, since writing transactions run one after the other: what is committed later has a
/// larger one.
pub fn newest(tx: &mut ReadTx<'_>) -> StoreResult<EventId> {
    let newest: Option<i64> = events::table.order(events::id.desc()).select(events::id).first(tx.conn).optional()?;
    Ok(EventId::new(newest.unwrap_or(0)))
}

/// The first events after this one, in order; each with its project if it is a contribution.
pub fn places_after(tx: &mut ReadTx<'_>, after: EventId, limit: i64) -> StoreResult<Vec<(EventId, Option<ProjectId>)>> {
    let rows: Vec<(i64, String, Option<i64>)> = events::table
        .filter(events::id.gt(after.get()))
        .order(events::id)
        .limit(limit)
        .select((events::id, events::kind, events::project_id))
        .load(tx.conn)?;
    let is_contribution = |kind: &str| EventKind::parse(kind).and_then(of_kind).is_some();
    let place = |(id, kind, project): (i64, String, Option<i64>)| {
        (EventId::new(id), project.filter(|_| is_contribution(&kind)).map(ProjectId::new))
    };
    Ok(rows.into_iter().map(place).collect())
}

/// Which contributions a list has.
#[derive(Debug, Clone)]
pub struct ContributionFilter {
    /// Of these kinds.
    pub contributions: Vec<Contribution>,
    /// Of this user.
    pub author: Option<UserId>,
    /// In one of these projects.
    pub projects: Vec<ProjectId>,
    /// Events about an issue or merge request count only if one of these has it.
    pub visible_issuables: Vec<VisibleIssuables>,
    /// Pushes only into those of them whose code is open to the caller.
    pub code: Vec<ProjectId>,
    /// Earlier than this moment.
    pub before: Option<Timestamp>,
    /// This moment or later.
    pub from: Option<Timestamp>,
    /// After the first of these events, and up to the second.
    pub between: Option<(EventId, EventId)>,
}

/// The projects in which `user` has contributed.
pub fn projects_of(tx: &mut ReadTx<'_>, user: UserId) -> StoreResult<Vec<ProjectId>> {
    let found: Vec<Option<i64>> = events::table
        .filter(events::actor_id.eq(user.get()).or(events::user_id.eq(user.get())))
        .filter(events::project_id.is_not_null())
        .select(events::project_id)
        .distinct()
        .load(tx.conn)?;
    Ok(found.into_iter().flatten().map(ProjectId::new).collect())
}

/// The newest pushes of a user from this moment on, into one project or into all: newest first, at most `most`.
pub fn pushes_of(
    tx: &mut ReadTx<'_>,
    user: UserId,
    project: Option<ProjectId>,
    from: Timestamp,
    most: i64,
) -> StoreResult<Vec<Event>> {
    let mut query = events::table
        .filter(events::actor_id.eq(user.get()))
        .filter(events::kind.eq(EventKind::RefPushed.as_str()))
        .filter(events::created_at.ge(naive(from)))
        .order((events::created_at.desc(), events::id.desc()))
        .limit(most)
        .select(EventRow::as_select())
        .into_boxed::<Backend>();
    if let Some(project) = project {
        query = query.filter(events::project_id.eq(project.get()));
    }
    let rows: Vec<EventRow> = query.load(tx.conn)?;
    Ok(rows.into_iter().filter_map(known).collect())
}

type Joined = LeftJoin<events::table, On<issuables::table, Eq<Nullable<issuables::id>, events::issuable_id>>>;

/// The contributions that match. Those about something deleted, or about something that the caller may not see, are
/// left out: the caller does not learn that it exists.
fn matching(filter: &ContributionFilter) -> IntoBoxed<'_, Joined, Backend> {
    let words = |by_subject: bool| -> Vec<&'static str> {
        let wanted = filter.contributions.iter().filter(|found| found.by_subject == by_subject);
        wanted.map(|found| found.kind.as_str()).collect()
    };
    let (by_actor, by_subject) = (words(false), words(true));
    // Projects with issues or merge requests: milestones are shown there only.
    let mut tracked: Vec<i64> = Vec::new();
    for visible in &filter.visible_issuables {
        tracked.extend(visible.projects_among(&filter.projects));
    }
    let tracked = IdList::new(tracked);
    let mut query = events::table
        .left_join(issuables::table.on(issuables::id.nullable().eq(events::issuable_id)))
        .into_boxed::<Backend>()
        .filter(in_ids_large(events::project_id.assume_not_null(), &filter.projects, ProjectId::get))
        .filter(
            events::kind
                .ne(EventKind::RefPushed.as_str())
                // A push that the server itself has found was not made by a user.
                .or(events::actor_id.is_not_null().and(in_ids_large(
                    events::project_id.assume_not_null(),
                    &filter.code,
                    ProjectId::get,
                ))),
        )
        .filter(events::issuable_id.is_null().or(joined_and_visible(&filter.visible_issuables, &filter.projects)))
        .filter(events::milestone_id.is_null().or(in_id_list(events::project_id.assume_not_null(), &tracked)));
    query = match filter.author {
        None => query.filter(events::kind.eq_any(by_actor).or(events::kind.eq_any(by_subject))),
        Some(author) => query.filter(
            events::kind
                .eq_any(by_actor)
                .and(events::actor_id.eq(author.get()))
                .or(events::kind.eq_any(by_subject).and(events::user_id.eq(author.get()))),
        ),
    };
    if let Some(before) = filter.before {
        query = query.filter(events::created_at.lt(naive(before)));
    }
    if let Some(from) = filter.from {
        query = query.filter(events::created_at.ge(naive(from)));
    }
    if let Some((after, upto)) = filter.between {
        query = query.filter(events::id.gt(after.get())).filter(events::id.le(upto.get()));
    }
    query
}

/// The projects in which there were contributions that match.
pub fn contributed_projects(tx: &mut ReadTx<'_>, filter: &ContributionFilter) -> StoreResult<Vec<ProjectId>> {
    let found: Vec<Option<i64>> = matching(filter).select(events::project_id).distinct().load(tx.conn)?;
    Ok(found.into_iter().flatten().map(ProjectId::new).collect())
}

/// How many contributions there were on each day on which there were any, in order. The newest `most` are counted.
pub fn contributions_by_day(
    tx: &mut ReadTx<'_>,
    filter: &ContributionFilter,
    most: i64,
) -> StoreResult<BTreeMap<Date, i64>> {
    let moments: Vec<NaiveDateTime> =
        matching(filter).order(events::id.desc()).limit(most).select(events::created_at).load(tx.conn)?;
    let mut days = BTreeMap::new();
    for moment in moments {
        *days.entry(moment.date()).or_default() += 1;
    }
    Ok(days)
}

/// One page of contributions, newest first or last.
pub fn contributions(
    tx: &mut ReadTx<'_>,
    filter: &ContributionFilter,
    descending: bool,
    request: PageRequest,
) -> StoreResult<Page<(EventId, Event)>> {
    let total = matching(filter).count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let query = matching(filter).limit(limit).offset(offset).select(EventRow::as_select());
        let rows: Vec<EventRow> =
            if descending { query.order(events::id.desc()) } else { query.order(events::id.asc()) }.load(tx.conn)?;
        Ok(rows.into_iter().filter_map(|row| Some((EventId::new(row.id), known(row)?))).collect())
    })
}
