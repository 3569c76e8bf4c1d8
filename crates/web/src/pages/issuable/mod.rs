//! Actions on both issues and merge requests: comments, reactions, subscriptions.

mod bulk;
mod button;
mod by_id;
mod fact;
pub(crate) mod note;
mod task;

use crate::table::project::ProjectTable;

pub(crate) fn routes(table: &mut ProjectTable) {
    note::routes(table);
    by_id::routes(table);
    button::routes(table);
    fact::routes(table);
    task::routes(table);
    bulk::routes(table);
}
