//! Making and changing accounts.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::user::{self, CreateUser, DetailChange, EditUser, Password, ProfileChange, UserView};
use tenon_domain::id::UserId;
use tenon_domain::patch::Patch;

use super::account::{AccountFrame, Tab};
use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::{Form, OriginalValues};
use crate::kit::problems::Problems;

const FORM: &str = "user";

#[derive(Template)]
#[template(path = "admin/user.html")]
struct FormPage {
    frame: Frame,
    /// The account that is changed. None for a new one.
    id: Option<i64>,
    problems: Problems,
    typed: FormValues,
}

#[derive(Template)]
#[template(path = "admin/account_edit.html")]
struct EditPage {
    frame: Frame,
    top: AccountFrame,
    id: Option<i64>,
    problems: Problems,
    typed: FormValues,
}

#[derive(Debug, Clone, Default)]
struct FormValues {
    name: String,
    username: String,
    email: String,
    admin: bool,
    external: bool,
    can_create_group: bool,
    projects_limit: String,
    note: String,
    /// The fields as the page had them at first ([`OriginalValues::field`]). Empty for a new account.
    shown: String,
}

impl FormValues {
    fn sent(form: Form<'_>) -> Self {
        let text = |field: &str| form.filled(FORM, field).unwrap_or_default();
        Self {
            name: text("name"),
            username: text("username"),
            email: text("email"),
            admin: form.ticked(FORM, "admin"),
            external: form.ticked(FORM, "external"),
            can_create_group: form.ticked(FORM, "can_create_group"),
            projects_limit: text("projects_limit"),
            note: form.text(FORM, "note"),
            shown: OriginalValues::sent(form).field(),
        }
    }

    fn of(view: &UserView) -> Self {
        let user = &view.user;
        let limit = user.projects_limit.to_string();
        let note = view.details.note.clone().unwrap_or_default();
        let shown = OriginalValues::of([
            ("name", user.name.as_str().into()),
            ("username", user.username.as_str().into()),
            ("email", user.email.as_str().into()),
            ("admin", user.admin.into()),
            ("external", user.external.into()),
            ("can_create_group", user.can_create_group.into()),
            ("projects_limit", limit.as_str().into()),
            ("note", note.as_str().into()),
        ]);
        Self {
            name: user.name.clone(),
            username: user.username.clone(),
            email: user.email.clone(),
            admin: user.admin,
            external: user.external,
            can_create_group: user.can_create_group,
            projects_limit: limit,
            note,
            shown: shown.field(),
        }
    }

    /// The number in the form. A sentence if the text is no number.
    fn limit(&self) -> Result<Option<i64>, Problems> {
        match self.projects_limit.as_str() {
            "" => Ok(None),
            text => text
                .parse()
                .map(Some)
                .map_err(|_no_number| Problems::with("projects_limit", "Personal project limit must be a number")),
        }
    }
}

pub(super) async fn new(context: RequestContext) -> Result<Answer, PageError> {
    let typed = FormValues { can_create_group: true, ..FormValues::default() };
    form(&context, None, typed, Problems::default()).await
}

pub(super) async fn edit(context: RequestContext) -> Result<Answer, PageError> {
    let id = context.id("id")?;
    let view = context.ask(move |query| user::show(query, UserId::new(id), false)).await?;
    form(&context, Some(id), FormValues::of(&view), Problems::default()).await
}

async fn form(
    context: &RequestContext,
    id: Option<i64>,
    typed: FormValues,
    problems: Problems,
) -> Result<Answer, PageError> {
    let Some(of) = id else {
        let frame = context.frame().await?;
        return Answer::page(&FormPage { frame, id, problems, typed });
    };
    let (frame, view) = context.read(move |query| user::show(query, UserId::new(of), false)).await?;
    let top = AccountFrame::new(&frame, &view, Tab::Edit);
    Answer::page(&EditPage { frame, top, id, problems, typed })
}

async fn refused(
    context: &RequestContext,
    id: Option<i64>,
    typed: FormValues,
    error: AppError,
) -> Result<Answer, PageError> {
    let problems = Problems::of(error)?;
    Ok(form(context, id, typed, problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

/// The password in the form. None if it is empty.
fn password(context: &RequestContext) -> Option<Password> {
    let sent = context.form().secret(FORM, "password");
    if sent.expose().is_empty() { None } else { Some(Password::Given(Some(sent))) }
}

pub(super) async fn create(context: RequestContext) -> Result<Answer, PageError> {
    let typed = FormValues::sent(context.form());
    let projects_limit = match typed.limit() {
        Ok(limit) => limit,
        Err(problems) => {
            return Ok(form(&context, None, typed, problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY));
        }
    };
    let given = password(&context).unwrap_or(Password::Given(None));
    let password = context.app().new_password(context.identity(), given).await?;
    let (username, name, email) = (typed.username.clone(), typed.name.clone(), typed.email.clone());
    let request = CreateUser {
        projects_limit,
        admin: typed.admin,
        can_create_group: Some(typed.can_create_group),
        external: Some(typed.external),
        details: DetailChange { note: Some(typed.note.clone()), ..DetailChange::default() },
        must_change_password: true,
        ..CreateUser::new(username, name, email, password)
    };
    match context.write(move |command| user::create(command, request)).await {
        Ok(view) => Ok(done(&context, &format!("/{}", view.user.id))),
        Err(error) => refused(&context, None, typed, error).await,
    }
}

pub(super) async fn update(context: RequestContext) -> Result<Answer, PageError> {
    let id = context.id("id")?;
    let shown = OriginalValues::sent(context.form());
    let sent = context.form().changed(&shown);
    let typed = FormValues::sent(sent);
    let projects_limit = match typed.limit() {
        Ok(limit) => limit,
        Err(problems) => {
            return Ok(form(&context, Some(id), typed, problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY));
        }
    };
    let password = match password(&context) {
        Some(given) => Some(context.app().new_password(context.identity(), given).await?),
        None => None,
    };
    let text = |field: &str, text: &str| sent.has(FORM, field).then(|| text.to_owned());
    let boxed = |field: &str, ticked: bool| sent.has(FORM, field).then_some(ticked);
    let request = EditUser {
        email: text("email", &typed.email),
        username: text("username", &typed.username),
        name: text("name", &typed.name),
        password,
        profile: ProfileChange::default(),
        details: DetailChange { note: text("note", &typed.note), ..DetailChange::default() },
        projects_limit: projects_limit.filter(|_| sent.has(FORM, "projects_limit")),
        identity: None,
        admin: boxed("admin", typed.admin),
        can_create_group: boxed("can_create_group", typed.can_create_group),
        skip_reconfirmation: true,
        external: boxed("external", typed.external),
        private_profile: None,
        avatar: Patch::Absent,
    };
    match context.write(move |command| user::edit(command, UserId::new(id), request)).await {
        Ok(_) => Ok(done(&context, &format!("/{id}"))),
        Err(error) => refused(&context, Some(id), typed, error).await,
    }
}

/// Leads to a page below the list.
fn done(context: &RequestContext, below: &str) -> Answer {
    Answer::done(&context.own(&format!("/admin/users{below}"))).cookie(cookie::of_flash(Flash::AccountChanged))
}
