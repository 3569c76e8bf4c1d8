//! The context of a handler: the request, and access to the use cases.

use std::collections::HashMap;
use std::net::IpAddr;
use std::rc::Rc;

use actix_web::http::Method;
use tenon_app::error::AppError;
use tenon_app::identity::Identity;
use tenon_app::session::Browser;
use tenon_app::transport::FetchProof;
use tenon_app::{App, Client, Command, Network, Query, Secret};
use tenon_edge::param_map::ParamMap;
use tenon_edge::raw::Upload;

use super::frame::{Frame, FrameHead};
use super::site::SiteContext;
use crate::kit::cookie::Cookies;
use crate::kit::error::PageError;
use crate::kit::form::Form;
use crate::kit::look::Look;
use crate::kit::parameters::Parameters;
use crate::kit::return_to::ReturnTo;
use crate::kit::{address, browser_cache};

/// The value of `sort` in addresses for which all rows of a list are read: no index has the order.
const UNINDEXED_ORDER: &str = "label_priority";

/// The end of the patterns of boards, whose columns no index has in their order.
const BOARD: &str = "/boards/{id}";

/// The parts of a request that handlers need.
pub(crate) struct Request {
    /// The method. If the form names one, it replaces the method of the request.
    pub(crate) method: Method,
    /// The segments that the pattern names, as they were sent.
    pub(crate) segments: Vec<(String, String)>,
    pub(crate) pattern: &'static str,
    /// The path, as it was sent.
    pub(crate) path: String,
    /// The query, as it was sent.
    pub(crate) raw_query: String,
    /// The entity tags that the browser has in its cache, as it sent them.
    pub(crate) known: Option<String>,
    /// True if the script asks for the part of the page that it inserts.
    pub(crate) is_fragment: bool,
    /// True if the client asks for JSON and not for a page.
    pub(crate) accepts_json: bool,
    pub(crate) query: Parameters,
    pub(crate) form: ParamMap,
    /// The files of the form, by the names of their fields.
    pub(crate) files: HashMap<String, Upload>,
    /// The files of fields that take several.
    pub(crate) several: HashMap<String, Vec<Upload>>,
    pub(crate) return_to: ReturnTo,
    /// The page to sign in, which leads back to this one.
    pub(crate) sign_in: String,
    pub(crate) cookies: Cookies,
    pub(crate) address: Option<IpAddr>,
    /// The credentials that a program presents instead of a session. Only one page accepts them.
    pub(crate) proof: Option<FetchProof>,
    pub(crate) user_agent: Option<String>,
}

/// The context of the handlers of the pages of the site: the request, and access to the use cases.
#[derive(Clone)]
pub(crate) struct RequestContext {
    site: SiteContext,
    app: App,
    identity: Identity,
    request: Rc<Request>,
}

impl RequestContext {
    pub(crate) fn new(site: SiteContext, app: App, identity: Identity, request: Request) -> Self {
        Self { site, app, identity, request: Rc::new(request) }
    }

    /// The application, for use cases that are neither a read nor a write.
    pub(crate) fn app(&self) -> &App {
        &self.app
    }

    /// The application as a stranger from the same address uses it. Attempts to sign in or up count for that address,
    /// even if a user has signed in in the browser.
    pub(crate) fn app_of_stranger(&self) -> App {
        self.app.used_by(Client::Network(Network::of(self.request.address)))
    }

    /// The same request for a page, with the application as another client uses it.
    pub(crate) fn with_app(self, app: App) -> Self {
        Self { app, ..self }
    }

    /// The caller, for use cases that run on more than one thread.
    pub(crate) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The credentials that a program presents instead of a session. None on pages for people.
    pub(crate) fn proof(&self) -> Option<FetchProof> {
        self.request.proof.clone()
    }

    /// The cookie of the session. Empty if there is none.
    pub(crate) fn session_cookie(&self) -> Secret {
        Secret::given(self.request.cookies.session().unwrap_or_default())
    }

    /// The cookie to which forms of the browser are tied, also before a user has signed in.
    pub(crate) fn holder(&self) -> Secret {
        Secret::given(self.request.cookies.holder())
    }

    /// True if the browser has sent the cookie of a session, which may have ended.
    pub(crate) fn has_session(&self) -> bool {
        self.request.cookies.has_session()
    }

