//! The stream of contributions: server-sent events, as browsers and other clients of `EventSource` read them.

use std::convert::Infallible;
use std::fmt;
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName};
use bytes::Bytes;
use futures_util::stream;
use tenon_app::Reference;
use tenon_app::contribution::{self, ContributionStream, ContributionView, FollowContributions, StreamStep};
use tenon_domain::id::EventId;
use tenon_edge::error::ApiError;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::dto::contribution::ContributionDto;
use crate::endpoint::{Call, Reply, ReplyDoc, RequestHead};
use crate::params::params;

/// The bytes after which a step is cut: a slow client holds no more in memory.
const FULL: usize = 64 * 1024;
/// Milliseconds after which clients connect again.
const BEGINNING: &str = "retry: 2000\n\n";
const HEARTBEAT: &str = ":\n\n";

params! {
    /// The events that are followed.
    pub(crate) struct FollowParams {
        /// Only events of this project; its id or path.
        project_id: Option<String>,
        /// Only events of these projects; their ids or paths.
        project_ids: Option<Vec<String>>,
        /// The id of an event: the later events are sent first. The header `Last-Event-ID` takes precedence.
        last_event_id: Option<i64>,
        /// The number of seconds after which the stream ends. With 0, it ends as soon as all past events are sent.
        seconds: Option<i64>,
    }
}

/// 200 with a stream.
pub(crate) struct EventStream {
    events: ContributionStream,
    patience: Duration,
}

impl fmt::Debug for EventStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream").finish_non_exhaustive()
    }
}

impl Reply for EventStream {
    fn respond(self, _: &RequestHead) -> Result<HttpResponse, ApiError> {
        let (sender, receiver) = mpsc::channel::<Bytes>(1);
        actix_web::rt::spawn(async move {
            let mut events = self.events;
            send(async || next_part(&mut events).await, sender, self.patience).await;
        });
        let parts = stream::unfold(receiver, |mut receiver| async {
            let part = receiver.recv().await?;
            Some((Ok::<_, Infallible>(part), receiver))
        });
        let mut response = HttpResponse::Ok();
        response
            .insert_header((header::CONTENT_TYPE, "text/event-stream"))
            .insert_header((header::CACHE_CONTROL, "no-cache, no-store"))
            // Proxies are not to collect the events.
            .insert_header((HeaderName::from_static("x-accel-buffering"), "no"));
        Ok(response.streaming(parts))
    }

    fn describe() -> ReplyDoc {
        let meaning =
            "A stream of events (`text/event-stream`): the `data` of each is an event as `GET /events` has it.";
        ReplyDoc { outcomes: vec![(StatusCode::OK, meaning, None)], ..ReplyDoc::default() }
    }
}

/// Sends the parts that `next` yields until one side ends. A client that does not read its part has to connect again.
async fn send(mut next: impl AsyncFnMut() -> Option<Bytes>, sender: mpsc::Sender<Bytes>, patience: Duration) {
    let mut part = Bytes::from_static(BEGINNING.as_bytes());
    while matches!(timeout(patience, sender.send(part)).await, Ok(Ok(()))) {
        part = tokio::select! {
            next = next() => match next {
                Some(next) => next,
                None => return,
            },
            () = sender.closed() => return,
        };
    }
}

/// The part that is sent next; `None` at the end.
async fn next_part(events: &mut ContributionStream) -> Option<Bytes> {
    match events.next().await? {
        StreamStep::Heartbeat => Some(Bytes::from_static(HEARTBEAT.as_bytes())),
        StreamStep::Contributions(found, upto) => text_of(events, found, upto).map(Bytes::from),
    }
}

/// The contributions as events, as many as fit; `None` if one cannot be written.
fn text_of(events: &mut ContributionStream, found: Vec<ContributionView>, upto: EventId) -> Option<String> {
    let mut text = String::new();
    let mut found = found.into_iter();
    while let Some(contribution) = found.next() {
        let id = contribution.id;
        let json = serde_json::to_string(&ContributionDto::from(contribution)).ok()?;
        text.extend(["id: ", &id.to_string(), "\ndata: ", &json, "\n\n"]);
        if text.len() >= FULL && found.len() > 0 {
            events.sent_partly(id);
            return Some(text);
        }
    }
    events.sent(upto);
    Some(text)
}

pub(super) async fn follow(Call { caller, params }: Call<FollowParams>) -> Result<EventStream, ApiError> {
    let named = params.project_id.into_iter().chain(params.project_ids.unwrap_or_default());
    let after = match caller.head().last_event_id.as_deref() {
        None | Some("") => params.last_event_id,
        Some(text) => Some(text.parse().map_err(|_error| ApiError::parameters("Last-Event-ID is invalid"))?),
    };
    let request = FollowContributions {
        projects: named.map(|name| Reference::parse(&name)).collect(),
        after: after.map(EventId::new),
        within: params.seconds.map(|seconds| Duration::from_secs(u64::try_from(seconds).unwrap_or(0))),
        address: caller.head().peer,
    };
    let events = contribution::follow(caller.app(), caller.identity(), request).await?;
    Ok(EventStream { events, patience: caller.app().limits().streams.patience })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const PATIENCE: Duration = Duration::from_mins(1);

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_is_given_up_with_one_part_in_memory() {
        let (sender, mut receiver) = mpsc::channel(1);
        let (made, begun) = (Cell::new(0), tokio::time::Instant::now());
        let next = async || {
            made.set(made.get() + 1);
            Some(Bytes::from_static(b"x"))
        };
        send(next, sender, PATIENCE).await;
        assert_eq!((made.get(), begun.elapsed()), (1, PATIENCE));
        assert_eq!(receiver.recv().await, Some(Bytes::from_static(BEGINNING.as_bytes())));
        assert_eq!(receiver.recv().await, None, "it connects again and goes on after the last event that it has");
    }

    #[tokio::test]
    async fn a_stream_ends_with_its_client() {
        let (sender, receiver) = mpsc::channel(1);
        drop(receiver);
        send(async || std::future::pending().await, sender, PATIENCE).await;
        let (sender, mut receiver) = mpsc::channel(1);
        let leave = async {
            receiver.recv().await;
            drop(receiver);
        };
        tokio::join!(send(async || std::future::pending().await, sender, PATIENCE), leave);
    }
}
