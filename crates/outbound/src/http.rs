//! HTTP requests to addresses that users have named.
//!
//! Every address is checked when the connection is made, and the connection goes to the checked address. A name cannot stand
//! for another address a moment later. No proxy is used, and no compressed answer is asked for.

mod fetch;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Method, StatusCode, redirect};
use url::Url;

use crate::address::{is_public, is_target};
use crate::own::OwnAddresses;

pub use fetch::Fetch;

/// The most redirects that are followed.
const MAX_REDIRECTS: usize = 5;
/// The time for which an unused connection is kept for the next request to the same server.
const IDLE: Duration = Duration::from_secs(15);
/// The time in which the body of an answer has to come, once its status is known. The body is for people who read the log.
const BODY_TIME: Duration = Duration::from_secs(2);
/// The most unused connections to one server.
const IDLE_CONNECTIONS: usize = 4;

/// Bounds on the requests of users.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Time for one request, with all its redirects.
    pub time: Duration,
    /// Bytes of the headers of a response that are kept, and bytes of its body that are read.
    pub response: usize,
}

/// A request with a body.
#[derive(Debug, Clone)]
pub struct Post {
    /// The address of the receiver. A user name and password in it are sent as Basic authentication.
    pub url: String,
    /// Headers, beside those of the body.
    pub headers: Vec<Header>,
    /// The body, which is JSON.
    pub body: String,
    /// True if addresses inside the server's own network may be called.
    pub local_allowed: bool,
    /// True if the certificate of the receiver is verified.
    pub verify: bool,
}

/// A header of a request.
#[derive(Debug, Clone)]
pub struct Header {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// True if it is sent to no other host than the first one.
    pub is_secret: bool,
}

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Its headers, in order.
    pub headers: Vec<(String, String)>,
    /// The part of its body that was read, as text.
    pub body: String,
}

/// The reason why there was no response.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// The address, or one that it redirects to, may not be called.
    #[error("URL '{url}' is blocked: requests to the local network are not allowed")]
    Blocked {
        /// That address, without its user information.
        url: String,
    },
    /// The receiver redirects too often.
    #[error("too many redirects")]
    Redirects,
    /// The receiver did not answer in time.
    #[error("the receiver did not answer within {} seconds", .0.as_secs())]
    Timeout(Duration),
    /// The request cannot be sent: its address or a header is not valid.
    #[error("the request is not valid: {0}")]
    Invalid(&'static str),
    /// The receiver could not be called.
    #[error("{0}")]
    Failed(String),
}

/// The addresses on the way that may lie inside the server's own network.
#[derive(Debug, Clone, Copy)]
enum Local {
    Nowhere,
    /// At scheme, host and port of the first address.
    FirstOrigin,
    Everywhere,
}

/// One of the addresses on the way to an answer.
#[derive(Debug, Clone, Copy)]
struct Hop {
    /// True if it gets the secret headers.
    is_first_host: bool,
    local_allowed: bool,
}

/// Sends requests; connections are kept for a while and shared.
#[derive(Debug, Clone)]
pub struct Client {
    pub(crate) bounds: Bounds,
    /// The addresses of this server, which are called only if local addresses may be.
    pub(crate) own: Arc<OwnAddresses>,
    /// The client for each answer to two questions: may local addresses be called, and are certificates verified?
    clients: [[reqwest::Client; 2]; 2],
}

impl Client {
    /// A client with these bounds, of a server with these addresses. Fails if the certificates of this machine cannot be read.
    pub fn new(bounds: Bounds, own: OwnAddresses) -> Result<Self, std::io::Error> {
        let own = Arc::new(own);
        // Another part of the process may have chosen the same already.
        let _chosen = rustls::crypto::ring::default_provider().install_default();
        let build = |local_allowed: bool, verify: bool| {
            let mut client = reqwest::Client::builder()
                .no_proxy()
                .redirect(redirect::Policy::none())
                .dns_resolver(Arc::new(Checked { local_allowed, own: Arc::clone(&own) }))
                .connect_timeout(bounds.time)
                .pool_idle_timeout(IDLE)
                .pool_max_idle_per_host(IDLE_CONNECTIONS)
                .user_agent(concat!("Tenon/", env!("CARGO_PKG_VERSION")));
            if !verify {
                client = client.tls_danger_accept_invalid_certs(true).tls_danger_accept_invalid_hostnames(true);
            }
            client.build().map_err(std::io::Error::other)
        };
        let clients = [[build(false, false)?, build(false, true)?], [build(true, false)?, build(true, true)?]];
        Ok(Self { bounds, own, clients })
    }

