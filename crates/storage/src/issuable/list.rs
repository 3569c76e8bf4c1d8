//! Lists of issues (specification 2, Issue list filters; reference: issues-merge-requests-projects, section 3.3).

use std::collections::HashMap;

use chrono::NaiveDate;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable};
use tenon_domain::id::{IssuableId, LabelId, MilestoneId, UserId};
use tenon_domain::issuable::{Issuable, IssuableKind};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::search::Search;
use tenon_domain::time::Timestamp;

use super::by_ids;
use super::reach::{CountedIn, IssuableReach};
use super::search::contains_words;
use crate::any_of::any_of;
use crate::connection::{Backend, DbConn};
use crate::error::StoreResult;
use crate::paging::page;
use crate::predicate::{Condition, matches, tested};
use crate::row::naive;
use crate::schema::{award_emoji, issuable_assignees, issuable_counts, issuable_labels, issuables, labels, milestones};
use crate::unit_of_work::ReadTx;

/// In which state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateFilter {
    /// Opened.
    Opened,
    /// Closed.
    Closed,
    /// Merged.
    Merged,
    /// Locked.
    Locked,
}

impl StateFilter {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Closed => "closed",
            Self::Merged => "merged",
            Self::Locked => "locked",
        }
    }
}

/// With which labels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum LabelFilter {
    /// Whichever.
    #[default]
    Whatever,
    /// With none.
    None,
    /// With some.
    Any,
    /// With all of these.
    All(Vec<String>),
}

/// With which milestone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum MilestoneFilter {
    /// Whichever.
    #[default]
    Whatever,
    /// With none.
    None,
    /// With some.
    Any,
    /// With this one.
    Is(MilestoneId),
    /// With one of that title.
    Titled(String),
    /// With the next one that is due, of each project or group.
    Upcoming,
    /// With one that has begun.
    Started,
}

/// Assigned to whom.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum AssigneeFilter {
    /// Whomever.
    #[default]
    Whatever,
    /// Nobody.
    Nobody,
    /// Somebody.
    Somebody,
    /// All of these.
    All(Vec<UserId>),
}

/// Which issues a list has. All of them are within `reach`.
#[derive(Debug, Clone)]
pub struct IssuableFilter {
    /// What may be seen.
    pub reach: IssuableReach,
    /// Issues or merge requests.
    pub kind: IssuableKind,
    /// What milestones are compared with.
    pub today: NaiveDate,
    /// In this state.
    pub state: Option<StateFilter>,
    /// With these labels.
    pub labels: LabelFilter,
    /// With this milestone.
    pub milestone: MilestoneFilter,
    /// By these authors: each must be the author, so that two make an empty list.
    pub authors: Vec<UserId>,
    /// Assigned to these.
    pub assignee: AssigneeFilter,
    /// To which this user has reacted with this emoji, or with any.
    pub reaction: Option<(UserId, Option<String>)>,
    /// With one of these numbers.
    pub iids: Option<Vec<i64>>,
    /// Title or description.
    pub search: Option<Search>,
    /// Confidential ones only, or none of them.
    pub confidential: Option<bool>,
    /// From this moment on.
    pub created_after: Option<Timestamp>,
    /// Up to this moment.
    pub created_before: Option<Timestamp>,
    /// From this moment on.
    pub updated_after: Option<Timestamp>,
    /// Up to this moment.
    pub updated_before: Option<Timestamp>,
}

impl IssuableFilter {
    /// Everything within `reach`.
    #[must_use]
    pub fn new(reach: IssuableReach, kind: IssuableKind, today: NaiveDate) -> Self {
        Self {
            reach,
            kind,
            today,
            state: None,
            labels: LabelFilter::default(),
            milestone: MilestoneFilter::default(),
            authors: Vec::new(),
            assignee: AssigneeFilter::default(),
            reaction: None,
            iids: None,
            search: None,
            confidential: None,
            created_after: None,
            created_before: None,
            updated_after: None,
            updated_before: None,
        }
    }

    /// Whether only kind, state, project and confidentiality narrow it: then counters know the total.
    fn is_counted(&self) -> bool {
        self.labels == LabelFilter::Whatever
            && self.milestone == MilestoneFilter::Whatever
            && self.authors.is_empty()
            && self.assignee == AssigneeFilter::Whatever
            && self.reaction.is_none()
            && self.iids.is_none()
            && self.search.is_none()
            && [self.created_after, self.created_before, self.updated_after, self.updated_before] == [None; 4]
    }
}

