//! The tables of all pages.

use crate::pages::project::{self, feed};
use crate::pages::{
    admin, dashboard, environment, explore, feature_flag, group, help, home, invitation, issuable, issue, label,
    merge_request, milestone, oauth, pipeline, profile, review, search, session, snippet, unsubscribe, user, user_list,
};
use crate::table::group::GroupTable;
use crate::table::project::ProjectTable;
use crate::table::site::SiteTable;

/// The pages that are not below a project or a group. The dispatch adds the paths of groups before it finishes the
/// table.
pub(crate) fn site() -> SiteTable {
    let mut table = SiteTable::default();
    home::routes(&mut table);
    admin::routes(&mut table);
    dashboard::routes(&mut table);
    explore::routes(&mut table);
    search::routes(&mut table);
    group::routes(&mut table);
    project::new::routes(&mut table);
    session::routes(&mut table);
    profile::routes(&mut table);
    oauth::routes(&mut table);
    invitation::routes(&mut table);
    unsubscribe::routes(&mut table);
    help::routes(&mut table);
    user::routes(&mut table);
    snippet::site(&mut table);
    table
}

pub(crate) fn projects() -> ProjectTable {
    let mut table = ProjectTable::default();
    project::routes(&mut table);
    issue::routes(&mut table);
    issuable::routes(&mut table);
    merge_request::routes(&mut table);
    review::routes(&mut table);
    pipeline::routes(&mut table);
    environment::routes(&mut table);
    feature_flag::routes(&mut table);
    user_list::routes(&mut table);
    feed::routes(&mut table);
    label::routes(&mut table);
    milestone::routes(&mut table);
    snippet::routes(&mut table);
    table
}

/// The pages of groups, behind `/-/`.
pub(crate) fn groups() -> GroupTable {
    let mut table = GroupTable::default();
    group::pages(&mut table);
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_pattern_is_there_twice() {
        let table = site().finish().unwrap();
        for (path, known) in
            [("/users/sign_in", true), ("/profile/keys/7", true), ("/profile/keys/7/8", false), ("/x", false)]
        {
            assert_eq!(table.find(path).is_some(), known, "{path}");
        }
        assert!(projects().finish().is_ok() && groups().finish().is_ok());
    }
}
