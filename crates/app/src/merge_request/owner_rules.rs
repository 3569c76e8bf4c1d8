//! The rules about approvals that the files of code owners make for merge requests, and their state.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use tenon_domain::access::AccessLevel;
use tenon_domain::id::{ApprovalRuleId, NamespaceId, ProjectId, UserId};
use tenon_domain::issuable::Issuable;
use tenon_domain::merge_request::{ApprovalRule, GivenVerdict, RuleKind, RuleState};
use tenon_domain::path;
use tenon_domain::repository::code_owners::{MAX_REQUIRED, Owner, OwnersRefusal, RequiredOwners};
use tenon_storage::approval_rule;

use super::code_owners::Owned;
use crate::core::app::Query;
use crate::core::error::AppError;

/// As many people as a rule can require, and an author whose approval does not count.
const ENOUGH: usize = 101;
const _: () = assert!(MAX_REQUIRED == 100, "`ENOUGH` is one more");
/// The most users of a rule, and as many groups, that an answer names.
const SHOWN_OF_RULE: usize = 100;
/// The most users and groups that an answer names for all rules of code owners.
const SHOWN: usize = 5_000;

/// The reviewers of some merge requests, as far as groups and roles are asked for.
#[derive(Default)]
pub(super) struct Reviewers {
    /// The groups among those that rules name whose direct members they are.
    groups: HashMap<UserId, HashSet<NamespaceId>>,
    /// Their roles as direct members of the projects.
    roles: HashMap<(ProjectId, UserId), AccessLevel>,
}

impl Reviewers {
    /// Two statements at most.
    pub(super) fn load(
        query: &mut Query<'_>,
        reviewers: &[UserId],
        groups: &[NamespaceId],
        projects_with_roles: &[ProjectId],
    ) -> Result<Self, AppError> {
        let today = query.today();
        let mut found = Self::default();
        for (group, user) in approval_rule::members_of_groups(&mut query.tx, groups, reviewers, today)? {
            found.groups.entry(user).or_default().insert(group);
        }
        found.roles = approval_rule::direct_levels(&mut query.tx, projects_with_roles, reviewers, today)?;
        Ok(found)
    }

    /// True if a user is a direct member of one of these groups.
    pub(super) fn is_in(&self, user: UserId, groups: &[NamespaceId]) -> bool {
        self.groups.get(&user).is_some_and(|own| groups.iter().any(|group| own.contains(group)))
    }
}

/// The owners of a line in a project, each kind sorted.
struct LineOwners {
    /// The users whom it names and who may approve.
    users: Vec<UserId>,
    /// Those whom it names only by addresses that the caller may not see.
    hidden: Vec<UserId>,
    groups: Vec<NamespaceId>,
    roles: Vec<AccessLevel>,
    /// The first members with these roles who may approve.
    of_roles: Vec<UserId>,
    /// All of them who may approve, or [`ENOUGH`] of them.
    eligible: Vec<UserId>,
    /// True if there are no others who may approve.
    are_all_known: bool,
}

impl LineOwners {
    /// True if a user is an owner in a way that the caller may know.
    fn shows(&self, project: ProjectId, user: UserId, reviewers: &Reviewers) -> bool {
        self.users.binary_search(&user).is_ok()
            || reviewers.is_in(user, &self.groups)
            || reviewers.roles.get(&(project, user)).is_some_and(|role| self.roles.contains(role))
    }

    /// How many approvals a line requires, if it asks for so many: no more than there are owners who may give one.
    fn required(&self, asked: i64, without: Option<UserId>) -> i64 {
        let is_out = without.is_some_and(|author| self.eligible.binary_search(&author).is_ok());
        let eligible = self.eligible.len().saturating_sub(usize::from(is_out));
        if self.are_all_known { asked.min(i64::try_from(eligible).unwrap_or(i64::MAX)) } else { asked }
    }
}

/// The part of the rules that an answer shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// Their names and owners.
    Everything,
    /// Their state alone.
    State,
}

