//! Answers that are being sent. While one is, the connection of a stranger does not end for that of another client.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::ServiceResponse;
use bytes::Bytes;
use tenon_app::UnderWay;

/// The body of an answer, and the request that is under way until all of it was sent.
struct InFlight {
    body: BoxBody,
    _request: UnderWay,
}

/// The response, whose request is under way until it was sent. What is no larger than `small` is sent at once.
pub(crate) fn until_sent(
    response: ServiceResponse<BoxBody>,
    under_way: Option<UnderWay>,
    small: u64,
) -> ServiceResponse<BoxBody> {
    let is_sent_at_once = match response.response().body().size() {
        BodySize::None => true,
        BodySize::Sized(size) => size <= small,
        BodySize::Stream => false,
    };
    match under_way {
        Some(request) if !is_sent_at_once => {
            response.map_body(|_, body| BoxBody::new(InFlight { body, _request: request }))
        }
        Some(_) | None => response,
    }
}

impl MessageBody for InFlight {
    type Error = Box<dyn Error>;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.body).poll_next(context)
    }
}
