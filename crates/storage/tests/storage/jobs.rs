//! The queues of jobs, with two runners.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel::{PgConnection, SqliteConnection, sql_query};
use tenon_domain::id::UserId;
use tenon_domain::time::{TimeDelta, Timestamp};
use tenon_storage::job::{self, Burial, Claim, Job, NewJob, Queue};
use tenon_storage::{Database, DatabaseUrl, StoreError, StoreResult, WriteTx};
use tenon_testkit::{Backend, TestDatabase};

use crate::{now, on_each_backend};

const LEASE: TimeDelta = TimeDelta::minutes(5);

fn write<T>(database: &Database, work: impl FnOnce(&mut WriteTx<'_>) -> StoreResult<T>) -> T {
    database.write(work).map_err(|error: StoreError| error).unwrap()
}

fn new(payload: &str) -> NewJob<'_> {
    NewJob { kind: "test", payload, dedup_key: payload, queue: Queue::Short, user: None, run_at: now(), now: now() }
}

fn enqueue(database: &Database, job: &NewJob<'_>) {
    write(database, |tx| job::enqueue(tx, job));
}

fn asked(queue: Queue, limit: i64, now: Timestamp) -> Claim {
    Claim { queue, limit, per_user: None, after: None, now }
}

fn claim(database: &Database, asked: &Claim) -> Vec<Job> {
    write(database, |tx| job::claim(tx, asked, asked.now + LEASE))
}

fn claim_short(database: &Database, now: Timestamp) -> Option<Job> {
    claim(database, &asked(Queue::Short, 1, now)).pop()
}

fn is_due(database: &Database, asked: &Claim) -> bool {
    database.read(|tx| job::is_due(tx, asked)).map_err(|error: StoreError| error).unwrap()
}

fn waiting(database: &Database) -> i64 {
    database.read(job::counts).map_err(|error: StoreError| error).unwrap().0
}

fn payloads(jobs: &[Job]) -> Vec<&str> {
    jobs.iter().map(|job| job.payload.as_str()).collect()
}

#[test]
fn a_job_asked_for_while_it_runs_is_run_again_when_it_ends() {
    on_each_backend(|database| {
        enqueue(database, &new("same"));
        enqueue(database, &new("same"));
        assert_eq!(waiting(database), 1, "it waits once");
        let first = claim_short(database, now()).unwrap();
        enqueue(database, &new("same"));
        enqueue(database, &new("same"));
        assert!(claim_short(database, now()).is_none(), "never twice at once");
        assert!(write(database, |tx| job::finish(tx, &first)));
        let second = claim_short(database, now()).unwrap();
        assert!(write(database, |tx| job::finish(tx, &second)));
        assert_eq!(waiting(database), 0, "once more for both");
    });
}

#[test]
fn a_job_asked_for_while_it_runs_keeps_the_earliest_time() {
    on_each_backend(|database| {
        enqueue(database, &new("same"));
        let first = claim_short(database, now()).unwrap();
        let (soon, late) = (now() + TimeDelta::minutes(1), now() + TimeDelta::minutes(9));
        for run_at in [late, soon, late] {
            enqueue(database, &NewJob { run_at, ..new("same") });
        }
        assert!(write(database, |tx| job::finish(tx, &first)));
        assert!(claim_short(database, now()).is_none());
        assert!(claim_short(database, soon).is_some());
    });
}

#[test]
fn a_failed_job_that_was_asked_for_since_begins_anew() {
    on_each_backend(|database| {
        enqueue(database, &new("same"));
        let failed = claim_short(database, now()).unwrap();
        enqueue(database, &new("same"));
        assert!(write(database, |tx| job::retry(tx, &failed, now() + TimeDelta::hours(1), "broken")));
        let again = claim_short(database, now()).unwrap();
        assert_eq!(again.failures, 0);
        // Alone, it comes back with its failure, and is what others are deduplicated by.
        assert!(write(database, |tx| job::retry(tx, &again, now(), "broken")));
        enqueue(database, &new("same"));
        assert_eq!(waiting(database), 1);
        let last = claim_short(database, now()).unwrap();
        assert_eq!(last.failures, 1);
        enqueue(database, &new("same"));
        assert_eq!(write(database, |tx| job::bury(tx, &last, 12, "broken")), Burial::BegunAnew);
        assert_eq!(claim_short(database, now()).unwrap().failures, 0);
    });
}