/// A line with its owners.
type OwnedLine<'o> = (RequiredOwners<'o>, Rc<LineOwners>);

/// The rules that the lines make in each project.
pub(super) struct OwnerRules<'o> {
    owned: &'o Owned,
    lines: HashMap<(usize, ProjectId), Vec<OwnedLine<'o>>>,
}

impl<'o> OwnerRules<'o> {
    /// Those of these merge requests. `may` says if the approval of a user would count in a project.
    pub(super) fn new(owned: &'o Owned, found: &[Issuable], may: impl Fn(ProjectId, UserId) -> bool) -> Self {
        let mut lines = HashMap::new();
        let mut resolver = Resolver { owned, may, groups: HashMap::new(), roles: HashMap::new() };
        for of in found {
            if let Some(Ok(place)) = owned.of.get(&of.id) {
                lines.entry((*place, of.project)).or_insert_with(|| resolver.lines(*place, of.project));
            }
        }
        Self { owned, lines }
    }

    /// The rules for a merge request with their state. `approved` are the approvals that count. `author` is its author, if
    /// their approval does not count.
    pub(super) fn states(
        &self,
        of: &Issuable,
        approved: &[GivenVerdict],
        author: Option<UserId>,
        (reviewers, shown): (&Reviewers, Shown),
    ) -> Vec<RuleState> {
        match self.owned.of.get(&of.id) {
            None => Vec::new(),
            Some(Err(refusal)) => vec![unknown(of, *refusal)],
            Some(Ok(place)) => {
                let lines = self.lines.get(&(*place, of.project)).map_or(&[][..], Vec::as_slice);
                let mut left = SHOWN;
                let state = |(place, (line, owners)): (usize, &OwnedLine<'_>)| {
                    let counts = |user: &UserId| {
                        owners.hidden.binary_search(user).is_ok() || owners.shows(of.project, *user, reviewers)
                    };
                    let given: Vec<UserId> = approved.iter().map(|given| given.by).filter(counts).collect();
                    let mut rule = rule(of, place, owners.required(line.required, author));
                    if shown == Shown::Everything {
                        show(&mut rule, line, owners, author, &mut left);
                    }
                    RuleState {
                        rule,
                        given: i64::try_from(given.len()).unwrap_or(i64::MAX),
                        approved_by: given
                            .into_iter()
                            .filter(|user| owners.shows(of.project, *user, reviewers))
                            .collect(),
                    }
                };
                lines.iter().enumerate().map(state).collect()
            }
        }
    }
}

/// The rule of a line without its names and owners. Its id is its place.
fn rule(of: &Issuable, place: usize, required: i64) -> ApprovalRule {
    ApprovalRule {
        id: ApprovalRuleId::new(i64::try_from(place).unwrap_or(i64::MAX).saturating_add(1)),
        project: of.project,
        name: String::new(),
        section: String::new(),
        kind: RuleKind::CodeOwner,
        required,
        users: Vec::new(),
        groups: Vec::new(),
    }
}

/// Names the owners of a rule, of whom `left` more may be named.
fn show(
    rule: &mut ApprovalRule,
    line: &RequiredOwners<'_>,
    owners: &LineOwners,
    author: Option<UserId>,
    left: &mut usize,
) {
    line.pattern.clone_into(&mut rule.name);
    line.section.clone_into(&mut rule.section);
    let mut users: Vec<UserId> =
        owners.users.iter().chain(&owners.of_roles).copied().filter(|user| Some(*user) != author).collect();
    users.sort_unstable();
    users.dedup();
    users.truncate((*left).min(SHOWN_OF_RULE));
    *left = left.saturating_sub(users.len());
    rule.groups = owners.groups.iter().copied().take((*left).min(SHOWN_OF_RULE)).collect();
    *left = left.saturating_sub(rule.groups.len());
    rule.users = users;
}

/// The rule if the owners cannot be found: no approval is enough.
fn unknown(of: &Issuable, refusal: OwnersRefusal) -> RuleState {
    let rule = ApprovalRule { name: refusal.reason().to_owned(), ..rule(of, 0, 1) };
    RuleState { rule, given: 0, approved_by: Vec::new() }
}

