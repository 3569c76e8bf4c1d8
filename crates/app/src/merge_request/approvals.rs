//! The approvals of merge requests, as they count now: for one as for a list of them, in a constant number of
//! statements.

use std::collections::{HashMap, HashSet};

use tenon_domain::access::AccessLevel;
use tenon_domain::id::{IssuableId, NamespaceId, ProjectId, UserId};
use tenon_domain::issuable::{Issuable, State};
use tenon_domain::merge_request::{ApprovalRule, Approvals, Version};
use tenon_storage::{access, approval_rule, merge_request, user};

use super::code_owners::Owned;
use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::policy::issuable::AuthorizedIssuable;
use crate::shared::issuable::system_notes;

/// The approvals of each of these.
fn of_all(query: &mut Query<'_>, found: &[Issuable]) -> Result<HashMap<IssuableId, Approvals>, AppError> {
    let today = query.today();
    let ids: Vec<IssuableId> = found.iter().map(|of| of.id).collect();
    let mut projects: Vec<ProjectId> = found.iter().map(|of| of.project).collect();
    projects.sort_unstable();
    projects.dedup();
    let rules = approval_rule::of_projects(&mut query.tx, &projects)?;
    let owned = Owned::load(query, found, &projects)?;
    let mut given = merge_request::verdicts(&mut query.tx, &ids)?;
    let mut people: Vec<UserId> = given.values().flatten().map(|given| given.by).collect();
    people.sort_unstable();
    people.dedup();
    let reviewers = people.clone();
    people.extend(owned.people());
    people.sort_unstable();
    people.dedup();
    let rules_of = |of: &Issuable, may: &dyn Fn(UserId) -> bool| {
        let own = rules.get(&of.project).cloned().unwrap_or_default();
        own.into_iter().chain(owned.rules(of, may)).collect::<Vec<ApprovalRule>>()
    };
    if people.is_empty() {
        let without = |of: &Issuable| (of.id, Approvals::new(rules_of(of, &|_| false), Vec::new(), |_, _| false));
        return Ok(found.iter().map(without).collect());
    }
    let settings = approval_rule::settings(&mut query.tx, &projects)?;
    let accounts = user::by_ids(&mut query.tx, &people)?;
    let levels = access::levels_in_projects(&mut query.tx, &people, &projects, today)?;
    let groups = rules.values().flatten().flat_map(|rule| rule.groups.iter().copied());
    let groups: Vec<NamespaceId> = groups.chain(owned.groups()).collect();
    let members = approval_rule::members_of_groups(&mut query.tx, &groups, &reviewers, today)?;
    let counts = |of: &Issuable, by: UserId| {
        let Some(account) = accounts.get(&by).filter(|account| account.may_act()) else { return false };
        let level = levels.get(&(of.project, by)).copied();
        let author_may = settings.get(&of.project).copied().unwrap_or_default().author_may_approve;
        (account.admin || level >= Some(AccessLevel::Developer)) && (of.author != by || author_may)
    };
    let mut approvals = |of: &Issuable| {
        let mut given = given.remove(&of.id).unwrap_or_default();
        given.retain(|given| counts(of, given.by));
        let is_in = |user: UserId, groups: &[NamespaceId]| groups.iter().any(|group| members.contains(&(*group, user)));
        (of.id, Approvals::new(rules_of(of, &|user| counts(of, user)), given, is_in))
    };
    Ok(found.iter().map(&mut approvals).collect())
}

/// Those of these that are open and lack an approval that the rules of their projects, or their code owners, require. One statement, if no rule
/// requires any.
pub(super) fn lacking(query: &mut Query<'_>, found: &[Issuable]) -> Result<HashSet<IssuableId>, AppError> {
    let projects: Vec<ProjectId> = found.iter().map(|of| of.project).collect();
    let strict = approval_rule::requiring(&mut query.tx, &projects)?;
    let is_asked = |of: &&Issuable| of.state == State::Opened && strict.contains(&of.project);
    let asked: Vec<Issuable> = found.iter().filter(is_asked).cloned().collect();
    if asked.is_empty() {
        return Ok(HashSet::new());
    }
    let approvals = of_all(query, &asked)?;
    Ok(approvals.into_iter().filter(|(_, approvals)| !approvals.is_approved()).map(|(id, _)| id).collect())
}

/// The approvals of one.
pub(super) fn of_one(query: &mut Query<'_>, of: &Issuable) -> Result<Approvals, AppError> {
    Ok(of_all(query, std::slice::from_ref(of))?.remove(&of.id).unwrap_or_default())
}

/// Takes the approvals away, if the project says so and the merge request brings another patch than before. `known` is
/// its newest version until now.
pub(super) fn reset(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    known: Option<&Version>,
    patch_id: Option<&str>,
) -> Result<(), AppError> {
    let is_same = known.is_some_and(|version| version.patch_id.is_some() && version.patch_id.as_deref() == patch_id);
    let (id, project) = (found.issuable.id, found.home.project.id);
    let settings = approval_rule::settings(&mut command.tx, &[project])?;
    let resets = settings.get(&project).copied().unwrap_or_default().reset_on_push;
    if is_same || !resets || merge_request::delete_approvals(&mut command.tx, id)? == 0 {
        return Ok(());
    }
    let Some(by) = command.actor() else { return Ok(()) };
    system_notes::write(command, id, by, "reset approvals by pushing to the branch".to_owned(), None)
}
