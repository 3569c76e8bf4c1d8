//! When a process is started, kept and ended, and which failures count for whom.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};

use tenon_domain::id::UserId;
use tenon_highlight::Language;

use super::*;
use crate::core::spending::client::Network;

const ANN: Client = Client::User(UserId::new(1));
const BOB: Client = Client::User(UserId::new(2));

/// A client who reads a text of this repository.
fn asked(client: Client, repository: i64) -> Asked {
    Asked { client, origin: Origin::new(repository) }
}

/// A client who has proved nothing, in a network of its own.
fn anonymous(number: u8) -> Client {
    Client::Network(Network::of(Some(Ipv4Addr::new(192, 0, 2, number).into())))
}

/// Counts what was started and what is alive; texts decide what happens.
#[derive(Clone, Default)]
struct Fake(Arc<Mutex<Counts>>);

#[derive(Default)]
struct Counts {
    started: usize,
    alive: usize,
    now: Duration,
    work: Duration,
    measures_no_work: bool,
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

    fn work(&self, milliseconds: u64) {
        self.0.lock().unwrap().work += Duration::from_millis(milliseconds);
    }

    /// The outcome for this text of repository 1.
    fn find(&self, keeper: &mut Keeper, client: Client, text: &str) -> Outcome {
        self.find_from(keeper, asked(client, 1), text)
    }

    fn find_from(&self, keeper: &mut Keeper, asked: Asked, text: &str) -> Outcome {
        let [work, time] = [800, 900].map(Duration::from_millis);
        let request = Request { text, language: Language::OfFile("a"), work, time };
        keeper.find(asked, &request, &|| self.0.lock().unwrap().now)
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
            "stuck" => {
                self.0.work(950);
                Err(ErrorKind::TimedOut.into())
            }
            "waiting" => {
                self.0.work(100);
                Err(ErrorKind::WouldBlock.into())
            }
            "slow" => Ok(Answer::TookTooLong),
            "held up" => Ok(Answer::WasHeldUp),
            "work" => {
                self.0.pass(1);
                Ok(Answer::Colours(Colours::default()))
            }
            _ => Ok(Answer::Colours(Colours::default())),
        }
    }

    fn work(&self) -> Option<Duration> {
        let counts = self.0.0.lock().unwrap();
        (!counts.measures_no_work).then_some(counts.work)
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
    keeper.end_idle(Duration::from_mins(5));
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
fn a_repository_whose_texts_fail_again_and_again_waits_and_its_readers_do_not() {
    for text in ["crash", "slow", "stuck"] {
        let fake = Fake::default();
        let mut keeper = fake.keeper();
        for (reader, want) in [(ANN, Outcome::Hopeless), (BOB, Outcome::Hopeless), (ANN, Outcome::NotTried)] {
            assert_eq!(fake.find(&mut keeper, reader, text), want, "{text}");
        }
        for reader in [ANN, BOB, Client::Server] {
            assert_eq!(fake.find(&mut keeper, reader, "a"), Outcome::NotTried);
            assert_eq!(fake.find_from(&mut keeper, asked(reader, 2), "a"), found());
        }
        fake.pass(600);
        assert_eq!(fake.find(&mut keeper, ANN, "a"), found());
    }
}

#[test]
fn what_fails_because_the_machine_is_busy_does_not_count() {
    let fake = Fake::default();
    let mut keeper = fake.keeper();
    for _ in 0..9 {
        assert_eq!(fake.find(&mut keeper, ANN, "held up"), Outcome::HeldUp);
    }
    assert_eq!(fake.counts(), (1, 1), "it goes on");
    for _ in 0..9 {
        assert_eq!(fake.find(&mut keeper, ANN, "waiting"), Outcome::HeldUp);
    }
    assert_eq!(fake.find(&mut keeper, ANN, "a"), found());
    assert_eq!(fake.counts(), (10, 1), "it is killed where it does not give up by itself");
}

#[test]
fn where_the_work_of_a_process_is_not_known_the_text_is_what_took_long() {
    let fake = Fake::default();
    fake.0.lock().unwrap().measures_no_work = true;
    let mut keeper = fake.keeper();
    assert_eq!(fake.find(&mut keeper, ANN, "waiting"), Outcome::Hopeless);
}

#[test]
fn a_client_ends_half_of_the_processes_at_most_and_all_anonymous_clients_together_do() {
    for clients in [[ANN; 6], [1, 2, 3, 4, 5, 6].map(anonymous)] {
        let fake = Fake::default();
        let mut keeper = fake.keeper();
        for (client, repository) in clients.into_iter().zip(1..) {
            let want = if repository <= 4 { Outcome::Hopeless } else { Outcome::NotTried };
            assert_eq!(fake.find_from(&mut keeper, asked(client, repository), "crash"), want);
        }
        assert_eq!(fake.find_from(&mut keeper, asked(clients[0], 7), "a"), Outcome::NotTried);
        assert_eq!(fake.find_from(&mut keeper, asked(BOB, 7), "a"), found());
        fake.pass(600);
        assert_eq!(fake.find_from(&mut keeper, asked(clients[0], 7), "a"), found());
    }
}

#[test]
fn restarts_are_bounded_for_all_repositories_and_clients_together() {
    let fake = Fake::default();
    let mut keeper = fake.keeper();
    let reader = |number| asked(Client::User(UserId::new(number)), number);
    for number in 0..20 {
        fake.find_from(&mut keeper, reader(number), "slow");
    }
    assert_eq!(fake.counts(), (1, 1), "a text that takes too long ends no process");
    for number in 100..109 {
        fake.find_from(&mut keeper, reader(number), "crash");
    }
    assert_eq!(fake.counts(), (8, 0));
    assert_eq!(fake.find_from(&mut keeper, reader(200), "a"), Outcome::NotTried);
    fake.pass(600);
    assert_eq!(fake.find_from(&mut keeper, reader(200), "a"), found());
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