    /// Reads the data of a page, and its frame, on one snapshot. If the address has a text to search for, or an order that
    /// no index has, or if it is that of a board, this runs in the pool for searches. Short reads then do not wait behind it.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Query<'_>) -> Result<T, AppError> + Send + 'static,
    ) -> Result<(Frame, T), PageError> {
        let Request { cookies, path, sign_in, .. } = self.request.as_ref();
        let head = FrameHead::new(&self.site, cookies, self.request.pattern, path, sign_in.clone());
        let read = move |query: &mut Query<'_>| {
            let view = work(query)?;
            Ok((Frame::of(head, query)?, view))
        };
        let searches = self.query("search").is_some_and(|text| !text.trim().is_empty());
        let sorts = self.query("sort").is_some_and(|order| order == UNINDEXED_ORDER);
        let read = if searches || sorts || self.request.pattern.contains(BOARD) {
            self.app.search(&self.identity, read).await
        } else {
            self.app.read(&self.identity, read).await
        };
        Ok(read?)
    }

    /// Reads data that a page needs beside its frame.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Query<'_>) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, PageError> {
        Ok(self.app.read(&self.identity, work).await?)
    }

    /// Runs a use case that writes.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Command<'_>) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        self.app.write(&self.identity, work).await
    }

    /// Runs a use case that writes texts and follows their references: [`App::write_text`].
    pub(crate) async fn write_text<T: Send + 'static>(
        &self,
        expected: Vec<String>,
        work: impl FnOnce(&mut Command<'_>) -> Result<T, AppError> + Clone + Send + 'static,
    ) -> Result<T, AppError> {
        self.app.write_text(&self.identity, expected, work).await
    }

    /// The frame of a page that shows nothing else from the database.
    pub(crate) async fn frame(&self) -> Result<Frame, PageError> {
        Ok(self.read(|_query| Ok(())).await?.0)
    }

    /// A segment of the path as an id. 404 if it is no number.
    pub(crate) fn id(&self, name: &str) -> Result<i64, PageError> {
        let found = self.request.segments.iter().find(|(known, _)| known == name);
        found.and_then(|(_, value)| value.parse().ok()).ok_or(PageError::NotFound)
    }

    /// A segment of the path, as it was sent.
    pub(crate) fn segment(&self, name: &str) -> &str {
        let found = self.request.segments.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value.as_str())
    }

    /// The path, as it was sent.
    pub(crate) fn path(&self) -> &str {
        &self.request.path
    }

    /// The address of a page of this server, with the query of this request.
    pub(crate) fn with_query(&self, path: &str) -> String {
        let query = &self.request.raw_query;
        let and = if query.is_empty() { "" } else { "?" };
        format!("{}{and}{query}", self.own(path))
    }

    pub(crate) fn look(&self) -> Look {
        self.request.cookies.look()
    }

    /// True if the browser has the page with this tag (RFC 9110, `If-None-Match`).
    pub(crate) fn has(&self, tag: &str) -> bool {
        browser_cache::is_among(self.request.known.as_deref().unwrap_or_default(), tag)
    }

    /// True if the client asks for JSON and not for a page.
    pub(crate) fn accepts_json(&self) -> bool {
        self.request.accepts_json
    }

    /// True if the script asks for the part of the page that it inserts.
    pub(crate) fn is_fragment(&self) -> bool {
        self.request.is_fragment
    }

    /// A parameter of the query. An empty one is absent.
    pub(crate) fn query(&self, name: &str) -> Option<&str> {
        self.request.query.text(name)
    }

    pub(crate) fn parameters(&self) -> &Parameters {
        &self.request.query
    }

    /// The method of the request.
    pub(crate) fn method(&self) -> &Method {
        &self.request.method
    }

    /// The parts of the application that all pages need.
    pub(crate) fn site(&self) -> &SiteContext {
        &self.site
    }

    pub(crate) fn form(&self) -> Form<'_> {
        Form::new(&self.request.form)
    }

    /// A file of the form. `None` if none was chosen.
    pub(crate) fn file(&self, field: &str) -> Option<&Upload> {
        self.request.files.get(field)
    }

    /// The files of a field that takes several, whose name ends with `[]`.
    pub(crate) fn files(&self, field: &str) -> &[Upload] {
        self.request.several.get(field).map(Vec::as_slice).unwrap_or_default()
    }

    /// The address to which the browser goes after the page has done its work.
    pub(crate) fn return_to(&self) -> &ReturnTo {
        &self.request.return_to
    }

    /// The same address. The first page if there is none.
    pub(crate) fn destination(&self) -> String {
        self.return_to().or(self.own("/"))
    }

    /// The address of a page of this server.
    pub(crate) fn own(&self, path: &str) -> String {
        format!("{}{path}", address::root(self.app.base_url()))
    }

    /// The browser, for a session that is to begin.
    pub(crate) fn browser(&self, remembered: bool) -> Browser {
        Browser {
            address: self.request.address.map(|address| address.to_string()),
            user_agent: self.request.user_agent.clone(),
            remembered,
        }
    }
}
