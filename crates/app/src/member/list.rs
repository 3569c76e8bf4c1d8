//! Who belongs.

use std::collections::{BTreeMap, HashMap, HashSet};

use tenon_domain::access::AccessLevel;
use tenon_domain::container::Container;
use tenon_domain::id::{NamespaceId, UserId};
use tenon_domain::member::Member;
use tenon_domain::namespace::Namespace;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::search::Search;
use tenon_domain::user::BasicUser;
use tenon_storage::{member, namespace, user};

use super::{Found, Purpose, find};
use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::policy::container::ContainerReference;
use crate::shared::views::shares::visible_invited;
use crate::shared::views::user_ref::UserRef;

/// A membership with its user.
#[derive(Debug, Clone)]
pub struct MemberView {
    /// The user.
    pub user: UserRef,
    /// The membership; in the list of all members, the one with the highest level.
    pub member: Member,
    /// The facts that only administrators are told.
    pub private: Option<MemberPrivate>,
}

/// The facts about a member that only administrators are told.
#[derive(Debug, Clone)]
pub struct MemberPrivate {
    /// The address of the account.
    pub email: String,
    /// Who has made the membership, if the account is still there.
    pub created_by: Option<UserRef>,
}

/// A request for members.
#[derive(Debug, Clone, Default)]
pub struct ListMembers {
    /// Part of a name or user name.
    pub query: Option<String>,
    /// Only these users, if any are named.
    pub user_ids: Vec<i64>,
    /// Not these users.
    pub skip_users: Vec<i64>,
    /// Which page.
    pub page: PageRequest,
}

/// The direct members, oldest first.
pub fn list(
    query: &mut Query<'_>,
    of: &ContainerReference,
    request: &ListMembers,
) -> Result<Page<MemberView>, AppError> {
    let found = find(query, of, Purpose::See)?;
    let today = query.today();
    let members = member::direct(&mut query.tx, found.container, today)?;
    page_of(query, members, request)
}

/// All members, directly, through a group above or through a share; each once, with the highest level.
pub fn effective(
    query: &mut Query<'_>,
    of: &ContainerReference,
    request: &ListMembers,
) -> Result<Page<MemberView>, AppError> {
    let found = find(query, of, Purpose::See)?;
    let members = highest(query, &found)?;
    page_of(query, members, request)
}

/// Members as their page shows them.
#[derive(Debug, Clone)]
pub struct MembersPage {
    /// The direct members, oldest first.
    pub direct: Page<MemberView>,
    /// Those who are members through other groups only, as many as the page shows.
    pub others: Page<MemberView>,
    /// The level below which a direct member may not be: that of a group above.
    pub least: HashMap<UserId, AccessLevel>,
    /// Whose membership stays as it is: the owner of a personal project, and the only owner of a group.
    pub fixed: HashSet<UserId>,
    /// The groups through which the others are members.
    pub origins: HashMap<NamespaceId, Namespace>,
}

/// The members of a project or group: direct ones page by page, and beside them the first of those through other groups.
pub fn page(
    query: &mut Query<'_>,
    of: &ContainerReference,
    search: Option<&str>,
    page: PageRequest,
) -> Result<MembersPage, AppError> {
    let found = find(query, of, Purpose::See)?;
    let today = query.today();
    let direct = member::direct(&mut query.tx, found.container, today)?;
    let own: HashSet<UserId> = direct.iter().map(|member| member.user).collect();
    let others = highest(query, &found)?.into_iter().filter(|member| !own.contains(&member.user)).collect();
    let above = member::effective(&mut query.tx, found.namespace, found.container.project(), today)?;
    let mut least: HashMap<UserId, AccessLevel> = HashMap::new();
    for member in above.into_iter().filter(|member| member.container != found.container) {
        let known = least.entry(member.user).or_insert(member.level);
        *known = member.level.max(*known);
    }
    let owners = direct.iter().filter(|member| member.level == AccessLevel::Owner && member.expires_at.is_none());
    let owners: Vec<UserId> = owners.map(|member| member.user).collect();
    let fixed = match (found.container, owners.as_slice()) {
        (Container::Project(_), _) => found.owner.into_iter().collect(),
        (Container::Group(_), [only]) => HashSet::from([*only]),
        (Container::Group(_), _) => HashSet::new(),
    };
    let asked = |page| ListMembers { query: search.map(str::to_owned), page, ..ListMembers::default() };
    let direct = page_of(query, direct, &asked(page))?;
    let others = page_of(query, others, &asked(PageRequest::new(None, Some(PageRequest::MAX_PER_PAGE))))?;
    let origins = origins(query, &others.items)?;
    Ok(MembersPage { direct, others, least, fixed, origins })
}

