//! How the default branch of a new project is protected.

/// The levels that a protection may name: no one, developers, maintainers.
pub const PROTECTION_LEVELS: [i64; 3] = [0, DEVELOPERS, MAINTAINERS];

/// The protection of the default branches of new projects, as the settings of the server or of a group say. A rule is made at the first
/// push, and stays when the settings change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultBranchProtection {
    /// The levels that may push; of [`PROTECTION_LEVELS`], each once.
    pub push: Vec<i64>,
    /// The levels that may merge; of [`PROTECTION_LEVELS`], each once.
    pub merge: Vec<i64>,
    /// True if those who may push may rewrite history.
    pub allow_force_push: bool,
    /// True if developers may make the first push, whoever may push later.
    pub developer_can_initial_push: bool,
}

const DEVELOPERS: i64 = 30;
const MAINTAINERS: i64 = 40;

impl Default for DefaultBranchProtection {
    /// Full protection.
    fn default() -> Self {
        Self {
            push: vec![MAINTAINERS],
            merge: vec![MAINTAINERS],
            allow_force_push: false,
            developer_can_initial_push: false,
        }
    }
}

impl DefaultBranchProtection {
    /// The numbers of the usual ways of protection.
    pub const LEVELS: &[i64] = &[0, 1, 2, 3, 4];

    /// The protection with this number: 0 for none, 1 if developers push, 2 for maintainers only, 3 if developers merge, 4 as 2
    /// after the first push.
    #[must_use]
    pub fn of_level(level: i64) -> Option<Self> {
        let full = Self::default();
        Some(match level {
            0 => Self { push: vec![DEVELOPERS], merge: vec![DEVELOPERS], allow_force_push: true, ..full },
            1 => Self { push: vec![DEVELOPERS], ..full },
            2 => full,
            3 => Self { merge: vec![DEVELOPERS], ..full },
            4 => Self { developer_can_initial_push: true, ..full },
            _ => return None,
        })
    }

    /// The number that comes closest: that of [`DefaultBranchProtection::of_level`] for those that have one.
    #[must_use]
    pub fn level(&self) -> i64 {
        let (push, merge) = (self.push.contains(&DEVELOPERS), self.merge.contains(&DEVELOPERS));
        match (push, merge) {
            (true, true) if self.allow_force_push => 0,
            (true, _) => 1,
            (false, _) if self.developer_can_initial_push => 4,
            (false, true) => 3,
            (false, false) => 2,
        }
    }

    /// True if only maintainers make the first push.
    #[must_use]
    pub fn reserves_first_push(&self) -> bool {
        !self.developer_can_initial_push && !self.push.contains(&DEVELOPERS)
    }

    /// The text under which it is stored: its number, if it is one of those, and otherwise its parts.
    #[must_use]
    pub fn stored(&self) -> String {
        if Self::of_level(self.level()).as_ref() == Some(self) {
            return self.level().to_string();
        }
        let levels = |levels: &[i64]| levels.iter().map(i64::to_string).collect::<Vec<String>>().join(",");
        format!(
            "push={};merge={};force={};first={}",
            levels(&self.push),
            levels(&self.merge),
            self.allow_force_push,
            self.developer_can_initial_push
        )
    }

    /// The protection that is stored as this text.
    #[must_use]
    pub fn parse(stored: &str) -> Option<Self> {
        if let Ok(level) = stored.parse() {
            return Self::of_level(level);
        }
        let mut parts = stored.split(';');
        let mut part = |name: &str| parts.next()?.strip_prefix(name)?.strip_prefix('=');
        let (push, merge) = (parse_levels(part("push")?)?, parse_levels(part("merge")?)?);
        let allow_force_push = part("force")?.parse().ok()?;
        let developer_can_initial_push = part("first")?.parse().ok()?;
        parts.next().is_none().then_some(Self { push, merge, allow_force_push, developer_can_initial_push })
    }

    /// These levels, each once, in their order; `None` if one of them is none that a rule may name.
    #[must_use]
    pub fn levels(asked: &[i64]) -> Option<Vec<i64>> {
        let mut levels = Vec::new();
        for level in asked {
            if !PROTECTION_LEVELS.contains(level) {
                return None;
            }
            if !levels.contains(level) {
                levels.push(*level);
            }
        }
        Some(levels)
    }
}

fn parse_levels(text: &str) -> Option<Vec<i64>> {
    let numbers = text.split(',').filter(|number| !number.is_empty());
    DefaultBranchProtection::levels(&numbers.map(|number| number.parse().ok()).collect::<Option<Vec<i64>>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_ways_of_protection() {
        for level in DefaultBranchProtection::LEVELS.iter().copied() {
            let protection = DefaultBranchProtection::of_level(level).unwrap();
            assert_eq!(protection.level(), level);
            assert_eq!(protection.stored(), level.to_string());
            assert_eq!(DefaultBranchProtection::parse(&level.to_string()), Some(protection.clone()));
            assert_eq!(protection.reserves_first_push(), matches!(level, 2 | 3), "{level}");
        }
        assert_eq!(DefaultBranchProtection::of_level(5), None);
    }

    #[test]
    fn every_other_way_has_the_number_that_comes_closest() {
        for (push, merge, force, first, level) in [
            (&[0][..], &[30][..], true, false, 3),
            (&[40, 30], &[0], false, true, 1),
            (&[], &[], true, true, 4),
            (&[40], &[40], true, false, 2),
        ] {
            let protection = DefaultBranchProtection {
                push: push.to_vec(),
                merge: merge.to_vec(),
                allow_force_push: force,
                developer_can_initial_push: first,
            };
            assert_eq!(protection.level(), level, "{protection:?}");
            assert_eq!(DefaultBranchProtection::parse(&protection.stored()), Some(protection));
        }
        for odd in ["", "5", "push=50;merge=;force=true;first=true", "push=;merge=;force=1;first=true", "push=;merge="]
        {
            assert_eq!(DefaultBranchProtection::parse(odd), None, "{odd}");
        }
        assert_eq!(DefaultBranchProtection::levels(&[40, 30, 40]), Some(vec![40, 30]));
    }
}