/// What a list of issues is sorted by; ties go by id in the same direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IssuableOrder {
    /// Date of creation.
    #[default]
    CreatedAt,
    /// Date of the last change.
    UpdatedAt,
    /// The most important label first, by the priorities of the project.
    LabelPriority,
}

type Query<'a> = issuables::BoxedQuery<'a, Backend>;

/// What must be looked up before a filter can be put into words.
struct Resolved {
    /// For each label name of one project, the labels of that name there; empty for lists over many projects.
    labels: Vec<Vec<i64>>,
    milestones: Option<Vec<i64>>,
}

fn resolve(tx: &mut ReadTx<'_>, filter: &IssuableFilter) -> StoreResult<Resolved> {
    let milestones = match &filter.milestone {
        MilestoneFilter::Whatever | MilestoneFilter::None | MilestoneFilter::Any => None,
        MilestoneFilter::Is(id) => Some(vec![id.get()]),
        MilestoneFilter::Titled(title) => {
            Some(milestones::table.filter(milestones::title.eq(title)).select(milestones::id).load(tx.conn)?)
        }
        MilestoneFilter::Started => Some(
            milestones::table
                .filter(milestones::state.eq("active"))
                .filter(milestones::start_date.le(filter.today))
                .select(milestones::id)
                .load(tx.conn)?,
        ),
        MilestoneFilter::Upcoming => Some(upcoming(tx, filter.today)?),
    };
    let labels = match (&filter.labels, filter.reach.project()) {
        (LabelFilter::All(names), Some(project)) => names
            .iter()
            .map(|name| crate::label::ids_named(tx, tenon_domain::id::ProjectId::new(project), name))
            .collect::<StoreResult<_>>()?,
        _ => Vec::new(),
    };
    Ok(Resolved { labels, milestones })
}

/// Of each project and group, the active milestone that is due next.
fn upcoming(tx: &mut ReadTx<'_>, today: NaiveDate) -> StoreResult<Vec<i64>> {
    let due: Vec<(i64, Option<i64>, Option<i64>)> = milestones::table
        .filter(milestones::state.eq("active"))
        .filter(milestones::due_date.gt(today))
        .order((milestones::due_date, milestones::id))
        .select((milestones::id, milestones::project_id, milestones::namespace_id))
        .load(tx.conn)?;
    let mut seen = std::collections::HashSet::new();
    Ok(due.into_iter().filter(|(_, project, group)| seen.insert((*project, *group))).map(|(id, _, _)| id).collect())
}

fn filtered<'a>(conn: &DbConn, filter: &'a IssuableFilter, resolved: &Resolved) -> Query<'a> {
    let mut query = issuables::table
        .filter(issuables::kind.eq(filter.kind.as_str()))
        .filter(issuables::deleted_at.is_null())
        .into_boxed::<Backend>();
    for condition in [filter.reach.placed(), filter.reach.permitted()].into_iter().flatten() {
        query = query.filter(condition);
    }
    if let Some(state) = filter.state {
        query = query.filter(issuables::state.eq(state.as_str()));
    }
    if let Some(confidential) = filter.confidential {
        query = query.filter(issuables::confidential.eq(confidential));
    }
    for author in &filter.authors {
        query = query.filter(issuables::author_id.eq(author.get()));
    }
    if let Some(iids) = &filter.iids {
        query = query.filter(any_of(issuables::iid, iids, std::convert::identity));
    }
    query = labelled(query, filter, resolved);
    query = assigned(query, filter);
    query = match (&filter.milestone, &resolved.milestones) {
        (MilestoneFilter::None, _) => query.filter(issuables::milestone_id.is_null()),
        (MilestoneFilter::Any, _) => query.filter(issuables::milestone_id.is_not_null()),
        (_, Some(ids)) => query.filter(any_of(issuables::milestone_id, ids, std::convert::identity)),
        (_, None) => query,
    };
    if let Some((user, name)) = &filter.reaction {
        let of_user = award_emoji::table
            .filter(award_emoji::user_id.eq(user.get()))
            .filter(award_emoji::note_id.is_null())
            .select(award_emoji::issuable_id);
        query = match name {
            Some(name) => query.filter(issuables::id.eq_any(of_user.filter(award_emoji::name.eq(name)))),
            None => query.filter(issuables::id.eq_any(of_user)),
        };
    }
    if let Some(condition) = filter.search.as_ref().and_then(|search| searched(conn, search)) {
        query = query.filter(condition);
    }
    if let Some(from) = filter.created_after {
        query = query.filter(issuables::created_at.ge(naive(from)));
    }
    if let Some(to) = filter.created_before {
        query = query.filter(issuables::created_at.le(naive(to)));
    }
    if let Some(from) = filter.updated_after {
        query = query.filter(issuables::updated_at.ge(naive(from)));
    }
    if let Some(to) = filter.updated_before {
        query = query.filter(issuables::updated_at.le(naive(to)));
    }
    query
}

