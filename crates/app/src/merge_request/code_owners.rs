//! The rules about approvals that the file of code owners of the target makes for each merge request.
//!
//! Which lines of the file a merge request touches is found by Git when its branches are measured, and stored. Which users
//! these lines name is asked of the database each time: members come and go.

use std::collections::{HashMap, HashSet};

use tenon_domain::access::AccessLevel;
use tenon_domain::file_path::FilePath;
use tenon_domain::id::{ApprovalRuleId, IssuableId, NamespaceId, ProjectId, UserId};
use tenon_domain::issuable::Issuable;
use tenon_domain::merge_request::{ApprovalRule, RuleKind};
use tenon_domain::path;
use tenon_domain::repository::code_owners::{CodeOwners, Demand, Owner, OwnersRefusal, Steps, TouchedOwners};
use tenon_domain::repository::{ProtectionKind, Protections};
use tenon_git::Oid;
use tenon_storage::{approval_rule, merge_request, namespace, repository, user};

use super::mergeability::MergeRepositories;
use crate::core::app::Query;
use crate::core::error::AppError;
use crate::repository::read::code_owners::OwnersFile;

/// The most changed files that are compared with the patterns.
const MAX_PATHS: usize = 10_000;
/// The steps that these comparisons may take.
const STEPS: u64 = 100_000_000;
/// The most members of groups and projects that are read for one answer.
const MAX_MEMBERS: i64 = 10_000;

impl MergeRepositories {
    /// The lines of the file of code owners of `target` that the merge of `source` into it touches. The target's
    /// repository has both commits. Asks Git for the changed paths, if there is such a file.
    pub(super) fn touched_owners(&self, target: Oid, source: Oid) -> Result<TouchedOwners, AppError> {
        let Some(file) = OwnersFile::find(&self.target, target)? else { return Ok(TouchedOwners::default()) };
        let Some(base) = self.target.merge_base(&[target, source])? else { return Ok(TouchedOwners::default()) };
        let found = match file.content {
            Ok((text, content)) => match self.target.differing_paths(base, source, MAX_PATHS)? {
                Some(paths) => content.excerpt(&text, paths.iter().map(FilePath::as_kept), &mut Steps::new(STEPS)),
                None => Err(OwnersRefusal::TooManyPaths),
            },
            Err(refusal) => Err(refusal),
        };
        Ok(match found {
            Ok(lines) => TouchedOwners { lines, refusal: None },
            Err(refusal) => TouchedOwners { lines: String::new(), refusal: Some(refusal) },
        })
    }
}

/// True if a merge into this branch needs the approvals of code owners.
pub(super) fn are_needed(query: &mut Query<'_>, project: ProjectId, branch: &str) -> Result<bool, AppError> {
    let rules = repository::rules_of_code_owners(&mut query.tx, &[project])?.remove(&project).unwrap_or_default();
    Ok(Protections::covering(&rules, ProtectionKind::Branch, branch).need_code_owners())
}

/// The demands of code owners on some merge requests, with the people whom their files name.
#[derive(Default)]
pub(super) struct Owned {
    of: HashMap<IssuableId, Result<CodeOwners, OwnersRefusal>>,
    /// The users and groups by the keys of their paths.
    users: HashMap<String, UserId>,
    groups: HashMap<String, NamespaceId>,
    emails: HashMap<String, UserId>,
    roles: HashMap<(ProjectId, AccessLevel), Vec<UserId>>,
    /// The members of each group.
    members: HashMap<NamespaceId, Vec<UserId>>,
    /// True if these are not all members.
    are_cut: bool,
}

impl Owned {
    /// Those on merge requests of these projects. One statement, if no branch of theirs asks for code owners; else a constant
    /// number.
    pub(super) fn load(query: &mut Query<'_>, found: &[Issuable], projects: &[ProjectId]) -> Result<Self, AppError> {
        let rules = repository::rules_of_code_owners(&mut query.tx, projects)?;
        if rules.is_empty() {
            return Ok(Self::default());
        }
        let asked: Vec<&Issuable> = found.iter().filter(|of| rules.contains_key(&of.project)).collect();
        let ids: Vec<IssuableId> = asked.iter().map(|of| of.id).collect();
        let mut touched = merge_request::touched_owners(&mut query.tx, &ids)?;
        let mut owned = Self::default();
        for of in asked {
            let (Some((branch, touched)), Some(rules)) = (touched.remove(&of.id), rules.get(&of.project)) else {
                continue;
            };
            if Protections::covering(rules, ProtectionKind::Branch, &branch).need_code_owners() {
                let content = touched.refusal.map_or_else(|| CodeOwners::parse(&touched.lines), Err);
                owned.of.insert(of.id, content);
            }
        }
        if !owned.of.is_empty() {
            owned.resolve(query, projects)?;
        }
        Ok(owned)
    }

