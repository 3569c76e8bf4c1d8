//! One measurement of all endpoints on one database.

use std::ffi::OsStr;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::ValueEnum;
use indicatif::ProgressBar;
use tempfile::TempDir;
use tenon_app::{Database, DatabaseUrl, Options};
use tenon_testkit::postgres::{Cluster, cluster};

use crate::endpoint::{self, Endpoint, MEMBER_TOKEN, ROOT_TOKEN};
use crate::load::{self, Outcome, count};
use crate::process::{Server, beside};
use crate::report::{Floor, Row, Run};
use crate::seed::{self, Landmarks, Size, Target, Tokens};

/// The size of the database for a measuring, its time and its endpoints.
#[derive(Debug, Clone)]
pub struct Plan {
    /// How much there is in the database.
    pub size: Size,
    /// How long each endpoint is driven.
    pub time: Duration,
    /// How many connections drive it at once.
    pub connections: usize,
    /// Only the endpoint of this name, or else those with this text in their names.
    pub only: Option<String>,
    /// True if the floors are left out.
    pub without_floors: bool,
}

/// Starts of which the cold start is the median.
const STARTS: usize = 5;

/// Measures on a fresh database of this kind (`sqlite` or `postgres`).
pub async fn run(plan: &Plan, database: Kind, bar: &ProgressBar) -> Result<Run> {
    let folder = tempfile::Builder::new().prefix("tenon-bench.").tempdir()?;
    let place = Place::new(database, &folder)?;
    let target = Target { database_url: place.url.clone(), data_dir: folder.path().to_owned() };
    let tokens = Tokens { root: Some(ROOT_TOKEN.to_owned()), member: Some(MEMBER_TOKEN.to_owned()) };
    let landmarks = seed::fill(&target, plan.size, &tokens, bar)?;

    let mut cold_starts = Vec::new();
    for _ in 1..STARTS {
        let (_server, took) = start(&target, &place.given_url).await?;
        cold_starts.push(took);
    }
    let (mut server, took) = start(&target, &place.given_url).await?;
    cold_starts.push(took);
    cold_starts.sort_unstable();
    // The work that a start has left is done now.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let idle_mib = server.memory()?;

    let endpoints = chosen(endpoint::all(&landmarks), plan.only.as_deref());
    bar.reset();
    bar.set_length(u64::try_from(endpoints.len())?);
    let bare = Database::open(Options { readers: 1, writers: 1, ..Options::new(place.url.clone()) })?;
    let mut numbers = 0;
    let mut rows = Vec::new();
    for endpoint in &endpoints {
        bar.set_message(endpoint.name);
        let measured = row(plan, &server, endpoint, folder.path(), &bare, &landmarks, &mut numbers).await;
        rows.push(measured.with_context(|| format!("{}: {}", endpoint.name, server.account()))?);
        bar.inc(1);
    }
    let loaded_mib = server.memory()?;
    bar.finish_and_clear();
    Ok(Run {
        database: database.as_str().to_owned(),
        cold_start_ms: millis(cold_starts.get(STARTS / 2).copied().unwrap_or_default()),
        idle_mib,
        loaded_mib,
        rows,
    })
}

/// The endpoint of this name, or else all with this text in their names.
fn chosen(mut all: Vec<Endpoint>, only: Option<&str>) -> Vec<Endpoint> {
    if let Some(only) = only {
        let exact = all.iter().any(|endpoint| endpoint.name == only);
        all.retain(|endpoint| if exact { endpoint.name == only } else { endpoint.name.contains(only) });
    }
    all
}

/// Which database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The embedded one.
    Sqlite,
    /// A throw-away cluster.
    Postgres,
}

impl Kind {
    /// The name in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// The databases that a command of this crate measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Databases {
    /// Only SQLite.
    Sqlite,
    /// Only PostgreSQL.
    Postgres,
    /// First SQLite, then PostgreSQL.
    Both,
}

impl Databases {
    /// Each of them.
    #[must_use]
    pub const fn kinds(self) -> &'static [Kind] {
        match self {
            Self::Sqlite => &[Kind::Sqlite],
            Self::Postgres => &[Kind::Postgres],
            Self::Both => &[Kind::Sqlite, Kind::Postgres],
        }
    }
}