fn labelled<'a>(mut query: Query<'a>, filter: &'a IssuableFilter, resolved: &Resolved) -> Query<'a> {
    let links = || issuable_labels::table.select(issuable_labels::issuable_id);
    match &filter.labels {
        LabelFilter::Whatever => query,
        LabelFilter::None => query.filter(issuables::id.ne_all(links())),
        LabelFilter::Any => query.filter(issuables::id.eq_any(links())),
        LabelFilter::All(_) if filter.reach.project().is_some() => {
            for ids in &resolved.labels {
                let carriers = links().filter(issuable_labels::label_id.eq_any(ids.clone()));
                query = query.filter(issuables::id.eq_any(carriers));
            }
            query
        }
        LabelFilter::All(names) => {
            for name in names {
                let carriers = issuable_labels::table
                    .inner_join(labels::table)
                    .filter(labels::name.eq(name))
                    .select(issuable_labels::issuable_id);
                query = query.filter(issuables::id.eq_any(carriers));
            }
            query
        }
    }
}

fn assigned<'a>(mut query: Query<'a>, filter: &'a IssuableFilter) -> Query<'a> {
    let links = || issuable_assignees::table.select(issuable_assignees::issuable_id);
    match &filter.assignee {
        AssigneeFilter::Whatever => query,
        AssigneeFilter::Nobody => query.filter(issuables::id.ne_all(links())),
        AssigneeFilter::Somebody => query.filter(issuables::id.eq_any(links())),
        AssigneeFilter::All(users) => {
            for user in users {
                let of_user = links().filter(issuable_assignees::user_id.eq(user.get()));
                query = query.filter(issuables::id.eq_any(of_user));
            }
            query
        }
    }
}

fn searched(conn: &DbConn, search: &Search) -> Option<Condition<issuables::table>> {
    match search {
        Search::Words(words) => Some(Box::new(contains_words(conn, words))),
        Search::Exact(_) => matches(search, &[tested!(issuables::title), tested!(issuables::description)]),
    }
}

/// One page of those that match.
pub fn list(
    tx: &mut ReadTx<'_>,
    filter: &IssuableFilter,
    order: IssuableOrder,
    descending: bool,
    request: PageRequest,
) -> StoreResult<Page<Issuable>> {
    if filter.reach.is_empty() {
        return Ok(Page { items: Vec::new(), total: 0, request });
    }
    let resolved = resolve(tx, filter)?;
    let total = match (filter.is_counted(), order) {
        (true, _) => counted(tx, filter)?,
        (false, _) => filtered(tx.conn, filter, &resolved).count().get_result(tx.conn)?,
    };
    page(request, total, |limit, offset| {
        // Ids first, from an index alone: a deep page skips entries of an index and not rows.
        let query = filtered(tx.conn, filter, &resolved);
        macro_rules! by {
            ($column:expr) => {
                if descending {
                    query.order(($column.desc(), issuables::id.desc()))
                } else {
                    query.order(($column.asc(), issuables::id.asc()))
                }
            };
        }
        let query = match order {
            IssuableOrder::CreatedAt => by!(issuables::created_at),
            IssuableOrder::UpdatedAt => by!(issuables::updated_at),
            IssuableOrder::LabelPriority => query.order((label_priority(), issuables::id.desc())),
        };
        let ids: Vec<i64> = query.select(issuables::id).limit(limit).offset(offset).load(tx.conn)?;
        let ids: Vec<IssuableId> = ids.into_iter().map(IssuableId::new).collect();
        let mut found: HashMap<IssuableId, Issuable> =
            by_ids(tx, &ids)?.into_iter().map(|issuable| (issuable.id, issuable)).collect();
        Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
    })
}

/// The priority of the most important label; without one, behind all others.
fn label_priority() -> diesel::expression::SqlLiteral<diesel::sql_types::BigInt> {
    diesel::dsl::sql(
        "COALESCE((SELECT MIN(label_priorities.priority) FROM label_priorities \
         INNER JOIN issuable_labels ON issuable_labels.label_id = label_priorities.label_id \
         WHERE issuable_labels.issuable_id = issuables.id \
         AND label_priorities.project_id = issuables.project_id), 9223372036854775807)",
    )
}