    /// Sends a request and reads the answer, whatever its status is, and as much of its body as comes in time.
    ///
    /// # Errors
    /// If no status comes within the bounds.
    pub async fn post(&self, request: &Post) -> Result<Answer, SendError> {
        let local = if request.local_allowed { Local::Everywhere } else { Local::Nowhere };
        self.within_bounds(request, local).await
    }

    /// As [`Client::post`], to an address that an administrator has named, which may be a local one. A redirect may lead to a
    /// local address only if `local_allowed`.
    ///
    /// # Errors
    /// As [`Client::post`].
    pub async fn post_to_trusted(&self, request: &Post) -> Result<Answer, SendError> {
        let local = if request.local_allowed { Local::Everywhere } else { Local::FirstOrigin };
        self.within_bounds(request, local).await
    }

    async fn within_bounds(&self, request: &Post, local: Local) -> Result<Answer, SendError> {
        let (bound, begun) = (self.bounds.time, Instant::now());
        let head = tokio::time::timeout(bound, self.follow(request, local)).await;
        let head = head.unwrap_or(Err(SendError::Timeout(bound)))?;
        Ok(self.read(head, bound.saturating_sub(begun.elapsed()).min(BODY_TIME)).await)
    }

    /// Sends a request, and follows its redirects. Yields the last answer, of which the head was read.
    async fn follow(&self, request: &Post, local: Local) -> Result<reqwest::Response, SendError> {
        let mut url = Url::parse(&request.url).map_err(|_invalid| SendError::Invalid("its address is not a URL"))?;
        let first_host = host(&url);
        let mut method = Method::POST;
        for _hop in 0..=MAX_REDIRECTS {
            let is_first_host = host(&url) == first_host;
            let local_allowed = match local {
                Local::Nowhere => false,
                Local::FirstOrigin => is_first_host,
                Local::Everywhere => true,
            };
            self.check(&url, local_allowed)?;
            let answer = self.send(request, &method, &url, Hop { is_first_host, local_allowed }).await?;
            let Some(next) = redirect_of(answer.status().as_u16(), answer.headers(), &url) else {
                return Ok(answer);
            };
            // As browsers do: only these two keep method and body.
            if !matches!(answer.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT) {
                method = Method::GET;
            }
            url = next;
        }
        Err(SendError::Redirects)
    }

    /// Refuses an address that may not be called; asked for each address on the way.
    fn check(&self, url: &Url, local_allowed: bool) -> Result<(), SendError> {
        let is_own = !local_allowed && self.own.is_named_by(url);
        if is_own || !is_target(url.as_str(), local_allowed) { Err(blocked(url)) } else { Ok(()) }
    }

    async fn send(&self, request: &Post, method: &Method, url: &Url, hop: Hop) -> Result<reqwest::Response, SendError> {
        let [local, public] = [&self.clients[1], &self.clients[0]];
        let [unverified, verified] = if hop.local_allowed { local } else { public };
        let client = if request.verify { verified } else { unverified };
        let mut plain = url.clone();
        let credentials = (!url.username().is_empty() || url.password().is_some())
            .then(|| (decoded(url.username()), decoded(url.password().unwrap_or_default())));
        if plain.set_username("").is_err() || plain.set_password(None).is_err() {
            return Err(SendError::Invalid("its address has no host"));
        }
        let mut building = client.request(method.clone(), plain).headers(headers_of(request, hop.is_first_host)?);
        if let Some((user, password)) = credentials {
            building = building.basic_auth(user, Some(password));
        }
        if *method == Method::POST {
            building = building.header(CONTENT_TYPE, "application/json").body(request.body.clone());
        }
        building.send().await.map_err(|error| failure(&error, url))
    }

