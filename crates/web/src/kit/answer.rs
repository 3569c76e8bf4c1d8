//! Answers: a page, or the way to another one.

use std::fmt;

use actix_web::HttpResponse;
use actix_web::body::SizedStream;
use actix_web::cookie::Cookie;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName};
use askama::Template;
use bytes::Bytes;
use serde_json::Value;
use tenon_app::App;
use tenon_app::error::AppError;
use tenon_app::repository::ByteStream;
use tenon_domain::time::Timestamp;
use tenon_edge::Edge;

use super::cookie::{self, Cookies};
use super::error::PageError;
use super::{address, browser_cache, fence, gzip, pill, times};

/// The policy of every page up to the sources of pictures: nothing from other sites, no script but ours.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'";

/// The rest of it: no frame around it. Forms lead to this server.
const MORE_POLICY: &str = "; connect-src 'self'; \
     base-uri 'none'; frame-ancestors 'none'; manifest-src 'self'; media-src 'self'; \
     require-trusted-types-for 'script'; trusted-types tenon; form-action 'self'";

/// An answer that is not sent yet.
#[derive(Debug)]
pub(crate) struct Answer {
    status: StatusCode,
    content: Content,
    pub(crate) cookies: Vec<Cookie<'static>>,
    /// Another origin to which a form of the page may finally lead.
    form_target: Option<String>,
    headers: Vec<(HeaderName, String)>,
    /// True if the page shows the message that the previous page left.
    shows_flash: bool,
    /// True if a browser may keep the page in its cache.
    is_cacheable: bool,
    /// True if a window of an application that has opened this one can follow it.
    keeps_opener: bool,
    /// True if the page shows a document of the repository with the viewer of the browser.
    embeds: bool,
}

#[derive(Debug)]
enum Content {
    Page(String),
    /// A page in gzip.
    Compressed(Bytes),
    Redirect(String),
    Raw(RawBody),
    /// 304: the browser has the page in its cache.
    NotModified,
}

/// Bytes that are no page of ours.
pub(crate) enum RawBody {
    Whole(Vec<u8>),
    /// The number of bytes, and the bytes.
    Stream(u64, ByteStream),
    /// A stream of unknown length.
    Open(ByteStream),
}

impl fmt::Debug for RawBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RawBody")
    }
}

/// The policy of files of users: they may do nothing in a browser.
const RAW_POLICY: &str = "sandbox; default-src 'none'";

/// The content type of feeds.
pub(crate) const FEED: &str = "application/atom+xml; charset=utf-8";

impl Answer {
    /// True if it is a feed.
    pub(crate) fn is_feed(&self) -> bool {
        self.headers.iter().any(|(name, value)| *name == header::CONTENT_TYPE && value == FEED)
    }

    /// A page. Fails only if its template does.
    pub(crate) fn page(template: &impl Template) -> Result<Self, PageError> {
        let html = template.render().map_err(|error| PageError::from(AppError::Internal(Box::new(error))))?;
        Ok(Self { shows_flash: true, ..Self::new(StatusCode::OK, Content::Page(html)) })
    }

    /// A page that a browser may keep in its cache, and revalidates each time ([`browser_cache`]). It is for pages
    /// about code and what belongs to code. Pages of an account, of its secrets, or of administration are not
    /// cacheable.
    pub(crate) fn cacheable(template: &impl Template) -> Result<Self, PageError> {
        Ok(Self { is_cacheable: true, ..Self::page(template)? })
    }

    /// The answer with its entity tag. 304 without the page if `known`, the `If-None-Match` of the request, has the
    /// tag. An answer that sets a cookie, or is not the plain page, has no tag.
    pub(crate) fn or_not_modified(self, base_url: &str, cookies: &Cookies, known: &str) -> Self {
        let is_whole = self.is_cacheable && self.status == StatusCode::OK && self.cookies.is_empty();
        if self.is_cacheable && matches!(self.content, Content::Raw(_)) && !cookies.has_session() {
            // A plain text has no script that asks for it again after its reader has signed out. So only strangers may
            // keep it.
            return self.header(header::CACHE_CONTROL, "private, no-cache".to_owned());
        }
        let is_trusted = !cookies.has_session() || browser_cache::is_trusted(base_url);
        let (Content::Page(html), Some(owner), true) = (&self.content, cookies.cache_owner(), is_whole && is_trusted)
        else {
            return self;
        };
        let tag = browser_cache::tag(owner, html, cookies.masked_token());
        let is_known = browser_cache::is_among(known, &tag);
        let answer =
            self.header(header::ETAG, format!("W/{tag}")).header(header::CACHE_CONTROL, "private, no-cache".to_owned());
        if is_known {
            Self { status: StatusCode::NOT_MODIFIED, content: Content::NotModified, ..answer }
        } else {
            answer
        }
    }

