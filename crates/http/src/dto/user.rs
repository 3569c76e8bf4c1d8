//! Users as JSON.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use tenon_app::user::{Identity, Membership, UserRef, UserView};
use tenon_domain::container::Container;
use tenon_domain::id::NamespaceId;
use utoipa::ToSchema;

use super::custom_attribute::CustomAttributeDto;

/// The existence of a user.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct UserExistenceDto {
    pub(crate) exists: bool,
}

/// The public fields of a user, used in other resources.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct UserRefDto {
    id: i64,
    username: String,
    name: String,
    state: &'static str,
    avatar_url: Option<String>,
    web_url: String,
}

/// A user, with the fields that the caller may see.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum UserDto {
    /// In lists.
    Basic(UserRefDto),
    /// A single user.
    Single(Box<SingleUserDto>),
    /// The caller.
    Own(Box<OwnUserDto>),
    /// For administrators.
    Admin(Box<AdminUserDto>),
}

/// A user with profile.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SingleUserDto {
    #[serde(flatten)]
    basic: UserRefDto,
    /// True for the account of an access token of a project or group.
    bot: bool,
    /// True if the account is locked. It never is: wrong passwords only slow down who tries them.
    locked: bool,
    /// Omitted if a private profile hides it.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "crate::dto::json_time::optional")]
    created_at: Option<DateTime<Utc>>,
    bio: Option<String>,
    location: Option<String>,
    public_email: String,
    messenger: String,
    professional_network: String,
    microblog: String,
    /// `messenger` under the name that clients read.
    skype: String,
    /// `professional_network` under the name that clients read.
    linkedin: String,
    /// `microblog` under the name that clients read.
    twitter: String,
    website_url: String,
    organization: Option<String>,
    job_title: String,
    pronouns: Option<String>,
    /// Job title and organization as one text.
    work_information: Option<String>,
}

/// A user with account settings.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OwnUserDto {
    #[serde(flatten)]
    single: SingleUserDto,
    /// The sign-in before the current one.
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    last_sign_in_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    confirmed_at: Option<DateTime<Utc>>,
    last_activity_on: Option<NaiveDate>,
    email: String,
    /// The address in commits that pages and the API make.
    commit_email: String,
    /// The theme that clients name; stored, without effect.
    theme_id: i64,
    /// Always the same: there is only one colour scheme.
    color_scheme_id: i64,
    projects_limit: i64,
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    current_sign_in_at: Option<DateTime<Utc>>,
    /// Accounts at outside providers.
    identities: Vec<IdentityDto>,
    /// The id of the first of them.
    extern_uid: Option<String>,
    /// The provider of the first of them.
    provider: Option<String>,
    can_create_group: bool,
    /// True if the user may create another personal project.
    can_create_project: bool,
    /// True if the user signs in with a second factor.
    two_factor_enabled: bool,
    external: bool,
    private_profile: bool,
    /// The personal namespace.
    namespace_id: Option<i64>,
}

/// A user as administrators see it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AdminUserDto {
    #[serde(flatten)]
    own: OwnUserDto,
    is_admin: bool,
    /// A remark on the account.
    note: Option<String>,
    /// The administrator who has created the account.
    created_by: Option<UserRefDto>,
    /// The address of the latest sign-in.
    current_sign_in_ip: Option<String>,
    /// The address of the sign-in before.
    last_sign_in_ip: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    custom_attributes: Option<Vec<CustomAttributeDto>>,
}

/// An account at an outside provider.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IdentityDto {
    provider: String,
    extern_uid: String,
}

impl UserDto {
    /// A user in a list.
    pub(crate) fn listed(view: UserView) -> Self {
        if view.for_admin { Self::admin(view) } else { Self::Basic(view.basic.into()) }
    }

    /// A single user.
    pub(crate) fn single(view: UserView) -> Self {
        if view.for_admin { Self::admin(view) } else { Self::Single(Box::new(SingleUserDto::present(view))) }
    }

