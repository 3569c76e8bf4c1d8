//! The caller's public profile and picture.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::Command;
use tenon_app::avatar::{NewPicture, write_with_picture};
use tenon_app::error::AppError;
use tenon_app::user::{self, EditOwnAccount, ProfileChange, UserView};
use tenon_domain::avatar::Avatar;
use tenon_domain::patch::Patch;

use super::email::confirmed;
use super::two_factor::not_confirmed;
use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::choice::Choice;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::{Form, OriginalValues};
use crate::kit::problems::Problems;
use crate::parts::links::picture;

const ADDRESS: &str = "/profile";
const USER: &str = "user";
const STATUS: &str = "user.status";
/// The fields of the form about the account.
const FIELDS: [&str; 13] = [
    "name",
    "pronouns",
    "job_title",
    "organization",
    "location",
    "website_url",
    "bio",
    "public_email",
    "commit_email",
    "linkedin",
    "twitter",
    "skype",
    "private_profile",
];

#[derive(Template)]
#[template(path = "profile/account.html")]
struct AccountPage {
    frame: Frame,
    problems: Problems,
    picture: String,
    has_picture: bool,
    username: String,
    email: String,
    /// The addresses that the user may show to everyone.
    addresses: Vec<Choice>,
    /// True if the user has a password to confirm the deletion of the account with.
    has_password: bool,
    may_delete: bool,
    /// The addresses that commits may have.
    in_commits: Vec<Choice>,
    typed: FormValues,
    shown: String,
}

/// The fields of the form.
#[derive(Debug, Clone, Default)]
struct FormValues {
    name: String,
    pronouns: String,
    job_title: String,
    organization: String,
    location: String,
    website_url: String,
    bio: String,
    public_email: String,
    commit_email: String,
    linkedin: String,
    twitter: String,
    skype: String,
    private_profile: bool,
    emoji: String,
    message: String,
}

impl FormValues {
    fn sent(form: Form<'_>) -> Self {
        let text = |field: &str| form.text(USER, field);
        Self {
            name: text("name"),
            pronouns: text("pronouns"),
            job_title: text("job_title"),
            organization: text("organization"),
            location: text("location"),
            website_url: text("website_url"),
            bio: text("bio"),
            public_email: text("public_email"),
            commit_email: text("commit_email"),
            linkedin: text("linkedin"),
            twitter: text("twitter"),
            skype: text("skype"),
            private_profile: form.ticked(USER, "private_profile"),
            emoji: form.text(STATUS, "emoji"),
            message: form.text(STATUS, "message"),
        }
    }

    fn of(view: &UserView, status: Option<user::Status>) -> Self {
        let (user, profile) = (&view.user, &view.user.profile);
        let status = status.map(|status| (status.emoji, status.message)).unwrap_or_default();
        Self {
            name: user.name.clone(),
            pronouns: view.details.pronouns.clone().unwrap_or_default(),
            job_title: view.details.job_title.clone(),
            organization: profile.organization.clone().unwrap_or_default(),
            location: profile.location.clone().unwrap_or_default(),
            website_url: profile.website_url.clone(),
            bio: profile.bio.clone().unwrap_or_default(),
            public_email: profile.public_email.clone(),
            commit_email: view.details.commit_email.clone().unwrap_or_default(),
            linkedin: profile.professional_network.clone(),
            twitter: profile.microblog.clone(),
            skype: profile.messenger.clone(),
            private_profile: user.private_profile,
            emoji: status.0,
            message: status.1,
        }
    }

    fn shown(&self) -> OriginalValues {
        OriginalValues::of([
            ("name", self.name.as_str().into()),
            ("pronouns", self.pronouns.as_str().into()),
            ("job_title", self.job_title.as_str().into()),
            ("organization", self.organization.as_str().into()),
            ("location", self.location.as_str().into()),
            ("website_url", self.website_url.as_str().into()),
            ("bio", self.bio.as_str().into()),
            ("public_email", self.public_email.as_str().into()),
            ("commit_email", self.commit_email.as_str().into()),
            ("linkedin", self.linkedin.as_str().into()),
            ("twitter", self.twitter.as_str().into()),
            ("skype", self.skype.as_str().into()),
            ("private_profile", self.private_profile.into()),
            ("emoji", self.emoji.as_str().into()),
            ("message", self.message.as_str().into()),
        ])
    }
}

/// The changed fields of the form.
#[derive(Debug, Clone, Default)]
struct Change {
    account: Option<EditOwnAccount>,
    emoji: Option<String>,
    message: Option<String>,
}

