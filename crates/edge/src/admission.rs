//! Rate limits and delivery for all requests. The client is identified, and its requests over time are counted. Large
//! responses are sent within a memory budget and at a minimum rate.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::HttpMessage as _;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::HeaderName;
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::rt::time::timeout;
use bytes::Bytes;
use tenon_app::error::AppError;
use tenon_app::{Client, Connection, Limits, Throttled};
use tenon_domain::settings::RequestTarget;
use tokio::sync::mpsc;

use super::by_settings;
use super::client::{Admitted, Presented, note_proved};
use super::finish::finish;
use super::health;
use super::in_flight::until_sent;
use crate::state::Edge;
use crate::wire::budget::{Exhausted, Reservation};
use crate::wire::error::ApiError;
use crate::wire::refusal;

/// The name in the log and the metrics of requests that were refused before their route was looked up.
const REFUSED: &str = "(throttled)";
/// The same of requests that were refused because the server is in maintenance.
const MAINTENANCE: &str = "(maintenance)";
/// Seconds after which a client with too many responses in flight may retry.
const RETRY_AFTER: u32 = 2;
/// Responses up to this size are sent at once: the connection buffers as much anyway.
const SMALL: usize = 64 * 1024;
/// The size of the parts in which larger responses are sent.
const PART: usize = 32 * 1024;

/// Serves one request with `next`, unless its client has sent too many over time.
pub(crate) async fn admit(
    edge: Edge,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    // Load balancers and monitoring systems send many requests from one address.
    let is_exempt = health::PATHS.contains(&request.path());
    let presented = Presented::by(&edge, request.request());
    // A health check must not depend on a look-up.
    let client = if is_exempt { Ok(presented.known_client(&edge)) } else { presented.client(&edge).await };
    let client = match client {
        Ok(client) => client,
        Err(fault) => return Ok(refused(&edge, request, fault.into())),
    };
    let admitted = Admitted { client, is_signed: presented.is_signed() };
    note_proved(admitted.client, request.conn_data());
    if !is_exempt && let Err(throttled) = edge.app().used_by(admitted.client).count_request() {
        return Ok(refused(&edge, request, throttled_anonymous(throttled)));
    }
    if is_exempt || !edge.app().counts_callers() {
        return serve_as(&edge, admitted, request, next).await;
    }
    let counted = by_settings::count(&edge, admitted.client, &presented, request.request());
    let response = match counted.refusal {
        Some(refusal) => refused(&edge, request, refusal),
        None => serve_as(&edge, admitted, request, next).await?,
    };
    Ok(by_settings::with_headers(response, &counted.headers))
}

/// The response to a request that is not served.
fn refused(edge: &Edge, request: ServiceRequest, failure: ApiError) -> ServiceResponse<BoxBody> {
    if failure.status() == StatusCode::TOO_MANY_REQUESTS {
        edge.metrics().count_throttled();
    }
    let answer = refusal::respond(failure, request.request());
    let answer = finish(edge, request.method(), REFUSED, Ok(answer), Instant::now());
    request.into_response(answer)
}

async fn serve_as(
    edge: &Edge,
    admitted: Admitted,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let client = admitted.client;
    request.extensions_mut().insert(admitted);
    if edge.answers().is_exhausted(client) && !health::PATHS.contains(&request.path()) {
        return Ok(refused(edge, request, busy()));
    }
    let settings = edge.app().known_settings();
    if let Some(message) = &settings.maintenance
        && !RequestTarget::new(request.method().as_str(), request.path(), "").is_served_in_maintenance()
    {
        let answer = refusal::in_maintenance(message, request.request());
        let answer = finish(edge, request.method(), MAINTENANCE, Ok(answer), Instant::now());
        return Ok(request.into_response(answer));
    }
    let under_way = request.conn_data::<Arc<Connection>>().and_then(Connection::begin_request);
    let response = next.call(request).await?.map_into_boxed_body();
    let small = u64::try_from(SMALL).unwrap_or(u64::MAX);
    Ok(until_sent(deliver(edge, client, response), under_way, small))
}

fn busy() -> ApiError {
    AppError::Busy { retry_after: RETRY_AFTER }.into()
}

fn throttled_anonymous(throttled: Throttled) -> ApiError {
    ApiError::throttled(throttled.seconds())
        .with_header(HeaderName::from_static("ratelimit-name"), "throttle_unauthenticated")
        .with_header(HeaderName::from_static("ratelimit-limit"), throttled.burst)
        .with_header(HeaderName::from_static("ratelimit-remaining"), 0)
        .with_header(HeaderName::from_static("ratelimit-reset"), throttled.seconds())
}