/// Finds the owners of lines. Each list of owners, group and role is looked through once for each project.
struct Resolver<'o, M> {
    owned: &'o Owned,
    may: M,
    groups: HashMap<(ProjectId, NamespaceId), Rc<Vec<UserId>>>,
    roles: HashMap<(ProjectId, AccessLevel), Rc<Vec<UserId>>>,
}

impl<'o, M: Fn(ProjectId, UserId) -> bool> Resolver<'o, M> {
    fn lines(&mut self, place: usize, project: ProjectId) -> Vec<OwnedLine<'o>> {
        let owned = self.owned;
        let Some(file) = owned.files.get(place) else { return Vec::new() };
        // Lines that name no owner share the list of their heading.
        let mut known: HashMap<*const Owner, Rc<LineOwners>> = HashMap::new();
        let mut line = |required: RequiredOwners<'o>| {
            let owners = known.entry(required.owners.as_ptr());
            (required, Rc::clone(owners.or_insert_with(|| Rc::new(self.owners(project, required.owners)))))
        };
        file.required_owners().map(&mut line).collect()
    }

    fn owners(&mut self, project: ProjectId, named: &[Owner]) -> LineOwners {
        let owned = self.owned;
        let (mut users, mut hidden, mut groups, mut roles) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut are_public = true;
        for owner in named {
            match owner {
                Owner::Name(name) => {
                    let key = path::key(name);
                    users.extend(owned.users.get(&key));
                    groups.extend(owned.groups.get(&key));
                }
                Owner::Email(address) => {
                    let found = owned.emails.get(address);
                    are_public &= found.is_some_and(|found| found.is_public);
                    match found {
                        Some(found) if found.is_shown => users.push(found.user),
                        Some(found) => hidden.push(found.user),
                        None => {}
                    }
                }
                Owner::Role(level) => roles.push(*level),
            }
        }
        users.retain(|user| (self.may)(project, *user));
        sort(&mut users);
        hidden.retain(|user| users.binary_search(user).is_err() && (self.may)(project, *user));
        sort(&mut hidden);
        sort(&mut groups);
        let of_roles: Vec<UserId> = roles.iter().flat_map(|role| self.of_role(project, *role).to_vec()).collect();
        let mut eligible: HashSet<UserId> = users.iter().chain(&hidden).chain(&of_roles).copied().collect();
        for group in &groups {
            if eligible.len() >= ENOUGH {
                break;
            }
            eligible.extend(self.of_group(project, *group).iter());
        }
        let mut eligible: Vec<UserId> = eligible.into_iter().collect();
        eligible.sort_unstable();
        // The required number would say if someone has an address that no one publishes.
        let are_all_known = are_public && (!owned.are_cut || (groups.is_empty() && roles.is_empty()));
        LineOwners { users, hidden, groups, roles, of_roles, eligible, are_all_known }
    }

    fn of_group(&mut self, project: ProjectId, group: NamespaceId) -> Rc<Vec<UserId>> {
        let (owned, may) = (self.owned, &self.may);
        let found = || Rc::new(first(owned.members.get(&group), |user| may(project, user)));
        Rc::clone(self.groups.entry((project, group)).or_insert_with(found))
    }

    fn of_role(&mut self, project: ProjectId, role: AccessLevel) -> Rc<Vec<UserId>> {
        let (owned, may) = (self.owned, &self.may);
        let found = || Rc::new(first(owned.roles.get(&(project, role)), |user| may(project, user)));
        Rc::clone(self.roles.entry((project, role)).or_insert_with(found))
    }
}

/// The first of these who may approve, as many as are [`ENOUGH`].
fn first(members: Option<&Vec<UserId>>, may: impl Fn(UserId) -> bool) -> Vec<UserId> {
    members.into_iter().flatten().copied().filter(|user| may(*user)).take(ENOUGH).collect()
}

fn sort<T: Ord>(all: &mut Vec<T>) {
    all.sort_unstable();
    all.dedup();
}
