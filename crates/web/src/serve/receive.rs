//! The data of a request: the parameters in its address, and those of its form with its files.

use actix_web::HttpRequest;
use actix_web::http::{Method, StatusCode};
use actix_web::web::Payload;
use serde_json::Value;
use tenon_app::error::AppError;
use tenon_app::identity::{Credential, Guard, Identity};
use tenon_app::{Place, place, repository, upload};
use tenon_domain::file_path::bytes_of;
use tenon_domain::snippet::MAX_BYTES;
use tenon_domain::token::ScopeRule;
use tenon_edge::body;
use tenon_edge::body_permits::BodyPermit;
use tenon_edge::budget::Reservation;
use tenon_edge::client::{app_of, client_of};
use tenon_edge::error::ApiError;
use tenon_edge::param_map::{ParamMap, may_be_path};
use tenon_edge::raw::RawParams;

use crate::context::site::SiteContext;
use crate::kit::cookie::Cookies;
use crate::kit::csrf::is_from_this_site;
use crate::kit::error::PageError;
use crate::kit::header::{reads, text_header};
use crate::kit::segment;
use crate::table::project::without_dash;

/// The received data of a request.
pub(crate) struct Received {
    /// The parameters in the address.
    pub(crate) query: ParamMap,
    pub(crate) form: RawParams,
    /// The memory that the body is counted against until the request is answered, because handlers use the received
    /// bytes.
    pub(crate) held: Option<Held>,
}

/// The memory that a body occupies.
pub(crate) struct Held {
    _bytes: Reservation,
    _permit: Option<BodyPermit>,
}

/// The limit for the length of a body.
struct Limit {
    bytes: usize,
    /// True if it counts with the bodies that any caller may send.
    is_small: bool,
    permit: Option<BodyPermit>,
}

/// The parameters of the query, and those of the form with its files.
pub(crate) async fn receive(
    site: &SiteContext,
    request: &HttpRequest,
    payload: Payload,
    cookies: &Cookies,
) -> Result<Received, PageError> {
    let edge = site.edge();
    let query = ParamMap::from_query(request.query_string().as_bytes()).map_err(ApiError::from)?;
    // PostgreSQL accepts no text with NUL. In the path of a file, NUL marks bytes that are no UTF-8.
    let is_path =
        |name: &str, value: &Value| may_be_path(name) && value.as_str().is_some_and(|text| bytes_of(text).is_some());
    let one = query.values.iter().any(|(name, value)| holds_nul(value) && !is_path(name, value));
    if one || query.repeated.values().flatten().any(holds_nul) {
        return Err(PageError::Status(StatusCode::BAD_REQUEST, None));
    }
    if reads(request.method()) {
        return Ok(Received { query, form: RawParams::default(), held: None });
    }
    let limit = match files_for(request) {
        Some(files) if *request.method() == Method::POST => upload_limit(site, request, cookies, files).await?,
        Some(_) | None => body_limit(site, request, cookies).await,
    };
    let budget = if limit.is_small { edge.small_bodies() } else { edge.bodies() };
    let reserved = budget.reserve(client_of(edge, request), 0);
    let mut reservation = reserved.map_err(|_exhausted| AppError::Busy { retry_after: 2 })?;
    let received = body::receive(request.headers(), payload, limit.bytes, &mut reservation).await;
    let bytes = received.map_err(ApiError::from)?;
    let form = body::parse(request.headers(), bytes).await.map_err(ApiError::from)?;
    if form.values.values.values().any(holds_nul) {
        return Err(PageError::Status(StatusCode::BAD_REQUEST, None));
    }
    Ok(Received { query, form, held: Some(Held { _bytes: reservation, _permit: limit.permit }) })
}

/// The limit of a body. Only callers with a valid session may send more than anonymous ones. Their texts may be as long
/// as the API accepts them, and the encoding of a form triples the length.
async fn body_limit(site: &SiteContext, request: &HttpRequest, cookies: &Cookies) -> Limit {
    let limits = &site.edge().app().limits().bodies;
    let anonymous = Limit { bytes: bytes(limits.anonymous), is_small: true, permit: None };
    let session = cookies.session().filter(|_| announced(request).is_some_and(|bytes| bytes > anonymous.bytes));
    let Some(id) = session else { return anonymous };
    match app_of(site.edge(), request).read(&reader(id), |query| query.user().map(drop)).await {
        Ok(()) => Limit { bytes: bytes(longest(request, limits.ordinary)), is_small: false, permit: None },
        Err(_) => anonymous,
    }
}

