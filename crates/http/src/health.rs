//! What load balancers and monitoring ask: `/-/health`, `/-/liveness`, `/-/readiness` and `/-/metrics`.

use actix_web::http::StatusCode;
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpResponse, http::header};
use serde_json::json;

use crate::Http;
use crate::error::ApiError;

/// Adds the routes below `/-`.
pub(crate) fn configure(http: &Http, config: &mut ServiceConfig) {
    let (readiness, metrics) = (http.clone(), http.clone());
    let ready = move || {
        let http = readiness.clone();
        async move { ready(&http).await }
    };
    let metrics = move || {
        let http = metrics.clone();
        async move { measured(&http) }
    };
    let health = || async { HttpResponse::Ok().content_type("text/plain").body("Tenon OK") };
    config
        .route("/-/health", web::get().to(health))
        .route("/-/health", web::head().to(health))
        .route("/-/liveness", web::get().to(|| async { status_ok() }))
        .route("/-/readiness", web::get().to(ready))
        .route("/-/metrics", web::get().to(metrics));
}

fn status_ok() -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "application/json"))
        .body(json!({ "status": "ok" }).to_string())
}

async fn ready(http: &Http) -> HttpResponse {
    match http.app().ready().await {
        Ok(()) => status_ok(),
        // The reason is in the log; whoever asks here only wants to know whether to send requests.
        Err(error) => {
            tracing::warn!(%error, "not ready");
            ApiError::message(StatusCode::SERVICE_UNAVAILABLE, "503 Service Unavailable").into_response()
        }
    }
}

fn measured(http: &Http) -> HttpResponse {
    let in_flight = [("in", http.bodies().spent()), ("out", http.answers().spent())];
    http.metrics().set_load(&http.app().waiting(), &in_flight);
    match http.metrics().text() {
        Ok(text) => HttpResponse::Ok().insert_header((header::CONTENT_TYPE, "text/plain; version=0.0.4")).body(text),
        Err(error) => ApiError::internal(&error).into_response(),
    }
}
