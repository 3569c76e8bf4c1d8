//! Searching everywhere, in a group or in a project.

mod count;
mod show;

use tenon_app::identity::Guard;

use crate::table::site::SiteTable;

pub(crate) fn routes(table: &mut SiteTable) {
    table.get("/search", Guard::Anyone, show::show);
    table.get("/search/count", Guard::Anyone, count::show);
}