    /// The page at this path, with the colours of the blocks of code in its texts.
    pub(crate) async fn with_colours(self, app: &App, path: &str) -> Self {
        let Content::Page(html) = &self.content else { return self };
        match fence::coloured(app, path, html).await {
            Some(html) => Self { content: Content::Page(html), ..self },
            None => self,
        }
    }

    /// The page with the labels that its texts name.
    pub(crate) fn with_labels(self) -> Self {
        let Content::Page(html) = &self.content else { return self };
        match pill::labels(html) {
            Some(html) => Self { content: Content::Page(html), ..self },
            None => self,
        }
    }

    /// The page with its times as seen from `now`. Its entity tag is made after that, so that a page in a cache is sent
    /// again if one of its times has other words.
    pub(crate) fn with_times(self, now: Timestamp) -> Self {
        let Content::Page(html) = &self.content else { return self };
        match times::relative(html, now) {
            Some(html) => Self { content: Content::Page(html), ..self },
            None => self,
        }
    }

    /// Compresses the page if the client accepts gzip.
    ///
    /// Pages that may not be cached are not compressed, nor those that another site has requested. Their compressed
    /// length would reveal whether a text of the request occurs in the secrets or private texts of the page.
    pub(crate) async fn compressed_for(self, accepts_gzip: bool) -> Self {
        match &self.content {
            Content::Page(html) if accepts_gzip && self.is_cacheable && self.status == StatusCode::OK => {
                Self { content: Content::Compressed(gzip::compressed_in_parts(html).await), ..self }
            }
            _ => self,
        }
    }

    /// A part of a page, which the script inserts. Fails only if its template does.
    pub(crate) fn fragment(template: &impl Template) -> Result<Self, PageError> {
        Ok(Self { shows_flash: false, ..Self::page(template)? })
    }

    /// An object or list for the script and for programs.
    pub(crate) fn json(value: &Value) -> Self {
        let body = RawBody::Whole(value.to_string().into_bytes());
        Self::raw(body).header(header::CONTENT_TYPE, "application/json".to_owned())
    }

    /// Redirects to an address of this server, after a form was sent or if another page has to be read first.
    pub(crate) fn to(address: &str) -> Self {
        Self::new(StatusCode::FOUND, Content::Redirect(address.to_owned()))
    }

    /// Redirects to an address of this server after a change. The next request is a read (RFC 9110, 303).
    pub(crate) fn done(address: &str) -> Self {
        Self::to(address).status(StatusCode::SEE_OTHER)
    }

    /// The page of an error, already rendered.
    pub(crate) fn error(status: StatusCode, html: String) -> Self {
        Self::new(status, Content::Page(html))
    }

    /// Bytes of a file, whose headers are to be added.
    pub(crate) fn raw(body: RawBody) -> Self {
        Self::new(StatusCode::OK, Content::Raw(body))
    }

    /// A stream of text that Git writes. Browsers of strangers keep it and ask each time, because the permission to
    /// read it can change.
    pub(crate) fn patch(text: ByteStream) -> Self {
        let answer =
            Self::raw(RawBody::Open(text)).header(header::CONTENT_TYPE, "text/plain; charset=utf-8".to_owned());
        Self { is_cacheable: true, ..answer }
    }

    /// A status without a body. Headers can be added.
    pub(crate) fn empty(status: StatusCode) -> Self {
        Self::new(status, Content::Raw(RawBody::Whole(Vec::new())))
    }

    fn new(status: StatusCode, content: Content) -> Self {
        Self {
            status,
            content,
            cookies: Vec::new(),
            form_target: None,
            headers: Vec::new(),
            shows_flash: false,
            is_cacheable: false,
            keeps_opener: false,
            embeds: false,
        }
    }

    pub(crate) fn status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    pub(crate) fn cookie(mut self, cookie: Cookie<'static>) -> Self {
        self.cookies.push(cookie);
        self
    }

    /// Lets forms of the page lead to this origin as well. The policy of a page also covers redirects after a form was
    /// sent.
    pub(crate) fn form_target(mut self, origin: Option<String>) -> Self {
        self.form_target = origin;
        self
    }

    /// As [`Answer::form_target`], if none was named.
    pub(crate) fn or_form_target(mut self, origin: Option<String>) -> Self {
        self.form_target = self.form_target.or(origin);
        self
    }

