//! The failures of a route that its reply does not list: by its guard, its parameters, its body and the load of the
//! server.

use actix_web::http::{Method, StatusCode};
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::openapi::{ComponentsBuilder, Ref, RefOr};

use super::{JSON, of_type};
use crate::endpoint::Endpoint;

/// A failure: its status, its meaning, and the routes that can answer it.
struct Failure {
    status: StatusCode,
    meaning: &'static str,
    applies: fn(&Endpoint) -> bool,
}

const fn failure(status: StatusCode, meaning: &'static str, applies: fn(&Endpoint) -> bool) -> Failure {
    Failure { status, meaning, applies }
}

const FAILURES: [Failure; 15] = [
    failure(StatusCode::MOVED_PERMANENTLY, "The path is an old one of the project or group.", reads_below_path),
    failure(StatusCode::NOT_MODIFIED, "The caller has it already, as `If-None-Match` says.", reads),
    failure(StatusCode::BAD_REQUEST, "A parameter is missing or cannot be used.", always),
    failure(StatusCode::UNAUTHORIZED, "There is no credential, or it is not valid.", always),
    failure(StatusCode::FORBIDDEN, "The caller or the token may not do this.", always),
    // Also of the user whom `sudo` names.
    failure(StatusCode::NOT_FOUND, "There is no such thing, or the caller may not see it.", always),
    failure(
        StatusCode::METHOD_NOT_ALLOWED,
        "Its state does not permit it, or the path is an old one of the project or group.",
        is_refused_by_state_or_path,
    ),
    failure(StatusCode::NOT_ACCEPTABLE, "The format is not offered, or the state does not permit it.", always),
    failure(StatusCode::CONFLICT, "Something else has that name, or has changed at the same time.", writes),
    failure(StatusCode::PRECONDITION_FAILED, "It has changed since `If-Unmodified-Since`.", removes),
    failure(StatusCode::PAYLOAD_TOO_LARGE, "The body, or what was asked for, is larger than the limit.", is_large),
    failure(StatusCode::UNPROCESSABLE_ENTITY, "It can be read and cannot be done.", writes),
    failure(StatusCode::TOO_MANY_REQUESTS, "Too many requests.", always),
    failure(StatusCode::SERVICE_UNAVAILABLE, "The server is too busy, or its database does not answer.", always),
    failure(StatusCode::INSUFFICIENT_STORAGE, "The disk of the server is full. Nothing was changed.", writes),
];

const fn always(_: &Endpoint) -> bool {
    true
}

fn reads(endpoint: &Endpoint) -> bool {
    endpoint.method == Method::GET
}

fn writes(endpoint: &Endpoint) -> bool {
    !reads(endpoint)
}

fn removes(endpoint: &Endpoint) -> bool {
    endpoint.method == Method::DELETE
}

/// True if the route merges, or gives up a merge: its state can refuse that by a status of its own.
fn merges(endpoint: &Endpoint) -> bool {
    ["/merge", "/cancel_merge_when_pipeline_succeeds"].iter().any(|end| endpoint.path.ends_with(end))
}

/// True if the path of the route begins with a project or group, which may be named by a path that it had before.
fn is_below_path(endpoint: &Endpoint) -> bool {
    ["/projects/{", "/groups/{"].iter().any(|start| endpoint.path.starts_with(start))
}

fn reads_below_path(endpoint: &Endpoint) -> bool {
    reads(endpoint) && is_below_path(endpoint)
}

fn is_refused_by_state_or_path(endpoint: &Endpoint) -> bool {
    merges(endpoint) || writes(endpoint) && is_below_path(endpoint)
}

/// True if a body is received, or files of a repository can be sent.
fn is_large(endpoint: &Endpoint) -> bool {
    writes(endpoint) || endpoint.path.starts_with("/projects/{")
}

/// The failures of a route, as references to the responses that [`described`] adds.
pub(super) fn failures(endpoint: &Endpoint) -> impl Iterator<Item = (StatusCode, RefOr<Response>)> {
    let applicable = FAILURES.iter().filter(move |failure| (failure.applies)(endpoint));
    applicable.map(|failure| (failure.status, RefOr::Ref(Ref::from_response_name(name(failure.status)))))
}

/// Adds all failures, each once.
pub(super) fn described(components: ComponentsBuilder) -> ComponentsBuilder {
    FAILURES.iter().fold(components, |components, failure| {
        components.response(name(failure.status), response(failure.status, failure.meaning))
    })
}

/// `Failure404`.
fn name(status: StatusCode) -> String {
    format!("Failure{}", status.as_u16())
}

fn response(status: StatusCode, meaning: &str) -> Response {
    let response = ResponseBuilder::new().description(meaning);
    if status == StatusCode::NOT_MODIFIED {
        return response.build();
    }
    if status == StatusCode::MOVED_PERMANENTLY {
        let address =
            HeaderBuilder::new().schema(Some(of_type(Type::String))).description(Some("The present address."));
        let text = ContentBuilder::new().schema(Some(of_type(Type::String))).build();
        return response.content("text/plain", text).header("Location", address.build()).build();
    }
    let response = response.content(JSON, ContentBuilder::new().schema(Some(body())).build());
    let response = if status == StatusCode::TOO_MANY_REQUESTS {
        response.content("text/plain", ContentBuilder::new().schema(Some(of_type(Type::String))).build())
    } else {
        response
    };
    if !matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
        return response.build();
    }
    let seconds = HeaderBuilder::new().schema(Some(of_type(Type::Integer))).description(Some("Seconds to wait."));
    response.header("Retry-After", seconds.build()).build()
}

/// `message` is a text, or the texts by field; `error` is a text or a list of texts.
fn body() -> Schema {
    let any = |text: &str| ObjectBuilder::new().schema_type(SchemaType::AnyValue).description(Some(text));
    let object = ObjectBuilder::new().property("message", any("A text, or texts by field."));
    object.property("error", any("A text, or a list of texts.")).build().into()
}
