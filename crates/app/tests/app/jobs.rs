//! Jobs: whose turn they take, and what finds the server busy.

use serde_json::json;
use tenon_app::Secret;
use tenon_app::jobs::{counts, relay_events, start_schedule};
use tenon_app::transport::{GitCaller, GitCredential, OpenRepository};
use tenon_domain::id::UserId;
use tenon_domain::time::TimeDelta;
use tenon_git::transport::Service;
use tenon_storage::StoreError;
use tenon_storage::job::{self, Claim, Job, Queue};
use tenon_testkit::{TestServer, User, both_databases};

use crate::{commit, project};

/// Claims everything that waits: whose turn each job takes.
fn claimed(server: &TestServer) -> Vec<(String, Option<UserId>)> {
    relay_events(server.app()).expect("an outbox");
    let now = server.now();
    let until = now + TimeDelta::minutes(5);
    let jobs = server.app().database().write(|tx| {
        let mut jobs: Vec<Job> = Vec::new();
        for queue in Queue::ALL {
            jobs.extend(job::claim(tx, &Claim { queue, limit: 100, per_user: None, after: None, now }, until)?);
        }
        for job in &jobs {
            job::finish(tx, job)?;
        }
        Ok::<_, StoreError>(jobs)
    });
    jobs.expect("a queue").into_iter().map(|job| (job.kind, job.user)).collect()
}

/// Begins a push to a project of this user, which goes on until what comes back is dropped.
fn begin_push(server: &TestServer, user: &User, name: &str) -> OpenRepository {
    let credential = GitCredential { username: user.username.clone(), password: Secret::given(user.token.clone()) };
    let path = format!("{}/{name}", user.username);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let opened =
        runtime.block_on(server.app().open_repository(path, Service::ReceivePack, GitCaller::Http(Some(credential))));
    opened.unwrap_or_else(|refusal| unreachable!("a push that is permitted: {refusal}"))
}

#[both_databases]
fn jobs_take_the_turn_of_the_user_who_caused_them(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let id = |user: &User| Some(UserId::new(user.id));
    let tool = project(&alice, "tool", "public");
    assert!(claimed(server).iter().all(|(_, user)| *user == id(&alice)));
    commit(&alice, tool, "main", None, "See #1");
    let mut after_push = claimed(server);
    after_push.sort();
    assert_eq!(after_push, [("read_messages".to_owned(), id(&alice)), ("refresh_repository".to_owned(), id(&alice))]);
    bob.post(&format!("/projects/{tool}/fork"), json!({})).assert_status(201).json();
    assert_eq!(claimed(server), [("fork_project".to_owned(), id(&bob))]);
    start_schedule(server.app()).expect("a queue");
    server.advance(TimeDelta::hours(1));
    assert_eq!(claimed(server), [("hourly".to_owned(), None)]);
}

#[both_databases]
fn jobs_that_a_job_asks_for_take_its_turn(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let sha = commit(&alice, tool, "main", None, "one");
    server.run_jobs();
    let missed = format!("repositories/{tool:03}/{tool}.git/refs/heads/missed");
    std::fs::write(server.data().join(missed), format!("{sha}\n")).expect("a file");
    server.database().execute(&format!(
        "INSERT INTO jobs (kind, payload, queue, user_id, run_at, created_at) VALUES
             ('look_after_repositories', '{{\"after\": 0}}', 'git', {}, '2020-01-01 00:00:00', '2020-01-01 00:00:00')",
        alice.id,
    ));
    server.run_jobs();
    server.advance(TimeDelta::minutes(2));
    assert_eq!(claimed(server), [("reconcile_repository".to_owned(), Some(UserId::new(alice.id)))]);
}

#[both_databases]
fn a_runner_that_finds_nothing_sends_one_statement_for_each_queue(server: &TestServer) {
    start_schedule(server.app()).expect("a queue");
    let statements = server.count_statements(|| assert_eq!(server.run_jobs(), 0));
    // Also one for events, and the beginning and the end of a transaction.
    assert_eq!(usize::try_from(statements), Ok(Queue::ALL.len() + 3));
}

#[both_databases]
fn a_job_that_finds_its_repository_in_use_is_never_given_up(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    server.run_jobs();
    let push = begin_push(server, &alice, "tool");
    server.enqueue("reconcile_repository", &json!({"kind": "reconcile_repository", "project": tool}));
    for _ in 0..40 {
        assert_eq!(server.run_jobs(), 1);
        assert_eq!(server.run_jobs(), 0, "it waits for a while");
        server.advance(TimeDelta::hours(1));
    }
    assert_eq!(counts(server.app()).expect("a queue"), (1, 0));
    drop(push);
    assert_eq!(server.run_jobs(), 1);
    assert_eq!(counts(server.app()).expect("a queue"), (0, 0));
}

#[test]
fn the_stored_names_of_jobs_stay() {
    let kinds: Vec<&str> = tenon_app::job_kinds().collect();
    let known = [
        "delete_project",
        "delete_group",
        "delete_user",
        "refresh_repository",
        "read_messages",
        "follow_branch",
        "merge_when_ready",
        "copy_uploads",
        "import_project",
        "fork_project",
        "update_mirror",
        "reconcile_refs",
        "reconcile_repository",
        "look_after_repositories",
        "maintain_repository",
        "pack_repository",
        "sweep_archives",
        "collect_lfs_objects",
        "hourly",
        "forget_merge_request",
        "forget_unseen",
        "narrow_access",
        "delete_object",
        "purge_grants",
        "render_hook_events",
        "deliver_to_hook",
        "retry_delivery",
        "purge_hook_events",
        "purge_expired_access",
        "clean_up_accounts",
        "follow_downloads",
        "resume_deliveries",
        "announce_failing_hook",
        "send_failing_hook",
        "send_confirmation",
        "notify_of_event",
        "send_notification",
        "remind_of_due_issues",
        "notify_members",
        "send_account_mail",
        "send_service_mail",
        "announce_waiting_accounts",
        "send_waiting_accounts",
        "send_download_alert",
        "send_password_reset",
        "send_invitation",
        "send_access_request_mail",
    ];
    assert_eq!(kinds, known);
}
