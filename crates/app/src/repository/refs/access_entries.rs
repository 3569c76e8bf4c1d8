//! The entries of a rule about protected branches or tags: who may do what.

use std::collections::{HashMap, HashSet};

use tenon_domain::access::Decision;
use tenon_domain::id::{AccessEntryId, DeployKeyId, NamespaceId, UserId};
use tenon_domain::namespace::NamespaceKind;
use tenon_domain::path;
use tenon_domain::project::Project;
use tenon_domain::refusal::RepositoryRefusal;
use tenon_domain::repository::{
    AccessEntry, Grantee, Grantees, NO_ONE, PROTECTION_LEVELS, ProtectedAction, ProtectedRef, ProtectionKind,
};
use tenon_domain::user::User;
use tenon_storage::namespace::PathHolder;
use tenon_storage::{access, deploy_key, group, namespace, repository, user};

use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::policy::authorization::AuthorizedProject;
use crate::policy::protection::may_unprotect;
use crate::policy::reference::Reference;

/// A change of those who may do one thing.
#[derive(Debug, Clone, Default)]
pub struct AccessChange {
    /// The level from which on one may; it takes the place of other levels.
    pub level: Option<i64>,
    /// Entries, new ones and changes.
    pub entries: Vec<EntryChange>,
    /// True if these are all: entries that are not among them are removed.
    pub is_all: bool,
}

impl AccessChange {
    /// True if the request changes nothing.
    fn is_empty(&self) -> bool {
        self.level.is_none() && self.entries.is_empty() && !self.is_all
    }
}

/// A change of an entry. It names one of a user, a group, a deploy key and a level.
#[derive(Debug, Clone, Default)]
pub struct EntryChange {
    /// The entry of the rule that is changed; a new one if absent.
    pub id: Option<AccessEntryId>,
    /// True if that entry is removed.
    pub destroy: bool,
    /// A user, by id or name.
    pub user: Option<Reference>,
    /// A group, by id or path.
    pub group: Option<Reference>,
    /// A deploy key.
    pub deploy_key: Option<DeployKeyId>,
    /// A level.
    pub level: Option<i64>,
}

/// The level of a rule that says nothing else.
const DEFAULT_LEVEL: i64 = 40;

/// The parameters of an action: the one that carries a level, and the one that carries a list.
const fn parameters(kind: ProtectionKind, action: ProtectedAction) -> (&'static str, &'static str) {
    match (kind, action) {
        (ProtectionKind::Tag, _) => ("create_access_level", "allowed_to_create"),
        (ProtectionKind::Branch, ProtectedAction::Push) => ("push_access_level", "allowed_to_push"),
        (ProtectionKind::Branch, ProtectedAction::Merge) => ("merge_access_level", "allowed_to_merge"),
        (ProtectionKind::Branch, ProtectedAction::Unprotect) => ("unprotect_access_level", "allowed_to_unprotect"),
    }
}

fn check_level(level: i64, action: ProtectedAction, parameter: &'static str) -> Result<Grantee, AppError> {
    // A rule that no one could remove would stay for ever.
    let is_usable = level != NO_ONE || action != ProtectedAction::Unprotect;
    if PROTECTION_LEVELS.contains(&level) && is_usable {
        Ok(Grantee::Level(level))
    } else {
        Err(RepositoryRefusal::InvalidLevel(parameter).into())
    }
}

