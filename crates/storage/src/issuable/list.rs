//! Lists of issues and merge requests.

use std::collections::HashMap;

use diesel::dsl::{exists, max, not};
use diesel::prelude::*;
use tenon_domain::id::IssuableId;
use tenon_domain::issuable::Issuable;
use tenon_domain::keyset::{Cursor, Key, Keyset, KeysetPage};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::search::Search;

use super::by_ids;
use super::condition::{approvable_by, approved_by, of_due_date, of_milestone, of_weight, words_in};
use super::count::{Counter, counted};
use super::filter::{BranchFilter, IssuableFilter, IssuableOrder, LabelFilter, ReactionFilter, SearchIn, UsersFilter};
use super::key_column::KeyColumn;
use super::lookup::{Lookups, look_up};
use super::order::{Query, ordered};
use super::search::Lookup;
use crate::db::connection::Backend;
use crate::db::expressions::in_ids;
use crate::db::keyset::after_cursor;
use crate::db::paging::{IN_ALL, page, page_with_total};
use crate::db::predicate::{Condition, of_each};
use crate::db::row::{inclusive, naive};
use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::schema::{
    award_emoji, issuable_assignees, issuable_labels, issuables, labels, merge_request_reviewers, merge_requests,
    projects,
};
use crate::text_index::answering;

/// How the rows of a list are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Plan {
    /// The set of all rows is collected, by the index of words or else by the projects, and then sorted.
    BySet,
    /// An index in the order of the list, of one project or of everything, is scanned, and each row is tested, until the page
    /// is full.
    ByIndexScan,
}

pub(super) fn filtered<'a>(filter: &'a IssuableFilter, lookups: &Lookups, plan: Plan) -> Query<'a> {
    let by_row = match plan {
        Plan::BySet => match &lookups.words {
            Lookup::Few { .. } | Lookup::Many { .. } => true,
            Lookup::Unknown => false,
        },
        Plan::ByIndexScan => filter.visible.project().is_none(),
    };
    let in_projects = if by_row { filter.visible.in_projects_by_row() } else { filter.visible.in_projects() };
    let mut query = issuables::table
        .filter(issuables::kind.eq(filter.visible.kind().as_str()))
        .filter(issuables::deleted_at.is_null())
        .into_boxed::<Backend>();
    for condition in [in_projects, filter.visible.readable()].into_iter().flatten() {
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
    if filter.without_archived {
        let archived =
            projects::table.filter(projects::id.eq(issuables::project_id)).filter(projects::archived.eq(true));
        query = query.filter(not(exists(archived)));
    }
    if let Some(iids) = &filter.iids {
        query = query.filter(in_ids(issuables::iid, iids, std::convert::identity));
    }
    query = labelled(query, filter, lookups, plan);
    query = assigned(query, filter);
    if let Some(condition) = planned(filter, lookups) {
        query = query.filter(condition);
    }
    for condition in between(&filter.branches) {
        query = query.filter(condition);
    }
    for condition in of_due_date(filter.due).into_iter().chain(of_weight(filter.weight)) {
        query = query.filter(condition);
    }
    if let Some(issue_type) = filter.issue_type {
        query = query.filter(issuables::issue_type.eq(issue_type.as_str()));
    }
    if let Some((user, reaction)) = &filter.reaction {
        let by_user =
            award_emoji::table.filter(award_emoji::user_id.eq(user.get())).filter(award_emoji::note_id.is_null());
        let ids = award_emoji::issuable_id;
        query = match reaction {
            ReactionFilter::None => query.filter(not(exists(by_user.filter(ids.eq(issuables::id))))),
            ReactionFilter::Any => query.filter(issuables::id.eq_any(by_user.select(ids))),
            ReactionFilter::Named(name) => {
                query.filter(issuables::id.eq_any(by_user.filter(award_emoji::name.eq(name)).select(ids)))
            }
        };
    }
    if let Some(condition) =
        filter.search.as_ref().and_then(|search| searched(search, filter.search_in, &lookups.words, plan))
    {
        query = query.filter(condition);
    }
    if let Some(from) = filter.created_after {
        query = query.filter(issuables::created_at.ge(naive(from)));
    }
    if let Some(to) = filter.created_before {
        query = query.filter(issuables::created_at.le(inclusive(to)));
    }
    if let Some(from) = filter.updated_after {
        query = query.filter(issuables::updated_at.ge(naive(from)));
    }
    if let Some(to) = filter.updated_before {
        query = query.filter(issuables::updated_at.le(inclusive(to)));
    }
    for condition in filter.not.conditions(filter.today) {
        query = query.filter(condition);
    }
    query
}