#[test]
fn a_runner_that_lost_its_lease_changes_nothing() {
    on_each_backend(|database| {
        enqueue(database, &new("slow"));
        let lost = claim_short(database, now()).unwrap();
        let later = now() + LEASE + TimeDelta::seconds(1);
        let held = claim_short(database, later).unwrap();
        assert_eq!((lost.id, lost.claims + 1, lost.deaths + 1), (held.id, held.claims, held.deaths));
        assert!(!write(database, |tx| job::renew(tx, &lost, later + LEASE + LEASE)));
        assert!(!write(database, |tx| job::retry(tx, &lost, later, "late")));
        assert!(!write(database, |tx| job::release(tx, &lost)));
        assert_eq!(write(database, |tx| job::bury(tx, &lost, 1, "late")), Burial::Lost);
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
        assert_eq!(payloads(&again), ["a", "b", "c"], "each once");
        assert!(again.iter().all(|job| (job.failures, job.deaths) == (0, 0)));
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
        let due = || is_due(database, &one(now()));
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
        let after_ann = Claim { after: Some(ann), ..one(later) };
        assert_eq!(payloads(&claim(database, &after_ann)), ["bob 1"]);
        assert_eq!(payloads(&claim(database, &one(later))), ["ann 2"]);
    });
}

#[test]
fn users_take_turns_however_much_one_has_queued() {
    on_each_backend(|database| {
        let (ann, bob) = (UserId::new(1), UserId::new(2));
        for number in 0..200 {
            enqueue(database, &NewJob { user: Some(ann), ..new(&format!("ann {number}")) });
        }
        enqueue(database, &NewJob { user: Some(bob), ..new("bob") });
        enqueue(database, &new("server"));
        let batch = claim(database, &asked(Queue::Short, 32, now()));
        assert_eq!(batch.len(), 32);
        assert!(payloads(&batch).contains(&"bob"), "{:?}", payloads(&batch));
        assert!(payloads(&batch).contains(&"server"), "{:?}", payloads(&batch));
    });
}

#[test]
fn users_follow_one_another_and_the_server_comes_last() {
    on_each_backend(|database| {
        for user in 1..=5 {
            for number in 0..3 {
                let payload = format!("{user}.{number}");
                enqueue(database, &NewJob { user: Some(UserId::new(user)), ..new(&payload) });
            }
        }
        enqueue(database, &new("s.0"));
        let mut after = None;
        let mut order = Vec::new();
        loop {
            let batch = claim(database, &Claim { after, ..asked(Queue::Short, 4, now()) });
            let Some(last) = batch.last() else { break };
            after = last.user;
            order.push(payloads(&batch).join(" "));
        }
        assert_eq!(order, ["1.0 2.0 3.0 4.0", "5.0 s.0 1.1 2.1", "3.1 4.1 5.1 1.2", "2.2 3.2 4.2 5.2"]);
    });
}

#[test]
fn a_scheduled_job_is_claimed_at_its_time() {
    on_each_backend(|database| {
        let later = now() + TimeDelta::minutes(1);
        enqueue(database, &NewJob { run_at: later, ..new("later") });
        let due = |now| is_due(database, &asked(Queue::Short, 1, now));
        assert!(!due(now()) && claim_short(database, now()).is_none());
        assert!(due(later));
        let postponed = claim_short(database, later).unwrap();
        let much_later = later + TimeDelta::hours(1);
        assert!(write(database, |tx| job::postpone(tx, &postponed, much_later)));
        assert!(!due(later));
        let again = claim_short(database, much_later).unwrap();
        assert_eq!((again.id, again.failures, again.deaths, again.claims), (postponed.id, 0, 0, 2));
    });
}

#[test]
fn a_job_of_a_dead_process_is_due_after_its_lease_also_where_its_user_may_have_one_only() {
    on_each_backend(|database| {
        for (payload, queue) in [("first", Queue::Imports), ("second", Queue::Imports), ("other", Queue::Git)] {
            enqueue(database, &NewJob { queue, user: Some(UserId::new(1)), ..new(payload) });
        }
        let one = |now| Claim { per_user: Some(1), ..asked(Queue::Imports, 1, now) };
        assert!(is_due(database, &one(now())));
        claim(database, &one(now()));
        assert!(!is_due(database, &one(now())), "the user has as many running as allowed");
        assert!(is_due(database, &one(now() + LEASE + TimeDelta::seconds(1))));
    });
}

#[test]
fn each_commit_wakes_the_queues_that_it_puts_something_into() {
    on_each_backend(|database| {
        let (woken, events) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (queues, had_events) = (Arc::clone(&woken), Arc::clone(&events));
        database.on_queued(move |queue| queues.lock().unwrap().push(queue));
        database.on_events(move || had_events.store(true, Ordering::Relaxed));
        for queue in Queue::ALL {
            enqueue(database, &NewJob { queue, ..new(queue.as_str()) });
        }
        assert_eq!(*woken.lock().unwrap(), Queue::ALL);
        assert!(!events.load(Ordering::Relaxed), "a job is no event");
    });
}

