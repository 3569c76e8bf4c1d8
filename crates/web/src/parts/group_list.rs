//! Lists of groups.

use tenon_app::group::{GroupView, ListGroups};
use tenon_domain::page::Page;

use crate::kit::address::in_query;
use crate::kit::pagination::{Pagination, chosen};
use crate::kit::parameters::Parameters;
use crate::kit::words;

pub(crate) struct GroupRow {
    pub(crate) href: String,
    pub(crate) full_name: String,
    pub(crate) description: String,
    pub(crate) visibility: &'static str,
    pub(crate) visibility_icon: &'static str,
}

impl GroupRow {
    pub(crate) fn new(root: &str, view: GroupView) -> Self {
        let visibility = words::visibility(view.group.visibility());
        let visibility_icon = words::visibility_icon(view.group.visibility());
        let namespace = view.group.namespace;
        Self {
            visibility,
            visibility_icon,
            href: format!("{root}/groups/{}", namespace.full_path),
            full_name: namespace.full_name,
            description: view.group.description,
        }
    }
}

/// A page of a list of groups, and the text to which their names are narrowed.
pub(crate) struct GroupList {
    pub(crate) search: String,
    pub(crate) rows: Vec<GroupRow>,
    pub(crate) pages: Pagination,
}

impl GroupList {
    /// The request of an address, for all groups that the caller may see.
    pub(crate) fn request(asked: &Parameters) -> ListGroups {
        ListGroups {
            all_available: Some(true),
            search: asked.words("search"),
            page: chosen(asked),
            ..ListGroups::default()
        }
    }

    pub(crate) fn new(root: &str, asked: &Parameters, found: Page<GroupView>) -> Self {
        let search = asked.words("search").unwrap_or_default();
        let query = if search.is_empty() { String::new() } else { format!("search={}", in_query(&search)) };
        let pages = Pagination::of(&found).with_query(&query);
        Self { search, rows: found.items.into_iter().map(|view| GroupRow::new(root, view)).collect(), pages }
    }
}
