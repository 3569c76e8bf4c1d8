//! Keeps one process that finds colours: starts it when it is needed, and ends it when it is not.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::time::Duration;

use tenon_domain::limits::HighlightLimits;
use tenon_highlight::{Answer, Colours, Request};

use super::Origin;
use super::process::{Answering, Start};
use crate::core::spending::client::Client;

/// How long a failure counts.
const COUNTED: Duration = Duration::from_mins(10);

/// The process, if one is running, and what happened to those before it. Times are those of
/// [`Clock::elapsed`](crate::core::clock::Clock::elapsed).
pub(super) struct Keeper {
    start: Box<dyn Start>,
    limits: HighlightLimits,
    running: Option<Running>,
    failures: Failures,
}

struct Running {
    process: Box<dyn Answering>,
    /// When it was asked last.
    asked: Duration,
    /// How long it has worked.
    work: Duration,
}

/// The outcome for a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It has these colours.
    Found(Colours),
    /// Finding its colours takes too much work, or ends the process: it is better not tried again soon.
    Hopeless,
    /// The machine was too busy to find its colours in time.
    HeldUp,
    /// It was not tried.
    NotTried,
}

impl Keeper {
    pub(super) fn new(start: Box<dyn Start>, limits: &HighlightLimits) -> Self {
        Self { start, limits: limits.clone(), running: None, failures: Failures::default() }
    }

    /// Finds colours. `elapsed` says the time.
    pub(super) fn find(&mut self, asked: Asked, request: &Request<'_>, elapsed: &dyn Fn() -> Duration) -> Outcome {
        let now = elapsed();
        if !self.failures.allow(asked, now, &self.limits) {
            return Outcome::NotTried;
        }
        let mut running = match self.running(now) {
            Ok(running) => running,
            Err(error) => {
                self.failures.add(now, None, Kind::Ended);
                tracing::warn!(%error, "the highlighter cannot be started: pages show code without colours");
                return Outcome::NotTried;
            }
        };
        let begun = running.process.work();
        let answer = running.process.ask(request, self.limits.file);
        let end = elapsed();
        running.asked = end;
        running.work = running.work.saturating_add(end.saturating_sub(now));
        match answer {
            Ok(answer) => {
                // Its memory grows with what it was asked, and its processor time is bounded.
                if running.work < self.limits.cpu / 4 && !running.process.is_worn() {
                    self.running = Some(running);
                }
                match answer {
                    Answer::Colours(colours) => Outcome::Found(colours),
                    Answer::TookTooLong => {
                        self.failures.add(end, Some(asked), Kind::TookTooLong);
                        Outcome::Hopeless
                    }
                    Answer::WasHeldUp => Outcome::HeldUp,
                }
            }
            Err(error) if is_late(&error) && !has_worked(begun, running.process.work(), request.work) => {
                tracing::info!(
                    "the machine is busy and the highlighter was ended: a file is without colours for a minute"
                );
                Outcome::HeldUp
            }
            Err(error) => {
                tracing::info!(%error, "the highlighter was ended: a file stays without colours");
                self.failures.add(end, Some(asked), Kind::Ended);
                Outcome::Hopeless
            }
        }
    }

    /// Ends the process if it was not asked for long.
    pub(super) fn end_idle(&mut self, now: Duration) {
        if self.running.as_ref().is_some_and(|it| now.saturating_sub(it.asked) >= self.limits.idle) {
            self.running = None;
        }
    }

    /// The process, taken out: it comes back if it can be asked again.
    fn running(&mut self, now: Duration) -> io::Result<Running> {
        // The system may have ended it while it waited.
        if let Some(mut running) = self.running.take().filter(|it| now.saturating_sub(it.asked) < self.limits.idle)
            && !running.process.has_ended()
        {
            return Ok(running);
        }
        Ok(Running { process: self.start.start()?, asked: now, work: Duration::ZERO })
    }
}

/// True if the process was waited for in vain, rather than that it has ended or answered nonsense.
fn is_late(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock)
}

/// True if a process whose processor time went from `begun` to `end` has worked for as long as it may. If the system
/// does not say, the text is what took long: otherwise, nothing would bound how often such a text ends a process.
fn has_worked(begun: Option<Duration>, end: Option<Duration>, most: Duration) -> bool {
    begun.zip(end).is_none_or(|(begun, end)| end.saturating_sub(begun) >= most)
}

/// Who has asked for the colours of a text, and the source of the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    pub(super) client: Client,
    pub(super) origin: Origin,
}

/// The failures of the last minutes. A text that fails costs a second, and a new process if it has ended the one that
/// there was. After a quarter of [`HighlightLimits::failures`], the texts of the same repository are not tried: those
/// of others are, also for the same client. For clients only the ends of processes count: after half, the texts of this
/// client are not tried, and all anonymous clients count as one; and after all of them, no text is. Failures of a busy
/// machine do not count.
#[derive(Debug, Default)]
struct Failures(VecDeque<Failure>);

#[derive(Debug)]
struct Failure {
    at: Duration,
    /// `None` if no process could be started, which is the fault of no text.
    asked: Option<Asked>,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The process is gone.
    Ended,
    /// The process has given up, and goes on with the next text.
    TookTooLong,
}

impl Failures {
    fn add(&mut self, at: Duration, asked: Option<Asked>, kind: Kind) {
        self.0.push_back(Failure { at, asked, kind });
    }

    /// True if one more text is tried. Forgets what was too long ago.
    fn allow(&mut self, asked: Asked, now: Duration, limits: &HighlightLimits) -> bool {
        while self.0.front().is_some_and(|failure| now.saturating_sub(failure.at) >= COUNTED) {
            self.0.pop_front();
        }
        let of_origin = self.0.iter().filter(|failure| failure.asked.is_some_and(|other| other.origin == asked.origin));
        let ended = || self.0.iter().filter(|failure| failure.kind == Kind::Ended);
        let of_client =
            ended().filter(|failure| failure.asked.is_some_and(|other| is_same(other.client, asked.client)));
        of_origin.count() < limits.failures.div_ceil(4)
            && of_client.count() < limits.failures.div_ceil(2)
            && ended().count() < limits.failures
    }
}

/// True if failures of one count for the other. One who has proved no credential can come from many networks.
fn is_same(one: Client, other: Client) -> bool {
    one == other || (one.is_anonymous() && other.is_anonymous())
}

#[cfg(test)]
mod tests;
