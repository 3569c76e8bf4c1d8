//! One request to the API, from the socket to the handler and back.

use std::borrow::Cow;
use std::time::Instant;

use actix_web::http::header;
use actix_web::http::{Method, StatusCode};
use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use serde_json::Value;
use tenon_app::error::AppError;
use tenon_app::identity::{Guard, Identity};
use tenon_edge::body;
use tenon_edge::body_permits::BodyPermit;
use tenon_edge::budget::Reservation;
use tenon_edge::client::{app_of, app_used_by, client_of, client_with};
use tenon_edge::credentials;
use tenon_edge::error::ApiError;
use tenon_edge::finish::{UNKNOWN_ROUTE, finish};
use tenon_edge::param_map::ParamMap;
use tenon_edge::raw::RawParams;
use tenon_edge::unreadable::UnreadableRequest;

use super::moved::NamedByPath;
use super::state::Http;
use crate::endpoint::call::{self, Caller, RawCall, RequestHead};
use crate::endpoint::{Endpoint, Lookup};

/// The longest query, in bytes. Lists repeat it four times in a header, which clients and proxies bound as well.
pub(super) const MAX_QUERY: usize = 8 * 1024;

/// Answers one request to the API.
pub(crate) async fn serve(http: Http, request: HttpRequest, payload: Payload) -> HttpResponse {
    let started = Instant::now();
    let method = request.method();

    let path = routed(request.uri().path());
    let (route, outcome) = match find(&http, method, &path) {
        Lookup::Endpoint(endpoint, path_params) => {
            (endpoint.path.as_str(), answer(&http, &request, payload, endpoint, &path, path_params).await)
        }
        Lookup::Options(route, allow) => {
            (route, Ok(HttpResponse::NoContent().insert_header((header::ALLOW, allow)).finish()))
        }
        Lookup::OtherMethod(route, allow) => (route, Err(ApiError::method_not_allowed(&allow))),
        Lookup::Gone => (UNKNOWN_ROUTE, Err(ApiError::gone())),
        Lookup::Unknown => (UNKNOWN_ROUTE, Err(ApiError::unknown_route())),
    };
    finish(http.edge(), method, route, outcome, started)
}

/// Answers a request to a known route. Problems with parameters are collected first and reported last, after the guard
/// has admitted the caller.
async fn answer(
    http: &Http,
    request: &HttpRequest,
    payload: Payload,
    endpoint: &Endpoint,
    path: &str,
    path_params: Vec<(&'static str, String)>,
) -> Result<HttpResponse, ApiError> {
    let client = client_of(http.edge(), request);
    let (limit, _permit) = body_limit(http, request, endpoint).await?;
    // Held until the end: handlers use the received bytes.
    let is_small = u64::try_from(limit).is_ok_and(|limit| limit <= http.app().limits().bodies.anonymous);
    let budget = if is_small { http.edge().small_bodies() } else { http.edge().bodies() };
    let mut reservation = budget.reserve(client, 0).map_err(|_exhausted| AppError::Busy { retry_after: 2 })?;
    let receiving = Receiving { payload, limit, reservation: &mut reservation };
    let Gathered { params, query, problem } = gather(request, receiving, endpoint, &path_params).await;

    let identity = identify(http, request, endpoint, &params.values)?;
    if endpoint.guard != Guard::Anyone && identity.credential.is_none() {
        return Err(ApiError::unauthorized());
    }
    let client = client_with(http.edge(), request, identity.credential.as_ref()).await?;
    let named = NamedByPath::of(&endpoint.path, &path_params);
    let caller = Caller::new(
        app_used_by(http.edge(), request, client),
        identity,
        head_of(http, request, query, path, path_params),
    );
    let params = problem.map_or(Ok(params), |problem| Err(problem.into()));
    let named = named.map(|named| (named, caller.clone()));
    match ((endpoint.run)(RawCall { caller, params }).await, named) {
        (Err(missing), Some((named, caller))) if missing.status() == StatusCode::NOT_FOUND => {
            named.answer(&caller, request.query_string(), missing).await
        }
        (outcome, _) => outcome,
    }
}

/// The credential and the claims in the parameters and headers.
fn identify(http: &Http, request: &HttpRequest, endpoint: &Endpoint, params: &ParamMap) -> Result<Identity, ApiError> {
    let presented = credentials::present(&params.values, request.headers(), http.app().base_url())?;
    Ok(Identity {
        credential: presented.credential,
        sudo: presented.sudo,
        guard: endpoint.guard,
        scopes: endpoint.scope,
        reads: matches!(*request.method(), Method::GET | Method::HEAD),
    })
}

/// The number of bytes of body that are received. Only callers whose credential, outside the body, is valid may send
/// more than the anonymous limit. Only requests with a permit may be larger than the ordinary limit.
async fn body_limit(
    http: &Http,
    request: &HttpRequest,
    endpoint: &Endpoint,
) -> Result<(usize, Option<BodyPermit>), ApiError> {
    let bytes = |limit: u64| usize::try_from(limit).unwrap_or(usize::MAX);
    let limits = &http.app().limits().bodies;
    let (anonymous, ordinary) = (bytes(limits.anonymous), bytes(limits.ordinary));
    let most = endpoint.body_limit.unwrap_or(ordinary);
    let announced = call::text_header(request.headers(), &header::CONTENT_LENGTH).and_then(|text| text.parse().ok());
    let is_within = |limit: usize| announced.is_some_and(|bytes: usize| bytes <= limit);
    if endpoint.method == Method::GET || is_within(anonymous) {
        return Ok((most.min(anonymous), None));
    }
    let query = ParamMap::from_query(request.query_string().as_bytes()).unwrap_or_default();
    let identity = identify(http, request, endpoint, &query)?;
    if identity.credential.is_none() {
        return Ok((most.min(anonymous), None));
    }
    let app = app_of(http.edge(), request);
    let user = app.read(&identity, |query| Ok(query.user()?.id)).await?;
    if most <= ordinary || is_within(ordinary) {
        return Ok((most, None));
    }
    let permit =
        http.edge().body_permits().try_acquire(user, limits.uploads).ok_or(AppError::Busy { retry_after: 2 })?;
    Ok((most, Some(permit)))
}

/// A body that has not been received yet.
struct Receiving<'a> {
    payload: Payload,
    /// The most bytes that are received.
    limit: usize,
    /// The budget that they are counted against.
    reservation: &'a mut Reservation,
}

