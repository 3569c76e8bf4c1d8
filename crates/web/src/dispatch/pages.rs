//! The page of each path.

use std::sync::Arc;

use super::{group, namespace_path};
use crate::all_pages;
use crate::table::page_table::{Page, RouteError, Segments};
use crate::table::project::ProjectTable;
use crate::table::site::{SiteAction, SiteTable};

pub(crate) struct Dispatch {
    site: SiteTable,
    projects: Arc<ProjectTable>,
    /// The page that answers the paths that are not in the table of the site: those of projects, groups and users.
    namespaces: Page<SiteAction>,
}

impl Dispatch {
    pub(crate) fn new() -> Result<Self, RouteError> {
        let projects = Arc::new(all_pages::projects().finish()?);
        let groups = Arc::new(all_pages::groups().finish()?);
        let mut site = all_pages::site();
        group::routes(&mut site, &groups);
        Ok(Self { site: site.finish()?, namespaces: namespace_path::page(projects.clone()), projects })
    }

    /// The page of a path, and the segments that its pattern names. `reads` says that the request changes nothing.
    /// Other requests are answered only if something can be changed at the path.
    pub(crate) fn find(&self, path: &str, reads: bool) -> Option<(&Page<SiteAction>, Segments)> {
        let other =
            || (reads || namespace_path::may_write_at(&self.projects, path)).then(|| (&self.namespaces, Vec::new()));
        self.site.find(path).or_else(other)
    }
}
