//! The orders of lists of issues and merge requests.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Date, Nullable, Text, Timestamp};

use super::filter::IssuableOrder;
use crate::db::connection::Backend;
use crate::db::static_sql::{StaticSql, static_sql};
use crate::schema::issuables;

pub(super) type Query<'a> = issuables::BoxedQuery<'a, Backend>;

/// The query in this order.
pub(super) fn ordered(query: Query<'_>, order: IssuableOrder, descending: bool) -> Query<'_> {
    macro_rules! by {
        ($column:expr) => {
            if descending {
                query.order(($column.desc(), issuables::id.desc()))
            } else {
                query.order(($column.asc(), issuables::id.asc()))
            }
        };
    }
    // Rows without a value come last in both directions: the databases differ in where they place them.
    macro_rules! by_if_any {
        ($column:expr) => {
            if descending {
                query.order(($column.is_null(), $column.desc(), issuables::id.desc()))
            } else {
                query.order(($column.is_null(), $column.asc(), issuables::id.asc()))
            }
        };
    }
    match order {
        IssuableOrder::CreatedAt => by!(issuables::created_at),
        IssuableOrder::UpdatedAt => by!(issuables::updated_at),
        IssuableOrder::Id if descending => query.order(issuables::id.desc()),
        IssuableOrder::Id => query.order(issuables::id.asc()),
        IssuableOrder::Title => by!(LOWER_TITLE),
        IssuableOrder::Popularity => by!(issuables::upvotes),
        IssuableOrder::DueDate => by_if_any!(issuables::due_date),
        IssuableOrder::Weight => by_if_any!(issuables::weight),
        IssuableOrder::MilestoneDue => by_if_any!(MILESTONE_DUE),
        IssuableOrder::MergedAt => by_if_any!(MERGED_AT),
        IssuableOrder::RelativePosition => query.order((POSITION, issuables::id.desc())),
        IssuableOrder::LabelPriority if descending => {
            query.order((LABEL_PRIORITY.is_null(), LABEL_PRIORITY.desc(), issuables::id.desc()))
        }
        IssuableOrder::LabelPriority => query.order((LABEL_PRIORITY.is_null(), LABEL_PRIORITY, issuables::id.desc())),
        IssuableOrder::Priority if descending => query.order((
            MILESTONE_DUE.is_null(),
            MILESTONE_DUE.desc(),
            LABEL_PRIORITY.is_null(),
            LABEL_PRIORITY.desc(),
            issuables::id.desc(),
        )),
        IssuableOrder::Priority => {
            let milestone = (MILESTONE_DUE.is_null(), MILESTONE_DUE);
            query.order((milestone, LABEL_PRIORITY.is_null(), LABEL_PRIORITY, issuables::id.desc()))
        }
    }
}

const LOWER_TITLE: StaticSql<Text> = static_sql("LOWER(issuables.title)");

/// The day on which the milestone is due.
const MILESTONE_DUE: StaticSql<Nullable<Date>> =
    static_sql("(SELECT milestones.due_date FROM milestones WHERE milestones.id = issuables.milestone_id)");

/// When it was merged.
const MERGED_AT: StaticSql<Nullable<Timestamp>> =
    static_sql("(SELECT merge_requests.merged_at FROM merge_requests WHERE merge_requests.issuable_id = issuables.id)");

/// The position among the issues: the one that a user has given it, else the initial one
/// ([`tenon_domain::issuable::position`]).
pub(super) const POSITION: StaticSql<BigInt> = static_sql(
    "COALESCE((SELECT issue_positions.position FROM issue_positions \
     WHERE issue_positions.issuable_id = issuables.id), issuables.id * -16777216)",
);

/// The priority of the most important label.
const LABEL_PRIORITY: StaticSql<Nullable<BigInt>> = static_sql(
    "(SELECT MIN(label_priorities.priority) FROM label_priorities \
     INNER JOIN issuable_labels ON issuable_labels.label_id = label_priorities.label_id \
     WHERE issuable_labels.issuable_id = issuables.id \
     AND label_priorities.project_id = issuables.project_id)",
);
