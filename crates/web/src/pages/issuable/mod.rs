//! Actions on both issues and merge requests: comments, reactions, subscriptions.

mod button;
mod by_id;
pub(crate) mod note;

use crate::table::project::ProjectTable;

pub(crate) fn routes(table: &mut ProjectTable) {
    note::routes(table);
    by_id::routes(table);
    button::routes(table);
}
