//! The approvals of merge requests, as they count now: for one as for a list of them, in a constant number of
//! statements.

use std::collections::{HashMap, HashSet};

use tenon_domain::access::AccessLevel;
use tenon_domain::id::{IssuableId, NamespaceId, ProjectId, UserId};
use tenon_domain::issuable::{Issuable, State};
use tenon_domain::merge_request::{ApprovalRule, ApprovalSettings, Approvals, MergeRequest, Version};
use tenon_domain::user::User;
use tenon_storage::{access, approval_rule, merge_request, user};

use super::code_owners::Owned;
use super::owner_rules::{OwnerRules, Reviewers, Shown};
use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::policy::issuable::AuthorizedIssuable;
use crate::shared::issuable::system_notes;

/// The people whose approvals would count.
#[derive(Default)]
struct Approvers {
    settings: HashMap<ProjectId, ApprovalSettings>,
    accounts: HashMap<UserId, User>,
    levels: HashMap<(ProjectId, UserId), AccessLevel>,
}

impl Approvers {
    /// No statement without people.
    fn load(query: &mut Query<'_>, people: &[UserId], projects: &[ProjectId]) -> Result<Self, AppError> {
        if people.is_empty() {
            return Ok(Self::default());
        }
        let today = query.today();
        Ok(Self {
            settings: approval_rule::settings(&mut query.tx, projects)?,
            accounts: user::by_ids(&mut query.tx, people)?,
            levels: access::levels_in_projects(&mut query.tx, people, projects, today)?,
        })
    }

    /// True if a user may approve in a project, except what they have written.
    fn may(&self, project: ProjectId, by: UserId) -> bool {
        let Some(account) = self.accounts.get(&by).filter(|account| account.may_act()) else { return false };
        account.admin || self.levels.get(&(project, by)).copied() >= Some(AccessLevel::Developer)
    }

    /// The author, if their approval does not count.
    fn excluded_author(&self, of: &Issuable) -> Option<UserId> {
        let author_may = self.settings.get(&of.project).copied().unwrap_or_default().author_may_approve;
        (!author_may).then_some(of.author)
    }
}

/// The approvals of each of these.
fn of_all(query: &mut Query<'_>, found: &[Issuable], shown: Shown) -> Result<HashMap<IssuableId, Approvals>, AppError> {
    let ids: Vec<IssuableId> = found.iter().map(|of| of.id).collect();
    let mut projects: Vec<ProjectId> = found.iter().map(|of| of.project).collect();
    projects.sort_unstable();
    projects.dedup();
    let rules = approval_rule::of_projects(&mut query.tx, &projects)?;
    let owned = Owned::load(query, found, &projects)?;
    let own_numbers = merge_request::approvals_before_merge(&mut query.tx, &ids)?;
    let mut given = merge_request::verdicts(&mut query.tx, &ids)?;
    let mut reviewers: Vec<UserId> = given.values().flatten().map(|given| given.by).collect();
    reviewers.sort_unstable();
    reviewers.dedup();
    let mut people: Vec<UserId> = reviewers.iter().copied().chain(owned.people()).collect();
    people.sort_unstable();
    people.dedup();
    let approvers = Approvers::load(query, &people, &projects)?;
    let groups = rules.values().flatten().flat_map(|rule| rule.groups.iter().copied());
    let groups: Vec<NamespaceId> = groups.chain(owned.groups()).collect();
    let with_roles: &[ProjectId] = if owned.roles.is_empty() { &[] } else { &projects };
    let reviewers = Reviewers::load(query, &reviewers, &groups, with_roles)?;
    let owner_rules = OwnerRules::new(&owned, found, |project, user| approvers.may(project, user));
    let mut approvals = |of: &Issuable| {
        let author = approvers.excluded_author(of);
        let mut given = given.remove(&of.id).unwrap_or_default();
        given.retain(|given| approvers.may(of.project, given.by) && Some(given.by) != author);
        let mut own = rules.get(&of.project).cloned().unwrap_or_default();
        if let Some(required) = own_numbers.get(&of.id) {
            ApprovalRule::raise(&mut own, of.project, *required);
        }
        let mut approvals = Approvals::new(own, given, |user, groups| reviewers.is_in(user, groups));
        let owners = owner_rules.states(of, &approvals.approved, author, (&reviewers, shown));
        approvals.rules.extend(owners);
        (of.id, approvals)
    };
    Ok(found.iter().map(&mut approvals).collect())
}

/// Those of these that are open and lack an approval that they, the rules of their projects or their code owners require. One
/// statement, if none is required.
pub(super) fn lacking(
    query: &mut Query<'_>,
    found: &[Issuable],
    requests: &HashMap<IssuableId, MergeRequest>,
) -> Result<HashSet<IssuableId>, AppError> {
    let projects: Vec<ProjectId> = found.iter().map(|of| of.project).collect();
    let strict = approval_rule::requiring(&mut query.tx, &projects)?;
    let own_number = |of: &Issuable| requests.get(&of.id).and_then(|request| request.approvals_before_merge);
    let is_asked = |of: &&Issuable| {
        of.state == State::Opened && (strict.contains(&of.project) || own_number(of).is_some_and(|number| number > 0))
    };
    let asked: Vec<Issuable> = found.iter().filter(is_asked).cloned().collect();
    if asked.is_empty() {
        return Ok(HashSet::new());
    }
    let approvals = of_all(query, &asked, Shown::State)?;
    Ok(approvals.into_iter().filter(|(_, approvals)| !approvals.is_approved()).map(|(id, _)| id).collect())
}

/// The approvals of one.
pub(super) fn of_one(query: &mut Query<'_>, of: &Issuable) -> Result<Approvals, AppError> {
    Ok(of_all(query, std::slice::from_ref(of), Shown::Everything)?.remove(&of.id).unwrap_or_default())
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
