//! Protected branches and tags, and who may do what with them.

use super::grantee::{Grantee, NO_ONE};
use crate::access::{AccessLevel, Standing};
use crate::id::{AccessEntryId, DeployKeyId, NamespaceId, ProtectedRefId};
use crate::settings::DefaultBranchProtection;
pub use crate::settings::PROTECTION_LEVELS;
use crate::words::words;

words! {
    /// The kind of refs that a rule protects.
    pub enum ProtectionKind {
        /// Branches.
        Branch = "branch",
        /// Tags.
        Tag = "tag",
    }
}

words! {
    /// The actions that a rule permits to those whom it names.
    pub enum ProtectedAction {
        /// Pushing to such a branch, or creating such a tag.
        Push = "push",
        /// Merging into such a branch.
        Merge = "merge",
        /// Changing and removing the rule. Only maintainers can, and of these only those who are named.
        Unprotect = "unprotect",
    }
}

/// One entry of a rule: who may do one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessEntry {
    /// Unique over the whole server.
    pub id: AccessEntryId,
    /// The permitted action.
    pub action: ProtectedAction,
    /// To whom.
    pub grantee: Grantee,
}

/// A rule that protects the branches or tags of one name, or of all names that match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtectedRef {
    /// Unique over the whole server.
    pub id: ProtectedRefId,
    /// Branches or tags.
    pub kind: ProtectionKind,
    /// A name, in which `*` stands for any run of characters.
    pub name: String,
    /// True if those who may push to such a branch may also rewrite its history.
    pub allow_force_push: bool,
    /// True if a merge into such a branch needs the approvals of the code owners of what it changes.
    pub needs_code_owners: bool,
    /// True if the rule holds for deploy keys as well ([`ProtectedRef::restrict_deploy_keys`]).
    pub restricts_deploy_keys: bool,
    /// Who may do what, in the order in which the entries were made.
    pub entries: Vec<AccessEntry>,
}

impl ProtectedRef {
    /// A new rule in which each of these may do one thing.
    #[must_use]
    pub fn new(kind: ProtectionKind, name: &str, named: &[(ProtectedAction, Grantee)]) -> Self {
        let entry = |&(action, grantee)| AccessEntry { id: AccessEntryId::new(0), action, grantee };
        let entries = named.iter().map(entry).collect();
        let mut rule = Self {
            id: ProtectedRefId::new(0),
            kind,
            name: name.to_owned(),
            allow_force_push: false,
            needs_code_owners: false,
            restricts_deploy_keys: false,
            entries,
        };
        rule.restrict_deploy_keys();
        rule
    }

    /// Makes the rule hold for deploy keys, if it names users, groups or deploy keys for pushes, or admits no one. Rules of
    /// levels alone do not, because a deploy key has no level. A rule never ceases to hold for them: the deletion of the
    /// only user or key that it names would open it.
    pub fn restrict_deploy_keys(&mut self) {
        let are_levels = self.grantees(ProtectedAction::Push).all(|grantee| matches!(grantee, Grantee::Level(_)));
        let admits_none = self.grantees(ProtectedAction::Push).all(|grantee| grantee == Grantee::Level(NO_ONE));
        self.restricts_deploy_keys |= admits_none || !are_levels;
    }

    /// The rule that the default branch of a new project gets; `None` if it gets none.
    #[must_use]
    pub fn of_default_branch(protection: &DefaultBranchProtection, branch: &str) -> Option<Self> {
        if protection.level() == 0 {
            return None;
        }
        let push = protection.push.iter().map(|level| (ProtectedAction::Push, Grantee::Level(*level)));
        let merge = protection.merge.iter().map(|level| (ProtectedAction::Merge, Grantee::Level(*level)));
        let unprotect = std::iter::once((ProtectedAction::Unprotect, Grantee::Level(40)));
        let named: Vec<(ProtectedAction, Grantee)> = push.chain(merge).chain(unprotect).collect();
        let rule = Self::new(ProtectionKind::Branch, branch, &named);
        Some(Self { allow_force_push: protection.allow_force_push, ..rule })
    }

    /// True if it protects the branch or tag of that name.
    #[must_use]
    pub fn covers(&self, name: &str) -> bool {
        matches_pattern(&self.name, name)
    }

