//! The arguments of a handler: the caller, its parameters, and access to the use cases.

use std::net::IpAddr;
use std::ops::Deref;
use std::rc::Rc;

use actix_web::http::Method;
use actix_web::http::header::{self, HeaderMap};
use chrono::{DateTime, Utc};
use tenon_app::error::AppError;
use tenon_app::identity::Identity;
use tenon_app::user::{NewPassword, Password};
use tenon_app::{App, Command, Query};
use tenon_edge::error::ApiError;
use tenon_edge::raw::RawParams;

use crate::params::{FromParams, ReadParams as _, parse_moment};

/// One request to one endpoint. Destructure it in the signature: `Call { caller, params }: Call<CreateProject>`.
pub(crate) struct Call<P> {
    pub(crate) caller: Caller,
    pub(crate) params: P,
}

/// Calls the caller's methods if the parameters do not matter.
impl<P> Deref for Call<P> {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.caller
    }
}

/// A request without its parameters.
#[derive(Clone)]
pub(crate) struct Caller {
    app: App,
    identity: Identity,
    head: Rc<RequestHead>,
}

impl Caller {
    /// The caller with this unverified identity.
    pub(crate) fn new(app: App, identity: Identity, head: RequestHead) -> Self {
        Self { app, identity, head: Rc::new(head) }
    }

    /// The application, for use cases that are neither a read nor a write.
    pub(crate) fn app(&self) -> &App {
        &self.app
    }

    /// The identity, for use cases that run on more than one thread.
    pub(crate) fn identity(&self) -> &Identity {
        &self.identity
    }

    pub(crate) fn head(&self) -> &Rc<RequestHead> {
        &self.head
    }

    /// Runs a reading use case as this caller.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Query<'_>) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, ApiError> {
        Ok(self.app.read(&self.identity, work).await?)
    }

    /// As [`Caller::read`], for queries that may scan very many rows.
    pub(crate) async fn search<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Query<'_>) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, ApiError> {
        Ok(self.app.search(&self.identity, work).await?)
    }

    /// Runs a writing use case as this caller.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Command<'_>) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, ApiError> {
        Ok(self.app.write(&self.identity, work).await?)
    }

    /// Runs a use case that writes texts whose references it follows: [`App::write_text`].
    pub(crate) async fn write_text<T: Send + 'static>(
        &self,
        expected: Vec<String>,
        work: impl FnOnce(&mut Command<'_>) -> Result<T, AppError> + Clone + Send + 'static,
    ) -> Result<T, ApiError> {
        Ok(self.app.write_text(&self.identity, expected, work).await?)
    }

    /// Hashes a password on its own thread; administrators only.
    pub(crate) async fn new_password(&self, password: Password) -> Result<NewPassword, ApiError> {
        Ok(self.app.new_password(&self.identity, password).await?)
    }

    /// Only authenticates the caller and applies the route's guard, for endpoints that need no data.
    pub(crate) async fn admit(&self) -> Result<(), ApiError> {
        Ok(self.app.admit(&self.identity).await?)
    }

    /// A segment of the path, decoded; empty if the pattern has no such segment.
    pub(crate) fn path(&self, name: &str) -> &str {
        self.head.path_params.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
    }

    /// A segment of the path that must be a number. If the pattern says `{name:int}` it always is one.
    pub(crate) fn path_i64(&self, name: &str) -> Result<i64, ApiError> {
        match self.path(name).parse() {
            Ok(number) => Ok(number),
            Err(_) => Err(ApiError::parameters(&format!("{name} is invalid"))),
        }
    }
}

/// The parts of a request that replies and use cases need.
#[derive(Debug, Clone)]
pub(crate) struct RequestHead {
    pub(crate) method: Method,
    /// The path as it was sent, still encoded.
    pub(crate) path: String,
    /// The query as it was sent, and the form of a read. It may contain tokens: never log it.
    pub(crate) query: String,
    /// The decoded segments that the pattern names.
    pub(crate) path_params: Vec<(&'static str, String)>,
    /// The public URL of this server, without a slash at the end.
    pub(crate) base_url: String,
    /// `If-None-Match`.
    pub(crate) if_none_match: Option<String>,
    /// `If-Unmodified-Since` of a delete. Ignored if it cannot be parsed.
    pub(crate) unmodified_since: Option<DateTime<Utc>>,
    /// The address of the client, behind any trusted proxy.
    pub(crate) peer: Option<IpAddr>,
    pub(crate) user_agent: Option<String>,
    /// `Last-Event-ID`, which clients of streams send.
    pub(crate) last_event_id: Option<String>,
}

impl RequestHead {
    /// True if the request only reads.
    pub(crate) fn reads(&self) -> bool {
        self.method == Method::GET || self.method == Method::HEAD
    }
}

#[cfg(test)]
impl RequestHead {
    /// A GET of this path and query.
    pub(crate) fn example(path: &str, query: &str) -> Self {
        Self {
            method: Method::GET,
            path: path.to_owned(),
            query: query.to_owned(),
            path_params: Vec::new(),
            base_url: "https://tenon.example".to_owned(),
            if_none_match: None,
            unmodified_since: None,
            peer: None,
            user_agent: None,
            last_event_id: None,
        }
    }
}

/// The moment in `If-Unmodified-Since`, as HTTP or as ISO 8601 writes it.
pub(crate) fn unmodified_since(headers: &HeaderMap) -> Option<DateTime<Utc>> {
    let text = text_header(headers, &header::IF_UNMODIFIED_SINCE)?;
    httpdate::parse_http_date(&text).ok().map(DateTime::from).or_else(|| parse_moment(&text))
}

/// A header that is text.
pub(crate) fn text_header(headers: &HeaderMap, name: &header::HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

/// A request whose parameters have not been read yet. `params` may already be a refusal, which is kept until the guard
/// has passed.
pub(crate) struct RawCall {
    pub(crate) caller: Caller,
    pub(crate) params: Result<RawParams, ApiError>,
}

impl RawCall {
    /// Reads the parameters. Their problems are shown only to callers that pass the guard.
    pub(crate) async fn parsed<P: FromParams>(self) -> Result<Call<P>, ApiError> {
        match self.params.and_then(|params| params.read()) {
            Ok(params) => Ok(Call { caller: self.caller, params }),
            Err(problem) => {
                self.caller.admit().await?;
                Err(problem)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    #[test]
    fn the_condition_of_a_delete_is_read_leniently() {
        for (text, readable) in
            [("Sat, 21 Nov 2026 12:00:00 GMT", true), ("2026-11-21T12:00:00Z", true), ("soon", false), ("", false)]
        {
            let mut headers = HeaderMap::new();
            headers.insert(header::IF_UNMODIFIED_SINCE, HeaderValue::from_static(text));
            assert_eq!(unmodified_since(&headers).is_some(), readable, "{text}");
        }
    }
}
