//! Answers: a page, or the way to another one.

use actix_web::HttpResponse;
use actix_web::cookie::Cookie;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName};
use askama::Template;
use tenon_app::error::AppError;

use crate::error::PageError;
use crate::place;
use crate::site::Site;

/// What every page may do: nothing from elsewhere, no script but ours, no frame around it. Forms lead to this server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     base-uri 'none'; frame-ancestors 'none'; manifest-src 'self'; media-src 'self'; \
     require-trusted-types-for 'script'; trusted-types tenon; form-action 'self'";

/// An answer that is not sent yet.
#[derive(Debug)]
pub(crate) struct Answer {
    status: StatusCode,
    content: Content,
    pub(crate) cookies: Vec<Cookie<'static>>,
    /// Another origin to which a form of the page may lead in the end.
    form_target: Option<String>,
    retry_after: Option<u32>,
}

#[derive(Debug)]
enum Content {
    Page(String),
    Redirect(String),
}

impl Answer {
    /// A page. Fails only where its template does.
    pub(crate) fn page(template: &impl Template) -> Result<Self, PageError> {
        let html = template.render().map_err(|error| PageError::from(AppError::Internal(Box::new(error))))?;
        Ok(Self::new(StatusCode::OK, Content::Page(html)))
    }

    /// To an address of this server, after a form was sent or where another page is to be read first.
    pub(crate) fn to(address: &str) -> Self {
        Self::new(StatusCode::FOUND, Content::Redirect(address.to_owned()))
    }

    /// A page that was rendered already.
    pub(crate) fn html(status: StatusCode, html: String) -> Self {
        Self::new(status, Content::Page(html))
    }

    fn new(status: StatusCode, content: Content) -> Self {
        Self { status, content, cookies: Vec::new(), form_target: None, retry_after: None }
    }

    pub(crate) fn status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    pub(crate) fn cookie(mut self, cookie: Cookie<'static>) -> Self {
        self.cookies.push(cookie);
        self
    }

    /// Lets forms of the page lead to this origin as well: where a browser is redirected after a form was sent counts.
    pub(crate) fn form_target(mut self, origin: Option<String>) -> Self {
        self.form_target = origin;
        self
    }

    pub(crate) fn retry_after(mut self, seconds: Option<u32>) -> Self {
        self.retry_after = seconds;
        self
    }

    pub(crate) fn is_page(&self) -> bool {
        matches!(self.content, Content::Page(_))
    }

    pub(crate) fn into_response(self, site: &Site) -> HttpResponse {
        let mut response = HttpResponse::build(self.status);
        for cookie in self.cookies {
            response.cookie(cookie);
        }
        if let Some(seconds) = self.retry_after {
            response.insert_header((header::RETRY_AFTER, seconds));
        }
        // Every page has the form to sign out, which leads to where the settings say.
        let settings = site.edge().app().known_settings();
        let after_sign_out = settings.after_sign_out_path.as_deref().and_then(place::form_source);
        let targets = self.form_target.into_iter().chain(after_sign_out);
        let policy = targets.fold(POLICY.to_owned(), |policy, origin| format!("{policy} {origin}"));
        response
            .insert_header((header::CONTENT_SECURITY_POLICY, policy))
            .insert_header((header::REFERRER_POLICY, "same-origin"))
            .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
            .insert_header((header::X_FRAME_OPTIONS, "DENY"))
            .insert_header((header::VARY, "Cookie, Accept-Encoding"))
            .insert_header((header::CACHE_CONTROL, "private, no-store"))
            .insert_header((HeaderName::from_static("cross-origin-opener-policy"), "same-origin"))
            .insert_header((HeaderName::from_static("cross-origin-resource-policy"), "same-origin"))
            .insert_header((HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"));
        if site.edge().app().base_url().starts_with("https:") {
            response.insert_header((header::STRICT_TRANSPORT_SECURITY, "max-age=31536000"));
        }
        match self.content {
            Content::Page(html) => {
                response.insert_header((header::CONTENT_TYPE, "text/html; charset=utf-8")).body(html)
            }
            Content::Redirect(address) => response.insert_header((header::LOCATION, address)).finish(),
        }
    }
}
