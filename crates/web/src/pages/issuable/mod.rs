//! What is done with both issues and merge requests: saying something, reacting, subscribing.

mod button;
mod by_id;
pub(crate) mod note;

use crate::table::project::ProjectTable;

pub(crate) fn routes(table: &mut ProjectTable) {
    note::routes(table);
    by_id::routes(table);
    button::routes(table);
}
