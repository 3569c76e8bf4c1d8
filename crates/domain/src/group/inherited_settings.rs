//! The settings of a group and the groups above it together.

use super::setting::{EMAIL_DOMAINS, GIT_ACCESS, PIPELINE_BEFORE_MERGE, RESOLVED_BEFORE_MERGE};
use crate::id::NamespaceId;
use crate::project::Features;
use crate::settings::{EmailDomains, GitAccess, Setting, Values};

/// The settings of a group and of the groups above it, the nearest first. Groups in which nothing was changed are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InheritedSettings(Vec<(NamespaceId, Values)>);

/// The conditions of a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergeRequirements {
    /// The pipeline has succeeded.
    pub pipeline: bool,
    /// All discussions are resolved.
    pub resolved: bool,
}

impl InheritedSettings {
    /// The settings of these groups, the nearest first.
    #[must_use]
    pub const fn new(groups: Vec<(NamespaceId, Values)>) -> Self {
        Self(groups)
    }

    /// The nearest group in which a switch that is off at first is on.
    #[must_use]
    pub fn nearest_on(&self, switch: &Setting) -> Option<NamespaceId> {
        self.0.iter().find(|(_, values)| values.is_on(switch)).map(|(id, _)| *id)
    }

    /// True if a switch that is off at first is on in one of them.
    #[must_use]
    pub fn is_on(&self, switch: &Setting) -> bool {
        self.nearest_on(switch).is_some()
    }

    /// True if a switch that is on at first is off in one of them.
    #[must_use]
    pub fn is_off(&self, switch: &Setting) -> bool {
        self.0.iter().any(|(_, values)| !values.is_on(switch))
    }

    /// The text of the nearest group that has one.
    #[must_use]
    pub fn text_of(&self, setting: &Setting) -> Option<&str> {
        self.0.iter().find_map(|(_, values)| values.text_of(setting))
    }

    /// True if none of them forbids this protocol.
    #[must_use]
    pub fn admits(&self, protocol: GitAccess) -> bool {
        let forbidden = match protocol {
            GitAccess::Http => "ssh",
            GitAccess::Ssh => "http",
        };
        !self.0.iter().any(|(_, values)| values.text_of(&GIT_ACCESS) == Some(forbidden))
    }

    /// The conditions of a merge of a project with these switches in the nearest of them.
    #[must_use]
    pub fn merge_requirements(&self, project: &Features) -> MergeRequirements {
        MergeRequirements {
            pipeline: project.only_allow_merge_if_pipeline_succeeds || self.is_on(&PIPELINE_BEFORE_MERGE),
            resolved: project.only_allow_merge_if_all_discussions_are_resolved || self.is_on(&RESOLVED_BEFORE_MERGE),
        }
    }

    /// True if one of them limits the addresses of members.
    #[must_use]
    pub fn limits_addresses(&self) -> bool {
        self.text_of(&EMAIL_DOMAINS).is_some()
    }

    /// True if somebody with these confirmed addresses may become a member: each group that limits them finds one of its
    /// domains.
    #[must_use]
    pub fn admits_member(&self, addresses: &[String]) -> bool {
        let mut lists = self.0.iter().filter_map(|(_, values)| values.text_of(&EMAIL_DOMAINS));
        lists.all(|list| {
            let allowed = list.split(',').map(|domain| domain.trim().to_owned()).collect();
            let domains = EmailDomains { allowed, denied: Vec::new() };
            addresses.iter().any(|address| domains.admit(address).is_ok())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::setting::{DEFAULT_BRANCH, EMAILS_ENABLED, MEMBERSHIP_LOCK};
    use super::*;
    use crate::settings::Value;

    fn values(changes: &[(&Setting, Value)]) -> Values {
        let mut values = Values::default();
        for (setting, value) in changes {
            values.set(setting, value.clone());
        }
        values
    }

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    #[test]
    fn the_nearest_names_the_branch_and_any_of_them_restricts() {
        let near = values(&[(&DEFAULT_BRANCH, text("trunk")), (&EMAIL_DOMAINS, text("a.test, b.test"))]);
        let top = values(&[
            (&DEFAULT_BRANCH, text("develop")),
            (&MEMBERSHIP_LOCK, Value::Switch(true)),
            (&EMAILS_ENABLED, Value::Switch(false)),
            (&GIT_ACCESS, text("ssh")),
            (&EMAIL_DOMAINS, text("*.test")),
        ]);
        let inherited = InheritedSettings::new(vec![(NamespaceId::new(2), near), (NamespaceId::new(1), top)]);
        assert_eq!(inherited.text_of(&DEFAULT_BRANCH), Some("trunk"));
        assert_eq!(inherited.nearest_on(&MEMBERSHIP_LOCK), Some(NamespaceId::new(1)));
        assert!(inherited.is_off(&EMAILS_ENABLED));
        assert!(inherited.admits(GitAccess::Ssh) && !inherited.admits(GitAccess::Http));
        let admits = |addresses: &[&str]| {
            inherited.admits_member(&addresses.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>())
        };
        assert!(admits(&["x@b.test"]) && !admits(&["x@c.test"]) && !admits(&[]));
        assert!(
            InheritedSettings::default().admits_member(&[]) && InheritedSettings::default().admits(GitAccess::Http)
        );
    }
}
