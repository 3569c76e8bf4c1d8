//! Keeps one process that finds colours: starts it when it is needed, and ends it when it is not.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use tenon_domain::limits::HighlightLimits;
use tenon_highlight::{Answer, Colours, Request};

use super::process::{Answering, Start};
use crate::core::client::Client;

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

/// What became of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It has these colours.
    Found(Colours),
    /// Finding its colours takes too long, or ends the process: it is better not tried again soon.
    Hopeless,
    /// It was not tried.
    NotTried,
}

impl Keeper {
    pub(super) fn new(start: Box<dyn Start>, limits: &HighlightLimits) -> Self {
        Self { start, limits: limits.clone(), running: None, failures: Failures::default() }
    }

    /// Finds colours for this client. `elapsed` says the time.
    pub(super) fn find(&mut self, client: Client, request: &Request<'_>, elapsed: &dyn Fn() -> Duration) -> Outcome {
        let now = elapsed();
        if !self.failures.allow(client, now, &self.limits) {
            return Outcome::NotTried;
        }
        let mut running = match self.running(now) {
            Ok(running) => running,
            Err(error) => {
                self.failures.add(Client::Server, now);
                tracing::warn!(%error, "the highlighter cannot be started: pages show code without colours");
                return Outcome::NotTried;
            }
        };
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
                    Answer::TookTooLong => Outcome::Hopeless,
                }
            }
            Err(error) => {
                tracing::info!(%error, "the highlighter was ended: a file stays without colours");
                self.failures.add(client, end);
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

    /// The process, taken out: it comes back where it can be asked again.
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

/// For whom a process was ended lately that should have gone on. Texts that end it cost a second each and a new process:
/// who brings many of them waits, and the others do not.
#[derive(Debug, Default)]
struct Failures(VecDeque<(Duration, Client)>);

impl Failures {
    fn add(&mut self, client: Client, now: Duration) {
        self.0.push_back((now, client));
    }

    /// Whether one more text of this client is tried. Forgets what was too long ago.
    fn allow(&mut self, client: Client, now: Duration, limits: &HighlightLimits) -> bool {
        while self.0.front().is_some_and(|(at, _)| now.saturating_sub(*at) >= COUNTED) {
            self.0.pop_front();
        }
        let own = self.0.iter().filter(|(_, other)| *other == client).count();
        self.0.len() < limits.failures && own < limits.failures.div_ceil(4)
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::sync::{Arc, Mutex};

    use tenon_domain::id::UserId;
    use tenon_highlight::Language;

    use super::*;

    const ANN: Client = Client::User(UserId::new(1));
    const BOB: Client = Client::User(UserId::new(2));

    /// Counts what was started and what is alive; texts decide what happens.
    #[derive(Clone, Default)]
    struct Fake(Arc<Mutex<Counts>>);

    #[derive(Default)]
    struct Counts {
        started: usize,
        alive: usize,
        now: Duration,
        is_missing: bool,
        has_ended: bool,
        is_worn: bool,
    }

    impl Fake {
        fn counts(&self) -> (usize, usize) {
            let counts = self.0.lock().unwrap();
            (counts.started, counts.alive)
        }

        fn pass(&self, seconds: u64) {
            self.0.lock().unwrap().now += Duration::from_secs(seconds);
        }

        fn keeper(&self) -> Keeper {
            let limits = HighlightLimits {
                idle: Duration::from_mins(5),
                cpu: Duration::from_secs(40),
                failures: 8,
                ..HighlightLimits::default()
            };
            Keeper::new(Box::new(self.clone()), &limits)
        }

        /// What becomes of this text.
        fn find(&self, keeper: &mut Keeper, client: Client, text: &str) -> Outcome {
            let request = Request { text, language: Language::OfFile("a"), time: Duration::from_secs(1) };
            keeper.find(client, &request, &|| self.0.lock().unwrap().now)
        }
    }

    impl Start for Fake {
        fn start(&mut self) -> io::Result<Box<dyn Answering>> {
            let mut counts = self.0.lock().unwrap();
            counts.started += 1;
            if counts.is_missing {
                return Err(ErrorKind::NotFound.into());
            }
            counts.alive += 1;
            counts.has_ended = false;
            Ok(Box::new(Alive(self.clone())))
        }
    }

    struct Alive(Fake);

    impl Answering for Alive {
        fn ask(&mut self, request: &Request<'_>, _patience: Duration) -> io::Result<Answer> {
            match request.text {
                "crash" => Err(ErrorKind::UnexpectedEof.into()),
                "slow" => Ok(Answer::TookTooLong),
                "work" => {
                    self.0.pass(1);
                    Ok(Answer::Colours(Colours::default()))
                }
                _ => Ok(Answer::Colours(Colours::default())),
            }
        }

        fn has_ended(&mut self) -> bool {
            self.0.0.lock().unwrap().has_ended
        }

        fn is_worn(&self) -> bool {
            self.0.0.lock().unwrap().is_worn
        }
    }

    impl Drop for Alive {
        fn drop(&mut self) {
            self.0.0.lock().unwrap().alive -= 1;
        }
    }

    fn found() -> Outcome {
        Outcome::Found(Colours::default())
    }

    #[test]
    fn a_process_is_started_when_it_is_needed_and_asked_again() {
        let fake = Fake::default();
        let mut keeper = fake.keeper();
        assert_eq!(fake.counts(), (0, 0));
        for text in ["a", "b", "slow", "c"] {
            let want = if text == "slow" { Outcome::Hopeless } else { found() };
            assert_eq!(fake.find(&mut keeper, ANN, text), want);
        }
        assert_eq!(fake.counts(), (1, 1));
    }

    #[test]
    fn a_process_that_is_idle_for_long_ends_and_the_next_request_starts_another_one() {
        let fake = Fake::default();
        let mut keeper = fake.keeper();
        fake.find(&mut keeper, ANN, "a");
        keeper.end_idle(Duration::from_secs(299));
        assert_eq!(fake.counts(), (1, 1));
        keeper.end_idle(Duration::from_secs(300));
        assert_eq!(fake.counts(), (1, 0));
        assert_eq!(fake.find(&mut keeper, ANN, "a"), found());
        assert_eq!(fake.counts(), (2, 1));
    }

    #[test]
    fn a_process_that_has_ended_by_itself_or_is_worn_is_replaced() {
        let fake = Fake::default();
        let mut keeper = fake.keeper();
        fake.find(&mut keeper, ANN, "a");
        fake.0.lock().unwrap().has_ended = true;
        assert_eq!(fake.find(&mut keeper, ANN, "a"), found());
        assert_eq!(fake.counts(), (2, 1));
        for _ in 0..10 {
            assert_eq!(fake.find(&mut keeper, ANN, "work"), found());
        }
        assert_eq!(fake.counts(), (2, 0), "a quarter of its processor time");
        assert_eq!(fake.find(&mut keeper, ANN, "a"), found());
        assert_eq!(fake.counts(), (3, 1));
        fake.0.lock().unwrap().is_worn = true;
        assert_eq!(fake.find(&mut keeper, ANN, "a"), found());
        assert_eq!(fake.counts(), (3, 0), "its memory");
    }

    #[test]
    fn after_a_crash_the_next_text_gets_a_new_process() {
        let fake = Fake::default();
        let mut keeper = fake.keeper();
        assert_eq!(fake.find(&mut keeper, ANN, "crash"), Outcome::Hopeless);
        assert_eq!(fake.counts(), (1, 0));
        assert_eq!(fake.find(&mut keeper, ANN, "a"), found());
        assert_eq!(fake.counts(), (2, 1));
    }

    #[test]
    fn a_client_whose_texts_end_it_again_and_again_waits_and_the_others_do_not() {
        let fake = Fake::default();
        let mut keeper = fake.keeper();
        for want in [Outcome::Hopeless, Outcome::Hopeless, Outcome::NotTried] {
            assert_eq!(fake.find(&mut keeper, ANN, "crash"), want);
        }
        assert_eq!(fake.find(&mut keeper, ANN, "a"), Outcome::NotTried);
        assert_eq!(fake.find(&mut keeper, BOB, "a"), found());
        fake.pass(600);
        assert_eq!(fake.find(&mut keeper, ANN, "a"), found());
    }

    #[test]
    fn restarts_are_bounded_for_all_clients_together() {
        let fake = Fake::default();
        let mut keeper = fake.keeper();
        for number in 0..9 {
            fake.find(&mut keeper, Client::User(UserId::new(number)), "crash");
        }
        assert_eq!(fake.counts(), (8, 0));
        fake.pass(600);
        assert_eq!(fake.find(&mut keeper, ANN, "a"), found());
    }

    #[test]
    fn a_program_that_cannot_be_started_is_not_tried_again_and_again() {
        let fake = Fake::default();
        fake.0.lock().unwrap().is_missing = true;
        let mut keeper = fake.keeper();
        for _ in 0..9 {
            assert_eq!(fake.find(&mut keeper, ANN, "a"), Outcome::NotTried);
        }
        assert_eq!(fake.counts(), (8, 0));
    }
}
