//! The column that an order with keyset pagination compares first, and the bounds of a filter on it.

use std::borrow::Cow;

use tenon_domain::keyset::{Cursor, Key, Keyset};
use tenon_domain::time::Timestamp;

use super::filter::{IssuableFilter, IssuableOrder};

/// The column that an order of [`IssuableOrder::keyed`] compares first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyColumn {
    Id,
    CreatedAt,
    UpdatedAt,
}

impl KeyColumn {
    pub(super) const fn of(order: IssuableOrder) -> Self {
        match order {
            IssuableOrder::CreatedAt => Self::CreatedAt,
            IssuableOrder::UpdatedAt => Self::UpdatedAt,
            IssuableOrder::Id
            | IssuableOrder::Title
            | IssuableOrder::DueDate
            | IssuableOrder::MilestoneDue
            | IssuableOrder::LabelPriority
            | IssuableOrder::Priority
            | IssuableOrder::Popularity
            | IssuableOrder::Weight
            | IssuableOrder::MergedAt
            | IssuableOrder::RelativePosition => Self::Id,
        }
    }

    /// The filter without the bounds of this column.
    pub(super) fn without_bounds(self, filter: &IssuableFilter) -> Cow<'_, IssuableFilter> {
        let (created, updated) =
            ((filter.created_after, filter.created_before), (filter.updated_after, filter.updated_before));
        match self {
            Self::CreatedAt if created != (None, None) => {
                Cow::Owned(IssuableFilter { created_after: None, created_before: None, ..filter.clone() })
            }
            Self::UpdatedAt if updated != (None, None) => {
                Cow::Owned(IssuableFilter { updated_after: None, updated_before: None, ..filter.clone() })
            }
            Self::Id | Self::CreatedAt | Self::UpdatedAt => Cow::Borrowed(filter),
        }
    }

    /// The filter without the bound of this column that all rows after the cursor keep. SQLite makes a range of an index of
    /// one condition: with both, it may begin at the bound, and read all parts before this one again.
    pub(super) fn without_passed_bound<'f>(
        self,
        filter: &'f IssuableFilter,
        keyset: &Keyset,
    ) -> Cow<'f, IssuableFilter> {
        let Some(Cursor { key: Key::Moment(at), .. }) = &keyset.after else { return Cow::Borrowed(filter) };
        let is_passed = |after: Option<Timestamp>, before: Option<Timestamp>| {
            if keyset.descending { before.is_some_and(|to| *at <= to) } else { after.is_some_and(|from| *at >= from) }
        };
        let mut without = Cow::Borrowed(filter);
        match (self, keyset.descending) {
            (Self::CreatedAt, descending) if is_passed(filter.created_after, filter.created_before) => {
                let bounds = without.to_mut();
                if descending { bounds.created_before = None } else { bounds.created_after = None }
            }
            (Self::UpdatedAt, descending) if is_passed(filter.updated_after, filter.updated_before) => {
                let bounds = without.to_mut();
                if descending { bounds.updated_before = None } else { bounds.updated_after = None }
            }
            (Self::Id | Self::CreatedAt | Self::UpdatedAt, true | false) => {}
        }
        without
    }
}