/// The filter's condition on the milestone. Lists over many projects leave it to the database which milestones are
/// meant.
fn planned(filter: &IssuableFilter, lookups: &Lookups) -> Option<Condition<issuables::table>> {
    if let Some(ids) = &lookups.milestones {
        return Some(Box::new(in_ids(issuables::milestone_id, ids, std::convert::identity)));
    }
    of_milestone(&filter.milestone, filter.today)
}

/// The filter's conditions on merge requests alone.
fn between(filter: &BranchFilter) -> impl Iterator<Item = Condition<issuables::table>> {
    let of_it = || merge_requests::table.filter(merge_requests::issuable_id.eq(issuables::id));
    let source = filter.source.clone().map(|branch| -> Condition<issuables::table> {
        Box::new(exists(of_it().filter(merge_requests::source_branch.eq(branch))))
    });
    let target = filter.target.clone().map(|branch| -> Condition<issuables::table> {
        Box::new(exists(of_it().filter(merge_requests::target_branch.eq(branch))))
    });
    let draft = filter.draft.map(|draft| -> Condition<issuables::table> {
        Box::new(exists(of_it().filter(merge_requests::draft.eq(draft))))
    });
    let reviewer = filter.reviewer.map(|user| -> Condition<issuables::table> {
        let of_user = merge_request_reviewers::table
            .filter(merge_request_reviewers::user_id.eq(user.get()))
            .select(merge_request_reviewers::issuable_id);
        Box::new(issuables::id.eq_any(of_user))
    });
    let merged_after = filter.merged_after.map(|at| -> Condition<issuables::table> {
        Box::new(exists(of_it().filter(merge_requests::merged_at.gt(naive(at)))))
    });
    let merged_before = filter.merged_before.map(|at| -> Condition<issuables::table> {
        Box::new(exists(of_it().filter(merge_requests::merged_at.le(naive(at)))))
    });
    let single = [source, target, draft, reviewer, merged_after, merged_before].into_iter().flatten();
    single.chain(approved_by(&filter.approved_by)).chain(approvable_by(&filter.approvers))
}

fn labelled<'a>(mut query: Query<'a>, filter: &'a IssuableFilter, lookups: &Lookups, plan: Plan) -> Query<'a> {
    let links = || issuable_labels::table.filter(issuable_labels::issuable_id.eq(issuables::id));
    match &filter.labels {
        LabelFilter::Whatever => query,
        LabelFilter::None => query.filter(not(exists(links()))),
        LabelFilter::Any => query.filter(exists(links())),
        LabelFilter::All(_) if filter.visible.project().is_some() => {
            if let Some(few) = &lookups.labels.few {
                let few: Vec<i64> = few.iter().copied().collect();
                query = query.filter(in_ids(issuables::id, &few, std::convert::identity));
            }
            for labels in &lookups.labels.many {
                let link = links().filter(in_ids(issuable_labels::label_id, labels, std::convert::identity));
                query = match plan {
                    // With an offset, PostgreSQL evaluates it for each row, and does not first collect all carriers.
                    Plan::ByIndexScan => query.filter(exists(link.limit(1).offset(0))),
                    Plan::BySet => query.filter(exists(link)),
                };
            }
            query
        }
        LabelFilter::All(names) => {
            for name in names {
                let label =
                    labels::table.filter(labels::id.eq(issuable_labels::label_id)).filter(labels::name.eq(name));
                query = query.filter(exists(links().filter(exists(label))));
            }
            query
        }
    }
}

fn assigned<'a>(mut query: Query<'a>, filter: &'a IssuableFilter) -> Query<'a> {
    let links = || issuable_assignees::table.filter(issuable_assignees::issuable_id.eq(issuables::id));
    match &filter.assignee {
        UsersFilter::Whatever => query,
        UsersFilter::None => query.filter(not(exists(links()))),
        UsersFilter::Any => query.filter(exists(links())),
        UsersFilter::All(users) => {
            for user in users {
                let of_user = issuable_assignees::table
                    .filter(issuable_assignees::user_id.eq(user.get()))
                    .select(issuable_assignees::issuable_id);
                query = query.filter(issuables::id.eq_any(of_user));
            }
            query
        }
    }
}

