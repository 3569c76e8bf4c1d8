//! The queues of jobs, with two runners.

use tenon_domain::id::UserId;
use tenon_domain::time::{TimeDelta, Timestamp};
use tenon_storage::job::{self, Claim, Job, NewJob, Queue};
use tenon_storage::{Database, StoreError, StoreResult, WriteTx};

use crate::{now, on_each_backend};

const LEASE: TimeDelta = TimeDelta::minutes(5);

fn write<T>(database: &Database, work: impl FnOnce(&mut WriteTx<'_>) -> StoreResult<T>) -> T {
    database.write(work).map_err(|error: StoreError| error).unwrap()
}

fn new(payload: &str) -> NewJob<'_> {
    NewJob { kind: "test", payload, queue: Queue::Short, user: None, run_at: now() }
}

fn enqueue(database: &Database, job: &NewJob<'_>) {
    write(database, |tx| job::enqueue(tx, job));
}

fn asked(queue: Queue, limit: i64, now: Timestamp) -> Claim<'static> {
    Claim { queue, limit, per_user: None, passing: &[], now }
}

fn claim(database: &Database, asked: &Claim<'_>) -> Vec<Job> {
    write(database, |tx| job::claim(tx, asked, asked.now + LEASE))
}

fn claim_short(database: &Database, now: Timestamp) -> Option<Job> {
    claim(database, &asked(Queue::Short, 1, now)).pop()
}

fn waiting(database: &Database) -> i64 {
    database.read(job::counts).map_err(|error: StoreError| error).unwrap().0
}

fn payloads(jobs: &[Job]) -> Vec<&str> {
    jobs.iter().map(|job| job.payload.as_str()).collect()
}

#[test]
fn a_job_asked_for_while_it_runs_is_run_again() {
    on_each_backend(|database| {
        enqueue(database, &new("same"));
        enqueue(database, &new("same"));
        assert_eq!(waiting(database), 1, "it waits once");
        let first = claim_short(database, now()).unwrap();
        enqueue(database, &new("same"));
        let second = claim_short(database, now()).unwrap();
        assert_ne!(first.id, second.id);
        assert!(write(database, |tx| job::finish(tx, &first)));
        assert!(write(database, |tx| job::finish(tx, &second)));
        assert_eq!(waiting(database), 0);
    });
}

#[test]
fn a_failed_job_gives_way_to_the_same_one_that_was_queued_since() {
    on_each_backend(|database| {
        enqueue(database, &new("same"));
        let failed = claim_short(database, now()).unwrap();
        enqueue(database, &new("same"));
        assert!(write(database, |tx| job::retry(tx, &failed, now(), "broken")));
        assert_eq!(waiting(database), 1);
        let again = claim_short(database, now()).unwrap();
        assert_eq!((again.id == failed.id, again.attempts), (false, 1));
        // Alone, it comes back itself, and is what others are deduplicated by.
        assert!(write(database, |tx| job::retry(tx, &again, now(), "broken")));
        enqueue(database, &new("same"));
        assert_eq!(waiting(database), 1);
        assert_eq!(claim_short(database, now()).unwrap().attempts, 2);
    });
}

#[test]
fn a_runner_that_lost_its_lease_changes_nothing() {
    on_each_backend(|database| {
        enqueue(database, &new("slow"));
        let lost = claim_short(database, now()).unwrap();
        let later = now() + LEASE + TimeDelta::seconds(1);
        let held = claim_short(database, later).unwrap();
        assert_eq!((lost.id, lost.attempts + 1), (held.id, held.attempts));
        assert!(!write(database, |tx| job::renew(tx, &lost, later + LEASE + LEASE)));
        assert!(!write(database, |tx| job::retry(tx, &lost, later, "late")));
        assert!(!write(database, |tx| job::release(tx, &lost)));
        assert!(!write(database, |tx| job::bury(tx, &lost, "late")));
        assert!(!write(database, |tx| job::finish(tx, &lost)));
        assert!(claim_short(database, later).is_none(), "the other one has it");
        assert!(write(database, |tx| job::renew(tx, &held, later + LEASE)));
        assert!(write(database, |tx| job::finish(tx, &held)));
        assert!(!write(database, |tx| job::finish(tx, &held)), "once");
    });
}

#[test]
fn a_job_that_is_given_back_was_never_tried() {
    on_each_backend(|database| {
        for payload in ["a", "b", "c"] {
            enqueue(database, &new(payload));
        }
        let jobs = claim(database, &asked(Queue::Short, 3, now()));
        assert_eq!(payloads(&jobs), ["a", "b", "c"], "those that wait for the longest come first");
        enqueue(database, &new("b"));
        for job in &jobs {
            assert!(write(database, |tx| job::release(tx, job)));
        }
        enqueue(database, &new("c"));
        let again = claim(database, &asked(Queue::Short, 9, now()));
        assert_eq!(payloads(&again), ["a", "c", "b"], "each once");
        assert!(again.iter().all(|job| job.attempts == 1));
    });
}

#[test]
fn a_queue_holds_only_its_own_jobs() {
    on_each_backend(|database| {
        enqueue(database, &NewJob { queue: Queue::Imports, ..new("import") });
        enqueue(database, &NewJob { queue: Queue::Forks, ..new("fork") });
        assert!(claim_short(database, now()).is_none());
        for (queue, payload) in [(Queue::Forks, "fork"), (Queue::Imports, "import"), (Queue::Maintenance, "")] {
            let found = claim(database, &asked(queue, 9, now()));
            assert_eq!(payloads(&found).concat(), payload);
        }
    });
}

#[test]
fn a_user_with_as_many_running_as_allowed_waits_and_others_do_not() {
    on_each_backend(|database| {
        let (ann, bob) = (UserId::new(1), UserId::new(2));
        for (payload, user) in [("ann 1", ann), ("ann 2", ann), ("bob 1", bob)] {
            enqueue(database, &NewJob { queue: Queue::Imports, user: Some(user), ..new(payload) });
        }
        let one = |now| Claim { per_user: Some(1), ..asked(Queue::Imports, 9, now) };
        let due = || database.read(|tx| job::is_due(tx, &one(now()))).map_err(|error: StoreError| error).unwrap();
        let first = claim(database, &one(now()));
        assert_eq!(payloads(&first), ["ann 1"]);
        assert!(due());
        assert_eq!(payloads(&claim(database, &one(now()))), ["bob 1"]);
        assert!(!due() && claim(database, &one(now())).is_empty());
        for job in &first {
            assert!(write(database, |tx| job::finish(tx, job)));
        }
        assert!(due());
        assert_eq!(payloads(&claim(database, &one(now()))), ["ann 2"]);
        // A runner that died does not count for longer than its lease.
        let later = now() + LEASE + TimeDelta::seconds(1);
        let passing = Claim { passing: &[ann], ..one(later) };
        assert_eq!(payloads(&claim(database, &passing)), ["bob 1"]);
        assert_eq!(payloads(&claim(database, &one(later))), ["ann 2"]);
    });
}
