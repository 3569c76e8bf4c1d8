//! The cost of repositories and merge requests: one request after the other, because each runs Git, and a user waits
//! for each.

mod reads;
pub(crate) mod repository;

use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use indicatif::ProgressBar;
use serde_json::{Value, json};
use tenon_testkit::Client;

pub use self::reads::{Rate, table as table_of_rates};
use self::repository::{Origin, git};
use crate::endpoint::ROOT_TOKEN;
use crate::measure::{Kind, Place, start};
use crate::seed::{self, Size, Target, Tokens};

/// The number of repetitions.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Reads.
    pub reads: usize,
    /// Writes, pushes and merges.
    pub writes: usize,
    /// Commits of the repository.
    pub commits: usize,
}

/// The time that something took.
#[derive(Debug, Clone)]
pub struct Figure {
    /// The measured action.
    pub name: &'static str,
    /// Each time, in rising order.
    pub times: Vec<Duration>,
}

impl Figure {
    /// The time that so many in a hundred did not exceed, in milliseconds.
    #[must_use]
    pub fn percentile(&self, percent: usize) -> f64 {
        let at = (self.times.len() * percent).div_ceil(100).saturating_sub(1);
        self.times.get(at).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
    }
}

/// How often the server is asked whether it is ready, and the time between two questions.
const TURNS: u32 = 600;
const TURN: Duration = Duration::from_millis(100);
/// How often everything is cloned or pushed, at most: that takes as long as the rest.
const CLONES: usize = 5;
/// Branches beside main.
const BRANCHES: usize = 100;
/// Commits that are asked about, each once.
const COMMITS: usize = 4000;
/// Files that the large merge request changes.
const FILES: usize = 50;

/// Measures on a fresh database of this kind.
pub async fn run(plan: &Plan, database: Kind, bar: &ProgressBar) -> Result<(Vec<Figure>, Vec<Rate>)> {
    let folder = tempfile::Builder::new().prefix("tenon-code.").tempdir()?;
    let place = Place::new(database, &folder)?;
    let target = Target { database_url: place.url.clone(), data_dir: folder.path().to_owned() };
    let tokens = Tokens { root: Some(ROOT_TOKEN.to_owned()), member: None };
    seed::fill(&target, Size::Small, &tokens, &ProgressBar::hidden())?;
    let (server, _) = start(&target, &place.given_url).await?;
    let host = format!("127.0.0.1:{}", server.port);
    let plan = *plan;
    let (bar, folder_path) = (bar.clone(), folder.path().to_owned());
    // The client blocks.
    let measuring = tokio::task::spawn_blocking(move || Measuring::new(&host, &folder_path, plan)).await??;
    bar.set_message("reads on several connections");
    let commits: Rc<[String]> = measuring.origin.newest(COMMITS)?.into();
    let rates = reads::measure(server.port, &measuring.project, commits).await?;
    let figures = tokio::task::spawn_blocking(move || measuring.all(&bar)).await??;
    Ok((figures, rates))
}

/// The address of a project of the administrator, with the token in it.
fn address(host: &str, path: &str) -> String {
    format!("http://root:{ROOT_TOKEN}@{host}/root/{path}.git")
}

struct Measuring {
    plan: Plan,
    host: String,
    client: Client,
    origin: Origin,
    project: String,
}

impl Measuring {
    fn new(host: &str, folder: &Path, plan: Plan) -> Result<Self> {
        let client = Client::new(&format!("http://{host}"), Some(ROOT_TOKEN));
        let made = client.post("/projects", json!({"name": "measured", "path": "measured"})).json();
        let id = made.get("id").and_then(Value::as_i64).context("a project")?;
        let origin = Origin::make(&folder.join("origin"), address(host, "measured"), plan.commits)?;
        origin.push("main")?;
        origin.push_branches(BRANCHES.min(plan.commits))?;
        let measuring = Self { plan, host: host.to_owned(), client, origin, project: format!("/projects/{id}") };
        measuring.wait_until_known()?;
        Ok(measuring)
    }

