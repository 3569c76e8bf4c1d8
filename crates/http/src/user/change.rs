//! Creating and changing users.

use actix_web::http::StatusCode;
use tenon_app::Secret;
use tenon_app::user::{self, CreateUser, DetailChange, EditUser, Identity, NewPassword, Password, ProfileChange};
use tenon_domain::id::UserId;
use tenon_domain::patch::Patch;
use tenon_edge::error::ApiError;
use tenon_edge::raw::Upload;

use crate::avatar::with_picture;
use crate::dto::user::UserDto;
use crate::endpoint::{Call, Created, Json};
use crate::params::params;

params! {
    /// The profile of a user.
    pub(crate) struct ProfileParams {
        /// Handle at a messenger.
        messenger | skype: Option<String>,
        /// Handle at a professional network.
        professional_network | linkedin: Option<String>,
        /// Handle at a microblog.
        microblog | twitter: Option<String>,
        /// Home page.
        website_url: Option<String>,
        /// The organization.
        organization: Option<String>,
        /// The job title.
        job_title: Option<String>,
        /// The pronouns.
        pronouns: Option<String>,
        /// A short biography.
        bio: Option<String>,
        /// The location.
        location: Option<String>,
        /// The public e-mail address.
        public_email: Option<String>,
    }
}

params! {
    /// The facts about an account that administrators set.
    pub(crate) struct DetailParams {
        /// A remark that administrators read; empty for none.
        note: Patch<String>,
        /// The theme that clients name, from 1 to 11; stored, without effect.
        theme_id: Option<i64>,
        /// True if diffs show one file at a time.
        view_diffs_file_by_file: Option<bool>,
    }
}

params! {
    /// An account at an external provider.
    pub(crate) struct IdentityParams {
        /// The id at the provider.
        extern_uid: Option<String>,
        /// The provider.
        provider: Option<String>,
    }
    rules(reader) { reader.all_or_none_of(&["extern_uid", "provider"]); }
}

params! {
    /// A new user.
    pub(crate) struct CreateParams {
        /// Primary address.
        email: String,
        /// The password. One of `password`, `reset_password` and `force_random_password` is required.
        password: Option<String>,
        /// If true, a random password is set. The user gets a link to choose another one, if the server sends mail.
        reset_password: Option<bool>,
        /// If true, a random, unknown password is set. No link is sent.
        force_random_password: Option<bool>,
        /// Display name.
        name: String,
        /// Sign-in name.
        username: String,
        profile: ProfileParams,
        details: DetailParams,
        /// The limit of personal projects; the limit in the settings by default.
        projects_limit: Option<i64>,
        identity: IdentityParams,
        /// True if the user is an administrator.
        admin: Option<bool>,
        /// True if the user may create top-level groups.
        can_create_group: Option<bool>,
        /// If true, the address is confirmed at once.
        skip_confirmation: Option<bool>,
        /// True if the user is external: internal projects are hidden from external users.
        external: Option<bool>,
        /// A picture.
        avatar: Patch<Upload>,
        /// True if the profile hides the user's activity.
        private_profile: Option<bool>,
    }
    rules(reader) {
        // The third, newer way is accepted too, but the message names the older two only.
        if !reader.is_given("force_random_password") {
            reader.at_least_one_of(&["password", "reset_password"]);
        }
    }
}

params! {
    /// Changes to a user.
    pub(crate) struct EditParams {
        /// Primary address; takes effect when it is confirmed.
        email: Option<String>,
        /// Sign-in name.
        username: Option<String>,
        /// Display name.
        name: Option<String>,
        /// A new password, to be changed at the next sign-in.
        password: Option<String>,
        profile: ProfileParams,
        details: DetailParams,
        /// The confirmed address of the user in commits that pages and the API make; empty for the primary one.
        commit_email: Option<String>,
        /// The limit of personal projects.
        projects_limit: Option<i64>,
        identity: IdentityParams,
        /// True if the user is an administrator.
        admin: Option<bool>,
        /// True if the user may create top-level groups.
        can_create_group: Option<bool>,
        /// If true, a new address is confirmed at once.
        skip_reconfirmation: Option<bool>,
        /// True if the user is external: internal projects are hidden from external users.
        external: Option<bool>,
        /// A picture; empty removes it.
        avatar: Patch<Upload>,
        /// True if the profile hides the user's activity.
        private_profile: Option<bool>,
    }
}