/// Changes who may do `action` by a rule. A new rule has no entries yet, and gets the usual level if the request names
/// no one.
///
/// # Errors
/// 400 that names the parameter: for a level that a rule does not know, for an entry that names not exactly one, or one who
/// cannot be named, and for more entries than a rule may have.
pub(super) fn apply(
    command: &mut Command<'_>,
    project: &Project,
    rule: &mut ProtectedRef,
    action: ProtectedAction,
    asked: &AccessChange,
    is_new: bool,
) -> Result<(), AppError> {
    let (of_level, of_list) = parameters(rule.kind, action);
    if is_new && asked.level.is_none() && asked.entries.is_empty() {
        rule.entries.push(entry(action, Grantee::Level(DEFAULT_LEVEL)));
        return Ok(());
    }
    if asked.is_empty() {
        return Ok(());
    }
    let most = command.app.limits().people.assigned;
    let too_many = || AppError::invalid(of_list, format!("has too many entries (maximum is {most})"));
    // So that a request can also take the place of all that are there.
    if asked.entries.len() > most.saturating_mul(2) {
        return Err(too_many());
    }
    let (mut own, others): (Vec<AccessEntry>, Vec<AccessEntry>) =
        std::mem::take(&mut rule.entries).into_iter().partition(|entry| entry.action == action);
    let before: HashSet<Grantee> = own.iter().map(|entry| entry.grantee).collect();
    let mut wanted = Vec::new();
    if let Some(level) = asked.level {
        let level = check_level(level, action, of_level)?;
        own.retain(|entry| entry.grantee == level || !matches!(entry.grantee, Grantee::Level(_)));
        wanted.push(level);
    }
    let known = Known::load(&mut command.query(), &before, &asked.entries)?;
    for asked in &asked.entries {
        let place = asked.id.map(|id| own.iter().position(|entry| entry.id == id));
        let place = match place {
            Some(None) => return Err(AppError::invalid(of_list, "names an entry that is not there")),
            Some(place) => place,
            None if asked.destroy => {
                return Err(AppError::invalid(of_list, "has an entry to be removed without its id"));
            }
            None => None,
        };
        let named = if asked.destroy { None } else { grantee(&known, action, of_list, asked)? };
        match (place, named) {
            (Some(place), _) if asked.destroy => drop(own.remove(place)),
            (Some(place), Some(grantee)) => {
                if let Some(entry) = own.get_mut(place) {
                    entry.grantee = grantee;
                }
                wanted.push(grantee);
            }
            (Some(_), None) => {}
            (None, Some(grantee)) => wanted.push(grantee),
            (None, None) => return Err(AppError::invalid(of_list, MUST_NAME_ONE)),
        }
    }
    if asked.is_all {
        own.retain(|entry| wanted.contains(&entry.grantee));
    }
    // Each is named once: by the entry that was there.
    let mut named = HashSet::new();
    own.retain(|entry| named.insert(entry.grantee));
    for grantee in &wanted {
        if named.insert(*grantee) {
            own.push(entry(action, *grantee));
        }
    }
    if own.len() > most {
        return Err(too_many());
    }
    let new: Vec<Grantee> = own.iter().map(|entry| entry.grantee).filter(|one| !before.contains(one)).collect();
    check_named(command, project, of_list, &new)?;
    rule.entries = others.into_iter().chain(own).collect();
    Ok(())
}

const MUST_NAME_ONE: &str = "must name exactly one of user_id, group_id, deploy_key_id and access_level in each entry";

fn entry(action: ProtectedAction, grantee: Grantee) -> AccessEntry {
    AccessEntry { id: AccessEntryId::new(0), action, grantee }
}

/// Whom an entry of a request names; `None` if it names no one.
fn grantee(
    known: &Known,
    action: ProtectedAction,
    of_list: &'static str,
    asked: &EntryChange,
) -> Result<Option<Grantee>, AppError> {
    let given = [asked.user.is_some(), asked.group.is_some(), asked.deploy_key.is_some(), asked.level.is_some()];
    if given.into_iter().filter(|given| *given).count() > 1 {
        return Err(AppError::invalid(of_list, MUST_NAME_ONE));
    }
    let invalid = |reason: String| AppError::invalid(of_list, reason);
    if let Some(level) = asked.level {
        return check_level(level, action, of_list).map(Some);
    }
    if let Some(key) = asked.deploy_key {
        if action != ProtectedAction::Push {
            return Err(invalid("cannot name deploy keys: they only push".to_owned()));
        }
        return Ok(Some(Grantee::DeployKey(key)));
    }
    if let Some(named) = &asked.user {
        let found = match named {
            Reference::Id(id) => Some(UserId::new(*id)),
            Reference::Path(name) => known.users.get(&path::key(name)).copied(),
        };
        let found = found.ok_or_else(|| invalid(no_member(&text_of(named))))?;
        return Ok(Some(Grantee::User(found)));
    }
    let Some(named) = &asked.group else { return Ok(None) };
    let found = match named {
        Reference::Id(id) => Some(NamespaceId::new(*id)).filter(|group| known.group_ids.contains(group)),
        Reference::Path(path) => known.groups.get(&path::key(path)).copied(),
    };
    found.map(|group| Some(Grantee::Group(group))).ok_or_else(|| invalid(no_group(&text_of(named))))
}

