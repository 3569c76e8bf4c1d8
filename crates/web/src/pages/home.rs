//! The first page, and the way to the page that changes a password.

use actix_web::http::header;
use tenon_app::identity::Guard;
use url::Url;

use crate::context::request::RequestContext;
use crate::kit::answer::{Answer, RawBody};
use crate::kit::error::PageError;
use crate::pages::dashboard::home;
use crate::table::site::SiteTable;

pub(crate) fn routes(table: &mut SiteTable) {
    table.get("/", Guard::Anyone, show);
    table.get("/-/manifest.json", Guard::Anyone, manifest);
    table.get("/.well-known/change-password", Guard::Anyone, change_password);
}

/// Everything that waits for the caller, and suggestions for the next steps. A caller who has not signed in is sent to the address
/// from the settings, or to the page to sign in.
async fn show(context: RequestContext) -> Result<Answer, PageError> {
    let read = context.read(|query| match query.caller.user {
        None => Ok(None),
        Some(_) => home::read(query).map(Some),
    });
    match read.await? {
        (frame, Some(found)) => home::shown(&context, frame, found).await,
        (_, None) => Ok(Answer::to(&stranger_goes_to(&context))),
    }
}

fn stranger_goes_to(context: &RequestContext) -> String {
    let settings = context.app().known_settings();
    let there = settings.home_page_url.as_deref().and_then(|url| Url::parse(url).ok());
    match there.filter(|url| url.as_str().trim_end_matches('/') != context.app().base_url()) {
        Some(url) => url.into(),
        None => context.own("/users/sign_in"),
    }
}

/// The manifest, with which a browser can show the pages like an application.
async fn manifest(context: RequestContext) -> Result<Answer, PageError> {
    let icon = context.site().assets().address(&context.own(""), "icon.svg");
    let manifest = serde_json::json!({
        "name": "Tenon", "short_name": "Tenon", "start_url": context.own("/"), "scope": context.own("/"), "display": "browser",
        "icons": [{"src": icon, "sizes": "any", "type": "image/svg+xml"}],
    });
    Ok(Answer::raw(RawBody::Whole(manifest.to_string().into_bytes()))
        .header(header::CONTENT_TYPE, "application/manifest+json".to_owned())
        .header(header::CACHE_CONTROL, "private, max-age=86400".to_owned()))
}

/// Redirects password managers to the page that changes a password.
async fn change_password(context: RequestContext) -> Result<Answer, PageError> {
    Ok(Answer::to(&context.own("/profile/password/edit")))
}
