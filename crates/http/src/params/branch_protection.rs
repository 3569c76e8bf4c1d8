//! How the default branches of new projects are protected, as two parameters: a number, and its parts.

use tenon_domain::settings::DefaultBranchProtection;

use super::{Each, FieldDoc, Hash, Param, Reader, params};

const LEVEL: &str = "default_branch_protection";
/// The name of the parameter for the parts.
pub(crate) const BRANCH_PROTECTION_DEFAULTS: &str = "default_branch_protection_defaults";
const NO_VALID_VALUE: &str = "does not have a valid value";

params! {
    /// A level that may do something.
    pub(crate) struct LevelParams {
        /// 0 for no one, 30 or 40.
        access_level: i64,
    }
}

params! {
    /// The parts of a protection. What is absent is as for 2.
    pub(crate) struct DefaultsParams {
        /// The levels that may push; 40 by default.
        allowed_to_push: Option<Each<LevelParams>>,
        /// The levels that may merge; 40 by default.
        allowed_to_merge: Option<Each<LevelParams>>,
        /// True if those who may push may also force a push; false by default.
        allow_force_push: Option<bool>,
        /// True if developers may make the first push; false by default.
        developer_can_initial_push: Option<bool>,
    }
}

impl DefaultsParams {
    /// `None` if it names a level that a protection does not know.
    fn protection(self) -> Option<DefaultBranchProtection> {
        let levels = |asked: Option<Each<LevelParams>>, usual: Vec<i64>| match asked {
            Some(asked) => {
                let asked: Vec<i64> = asked.0.into_iter().map(|level| level.access_level).collect();
                DefaultBranchProtection::levels(&asked)
            }
            None => Some(usual),
        };
        let usual = DefaultBranchProtection::default();
        Some(DefaultBranchProtection {
            push: levels(self.allowed_to_push, usual.push)?,
            merge: levels(self.allowed_to_merge, usual.merge)?,
            allow_force_push: self.allow_force_push.unwrap_or(usual.allow_force_push),
            developer_can_initial_push: self.developer_can_initial_push.unwrap_or(usual.developer_can_initial_push),
        })
    }
}

/// The protection that a request names by its parts, which agree with its `level` if it names one.
pub(crate) fn read_defaults(reader: &mut Reader<'_>, level: Option<i64>) -> Option<DefaultBranchProtection> {
    let parts = Hash::<DefaultsParams>::read(reader, &[BRANCH_PROTECTION_DEFAULTS])?.0?;
    let Some(protection) = parts.protection() else {
        reader.complain(BRANCH_PROTECTION_DEFAULTS, NO_VALID_VALUE);
        return None;
    };
    if level.is_some_and(|level| level != protection.level()) {
        reader.mutually_exclusive(&[LEVEL, BRANCH_PROTECTION_DEFAULTS]);
    }
    Some(protection)
}

/// Describes the parts.
pub(crate) fn describe_defaults(fields: &mut Vec<FieldDoc>) {
    let text = "The same as `default_branch_protection`, in parts. Both together have to agree.";
    Hash::<DefaultsParams>::describe(BRANCH_PROTECTION_DEFAULTS, &[text], fields);
}

/// The protection of a request, by its number, its parts, or both; nothing if it names neither.
#[derive(Debug, Clone)]
pub(crate) struct BranchProtectionParam(pub(crate) Option<DefaultBranchProtection>);

impl Param for BranchProtectionParam {
    fn read(reader: &mut Reader<'_>, names: &[&'static str]) -> Option<Self> {
        let level = Option::<i64>::read(reader, names)?;
        let of_level = level.map(DefaultBranchProtection::of_level);
        if of_level == Some(None) {
            reader.complain(LEVEL, NO_VALID_VALUE);
            return None;
        }
        Some(Self(read_defaults(reader, level).or(of_level.flatten())))
    }

    fn describe(name: &'static str, doc: &[&str], fields: &mut Vec<FieldDoc>) {
        Option::<i64>::describe(name, doc, fields);
        describe_defaults(fields);
    }
}