    /// Lets an application that has opened the page in a window of its own follow that window. Browsers separate the
    /// two at the first answer that forbids it, even if that is a redirect. So all answers of an authorization have to
    /// allow it.
    pub(crate) fn keeping_opener(mut self) -> Self {
        self.keeps_opener = true;
        self
    }

    /// Lets the page show a document of this server with the viewer of the browser.
    pub(crate) fn embedding(mut self) -> Self {
        self.embeds = true;
        self
    }

    pub(crate) fn header(mut self, name: HeaderName, value: String) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Ends the session in the browser: removes its cookie, and the pages that the browser keeps.
    pub(crate) fn ending_session(self) -> Self {
        self.cookie(cookie::end_session()).clearing_cache()
    }

    /// Lets the browser remove the pages that it keeps ([`browser_cache`]), if their session has ended.
    pub(crate) fn clearing_cache(self) -> Self {
        self.header(HeaderName::from_static("clear-site-data"), browser_cache::CLEARED.to_owned())
    }

    /// The same with the cookies that every answer sets.
    pub(crate) fn with_cookies_of(mut self, cookies: &Cookies) -> Self {
        cookies.complete(&mut self.cookies, self.shows_flash);
        self
    }

    pub(crate) fn into_response(self, edge: &Edge) -> HttpResponse {
        let mut response = HttpResponse::build(self.status);
        for cookie in self.cookies {
            response.cookie(cookie);
        }
        // Every page has the form to sign out, which leads to the address from the settings.
        let settings = edge.app().known_settings();
        let after_sign_out = settings.after_sign_out_path.as_deref().and_then(address::form_source);
        let targets = self.form_target.into_iter().chain(after_sign_out);
        let mut policy = policy(edge.app().outside_pictures().sources(), targets);
        if self.embeds {
            // Chromium asks for both.
            policy.push_str("; object-src 'self'; frame-src 'self'");
        }
        let opener = if self.keeps_opener { "unsafe-none" } else { "same-origin" };
        response
            .insert_header((header::CONTENT_SECURITY_POLICY, policy))
            .insert_header((header::REFERRER_POLICY, "same-origin"))
            .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
            .insert_header((header::X_FRAME_OPTIONS, "DENY"))
            .insert_header((header::VARY, "Cookie, Accept-Encoding, X-Fragment"))
            .insert_header((header::CACHE_CONTROL, "private, no-store"))
            .insert_header((HeaderName::from_static("cross-origin-opener-policy"), opener))
            .insert_header((HeaderName::from_static("cross-origin-resource-policy"), "same-origin"))
            .insert_header((HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"));
        if edge.app().base_url().starts_with("https:") {
            response.insert_header((header::STRICT_TRANSPORT_SECURITY, "max-age=31536000"));
        }
        if matches!(self.content, Content::Raw(_)) {
            response.insert_header((header::CONTENT_SECURITY_POLICY, RAW_POLICY));
        }
        // The handler's own values have precedence.
        for header in self.headers {
            response.insert_header(header);
        }
        match self.content {
            Content::Raw(RawBody::Whole(bytes)) => response.body(bytes),
            Content::Raw(RawBody::Open(bytes)) => response.streaming(bytes),
            Content::Raw(RawBody::Stream(length, bytes)) => response.body(SizedStream::new(length, bytes)),
            Content::Compressed(bytes) => response
                .insert_header((header::CONTENT_TYPE, "text/html; charset=utf-8"))
                .insert_header((header::CONTENT_ENCODING, "gzip"))
                .body(bytes),
            Content::Page(html) => {
                response.insert_header((header::CONTENT_TYPE, "text/html; charset=utf-8")).body(html)
            }
            Content::NotModified => response.finish(),
            Content::Redirect(address) => response.insert_header((header::LOCATION, address)).finish(),
        }
    }
}

/// The policy of a page that loads pictures from these sources as well, and whose forms lead to these targets.
fn policy(pictures: &[String], targets: impl Iterator<Item = String>) -> String {
    let mut policy = POLICY.to_owned();
    for source in pictures {
        policy.push(' ');
        policy.push_str(source);
    }
    policy.push_str(MORE_POLICY);
    for target in targets {
        policy.push(' ');
        policy.push_str(&target);
    }
    policy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_and_redirects_leave_to_the_next_page_what_is_to_be_said() {
        let error = Answer::error(StatusCode::NOT_FOUND, String::new());
        assert!(!error.shows_flash && !Answer::to("/").shows_flash);
    }
}