    /// Reads the body within this time. A receiver that has sent a status has answered: missing parts of the body are left out.
    async fn read(&self, mut answer: reqwest::Response, time: Duration) -> Answer {
        let status = answer.status().as_u16();
        let headers = kept_headers(answer.headers(), self.bounds.response);
        let mut body = Vec::new();
        let all = async {
            while body.len() < self.bounds.response
                && let Ok(Some(chunk)) = answer.chunk().await
            {
                let room = self.bounds.response - body.len();
                body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
            }
        };
        let _whether_it_ended = tokio::time::timeout(time, all).await;
        Answer { status, headers, body: String::from_utf8_lossy(&body).replace('\0', "\u{fffd}") }
    }
}

fn headers_of(request: &Post, with_secrets: bool) -> Result<HeaderMap, SendError> {
    let mut headers = HeaderMap::new();
    for Header { name, value, is_secret } in &request.headers {
        if !with_secrets && *is_secret {
            continue;
        }
        let mut value = HeaderValue::from_bytes(value.as_bytes())
            .map_err(|_invalid| SendError::Invalid("a header holds a line break"))?;
        value.set_sensitive(*is_secret);
        let name =
            HeaderName::from_bytes(name.as_bytes()).map_err(|_invalid| SendError::Invalid("a header has no name"))?;
        headers.insert(name, value);
    }
    headers.remove(CONTENT_LENGTH);
    Ok(headers)
}

/// The headers of a response, until there are too many of them.
fn kept_headers(headers: &HeaderMap, most: usize) -> Vec<(String, String)> {
    let mut kept = Vec::new();
    let mut length = 0;
    for (name, value) in headers {
        length += name.as_str().len() + value.len();
        if length > most {
            break;
        }
        kept.push((name.to_string(), String::from_utf8_lossy(value.as_bytes()).replace('\0', "\u{fffd}")));
    }
    kept
}

/// The target of a redirect; `None` if the response is none.
fn redirect_of(status: u16, headers: &HeaderMap, from: &Url) -> Option<Url> {
    let is_redirect = matches!(status, 301 | 302 | 303 | 307 | 308);
    let location = headers.get(LOCATION).filter(|_| is_redirect)?;
    from.join(location.to_str().ok()?).ok()
}

/// The host and port that get the secrets, over TLS if the first address had it.
fn host(url: &Url) -> (Option<String>, Option<u16>, bool) {
    (url.host_str().map(str::to_owned), url.port_or_known_default(), url.scheme() == "https")
}

fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}

fn shown(url: &Url) -> String {
    let mut url = url.clone();
    let _no_host = url.set_username("");
    let _no_host = url.set_password(None);
    url.to_string()
}

fn blocked(url: &Url) -> SendError {
    SendError::Blocked { url: shown(url) }
}

/// The failure of a request in words. The innermost cause says most; the others repeat the address.
fn failure(error: &reqwest::Error, url: &Url) -> SendError {
    let mut cause: &dyn std::error::Error = error;
    loop {
        if cause.downcast_ref::<LocalAddress>().is_some() {
            return blocked(url);
        }
        match cause.source() {
            Some(source) => cause = source,
            None => break,
        }
    }
    if error.is_timeout() {
        return SendError::Failed("the connection timed out".to_owned());
    }
    SendError::Failed(cause.to_string())
}

/// A name that stands for an address inside the server's own network.
#[derive(Debug, thiserror::Error)]
#[error("the name stands for a local address")]
struct LocalAddress;

/// Finds the addresses of a name, and yields none if any of them may not be called. The connection is made to these addresses:
/// the name is not looked up once more in between.
#[derive(Debug)]
struct Checked {
    local_allowed: bool,
    own: Arc<OwnAddresses>,
}

impl Checked {
    /// The addresses, if all of them may be called: a name that stands for a local one as well is not called at all.
    fn permitted(&self, found: Vec<SocketAddr>) -> Result<Addrs, LocalAddress> {
        let is_permitted = |address: &SocketAddr| is_public(address.ip()) && !self.own.contains(address.ip());
        if !self.local_allowed && !found.iter().all(is_permitted) {
            return Err(LocalAddress);
        }
        Ok(Box::new(found.into_iter()))
    }
}

impl Resolve for Checked {
    fn resolve(&self, name: Name) -> Resolving {
        let this = Self { local_allowed: self.local_allowed, own: Arc::clone(&self.own) };
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            Ok(this.permitted(found)?)
        })
    }
}

#[cfg(test)]
mod tests;
