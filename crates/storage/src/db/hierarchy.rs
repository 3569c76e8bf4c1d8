//! The hierarchy of namespaces, as subqueries on its closure, in which each namespace stands above and below itself.

use diesel::prelude::*;

use crate::schema::{namespace_closure, projects};

/// The ids of a namespace and of all below it.
#[diesel::dsl::auto_type(no_type_alias)]
pub(crate) fn descendants(namespace: i64) -> _ {
    namespace_closure::table
        .filter(namespace_closure::ancestor_id.eq(namespace))
        .select(namespace_closure::descendant_id)
}

/// The ids of a namespace and of all above it.
#[diesel::dsl::auto_type(no_type_alias)]
pub(crate) fn ancestors(namespace: i64) -> _ {
    namespace_closure::table
        .filter(namespace_closure::descendant_id.eq(namespace))
        .select(namespace_closure::ancestor_id)
}

/// The ids of all namespaces that a project lies in, as the nullable column of a label or milestone.
#[diesel::dsl::auto_type(no_type_alias)]
pub(crate) fn ancestors_of_project(project: i64) -> _ {
    namespace_closure::table
        .inner_join(projects::table.on(projects::namespace_id.eq(namespace_closure::descendant_id)))
        .filter(projects::id.eq(project))
        .select(namespace_closure::ancestor_id.nullable())
}

/// The ids of the projects in a namespace and in all below it, as the nullable column of a label or milestone.
#[diesel::dsl::auto_type(no_type_alias)]
pub(crate) fn projects_within(namespace: i64) -> _ {
    namespace_closure::table
        .inner_join(projects::table.on(projects::namespace_id.eq(namespace_closure::descendant_id)))
        .filter(namespace_closure::ancestor_id.eq(namespace))
        .select(projects::id.nullable())
}

// The closure a second time, for a query that has it already.
diesel::alias!(
    pub(crate) const ABOVE: Alias<Above> = crate::schema::namespace_closure as above;
);

/// As [`ancestors`], as the nullable column of a membership or share.
macro_rules! above {
    ($namespace:expr) => {
        $crate::db::hierarchy::ABOVE
            .filter($crate::db::hierarchy::ABOVE.field($crate::schema::namespace_closure::descendant_id).eq($namespace))
            .select($crate::db::hierarchy::ABOVE.field($crate::schema::namespace_closure::ancestor_id).nullable())
    };
}
pub(crate) use above;