    /// The caller.
    pub(crate) fn own(view: UserView) -> Self {
        if view.for_admin { Self::admin(view) } else { Self::Own(Box::new(OwnUserDto::present(view))) }
    }

    fn admin(mut view: UserView) -> Self {
        let attributes = view.custom_attributes.take();
        Self::Admin(Box::new(AdminUserDto {
            is_admin: view.user.admin,
            note: view.details.note.take(),
            created_by: view.created_by.take().map(Into::into),
            current_sign_in_ip: view.details.current_sign_in_ip.take(),
            last_sign_in_ip: view.details.last_sign_in_ip.take(),
            custom_attributes: attributes.map(|found| found.into_iter().map(Into::into).collect()),
            own: OwnUserDto::present(view),
        }))
    }
}

impl SingleUserDto {
    fn present(view: UserView) -> Self {
        let profile = view.user.profile;
        Self {
            basic: view.basic.into(),
            bot: view.user.bot,
            locked: false,
            created_at: view.shows_creation.then_some(view.user.created_at),
            work_information: view.details.work_information(profile.organization.as_deref()),
            job_title: view.details.job_title,
            pronouns: view.details.pronouns,
            bio: profile.bio,
            location: profile.location,
            public_email: profile.public_email,
            skype: profile.messenger.clone(),
            linkedin: profile.professional_network.clone(),
            twitter: profile.microblog.clone(),
            messenger: profile.messenger,
            professional_network: profile.professional_network,
            microblog: profile.microblog,
            website_url: profile.website_url,
            organization: profile.organization,
        }
    }
}

impl OwnUserDto {
    fn present(mut view: UserView) -> Self {
        let identities = std::mem::take(&mut view.identities);
        let user = &view.user;
        Self {
            last_sign_in_at: user.last_sign_in_at,
            confirmed_at: user.confirmed_at,
            last_activity_on: user.last_activity_on,
            email: user.email.clone(),
            commit_email: view.details.commit_email.clone().unwrap_or_else(|| user.email.clone()),
            theme_id: view.details.theme,
            color_scheme_id: 1,
            projects_limit: user.projects_limit,
            current_sign_in_at: user.current_sign_in_at,
            extern_uid: identities.first().map(|identity| identity.extern_uid.clone()),
            provider: identities.first().map(|identity| identity.provider.clone()),
            identities: identities.into_iter().map(Into::into).collect(),
            can_create_group: user.can_create_group,
            can_create_project: view.can_create_project,
            two_factor_enabled: view.two_factor_enabled,
            external: user.external,
            private_profile: user.private_profile,
            namespace_id: view.namespace.map(NamespaceId::get),
            single: SingleUserDto::present(view),
        }
    }
}

impl From<Identity> for IdentityDto {
    fn from(identity: Identity) -> Self {
        Self { provider: identity.provider, extern_uid: identity.extern_uid }
    }
}

impl From<UserRef> for UserRefDto {
    fn from(user: UserRef) -> Self {
        Self {
            id: user.id.get(),
            username: user.username,
            name: user.name,
            state: user.state,
            avatar_url: user.avatar_url,
            web_url: user.web_url,
        }
    }
}

/// `true`, or `null` if the user was in that state already.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ExcludedDto(pub(crate) Option<bool>);

/// `{"message": "Success"}`
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OutcomeDto {
    message: &'static str,
}

impl OutcomeDto {
    pub(crate) const SUCCESS: Self = Self { message: "Success" };
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
        let (source_id, source_type) = match membership.container {
            Container::Group(id) => (id.get(), "Namespace"),
            Container::Project(id) => (id.get(), "Project"),
        };
        Self { source_id, source_type, source_name: membership.name, access_level: membership.level.value() }
    }
}

/// The day on which a user was last active.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ActivityDto {
    pub(crate) username: String,
    pub(crate) last_activity_on: NaiveDate,
    /// The same day under the name that older clients read.
    pub(crate) last_activity_at: NaiveDate,
}

/// The URL of an avatar.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PictureDto {
    pub(crate) avatar_url: Option<String>,
}