/// The total of a list that only state and confidentiality narrow, from counters: no list is too long to be counted.
fn counted(tx: &mut ReadTx<'_>, filter: &IssuableFilter) -> StoreResult<i64> {
    let (everywhere, trusted) = filter.reach.for_counts();
    let total = match filter.confidential {
        Some(false) => sum_of(tx, filter, everywhere, None, Some(false))?,
        Some(true) => sum_of(tx, filter, everywhere, Some(trusted), Some(true))?,
        None if matches!(trusted, CountedIn::All) => sum_of(tx, filter, everywhere, None, None)?,
        None => {
            sum_of(tx, filter, everywhere, None, Some(false))?
                + sum_of(tx, filter, everywhere, Some(trusted), Some(true))?
        }
    };
    let own = if filter.confidential == Some(false) { None } else { filter.reach.only_for_own() };
    let Some(own) = own else { return Ok(total) };
    let mut query = issuables::table
        .filter(issuables::kind.eq(filter.kind.as_str()))
        .filter(issuables::deleted_at.is_null())
        .filter(own)
        .into_boxed::<Backend>();
    if let Some(condition) = filter.reach.placed() {
        query = query.filter(condition);
    }
    if let Some(state) = filter.state {
        query = query.filter(issuables::state.eq(state.as_str()));
    }
    let own: i64 = query.count().get_result(tx.conn)?;
    Ok(total + own)
}

fn sum_of(
    tx: &mut ReadTx<'_>,
    filter: &IssuableFilter,
    within: CountedIn<'_>,
    and_within: Option<CountedIn<'_>>,
    confidential: Option<bool>,
) -> StoreResult<i64> {
    let mut query =
        issuable_counts::table.filter(issuable_counts::kind.eq(filter.kind.as_str())).into_boxed::<Backend>();
    for place in [Some(within), and_within].into_iter().flatten() {
        query = match place {
            CountedIn::All | CountedIn::AllBut([]) => query,
            CountedIn::AllBut(ids) => {
                query.filter(diesel::dsl::not(any_of(issuable_counts::project_id, ids, std::convert::identity)))
            }
            CountedIn::Only(ids) => query.filter(any_of(issuable_counts::project_id, ids, std::convert::identity)),
        };
    }
    if let Some(state) = filter.state {
        query = query.filter(issuable_counts::state.eq(state.as_str()));
    }
    if let Some(confidential) = confidential {
        query = query.filter(issuable_counts::confidential.eq(confidential));
    }
    // A sum of BIGINT is NUMERIC on PostgreSQL; these sums are far from needing that.
    let sum = diesel::dsl::sql::<Nullable<BigInt>>("CAST(SUM(issuable_counts.count) AS BIGINT)");
    let counts: Option<i64> = query.select(sum).first(tx.conn)?;
    Ok(counts.unwrap_or(0))
}

diesel::allow_columns_to_appear_in_same_group_by_clause!(issuable_labels::label_id, issuables::state);

/// How many of the issues within `reach` carry each of these labels: open ones, and others.
pub fn count_by_labels(
    tx: &mut ReadTx<'_>,
    reach: &IssuableReach,
    kind: IssuableKind,
    label_ids: &[LabelId],
) -> StoreResult<HashMap<LabelId, (i64, i64)>> {
    let mut found: HashMap<LabelId, (i64, i64)> = HashMap::new();
    if label_ids.is_empty() || reach.is_empty() {
        return Ok(found);
    }
    let (projects, trusted, own) = reach.lists();
    let project_is_in = |ids: &[i64]| any_of(issuables::project_id, ids, std::convert::identity);
    let assigned =
        issuable_assignees::table.filter(issuable_assignees::user_id.eq(own)).select(issuable_assignees::issuable_id);
    let permitted = issuables::confidential
        .eq(false)
        .or(project_is_in(trusted))
        .or(issuables::author_id.eq(own))
        .or(issuables::id.eq_any(assigned));
    let rows: Vec<(i64, String, i64)> = issuables::table
        .inner_join(issuable_labels::table.on(issuable_labels::issuable_id.eq(issuables::id)))
        .filter(any_of(issuable_labels::label_id, label_ids, LabelId::get))
        .filter(issuables::kind.eq(kind.as_str()))
        .filter(issuables::deleted_at.is_null())
        .filter(project_is_in(projects))
        .filter(permitted)
        .group_by((issuable_labels::label_id, issuables::state))
        .select((issuable_labels::label_id, issuables::state, diesel::dsl::count_star()))
        .load(tx.conn)?;
    for (label, state, count) in rows {
        let (opened, others) = found.entry(LabelId::new(label)).or_default();
        *if state == "opened" { opened } else { others } += count;
    }
    Ok(found)
}
