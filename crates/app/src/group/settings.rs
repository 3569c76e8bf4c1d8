//! The decisions of owners about a group besides its name, its place and how open it is.

use tenon_domain::access::Decision;
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::group::setting::{DEFAULT_BRANCH, IP_RANGES};
use tenon_domain::group::{self, Group};
use tenon_domain::namespace::{CreationLevel, Namespace};
use tenon_domain::path::Place;
use tenon_domain::settings::{Changes, DefaultBranchProtection};
use tenon_git::BranchName;

use crate::core::app::Command;
use crate::core::error::AppError;

/// The longest time without a second factor, in hours: ten years.
const MAX_GRACE: i64 = 87_600;

/// Settings of a group; `None` leaves one as it is.
#[derive(Debug, Clone, Default)]
pub struct GroupSettings {
    /// Its description.
    pub description: Option<String>,
    /// True if LFS is on.
    pub lfs_enabled: Option<bool>,
    /// True if strangers may ask to become members.
    pub request_access_enabled: Option<bool>,
    /// True if its projects may not be shared with groups.
    pub share_with_group_lock: Option<bool>,
    /// From which level on members may put projects into it.
    pub project_creation_level: Option<CreationLevel>,
    /// From which level on members may put groups into it.
    pub subgroup_creation_level: Option<CreationLevel>,
    /// True if members are to have a second factor.
    pub require_two_factor_authentication: Option<bool>,
    /// For how many hours they may do without.
    pub two_factor_grace_period: Option<i64>,
    /// How the default branches of new projects are protected.
    pub default_branch_protection: Option<DefaultBranchProtection>,
    /// The settings of the table that it names.
    pub table: Changes,
}

impl GroupSettings {
    /// These settings without those that the caller may not change. Those are ignored, because clients send back all that they
    /// have read.
    pub(super) fn permitted(self, command: &mut Command<'_>) -> Result<Self, AppError> {
        let owners_protect = command.query().settings()?.group_owners_protect_default_branches;
        let default_branch_protection =
            self.default_branch_protection.filter(|_| owners_protect || command.viewer().is_admin());
        Ok(Self { default_branch_protection, ..self })
    }

    /// Puts what was given into `group`.
    pub(super) fn apply(self, group: &mut Group) {
        group.description = self.description.unwrap_or_else(|| std::mem::take(&mut group.description));
        group.lfs_enabled = self.lfs_enabled.unwrap_or(group.lfs_enabled);
        group.request_access_enabled = self.request_access_enabled.unwrap_or(group.request_access_enabled);
        group.share_with_group_lock = self.share_with_group_lock.unwrap_or(group.share_with_group_lock);
        let creation = &mut group.namespace.creation;
        creation.projects = self.project_creation_level.unwrap_or(creation.projects);
        creation.subgroups = self.subgroup_creation_level.unwrap_or(creation.subgroups);
        group.require_two_factor_authentication =
            self.require_two_factor_authentication.unwrap_or(group.require_two_factor_authentication);
        group.two_factor_grace_period = self.two_factor_grace_period.unwrap_or(group.two_factor_grace_period);
        group.default_branch_protection = self.default_branch_protection.or(group.default_branch_protection.take());
        for (setting, value) in self.table {
            group.settings.set(setting, value);
        }
    }

    /// Notes what is wrong with those that have columns.
    pub(super) fn check(&self, errors: &mut FieldErrors) {
        let hours = self.two_factor_grace_period.unwrap_or_default();
        errors.require(hours >= 0, "two_factor_grace_period", "must be greater than or equal to 0");
        let text = format!("must be less than or equal to {MAX_GRACE}");
        errors.require(hours <= MAX_GRACE, "two_factor_grace_period", &text);
    }
}

/// Notes what is wrong with the settings of the table, of a group at `place`.
pub(super) fn check_table(errors: &mut FieldErrors, place: Place, group: &Group) {
    group::check_settings(errors, place, &group.settings);
    let is_possible = group.settings.text_of(&DEFAULT_BRANCH).is_none_or(|name| BranchName::parse(name).is_ok());
    errors.require(is_possible, DEFAULT_BRANCH.name, "is not a valid branch name");
}

/// Stores that the group and all groups below it are reached from the addresses that it names. Refused if the caller would
/// not reach it any more, unless an administrator asks.
pub(super) fn set_ip_ranges(command: &mut Command<'_>, group: &Group) -> Result<(), AppError> {
    let ranges = group.settings.text_of(&IP_RANGES).map(ToOwned::to_owned);
    let after = Namespace { ip_ranges: ranges.clone(), ..group.namespace.clone() };
    if after.admits(command.viewer(), command.app.origin()) != Decision::Allow {
        return Err(AppError::invalid(IP_RANGES.name, "does not include your own address"));
    }
    Ok(tenon_storage::group::set_ip_ranges_below(&mut command.tx, group.id(), ranges.as_deref())?)
}
