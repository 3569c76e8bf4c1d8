//! Members of groups and projects: one set of rules for both.

mod access_request;
mod change;
mod invitation;
mod list;

pub use access_request::{
    AccessRequestView, AccessRequests, access_requests, access_requests_of_page, approve, deny, request_access,
};
pub use change::{AddMembers, EditMember, MAX_ADDED, NewMembers, add, edit, remove};
pub use invitation::{
    Admission, EditInvitation, InvitationView, Invite, OpenInvitation, accept_invitation, decline_invitation,
    edit_invitation, invitation_of, invitations, invite, remove_invitation, resend_invitation,
};
pub use list::{ListMembers, MemberView, MembersPage, effective, effective_one, list, page, show};

use tenon_domain::container::Container;
use tenon_domain::group::GroupAction;
use tenon_domain::id::NamespaceId;
use tenon_domain::project::ProjectAction;

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::container::ContainerReference;

/// The purpose for which the members are asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    See,
    Manage,
    /// To become one, where those who have no access may ask for it.
    RequestAccess,
}

/// A container whose members the caller may use, and the namespace through which members are inherited.
struct Found {
    container: Container,
    namespace: NamespaceId,
    /// The owner of a personal project.
    owner: Option<tenon_domain::id::UserId>,
}

fn find(query: &mut Query<'_>, of: &ContainerReference, purpose: Purpose) -> Result<Found, AppError> {
    match of {
        ContainerReference::Group(reference) => {
            let action = match purpose {
                Purpose::See => GroupAction::Read,
                Purpose::Manage => GroupAction::Administer,
                Purpose::RequestAccess => GroupAction::RequestAccess,
            };
            let group = query.group(reference, action)?.group;
            if purpose == Purpose::RequestAccess && !group.request_access_enabled {
                return Err(AppError::Forbidden);
            }
            let id = group.id();
            Ok(Found { container: Container::Group(id), namespace: id, owner: None })
        }
        ContainerReference::Project(reference) => {
            let action = match purpose {
                Purpose::See => ProjectAction::Read,
                Purpose::Manage => ProjectAction::ManageMembers,
                Purpose::RequestAccess => ProjectAction::RequestAccess,
            };
            let found = query.project(reference, action)?;
            if purpose == Purpose::RequestAccess && !found.project.features.request_access_enabled {
                return Err(AppError::Forbidden);
            }
            Ok(Found {
                container: Container::Project(found.project.id),
                namespace: found.namespace.id,
                owner: found.namespace.owner,
            })
        }
    }
}