    /// Whom it names for an action.
    pub fn grantees(&self, action: ProtectedAction) -> impl Iterator<Item = Grantee> {
        self.entries.iter().filter(move |entry| entry.action == action).map(|entry| entry.grantee)
    }

    /// True if it permits `action` to the caller. `groups` are those of the groups that rules name whose direct member the
    /// caller is. Administrators are everyone whom the rule names, unless it names no one.
    fn admits(&self, action: ProtectedAction, standing: &Standing, groups: &[NamespaceId]) -> bool {
        let all_of_the_named =
            standing.viewer.is_admin() && self.grantees(action).all(|grantee| grantee != Grantee::Level(NO_ONE));
        self.grantees(action).any(|grantee| match grantee {
            Grantee::Level(level) => reaches(standing, level),
            Grantee::User(user) => all_of_the_named || standing.viewer.user() == Some(user),
            Grantee::Group(group) => all_of_the_named || groups.contains(&group),
            Grantee::DeployKey(_) => all_of_the_named,
        })
    }

    /// True if a maintainer may change and remove it: one whom it names, or every one if it names none.
    #[must_use]
    pub fn admits_unprotect(&self, standing: &Standing, groups: &[NamespaceId]) -> bool {
        let action = ProtectedAction::Unprotect;
        self.grantees(action).next().is_none() || self.admits(action, standing, groups)
    }
}

/// True if `name` is `pattern`, whose `*` stands for any run of characters. Linear in both: each star is tried from the
/// place at which the last one left off.
pub(crate) fn matches_pattern(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// All rules of a project, as one caller meets them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RefRules {
    /// The rules.
    pub rules: Vec<ProtectedRef>,
    /// Those of the groups that the rules name whose direct member the caller is, and to which the project is open.
    pub groups: Vec<NamespaceId>,
}

impl RefRules {
    /// The rules that cover the branch or tag of that name.
    #[must_use]
    pub fn covering(&self, kind: ProtectionKind, name: &str) -> Protections<'_> {
        Protections { groups: &self.groups, ..Protections::covering(&self.rules, kind, name) }
    }
}

/// The rules of one project that cover one branch or tag. If several do, the most permissive one decides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Protections<'a> {
    rules: Vec<&'a ProtectedRef>,
    /// The groups of the caller, as [`RefRules`] has them.
    groups: &'a [NamespaceId],
}

impl<'a> Protections<'a> {
    /// Those of `rules` that cover the branch or tag of that name, for a caller who is in none of the groups.
    #[must_use]
    pub fn covering(rules: &'a [ProtectedRef], kind: ProtectionKind, name: &str) -> Self {
        Self { rules: rules.iter().filter(|rule| rule.kind == kind && rule.covers(name)).collect(), groups: &[] }
    }

    /// True if any rule covers it.
    #[must_use]
    pub fn is_protected(&self) -> bool {
        !self.rules.is_empty()
    }

    fn admit(&self, action: ProtectedAction, standing: &Standing) -> bool {
        self.rules.iter().any(|rule| rule.admits(action, standing, self.groups))
    }

    /// True if the caller may push to it, or create it, as far as these rules go.
    #[must_use]
    pub fn admit_push(&self, standing: &Standing) -> bool {
        self.rules.is_empty() || self.admit(ProtectedAction::Push, standing)
    }

    /// True if the caller may merge into it: who may push may.
    #[must_use]
    pub fn admit_merge(&self, standing: &Standing) -> bool {
        self.admit_push(standing) || self.admit(ProtectedAction::Merge, standing)
    }

    /// True if those who may push may rewrite history.
    #[must_use]
    pub fn allow_force_push(&self) -> bool {
        self.rules.is_empty() || self.rules.iter().any(|rule| rule.allow_force_push)
    }

    /// True if one of these rules holds for deploy keys.
    #[must_use]
    pub fn restrict_deploy_keys(&self) -> bool {
        self.rules.iter().any(|rule| rule.restricts_deploy_keys)
    }