    /// Waits until the server has processed the push, which it does in the background.
    #[expect(clippy::disallowed_methods, reason = "the server does not announce when it has done so")]
    fn wait_until_known(&self) -> Result<()> {
        for _ in 0..TURNS {
            let shown = self.ok("GET", "?statistics=true", &Value::Null)?;
            let known = shown.pointer("/statistics/commit_count").and_then(Value::as_u64).unwrap_or_default();
            if known == u64::try_from(self.plan.commits)? {
                return Ok(());
            }
            std::thread::sleep(TURN);
        }
        bail!("the server has not processed the push in {} s", (TURN * TURNS).as_secs())
    }

    fn all(self, bar: &ProgressBar) -> Result<Vec<Figure>> {
        let mut figures = self.reads(bar)?;
        figures.extend(self.transfers(bar)?);
        figures.extend(self.merge_requests(bar)?);
        bar.finish_and_clear();
        Ok(figures)
    }

    fn repeated(
        &self,
        bar: &ProgressBar,
        name: &'static str,
        times: usize,
        mut once: impl FnMut(usize) -> Result<Duration>,
    ) -> Result<Figure> {
        bar.set_message(name);
        bar.reset();
        bar.set_length(u64::try_from(times)?);
        let mut taken = Vec::with_capacity(times);
        for number in 0..times {
            taken.push(once(number).with_context(|| format!("{name}, {}", self.project))?);
            bar.inc(1);
        }
        taken.sort_unstable();
        Ok(Figure { name, times: taken })
    }

    fn read(&self, bar: &ProgressBar, name: &'static str, path: &str) -> Result<Figure> {
        self.repeated(bar, name, self.plan.reads, |_| timed(|| self.ok("GET", path, &Value::Null).map(drop)))
    }

    /// Downloads the files of the head of `main`.
    fn archive(&self) -> Result<()> {
        let path = "/repository/archive.tar.gz?sha=main";
        let reply = self.client.get(&format!("{}{path}", self.project));
        ensure!(reply.status() == 200, "{path}: {}", reply.status());
        Ok(())
    }

    /// Sends a request below the project, which must succeed.
    fn ok(&self, method: &str, path: &str, body: &Value) -> Result<Value> {
        let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let content_type = (!body.is_empty()).then_some("application/json");
        let reply = self.client.send(method, &format!("{}{path}", self.project), content_type, body);
        let status = reply.status();
        ensure!((200..300).contains(&status), "{method} {path}: {status} {}", reply.text());
        Ok(reply.json())
    }

    fn reads(&self, bar: &ProgressBar) -> Result<Vec<Figure>> {
        Ok(vec![
            self.read(bar, "GET repository/tree", "/repository/tree")?,
            self.read(bar, "GET repository/commits", "/repository/commits")?,
            self.read(bar, "GET repository/commits?page=100", "/repository/commits?page=100")?,
            self.read(bar, "GET repository/files/:path", "/repository/files/file1.txt?ref=main")?,
            self.read(bar, "GET repository/branches", "/repository/branches")?,
        ])
    }

    fn transfers(&self, bar: &ProgressBar) -> Result<Vec<Figure>> {
        let writes = self.plan.writes;
        Ok(vec![
            self.repeated(bar, "git ls-remote", writes, |_| timed(|| self.origin.list()))?,
            self.repeated(bar, "git clone", writes.min(CLONES), |number| timed(|| self.origin.clone_to(number)))?,
            self.repeated(bar, "git push of all commits", writes.min(CLONES), |number| {
                let path = format!("first{number}");
                let _ = self.client.post("/projects", json!({"name": path, "path": path})).assert_status(201);
                timed(|| self.origin.push_all(&address(&self.host, &path)))
            })?,
            self.repeated(bar, "the same, bare with fsckObjects", writes.min(CLONES), |number| {
                let bare = self.origin.bare(number)?;
                timed(|| self.origin.push_all(&bare.to_string_lossy()))
            })?,
            self.repeated(bar, "git push of one commit", writes, |number| {
                self.origin.commit("main", &[format!("pushed{number}")])?;
                timed(|| self.origin.push("main"))
            })?,
            self.repeated(bar, "GET repository/archive.tar.gz, new", writes, |number| {
                self.origin.commit("main", &[format!("packed{number}")])?;
                self.origin.push("main")?;
                timed(|| self.archive())
            })?,
            self.repeated(bar, "GET repository/archive.tar.gz, kept", self.plan.reads, |_| timed(|| self.archive()))?,
        ])
    }