/// Sends a large response in parts, so that its memory is counted, and freed when the client does not read it.
fn deliver(edge: &Edge, client: Client, response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    let (request, response) = response.into_parts();
    let (response, body) = response.into_parts();
    let bytes = match body.try_into_bytes() {
        Ok(bytes) if bytes.len() > SMALL => bytes,
        Ok(bytes) => return ServiceResponse::new(request, response.set_body(BoxBody::new(bytes))),
        // A stream has its own limits.
        Err(body) => return ServiceResponse::new(request, response.set_body(body)),
    };
    let reservation = match edge.answers().reserve(client, bytes.len()) {
        Ok(reservation) => reservation,
        Err(Exhausted) if matches!(*request.method(), Method::GET | Method::HEAD) => {
            let answer = refusal::respond(busy(), &request);
            return ServiceResponse::new(request, answer);
        }
        // The change has been made, so the response is sent in any case: a client that retries would make it twice. Its
        // next write waits until this response has been read (`serve_as`).
        Err(Exhausted) => edge.answers().charge(client, bytes.len()),
    };
    let body = Delivery::start(bytes, reservation, edge.app().limits());
    ServiceResponse::new(request, response.set_body(BoxBody::new(body)))
}

/// A response of known size that a task sends part by part.
struct Delivery {
    size: u64,
    left: u64,
    parts: mpsc::Receiver<Bytes>,
}

impl Delivery {
    fn start(bytes: Bytes, reservation: Reservation, limits: &Limits) -> Self {
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let (sender, parts) = mpsc::channel(1);
        let (patience, whole) = (patience(limits), time_for(size, limits));
        actix_web::rt::spawn(async move {
            let hand_over = async {
                let mut rest = bytes;
                while !rest.is_empty() {
                    let part = rest.split_to(PART.min(rest.len()));
                    if !matches!(timeout(patience, sender.send(part)).await, Ok(Ok(()))) {
                        tracing::debug!("a client did not take its answer");
                        break;
                    }
                }
            };
            // A client that exceeds the time limit of a whole transfer is treated like one that reads nothing.
            let _ = timeout(whole, hand_over).await;
            drop(reservation);
        });
        Self { size, left: size, parts }
    }
}

/// The time in which a client has to read a whole response, which occupies memory until then.
fn time_for(size: u64, limits: &Limits) -> Duration {
    let at_least_rate = Duration::from_secs(size / limits.answers.least_per_second.max(1));
    (Duration::from_mins(1) + at_least_rate).min(limits.transfers.whole)
}

/// The time in which a client has to read one part, so that it reads at the minimum rate.
fn patience(limits: &Limits) -> Duration {
    let part = u32::try_from(PART).unwrap_or(u32::MAX);
    let least = u32::try_from(limits.transfers.least_per_window.max(1)).unwrap_or(u32::MAX);
    limits.transfers.rate_window * part / least
}

impl MessageBody for Delivery {
    type Error = io::Error;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.size)
    }

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Bytes, io::Error>>> {
        self.parts.poll_recv(context).map(|part| match part {
            Some(part) => {
                self.left = self.left.saturating_sub(u64::try_from(part.len()).unwrap_or(u64::MAX));
                Some(Ok(part))
            }
            None if self.left == 0 => None,
            // A truncated response must not look complete.
            None => Some(Err(io::ErrorKind::TimedOut.into())),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::Pin;

    use super::*;
    use crate::wire::budget::ByteBudget;

    fn limits() -> Limits {
        let mut limits = Limits::default();
        limits.transfers.rate_window = Duration::from_secs(30);
        limits.transfers.least_per_window = 32 * 1024;
        limits
    }

    fn delivery(size: usize, budget: &ByteBudget) -> Delivery {
        let reservation = budget.reserve(Client::Server, size).unwrap();
        Delivery::start(Bytes::from(vec![b'x'; size]), reservation, &limits())
    }

    async fn next(body: &mut Delivery) -> Option<Result<Bytes, io::Error>> {
        poll_fn(|context| Pin::new(&mut *body).poll_next(context)).await
    }

    #[actix_web::test]
    async fn an_answer_arrives_whole_and_then_costs_nothing() {
        let budget = ByteBudget::new(1 << 20, 1 << 20);
        let mut body = delivery(100_000, &budget);
        assert!(matches!(body.size(), BodySize::Sized(100_000)));
        let mut taken = 0;
        while let Some(part) = next(&mut body).await {
            taken += part.unwrap().len();
        }
        actix_web::rt::task::yield_now().await;
        assert_eq!((taken, budget.spent()), (100_000, 0));
    }

    #[actix_web::test]
    async fn what_is_not_taken_is_freed_and_ends_in_an_error() {
        tokio::time::pause();
        let budget = ByteBudget::new(1 << 20, 1 << 20);
        let mut body = delivery(200_000, &budget);
        assert!(next(&mut body).await.is_some_and(|part| part.is_ok()));
        assert_eq!(budget.spent(), 200_000);
        // The paused clock advances by itself while every task waits.
        tokio::time::sleep(Duration::from_secs(31)).await;
        assert_eq!(budget.spent(), 0);
        let mut last = Some(Ok(Bytes::new()));
        while let Some(part) = next(&mut body).await {
            let is_error = part.is_err();
            last = Some(part);
            if is_error {
                break;
            }
        }
        assert!(last.is_some_and(|part| part.is_err()));
    }
}
