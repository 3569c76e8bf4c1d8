//! The time and memory of backups and restores, beside the time that `tar` takes for the same files.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use indicatif::ProgressBar;
use serde_json::{Value, json};
use tenon_testkit::{Backend, Client, ROOT_TOKEN};

use crate::code::repository::{git, git_with_input};
use crate::load;
use crate::measure::Kind;
use crate::process::program;
use crate::random::Random;
use crate::rehearse::command::Commands;
use crate::rehearse::site::Site;
use crate::seed::{Landmarks, Size};

/// The data, and the program that backs it up.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The program `tenon`.
    pub program: PathBuf,
    /// The database of the server.
    pub kind: Kind,
    /// The rows.
    pub size: Size,
    /// The number of repositories.
    pub repositories: usize,
    /// MiB of each repository.
    pub mebibytes: usize,
}

/// One of so many issues and repositories changes before the incremental backup.
const CHANGED: usize = 100;
/// Files of a repository: so many that Git keeps them as a pack.
const FILES: usize = 120;
/// Connections that read while a backup is made.
const CONNECTIONS: usize = 4;
/// The time for which they read without one.
const USUAL: Duration = Duration::from_secs(15);
/// The time between two looks at the memory of a command.
const LOOK: Duration = Duration::from_millis(20);

/// A command that has ended.
#[derive(Debug)]
struct Run {
    name: &'static str,
    took: Duration,
    /// The most memory of its own that it and its children had at a time, in MiB; none for `tar`.
    memory: Option<f64>,
}

/// All that was measured of a database.
#[derive(Debug)]
pub struct Figures {
    runs: Vec<Run>,
    /// Bytes of the data folder without the database, and of the full and the incremental backup.
    bytes: [u64; 3],
    /// Rows of the backup.
    rows: u64,
    /// P99 of reads: usual, and while a full backup is made.
    latencies: [Duration; 2],
}

impl Figures {
    /// Sizes of the backups, and the reads beside them, in one line.
    #[must_use]
    pub fn describe(&self) -> String {
        let [data, full, increment] = self.bytes.map(mebibytes);
        let [usual, beside] = self.latencies.map(|time| time.as_secs_f64() * 1000.0);
        format!(
            "{} rows and {data:.0} MiB of files; full backup {full:.0} MiB, incremental {increment:.1} MiB; \
             P99 of reads {usual:.1} ms, {beside:.1} ms while a backup is made",
            self.rows
        )
    }

    /// A line for each command: its time, its share of the time of `tar`, and its memory.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = String::from("| what | s | times `tar` | memory MiB |\n|---|--:|--:|--:|\n");
        let tar = self.runs.first().map_or(1.0, |run| run.took.as_secs_f64());
        for Run { name, took, memory } in &self.runs {
            let took = took.as_secs_f64();
            let memory = memory.map_or_else(String::new, |memory| format!("{memory:.0}"));
            // Writing to a text cannot fail.
            let _ = writeln!(text, "| {name} | {took:.1} | {:.2} | {memory} |", took / tar);
        }
        text
    }
}

/// Measures on a fresh server.
pub fn run(plan: &Plan, bar: &ProgressBar) -> Result<Figures> {
    let folder = tempfile::Builder::new().prefix("tenon-backup.").tempdir()?;
    let commands = Commands::new(&plan.program, folder.path())?;
    let (own, other) = match plan.kind {
        Kind::Sqlite => (Backend::Sqlite, Backend::Postgres),
        Kind::Postgres => (Backend::Postgres, Backend::Sqlite),
    };
    let site = Site::new(&commands, folder.path(), "server", own)?;
    bar.set_message("rows");
    let landmarks = site.fill(plan.size)?;
    site.start()?;
    let measuring = Measuring { plan, commands: &commands, site: &site, folder: folder.path(), bar };
    bar.set_message("repositories");
    bar.set_length(u64::try_from(plan.repositories)?);
    for number in 0..plan.repositories {
        measuring.push(number, plan.mebibytes << 20)?;
        bar.inc(1);
    }
    measuring.all(&landmarks, [own, other])
}

struct Measuring<'m> {
    plan: &'m Plan,
    commands: &'m Commands,
    site: &'m Site<'m>,
    folder: &'m Path,
    bar: &'m ProgressBar,
}

