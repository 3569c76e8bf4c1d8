//! Large files (Git LFS) over HTTP: `{base}/{full_path}.git/info/lfs`. Answers are JSON, as clients of LFS read it.

use std::io;
use std::time::Instant;

use actix_web::body::SizedStream;
use actix_web::http::header::{self, HeaderMap, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::web::{self, Payload, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use chrono::SecondsFormat;
use futures_util::StreamExt as _;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tenon_app::App;
use tenon_app::error::AppError;
use tenon_app::lfs::{self, BatchEntry, BatchObject, LfsDownload, LfsOperation, LfsRefusal, LfsRequest, Span};
use tenon_app::lfs::{LockFilter, MOST_LOCKS, MOST_OBJECTS};
use tenon_app::transport::GitRefusal;
use tenon_domain::id::LfsLockId;
use tenon_domain::lfs::{LfsLock, is_lockable};
use tenon_edge::body;
use tenon_edge::client::{app_of, client_of};
use tenon_edge::error::ApiError;
use tenon_edge::finish::{UNKNOWN_ROUTE, finish};
use tenon_edge::param_map::ParamMap;

use super::git;
use super::state::Http;
use crate::download::POLICY;

/// Route names in the log and the metrics.
const BATCH: &str = "(lfs batch)";
const OBJECT: &str = "(lfs object)";
const LOCKS: &str = "(lfs locks)";

/// The type of questions and answers.
const JSON: &str = "application/vnd.git-lfs+json";
/// The part of a path behind that of the project.
const PLACE: &str = ".git/info/lfs/";
/// The most bytes of a question: as many as the most objects of one need.
const QUESTION: usize = 256 << 10;
const OLD_CLIENT: &str = "Server supports batch API only, please update your Git LFS client to version 1.0.1 and up.";

/// Adds the routes of clients of LFS.
pub(crate) fn configure(http: &Http, config: &mut ServiceConfig) {
    let http = http.clone();
    let answer = move |request: HttpRequest, body: Payload| answer(http.clone(), request, body);
    config.route("/{path:.+}.git/info/lfs/{rest:.*}", web::route().to(answer));
}

/// A request, as its method and the end of its path say.
enum Asked<'r> {
    Batch,
    Upload {
        oid: &'r str,
        size: &'r str,
    },
    Download(&'r str),
    /// The protocol before the batches.
    Old,
    Lock,
    Locks,
    Verify,
    Unlock(&'r str),
    Nothing,
}

impl<'r> Asked<'r> {
    fn parse(method: &Method, rest: &'r str, headers: &HeaderMap) -> Self {
        let parts: Vec<&str> = rest.split('/').collect();
        let wants_json =
            || headers.get(header::ACCEPT).and_then(|it| it.to_str().ok()).is_some_and(|it| it.contains(JSON));
        let reads = matches!(*method, Method::GET | Method::HEAD);
        match (parts.as_slice(), method == Method::POST) {
            (["objects", "batch"], true) => Self::Batch,
            (["objects"], true) => Self::Old,
            (["objects", oid, size], _) if method == Method::PUT => Self::Upload { oid, size },
            (["objects", _], _) if reads && wants_json() => Self::Old,
            (["objects", oid], _) if reads => Self::Download(oid),
            (["locks"], true) => Self::Lock,
            (["locks"], _) if reads => Self::Locks,
            (["locks", "verify"], true) => Self::Verify,
            (["locks", id, "unlock"], true) => Self::Unlock(id),
            _ => Self::Nothing,
        }
    }

    const fn route(&self) -> &'static str {
        match self {
            Self::Batch | Self::Old => BATCH,
            Self::Upload { .. } | Self::Download(_) => OBJECT,
            Self::Lock | Self::Locks | Self::Verify | Self::Unlock(_) => LOCKS,
            Self::Nothing => UNKNOWN_ROUTE,
        }
    }
}

async fn answer(http: Http, request: HttpRequest, payload: Payload) -> HttpResponse {
    let started = Instant::now();
    let path = request.uri().path();
    let (project, rest) = path.rsplit_once(PLACE).unwrap_or((path, ""));
    let asked = Asked::parse(request.method(), rest, request.headers());
    let outcome = match git::project_path(project) {
        Some(path) => {
            let question = Question {
                http: &http,
                app: app_of(http.edge(), &request),
                request: &request,
                asked: LfsRequest { path, credential: git::credential(request.headers()) },
            };
            question.answer(&asked, payload).await
        }
        None => Err(GitRefusal::NotFound.into()),
    };
    let answer = outcome.unwrap_or_else(|failure| refused(&http, &failure));
    finish(http.edge(), request.method(), asked.route(), Ok(answer), started)
}

/// Why a request is not answered well.
enum Failure {
    Refused(LfsRefusal),
    /// The body cannot be read, or is none that is understood.
    Unread(ApiError),
    /// The request asks for something that is not there at all.
    Other(StatusCode, &'static str),
}

impl From<LfsRefusal> for Failure {
    fn from(refusal: LfsRefusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<GitRefusal> for Failure {
    fn from(refusal: GitRefusal) -> Self {
        Self::Refused(refusal.into())
    }
}

struct Question<'q> {
    http: &'q Http,
    app: App,
    request: &'q HttpRequest,
    asked: LfsRequest,
}

#[derive(Deserialize)]
struct BatchBody {
    operation: String,
    #[serde(default)]
    objects: Vec<ObjectBody>,
    hash_algo: Option<String>,
}

#[derive(Deserialize)]
struct ObjectBody {
    oid: String,
    size: i64,
}

#[derive(Deserialize)]
struct LockBody {
    path: String,
}

#[derive(Deserialize)]
struct VerifyBody {
    cursor: Option<String>,
    limit: Option<i64>,
}

#[derive(Deserialize)]
struct UnlockBody {
    #[serde(default)]
    force: bool,
}

impl Question<'_> {
    async fn answer(self, asked: &Asked<'_>, payload: Payload) -> Result<HttpResponse, Failure> {
        match *asked {
            Asked::Batch => self.batch(payload).await,
            Asked::Upload { oid, size } => {
                let announced = self.header(&header::CONTENT_LENGTH).and_then(|length| length.parse().ok());
                let body = payload.map(|part| part.map_err(io::Error::other)).boxed_local();
                lfs::upload(&self.app, self.asked, (oid, size), announced, body).await?;
                Ok(HttpResponse::Ok().finish())
            }
            Asked::Download(oid) => {
                let range = self.header(&header::RANGE);
                Ok(sent(oid, lfs::download(&self.app, self.asked.clone(), oid, range).await?))
            }
            Asked::Old => Err(Failure::Other(StatusCode::NOT_IMPLEMENTED, OLD_CLIENT)),
            Asked::Lock => {
                let LockBody { path } = self.body(payload).await?;
                let lock = lfs::lock(&self.app, self.asked, path).await?;
                Ok(json_answer(StatusCode::CREATED, &json!({ "lock": lock_json(&lock) })))
            }
            Asked::Locks => self.locks().await,
            Asked::Verify => {
                let VerifyBody { cursor, limit } = self.body(payload).await?;
                let found = lfs::verify(&self.app, self.asked, after(cursor.as_deref()), most(limit)).await?;
                let list = |locks: &[LfsLock]| locks.iter().map(lock_json).collect::<Vec<_>>();
                let body = json!({ "ours": list(&found.ours), "theirs": list(&found.theirs) });
                Ok(json_answer(StatusCode::OK, &with_cursor(body, found.next)))
            }
            Asked::Unlock(id) => {
                let UnlockBody { force } = self.body(payload).await?;
                let id = LfsLockId::new(id.parse().unwrap_or(0));
                let lock = lfs::unlock(&self.app, self.asked, id, force).await?;
                Ok(json_answer(StatusCode::OK, &json!({ "lock": lock_json(&lock) })))
            }
            Asked::Nothing => Err(Failure::Other(StatusCode::NOT_FOUND, NOT_FOUND)),
        }
    }

    async fn batch(self, payload: Payload) -> Result<HttpResponse, Failure> {
        let BatchBody { operation, objects, hash_algo } = self.body(payload).await?;
        let malformed = |text| Failure::Other(StatusCode::UNPROCESSABLE_ENTITY, text);
        let operation = LfsOperation::parse(&operation)
            .ok_or_else(|| malformed("The operation is neither download nor upload."))?;
        if objects.len() > MOST_OBJECTS {
            return Err(Failure::Other(StatusCode::PAYLOAD_TOO_LARGE, "A batch has at most 1,000 objects."));
        }
        if hash_algo.is_some_and(|name| name != "sha256") {
            return Err(Failure::Other(StatusCode::CONFLICT, "Objects are named by SHA-256 only."));
        }
        let objects: Vec<BatchObject> =
            objects.into_iter().map(|ObjectBody { oid, size }| BatchObject { oid, size }).collect();
        let is_empty = objects.is_empty();
        let place = format!("{}/{}{PLACE}objects", self.http.app().base_url(), self.asked.path);
        let header = self.header(&header::AUTHORIZATION).map(ToOwned::to_owned);
        let found = lfs::batch(&self.app, self.asked, operation, objects).await?;
        if is_empty {
            return Err(Failure::Other(StatusCode::NOT_FOUND, NOT_FOUND));
        }
        let mut headers = serde_json::Map::new();
        if let Some(header) = header.filter(|_| !found.is_anonymous) {
            headers.insert("Authorization".to_owned(), header.into());
        }
        let entries: Vec<Value> = found
            .entries
            .iter()
            .map(|(object, entry)| entry_json(object, *entry, &place, &headers, found.is_anonymous))
            .collect();
        let body = json!({ "transfer": "basic", "hash_algo": "sha256", "objects": entries });
        Ok(json_answer(StatusCode::OK, &body))
    }

    async fn locks(self) -> Result<HttpResponse, Failure> {
        let query = ParamMap::from_query(self.request.query_string().as_bytes());
        let query = query.map_err(|problem| Failure::Unread(problem.into()))?;
        let value = |name: &str| query.values.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let filter = LockFilter {
            path: value("path").map(ToOwned::to_owned),
            id: value("id").map(|id| LfsLockId::new(id.parse().unwrap_or(0))),
            not_of: None,
        };
        // No lock has another path, and PostgreSQL takes no text with a NUL.
        if filter.path.as_deref().is_some_and(|path| !is_lockable(path)) {
            return Ok(json_answer(StatusCode::OK, &with_cursor(json!({ "locks": [] }), None)));
        }
        let limit = most(value("limit").and_then(|limit| limit.parse().ok()));
        let found = lfs::locks(&self.app, self.asked, filter, after(value("cursor")), limit).await?;
        let locks: Vec<Value> = found.locks.iter().map(lock_json).collect();
        Ok(json_answer(StatusCode::OK, &with_cursor(json!({ "locks": locks }), found.next)))
    }

    fn header(&self, name: &header::HeaderName) -> Option<&str> {
        self.request.headers().get(name).and_then(|value| value.to_str().ok())
    }

    /// The question in the body.
    async fn body<T: DeserializeOwned>(&self, payload: Payload) -> Result<T, Failure> {
        let edge = self.http.edge();
        let client = client_of(edge, self.request);
        let reserved = edge.bodies().reserve(client, 0);
        let mut reservation =
            reserved.map_err(|_exhausted| Failure::Unread(AppError::Busy { retry_after: 2 }.into()))?;
        let received = body::receive(self.request.headers(), payload, QUESTION, &mut reservation).await;
        let bytes: Bytes = received.map_err(|problem| Failure::Unread(problem.into()))?;
        let text = "The body is no question of LFS in JSON.";
        serde_json::from_slice(&bytes).map_err(|_source| Failure::Other(StatusCode::UNPROCESSABLE_ENTITY, text))
    }
}

/// The id after which a part of a list begins. A cursor that was not given out begins at the start.
fn after(cursor: Option<&str>) -> i64 {
    cursor.and_then(|cursor| cursor.parse().ok()).unwrap_or(0)
}

/// The most locks of an answer.
fn most(limit: Option<i64>) -> i64 {
    limit.filter(|limit| *limit > 0).unwrap_or(MOST_LOCKS)
}

fn with_cursor(mut body: Value, next: Option<i64>) -> Value {
    if let (Some(next), Some(fields)) = (next, body.as_object_mut()) {
        fields.insert("next_cursor".to_owned(), next.to_string().into());
    }
    body
}

fn entry_json(
    object: &BatchObject,
    entry: BatchEntry,
    place: &str,
    headers: &serde_json::Map<String, Value>,
    is_anonymous: bool,
) -> Value {
    let BatchObject { oid, size } = object;
    let failed = |code: StatusCode, message: String| json!({ "oid": oid, "size": size, "error": { "code": code.as_u16(), "message": message } });
    match entry {
        BatchEntry::Download(size) => {
            let action = json!({ "href": format!("{place}/{oid}"), "header": headers });
            let mut answer = json!({ "oid": oid, "size": size, "actions": { "download": action } });
            // A client without a credential is not to look for one.
            if let Some(fields) = answer.as_object_mut().filter(|_| is_anonymous) {
                fields.insert("authenticated".to_owned(), true.into());
            }
            answer
        }
        BatchEntry::Upload => {
            let mut headers = headers.clone();
            headers.insert("Content-Type".to_owned(), "application/octet-stream".into());
            let action = json!({ "href": format!("{place}/{oid}/{size}"), "header": headers });
            json!({ "oid": oid, "size": size, "actions": { "upload": action } })
        }
        BatchEntry::Present => json!({ "oid": oid, "size": size }),
        BatchEntry::Missing => failed(StatusCode::NOT_FOUND, LfsRefusal::Missing.to_string()),
        BatchEntry::Malformed => failed(StatusCode::UNPROCESSABLE_ENTITY, LfsRefusal::Malformed.to_string()),
        BatchEntry::TooLarge(most) => failed(StatusCode::PAYLOAD_TOO_LARGE, LfsRefusal::TooLarge(most).to_string()),
    }
}

fn lock_json(lock: &LfsLock) -> Value {
    json!({
        "id": lock.id.to_string(),
        "path": lock.path,
        "locked_at": lock.locked_at.to_rfc3339_opts(SecondsFormat::Secs, true),
        "owner": { "name": lock.owner_name },
    })
}

/// The response with an object or a part of it. Browsers never show it.
fn sent(oid: &str, LfsDownload { size, span, body }: LfsDownload) -> HttpResponse {
    let mut response = match span {
        None => HttpResponse::Ok(),
        Some(_) => HttpResponse::PartialContent(),
    };
    response
        .insert_header((header::CONTENT_TYPE, "application/octet-stream"))
        .insert_header((header::CONTENT_DISPOSITION, format!("attachment; filename=\"{oid}\"")))
        .insert_header((header::CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((header::ACCEPT_RANGES, "bytes"));
    let length = span.map_or(size, |span| span.length);
    if let Some(Span { first, length }) = span {
        let last = first.saturating_add(length).saturating_sub(1);
        response.insert_header((header::CONTENT_RANGE, format!("bytes {first}-{last}/{size}")));
    }
    response.body(SizedStream::new(length, body))
}

fn json_answer(status: StatusCode, body: &Value) -> HttpResponse {
    HttpResponse::build(status).insert_header((header::CONTENT_TYPE, JSON)).body(body.to_string())
}

const NOT_FOUND: &str = "Not found.";
const FORBIDDEN: &str = "Access forbidden. Check your access level.";

fn refused(http: &Http, failure: &Failure) -> HttpResponse {
    use StatusCode as S;
    let help = format!("{}/help", http.app().base_url());
    let said =
        |status: StatusCode, text: &str| json_answer(status, &json!({ "message": text, "documentation_url": help }));
    let refusal = match failure {
        Failure::Refused(refusal) => refusal,
        Failure::Unread(problem) => return said(problem.status(), "The body cannot be read."),
        Failure::Other(status, text) => return said(*status, text),
    };
    match refusal {
        LfsRefusal::Git(refusal) => {
            let plain = git::refused(refusal);
            let text = match plain.status() {
                S::FORBIDDEN => FORBIDDEN.to_owned(),
                S::NOT_FOUND => NOT_FOUND.to_owned(),
                status if matches!(refusal, GitRefusal::Failed(_)) => {
                    status.canonical_reason().unwrap_or_default().to_owned()
                }
                _ => refusal.to_string(),
            };
            let mut answer = said(plain.status(), &text);
            for name in [header::WWW_AUTHENTICATE, header::RETRY_AFTER] {
                if let Some(value) = plain.headers().get(&name) {
                    answer.headers_mut().insert(name, value.clone());
                }
            }
            answer
        }
        LfsRefusal::SwitchedOff => said(S::FORBIDDEN, FORBIDDEN),
        LfsRefusal::Missing => said(S::NOT_FOUND, NOT_FOUND),
        LfsRefusal::NoLock => said(S::NOT_FOUND, &refusal.to_string()),
        LfsRefusal::Malformed | LfsRefusal::Mismatch | LfsRefusal::Path | LfsRefusal::TooManyLocks(_) => {
            said(S::UNPROCESSABLE_ENTITY, &refusal.to_string())
        }
        LfsRefusal::TooLarge(_) => said(S::PAYLOAD_TOO_LARGE, &refusal.to_string()),
        LfsRefusal::NoRoom(_) => said(S::INSUFFICIENT_STORAGE, &refusal.to_string()),
        LfsRefusal::Range(size) => {
            let mut answer = said(S::RANGE_NOT_SATISFIABLE, &refusal.to_string());
            if let Ok(value) = HeaderValue::from_str(&format!("bytes */{size}")) {
                answer.headers_mut().insert(header::CONTENT_RANGE, value);
            }
            answer
        }
        LfsRefusal::Locked(lock) => json_answer(
            S::CONFLICT,
            &json!({ "lock": lock_json(lock), "message": refusal.to_string(), "documentation_url": help }),
        ),
        LfsRefusal::OfAnother(..) | LfsRefusal::NoMaintainer => said(S::FORBIDDEN, &refusal.to_string()),
    }
}
