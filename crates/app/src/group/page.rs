//! A group as its pages show it.

use tenon_domain::group::{Group, GroupAction};
use tenon_domain::notification_setting::{NotificationLevel, NotificationScope};

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::reference::Reference;
use crate::shared::views::notification_level;

/// A group, with what the caller may do on its pages.
#[derive(Debug, Clone)]
pub struct GroupPage {
    /// The group.
    pub group: Group,
    /// About what the caller wants mail from this group. None without an account.
    pub notification: Option<NotificationLevel>,
    /// The caller's rights.
    pub may: GroupRights,
}

/// The caller's rights in a group. The use cases ask again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is the answer of one ability")]
pub struct GroupRights {
    /// Make projects in it.
    pub create_project: bool,
    /// Make groups in it.
    pub create_subgroup: bool,
    /// Make and change its labels.
    pub manage_labels: bool,
    /// Make and change its milestones.
    pub manage_milestones: bool,
    /// Read and change its variables.
    pub manage_variables: bool,
    /// See its deploy tokens.
    pub read_deploy_tokens: bool,
    /// Change its settings and members, and remove it.
    pub administer: bool,
}

/// The group that `reference` names.
pub fn page(query: &mut Query<'_>, reference: &Reference) -> Result<GroupPage, AppError> {
    let found = query.group(reference, GroupAction::Read)?;
    let may = GroupRights {
        create_project: found.may(GroupAction::CreateProject),
        create_subgroup: found.may(GroupAction::CreateSubgroup),
        manage_labels: found.may(GroupAction::ManageLabels),
        manage_milestones: found.may(GroupAction::ManageMilestones),
        manage_variables: found.may(GroupAction::ManageVariables),
        read_deploy_tokens: found.may(GroupAction::ReadDeployTokens),
        administer: found.may(GroupAction::Administer),
    };
    let notification = notification_level::of(query, NotificationScope::Group(found.group.id()))?;
    Ok(GroupPage { group: found.group, notification, may })
}