/// A database that ends with this value.
pub(crate) struct Place {
    pub(crate) url: DatabaseUrl,
    /// The same, as the server takes it.
    pub(crate) given_url: String,
    made: Option<(&'static Cluster, String)>,
}

impl Place {
    pub(crate) fn new(kind: Kind, folder: &TempDir) -> Result<Self> {
        let (given_url, made) = match kind {
            Kind::Sqlite => (format!("sqlite:{}", folder.path().join("tenon.db").display()), None),
            Kind::Postgres => {
                let cluster = cluster().context("there is no PostgreSQL here")?;
                let name = format!("bench_{}", std::process::id());
                cluster.create_database(&name, None)?;
                (cluster.url(&name), Some((cluster, name)))
            }
        };
        Ok(Self { url: given_url.parse()?, given_url, made })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some((cluster, name)) = &self.made {
            // A database that cannot be dropped goes with the cluster.
            drop(cluster.drop_database(name));
        }
    }
}

pub(crate) async fn start(target: &Target, url: &str) -> Result<(Server, Duration)> {
    start_with(target, url, &[]).await
}

/// As [`start`], with more arguments.
pub(crate) async fn start_with(target: &Target, url: &str, more: &[&OsStr]) -> Result<(Server, Duration)> {
    let workers = crate::machine::cores().to_string();
    let arguments = ["serve", "--database-url", url, "--workers", &workers, "--data-dir"].map(OsStr::new);
    let arguments = [arguments.as_slice(), &[target.data_dir.as_os_str()], more].concat();
    Server::start(&beside("tenon")?, &arguments, &target.data_dir).await
}

async fn row(
    plan: &Plan,
    server: &Server,
    endpoint: &Endpoint,
    folder: &Path,
    bare: &Database,
    landmarks: &Landmarks,
    numbers: &mut u64,
) -> Result<Row> {
    let first = load::ask(server.port, &(endpoint.message)(*numbers)).await?;
    *numbers += 1;
    if !(200..300).contains(&first.status) {
        return Ok(Row::refused(endpoint.name, first.status));
    }
    let (outcome, cpu_us) = driven(plan, server, endpoint, numbers).await?;
    let mut row = Row {
        endpoint: endpoint.name.to_owned(),
        status: first.status,
        body_bytes: first.length,
        per_second: outcome.per_second(),
        p50_ms: millis(outcome.percentile(50)),
        p90_ms: millis(outcome.percentile(90)),
        p99_ms: millis(outcome.percentile(99)),
        errors: outcome.errors,
        memory_mib: server.memory()?,
        cpu_us,
        constant_body: None,
        queries: None,
    };
    if !plan.without_floors {
        row.constant_body = Some(constant_body(plan, endpoint, first.length, folder, numbers).await?);
        let per_second = endpoint::bare(bare, landmarks, endpoint, plan.time / 3)?;
        row.queries = Some(Floor { per_second, cpu_us: None, what: endpoint.queries.to_owned() });
    }
    Ok(row)
}

/// Drives an endpoint, after a warm-up; yields also the server's computing time for one answer, in microseconds.
async fn driven(plan: &Plan, server: &Server, endpoint: &Endpoint, numbers: &mut u64) -> Result<(Outcome, f64)> {
    let message = || Rc::clone(&endpoint.message);
    load::drive(server.port, plan.connections, plan.time / 3, numbers, message()).await?;
    let before = server.computed()?;
    let outcome = load::drive(server.port, plan.connections, plan.time, numbers, message()).await?;
    let computed = server.computed()?.saturating_sub(before);
    let cpu_us = computed.as_secs_f64() * 1e6 / count(outcome.latencies.len().max(1));
    Ok((outcome, cpu_us))
}

/// The same requests to a server that knows only one answer, as long as the endpoint's.
async fn constant_body(
    plan: &Plan,
    endpoint: &Endpoint,
    length: usize,
    folder: &Path,
    numbers: &mut u64,
) -> Result<Floor> {
    let (workers, size) = (crate::machine::cores().to_string(), length.to_string());
    let arguments = ["floor", "--workers", &workers, "--size", &size].map(OsStr::new);
    let (server, _) = Server::start(&std::env::current_exe()?, &arguments, folder).await?;
    let (outcome, cpu_us) = driven(plan, &server, endpoint, numbers).await?;
    Ok(Floor {
        per_second: outcome.per_second(),
        cpu_us: Some(cpu_us),
        what: format!("a constant body of {length} bytes"),
    })
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
