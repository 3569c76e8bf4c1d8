//! The code owners of merge requests: the lines of the file that each one touches, and the people whom these lines name.
//!
//! Which lines a merge request touches is found by Git when its branches are measured, and stored. Which users these lines
//! name is asked of the database each time: members come and go.

use std::collections::{HashMap, HashSet};

use tenon_domain::access::{AccessLevel, Decision};
use tenon_domain::id::{IssuableId, NamespaceId, ProjectId, UserId};
use tenon_domain::issuable::Issuable;
use tenon_domain::repository::code_owners::{CodeOwners, MAX_EXCERPT, MAX_OWNERS, Owner, OwnersRefusal, TouchedOwners};
use tenon_domain::repository::{ProtectionKind, Protections};
use tenon_domain::user as rules_of_users;
use tenon_storage::{approval_rule, merge_request, namespace, repository, user};

use crate::core::app::Query;
use crate::core::error::AppError;

/// The most members of groups and projects that are read for one answer.
const MAX_MEMBERS: i64 = 10_000;

/// True if a merge into this branch needs the approvals of code owners.
pub(super) fn are_needed(query: &mut Query<'_>, project: ProjectId, branch: &str) -> Result<bool, AppError> {
    let rules = repository::rules_of_code_owners(&mut query.tx, &[project])?.remove(&project).unwrap_or_default();
    Ok(Protections::covering(&rules, ProtectionKind::Branch, branch).need_code_owners())
}

/// The owner of an address.
#[derive(Debug, Clone, Copy)]
pub(super) struct AddressOwner {
    pub(super) user: UserId,
    /// True if the caller may learn whose the address is.
    pub(super) is_shown: bool,
    /// True if its user publishes it.
    pub(super) is_public: bool,
}

/// The lines that some merge requests touch, with the people whom they name.
#[derive(Default)]
pub(super) struct Owned {
    /// The place in `files` for each merge request.
    pub(super) of: HashMap<IssuableId, Result<usize, OwnersRefusal>>,
    /// Each text once, whatever the number of merge requests that touch these lines.
    pub(super) files: Vec<CodeOwners>,
    /// The users and groups by the keys of their paths.
    pub(super) users: HashMap<String, UserId>,
    pub(super) groups: HashMap<String, NamespaceId>,
    pub(super) emails: HashMap<String, AddressOwner>,
    pub(super) roles: HashMap<(ProjectId, AccessLevel), Vec<UserId>>,
    /// The members of each group.
    pub(super) members: HashMap<NamespaceId, Vec<UserId>>,
    /// True if these are not all members.
    pub(super) are_cut: bool,
}

impl Owned {
    /// Those of merge requests of these projects. One statement, if no branch of theirs asks for code owners; else a constant
    /// number.
    pub(super) fn load(query: &mut Query<'_>, found: &[Issuable], projects: &[ProjectId]) -> Result<Self, AppError> {
        let rules = repository::rules_of_code_owners(&mut query.tx, projects)?;
        if rules.is_empty() {
            return Ok(Self::default());
        }
        let asked: Vec<&Issuable> = found.iter().filter(|of| rules.contains_key(&of.project)).collect();
        let ids: Vec<IssuableId> = asked.iter().map(|of| of.id).collect();
        let mut touched = merge_request::touched_owners(&mut query.tx, &ids)?;
        let mut read = Reader::default();
        for of in asked {
            let (Some((branch, touched)), Some(rules)) = (touched.remove(&of.id), rules.get(&of.project)) else {
                continue;
            };
            if Protections::covering(rules, ProtectionKind::Branch, &branch).need_code_owners() {
                let file = read.file(touched);
                read.owned.of.insert(of.id, file);
            }
        }
        let Reader { mut owned, owners, .. } = read;
        if !owned.files.is_empty() {
            owned.resolve(query, projects, owners)?;
        }
        Ok(owned)
    }

    /// Finds the people whom the lines name.
    fn resolve(
        &mut self,
        query: &mut Query<'_>,
        projects: &[ProjectId],
        owners: HashSet<Owner>,
    ) -> Result<(), AppError> {
        let (today, viewer) = (query.today(), query.viewer());
        let (mut names, mut emails, mut has_roles) = (Vec::new(), Vec::new(), false);
        for owner in owners {
            match owner {
                Owner::Name(name) => names.push(name),
                Owner::Email(address) => emails.push(address),
                Owner::Role(_) => has_roles = true,
            }
        }
        let holders = namespace::holders(&mut query.tx, &names)?;
        let ids: Vec<NamespaceId> = holders.values().filter_map(|holder| holder.namespace()).collect();
        let namespaces = namespace::by_ids(&mut query.tx, &ids)?;
        for (key, holder) in &holders {
            let Some(found) = holder.namespace().and_then(|id| namespaces.get(&id)) else { continue };
            match found.owner {
                Some(owner) => drop(self.users.insert(key.clone(), owner)),
                None => drop(self.groups.insert(key.clone(), found.id)),
            }
        }
        for (address, found) in user::by_confirmed_emails(&mut query.tx, &emails)? {
            let is_shown = rules_of_users::sees(viewer, &found) == Decision::Allow
                && rules_of_users::sees_address(viewer, &found, &address);
            let is_public = found.profile.public_email == address;
            self.emails.insert(address, AddressOwner { user: found.id, is_shown, is_public });
        }
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
        let named = self.users.values().copied().chain(self.emails.values().map(|owner| owner.user));
        named.chain(self.members.values().chain(self.roles.values()).flatten().copied())
    }

    /// The groups that the lines name.
    pub(super) fn groups(&self) -> impl Iterator<Item = NamespaceId> {
        self.groups.values().copied()
    }
}

fn is_full(members: usize) -> bool {
    i64::try_from(members).is_ok_and(|count| count >= MAX_MEMBERS)
}

/// Reads the lines of merge requests, each text once.
#[derive(Default)]
struct Reader {
    owned: Owned,
    places: HashMap<String, Result<usize, OwnersRefusal>>,
    owners: HashSet<Owner>,
}

impl Reader {
    fn file(&mut self, touched: TouchedOwners) -> Result<usize, OwnersRefusal> {
        if let Some(refusal) = touched.refusal {
            return Err(refusal);
        }
        if let Some(known) = self.places.get(&touched.lines) {
            return *known;
        }
        let place = self.new_file(&touched.lines);
        self.places.insert(touched.lines, place);
        place
    }

    fn new_file(&mut self, lines: &str) -> Result<usize, OwnersRefusal> {
        if lines.len() > MAX_EXCERPT {
            return Err(OwnersRefusal::TooLongExcerpt);
        }
        let file = CodeOwners::parse(lines)?;
        let mut of_last = None;
        let mut own: HashSet<&Owner> = HashSet::new();
        for line in file.required_owners() {
            // Lines that name no owner share those of their heading.
            if of_last.replace(line.owners.as_ptr()) != Some(line.owners.as_ptr()) {
                own.extend(line.owners);
            }
        }
        // The bound for all files of a list together. Files beyond it are answered as if they named too many owners.
        if self.owners.len().saturating_add(own.len()) > MAX_OWNERS.saturating_mul(2) {
            return Err(OwnersRefusal::TooManyOwners);
        }
        let own: Vec<Owner> = own.into_iter().cloned().collect();
        self.owners.extend(own);
        self.owned.files.push(file);
        Ok(self.owned.files.len() - 1)
    }
}
