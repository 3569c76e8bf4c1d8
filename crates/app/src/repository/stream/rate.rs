//! The least rate and the longest time of a transfer, in both directions.

use std::io;
use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt as _};
use tenon_domain::limits::TransferLimits;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use crate::repository::stream::ByteStream;

/// The client was slower than it may be, or the transfer longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooSlow;

/// Measures one transfer. Only the time that is spent waiting for the client counts for its rate: how long Git works is not
/// the client's fault. All time counts for the longest time.
#[derive(Debug)]
pub(crate) struct TransferRate {
    window: Duration,
    least: u64,
    deadline: Instant,
    /// For how long the client may still be waited for. Each byte that it sends or takes makes it longer.
    left: Duration,
    /// The most that `left` can be.
    most: Duration,
}

impl TransferRate {
    /// A transfer that begins now.
    pub(crate) fn new(limits: &TransferLimits) -> Self {
        Self {
            window: limits.rate_window,
            least: limits.least_per_window.max(1),
            deadline: Instant::now() + limits.whole,
            left: limits.rate_window,
            most: limits.rate_window,
        }
    }

    /// The same transfer, in which what moves beyond the least rate counts for a pause of up to `pause` later.
    pub(crate) fn saving(self, pause: Duration) -> Self {
        Self { most: pause.max(self.window), ..self }
    }

    /// The same transfer, in which nothing that has moved before counts any more.
    pub(crate) fn without_savings(self) -> Self {
        Self { left: self.window, most: self.window, ..self }
    }

    /// Counts bytes that have moved.
    pub(crate) fn count(&mut self, bytes: usize) {
        let bytes = u128::try_from(bytes).unwrap_or(u128::MAX);
        let nanos = self.window.as_nanos().saturating_mul(bytes) / u128::from(self.least);
        let earned = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        self.left = self.left.saturating_add(earned).min(self.most);
    }

    /// Waits for something that the client does: to send, or to receive.
    pub(crate) async fn client<F: Future>(&mut self, step: F) -> Result<F::Output, TooSlow> {
        let began = Instant::now();
        let outcome = timeout_at((began + self.left).min(self.deadline), step).await;
        // A part that has come too late may have been seen before the time ran out.
        self.left = self.left.checked_sub(began.elapsed()).ok_or(TooSlow)?;
        outcome.map_err(|_elapsed| TooSlow)
    }

    /// Waits for something that the server does.
    async fn server<F: Future>(&self, step: F) -> Result<F::Output, TooSlow> {
        timeout_at(self.deadline, step).await.map_err(|_elapsed| TooSlow)
    }
}

/// Parts that are read before the client takes them.
const AHEAD: usize = 4;
/// The most bytes of a part, so that a slow client is seen to take something.
const PART: usize = 16 << 10;

/// Bytes for a client that must take them at the least rate and within the longest time of a transfer. Otherwise, and as soon
/// as the returned stream is dropped, `bytes` is dropped, with the process and the permit behind it; a reader of the returned
/// stream then gets an error, so that it does not take the part for the whole.
pub(crate) fn enforce_least_rate(
    bytes: impl Stream<Item = io::Result<Bytes>> + 'static,
    mut rate: TransferRate,
) -> ByteStream {
    let (sender, receiver) = mpsc::channel(AHEAD);
    tokio::task::spawn_local(async move {
        let mut bytes = pin!(bytes.flat_map(|part| stream::iter(parts(part))));
        loop {
            let part = tokio::select! {
                part = rate.server(bytes.next()) => part,
                () = sender.closed() => return,
            };
            // `None` marks the end.
            let Ok(part) = part else { return };
            let (is_end, length) =
                (part.is_none(), part.as_ref().and_then(|part| part.as_ref().ok()).map_or(0, Bytes::len));
            if !matches!(rate.client(sender.send(part)).await, Ok(Ok(()))) || is_end {
                return;
            }
            rate.count(length);
        }
    });
    stream::unfold(Some(receiver), |receiver| async {
        let mut receiver = receiver?;
        match receiver.recv().await {
            Some(Some(part)) => Some((part, Some(receiver))),
            Some(None) => None,
            None => Some((Err(io::ErrorKind::TimedOut.into()), None)),
        }
    })
    .boxed_local()
}