impl Measuring<'_> {
    fn all(&self, landmarks: &Landmarks, [own, other]: [Backend; 2]) -> Result<Figures> {
        let (store, second) = (self.folder.join("backups"), self.folder.join("second"));
        let data = size(&self.site.data.join("repositories"))?;
        let usual = self.reads(landmarks, |reads| {
            std::thread::park_timeout(USUAL);
            reads.stop();
            Ok(())
        })?;
        let mut runs = vec![self.tar()?];
        runs.push(self.create("full backup", &store, &["--full"])?);
        let full = self.commands.about_newest(&store)?;
        let mut beside = None;
        let latency = self.reads(landmarks, |reads| {
            let run = self.create("full backup beside reads", &second, &["--full", "--low-priority"]);
            reads.stop();
            beside = Some(run?);
            Ok(())
        })?;
        runs.extend(beside);
        fs::remove_dir_all(&second)?;
        self.change(landmarks)?;
        runs.push(self.create("incremental backup", &store, &[])?);
        let increment = self.commands.about_newest(&store)?;
        let newest = self.commands.newest(&store)?;
        self.site.stop()?;
        runs.push(self.restore("restore", &store, &newest, own)?);
        if other.is_available() {
            runs.push(self.restore("restore into the other database", &store, &newest, other)?);
        }
        let number =
            |about: &Value, name| about.get(name).and_then(Value::as_u64).context("no number in the list of backups");
        let bytes = [data, number(&full, "written")?, number(&increment, "written")?];
        Ok(Figures { runs, bytes, rows: number(&full, "rows")?, latencies: [usual, latency] })
    }

    fn client(&self) -> Result<Client> {
        Ok(self.site.client(|| false).context("a server")?.0)
    }

    /// Makes a repository of so many bytes and pushes it.
    fn push(&self, number: usize, bytes: usize) -> Result<()> {
        let name = format!("repository-{number}");
        let _ = self.client()?.post("/projects", json!({ "name": name })).assert_status(201);
        self.commit(number, "main", bytes, u64::try_from(number)?)
    }

    /// Pushes a commit without parents to a branch of one of the repositories.
    fn commit(&self, number: usize, branch: &str, bytes: usize, seed: u64) -> Result<()> {
        let own = tempfile::tempdir_in(self.folder)?;
        let mut random = Random::new(seed);
        let who = "committer A <a@example.org> 1600000000 +0000";
        let mut stream = format!("commit refs/heads/{branch}\n{who}\ndata 1\na\n").into_bytes();
        for file in 0..FILES {
            let content = random.bytes(bytes / FILES);
            stream.extend(format!("M 100644 inline file{file}\ndata {}\n", content.len()).bytes());
            stream.extend(content);
            stream.push(b'\n');
        }
        let input = own.path().join("stream");
        fs::write(&input, stream)?;
        let clone = own.path().join("clone.git");
        fs::create_dir(&clone)?;
        git(&clone, &["init", "--quiet", "--bare"])?;
        git_with_input(&clone, &["fast-import", "--quiet"], &input)?;
        let base = self.client()?.base().replacen("http://", &format!("http://root:{ROOT_TOKEN}@"), 1);
        git(&clone, &["push", "--quiet", &format!("{base}/root/repository-{number}.git"), branch]).map(drop)
    }

    /// Changes one in a hundred issues and repositories.
    fn change(&self, landmarks: &Landmarks) -> Result<()> {
        self.bar.set_message("changes");
        let client = self.client()?;
        for iid in landmarks.open_issues.iter().take(self.plan.size.issues() / CHANGED) {
            let path = format!("/projects/{}/issues/{iid}", landmarks.project);
            let _ = client.put(&path, json!({ "title": format!("Changed {iid}") })).assert_status(200);
        }
        for number in 0..self.plan.repositories / CHANGED {
            self.commit(number, "change", self.plan.mebibytes << 20, 1 << 40 | u64::try_from(number)?)?;
        }
        Ok(())
    }

    /// Reads of the server while `during` runs: the time that 99 in a hundred did not exceed.
    fn reads(&self, landmarks: &Landmarks, during: impl FnOnce(&Reads) -> Result<()>) -> Result<Duration> {
        self.bar.set_message("reads");
        let base = self.client()?.base().to_owned();
        let port = base.rsplit(':').next().context("a port")?.parse()?;
        let project = format!("/api/v4/projects/{}", landmarks.project);
        let mut paths = vec![project.clone(), format!("{project}/issues"), format!("{project}/merge_requests")];
        paths.extend(landmarks.open_issues.iter().take(50).map(|iid| format!("{project}/issues/{iid}")));
        let reads = Reads::default();
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| reads.until_stopped(port, &paths));
            during(&reads)?;
            let times = reader.join().map_err(|_panicked| anyhow::anyhow!("the reader has ended"))??;
            let at = (times.len() * 99).div_ceil(100).saturating_sub(1);
            times.get(at).copied().context("no answer")
        })
    }

    fn tar(&self) -> Result<Run> {
        self.bar.set_message("tar");
        let archive = self.folder.join("data.tar");
        let mut command = program("tar");
        command.arg("-C").arg(&self.site.data).arg("-cf").arg(&archive).arg(".");
        let started = Instant::now();
        // The server runs and may write meanwhile, for which tar ends with 1.
        ensure!(command.status()?.code().is_some_and(|code| code < 2), "tar failed");
        let run = Run { name: "`tar` of the data folder", took: started.elapsed(), memory: None };
        fs::remove_file(archive)?;
        Ok(run)
    }

    fn create(&self, name: &'static str, store: &Path, flags: &[&str]) -> Result<Run> {
        self.bar.set_message(name);
        let words = self.site.with_place(&[&["backup", "create", "--with-key"], flags].concat());
        self.run(name, words.into_iter().chain(["--to".into(), store.into()]).collect())
    }

    fn restore(&self, name: &'static str, store: &Path, backup: &str, backend: Backend) -> Result<Run> {
        self.bar.set_message(name);
        let place = Site::new(self.commands, self.folder, &format!("restored-{backend:?}"), backend)?;
        let mut words = place.with_place(&["restore", "--backup", backup, "--from"]);
        words.insert(4, store.into());
        let run = self.run(name, words)?;
        fs::remove_dir_all(&place.data)?;
        Ok(run)
    }

    fn run(&self, name: &'static str, words: Vec<OsString>) -> Result<Run> {
        let command = self.commands.command(&words.iter().map(OsString::as_os_str).collect::<Vec<&OsStr>>());
        let (took, memory) = measured(command).with_context(|| name)?;
        Ok(Run { name, took, memory: Some(memory) })
    }
}

