//! What one user is a member of.

use serde::Serialize;
use tenon_app::user::{self, Membership, MembershipKind};
use tenon_domain::id::UserId;
use tenon_domain::member::Source;
use utoipa::ToSchema;

use crate::call::Call;
use crate::error::ApiError;
use crate::params::{Paging, choice, params};
use crate::reply::Paged;

choice! {
    /// In what.
    pub(crate) enum MembershipType {
        /// In projects.
        Project = "Project",
        /// In groups.
        Namespace = "Namespace",
    }
}

params! {
    /// Which memberships are wanted.
    pub(crate) struct MembershipParams {
        /// In projects or in groups; in both where absent.
        r#type: Option<MembershipType>,
        paging: Paging,
    }
}

/// A direct membership of a user.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MembershipDto {
    /// The id of the project or group.
    source_id: i64,
    /// Its display name.
    source_name: String,
    /// `Project` or `Namespace`.
    source_type: &'static str,
    access_level: i64,
}

impl From<Membership> for MembershipDto {
    fn from(membership: Membership) -> Self {
        let (source_id, source_type) = match membership.source {
            Source::Group(id) => (id.get(), "Namespace"),
            Source::Project(id) => (id.get(), "Project"),
        };
        Self { source_id, source_type, source_name: membership.name, access_level: membership.level.value() }
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
