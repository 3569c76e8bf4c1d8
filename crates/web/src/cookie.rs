//! The cookies of the pages: the session, and a random name for a browser in which no user has signed in.

use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};
use actix_web::http::header::{self, HeaderMap};
use tenon_app::session::StartedSession;
use tenon_app::{App, CsrfToken, Secret};

use crate::answer::Answer;
use crate::flash::{self, Flash};

const SESSION: &str = "_service_session";
const VISITOR: &str = "_service_visitor";

/// The longest cookie that is read, in bytes.
const LONGEST: usize = 200;

/// The cookies of one request.
#[derive(Debug, Clone)]
pub(crate) struct Cookies {
    session: Option<String>,
    /// What forms are tied to before anyone has signed in.
    visitor: Visitor,
    flash: Option<Flash>,
    is_secure: bool,
}

#[derive(Debug, Clone)]
enum Visitor {
    Known(String),
    /// To be set by the answer.
    New(String),
}

impl Cookies {
    /// Those that came with a request. A browser that has none gets a random name.
    pub(crate) fn of(headers: &HeaderMap, app: &App) -> Self {
        let visitor = match sent(headers, VISITOR) {
            Some(known) => Visitor::Known(known),
            None => Visitor::New(app.new_secret().expose().to_owned()),
        };
        let is_secure = app.base_url().starts_with("https:");
        let flash = sent(headers, flash::COOKIE).and_then(|code| Flash::parse(&code));
        Self { session: sent(headers, SESSION), visitor, flash, is_secure }
    }

    /// The session's cookie.
    pub(crate) fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// What the page before has left to say.
    pub(crate) fn flash(&self) -> Option<Flash> {
        self.flash
    }

    /// What forms of this browser carry.
    pub(crate) fn token(&self) -> CsrfToken {
        match (&self.session, &self.visitor) {
            (Some(session), _) => CsrfToken::of(session),
            (None, Visitor::Known(visitor) | Visitor::New(visitor)) => CsrfToken::of(visitor),
        }
    }

    /// Whether a form may have come from a page that this browser got from us.
    pub(crate) fn admit(&self, token: Option<&str>) -> bool {
        token.is_some_and(|token| self.token().fits(token))
    }

    /// The answer with the cookies that every answer sets.
    pub(crate) fn finish(&self, mut answer: Answer) -> Answer {
        if let (Visitor::New(visitor), None) = (&self.visitor, &self.session) {
            answer.cookies.push(cookie(VISITOR, visitor.clone()).finish());
        }
        if self.flash.is_some() && answer.is_page() {
            answer.cookies.push(removed(flash::COOKIE));
        }
        for cookie in &mut answer.cookies {
            cookie.set_secure(self.is_secure);
        }
        answer
    }
}

fn cookie(name: &'static str, value: String) -> actix_web::cookie::CookieBuilder<'static> {
    Cookie::build(name, value).path("/").http_only(true).same_site(SameSite::Lax)
}

/// The cookies of a session that has begun.
pub(crate) fn of_session(started: &StartedSession) -> Vec<Cookie<'static>> {
    let secret: &Secret = &started.cookie;
    let mut session = cookie(SESSION, secret.expose().to_owned()).finish();
    if let Some(kept_for) = started.kept_for {
        session.set_max_age(Duration::seconds(kept_for.num_seconds()));
    }
    vec![session, removed(VISITOR)]
}

/// The cookie of a sign-in that waits for a code of the second factor.
pub(crate) fn awaiting_second_factor(secret: &Secret) -> Cookie<'static> {
    cookie(SESSION, secret.expose().to_owned()).finish()
}

/// Ends the session in the browser.
pub(crate) fn end_session() -> Cookie<'static> {
    removed(SESSION)
}

/// What the next page is to say.
pub(crate) fn of_flash(flash: Flash) -> Cookie<'static> {
    cookie(flash::COOKIE, flash.code().to_owned()).finish()
}

fn removed(name: &'static str) -> Cookie<'static> {
    let mut removal = cookie(name, String::new()).finish();
    removal.make_removal();
    removal
}

fn sent(headers: &HeaderMap, name: &str) -> Option<String> {
    let lines = headers.get_all(header::COOKIE).filter_map(|value| value.to_str().ok());
    let mut cookies = lines.flat_map(|line| line.split(';')).filter_map(|pair| Cookie::parse(pair.trim()).ok());
    let found = cookies.find(|cookie| cookie.name() == name)?;
    Some(found.value().to_owned()).filter(|value| !value.is_empty() && value.len() <= LONGEST)
}
