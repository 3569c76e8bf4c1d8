//! How much of everything the server holds.

use diesel::prelude::*;
use tenon_domain::issuable::IssuableKind;
use tenon_domain::namespace::NamespaceKind;
use tenon_domain::user::UserState;

use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::schema::{issuables, milestones, namespaces, notes, projects, snippets, ssh_keys, users};

/// Counts over the whole server, without what is being deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Projects that were forked from another one.
    pub forks: i64,
    /// Issues.
    pub issues: i64,
    /// Merge requests.
    pub merge_requests: i64,
    /// Comments, and sentences of the server about changes.
    pub notes: i64,
    /// Snippets.
    pub snippets: i64,
    /// SSH keys of users.
    pub ssh_keys: i64,
    /// Milestones.
    pub milestones: i64,
    /// Users.
    pub users: i64,
    /// Groups.
    pub groups: i64,
    /// Projects.
    pub projects: i64,
    /// Users whose accounts may be used.
    pub active_users: i64,
}

/// Counts everything. It reads as many rows as there are.
pub fn count(tx: &mut ReadTx<'_>) -> StoreResult<Counts> {
    let projects = || projects::table.filter(projects::deleting_at.is_null()).count();
    let tracked = |kind: IssuableKind| {
        issuables::table.filter(issuables::kind.eq(kind.as_str())).filter(issuables::deleted_at.is_null()).count()
    };
    let people = || users::table.filter(diesel::dsl::not(users::ghost)).filter(diesel::dsl::not(users::bot));
    let users = || people().filter(users::deleting_at.is_null()).count();
    let groups = namespaces::table
        .filter(namespaces::kind.eq(NamespaceKind::Group.as_str()))
        .filter(namespaces::deleting_at.is_null());
    Ok(Counts {
        forks: projects().filter(projects::forked_from_id.is_not_null()).get_result(tx.conn)?,
        issues: tracked(IssuableKind::Issue).get_result(tx.conn)?,
        merge_requests: tracked(IssuableKind::MergeRequest).get_result(tx.conn)?,
        notes: notes::table.count().get_result(tx.conn)?,
        snippets: snippets::table.count().get_result(tx.conn)?,
        ssh_keys: ssh_keys::table.count().get_result(tx.conn)?,
        milestones: milestones::table.count().get_result(tx.conn)?,
        users: users().get_result(tx.conn)?,
        groups: groups.count().get_result(tx.conn)?,
        projects: projects().get_result(tx.conn)?,
        active_users: users().filter(users::state.eq(UserState::Active.as_str())).get_result(tx.conn)?,
    })
}