/// Connections that read until they are stopped.
#[derive(Default)]
struct Reads {
    stopped: AtomicBool,
}

impl Reads {
    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// The times of all answers, shortest first.
    fn until_stopped(&self, port: u16, paths: &[String]) -> Result<Vec<Duration>> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let requests: Vec<Rc<[u8]>> = paths.iter().map(|path| request(path)).collect();
        let requests: Rc<[Rc<[u8]>]> = requests.into();
        let (mut times, mut numbers) = (Vec::new(), 0);
        while !self.stopped.load(Ordering::Relaxed) {
            let requests = Rc::clone(&requests);
            let message = move |number: u64| {
                let at = usize::try_from(number).unwrap_or_default() % requests.len().max(1);
                requests.get(at).cloned().unwrap_or_else(|| Rc::from([]))
            };
            let second = Duration::from_secs(1);
            let outcome = runtime.block_on(load::drive(port, CONNECTIONS, second, &mut numbers, Rc::new(message)))?;
            ensure!(outcome.errors == 0, "{} reads failed", outcome.errors);
            times.extend(outcome.latencies);
        }
        times.sort_unstable();
        Ok(times)
    }
}

fn request(path: &str) -> Rc<[u8]> {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nPrivate-Token: {ROOT_TOKEN}\r\n\r\n").into_bytes().into()
}

/// Runs a command to its end: the time, and the most memory of its own that it and its children had at a time, in MiB.
fn measured(mut command: Command) -> Result<(Duration, f64)> {
    let output = tempfile::tempfile()?;
    command.stdout(output.try_clone()?).stderr(Stdio::inherit());
    let started = Instant::now();
    let mut child = command.spawn()?;
    let mut most = 0.0_f64;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        most = most.max(memory(child.id()));
        std::thread::park_timeout(LOOK);
    };
    let took = started.elapsed();
    ensure!(status.success(), "it ended with {status}");
    Ok((took, most))
}

/// The memory of a process and its children that is not that of files, in MiB; 0 for one that has ended.
fn memory(id: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let own = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap_or_default();
    let own: u32 = own.trim().trim_end_matches(" kB").parse().unwrap_or_default();
    let mut all = f64::from(own) / 1024.0;
    for thread in fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten() {
        let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        all += children.split_whitespace().filter_map(|child| child.parse().ok()).map(memory).sum::<f64>();
    }
    all
}

/// The bytes of all files below a folder.
fn size(folder: &Path) -> Result<u64> {
    let mut all = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        all += if about.is_dir() { size(&entry.path())? } else { about.len() };
    }
    Ok(all)
}

fn mebibytes(bytes: u64) -> f64 {
    f64::from(u32::try_from(bytes >> 10).unwrap_or(u32::MAX)) / 1024.0
}