/// The longest form of a caller with a session: a snippet may have more text than others.
fn longest(request: &HttpRequest, ordinary: u64) -> u64 {
    let is_snippet = request.path().split('/').any(|segment| segment == "snippets");
    let texts = if is_snippet { ordinary.saturating_add(u64::try_from(MAX_BYTES).unwrap_or(0)) } else { ordinary };
    texts.saturating_mul(3)
}

/// The purpose of files that a form carries, and the segments of its path.
enum FilesFor {
    /// They are for use in texts of the project that all these segments name.
    Texts(Vec<String>),
    /// They become a commit. The first of these segments name the project, and then follows `create`.
    Commit(Vec<String>),
}

/// The files that a request may carry, by its address and the kind of its body.
fn files_for(request: &HttpRequest) -> Option<FilesFor> {
    let path = request.path();
    if let Some(segments) = segment::project_before(path, "uploads") {
        return Some(FilesFor::Texts(segments));
    }
    let is_upload = request.query_string().split('&').any(|part| part == "upload=1");
    let kind = text_header(request.headers(), "content-type").unwrap_or_default().to_ascii_lowercase();
    let has_files = is_upload && kind.starts_with("multipart/form-data");
    let segments = has_files.then(|| segment::decoded(&segment::raw_segments(path).0)).flatten()?;
    segments.iter().any(|segment| segment == CREATE).then_some(FilesFor::Commit(segments))
}

/// The page that makes files, below a project.
const CREATE: &str = "create";

/// Files for texts of a project, or for a commit, may be as large as the API accepts them.
///
/// This is decided by data that comes before the body. The request must come from a page of ours, and its session must
/// be valid. The caller must be allowed to upload into the project, which must have room, or to read its code. Other
/// callers are refused before the body is received. A hidden project gets the same answer as a missing one.
async fn upload_limit(
    site: &SiteContext,
    request: &HttpRequest,
    cookies: &Cookies,
    files: FilesFor,
) -> Result<Limit, PageError> {
    let token = text_header(request.headers(), "x-csrf-token");
    // A form carries its token in the body, which is checked later.
    let is_forged = token.is_some_and(|token| !cookies.admit(Some(token)));
    if is_forged || !is_from_this_site(request.headers(), site.edge().app().base_url()) {
        return Err(PageError::Forged);
    }
    let id = cookies.session().ok_or(PageError::SignIn)?;
    let (app, identity) = (app_of(site.edge(), request), reader(id));
    let may = app.read(&identity, move |query| {
        let (FilesFor::Texts(segments) | FilesFor::Commit(segments)) = &files;
        let Place::Project { id, segments: named, .. } = place::find(query, segments)? else { return Ok(None) };
        let below = without_dash(segments.get(named..).unwrap_or_default());
        let project = tenon_app::Reference::Id(id.get());
        match &files {
            FilesFor::Texts(_) if below.is_empty() => upload::check(query, &project)?,
            FilesFor::Commit(_) if below.first().is_some_and(|page| page == CREATE) => {
                repository::check_upload(query, &project)?;
            }
            FilesFor::Texts(_) | FilesFor::Commit(_) => return Ok(None),
        }
        Ok(Some(query.user()?.id))
    });
    // Other paths with this ending receive no uploads.
    let Some(user) = may.await? else { return Ok(body_limit(site, request, cookies).await) };
    let limits = &site.edge().app().limits().bodies;
    if announced(request).is_some_and(|announced| announced <= bytes(limits.ordinary)) {
        return Ok(Limit { bytes: bytes(limits.ordinary), is_small: false, permit: None });
    }
    let permit =
        site.edge().body_permits().try_acquire(user, limits.uploads).ok_or(AppError::Busy { retry_after: 2 })?;
    Ok(Limit { bytes: upload::MAX_BODY, is_small: false, permit: Some(permit) })
}

/// The owner of a session that is checked before a body is received.
fn reader(session: &str) -> Identity {
    Identity {
        credential: Some(Credential::Session { id: session.to_owned(), csrf: None, on_page: true }),
        sudo: None,
        guard: Guard::SignedIn,
        scopes: ScopeRule::Any,
        reads: true,
    }
}

/// The length of the body, as the client says.
fn announced(request: &HttpRequest) -> Option<usize> {
    text_header(request.headers(), "content-length").and_then(|text| text.parse().ok())
}

fn bytes(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

/// True if a text of a form, or of a list or object in it, holds NUL. The parser has bounded the depth.
fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(elements) => elements.iter().any(holds_nul),
        Value::Object(fields) => fields.values().any(holds_nul),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