fn searched(search: &Search, place: SearchIn, known: &Lookup, plan: Plan) -> Option<Condition<issuables::table>> {
    let by_row = || words_in(search, place);
    if plan == Plan::ByIndexScan {
        return by_row().map(of_each);
    }
    let (condition, is_exact): (Condition<issuables::table>, bool) = match known {
        Lookup::Few { ids, is_exact } => (Box::new(in_ids(issuables::id, ids, std::convert::identity)), *is_exact),
        Lookup::Many { question, is_exact, .. } => (Box::new(answering(question.clone())), *is_exact),
        Lookup::Unknown => return by_row(),
    };
    // The index does not know which of the two texts has a word.
    let is_exact = is_exact && place == SearchIn::Both;
    Some(if is_exact { condition } else { Box::new(condition.and(by_row()?)) })
}

/// One page of those that match.
pub fn list(
    tx: &mut ReadTx<'_>,
    filter: &IssuableFilter,
    order: IssuableOrder,
    descending: bool,
    request: PageRequest,
) -> StoreResult<Page<Issuable>> {
    let nothing = Page::empty(request);
    if filter.visible.is_empty() {
        return Ok(nothing);
    }
    let lookups = look_up(tx, filter)?;
    if matches!(&lookups.words, Lookup::Few { ids, .. } if ids.is_empty()) {
        return Ok(nothing);
    }
    if is_sorted_whole(filter, &lookups) {
        return sorted_whole(tx, filter, &lookups, order, descending, request);
    }
    let total = match known_total(tx, filter, &lookups)? {
        Some(total) => total,
        None => filtered(filter, &lookups, Plan::BySet).count().get_result(tx.conn)?,
    };
    page(request, total, |limit, offset| {
        let plan = match order.keyed() {
            Some(_) => plan_for(tx, filter, total, limit + offset)?,
            None => Plan::BySet,
        };
        // Ids first, from an index alone: a deep page skips entries of an index and not rows.
        let query = ordered(filtered(filter, &lookups, plan), order, descending);
        let ids: Vec<i64> = query.select(issuables::id).limit(limit).offset(offset).load(tx.conn)?;
        in_order(tx, ids)
    })
}

/// The part of those that match which `keyset` asks for, in an order of [`IssuableOrder::keyed`].
pub fn walk(
    tx: &mut ReadTx<'_>,
    filter: &IssuableFilter,
    order: IssuableOrder,
    keyset: &Keyset,
) -> StoreResult<KeysetPage<Issuable>> {
    if filter.visible.is_empty() {
        return Ok(KeysetPage::empty());
    }
    let lookups = look_up(tx, filter)?;
    if matches!(&lookups.words, Lookup::Few { ids, .. } if ids.is_empty()) {
        return Ok(KeysetPage::empty());
    }
    let column = KeyColumn::of(order);
    let plan = if is_sorted_whole(filter, &lookups) {
        Plan::BySet
    } else if filter.visible.project().is_some() && filter.search.is_none() {
        Plan::ByIndexScan
    } else {
        // Bounds of the moments in the order make a shorter range of the same index. Anything else is not counted: a count
        // would take as long as the list is.
        match known_total(tx, &column.without_bounds(filter), &lookups)? {
            Some(total) => plan_for(tx, filter, total, keyset.per_page)?,
            None => Plan::BySet,
        }
    };
    let filter = &*column.without_passed_bound(filter, keyset);
    let mut query = ordered(filtered(filter, &lookups, plan), order, keyset.descending);
    if let Some(cursor) = &keyset.after {
        query = match column {
            KeyColumn::UpdatedAt => {
                query.filter(after_cursor(issuables::updated_at, issuables::id, cursor, keyset.descending))
            }
            // The column is read only if the key has a moment.
            KeyColumn::CreatedAt | KeyColumn::Id => {
                query.filter(after_cursor(issuables::created_at, issuables::id, cursor, keyset.descending))
            }
        };
    }
    let ids: Vec<i64> = query.select(issuables::id).limit(keyset.per_page + 1).load(tx.conn)?;
    let found = in_order(tx, ids)?;
    Ok(KeysetPage::cut(found, keyset, |last| {
        let key = match column {
            KeyColumn::CreatedAt => Key::Moment(last.created_at),
            KeyColumn::UpdatedAt => Key::Moment(last.updated_at),
            KeyColumn::Id => Key::Id,
        };
        Cursor { key, id: last.id.get() }
    }))
}

