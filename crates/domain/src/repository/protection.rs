//! Protected branches and tags.

use crate::access::{AccessLevel, Standing};
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

/// The levels that a rule may ask for: no one, developers, maintainers.
pub const PROTECTION_LEVELS: [i64; 3] = [0, 30, 40];

/// A rule that protects the branches or tags of one name, or of all names that match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtectedRef {
    /// Branches or tags.
    pub kind: ProtectionKind,
    /// A name, in which `*` stands for any run of characters.
    pub name: String,
    /// From which level on one may push to such a branch, or create such a tag; 0 for no one.
    pub push_level: i64,
    /// From which level on one may merge into such a branch; 0 for no one.
    pub merge_level: i64,
    /// True if a merge needs the approvals of the code owners of what it changes.
    pub needs_code_owners: bool,
}

impl ProtectedRef {
    /// True if it protects the branch or tag of that name.
    #[must_use]
    pub fn covers(&self, name: &str) -> bool {
        matches_pattern(&self.name, name)
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

/// The rules of one project that cover one branch or tag. If several do, the most permissive one decides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Protections(Vec<ProtectedRef>);

impl Protections {
    /// Those of `rules` that cover the branch or tag of that name.
    #[must_use]
    pub fn covering(rules: &[ProtectedRef], kind: ProtectionKind, name: &str) -> Self {
        Self(rules.iter().filter(|rule| rule.kind == kind && rule.covers(name)).cloned().collect())
    }

    /// True if any rule covers it.
    #[must_use]
    pub fn is_protected(&self) -> bool {
        !self.0.is_empty()
    }

    /// True if the caller may push to it, or create it, as far as these rules go.
    #[must_use]
    pub fn admit_push(&self, standing: &Standing) -> bool {
        self.0.is_empty() || self.0.iter().any(|rule| reaches(standing, rule.push_level))
    }

    /// True if the caller may merge into it: who may push may.
    #[must_use]
    pub fn admit_merge(&self, standing: &Standing) -> bool {
        self.admit_push(standing) || self.0.iter().any(|rule| reaches(standing, rule.merge_level))
    }

    /// True if one of these rules demands the approvals of code owners. Those who may push need none.
    #[must_use]
    pub fn need_code_owners(&self) -> bool {
        self.0.iter().any(|rule| rule.needs_code_owners)
    }

    /// True if developers may push by one of these rules.
    #[must_use]
    pub fn developers_can_push(&self) -> bool {
        self.0.iter().any(|rule| rule.push_level == 30)
    }

    /// True if developers may merge by one of these rules.
    #[must_use]
    pub fn developers_can_merge(&self) -> bool {
        self.0.iter().any(|rule| rule.merge_level == 30)
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
        let rule = |name: &str, push_level| ProtectedRef {
            kind: ProtectionKind::Branch,
            name: name.to_owned(),
            push_level,
            merge_level: 40,
            needs_code_owners: false,
        };
        let who = |level| Standing {
            viewer: Viewer::User { id: UserId::new(1), admin: false, external: false },
            level: Some(level),
        };
        let admin = Standing { viewer: Viewer::User { id: UserId::new(1), admin: true, external: false }, level: None };
        let of = |rules: &[ProtectedRef]| Protections::covering(rules, ProtectionKind::Branch, "main");
        let strict = of(&[rule("main", 40)]);
        assert!(!strict.admit_push(&who(AccessLevel::Developer)));
        assert!(strict.admit_push(&who(AccessLevel::Maintainer)) && strict.admit_push(&admin));
        assert!(of(&[rule("main", 40), rule("m*", 30)]).admit_push(&who(AccessLevel::Developer)));
        let no_one = of(&[rule("main", 0)]);
        assert!(!no_one.admit_push(&admin) && no_one.admit_merge(&admin));
        assert!(of(&[rule("other", 0)]).admit_push(&who(AccessLevel::Developer)));
    }
}