    fn merge_requests(&self, bar: &ProgressBar) -> Result<Vec<Figure>> {
        let files: Vec<String> = (0..FILES).map(|file| format!("file{file}.txt")).collect();
        self.origin.branch("large")?;
        self.origin.commit("large", &files)?;
        self.origin.push("large")?;
        for number in 0..self.plan.writes {
            self.origin.branch(&format!("small{number}"))?;
            self.origin.commit(&format!("small{number}"), &[format!("small{number}")])?;
            self.origin.push(&format!("small{number}"))?;
        }
        let offer = |branch: &str| json!({"source_branch": branch, "target_branch": "main", "title": branch});
        self.ok("POST", "/merge_requests", &offer("large"))?;
        let mut figures = vec![self.repeated(bar, "POST merge_requests", self.plan.writes, |number| {
            let mut made = Value::Null;
            let took = timed(|| {
                made = self.ok("POST", "/merge_requests", &offer(&format!("small{number}")))?;
                Ok(())
            })?;
            check_status(&made)?;
            Ok(took)
        })?];
        figures.push(self.read(bar, "GET merge_requests", "/merge_requests")?);
        figures.push(self.read(bar, "GET merge_requests/:iid", "/merge_requests/1")?);
        figures.push(self.read(bar, "GET merge_requests/:iid/commits", "/merge_requests/1/commits")?);
        figures.push(self.read(bar, "GET merge_requests/:iid/changes, 50 files", "/merge_requests/1/changes")?);
        figures.push(self.repeated(bar, "git push to an offered branch", self.plan.writes, |number| {
            self.origin.commit("large", &[format!("again{number}")])?;
            timed(|| self.origin.push("large"))
        })?);
        figures.push(self.repeated(bar, "merge_status after a push", self.plan.writes, |number| {
            self.origin.commit("large", &[format!("more{number}")])?;
            self.origin.push("large")?;
            timed(|| {
                let shown = self.ok("GET", "/merge_requests/1", &Value::Null)?;
                check_status(&shown)
            })
        })?);
        figures.push(self.repeated(bar, "PUT merge_requests/:iid/merge", self.plan.writes, |number| {
            timed(|| self.ok("PUT", &format!("/merge_requests/{}/merge", number + 2), &json!({})).map(drop))
        })?);
        Ok(figures)
    }
}

/// The answer says finally that it can be merged.
fn check_status(shown: &Value) -> Result<()> {
    let status = shown.get("merge_status").and_then(Value::as_str).unwrap_or_default();
    ensure!(status == "can_be_merged", "merge_status is {status}");
    Ok(())
}

fn timed(work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let started = Instant::now();
    work()?;
    Ok(started.elapsed())
}

/// A Markdown table of figures.
#[must_use]
pub fn table(figures: &[Figure]) -> String {
    let mut text = String::from("| what | times | P50 ms | P90 ms | P99 ms |\n|---|--:|--:|--:|--:|\n");
    for figure in figures {
        let [p50, p90, p99] = [50, 90, 99].map(|percent| figure.percentile(percent));
        text += &format!("| {} | {} | {p50:.1} | {p90:.1} | {p99:.1} |\n", figure.name, figure.times.len());
    }
    text
}

/// True if Git can be run here.
pub fn check() -> Result<()> {
    git(Path::new("."), &["--version"]).map(drop).context("git cannot be run")
}