/// True if something other than an index of the order yields the rows, and yields few.
fn is_sorted_whole(filter: &IssuableFilter, lookups: &Lookups) -> bool {
    let by_words = match &lookups.words {
        Lookup::Few { .. } => true,
        Lookup::Many { .. } => false,
        Lookup::Unknown => filter.search.is_some(),
    };
    by_words || filter.reaction.is_some() || lookups.labels.few.is_some()
}

/// The total, if counters or the index of words have it.
pub(super) fn known_total(tx: &mut ReadTx<'_>, filter: &IssuableFilter, lookups: &Lookups) -> StoreResult<Option<i64>> {
    if !filter.asks_little_of_rows() {
        return Ok(None);
    }
    if filter.search.is_some() {
        return Ok(words_alone(filter, &lookups.words));
    }
    let counter = match &filter.labels {
        LabelFilter::Whatever => Some(Counter::All),
        LabelFilter::All(names) if filter.visible.project().is_none() => match names.as_slice() {
            [name] => Some(Counter::Name(name)),
            [] | [_, _, ..] => None,
        },
        // Labels of a project and of its group may have the same name, and both be on an issue.
        LabelFilter::All(_) => match lookups.labels.many.as_slice() {
            [labels] => <[i64; 1]>::try_from(labels.as_slice()).ok().map(|[label]| Counter::Label(label)),
            [] | [_, _, ..] => None,
        },
        LabelFilter::None | LabelFilter::Any => None,
    };
    counter.map_or(Ok(None), |counter| counted(tx, filter, counter))
}

/// The number of rows with the words, if nothing else is asked and all such rows are seen.
fn words_alone(filter: &IssuableFilter, known: &Lookup) -> Option<i64> {
    let alone = filter.state.is_none() && filter.confidential.is_none() && filter.labels == LabelFilter::Whatever;
    match known {
        Lookup::Many { is_exact: true, in_project, .. } if alone && filter.visible.is_all_of_a_project() => *in_project,
        Lookup::Many { .. } | Lookup::Few { .. } | Lookup::Unknown => None,
    }
}

/// How to find the first `wanted` rows of a list with `total` rows for which there is no index. Scanning everything
/// takes fewer steps if the rows are many. The databases' planners cannot know: they do not see how many rows a project
/// has, nor how many have a word.
fn plan_for(tx: &mut ReadTx<'_>, filter: &IssuableFilter, total: i64, wanted: i64) -> StoreResult<Plan> {
    if filter.visible.project().is_some() && filter.search.is_none() {
        return Ok(Plan::ByIndexScan);
    }
    // Nearly as many as there are rows, and at hand.
    let last: Option<i64> = issuables::table.select(max(issuables::id)).get_result(tx.conn)?;
    let last = last.unwrap_or(0);
    // All rows of the list may be at the end of the scan. If they are a large part of everything, that is acceptable.
    let are_everywhere = total.saturating_mul(4) > last;
    let steps = wanted.saturating_mul(last) / total.max(1);
    Ok(if are_everywhere || steps.saturating_mul(10) < total { Plan::ByIndexScan } else { Plan::BySet })
}

/// A list that no index has in order: all of its rows are read for the page, and counted at the same time.
fn sorted_whole(
    tx: &mut ReadTx<'_>,
    filter: &IssuableFilter,
    lookups: &Lookups,
    order: IssuableOrder,
    descending: bool,
    request: PageRequest,
) -> StoreResult<Page<Issuable>> {
    let all = || filtered(filter, lookups, Plan::BySet);
    let rows = ordered(all(), order, descending).select((issuables::id, IN_ALL));
    let found = page_with_total(
        tx,
        request,
        |tx, limit, offset| Ok(rows.limit(limit).offset(offset).load(tx.conn)?),
        |tx| Ok(all().count().get_result(tx.conn)?),
    )?;
    Ok(Page { items: in_order(tx, found.items)?, total: found.total, request })
}

/// Those of these ids, in the order of the ids.
fn in_order(tx: &mut ReadTx<'_>, ids: Vec<i64>) -> StoreResult<Vec<Issuable>> {
    let ids: Vec<IssuableId> = ids.into_iter().map(IssuableId::new).collect();
    let mut found: HashMap<IssuableId, Issuable> =
        by_ids(tx, &ids)?.into_iter().map(|issuable| (issuable.id, issuable)).collect();
    Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
}
