//! What it costs to find out who calls, and whether they have called too often: the same read of one thing, without a token and
//! with one, uncounted and counted, in one run on one server.

use std::ffi::OsStr;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use indicatif::ProgressBar;
use serde_json::{Value, json};
use tenon_testkit::Client;

use crate::endpoint::{MEMBER_TOKEN, ROOT_TOKEN};
use crate::load::{self, count};
use crate::measure::{Kind, Place, start_with};
use crate::process::Server;
use crate::seed::{self, Size, Target, Tokens};

/// How to measure.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// How much there is in the database.
    pub size: Size,
    /// How long each way is driven in each round.
    pub time: Duration,
    /// How many connections drive it at once.
    pub connections: usize,
    /// How often each way has its turn. The figures are medians of all rounds.
    pub rounds: usize,
}

/// What is done before an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Way {
    /// The request has a token.
    pub token: bool,
    /// Requests are counted, as the throttles of the settings ask.
    pub counted: bool,
}

impl Way {
    /// All of them, the one without anything first.
    pub const ALL: [Self; 4] = [
        Self { token: false, counted: false },
        Self { token: true, counted: false },
        Self { token: false, counted: true },
        Self { token: true, counted: true },
    ];

    /// What it is called in a table.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match (self.token, self.counted) {
            (false, false) => "neither",
            (true, false) => "token",
            (false, true) => "throttle",
            (true, true) => "token and throttle",
        }
    }
}

/// One line of the table.
#[derive(Debug, Clone)]
pub struct Row {
    /// What is read.
    pub endpoint: &'static str,
    /// What is done before.
    pub way: Way,
    /// Answers in a second.
    pub per_second: f64,
    /// The server's computing time for one answer.
    pub cpu_us: f64,
    /// Half of the requests were answered within this time.
    pub p50_ms: f64,
    /// Bytes of the answer.
    pub bytes: usize,
}

/// Neither network nor user is counted by the limits that protect every server: only the settings count.
const CONFIGURATION: &str = "[limits.rates]\nanonymous_burst = 0\n";

/// Measures on a fresh database of this kind.
pub async fn run(plan: &Plan, database: Kind, bar: &ProgressBar) -> Result<Vec<Row>> {
    let folder = tempfile::Builder::new().prefix("tenon-bench.").tempdir()?;
    let place = Place::new(database, &folder)?;
    let target = Target { database_url: place.url.clone(), data_dir: folder.path().to_owned() };
    let tokens = Tokens { root: Some(ROOT_TOKEN.to_owned()), member: Some(MEMBER_TOKEN.to_owned()) };
    let landmarks = seed::fill(&target, plan.size, &tokens, bar)?;
    let file = folder.path().join("checks.toml");
    std::fs::write(&file, CONFIGURATION)?;
    let more = [OsStr::new("--config"), file.as_os_str()];
    let (server, _) = start_with(&target, &place.given_url, &more).await?;
    let root = Client::new(&format!("http://127.0.0.1:{}", server.port), Some(ROOT_TOKEN));
    let project = root.post("/projects", json!({"name": "Read by all", "visibility": "public"})).assert_status(201);
    let project = project.json().get("id").and_then(Value::as_i64).context("an id")?;
    let endpoints = [
        ("GET /users/:id", format!("/users/{}", landmarks.member)),
        ("GET /projects/:id", format!("/projects/{project}")),
    ];
    bar.reset();
    bar.set_length(u64::try_from(endpoints.len() * plan.rounds * Way::ALL.len())?);
    let mut rows = Vec::new();
    for (name, path) in endpoints {
        let mut measured: Vec<Vec<Row>> = Way::ALL.iter().map(|_| Vec::new()).collect();
        for _ in 0..plan.rounds {
            // Each round has all ways, so that what changes on the machine changes all of them.
            for (way, rows) in Way::ALL.into_iter().zip(&mut measured) {
                bar.set_message(way.name());
                set_throttles(&root, way.counted);
                rows.push(row(plan, &server, name, &path, way).await?);
                bar.inc(1);
            }
        }
        rows.extend(measured.into_iter().filter_map(median));
    }
    bar.finish_and_clear();
    Ok(rows)
}

/// Throttles that count, and are too wide to refuse anything.
fn set_throttles(root: &Client, counted: bool) {
    let mut settings = serde_json::Map::new();
    for name in ["throttle_unauthenticated", "throttle_authenticated_api"] {
        settings.insert(format!("{name}_enabled"), json!(counted));
        settings.insert(format!("{name}_requests_per_period"), json!(1_000_000_000));
        settings.insert(format!("{name}_period_in_seconds"), json!(1));
    }
    let _ = root.put("/application/settings", Value::Object(settings)).assert_status(200);
}

async fn row(plan: &Plan, server: &Server, endpoint: &'static str, path: &str, way: Way) -> Result<Row> {
    let message: Rc<[u8]> = Rc::from(request(path, way));
    let first = load::ask(server.port, &message).await?;
    ensure!(first.status == 200, "{endpoint}, {}: {}", way.name(), first.status);
    let message: Rc<load::Message> = Rc::new(move |_| Rc::clone(&message));
    let mut numbers = 0;
    load::drive(server.port, plan.connections, plan.time / 3, &mut numbers, Rc::clone(&message)).await?;
    let before = server.computed()?;
    let outcome = load::drive(server.port, plan.connections, plan.time, &mut numbers, message).await?;
    let computed = server.computed()?.saturating_sub(before);
    ensure!(outcome.errors == 0, "{endpoint}, {}: {} errors", way.name(), outcome.errors);
    Ok(Row {
        endpoint,
        way,
        per_second: outcome.per_second(),
        cpu_us: computed.as_secs_f64() * 1e6 / count(outcome.latencies.len().max(1)),
        p50_ms: outcome.percentile(50).as_secs_f64() * 1e3,
        bytes: first.length,
    })
}

fn request(path: &str, way: Way) -> Vec<u8> {
    let token = if way.token { format!("PRIVATE-TOKEN: {MEMBER_TOKEN}\r\n") } else { String::new() };
    format!("GET /api/v4{path} HTTP/1.1\r\nHost: localhost\r\n{token}\r\n").into_bytes()
}

/// The row with the middle computing time.
fn median(mut rows: Vec<Row>) -> Option<Row> {
    rows.sort_by(|one, other| one.cpu_us.total_cmp(&other.cpu_us));
    let middle = rows.len() / 2;
    rows.into_iter().nth(middle)
}