    /// Finds the people whom the lines name.
    fn resolve(&mut self, query: &mut Query<'_>, projects: &[ProjectId]) -> Result<(), AppError> {
        let today = query.today();
        let owners: HashSet<&Owner> =
            self.of.values().flatten().flat_map(|file| file.demands().flat_map(|demand| demand.owners)).collect();
        let (mut names, mut emails, mut has_roles) = (Vec::new(), Vec::new(), false);
        for owner in owners {
            match owner {
                Owner::Name(name) => names.push(name.clone()),
                Owner::Email(address) => emails.push(address.clone()),
                Owner::Role(_) => has_roles = true,
            }
        }
        let holders = namespace::holders(&mut query.tx, &names)?;
        let of_namespace = |holder: &namespace::PathHolder| match holder {
            namespace::PathHolder::Namespace(id) => Some(*id),
            namespace::PathHolder::Project(_) => None,
        };
        let ids: Vec<NamespaceId> = holders.values().filter_map(of_namespace).collect();
        let namespaces = namespace::by_ids(&mut query.tx, &ids)?;
        for (key, holder) in &holders {
            let Some(found) = of_namespace(holder).and_then(|id| namespaces.get(&id)) else { continue };
            match found.owner {
                Some(owner) => drop(self.users.insert(key.clone(), owner)),
                None => drop(self.groups.insert(key.clone(), found.id)),
            }
        }
        self.emails = user::by_confirmed_emails(&mut query.tx, &emails)?
            .into_iter()
            .map(|(address, user)| (address, user.id))
            .collect();
        let groups: Vec<NamespaceId> = self.groups.values().copied().collect();
        let members = approval_rule::direct_members(&mut query.tx, &groups, today, MAX_MEMBERS)?;
        self.are_cut = is_full(members.len());
        for (group, user) in members {
            self.members.entry(group).or_default().push(user);
        }
        if has_roles {
            let members = approval_rule::direct_members_of_projects(&mut query.tx, projects, today, MAX_MEMBERS)?;
            self.are_cut |= is_full(members.len());
            for (project, user, level) in members {
                self.roles.entry((project, level)).or_default().push(user);
            }
        }
        Ok(())
    }

    /// All people whom the lines name, directly, by a group or by a role.
    pub(super) fn people(&self) -> impl Iterator<Item = UserId> {
        let named = self.users.values().chain(self.emails.values());
        let in_groups = self.members.values().chain(self.roles.values()).flatten();
        named.chain(in_groups).copied()
    }

    /// The groups that the lines name.
    pub(super) fn groups(&self) -> impl Iterator<Item = NamespaceId> {
        self.groups.values().copied()
    }

    /// The rules for a merge request. `may` says if the approval of a user would count. A line requires no more approvals
    /// than there are owners who may give one.
    pub(super) fn rules(&self, of: &Issuable, may: impl Fn(UserId) -> bool) -> Vec<ApprovalRule> {
        let rule = |place: usize, demand: Demand<'_>| self.rule(of, (place, demand), &may);
        match self.of.get(&of.id) {
            None => Vec::new(),
            Some(Ok(file)) => file.demands().enumerate().map(|(place, demand)| rule(place, demand)).collect(),
            Some(Err(refusal)) => vec![ApprovalRule {
                name: refusal.reason().to_owned(),
                required: 1,
                ..self.rule(of, (0, Demand { section: "", pattern: "", required: 0, owners: &[] }), &may)
            }],
        }
    }

    fn rule(&self, of: &Issuable, (place, demand): (usize, Demand<'_>), may: &impl Fn(UserId) -> bool) -> ApprovalRule {
        let (mut users, mut groups): (Vec<UserId>, Vec<NamespaceId>) = (Vec::new(), Vec::new());
        for owner in demand.owners {
            match owner {
                Owner::Name(name) => {
                    let key = path::key(name);
                    users.extend(self.users.get(&key));
                    groups.extend(self.groups.get(&key));
                }
                Owner::Email(address) => users.extend(self.emails.get(address)),
                Owner::Role(level) => users.extend(self.roles.get(&(of.project, *level)).into_iter().flatten()),
            }
        }
        users.retain(|user| may(*user));
        users.sort_unstable();
        users.dedup();
        groups.sort_unstable();
        groups.dedup();
        let required = usize::try_from(demand.required).unwrap_or(usize::MAX);
        let mut eligible: HashSet<UserId> = users.iter().copied().collect();
        for user in groups.iter().filter_map(|group| self.members.get(group)).flatten() {
            if eligible.len() >= required {
                break;
            }
            if may(*user) {
                eligible.insert(*user);
            }
        }
        let is_known = !self.are_cut || groups.is_empty();
        let required = if is_known { required.min(eligible.len()) } else { required };
        ApprovalRule {
            id: ApprovalRuleId::new(i64::try_from(place).unwrap_or(i64::MAX).saturating_add(1)),
            project: of.project,
            name: demand.pattern.to_owned(),
            section: demand.section.to_owned(),
            kind: RuleKind::CodeOwner,
            required: i64::try_from(required).unwrap_or(i64::MAX),
            users,
            groups,
        }
    }
}

fn is_full(members: usize) -> bool {
    i64::try_from(members).is_ok_and(|count| count >= MAX_MEMBERS)
}