fn text_of(named: &Reference) -> String {
    match named {
        Reference::Id(id) => id.to_string(),
        Reference::Path(path) => path.clone(),
    }
}

fn no_member(named: &str) -> String {
    format!("includes user {named}, who is not a member of the project")
}

fn no_group(named: &str) -> String {
    format!("includes the group {named}, with which the project is not shared and which is not above it")
}

/// Those whom a request may name. Those who are named already may stay, whether the caller sees them or not.
struct Known {
    /// By the keys of their names and paths.
    users: HashMap<String, UserId>,
    groups: HashMap<String, NamespaceId>,
    group_ids: HashSet<NamespaceId>,
}

impl Known {
    /// A constant number of statements.
    fn load(query: &mut Query<'_>, before: &HashSet<Grantee>, asked: &[EntryChange]) -> Result<Self, AppError> {
        let mut known = Self { users: HashMap::new(), groups: HashMap::new(), group_ids: HashSet::new() };
        let names: Vec<String> = asked.iter().filter_map(|entry| path_of(entry.user.as_ref())).collect();
        for user in user::by_usernames(&mut query.tx, &names)? {
            known.users.insert(path::key(&user.username), user.id);
        }
        known.add_groups(query, asked)?;
        for (grantee, label) in Labels::load(query, before.iter().copied())?.0 {
            match grantee {
                Grantee::User(user) => drop(known.users.insert(path::key(&label.handle), user)),
                Grantee::Group(group) => {
                    known.groups.insert(path::key(&label.handle), group);
                    known.group_ids.insert(group);
                }
                Grantee::Level(_) | Grantee::DeployKey(_) => {}
            }
        }
        Ok(known)
    }

    /// Adds the groups that a request names, as far as the caller may read them.
    fn add_groups(&mut self, query: &mut Query<'_>, asked: &[EntryChange]) -> Result<(), AppError> {
        let named = || asked.iter().filter_map(|entry| entry.group.as_ref());
        if named().next().is_none() {
            return Ok(());
        }
        let paths: Vec<String> = named().filter_map(|group| path_of(Some(group))).collect();
        let mut ids: Vec<NamespaceId> = named()
            .filter_map(|group| match group {
                Reference::Id(id) => Some(NamespaceId::new(*id)),
                Reference::Path(_) => None,
            })
            .collect();
        ids.extend(namespace::holders(&mut query.tx, &paths)?.into_values().filter_map(PathHolder::namespace));
        let (viewer, today, origin) = (query.viewer(), query.today(), query.app.origin());
        let visible = group::visible_of(&mut query.tx, viewer, &ids, today)?;
        for (id, found) in namespace::by_ids(&mut query.tx, &ids)? {
            let may_read = visible.contains(&id) && found.admits(viewer, origin) == Decision::Allow;
            if found.kind == NamespaceKind::Group && may_read {
                self.groups.insert(path::key(&found.full_path), id);
                self.group_ids.insert(id);
            }
        }
        Ok(())
    }
}

fn path_of(named: Option<&Reference>) -> Option<String> {
    match named {
        Some(Reference::Path(path)) => Some(path.clone()),
        Some(Reference::Id(_)) | None => None,
    }
}

