//! The memberships of a user.

use tenon_app::user::{self, MembershipKind};
use tenon_domain::id::UserId;
use tenon_edge::error::ApiError;

use crate::dto::user::MembershipDto;
use crate::endpoint::{Call, Paged};
use crate::params::{Paging, choice, params};

choice! {
    /// The type of membership.
    pub(crate) enum MembershipType {
        /// Projects.
        Project = "Project",
        /// Groups.
        Namespace = "Namespace",
    }
}

params! {
    /// Filters of memberships.
    pub(crate) struct MembershipParams {
        /// In projects or in groups; in both by default.
        r#type: Option<MembershipType>,
        paging: Paging,
    }
}

pub(super) async fn list(Call { caller, params }: Call<MembershipParams>) -> Result<Paged<MembershipDto>, ApiError> {
    let user = UserId::new(caller.path_i64("id")?);
    let kind = match params.r#type {
        None => MembershipKind::Any,
        Some(MembershipType::Project) => MembershipKind::Project,
        Some(MembershipType::Namespace) => MembershipKind::Group,
    };
    let page = caller.read(move |query| user::memberships(query, user, kind, params.paging.into())).await?;
    Ok(Paged(page.map(Into::into)))
}
