//! Labels, and which of them a project or group may use.

use std::collections::HashMap;

use diesel::prelude::*;
use tenon_domain::container::Container;
use tenon_domain::id::{LabelId, ProjectId};
use tenon_domain::label::Label;

use super::container::container;
use crate::db::connection::Backend;
use crate::db::expressions::{in_subquery, in_texts};
use crate::db::hierarchy::{ancestors, ancestors_of_project};
use crate::db::tx::ReadTx;
use crate::error::{StoreError, StoreResult};
use crate::schema::{labels, namespace_closure};

#[derive(Queryable, Selectable)]
#[diesel(table_name = labels)]
pub(crate) struct LabelRow {
    id: i64,
    project_id: Option<i64>,
    namespace_id: Option<i64>,
    name: String,
    color: String,
    description: Option<String>,
    archived: bool,
}

impl TryFrom<LabelRow> for Label {
    type Error = StoreError;

    fn try_from(row: LabelRow) -> StoreResult<Self> {
        Ok(Self {
            id: LabelId::new(row.id),
            container: container("labels", row.id, row.project_id, row.namespace_id)?,
            name: row.name,
            color: row.color,
            description: row.description,
            archived: row.archived,
        })
    }
}

/// Whose labels a list has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabelSet {
    /// The project or group.
    pub container: Container,
    /// True if those of the groups above count as well.
    pub with_ancestors: bool,
}

impl LabelSet {
    /// The labels that can be used in a project: its own, and those of all groups above it.
    #[must_use]
    pub const fn usable_in(project: ProjectId) -> Self {
        Self { container: Container::Project(project), with_ancestors: true }
    }
}

pub(crate) type Query<'a> = labels::BoxedQuery<'a, Backend>;

/// The labels of `set`.
pub(crate) fn within<'a>(set: LabelSet) -> Query<'a> {
    let query = labels::table.into_boxed::<Backend>();
    match (set.container, set.with_ancestors) {
        (Container::Project(id), true) => query.filter(
            labels::project_id.eq(id.get()).or(in_subquery(labels::namespace_id, ancestors_of_project(id.get()))),
        ),
        (Container::Project(id), false) => query.filter(labels::project_id.eq(id.get())),
        (Container::Group(id), true) => {
            let above = ancestors(id.get()).select(namespace_closure::ancestor_id.nullable());
            query.filter(in_subquery(labels::namespace_id, above))
        }
        (Container::Group(id), false) => query.filter(labels::namespace_id.eq(id.get())),
    }
}

/// As [`within`], in queries that each look into one index of container and name. In one query SQLite reads every label of
/// that name, of all owners: a millisecond for each new issue.
fn apart<'a>(set: LabelSet) -> Vec<Query<'a>> {
    match (set.container, set.with_ancestors) {
        (Container::Project(id), true) => {
            let of_groups = in_subquery(labels::namespace_id, ancestors_of_project(id.get()));
            vec![within(LabelSet { with_ancestors: false, ..set }), labels::table.filter(of_groups).into_boxed()]
        }
        (Container::Project(_), false) | (Container::Group(_), _) => vec![within(set)],
    }
}

/// Loads the labels of a query.
pub(crate) fn load(tx: &mut ReadTx<'_>, query: Query<'_>) -> StoreResult<Vec<Label>> {
    let rows: Vec<LabelRow> = query.select(LabelRow::as_select()).load(tx.conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// The labels of `set` with one of these names.
pub fn named(tx: &mut ReadTx<'_>, set: LabelSet, names: &[String]) -> StoreResult<Vec<Label>> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for query in apart(set) {
        found.append(&mut load(tx, query.filter(in_texts(labels::name, names)))?);
    }
    found.sort_unstable_by_key(|label| label.id);
    Ok(found)
}

/// For each of these names, the ids of the labels of that name that can be used in a project.
pub(crate) fn ids_named(tx: &mut ReadTx<'_>, project: ProjectId, names: &[String]) -> StoreResult<Vec<Vec<i64>>> {
    let mut found: HashMap<String, Vec<i64>> = HashMap::new();
    for label in named(tx, LabelSet::usable_in(project), names)? {
        found.entry(label.name).or_default().push(label.id.get());
    }
    Ok(names.iter().map(|name| found.remove(name).unwrap_or_default()).collect())
}