/// Checks that those who are new in a rule belong to the project. A constant number of statements.
fn check_named(
    command: &mut Command<'_>,
    project: &Project,
    of_list: &'static str,
    new: &[Grantee],
) -> Result<(), AppError> {
    let today = command.today();
    let Grantees { users, groups, keys } = new.iter().copied().collect();
    if !keys.is_empty() {
        let writing = deploy_key::writing_to(&mut command.tx, project.id, &keys)?;
        if let Some(key) = keys.iter().find(|key| !writing.contains(key)) {
            let reason = format!("includes the deploy key {key}, which may not write to the project");
            return Err(AppError::invalid(of_list, reason));
        }
    }
    if !users.is_empty() {
        let levels = access::levels_in_projects(&mut command.tx, &users, &[project.id], today)?;
        let known = user::by_ids(&mut command.tx, &users)?;
        let belongs =
            |user: &UserId| levels.contains_key(&(project.id, *user)) && known.get(user).is_some_and(User::may_act);
        if let Some(user) = users.iter().find(|user| !belongs(user)) {
            return Err(AppError::invalid(of_list, no_member(&user.to_string())));
        }
    }
    if !groups.is_empty() {
        let place = (project.id, project.namespace);
        let open = repository::groups_of_project(&mut command.tx, place, &groups, today)?;
        if let Some(group) = groups.iter().find(|group| !open.contains(group)) {
            return Err(AppError::invalid(of_list, no_group(&group.to_string())));
        }
    }
    Ok(())
}

/// A rule as answers show it.
#[derive(Debug, Clone)]
pub struct ProtectionView {
    /// The rule. Its entries are in the order of `entries`.
    pub rule: ProtectedRef,
    /// True if the caller, a maintainer, may change and remove it.
    pub may_change: bool,
    /// Its entries: levels first, then the others in the order in which they were made.
    pub entries: Vec<AccessEntryView>,
}

/// An entry as answers show it.
#[derive(Debug, Clone)]
pub struct AccessEntryView {
    /// The entry.
    pub entry: AccessEntry,
    /// Whom it names, in words: the level, or the name of the user or group, or the title of the key.
    pub description: String,
    /// The name by which forms know them: the user name, or the path of the group.
    pub handle: String,
}

/// The views of these rules of a project, in their order. A few statements, however many there are.
pub(super) fn views(
    query: &mut Query<'_>,
    found: &AuthorizedProject,
    rules: Vec<ProtectedRef>,
) -> Result<Vec<ProtectionView>, AppError> {
    let today = query.today();
    let may_change = may_unprotect(&mut query.tx, &found.standing, &found.project, &rules, today)?;
    let labels = Labels::load(query, rules.iter().flat_map(|rule| &rule.entries).map(|entry| entry.grantee))?;
    let view = |(mut rule, may_change): (ProtectedRef, bool)| {
        rule.entries.sort_by_key(|entry| (!matches!(entry.grantee, Grantee::Level(_)), entry.id));
        let of_entry = |entry: &AccessEntry| {
            let label = labels.of(entry.grantee)?;
            Some(AccessEntryView { entry: entry.clone(), description: label.description, handle: label.handle })
        };
        ProtectionView { entries: rule.entries.iter().filter_map(of_entry).collect(), may_change, rule }
    };
    Ok(rules.into_iter().zip(may_change).map(view).collect())
}

#[derive(Clone)]
struct Label {
    description: String,
    handle: String,
}

/// The names of those whom rules name.
struct Labels(HashMap<Grantee, Label>);

impl Labels {
    fn load(query: &mut Query<'_>, named: impl Iterator<Item = Grantee>) -> Result<Self, AppError> {
        let Grantees { users, groups, keys } = named.collect();
        let mut labels = HashMap::new();
        if !users.is_empty() {
            for (id, user) in user::basics(&mut query.tx, &users)? {
                labels.insert(Grantee::User(id), Label { description: user.name, handle: user.username });
            }
        }
        if !groups.is_empty() {
            for (id, group) in namespace::by_ids(&mut query.tx, &groups)? {
                labels.insert(Grantee::Group(id), Label { description: group.name, handle: group.full_path });
            }
        }
        if !keys.is_empty() {
            for (id, title) in deploy_key::titles(&mut query.tx, &keys)? {
                labels.insert(Grantee::DeployKey(id), Label { handle: id.to_string(), description: title });
            }
        }
        Ok(Self(labels))
    }

    /// `None` for who has been deleted since the rule was read.
    fn of(&self, grantee: Grantee) -> Option<Label> {
        let Grantee::Level(level) = grantee else { return self.0.get(&grantee).cloned() };
        let words = match level {
            NO_ONE => "No one",
            30 => "Developers + Maintainers",
            _ => "Maintainers",
        };
        Some(Label { description: words.to_owned(), handle: level.to_string() })
    }
}
