//! Who may do what with a group.

use crate::access::{AccessLevel, Decision, Standing, Viewer};
use crate::namespace::Creation;
use crate::visibility::Visibility;

/// The actions that are possible with a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GroupAction {
    /// See it, its subgroups, projects and members.
    Read,
    /// See it as a namespace: members only, even when it is public.
    ReadNamespace,
    /// Ask to become a member, if the group takes such requests.
    RequestAccess,
    /// Put a project into it.
    CreateProject,
    /// Put a group into it.
    CreateSubgroup,
    /// Make and change its labels.
    ManageLabels,
    /// Make and change its milestones.
    ManageMilestones,
    /// Read and change its variables.
    ManageVariables,
    /// See its deploy tokens, without their secrets.
    ReadDeployTokens,
    /// Change it, and everything else that belongs to its owners: visibility, members, shares, transfer, deletion.
    Administer,
}

impl GroupAction {
    /// All actions, in the order of the reviewed grid.
    pub const ALL: [Self; 10] = [
        Self::Read,
        Self::ReadNamespace,
        Self::RequestAccess,
        Self::CreateProject,
        Self::CreateSubgroup,
        Self::ManageLabels,
        Self::ManageMilestones,
        Self::ManageVariables,
        Self::ReadDeployTokens,
        Self::Administer,
    ];
}

/// The standing of a caller towards a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupStanding {
    /// Level in the group: its own members, those of the groups above, and shares.
    pub standing: Standing,
    /// True if the caller is a member of any group or project below: that is enough to see what stands above it.
    pub reaches_below: bool,
}

/// The facts about a group that decide, besides the caller's standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupFacts {
    /// How open it is.
    pub visibility: Visibility,
    /// Who may put something into it.
    pub creation: Creation,
}

/// Decides whether the caller may do `action` with such a group.
#[must_use]
pub fn decide(who: &GroupStanding, group: GroupFacts, action: GroupAction) -> Decision {
    let standing = &who.standing;
    let belongs = standing.level.is_some() || standing.viewer.is_admin();
    if !(standing.sees(group.visibility) || who.reaches_below) {
        return Decision::Hide;
    }
    match action {
        GroupAction::Read => Decision::Allow,
        GroupAction::ReadNamespace if belongs => Decision::Allow,
        GroupAction::ReadNamespace => Decision::Hide,
        GroupAction::RequestAccess => Decision::allow_if(standing.may_request_access(group.visibility)),
        // External users own nothing, whatever their level.
        GroupAction::CreateProject | GroupAction::CreateSubgroup if is_external(standing) => Decision::Deny,
        GroupAction::CreateProject => Decision::allow_if(group.creation.projects.admits(standing)),
        GroupAction::CreateSubgroup => Decision::allow_if(group.creation.subgroups.admits(standing)),
        GroupAction::ManageLabels => Decision::allow_if(standing.at_least(AccessLevel::Reporter)),
        GroupAction::ManageMilestones => Decision::allow_if(standing.at_least(AccessLevel::Developer)),
        GroupAction::ManageVariables | GroupAction::ReadDeployTokens => {
            Decision::allow_if(standing.at_least(AccessLevel::Maintainer))
        }
        GroupAction::Administer => Decision::allow_if(standing.at_least(AccessLevel::Owner)),
    }
}

const fn is_external(standing: &Standing) -> bool {
    matches!(standing.viewer, Viewer::User { external: true, admin: false, .. })
}