impl Change {
    fn sent(form: Form<'_>) -> Self {
        let text =
            |object: &str, field: &str| form.has(object, field).then(|| form.text(object, field).trim().to_owned());
        let is_about_account = FIELDS.iter().any(|field| form.has(USER, field));
        let account = || EditOwnAccount {
            name: text(USER, "name"),
            avatar: Patch::default(),
            profile: ProfileChange {
                bio: text(USER, "bio"),
                location: text(USER, "location"),
                organization: text(USER, "organization"),
                job_title: text(USER, "job_title"),
                pronouns: text(USER, "pronouns"),
                public_email: text(USER, "public_email"),
                website_url: text(USER, "website_url"),
                professional_network: text(USER, "linkedin"),
                microblog: text(USER, "twitter"),
                messenger: text(USER, "skype"),
            },
            commit_email: text(USER, "commit_email"),
            private_profile: form.has(USER, "private_profile").then(|| form.ticked(USER, "private_profile")),
        };
        Self {
            account: is_about_account.then(account),
            // An emoji may be named with its colons, as in texts.
            emoji: text(STATUS, "emoji").map(|name| name.trim_matches(':').to_owned()),
            message: text(STATUS, "message"),
        }
    }

    /// Adds a change of the picture.
    fn with_picture(self, avatar: Patch<Avatar>) -> Self {
        if !avatar.is_given() {
            return self;
        }
        Self { account: Some(EditOwnAccount { avatar, ..self.account.unwrap_or_default() }), ..self }
    }

    fn save(self, command: &mut Command<'_>) -> Result<(), AppError> {
        if let Some(account) = self.account {
            user::edit_own(command, account)?;
        }
        if self.emoji.is_some() || self.message.is_some() {
            user::change_status(command, self.emoji, self.message)?;
        }
        Ok(())
    }
}

pub(super) async fn show(context: RequestContext) -> Result<Answer, PageError> {
    page(&context, Problems::default(), None).await
}

/// Changes the fields that were changed in the form. If there is a new picture, it replaces the old one.
pub(super) async fn change(context: RequestContext) -> Result<Answer, PageError> {
    let shown = OriginalValues::sent(context.form());
    let change = Change::sent(context.form().changed(&shown));
    let picture = context.file("user[avatar]").cloned();
    let picture = picture.map(|file| NewPicture { bytes: file.bytes, file_name: file.file_name });
    let picture = picture.map_or(Patch::Absent, Patch::Set);
    let save = move |command: &mut Command<'_>, avatar| change.with_picture(avatar).save(command);
    let saved = write_with_picture(context.app(), context.identity(), picture, save).await;
    match saved {
        Ok(()) => Ok(Answer::done(&context.own(ADDRESS)).cookie(cookie::of_flash(Flash::SettingsSaved))),
        Err(error) => {
            let typed = (FormValues::sent(context.form()), shown);
            Ok(page(&context, Problems::of(error)?, Some(typed)).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

pub(super) async fn remove_picture(context: RequestContext) -> Result<Answer, PageError> {
    context.write(|command| user::set_avatar(command, Patch::Clear)).await?;
    Ok(Answer::done(&context.own(ADDRESS)).cookie(cookie::of_flash(Flash::SettingsSaved)))
}

/// Deletes the account. The caller must give the password.
pub(super) async fn delete(context: RequestContext) -> Result<Answer, PageError> {
    let password = context.form().secret(USER, "password");
    let problems = match context.app().confirm_password(context.identity(), password).await? {
        None => not_confirmed(&context, "password"),
        Some(confirmed) => match context.write(|command| user::delete_own(command, confirmed)).await {
            Ok(()) => {
                let there = Answer::to(&context.own("/users/sign_in"));
                return Ok(there.cookie(cookie::of_flash(Flash::AccountDeleted)).ending_session());
            }
            Err(error) => Problems::of(error)?,
        },
    };
    Ok(page(&context, problems.under("Account could not be deleted"), None)
        .await?
        .status(StatusCode::UNPROCESSABLE_ENTITY))
}

async fn page(
    context: &RequestContext,
    problems: Problems,
    sent: Option<(FormValues, OriginalValues)>,
) -> Result<Answer, PageError> {
    let read = context.read(|query| {
        Ok((user::current(query)?, user::own_status(query)?, confirmed(query)?, user::has_password(query)?))
    });
    let (frame, (view, status, addresses, has_password)) = read.await?;
    let (typed, shown) = sent.unwrap_or_else(|| {
        let typed = FormValues::of(&view, status);
        let shown = typed.shown();
        (typed, shown)
    });
    let UserView { user, basic, .. } = view;
    let no_one = Choice::new("", "Do not show", typed.public_email.is_empty());
    let address = |address: &String| Choice::new(address, address, *address == typed.public_email);
    let primary = Choice::new("", "Use primary email", typed.commit_email.is_empty());
    let in_commits = |address: &String| Choice::new(address, address, *address == typed.commit_email);
    Answer::page(&AccountPage {
        picture: picture(&frame.root, user.id.get(), &basic.name, basic.avatar_url.as_deref()),
        frame,
        problems,
        has_picture: user.avatar.is_some(),
        has_password,
        may_delete: context.app().known_settings().accounts.may_delete_own,
        username: user.username,
        email: user.email,
        in_commits: std::iter::once(primary).chain(addresses.iter().map(in_commits)).collect(),
        addresses: std::iter::once(no_one).chain(addresses.iter().map(address)).collect(),
        typed,
        shown: shown.field(),
    })
}
