//! The pages of issues.

mod change;
pub(crate) mod list;
pub(crate) mod show;

use crate::issuable;
use crate::project::Table;

pub(crate) fn routes(table: &mut Table) {
    table.page("/issues", list::read, list::show);
    table.post("/issues", change::create);
    table.page("/issues/new", change::read_new, change::new);
    table.page("/issues/{iid}", show::read, show::show);
    table.put("/issues/{iid}", change::update);
    table.page("/issues/{iid}/edit", change::read_edit, change::edit);
    table.post("/issues/{iid}/move", change::relocate);
    // What issues and merge requests have in common.
    issuable::note::routes(table);
    issuable::by_id::routes(table);
    issuable::change::routes(table);
}
