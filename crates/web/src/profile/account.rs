//! What others read about the caller, and the caller's picture.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::avatar::{Picture, forget};
use tenon_app::error::AppError;
use tenon_app::user::{self, UserView};
use tenon_domain::patch::Patch;

use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Form, Problems, Shown};
use crate::frame::Frame;
use crate::issuable::parts::picture;
use crate::visit::Visit;

const ADDRESS: &str = "/profile";
const STATUS: &str = "user.status";

#[derive(Template)]
#[template(path = "profile/account.html")]
struct AccountPage {
    frame: Frame,
    problems: Problems,
    picture: String,
    has_picture: bool,
    username: String,
    name: String,
    email: String,
    typed: Typed,
    shown: String,
}

/// The fields of the form.
#[derive(Debug, Clone, Default)]
struct Typed {
    emoji: String,
    message: String,
}

impl Typed {
    fn sent(form: Form<'_>) -> Self {
        Self { emoji: form.text(STATUS, "emoji"), message: form.text(STATUS, "message") }
    }

    fn of(status: Option<user::Status>) -> Self {
        status.map(|status| Self { emoji: status.emoji, message: status.message }).unwrap_or_default()
    }

    fn shown(&self) -> Shown {
        Shown::of([("emoji", self.emoji.as_str().into()), ("message", self.message.as_str().into())])
    }
}

pub(super) async fn show(visit: Visit) -> Result<Answer, PageError> {
    page(&visit, Problems::default(), None).await
}

/// Changes what was changed in the form, and the picture where there is a new one.
pub(super) async fn change(visit: Visit) -> Result<Answer, PageError> {
    let shown = Shown::sent(visit.form());
    let form = visit.form().changed(&shown);
    // An emoji may be named with its colons, as in texts.
    let emoji = form.has(STATUS, "emoji").then(|| form.text(STATUS, "emoji").trim_matches([':', ' ']).to_owned());
    let message = form.has(STATUS, "message").then(|| form.text(STATUS, "message").trim().to_owned());
    let saved = match visit.file("user[avatar]") {
        Some(file) => match Picture::check(file.bytes.clone(), &file.file_name) {
            Ok(picture) => {
                let avatar = picture.store(visit.app()).await?;
                let stored = avatar.clone();
                let saved = visit.write(move |command| {
                    save(command, emoji, message)?;
                    user::set_avatar(command, Patch::Set(avatar)).map(drop)
                });
                let saved = saved.await;
                if saved.is_err() {
                    forget(visit.app(), &stored).await;
                }
                saved
            }
            Err(error) => Err(error),
        },
        None => visit.write(move |command| save(command, emoji, message)).await,
    };
    match saved {
        Ok(()) => Ok(Answer::done(&visit.own(ADDRESS)).cookie(cookie::of_flash(Flash::SettingsSaved))),
        Err(error) => {
            let typed = (Typed::sent(visit.form()), shown);
            Ok(page(&visit, Problems::of(error)?, Some(typed)).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

fn save(command: &mut tenon_app::Command<'_>, emoji: Option<String>, message: Option<String>) -> Result<(), AppError> {
    if emoji.is_some() || message.is_some() {
        // An emoji that was taken away takes the one of a status with a text that the server gives.
        user::change_status(command, emoji, message)?;
    }
    Ok(())
}

pub(super) async fn remove_picture(visit: Visit) -> Result<Answer, PageError> {
    visit.write(|command| user::set_avatar(command, Patch::Clear)).await?;
    Ok(Answer::done(&visit.own(ADDRESS)).cookie(cookie::of_flash(Flash::SettingsSaved)))
}

async fn page(visit: &Visit, problems: Problems, sent: Option<(Typed, Shown)>) -> Result<Answer, PageError> {
    let read = visit.read(|query| Ok((user::current(query)?, user::own_status(query)?)));
    let (frame, (view, status)) = read.await?;
    let UserView { user, basic, .. } = view;
    let (typed, shown) = sent.unwrap_or_else(|| {
        let typed = Typed::of(status);
        let shown = typed.shown();
        (typed, shown)
    });
    Answer::page(&AccountPage {
        picture: picture(&frame.root, user.id.get(), basic.avatar_url.as_deref()),
        frame,
        problems,
        has_picture: user.avatar.is_some(),
        username: user.username,
        name: user.name,
        email: user.email,
        typed,
        shown: shown.field(),
    })
}
