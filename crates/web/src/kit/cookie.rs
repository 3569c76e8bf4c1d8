//! The cookies of the pages: the session, and a random name for a browser in which no user has signed in.

use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};
use actix_web::http::header::{self, HeaderMap};
use tenon_app::session::StartedSession;
use tenon_app::{App, CsrfToken, Secret};

use super::flash::{self, Flash};
use super::look::{self, Look};
use super::{address, browser_cache};

const SESSION: &str = "_service_session";
const VISITOR: &str = "_service_visitor";

/// The longest cookie that is read, in bytes.
const LONGEST: usize = 200;

#[derive(Debug, Clone)]
pub(crate) struct Cookies {
    session: Option<String>,
    /// The visitor to whom forms are tied before a user has signed in.
    visitor: Visitor,
    flash: Option<Flash>,
    look: Look,
    /// True if our script runs in the browser.
    has_script: bool,
    /// The token of forms, masked for this request.
    masked: String,
    is_secure: bool,
    /// The path at which the server begins: others on the same host do not get the cookies.
    path: String,
}

#[derive(Debug, Clone)]
enum Visitor {
    Known(String),
    /// A new name, which the answer sets.
    New(String),
}

impl Cookies {
    /// The cookies of a request. A browser that has none gets a random name.
    pub(crate) fn of(headers: &HeaderMap, app: &App) -> Self {
        let visitor = match sent(headers, VISITOR) {
            Some(known) => Visitor::Known(known),
            None => Visitor::New(app.new_secret().expose().to_owned()),
        };
        let look = sent(headers, look::COOKIE).map(|words| Look::parse(&words)).unwrap_or_default();
        let is_secure = app.base_url().starts_with("https:");
        let flash = sent(headers, flash::COOKIE).and_then(|code| Flash::parse(&code));
        let root = address::root(app.base_url());
        let path = if root.is_empty() { "/".to_owned() } else { root };
        let has_script = sent(headers, browser_cache::SCRIPT).is_some();
        let session = sent(headers, SESSION);
        let mut cookies = Self { session, visitor, flash, look, has_script, masked: String::new(), is_secure, path };
        cookies.masked = app.masked(&cookies.token());
        cookies
    }

    pub(crate) fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// The cookie to which forms are tied: that of the session, or else that of the visitor.
    pub(crate) fn holder(&self) -> &str {
        match (&self.session, &self.visitor) {
            (Some(session), _) => session,
            (None, Visitor::Known(visitor) | Visitor::New(visitor)) => visitor,
        }
    }

    /// True if the browser has sent the cookie of a session, which may have ended.
    pub(crate) fn has_session(&self) -> bool {
        self.session.is_some()
    }

    /// The message that the previous page left.
    pub(crate) fn flash(&self) -> Option<Flash> {
        self.flash
    }

    /// The settings of display of this browser.
    pub(crate) fn look(&self) -> Look {
        self.look
    }

    /// The token that forms of this browser carry.
    pub(crate) fn token(&self) -> CsrfToken {
        CsrfToken::of(self.holder())
    }

    /// The same, as the pages of this request show it.
    pub(crate) fn masked_token(&self) -> &str {
        &self.masked
    }

    /// The session or visitor to whom a page in the browser's cache belongs ([`browser_cache`]). None if no page may be
    /// kept.
    pub(crate) fn cache_owner(&self) -> Option<&str> {
        match (&self.session, &self.visitor) {
            _ if self.flash.is_some() => None,
            (Some(session), _) => Some(session.as_str()).filter(|_| self.has_script),
            (None, Visitor::Known(visitor)) => Some(visitor),
            (None, Visitor::New(_)) => None,
        }
    }

    /// True if a form may have come from a page that this server gave to this browser.
    pub(crate) fn admit(&self, token: Option<&str>) -> bool {
        token.is_some_and(|token| self.token().fits(token))
    }

    /// Adds the cookies that every answer sets to those of an answer, and the attributes that every cookie has.
    pub(crate) fn complete(&self, cookies: &mut Vec<Cookie<'static>>, shows_flash: bool) {
        if let (Visitor::New(visitor), None) = (&self.visitor, &self.session) {
            cookies.push(cookie(VISITOR, visitor.clone()).finish());
        }
        if self.flash.is_some() && shows_flash {
            cookies.push(removed(flash::COOKIE));
        }
        for cookie in cookies {
            cookie.set_secure(self.is_secure);
            cookie.set_path(self.path.clone());
        }
    }
}

fn cookie(name: &'static str, value: String) -> actix_web::cookie::CookieBuilder<'static> {
    Cookie::build(name, value).http_only(true).same_site(SameSite::Lax)
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

/// Removes the cookie of the session from the browser.
pub(crate) fn end_session() -> Cookie<'static> {
    removed(SESSION)
}

/// The cookie with the message for the next page.
pub(crate) fn of_flash(flash: Flash) -> Cookie<'static> {
    cookie(flash::COOKIE, flash.code().to_owned()).finish()
}

/// The cookie with the settings of display of this browser, for a year.
pub(crate) fn of_look(look: Look) -> Cookie<'static> {
    let mut kept = cookie(look::COOKIE, look.words()).finish();
    kept.set_max_age(Duration::days(365));
    kept
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

#[cfg(test)]
mod tests {
    use super::*;

    fn cookies(path: &str) -> Cookies {
        Cookies {
            session: None,
            visitor: Visitor::New("v".to_owned()),
            flash: Some(Flash::KeyAdded),
            look: Look::default(),
            has_script: false,
            masked: String::new(),
            is_secure: true,
            path: path.to_owned(),
        }
    }

    #[test]
    fn cookies_are_for_the_paths_of_the_server() {
        let mut all = vec![end_session()];
        cookies("/git").complete(&mut all, false);
        let lines: Vec<String> = all.iter().map(ToString::to_string).collect();
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|line| line.contains("Path=/git;") || line.ends_with("Path=/git")), "{lines:?}");
        assert!(lines.iter().all(|line| line.contains("Secure")), "{lines:?}");
    }

    #[test]
    fn a_page_that_says_nothing_leaves_what_is_to_be_said() {
        for shows_flash in [false, true] {
            let mut all = Vec::new();
            cookies("/").complete(&mut all, shows_flash);
            assert_eq!(all.iter().any(|cookie| cookie.name() == flash::COOKIE), shows_flash);
        }
    }
}
