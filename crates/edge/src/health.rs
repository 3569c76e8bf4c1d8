//! Health checks and metrics: `/-/health`, `/-/liveness`, `/-/readiness` and `/-/metrics`.

use actix_web::http::StatusCode;
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse, http::header};
use serde_json::json;

use crate::state::Edge;
use crate::wire::error::ApiError;

/// Load balancers poll these paths: their requests are not rate limited.
pub const PATHS: [&str; 4] = ["/-/health", "/-/liveness", "/-/readiness", "/-/metrics"];

/// The path of RFC 9116.
const SECURITY_TXT: &str = "/.well-known/security.txt";

/// The content type of the metrics.
const METRICS: &str = "text/plain; version=0.0.4";

/// Adds the routes below `/-`.
pub fn configure(edge: &Edge, config: &mut ServiceConfig) {
    let (readiness, metrics) = (edge.clone(), edge.clone());
    let ready = move || {
        let edge = readiness.clone();
        async move { ready(&edge).await }
    };
    let live = || async { status_ok() };
    let metrics = move |request: HttpRequest| {
        let edge = metrics.clone();
        async move { measured(&edge, &request).await }
    };
    let contact = edge.clone();
    let contact = move || {
        let edge = contact.clone();
        async move { security_txt(&edge) }
    };
    let health = || async { HttpResponse::Ok().content_type("text/plain").body("Tenon OK") };
    config
        .route(SECURITY_TXT, web::get().to(contact.clone()))
        .route(SECURITY_TXT, web::head().to(contact))
        .route("/-/health", web::get().to(health))
        .route("/-/health", web::head().to(health))
        .route("/-/liveness", web::get().to(live))
        .route("/-/liveness", web::head().to(live))
        .route("/-/readiness", web::get().to(ready.clone()))
        .route("/-/readiness", web::head().to(ready))
        .route("/-/metrics", web::get().to(metrics.clone()))
        .route("/-/metrics", web::head().to(metrics));
}

/// Whom to tell about weaknesses (RFC 9116), as the settings say.
fn security_txt(edge: &Edge) -> HttpResponse {
    match &edge.app().known_settings().security_txt {
        Some(text) => HttpResponse::Ok().content_type("text/plain; charset=utf-8").body(text.clone()),
        None => ApiError::unknown_route().into_response(),
    }
}

fn status_ok() -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "application/json"))
        .body(json!({ "status": "ok" }).to_string())
}

async fn ready(edge: &Edge) -> HttpResponse {
    match edge.app().ready().await {
        Ok(()) => status_ok(),
        // The reason is in the log; a load balancer only needs the status.
        Err(error) => {
            tracing::warn!(%error, "not ready");
            ApiError::message(StatusCode::SERVICE_UNAVAILABLE, "503 Service Unavailable").into_response()
        }
    }
}

/// The metrics, for clients on the allowlist; 404 for all others.
async fn measured(edge: &Edge, request: &HttpRequest) -> HttpResponse {
    let peer = request.peer_addr().map(|address| address.ip());
    let client = edge.proxies().certain_client(peer, request.headers());
    if !client.is_some_and(|address| edge.monitors().contain(address)) {
        return ApiError::unknown_route().into_response();
    }
    if !edge.app().known_settings().prometheus_metrics_enabled {
        return HttpResponse::Ok().insert_header((header::CONTENT_TYPE, METRICS)).body("# Metrics are switched off.\n");
    }
    let in_flight = [("in", edge.small_bodies().spent() + edge.bodies().spent()), ("out", edge.answers().spent())];
    edge.metrics().set_load(&edge.app().waiting(), &in_flight);
    match edge.app().backups().await {
        Ok(Some(state)) => edge.metrics().set_backups(&state),
        Ok(None) => {}
        // The other metrics are answered without it.
        Err(error) => tracing::warn!(%error, "the state of the backups cannot be read"),
    }
    match edge.metrics().text() {
        Ok(text) => HttpResponse::Ok().insert_header((header::CONTENT_TYPE, METRICS)).body(text),
        Err(error) => ApiError::internal(&error).into_response(),
    }
}