#[test]
fn jobs_whose_process_was_killed_can_be_claimed_at_once() {
    on_each_backend(|database| {
        enqueue(database, &new("cut off"));
        let lost = claim_short(database, now()).unwrap();
        assert_eq!(write(database, job::end_leases), 1);
        assert!(!write(database, |tx| job::finish(tx, &lost)), "the killed process holds it no more");
        let held = claim_short(database, now()).unwrap();
        assert_eq!((held.id, held.deaths), (lost.id, 1));
        assert!(claim_short(database, now()).is_none());
        assert_eq!(write(database, |tx| job::bury(tx, &held, 0, "given up")), Burial::Buried);
        assert_eq!(write(database, job::end_leases), 0);
        let dead = database.read(|tx| job::dead(tx, 9)).map_err(|error: StoreError| error).unwrap();
        assert_eq!(dead.iter().map(|job| (job.id, job.deaths)).collect::<Vec<_>>(), [(held.id, 1)]);
        let states = database.read(job::states).map_err(|error: StoreError| error).unwrap();
        assert_eq!((states[0].ready, states[0].scheduled, states[0].claimed, states[0].dead), (0, 0, 0, 1));
    });
}

/// The common form of the plans of both databases: one text for each step.
pub(crate) fn plan(database: &TestDatabase, statement: &str) -> String {
    #[derive(QueryableByName)]
    struct OfSqlite {
        #[diesel(sql_type = Text)]
        detail: String,
    }
    #[derive(QueryableByName)]
    struct OfPostgres {
        #[diesel(sql_type = Text, column_name = "QUERY PLAN")]
        line: String,
    }
    match database.url() {
        DatabaseUrl::Sqlite(path) => {
            let mut connection = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
            let steps = sql_query(format!("EXPLAIN QUERY PLAN {statement}")).load(&mut connection).unwrap();
            steps.into_iter().map(|step: OfSqlite| step.detail + "\n").collect()
        }
        DatabaseUrl::Postgres(url) => {
            let mut connection = PgConnection::establish(url).unwrap();
            // The cluster of the tests never reads a whole table if there is an index.
            connection.batch_execute("SET enable_seqscan = on; SET plan_cache_mode = auto").unwrap();
            let steps = sql_query(format!("EXPLAIN {statement}")).load(&mut connection).unwrap();
            steps.into_iter().map(|step: OfPostgres| step.line + "\n").collect()
        }
    }
}

/// The statements are those of a claim: each reads one range of one index, in its order.
#[test]
fn a_claim_reads_only_ranges_of_indexes() {
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        let database = TestDatabase::new(backend);
        for state in ["TRUE, NULL, '2026-01-01 00:00:00'", "FALSE, NULL, '2099-01-01 00:00:00'"] {
            let rows: Vec<String> = (0..5000)
                .map(|number| format!("('test', '{{}}', 'short', {}, {state}, '2026-01-01 00:00:00')", number % 50))
                .collect();
            database.execute(&format!(
                "INSERT INTO jobs (kind, payload, queue, user_id, ready, lease_until, run_at, created_at) VALUES {}",
                rows.join(", ")
            ));
        }
        database.execute("ANALYZE");
        let statements = [
            ("jobs_ready", "ready AND queue = 'short' AND user_id > 7 AND user_id <= 40 ORDER BY user_id, run_at, id"),
            ("jobs_ready", "ready AND queue = 'short' AND user_id IS NULL ORDER BY user_id, run_at, id"),
            (
                "jobs_scheduled",
                "queue = 'short' AND NOT ready AND NOT dead AND lease_until IS NULL
                 AND run_at <= '2026-03-02 12:00:00' ORDER BY run_at, id",
            ),
            (
                "jobs_leased",
                "queue = 'short' AND lease_until IS NOT NULL AND lease_until < '2026-03-02 12:00:00'
                 ORDER BY lease_until",
            ),
        ];
        for (index, condition) in statements {
            let plan = plan(&database, &format!("SELECT id, user_id FROM jobs WHERE {condition} LIMIT 32"));
            assert!(plan.contains(index), "{plan}");
            assert!(["Seq Scan", "Sort", "SCAN", "TEMP B-TREE"].iter().all(|slow| !plan.contains(slow)), "{plan}");
        }
    }
}
