//! Lists of accounts.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use diesel::dsl::{exists, not};
use diesel::prelude::*;
use tenon_domain::id::{NamespaceId, ProjectId, UserId};
use tenon_domain::keyset::{Cursor, Key, KeyKind, KeyedOrder, Keyset, KeysetPage};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::path;
use tenon_domain::search::Search;
use tenon_domain::time::Timestamp;
use tenon_domain::user::{User, UserState};

use crate::db::connection::Backend;
use crate::db::expressions::in_subquery;
use crate::db::hierarchy::above;
use crate::db::keyset::after_cursor;
use crate::db::paging::page;
use crate::db::predicate::{Condition, matches, tested, with_attributes};
use crate::db::row::{inclusive, naive};
use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::rows::user::UserRow;
use crate::schema::{
    custom_attributes, emails, identities, members, namespace_closure, namespaces, passkeys, projects, sessions,
    ssh_keys, tokens, two_factors, users,
};

/// Which users a list has. The default is all users.
#[derive(Debug, Clone, Default)]
pub struct UserFilter {
    /// Name, user name or the whole e-mail address.
    pub search: Option<Search>,
    /// The search as one address: matches `public_email`, and `email` if `search_private_email`.
    pub search_email: Option<String>,
    /// True if a search may match addresses that their owners do not publish.
    pub search_private_email: bool,
    /// Who searches: their own address may be matched.
    pub own: Option<UserId>,
    /// Exactly this user name, whatever the case.
    pub username: Option<String>,
    /// Active ones only, and none that belong to the server.
    pub active: bool,
    /// Blocked ones only.
    pub blocked: bool,
    /// None that are active.
    pub inactive: bool,
    /// Administrators only.
    pub admins: bool,
    /// Only accounts of people.
    pub humans: bool,
    /// None that belong to the server.
    pub no_internal: bool,
    /// No bots.
    pub no_bots: bool,
    /// None that are accounts of people.
    pub no_humans: bool,
    /// Exactly this public address.
    pub public_email: Option<String>,
    /// Only users who are in no project: neither as members nor through a group, and with none of their own.
    pub without_projects: bool,
    /// Those only that wait for approval, or none of them.
    pub pending: Option<bool>,
    /// External ones only, or none of them.
    pub external: Option<bool>,
    /// Account at a provider: provider, then id there.
    pub identity: Option<(String, String)>,
    /// Made then or later.
    pub created_after: Option<Timestamp>,
    /// Made then or earlier.
    pub created_before: Option<Timestamp>,
    /// With two-factor authentication or without.
    pub two_factor: Option<bool>,
    /// All these custom attributes.
    pub custom_attributes: BTreeMap<String, String>,
}

/// The order of a list of users; ties go by id.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UserOrder {
    /// Id.
    #[default]
    Id,
    /// Display name.
    Name,
    /// User name.
    Username,
    /// Date of creation.
    CreatedAt,
    /// Date of the last change.
    UpdatedAt,
}

impl UserOrder {
    /// The orders that [`UserOrder::keyed`] has.
    pub const KEYED: &'static str = "id";

    /// The order for [`walk`]; `None` if no index has it.
    #[must_use]
    pub const fn keyed(self) -> Option<KeyedOrder> {
        match self {
            Self::Id => Some(KeyedOrder { name: "id", kind: KeyKind::Id }),
            Self::Name | Self::Username | Self::CreatedAt | Self::UpdatedAt => None,
        }
    }
}

type Query<'a> = users::BoxedQuery<'a, Backend>;