/// The groups that these memberships are in: those above the project or group, and those it is shared with, which the caller
/// was found to see.
fn origins(query: &mut Query<'_>, members: &[MemberView]) -> Result<HashMap<NamespaceId, Namespace>, AppError> {
    let groups: Vec<NamespaceId> = members
        .iter()
        .filter_map(|view| match view.member.container {
            Container::Group(id) => Some(id),
            Container::Project(_) => None,
        })
        .collect();
    Ok(namespace::by_ids(&mut query.tx, &groups)?)
}

/// One direct membership.
pub fn show(query: &mut Query<'_>, of: &ContainerReference, user: UserId) -> Result<MemberView, AppError> {
    let found = find(query, of, Purpose::See)?;
    let today = query.today();
    let members = member::direct(&mut query.tx, found.container, today)?;
    one(query, members, user)
}

/// The highest membership of one user.
pub fn effective_one(query: &mut Query<'_>, of: &ContainerReference, user: UserId) -> Result<MemberView, AppError> {
    let found = find(query, of, Purpose::See)?;
    let members = highest(query, &found)?;
    one(query, members, user)
}

fn one(query: &mut Query<'_>, members: Vec<Member>, user: UserId) -> Result<MemberView, AppError> {
    let member = members.into_iter().find(|member| member.user == user);
    let member = member.ok_or(AppError::NotFound(Missing::Record))?;
    view(query, member)
}

/// The view of one membership.
pub(super) fn view(query: &mut Query<'_>, member: Member) -> Result<MemberView, AppError> {
    views(query, vec![member])?.pop().ok_or(AppError::NotFound(Missing::Record))
}

fn highest(query: &mut Query<'_>, found: &Found) -> Result<Vec<Member>, AppError> {
    let project = found.container.project();
    let today = query.today();
    let mut all = member::effective(&mut query.tx, found.namespace, project, today)?;
    let groups = visible_invited(query, found.namespace, project)?;
    all.extend(member::through_shares(&mut query.tx, found.namespace, project, &groups, today)?);
    let mut by_user: BTreeMap<UserId, Member> = BTreeMap::new();
    for member in all {
        match by_user.get(&member.user) {
            Some(known) if known.level >= member.level => {}
            Some(_) | None => {
                by_user.insert(member.user, member);
            }
        }
    }
    Ok(by_user.into_values().collect())
}

/// Members are filtered and cut here, not in the database: a group has few, and the highest of several memberships is
/// known only after all were seen.
fn page_of(query: &mut Query<'_>, members: Vec<Member>, request: &ListMembers) -> Result<Page<MemberView>, AppError> {
    let chosen = |member: &Member| {
        let id = member.user.get();
        (request.user_ids.is_empty() || request.user_ids.contains(&id)) && !request.skip_users.contains(&id)
    };
    let members: Vec<Member> = members.into_iter().filter(chosen).collect();
    let members = match request.query.as_deref().and_then(Search::parse) {
        None => members,
        Some(search) => {
            let ids: Vec<UserId> = members.iter().map(|member| member.user).collect();
            let users = user::basics(&mut query.tx, &ids)?;
            let named = |member: &Member| users.get(&member.user).is_some_and(|user| is_named(user, &search));
            members.into_iter().filter(named).collect()
        }
    };
    let Page { items: slice, total, request } = Page::cut(members, request.page);
    Ok(Page { items: views(query, slice)?, total, request })
}

fn is_named(user: &BasicUser, search: &Search) -> bool {
    search.finds(&user.name.to_lowercase()) || search.finds(&user.username.to_lowercase())
}

fn views(query: &mut Query<'_>, members: Vec<Member>) -> Result<Vec<MemberView>, AppError> {
    let is_admin = query.is_admin();
    let ids: Vec<UserId> = members.iter().map(|member| member.user).collect();
    let emails = if is_admin { user::emails(&mut query.tx, &ids)? } else { HashMap::new() };
    let makers = members.iter().filter_map(|member| member.created_by).filter(|_| is_admin);
    let users = UserRef::of(query, ids.iter().copied().chain(makers).collect())?;
    let view = |member: Member| {
        let private = is_admin.then(|| MemberPrivate {
            email: emails.get(&member.user).cloned().unwrap_or_default(),
            created_by: member.created_by.and_then(|maker| users.get(&maker).cloned()),
        });
        Some(MemberView { user: users.get(&member.user)?.clone(), member, private })
    };
    Ok(members.into_iter().filter_map(view).collect())
}