impl From<ProfileParams> for ProfileChange {
    fn from(params: ProfileParams) -> Self {
        Self {
            bio: params.bio,
            location: params.location,
            organization: params.organization,
            job_title: params.job_title,
            pronouns: params.pronouns,
            public_email: params.public_email,
            messenger: params.messenger,
            professional_network: params.professional_network,
            microblog: params.microblog,
            website_url: params.website_url,
        }
    }
}

impl From<DetailParams> for DetailChange {
    fn from(params: DetailParams) -> Self {
        Self {
            commit_email: None,
            note: match params.note {
                Patch::Absent => None,
                Patch::Clear => Some(String::new()),
                Patch::Set(note) => Some(note),
            },
            theme: params.theme_id,
            diffs_file_by_file: params.view_diffs_file_by_file,
        }
    }
}

impl IdentityParams {
    fn into_identity(self) -> Option<Identity> {
        let (provider, extern_uid) = self.provider.zip(self.extern_uid)?;
        Some(Identity { provider, extern_uid })
    }
}

impl CreateParams {
    fn password(&self) -> Password {
        let random = self.reset_password.unwrap_or(false) || self.force_random_password.unwrap_or(false);
        if random { Password::Random } else { Password::Given(self.password.clone().map(Secret::given)) }
    }

    fn into_request(self, password: NewPassword) -> CreateUser {
        let params = self;
        CreateUser {
            email: params.email,
            username: params.username,
            name: params.name,
            password,
            profile: params.profile.into(),
            details: params.details.into(),
            projects_limit: params.projects_limit,
            identity: params.identity.into_identity(),
            admin: params.admin.unwrap_or(false),
            can_create_group: params.can_create_group,
            skip_confirmation: params.skip_confirmation.unwrap_or(false),
            external: params.external,
            private_profile: params.private_profile,
            avatar: None,
            reset_password: params.reset_password.unwrap_or(false),
            must_change_password: false,
        }
    }
}

impl EditParams {
    fn into_request(self, password: Option<NewPassword>) -> EditUser {
        let params = self;
        EditUser {
            email: params.email,
            username: params.username,
            name: params.name,
            password,
            profile: params.profile.into(),
            details: DetailChange { commit_email: params.commit_email, ..params.details.into() },
            projects_limit: params.projects_limit,
            identity: params.identity.into_identity(),
            admin: params.admin,
            can_create_group: params.can_create_group,
            skip_reconfirmation: params.skip_reconfirmation.unwrap_or(false),
            external: params.external,
            private_profile: params.private_profile,
            avatar: Patch::Absent,
        }
    }
}

pub(super) async fn create(Call { caller, mut params }: Call<CreateParams>) -> Result<Created<UserDto>, ApiError> {
    let upload = std::mem::take(&mut params.avatar);
    let password = caller.new_password(params.password()).await?;
    let request = params.into_request(password);
    let view = with_picture(&caller, upload, move |command, picture| {
        user::create(command, CreateUser { avatar: picture.apply(None), ..request })
    })
    .await?;
    Ok(Created(UserDto::own(view)))
}

pub(super) async fn edit(Call { caller, mut params }: Call<EditParams>) -> Result<Json<UserDto>, ApiError> {
    let id = UserId::new(caller.path_i64("id")?);
    let upload = std::mem::take(&mut params.avatar);
    let password = match params.password.take() {
        None => None,
        Some(text) => Some(caller.new_password(Password::Given(Some(Secret::given(text)))).await?),
    };
    let request = params.into_request(password);
    let view =
        with_picture(&caller, upload, move |command, avatar| user::edit(command, id, EditUser { avatar, ..request }))
            .await
            .map_err(without_conflict)?;
    Ok(Json(UserDto::own(view)))
}

/// Clients of this endpoint expect 404 if an address or name is taken. Others answer 409. The text stays the same.
fn without_conflict(error: ApiError) -> ApiError {
    match error.body().get("message").and_then(serde_json::Value::as_str) {
        Some(text) if error.status() == StatusCode::CONFLICT => {
            ApiError::message(StatusCode::NOT_FOUND, format!("404 {text}"))
        }
        Some(_) | None => error,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tenon_app::error::AppError;
    use tenon_domain::refusal::UserRefusal;

    use super::*;

    #[test]
    fn a_conflict_is_404() {
        let answer = |error: AppError| {
            let error = without_conflict(error.into());
            (error.status().as_u16(), error.body().clone())
        };
        let taken = AppError::from(UserRefusal::EmailTaken);
        assert_eq!(answer(taken), (404, json!({"message": "404 Email has already been taken"})));
        assert_eq!(answer(AppError::Forbidden), (403, json!({"message": "403 Forbidden"})));
    }
}
