//! The pages of issues.

mod branch;
pub(crate) mod change;
mod list;
pub(crate) mod show;

use crate::table::project::ProjectTable;

pub(crate) fn routes(table: &mut ProjectTable) {
    table.page("/issues", list::read, list::show);
    table.post("/issues", change::create);
    table.page("/issues/new", change::read_new, change::new);
    table.page("/issues/{iid}", show::read, show::show);
    table.put("/issues/{iid}", change::update);
    table.page("/issues/{iid}/edit", change::read_edit, change::edit);
    table.post("/issues/{iid}/move", change::relocate);
    table.post("/issues/{iid}/branch", branch::start);
}
