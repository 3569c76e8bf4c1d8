//! Changing files with forms: a new file, another text or name, a deletion, files that are uploaded. Each is one commit, on
//! the branch or on a new one, in the project or in the caller's fork of it.

mod change;
mod form;
mod home;
mod save;
mod template;
mod upload;
mod values;

use crate::table::project::ProjectTable;

pub(super) fn routes(table: &mut ProjectTable) {
    table.delete("/blob/{*file}", change::delete);
    table.get("/edit/{*file}", change::edit);
    table.put("/edit/{*file}", change::update);
    table.get("/new/{*file}", change::new);
    table.post("/create/{*file}", change::create);
}