fn filtered(filter: &UserFilter) -> Query<'_> {
    let mut query = users::table.filter(users::deleting_at.is_null()).into_boxed::<Backend>();
    if let Some(username) = &filter.username {
        query = query.filter(users::username_key.eq(path::key(username)));
    }
    if let Some(condition) = searched(filter) {
        query = query.filter(condition);
    }
    if filter.active {
        query = query.filter(users::state.eq("active").and(users::ghost.eq(false)));
    }
    if filter.blocked {
        query = query.filter(users::state.eq("blocked"));
    }
    if filter.inactive {
        query = query.filter(users::state.ne("active"));
    }
    if filter.admins {
        query = query.filter(users::admin.eq(true));
    }
    if filter.humans || filter.no_internal {
        query = query.filter(users::ghost.eq(false));
    }
    if filter.humans || filter.no_bots {
        query = query.filter(users::bot.eq(false));
    }
    if filter.no_humans {
        query = query.filter(users::ghost.eq(true).or(users::bot.eq(true)));
    }
    if let Some(email) = &filter.public_email {
        query = query.filter(users::public_email.eq(email));
    }
    if filter.without_projects {
        query = without_projects(query);
    }
    query = match filter.pending {
        Some(true) => query.filter(users::state.eq(UserState::Pending.as_str())),
        Some(false) => query.filter(users::state.ne(UserState::Pending.as_str())),
        None => query,
    };
    if let Some(external) = filter.external {
        query = query.filter(users::external.eq(external));
    }
    if let Some((provider, uid)) = &filter.identity {
        let holders = identities::table
            .filter(identities::provider.eq(provider))
            .filter(identities::extern_uid_key.eq(path::key(uid)))
            .select(identities::user_id);
        query = query.filter(users::id.eq_any(holders));
    }
    if let Some(after) = filter.created_after {
        query = query.filter(users::created_at.ge(naive(after)));
    }
    if let Some(before) = filter.created_before {
        query = query.filter(users::created_at.le(inclusive(before)));
    }
    if let Some(wanted) = filter.two_factor {
        let codes =
            two_factors::table.filter(two_factors::user_id.eq(users::id)).filter(two_factors::enabled_at.is_not_null());
        let keys = passkeys::table.filter(passkeys::user_id.eq(users::id));
        query = if wanted {
            query.filter(exists(codes).or(exists(keys)))
        } else {
            query.filter(not(exists(codes))).filter(not(exists(keys)))
        };
    }
    with_attributes!(query, users::id, custom_attributes::user_id, &filter.custom_attributes);
    query
}

/// Only users who are in no project. Each is looked up among members and owners: as `<> ALL` of all members, PostgreSQL would
/// compare every user with every one of them.
fn without_projects(query: Query<'_>) -> Query<'_> {
    let of_user = || members::table.filter(members::user_id.eq(users::id));
    let direct = of_user().filter(members::project_id.is_not_null());
    let filled = namespace_closure::table
        .inner_join(projects::table.on(projects::namespace_id.eq(namespace_closure::descendant_id)))
        .select(namespace_closure::ancestor_id.nullable());
    let through_groups = of_user().filter(members::namespace_id.eq_any(filled));
    let own = namespaces::table
        .inner_join(projects::table.on(projects::namespace_id.eq(namespaces::id)))
        .filter(namespaces::owner_id.eq(users::id.nullable()));
    query.filter(not(exists(direct))).filter(not(exists(through_groups))).filter(not(exists(own)))
}

fn searched(filter: &UserFilter) -> Option<Condition<users::table>> {
    let search = filter.search.as_ref()?;
    let text = matches(search, &[tested!(users::name), tested!(users::username)])?;
    let Some(email) = &filter.search_email else { return Some(text) };
    let public: Condition<users::table> = Box::new(text.or(users::public_email.eq(email.clone())));
    let secondary = emails::table.filter(emails::email.eq(email.clone())).filter(emails::confirmed_at.is_not_null());
    let private = users::email.eq(email.clone()).or(users::id.eq_any(secondary.select(emails::user_id)));
    Some(match (filter.search_private_email, filter.own) {
        (true, _) => Box::new(public.or(private)),
        (false, Some(own)) => Box::new(public.or(private.and(users::id.eq(own.get())))),
        (false, None) => public,
    })
}

/// One page of the users that match.
pub fn list(
    tx: &mut ReadTx<'_>,
    filter: &UserFilter,
    order: UserOrder,
    descending: bool,
    request: PageRequest,
) -> StoreResult<Page<User>> {
    let total = filtered(filter).count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let query = filtered(filter);
        let query = match (order, descending) {
            (UserOrder::Id, true) => query.order(users::id.desc()),
            (UserOrder::Id, false) => query.order(users::id.asc()),
            (UserOrder::Name, true) => query.order((users::name.desc(), users::id.desc())),
            (UserOrder::Name, false) => query.order((users::name.asc(), users::id.asc())),
            (UserOrder::Username, true) => query.order(users::username_key.desc()),
            (UserOrder::Username, false) => query.order(users::username_key.asc()),
            (UserOrder::CreatedAt, true) => query.order((users::created_at.desc(), users::id.desc())),
            (UserOrder::CreatedAt, false) => query.order((users::created_at.asc(), users::id.asc())),
            (UserOrder::UpdatedAt, true) => query.order((users::updated_at.desc(), users::id.desc())),
            (UserOrder::UpdatedAt, false) => query.order((users::updated_at.asc(), users::id.asc())),
        };
        load(tx, query.limit(limit).offset(offset))
    })
}

/// The part of the users that match which `keyset` asks for, by id.
pub fn walk(tx: &mut ReadTx<'_>, filter: &UserFilter, keyset: &Keyset) -> StoreResult<KeysetPage<User>> {
    let mut query = filtered(filter);
    query = if keyset.descending { query.order(users::id.desc()) } else { query.order(users::id.asc()) };
    if let Some(cursor) = &keyset.after {
        query = query.filter(after_cursor(users::id, users::id, cursor, keyset.descending));
    }
    let found = load(tx, query.limit(keyset.per_page + 1))?;
    Ok(KeysetPage::cut(found, keyset, |last| Cursor { key: Key::Id, id: last.id.get() }))
}

