//! Look-ups before a list is queried: the meanings of names and words.

use std::collections::BTreeSet;

use diesel::prelude::*;
use tenon_domain::id::ProjectId;

use super::filter::{IssuableFilter, LabelFilter, MilestoneFilter};
use super::search::{Lookup, look_up_words};
use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::rows::{label, milestone};
use crate::schema::issuable_labels;

/// The meanings of the names and words of a filter.
pub(super) struct Lookups {
    /// The carriers of labels of one project; nothing for lists over many projects.
    pub(super) labels: Carriers,
    /// The milestones of one project that are meant; nothing for other filters and for lists over many projects.
    pub(super) milestones: Option<Vec<i64>>,
    /// The index's knowledge of the search.
    pub(super) words: Lookup,
}

/// Looks up what a filter names.
pub(super) fn look_up(tx: &mut ReadTx<'_>, filter: &IssuableFilter) -> StoreResult<Lookups> {
    let project = filter.visible.project().map(ProjectId::new);
    let milestones = match (&filter.milestone, project) {
        (MilestoneFilter::Titled(title), Some(project)) => Some(milestone::titled_in(tx, project, title)?),
        (MilestoneFilter::Started, Some(project)) => Some(milestone::begun_in(tx, project, filter.today)?),
        (MilestoneFilter::Upcoming, Some(project)) => Some(milestone::due_next_in(tx, project, filter.today)?),
        (
            MilestoneFilter::Whatever | MilestoneFilter::None | MilestoneFilter::Any | MilestoneFilter::Is(_),
            Some(_),
        )
        | (_, None) => None,
    };
    let labels = match (&filter.labels, project) {
        (LabelFilter::All(names), Some(project)) => {
            let names = label::ids_named(tx, project, names)?;
            Carriers::of(tx, names)?
        }
        (LabelFilter::Whatever | LabelFilter::None | LabelFilter::Any, Some(_)) | (_, None) => Carriers::default(),
    };
    let words = match &filter.search {
        Some(search) => look_up_words(tx, search, filter.visible.kind(), project)?,
        None => Lookup::Unknown,
    };
    Ok(Lookups { labels, milestones, words })
}

/// The issuables that carry labels of some names. If they are few, the list is selected by their ids. If they are many,
/// a page of them is soon found in the index of the list's order. The text of the statement depends only on how many
/// names have many carriers, so that it stays prepared.
#[derive(Default)]
pub(super) struct Carriers {
    /// The carriers of labels of all names that few carry; `None` if there is no such name.
    pub(super) few: Option<BTreeSet<i64>>,
    /// For each of the other names, the labels.
    pub(super) many: Vec<Vec<i64>>,
}

/// Up to how many carriers of a label are looked up one by one.
const FEW: usize = 500;

impl Carriers {
    /// `names` are, for each name, the labels of that name.
    fn of(tx: &mut ReadTx<'_>, names: Vec<Vec<i64>>) -> StoreResult<Self> {
        let mut carriers = Self::default();
        for labels in names {
            match few_carriers(tx, &labels)? {
                None => carriers.many.push(labels),
                Some(of_name) => {
                    carriers.few = Some(match carriers.few {
                        None => of_name,
                        Some(known) => known.intersection(&of_name).copied().collect(),
                    });
                }
            }
        }
        Ok(carriers)
    }
}

/// The issuables that carry one of these labels; `None` if one of them has more than [`FEW`] carriers.
fn few_carriers(tx: &mut ReadTx<'_>, labels: &[i64]) -> StoreResult<Option<BTreeSet<i64>>> {
    let one_more = i64::try_from(FEW + 1).unwrap_or(i64::MAX);
    let mut carriers = BTreeSet::new();
    for label in labels {
        let found: Vec<i64> = issuable_labels::table
            .filter(issuable_labels::label_id.eq(label))
            .select(issuable_labels::issuable_id)
            .limit(one_more)
            .load(tx.conn)?;
        if found.len() > FEW {
            return Ok(None);
        }
        carriers.extend(found);
    }
    Ok(Some(carriers))
}
