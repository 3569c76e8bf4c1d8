//! Git over HTTP: `{base}/{full_path}.git`. Refusals are plain text, which Git shows in the user's terminal.

use std::io;
use std::time::Instant;

use actix_web::http::header::{self, HeaderMap};
use actix_web::http::{Method, StatusCode};
use actix_web::web::{self, Payload, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use futures_util::StreamExt as _;
use percent_encoding::percent_decode_str;
use tenon_app::error::AppError;
use tenon_app::repository::ByteStream;
use tenon_app::transport::{ContentEncoding, GitCredential, GitRefusal, GitRequest, advertise, exchange};
use tenon_app::{App, Secret};
use tenon_edge::client::app_of;
use tenon_edge::credentials;
use tenon_edge::finish::finish;

use super::state::Http;

/// Route names in the log and the metrics.
const ADVERTISEMENT: &str = "(git refs)";
const EXCHANGE: &str = "(git pack)";

/// Adds the routes of Git clients.
pub(crate) fn configure(http: &Http, config: &mut ServiceConfig) {
    let (refs, packs, plain) = (http.clone(), http.clone(), http.clone());
    config
        .route(
            "/{path:.+}.git/info/refs",
            web::get().to(move |request: HttpRequest| answer_refs(refs.clone(), request)),
        )
        .route(
            "/{path:.+}.git/{service:git-(upload|receive)-pack}",
            web::post().to(move |request: HttpRequest, body: Payload| answer_pack(packs.clone(), request, body)),
        )
        .route(
            "/{path:.+}/info/refs",
            web::get().to(move |request: HttpRequest| std::future::ready(send_on(&plain, &request))),
        );
}

/// `GET .../info/refs?service=`.
async fn answer_refs(http: Http, request: HttpRequest) -> HttpResponse {
    let started = Instant::now();
    let service = request.query_string().strip_prefix("service=").unwrap_or_default().to_owned();
    let answer = match asked(&request, &service) {
        Some(asked) => match advertise(&app_for(&http, &request), asked).await {
            Ok(body) => served(&service, "advertisement", body),
            Err(refusal) => refused(&refusal),
        },
        None => not_found(),
    };
    finish(http.edge(), &Method::GET, ADVERTISEMENT, Ok(answer), started)
}

/// `GET .../info/refs` of a path without `.git`: 301 to the one with it, also if no repository exists.
fn send_on(http: &Http, request: &HttpRequest) -> HttpResponse {
    let started = Instant::now();
    let query = request.query_string();
    let is_git = matches!(query, "" | "service=git-upload-pack" | "service=git-receive-pack");
    let answer = match request.uri().path().strip_suffix("/info/refs").filter(|_| is_git) {
        Some(path) => {
            let and = if query.is_empty() { "" } else { "?" };
            let there = format!("{}{path}.git/info/refs{and}{query}", http.app().base_url());
            HttpResponse::MovedPermanently().insert_header((header::LOCATION, there)).finish()
        }
        None => not_found(),
    };
    finish(http.edge(), &Method::GET, ADVERTISEMENT, Ok(answer), started)
}

/// `POST .../git-upload-pack` and `POST .../git-receive-pack`.
async fn answer_pack(http: Http, request: HttpRequest, body: Payload) -> HttpResponse {
    let started = Instant::now();
    let service = request.match_info().get("service").unwrap_or_default().to_owned();
    let answer = match (asked(&request, &service), encoding(request.headers())) {
        (Some(asked), Some(encoding)) => {
            let body = body.map(|chunk| chunk.map_err(io::Error::other)).boxed_local();
            match exchange(&app_for(&http, &request), GitRequest { encoding, ..asked }, body).await {
                Ok(body) => served(&service, "result", body),
                Err(refusal) => refused(&refusal),
            }
        }
        (Some(_), None) => text(StatusCode::UNSUPPORTED_MEDIA_TYPE, "This encoding is not supported."),
        (None, _) => not_found(),
    };
    finish(http.edge(), &Method::POST, EXCHANGE, Ok(answer), started)
}

/// The application, with the client of this request.
fn app_for(http: &Http, request: &HttpRequest) -> App {
    app_of(http.edge(), request)
}

/// The parsed request; `None` for a path that no project can have.
fn asked(request: &HttpRequest, service: &str) -> Option<GitRequest> {
    let path = request.uri().path().rsplit_once(".git/").map(|(path, _)| path)?;
    let header = |name| request.headers().get(name).and_then(|value| value.to_str().ok()).map(ToOwned::to_owned);
    Some(GitRequest {
        path: project_path(path)?,
        service: service.to_owned(),
        protocol: header("git-protocol"),
        credential: credential(request.headers()),
        encoding: ContentEncoding::Identity,
    })
}

/// The path of a project in the path of a request; `None` for one that no project can have.
pub(super) fn project_path(encoded: &str) -> Option<String> {
    let segments: Option<Vec<String>> = encoded
        .strip_prefix('/')?
        .split('/')
        .map(|segment| {
            let decoded = percent_decode_str(segment).decode_utf8().ok()?;
            let plain = !matches!(&*decoded, "" | "." | "..") && !decoded.contains(['/', '\\', '\0']);
            plain.then(|| decoded.into_owned())
        })
        .collect();
    Some(segments?.join("/"))
}

/// The credential of Basic authentication. One that cannot be decoded is a wrong password.
pub(super) fn credential(headers: &HeaderMap) -> Option<GitCredential> {
    let (username, password) = credentials::basic(headers)?;
    Some(GitCredential { username, password: Secret::given(password) })
}

/// The encoding of the body; `None` for one that no Git client uses.
fn encoding(headers: &HeaderMap) -> Option<ContentEncoding> {
    match headers.get(header::CONTENT_ENCODING).map_or(Ok(""), |value| value.to_str()) {
        Ok("" | "identity") => Some(ContentEncoding::Identity),
        Ok("gzip" | "x-gzip") => Some(ContentEncoding::Gzip),
        Ok(_) | Err(_) => None,
    }
}

fn served(service: &str, what: &str, body: ByteStream) -> HttpResponse {
    HttpResponse::Ok()
        .content_type(format!("application/x-{service}-{what}"))
        .insert_header((header::CACHE_CONTROL, "no-cache"))
        .insert_header(("X-Accel-Buffering", "no"))
        .streaming(body)
}

pub(super) fn refused(refusal: &GitRefusal) -> HttpResponse {
    match refusal {
        GitRefusal::Unauthenticated | GitRefusal::TokenRequired => {
            let mut response = text(StatusCode::UNAUTHORIZED, &refusal.to_string());
            let challenge = header::HeaderValue::from_static(r#"Basic realm="Tenon""#);
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
            response
        }
        GitRefusal::Forbidden(reason) => text(StatusCode::FORBIDDEN, reason),
        GitRefusal::Maintenance(message) => text(StatusCode::SERVICE_UNAVAILABLE, message),
        GitRefusal::Excluded(_) | GitRefusal::KeyRefused(_) => text(StatusCode::FORBIDDEN, &refusal.to_string()),
        GitRefusal::NotFound | GitRefusal::NotYet => text(StatusCode::NOT_FOUND, &refusal.to_string()),
        GitRefusal::TooLarge(reason) => text(StatusCode::PAYLOAD_TOO_LARGE, reason),
        GitRefusal::Malformed(reason) => text(StatusCode::BAD_REQUEST, reason),
        GitRefusal::Incomplete | GitRefusal::CutOff => text(StatusCode::BAD_REQUEST, &refusal.to_string()),
        GitRefusal::TooSlow => text(StatusCode::REQUEST_TIMEOUT, &refusal.to_string()),
        GitRefusal::NotCreated(_) => text(StatusCode::UNPROCESSABLE_ENTITY, &refusal.to_string()),
        GitRefusal::Failed(AppError::Busy { retry_after } | AppError::TookTooLong { retry_after }) => {
            let mut response = text(StatusCode::SERVICE_UNAVAILABLE, "The server is busy. Please try again later.");
            response.headers_mut().insert(header::RETRY_AFTER, (*retry_after).into());
            response
        }
        GitRefusal::Failed(AppError::Throttled { retry_after }) => {
            let mut response = text(StatusCode::TOO_MANY_REQUESTS, "Retry later");
            response.headers_mut().insert(header::RETRY_AFTER, (*retry_after).into());
            response
        }
        GitRefusal::Failed(AppError::DiskFull) => {
            text(StatusCode::INSUFFICIENT_STORAGE, tenon_app::transport::DISK_FULL)
        }
        GitRefusal::Failed(error) => {
            let error: &dyn std::error::Error = error;
            tracing::error!(error, "Git was not served");
            text(StatusCode::INTERNAL_SERVER_ERROR, "The server has failed. Please try again later.")
        }
    }
}

fn not_found() -> HttpResponse {
    text(StatusCode::NOT_FOUND, "The project you were looking for could not be found.")
}

/// Git shows the body of a response only if it is plain text.
fn text(status: StatusCode, text: &str) -> HttpResponse {
    HttpResponse::build(status).content_type("text/plain; charset=utf-8").body(format!("{text}\n"))
}
