//! The page behind the link of an invitation. Reading it changes nothing, because programs open the links in mail, too.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::identity::Guard;
use tenon_app::member::{self, Admission, OpenInvitation};
use tenon_app::{Query, Secret};
use tenon_domain::container::Container;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::address::{in_path, in_query, with_return};
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::words::day;
use crate::table::site::SiteTable;

const FIELD: &str = "invite_token";

pub(crate) fn routes(table: &mut SiteTable) {
    table.get("/invites", Guard::Anyone, form);
    table.post("/invites/accept", Guard::SignedIn, accept);
    table.post("/invites/decline", Guard::Anyone, decline);
}

#[derive(Template)]
#[template(path = "invitation.html")]
struct InvitationPage {
    frame: Frame,
    token: String,
    /// `None` if the link has ended.
    invited: Option<Invited>,
    /// The page to sign up, if users may.
    sign_up: Option<String>,
}

/// An invitation in words.
struct Invited {
    what: &'static str,
    name: String,
    level: &'static str,
    until: Option<String>,
    address: String,
    inviter_name: String,
    inviter_username: String,
    /// True if the caller has signed in with an account that the address does not belong to.
    is_for_another: bool,
    /// The page of the project or group.
    page: String,
}

async fn form(context: RequestContext) -> Result<Answer, PageError> {
    let token = context.query(FIELD).unwrap_or_default().to_owned();
    page(&context, token).await
}

async fn accept(context: RequestContext) -> Result<Answer, PageError> {
    let token = context.form().secret("", FIELD);
    match context.write(move |command| member::accept_invitation(command, &token)).await {
        Ok((found, admission)) => {
            let flash = match admission {
                Admission::Joined => Flash::InvitationAccepted,
                Admission::AlreadyMember => Flash::InvitationOfMember,
            };
            Ok(Answer::done(&context.own(&page_of(&found))).cookie(cookie::of_flash(flash)))
        }
        Err(AppError::NotFound(_)) => page(&context, String::new()).await,
        Err(error) => Err(error.into()),
    }
}

async fn decline(context: RequestContext) -> Result<Answer, PageError> {
    let token = context.form().secret("", FIELD);
    match context.write(move |command| member::decline_invitation(command, &token)).await {
        Ok(()) => Ok(Answer::done(&context.own("/")).cookie(cookie::of_flash(Flash::InvitationDeclined))),
        Err(AppError::NotFound(_)) => page(&context, String::new()).await,
        Err(error) => Err(error.into()),
    }
}

/// The path of what an invitation opens.
fn page_of(found: &OpenInvitation) -> String {
    let path = in_path(&found.full_path);
    match found.invitation.container {
        Container::Project(_) => format!("/{path}"),
        Container::Group(_) => format!("/groups/{path}"),
    }
}

async fn page(context: &RequestContext, token: String) -> Result<Answer, PageError> {
    let presented = Secret::given(token.clone());
    let read = move |query: &mut Query<'_>| {
        let found = member::invitation_of(query, &presented)?;
        let own = query.user().ok().map(|user| user.email.clone());
        Ok(found.map(|found| (own.is_some_and(|own| own != found.invitation.address), found)))
    };
    let (frame, found) = context.read(read).await?;
    let invited = found.map(|(is_for_another, found)| Invited {
        page: page_of(&found),
        what: if found.invitation.container.project().is_some() { "project" } else { "group" },
        name: found.name,
        level: found.invitation.level.name(),
        until: found.invitation.expires_at.map(day),
        address: found.invitation.address,
        inviter_name: found.inviter_name,
        inviter_username: found.inviter_username,
        is_for_another,
    });
    let status = if invited.is_some() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let sign_up = invited.as_ref().filter(|_| context.app().known_settings().allows_sign_up).map(|invited| {
        let page = context.own(&format!("/users/sign_up?{FIELD}={}", in_query(&token)));
        with_return(&page, &context.own(&invited.page))
    });
    Ok(Answer::page(&InvitationPage { frame, token, invited, sign_up })?.status(status))
}
