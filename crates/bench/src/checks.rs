//! The cost of finding out who calls, and if they have called too often. The same thing is read without a token and
//! with one, uncounted and counted, in one run on one server. The token alone is measured beside a caller who is known
//! otherwise.

use std::ffi::OsStr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use indicatif::ProgressBar;
use serde_json::{Value, json};
use tenon_app::identity::Identity;
use tenon_app::project::{self, ShowProject};
use tenon_app::{Reference, issue, user};
use tenon_domain::id::{Iid, UserId};
use tenon_testkit::{Backend, Client, TestServer};

use crate::endpoint::{MEMBER_TOKEN, ROOT_TOKEN};
use crate::load::{self, count};
use crate::measure::{Kind, Place, start_with};
use crate::process::Server;
use crate::seed::{self, Size, Target, Tokens};

/// The size of the database for a measuring, its time and its rounds.
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

/// The work that is done before an answer.
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

    /// Its name in a table.
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
    /// The endpoint that is read.
    pub endpoint: &'static str,
    /// The work before the answer.
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
            // Each round has all ways, so that a change of the machine affects all of them.
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

/// The time that a read of one thing takes on the calling thread, without HTTP.
#[derive(Debug, Clone, Copy)]
pub struct Lookup {
    /// The thing that is read.
    pub what: &'static str,
    /// By a user who is named by an id, in microseconds.
    pub known_us: f64,
    /// By the same user, who is named by a token, in microseconds.
    pub token_us: f64,
}

/// Reads something as a user. Returns true if it was answered.
type Read<'r> = &'r dyn Fn(&Identity) -> bool;

/// Reads in one turn of [`lookups`].
const READS: u32 = 2_000;

/// Compares two kinds of reads: the program that links the application knows the user, or a token names them. The
/// figures are medians of so many rounds, on a fresh database.
pub fn lookups(kind: Kind, rounds: usize) -> Vec<Lookup> {
    let server = TestServer::start(match kind {
        Kind::Sqlite => Backend::Sqlite,
        Kind::Postgres => Backend::Postgres,
    });
    let root = server.root();
    let id =
        |path: &str, body: Value| root.post(path, body).assert_status(201).json().get("id").and_then(Value::as_i64);
    let user = UserId::new(id("/users", account()).unwrap_or_default());
    let token = root.post(&format!("/users/{user}/impersonation_tokens"), json!({"name": "x", "scopes": ["api"]}));
    let token = token.assert_status(201).json();
    let token = Identity::token(token.get("token").and_then(Value::as_str).unwrap_or_default());
    let known = Identity::user(user);
    let project =
        Reference::Id(id("/projects", json!({"name": "Read by all", "visibility": "public"})).unwrap_or_default());
    let _ = root.post("/projects/root%2Fread-by-all/issues", json!({"title": "Read by all"})).assert_status(201);
    let app = server.app();
    let users = |identity: &Identity| app.read_now(identity, |query| user::show(query, user, false)).is_ok();
    let projects = |identity: &Identity| {
        app.read_now(identity, |query| project::show(query, &project, ShowProject::default())).is_ok()
    };
    let issues =
        |identity: &Identity| app.read_now(identity, |query| issue::show(query, &project, Iid::new(1))).is_ok();
    let reads: [(&'static str, Read<'_>); 3] = [("a user", &users), ("a project", &projects), ("an issue", &issues)];
    reads.map(|(what, read)| Lookup::new(what, rounds, || time(read, &known), || time(read, &token))).into()
}

fn account() -> Value {
    json!({"username": "reader", "name": "Reader", "email": "reader@example.org", "password": "correct horse 9",
        "skip_confirmation": true})
}

/// Microseconds of one read.
fn time(read: Read<'_>, identity: &Identity) -> f64 {
    let started = Instant::now();
    let done = (0..READS).filter(|_| read(identity)).count();
    assert_eq!(u32::try_from(done), Ok(READS), "every read is answered");
    started.elapsed().as_secs_f64() * 1e6 / f64::from(READS)
}

impl Lookup {
    fn new(what: &'static str, rounds: usize, known: impl Fn() -> f64, token: impl Fn() -> f64) -> Self {
        let turns: Vec<(f64, f64)> = (0..rounds).map(|_| (known(), token())).collect();
        let middle = |mut times: Vec<f64>| {
            times.sort_by(f64::total_cmp);
            times.get(times.len() / 2).copied().unwrap_or_default()
        };
        Self {
            what,
            known_us: middle(turns.iter().map(|turn| turn.0).collect()),
            token_us: middle(turns.iter().map(|turn| turn.1).collect()),
        }
    }
}
