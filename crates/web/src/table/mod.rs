//! Tables of pages: which handler answers a method at a path. There is one for the site, one for pages below a project,
//! and one for pages below a group.

pub(crate) mod group;
pub(crate) mod page_table;
pub(crate) mod project;
pub(crate) mod site;
