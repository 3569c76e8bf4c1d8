//! Measures the cost of hooks, on both databases. It counts deliveries in a second, the same beside a million jobs that
//! wait or were given up. It also times an issue in a project with ten hooks.

use std::net::TcpListener;
use std::process::ExitCode;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use actix_web::{App, HttpResponse, HttpServer, web};
use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::json;
use tenon_app::jobs::Pace;
use tenon_testkit::{Backend, Client, TestServer};

/// Measure the cost of hooks.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Number of projects with hooks
    #[arg(long, default_value_t = 20)]
    projects: u32,
    /// Number of hooks of each project
    #[arg(long, default_value_t = 5)]
    hooks: u32,
    /// Number of issues to open in each project
    #[arg(long, default_value_t = 50)]
    issues: u32,
    /// Number of jobs that are scheduled for another day, and of jobs that were given up
    #[arg(long, default_value_t = 500_000)]
    parked: u32,
    /// Number of issues to open in a project with ten hooks, and in one without
    #[arg(long, default_value_t = 500)]
    opened: u32,
}

pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    let receiver = Counter::start()?;
    for backend in [Backend::Sqlite, Backend::Postgres] {
        if !backend.is_available() {
            continue;
        }
        for parked in [0, arguments.parked] {
            let rate = deliveries(backend, &receiver, &arguments, parked)?;
            let parked = 2 * parked;
            println!("{:<10} deliveries/s with {parked:>7} parked jobs: {rate:>6.0}", format!("{backend:?}"));
        }
        let (without, with) = opened(backend, &receiver, arguments.opened)?;
        println!(
            "{:<10} an issue takes {:.2} ms, with ten hooks {:.2} ms: {:.2} times (medians of {})",
            format!("{backend:?}"),
            milliseconds(without),
            milliseconds(with),
            with.as_secs_f64() / without.as_secs_f64(),
            arguments.opened,
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// How many deliveries the server makes in a second, beside so many jobs that are scheduled, and as many that were
/// given up.
fn deliveries(backend: Backend, receiver: &Counter, arguments: &Arguments, parked: u32) -> Result<f64> {
    let server = TestServer::start(backend);
    let root = server.root();
    allow_local(&root);
    if parked > 0 {
        server.database().execute(&parked_jobs(backend, parked));
    }
    for number in 0..arguments.projects {
        let project = project(&root, &format!("p{number}"))?;
        add_hooks(&root, project, arguments.hooks, receiver);
        for issue in 0..arguments.issues {
            open_issue(&root, project, issue);
        }
    }
    let want = u64::from(arguments.projects) * u64::from(arguments.hooks) * u64::from(arguments.issues);
    let before = receiver.count();
    let begun = Instant::now();
    let jobs = server.start_jobs(Pace::default());
    let count = receiver.wait_for(before + want);
    let took = begun.elapsed();
    ensure!(count == before + want, "{} of {want} came", count - before);
    drop(jobs);
    Ok(f64::from(u32::try_from(want)?) / took.as_secs_f64())
}

/// The median time of opening an issue in a project without hooks, and in one with ten. Both take turns, so that both
/// see the same machine.
fn opened(backend: Backend, receiver: &Counter, issues: u32) -> Result<(Duration, Duration)> {
    let server = TestServer::start(backend);
    let root = server.root();
    allow_local(&root);
    let (without, with) = (project(&root, "without")?, project(&root, "with")?);
    add_hooks(&root, with, 10, receiver);
    let (mut times_without, mut times_with) = (Vec::new(), Vec::new());
    for number in 0..issues + 20 {
        for (project, times) in [(without, &mut times_without), (with, &mut times_with)] {
            let begun = Instant::now();
            open_issue(&root, project, number);
            times.push(begun.elapsed());
        }
    }
    Ok((median(times_without)?, median(times_with)?))
}

/// The median of all but the first twenty.
fn median(mut times: Vec<Duration>) -> Result<Duration> {
    let mut times = times.split_off(20);
    times.sort_unstable();
    times.get(times.len() / 2).copied().context("no times")
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn allow_local(root: &Client) {
    let _ = root
        .put("/application/settings", json!({"allow_local_requests_from_hooks_and_services": true}))
        .assert_status(200);
}

fn project(root: &Client, name: &str) -> Result<i64> {
    let made = root.post("/projects", json!({"name": name})).assert_status(201).json();
    made.get("id").and_then(serde_json::Value::as_i64).context("a project has an id")
}

fn add_hooks(root: &Client, project: i64, hooks: u32, receiver: &Counter) {
    for number in 0..hooks {
        let hook = json!({"url": format!("{}/{project}/{number}", receiver.url), "issues_events": true});
        let _ = root.post(&format!("/projects/{project}/hooks"), hook).assert_status(201);
    }
}

fn open_issue(root: &Client, project: i64, number: u32) {
    let issue = json!({"title": format!("Issue {number}"), "description": "What happens, and what should."});
    let _ = root.post(&format!("/projects/{project}/issues"), issue).assert_status(201);
}

/// The statement that queues jobs for another day, and as many that were given up.
fn parked_jobs(backend: Backend, count: u32) -> String {
    let numbers = match backend {
        Backend::Sqlite => {
            format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) SELECT")
        }
        Backend::Postgres => format!("WITH n(i) AS (SELECT generate_series(1, {count})) SELECT"),
    };
    let rows = |name: &str, at: &str, dead: &str| {
        format!(
            "INSERT INTO jobs (kind, payload, dedup_key, queue, run_at, ready, dead, created_at) {numbers} \
             'retry_delivery', '{{}}', '{name}' || i, 'hooks', '{at}', FALSE, {dead}, '2026-01-01 00:00:00' FROM n;"
        )
    };
    let waiting = rows("w", "2099-01-01 00:00:00", "FALSE");
    let given_up = rows("d", "2026-01-01 00:00:00", "TRUE");
    format!("{waiting} {given_up}")
}

/// A receiver that counts requests.
struct Counter {
    url: String,
    received: Arc<(Mutex<u64>, Condvar)>,
}

/// How long requests are waited for.
const PATIENCE: Duration = Duration::from_mins(5);

impl Counter {
    fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}", listener.local_addr()?);
        let received = Arc::new((Mutex::new(0), Condvar::new()));
        let counted = Arc::clone(&received);
        std::thread::spawn(move || {
            let server = HttpServer::new(move || {
                let counted = Arc::clone(&counted);
                App::new().default_service(web::to(move |_: web::Bytes| {
                    let (count, changed) = &*counted;
                    *lock(count) += 1;
                    changed.notify_all();
                    async { HttpResponse::Ok().finish() }
                }))
            });
            let server = server.workers(1).listen(listener)?;
            actix_web::rt::System::new().block_on(server.run())
        });
        Ok(Self { url, received })
    }

    fn count(&self) -> u64 {
        *lock(&self.received.0)
    }

    /// Waits for so many requests, and returns how many came.
    fn wait_for(&self, want: u64) -> u64 {
        let (count, changed) = &*self.received;
        let waited = changed.wait_timeout_while(lock(count), PATIENCE, |count| *count < want);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

fn lock(count: &Mutex<u64>) -> MutexGuard<'_, u64> {
    count.lock().unwrap_or_else(PoisonError::into_inner)
}
