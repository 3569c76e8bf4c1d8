//! Measures how many light jobs, and how many events, the runners do in a second, on both databases.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Value, json};
use tenon_app::jobs::Runner;
use tenon_testkit::{Backend, TestServer};

/// Measure the number of light jobs that the runners execute in a second.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Number of jobs of each kind
    #[arg(long, default_value_t = 2000)]
    jobs: i64,
    /// Number of commits, each to a project of its own
    #[arg(long, default_value_t = 40)]
    commits: usize,
    /// Number of concurrent runners
    #[arg(long, default_value_t = 2)]
    runners: usize,
}

/// The payload of the job of this number.
type Payload = fn(i64) -> Value;

pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    println!("{:<12} {:<20} {:>8} {:>10}", "database", "kind", "jobs", "jobs/s");
    for backend in [Backend::Sqlite, Backend::Postgres] {
        if !backend.is_available() {
            continue;
        }
        let kinds: [(&str, Payload); 3] = [
            // Only rows.
            ("forget_unseen", |number| json!({"kind": "forget_unseen", "user": 1_000_000 + number})),
            // Only a file that is not there.
            ("delete_object", |number| json!({"kind": "delete_object", "key": format!("avatars/{number}")})),
            // A read of a row, on a thread for Git.
            ("refresh_repository", |number| json!({"kind": "refresh_repository", "project": 1_000_000 + number})),
        ];
        for (kind, payload) in kinds {
            let server = TestServer::start(backend);
            server.database().execute(&rows(arguments.jobs, kind, payload));
            let begun = Instant::now();
            let done = run_jobs(&server, arguments.runners)?;
            let seconds = begun.elapsed().as_secs_f64();
            let rate = f64::from(u32::try_from(done).context("fewer jobs")?) / seconds;
            println!("{:<12} {kind:<20} {done:>8} {rate:>10.0}", format!("{backend:?}"));
        }
        let server = TestServer::start(backend);
        commit(&server, arguments.commits)?;
        let begun = Instant::now();
        let done = run_jobs(&server, arguments.runners)?;
        let seconds = begun.elapsed().as_secs_f64();
        let rate = f64::from(u32::try_from(done).context("fewer jobs")?) / seconds;
        println!("{:<12} {:<20} {done:>8} {rate:>10.0}", format!("{backend:?}"), "after commits");
    }
    Ok(ExitCode::SUCCESS)
}

/// Commits once to each of so many new projects.
fn commit(server: &TestServer, commits: usize) -> Result<()> {
    let root = server.root();
    for number in 0..commits {
        let project = json!({"name": format!("p{number}"), "initialize_with_readme": true});
        let made = root.post("/projects", project).assert_status(201).json();
        let id = made.get("id").context("an id")?;
        let file = json!({"branch": "main", "content": "text", "commit_message": "See #1"});
        let _ = root.post(&format!("/projects/{id}/repository/files/a%2Etxt"), file).assert_status(201);
    }
    Ok(())
}

/// The statement that queues so many jobs.
fn rows(jobs: i64, kind: &str, payload: Payload) -> String {
    let rows: Vec<String> = (1..=jobs)
        .map(|number| {
            let payload = payload(number);
            format!("('{kind}', '{payload}', '{payload}', '2026-01-01 00:00:00', '2026-01-01 00:00:00')")
        })
        .collect();
    format!("INSERT INTO jobs (kind, payload, dedup_key, run_at, created_at) VALUES {}", rows.join(", "))
}

/// Runs everything that waits, by so many runners; yields how many jobs that were.
fn run_jobs(server: &TestServer, runners: usize) -> Result<usize> {
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..runners)
            .map(|_| {
                let runner = Runner::new(server.app().clone());
                scope.spawn(move || -> Result<usize> {
                    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
                    Ok(runtime.block_on(runner.run_until_idle())?)
                })
            })
            .collect();
        let mut done = 0;
        for thread in running {
            done += thread.join().map_err(|_panic| anyhow::anyhow!("a runner panicked"))??;
        }
        Ok(done)
    })
}