/// The same bytes in parts that are not too large.
fn parts(bytes: io::Result<Bytes>) -> impl Iterator<Item = io::Result<Bytes>> {
    let mut rest = Some(bytes);
    std::iter::from_fn(move || match rest.take()? {
        Ok(mut bytes) if bytes.len() > PART => {
            let part = bytes.split_to(PART);
            rest = Some(Ok(bytes));
            Some(Ok(part))
        }
        last => Some(last),
    })
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use tokio::task::LocalSet;

    use super::*;

    fn limits() -> TransferLimits {
        TransferLimits {
            rate_window: Duration::from_secs(30),
            least_per_window: 20 << 10,
            whole: Duration::from_hours(1),
            ..TransferLimits::default()
        }
    }

    /// Parts without end, which hold a value until they are dropped.
    fn endless(held: Rc<()>) -> impl Stream<Item = io::Result<Bytes>> {
        stream::unfold(held, |held| async { Some((Ok(Bytes::from_static(&[0; PART])), held)) })
    }

    /// Lets the clock of the test go on, and all tasks do what is due.
    async fn pass(time: Duration) {
        tokio::time::advance(time).await;
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }

    /// For how long a client is served that takes one part in each interval.
    async fn served_for(interval: Duration) -> Duration {
        let all = async {
            let held = Rc::new(());
            let mut answer = enforce_least_rate(endless(Rc::clone(&held)), TransferRate::new(&limits()));
            let began = Instant::now();
            while Rc::strong_count(&held) == 2 {
                assert!(began.elapsed() < Duration::from_hours(2));
                assert!(answer.next().await.is_some_and(|part| part.is_ok()));
                pass(interval).await;
            }
            let served = began.elapsed();
            let rest: Vec<_> = answer.collect().await;
            assert!(rest.last().is_some_and(Result::is_err), "what was cut is not taken for the whole");
            served
        };
        LocalSet::new().run_until(all).await
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_too_little_is_cut_off_after_a_window() {
        let served = served_for(Duration::from_secs(40)).await;
        assert!(served <= Duration::from_secs(80), "{served:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_enough_is_served_until_the_longest_time() {
        let served = served_for(Duration::from_secs(10)).await;
        assert!((Duration::from_mins(59)..=Duration::from_mins(61)).contains(&served), "{served:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn time_that_the_server_needs_does_not_count_for_the_rate() {
        let all = async {
            let slow = stream::iter(0..20).then(|_| async {
                tokio::time::sleep(Duration::from_mins(2)).await;
                Ok(Bytes::from_static(b"x"))
            });
            let taken: Vec<_> = enforce_least_rate(slow, TransferRate::new(&limits())).collect().await;
            assert!(taken.len() == 20 && taken.iter().all(Result::is_ok), "{taken:?}");
        };
        LocalSet::new().run_until(all).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_needs_longer_than_the_longest_time_is_cut_off() {
        let all = async {
            let taken: Vec<_> = enforce_least_rate(stream::pending(), TransferRate::new(&limits())).collect().await;
            assert!(matches!(taken.as_slice(), [Err(error)] if error.kind() == io::ErrorKind::TimedOut));
        };
        LocalSet::new().run_until(all).await;
    }

    #[tokio::test(start_paused = true)]
    async fn what_the_client_no_longer_wants_is_dropped_at_once() {
        let all = async {
            let held = Rc::new(());
            let kept = Rc::clone(&held);
            let never = stream::once(async move {
                std::future::pending::<()>().await;
                drop(kept);
                Ok(Bytes::new())
            });
            let answer = enforce_least_rate(never, TransferRate::new(&limits()));
            pass(Duration::ZERO).await;
            assert_eq!(Rc::strong_count(&held), 2);
            drop(answer);
            pass(Duration::ZERO).await;
            assert_eq!(Rc::strong_count(&held), 1);
        };
        LocalSet::new().run_until(all).await;
    }

    #[tokio::test(start_paused = true)]
    async fn parts_arrive_whole_and_in_order() {
        let all = async {
            let large: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
            let given = [Ok(Bytes::from(large.clone())), Ok(Bytes::from_static(b"end"))];
            let taken: Vec<_> = enforce_least_rate(stream::iter(given), TransferRate::new(&limits())).collect().await;
            let taken: Vec<u8> = taken.into_iter().flat_map(Result::unwrap).collect();
            assert_eq!(taken, [large.as_slice(), b"end"].concat());
        };
        LocalSet::new().run_until(all).await;
    }

    /// Git begins to send a large push when it has made the first MiB of it, and is silent while it compresses one object.
    #[tokio::test(start_paused = true)]
    async fn a_push_that_has_sent_enough_may_pause() {
        let pause = Duration::from_mins(5);
        let silent = |seconds| tokio::time::sleep(Duration::from_secs(seconds));
        let mut rate = TransferRate::new(&limits()).saving(pause);
        rate.count(1 << 20);
        assert_eq!(rate.client(silent(250)).await, Ok(()));
        assert_eq!(rate.client(silent(40)).await, Ok(()));
        assert_eq!(rate.client(silent(20)).await, Err(TooSlow), "no more than one pause in all");
        // One that has sent little may not, and one that only reads may not.
        let mut rate = TransferRate::new(&limits()).saving(pause);
        rate.count(100);
        assert_eq!(rate.client(silent(40)).await, Err(TooSlow));
        let mut rate = TransferRate::new(&limits());
        rate.count(1 << 20);
        assert_eq!(rate.client(silent(40)).await, Err(TooSlow));
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_sends_too_little_is_cut_off() {
        let mut rate = TransferRate::new(&limits());
        let began = Instant::now();
        // Twenty bytes, and then one every ten seconds.
        rate.count(20);
        let outcome = loop {
            match rate.client(tokio::time::sleep(Duration::from_secs(10))).await {
                Ok(()) => rate.count(1),
                Err(TooSlow) => break began.elapsed(),
            }
        };
        assert!((Duration::from_secs(30)..=Duration::from_secs(40)).contains(&outcome), "{outcome:?}");
    }
}
