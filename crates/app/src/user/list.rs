//! Lists of accounts.

use std::collections::BTreeMap;

use tenon_domain::access::Viewer;
use tenon_domain::keyset::{KeysetPage, KeysetRequest, Listing};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::refusal::UserRefusal;
use tenon_domain::search::Search;
use tenon_domain::time::Timestamp;
use tenon_domain::user::normalise_email;
use tenon_domain::visibility::Visibility;
use tenon_storage::user::{self, UserFilter, UserOrder};

use super::view::{UserView, views};
use crate::core::app::Query;
use crate::core::error::AppError;

/// A request for accounts.
#[derive(Debug, Clone, Default)]
pub struct ListUsers {
    /// Name, user name or a whole address.
    pub search: Option<String>,
    /// Exactly this user name.
    pub username: Option<String>,
    /// Active ones only, and none that belong to the server.
    pub active: bool,
    /// Blocked ones only.
    pub blocked: bool,
    /// Those only that wait for approval; administrators only.
    pub pending: bool,
    /// None that are active.
    pub exclude_active: bool,
    /// None that are external.
    pub exclude_external: bool,
    /// Only accounts of people.
    pub humans: bool,
    /// None that belong to the server.
    pub exclude_internal: bool,
    /// No bots.
    pub exclude_bots: bool,
    /// No accounts of people.
    pub exclude_humans: bool,
    /// Exactly this public address.
    pub public_email: Option<String>,
    /// Administrators only; asked by administrators only.
    pub admins: bool,
    /// Only users who are in no project; administrators only.
    pub without_projects: bool,
    /// External ones only; administrators only.
    pub external: bool,
    /// Account at a provider: provider, then id there; administrators only.
    pub identity: Option<(String, String)>,
    /// Made then or later; administrators only.
    pub created_after: Option<Timestamp>,
    /// Made then or earlier; administrators only.
    pub created_before: Option<Timestamp>,
    /// With two-factor authentication or without; administrators only.
    pub two_factor: Option<bool>,
    /// All these custom attributes; administrators only.
    pub custom_attributes: BTreeMap<String, String>,
    /// With custom attributes; administrators only.
    pub with_custom_attributes: bool,
    /// Order; administrators only.
    pub order_by: UserOrder,
    /// Rising instead of falling; administrators only.
    pub ascending: bool,
    /// Which page.
    pub page: PageRequest,
}

/// Accounts. Anonymous callers get no list: they must give a user name.
pub fn list(query: &mut Query<'_>, request: ListUsers) -> Result<Page<UserView>, AppError> {
    let (page, attributes) = (request.page, request.with_custom_attributes);
    let (filter, order, descending) = wanted(query, request)?;
    let found = user::list(&mut query.tx, &filter, order, descending, page)?;
    let items = views(query, found.items, attributes)?;
    Ok(Page { items, total: found.total, request: found.request })
}

/// Accounts, as [`list`] has them: the page that `request` names, or the part that `keyset` asks for. An order that no index
/// has, and a token of another list, are refused.
pub fn find(
    query: &mut Query<'_>,
    request: ListUsers,
    keyset: Option<&KeysetRequest>,
) -> Result<Listing<UserView>, AppError> {
    let Some(keyset) = keyset else { return list(query, request).map(Listing::Page) };
    let attributes = request.with_custom_attributes;
    let (filter, order, descending) = wanted(query, request)?;
    let keyset = keyset.of(order.keyed(), descending, UserOrder::KEYED)?;
    let found = user::walk(&mut query.tx, &filter, &keyset)?;
    let items = views(query, found.items, attributes)?;
    Ok(Listing::KeysetPage(KeysetPage { items, next: found.next }))
}

/// The accounts that a caller may ask for, their order, and whether it falls.
fn wanted(query: &mut Query<'_>, request: ListUsers) -> Result<(UserFilter, UserOrder, bool), AppError> {
    check_caller(query, &request)?;
    let admin = query.is_admin();
    let mut filter = UserFilter {
        search: request.search.as_deref().and_then(Search::parse),
        search_email: request.search.as_deref().map(normalise_email),
        search_private_email: admin,
        own: query.viewer().user(),
        username: request.username,
        active: request.active,
        blocked: request.blocked,
        inactive: request.exclude_active,
        external: request.exclude_external.then_some(false),
        humans: request.humans,
        no_humans: request.exclude_humans,
        no_internal: request.exclude_internal,
        no_bots: request.exclude_bots,
        public_email: request.public_email,
        ..UserFilter::default()
    };
    let (mut order, mut descending) = (UserOrder::default(), true);
    if admin {
        filter.pending = request.pending.then_some(true);
        filter.admins = request.admins;
        filter.without_projects = request.without_projects;
        filter.external = request.external.then_some(true).or(filter.external);
        filter.identity = request.identity;
        filter.created_after = request.created_after;
        filter.created_before = request.created_before;
        filter.two_factor = request.two_factor;
        filter.custom_attributes = request.custom_attributes;
        (order, descending) = (request.order_by, !request.ascending);
    } else {
        filter.pending = Some(false);
        // The list hides external users from other users; a known name may be asked for.
        filter.external = filter.username.is_none().then_some(false).or(filter.external);
    }
    Ok((filter, order, descending))
}

fn check_caller(query: &mut Query<'_>, request: &ListUsers) -> Result<(), AppError> {
    let for_admins = request.external || request.identity.is_some();
    match query.viewer() {
        Viewer::Anonymous => {
            if for_admins {
                return Err(AppError::Unauthenticated);
            }
            let restricted = query.settings()?.restricts(Visibility::Public);
            if request.username.is_none() || restricted {
                return Err(UserRefusal::Hidden.into());
            }
            Ok(())
        }
        Viewer::User { admin: false, .. } if for_admins => Err(AppError::Forbidden),
        Viewer::User { .. } => Ok(()),
    }
}