/// The parts that were sent with a request.
struct Gathered {
    params: RawParams,
    /// The query, and the form of a read, as links repeat them.
    query: String,
    problem: Option<UnreadableRequest>,
}

/// Merges all parameters: path over body over query. A part that cannot be parsed is reported as the problem; the rest
/// may still contain the credential.
async fn gather(
    request: &HttpRequest,
    receiving: Receiving<'_>,
    endpoint: &Endpoint,
    path_params: &[(&'static str, String)],
) -> Gathered {
    let query = ParamMap::from_query(request.query_string().as_bytes());
    let mut links = request.query_string().to_owned();
    let reads = endpoint.method == Method::GET;
    let body = if reads && !body::is_form(request.headers()) {
        // Clients announce JSON on reads as well, and send none.
        Ok(RawParams::default())
    } else {
        match body::receive(request.headers(), receiving.payload, receiving.limit, receiving.reservation).await {
            Ok(bytes) => {
                if reads && body::is_urlencoded(request.headers()) && !bytes.is_empty() {
                    links = format!("{links}&{}", String::from_utf8_lossy(&bytes));
                }
                body::parse(request.headers(), bytes).await
            }
            Err(problem) => Err(problem),
        }
    };
    let format = query.as_ref().ok().and_then(unsupported_format);
    let length = (links.len() > MAX_QUERY).then_some(UnreadableRequest::QueryTooLong);
    let problem = length.or(query.as_ref().err().or(body.as_ref().err()).cloned()).or(format);
    let mut body = body.unwrap_or_default();
    let mut values = query.unwrap_or_default().overridden_by(std::mem::take(&mut body.values));
    for (name, value) in path_params {
        values.repeated.remove(*name);
        values.values.insert((*name).to_owned(), Value::String(value.clone()));
    }
    Gathered { params: RawParams { values, ..body }, query: links, problem }
}

fn unsupported_format(query: &ParamMap) -> Option<UnreadableRequest> {
    let format = query.values.get("format")?.as_str()?;
    (!matches!(format, "" | "json" | "txt")).then(|| UnreadableRequest::UnsupportedFormat(format.to_owned()))
}

fn head_of(
    http: &Http,
    request: &HttpRequest,
    query: String,
    path: &str,
    path_params: Vec<(&'static str, String)>,
) -> RequestHead {
    let headers = request.headers();
    RequestHead {
        method: request.method().clone(),
        path: path.to_owned(),
        query,
        path_params,
        base_url: http.app().base_url().to_owned(),
        if_none_match: call::text_header(headers, &header::IF_NONE_MATCH),
        unmodified_since: call::unmodified_since(headers),
        peer: http.edge().proxies().client(request.peer_addr().map(|address| address.ip()), headers),
        user_agent: call::text_header(headers, &header::USER_AGENT),
        last_event_id: call::text_header(headers, &header::HeaderName::from_static("last-event-id")),
    }
}

/// The path under which routes are looked up. Clients build paths with too many slashes, so repeated slashes and one at
/// the end are ignored. Encoded slashes are part of a name.
fn routed(path: &str) -> Cow<'_, str> {
    if !path.contains("//") && !path.ends_with('/') {
        return Cow::Borrowed(path);
    }
    let parts = path.split('/').filter(|part| !part.is_empty());
    Cow::Owned(parts.fold(String::with_capacity(path.len()), |joined, part| joined + "/" + part))
}

/// Looks up the path below `/api/v4`. Of the previous API only reads of `/user` work, as in the current one: old
/// clients complete their sign-in there.
fn find<'h>(http: &'h Http, method: &Method, path: &str) -> Lookup<'h> {
    let rest = |prefix| path.strip_prefix(prefix).filter(|rest: &&str| rest.is_empty() || rest.starts_with('/'));
    match (rest("/api/v4"), rest("/api/v3")) {
        (Some(current), _) => http.table().find(method, current),
        (_, Some("/user")) if matches!(*method, Method::GET | Method::HEAD) => http.table().find(method, "/user"),
        (_, Some(_)) => Lookup::Gone,
        (None, None) => Lookup::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literal_slashes_that_separate_nothing_are_ignored() {
        for (path, want) in [
            ("/api/v4/projects", "/api/v4/projects"),
            ("//api///v4/projects//1/", "/api/v4/projects/1"),
            ("/api/v4/projects/a%2F%2Fb%2F/", "/api/v4/projects/a%2F%2Fb%2F"),
            ("/api/v4/", "/api/v4"),
            ("/", ""),
        ] {
            assert_eq!(routed(path), want);
        }
    }

    #[test]
    fn only_json_is_a_format() {
        let refused = |query: &str| unsupported_format(&ParamMap::from_query(query.as_bytes()).unwrap()).is_some();
        assert_eq!(["format=xml", "format=json", "format=", ""].map(refused), [true, false, false, false]);
    }
}