fn load(tx: &mut ReadTx<'_>, query: Query<'_>) -> StoreResult<Vec<User>> {
    let rows: Vec<UserRow> = query.select(UserRow::as_select()).load(tx.conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// User names with the day of their last activity, from `from` on, oldest first.
pub fn activities(
    tx: &mut ReadTx<'_>,
    from: NaiveDate,
    request: PageRequest,
) -> StoreResult<Page<(String, NaiveDate)>> {
    let active = || users::table.filter(users::deleting_at.is_null()).filter(users::last_activity_on.ge(from));
    let total = active().count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        Ok(active()
            .order((users::last_activity_on.asc(), users::id.asc()))
            .select((users::username, users::last_activity_on.assume_not_null()))
            .limit(limit)
            .offset(offset)
            .load(tx.conn)?)
    })
}

/// Some active users, neither administrators nor internal, who were there before `since` and have done nothing from then on: no
/// session, token, key or passkey of theirs was used.
pub fn dormant(tx: &mut ReadTx<'_>, since: Timestamp, limit: i64) -> StoreResult<Vec<User>> {
    let (moment, day) = (naive(since), since.date_naive());
    macro_rules! used {
        ($table:ident) => {
            exists($table::table.filter($table::user_id.eq(users::id)).filter($table::last_used_at.ge(moment)))
        };
    }
    let query = idle(since)
        .filter(users::state.eq(UserState::Active.as_str()))
        // An account that was activated again has its time from then on.
        .filter(users::updated_at.lt(moment))
        .filter(users::last_activity_on.is_null().or(users::last_activity_on.lt(day)))
        .filter(users::current_sign_in_at.is_null().or(users::current_sign_in_at.lt(moment)))
        .filter(not(used!(sessions)).and(not(used!(tokens))))
        .filter(not(used!(ssh_keys)).and(not(used!(passkeys))));
    load(tx, query.limit(limit))
}

/// Some users, neither administrators nor internal, who were there before `since`, have not confirmed their address and have
/// never signed in.
pub fn unconfirmed(tx: &mut ReadTx<'_>, since: Timestamp, limit: i64) -> StoreResult<Vec<User>> {
    let query = idle(since)
        .filter(users::confirmed_at.is_null())
        .filter(users::current_sign_in_at.is_null().and(users::last_activity_on.is_null()))
        .filter(not(exists(
            tokens::table.filter(tokens::user_id.eq(users::id)).filter(tokens::last_used_at.is_not_null()),
        )));
    load(tx, query.limit(limit))
}

/// The users, neither administrators nor internal nor bots, who were there before `since`, by id.
fn idle(since: Timestamp) -> Query<'static> {
    users::table
        .filter(users::deleting_at.is_null())
        .filter(users::ghost.eq(false).and(users::bot.eq(false)).and(users::admin.eq(false)))
        .filter(users::created_at.lt(naive(since)))
        .order(users::id.asc())
        .into_boxed()
}

/// Every user with an effective membership in a project, or in the group `namespace` if there is no project: direct, through
/// the groups above, or through shares with `invited` groups; by id.
pub fn members_of(
    tx: &mut ReadTx<'_>,
    project: Option<ProjectId>,
    namespace: NamespaceId,
    invited: &[NamespaceId],
    filter: &UserFilter,
    today: NaiveDate,
    request: PageRequest,
) -> StoreResult<Page<User>> {
    let (project, namespace) = (project.map(ProjectId::get), namespace.get());
    let belonging = || {
        let guests = namespace_closure::table
            .filter(namespace_closure::descendant_id.eq_any(invited.iter().map(|id| id.get())))
            .select(namespace_closure::ancestor_id.nullable());
        let current = members::table
            .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
            .filter(
                members::project_id
                    .eq(project)
                    .or(in_subquery(members::namespace_id, above!(namespace)))
                    .or(in_subquery(members::namespace_id, guests)),
            )
            .select(members::user_id);
        let owner = namespaces::table
            .filter(namespaces::id.eq(namespace))
            .filter(namespaces::owner_id.is_not_null())
            .select(namespaces::owner_id.assume_not_null());
        filtered(filter).filter(users::id.eq_any(current).or(users::id.eq_any(owner)))
    };
    let total = belonging().count().get_result(tx.conn)?;
    page(request, total, |limit, offset| load(tx, belonging().order(users::id.asc()).limit(limit).offset(offset)))
}
