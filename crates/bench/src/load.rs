//! A load generator that is as light as it can be, because it shares the cores with the measured server: one thread,
//! plain sockets, no parsing beyond status and length.

use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::LocalSet;

/// The bytes of a request, given a number that no other request of this process has.
pub type Message = dyn Fn(u64) -> Rc<[u8]>;

/// The results of a time of driving.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The time that each request took, shortest first.
    pub latencies: Vec<Duration>,
    /// Answers of another status than 2xx, and connections that broke.
    pub errors: u64,
    /// The time between the first request and the last answer.
    pub took: Duration,
}

impl Outcome {
    /// Answers in a second.
    #[must_use]
    pub fn per_second(&self) -> f64 {
        count(self.latencies.len()) / self.took.as_secs_f64().max(f64::EPSILON)
    }

    /// The time within which this share (of a hundred) of the requests were answered.
    #[must_use]
    pub fn percentile(&self, share: usize) -> Duration {
        let last = self.latencies.len().saturating_sub(1);
        self.latencies.get((self.latencies.len() * share / 100).min(last)).copied().unwrap_or_default()
    }
}

/// A number of things, to calculate with.
pub(crate) fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

/// Sends `message` over and over, on `connections` connections at once, for this long.
pub async fn drive(
    port: u16,
    connections: usize,
    time: Duration,
    numbers: &mut u64,
    message: Rc<Message>,
) -> Result<Outcome> {
    let tasks = LocalSet::new();
    let mut running = Vec::new();
    let first = *numbers;
    let started = Instant::now();
    for connection in (0..).take(connections) {
        let message = Rc::clone(&message);
        // Numbers are dealt out so that the connections need not talk to each other.
        let own = move |turn: u64| first + connection + turn * u64::try_from(connections).unwrap_or(1);
        running.push(tasks.spawn_local(async move { one(port, started + time, |turn| message(own(turn))).await }));
    }
    tasks.await;
    let took = started.elapsed();
    let mut outcome = Outcome { took, ..Outcome::default() };
    let mut turns = 0;
    for connection in running {
        let (latencies, errors) = connection.await.context("a connection's task ended")??;
        turns = turns.max(latencies.len() + usize::try_from(errors)?);
        outcome.latencies.extend(latencies);
        outcome.errors += errors;
    }
    *numbers += u64::try_from((turns + 1) * connections)?;
    outcome.latencies.sort_unstable();
    Ok(outcome)
}

async fn one(port: u16, until: Instant, message: impl Fn(u64) -> Rc<[u8]>) -> Result<(Vec<Duration>, u64)> {
    let mut stream = connect(port).await?;
    let mut buffer = Vec::with_capacity(1 << 16);
    let (mut latencies, mut errors) = (Vec::with_capacity(1 << 14), 0);
    for turn in 0.. {
        let sent = Instant::now();
        if sent >= until {
            break;
        }
        match exchange(&mut stream, &mut buffer, &message(turn)).await {
            Ok(answer) if (200..300).contains(&answer.status) => latencies.push(sent.elapsed()),
            Ok(_) => errors += 1,
            Err(_) => {
                errors += 1;
                stream = connect(port).await?;
            }
        }
    }
    Ok((latencies, errors))
}

async fn connect(port: u16) -> Result<TcpStream> {
    let stream = TcpStream::connect(("127.0.0.1", port)).await.context("the server takes no connection")?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// One request on a connection of its own.
pub async fn ask(port: u16, message: &[u8]) -> Result<Answer> {
    let mut stream = connect(port).await?;
    exchange(&mut stream, &mut Vec::new(), message).await
}

/// The answer to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// Bytes of the body.
    pub length: usize,
}

async fn exchange(stream: &mut TcpStream, buffer: &mut Vec<u8>, message: &[u8]) -> Result<Answer> {
    stream.write_all(message).await?;
    buffer.clear();
    let mut awaited: Option<(Answer, usize)> = None;
    loop {
        if stream.read_buf(buffer).await? == 0 {
            bail!("the server closed the connection");
        }
        if awaited.is_none() {
            awaited = head(buffer)?;
        }
        if let Some((answer, end)) = awaited.filter(|(_, end)| buffer.len() >= *end) {
            debug_assert_eq!(buffer.len(), end, "nothing comes unasked");
            return Ok(answer);
        }
    }
}

/// Status and length of the body, and the end of the answer, once its headers are complete.
fn head(buffer: &[u8]) -> Result<Option<(Answer, usize)>> {
    let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = buffer.get(..end).unwrap_or_default();
    let digits = |bytes: &[u8]| std::str::from_utf8(bytes).ok().and_then(|text| text.trim().parse::<usize>().ok());
    let status = head.get(9..12).and_then(digits).and_then(|status| u16::try_from(status).ok());
    let status = status.context("an answer without a status")?;
    let length = head.split(|byte| *byte == b'\n').find_map(|line| {
        let (name, value) = line.split_at_checked(LENGTH.len())?;
        name.eq_ignore_ascii_case(LENGTH).then(|| digits(value)).flatten()
    });
    let length = if status == 204 { 0 } else { length.context("an answer without a length")? };
    Ok(Some((Answer { status, length }, end + 4 + length)))
}

const LENGTH: &[u8] = b"content-length:";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_known_once_its_headers_are_complete() {
        assert_eq!(head(b"HTTP/1.1 200 OK\r\nContent-Le").unwrap(), None);
        let text = b"HTTP/1.1 201 Created\r\ncontent-length: 12\r\nx: y\r\n\r\n{";
        assert_eq!(head(text).unwrap(), Some((Answer { status: 201, length: 12 }, text.len() - 1 + 12)));
        assert!(head(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    }

    #[test]
    fn percentiles_of_few_and_of_none() {
        let outcome = |numbers: &[u64]| Outcome {
            latencies: numbers.iter().copied().map(Duration::from_millis).collect(),
            ..Outcome::default()
        };
        assert_eq!(outcome(&[1, 2, 3, 4]).percentile(50), Duration::from_millis(3));
        assert_eq!(outcome(&[1, 2, 3, 4]).percentile(99), Duration::from_millis(4));
        assert_eq!(outcome(&[]).percentile(50), Duration::ZERO);
    }
}