    /// True if a deploy key that may write to the project may push to it, or create it.
    #[must_use]
    pub fn admit_key(&self, key: DeployKeyId) -> bool {
        let is_named = |rule: &&ProtectedRef| {
            rule.grantees(ProtectedAction::Push).any(|grantee| grantee == Grantee::DeployKey(key))
        };
        !self.restrict_deploy_keys() || self.rules.iter().any(is_named)
    }

    /// True if one of these rules demands the approvals of code owners. Those who may push need none.
    #[must_use]
    pub fn need_code_owners(&self) -> bool {
        self.rules.iter().any(|rule| rule.needs_code_owners)
    }

    /// True if developers may push by one of these rules.
    #[must_use]
    pub fn developers_can_push(&self) -> bool {
        self.name_developers(ProtectedAction::Push)
    }

    /// True if developers may merge by one of these rules.
    #[must_use]
    pub fn developers_can_merge(&self) -> bool {
        self.name_developers(ProtectedAction::Merge)
    }

    fn name_developers(&self, action: ProtectedAction) -> bool {
        self.rules.iter().any(|rule| rule.grantees(action).any(|grantee| grantee == Grantee::Level(30)))
    }
}

/// Level 0 stops administrators, too.
fn reaches(standing: &Standing, level: i64) -> bool {
    AccessLevel::from_value(level).is_some_and(|level| standing.at_least(level))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Viewer;
    use crate::id::UserId;

    fn who(id: i64, level: AccessLevel) -> Standing {
        Standing { viewer: Viewer::User { id: UserId::new(id), admin: false, external: false }, level: Some(level) }
    }

    const ADMIN: Standing =
        Standing { viewer: Viewer::User { id: UserId::new(1), admin: true, external: false }, level: None };

    #[test]
    fn stars_stand_for_any_run() {
        for (pattern, name, want) in [
            ("main", "main", true),
            ("main", "main2", false),
            ("release/*", "release/1.0", true),
            ("release/*", "release/1/x", true),
            ("*-stable", "1-0-stable", true),
            ("*-stable", "stable", false),
            ("*", "", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
            ("Main", "main", false),
        ] {
            assert_eq!(matches_pattern(pattern, name), want, "{pattern} {name}");
        }
        let hostile = "*a".repeat(2_000);
        assert!(!matches_pattern(&hostile, &"a".repeat(1_999)));
    }

    #[test]
    fn the_most_permissive_rule_decides_and_no_one_means_no_one() {
        use AccessLevel::{Developer, Maintainer};
        let rule = |name: &str, push| {
            let named = [(ProtectedAction::Push, Grantee::Level(push)), (ProtectedAction::Merge, Grantee::Level(40))];
            ProtectedRef::new(ProtectionKind::Branch, name, &named)
        };
        let push = |rules: &[ProtectedRef], who: &Standing| {
            Protections::covering(rules, ProtectionKind::Branch, "main").admit_push(who)
        };
        let strict = [rule("main", 40)];
        assert!(!push(&strict, &who(1, Developer)));
        assert!(push(&strict, &who(1, Maintainer)) && push(&strict, &ADMIN));
        assert!(push(&[rule("main", 40), rule("m*", 30)], &who(1, Developer)));
        let no_one = [rule("main", 0)];
        let no_one = Protections::covering(&no_one, ProtectionKind::Branch, "main");
        assert!(!no_one.admit_push(&ADMIN) && no_one.admit_merge(&ADMIN));
        assert!(push(&[rule("other", 0)], &who(1, Developer)));
        assert!(!push(&[ProtectedRef::new(ProtectionKind::Branch, "main", &[])], &ADMIN));
    }

    #[test]
    fn those_who_are_named_may_besides_the_level() {
        use AccessLevel::{Developer, Maintainer};
        use ProtectedAction::{Merge, Push};
        let (user, group, key) = (UserId::new(2), NamespaceId::new(7), DeployKeyId::new(9));
        let named = [
            (Push, Grantee::Level(0)),
            (Push, Grantee::User(user)),
            (Merge, Grantee::Group(group)),
            (Push, Grantee::DeployKey(key)),
        ];
        let of = |groups: &[NamespaceId], named: &[(ProtectedAction, Grantee)]| RefRules {
            rules: vec![ProtectedRef::new(ProtectionKind::Branch, "main", named)],
            groups: groups.to_vec(),
        };
        let rules = of(&[], &named);
        let covering = rules.covering(ProtectionKind::Branch, "main");
        assert!(covering.admit_push(&who(2, Developer)) && covering.admit_merge(&who(2, Developer)));
        assert!(!covering.admit_push(&who(3, Maintainer)) && !covering.admit_merge(&who(3, Maintainer)));
        // No one but those who are named: not administrators either.
        assert!(!covering.admit_push(&ADMIN) && covering.admit_merge(&ADMIN));
        assert!(covering.admit_key(key) && !covering.admit_key(DeployKeyId::new(8)));
        let rules = of(&[group], &named);
        let covering = rules.covering(ProtectionKind::Branch, "main");
        assert!(covering.admit_merge(&who(3, Developer)) && !covering.admit_push(&who(3, Developer)));
        let rules = of(&[], &named[1..2]);
        assert!(rules.covering(ProtectionKind::Branch, "main").admit_push(&ADMIN));
        // Levels say nothing about deploy keys, but for "No one".
        let rules = of(&[], &[(Push, Grantee::Level(40))]);
        assert!(rules.covering(ProtectionKind::Branch, "main").admit_key(key));
        let rules = of(&[], &named[..1]);
        assert!(!rules.covering(ProtectionKind::Branch, "main").admit_key(key));
    }

    #[test]
    fn a_rule_stays_closed_for_deploy_keys_when_those_whom_it_names_are_deleted() {
        use ProtectedAction::Push;
        let key = DeployKeyId::new(9);
        let admits = |rule: &ProtectedRef| {
            Protections::covering(std::slice::from_ref(rule), ProtectionKind::Branch, "main").admit_key(key)
        };
        let rule = |named: &[(ProtectedAction, Grantee)]| ProtectedRef::new(ProtectionKind::Branch, "main", named);
        for named in [Grantee::DeployKey(DeployKeyId::new(8)), Grantee::User(UserId::new(2))] {
            for others in [&[][..], &[(Push, Grantee::Level(40))][..]] {
                let all: Vec<_> = others.iter().copied().chain([(Push, named)]).collect();
                let mut rule = rule(&all);
                rule.entries.retain(|entry| entry.grantee != named);
                rule.restrict_deploy_keys();
                assert!(!admits(&rule), "{rule:?}");
            }
        }
        assert!(!admits(&rule(&[])) && admits(&rule(&[(Push, Grantee::Level(40))])));
        assert!(!admits(&rule(&[(Push, Grantee::Level(NO_ONE))])));
        assert!(admits(&rule(&[(Push, Grantee::Level(NO_ONE)), (Push, Grantee::Level(40))])));
    }

    #[test]
    fn a_default_branch_gets_a_rule_unless_it_is_not_protected() {
        let rule = |level| ProtectedRef::of_default_branch(&DefaultBranchProtection::of_level(level).unwrap(), "main");
        assert_eq!(rule(0), None);
        let named = |level, action| -> Vec<Grantee> { rule(level).unwrap().grantees(action).collect() };
        assert_eq!(named(1, ProtectedAction::Push), [Grantee::Level(30)]);
        assert_eq!(named(3, ProtectedAction::Merge), [Grantee::Level(30)]);
        assert_eq!(named(4, ProtectedAction::Push), [Grantee::Level(40)]);
        assert_eq!(named(2, ProtectedAction::Unprotect), [Grantee::Level(40)]);
    }

    #[test]
    fn a_rule_is_removed_by_those_whom_it_names() {
        let rule = |named: &[(ProtectedAction, Grantee)]| ProtectedRef::new(ProtectionKind::Branch, "main", named);
        let maintainer = who(3, AccessLevel::Maintainer);
        let own = rule(&[(ProtectedAction::Unprotect, Grantee::User(UserId::new(2)))]);
        assert!(!own.admits_unprotect(&maintainer, &[]) && own.admits_unprotect(&ADMIN, &[]));
        assert!(own.admits_unprotect(&who(2, AccessLevel::Maintainer), &[]));
        assert!(rule(&[]).admits_unprotect(&maintainer, &[]));
        let level = rule(&[(ProtectedAction::Unprotect, Grantee::Level(40))]);
        assert!(level.admits_unprotect(&maintainer, &[]));
    }
}
