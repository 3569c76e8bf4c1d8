//! A server that is killed and started again, and its folder of backups.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result, bail, ensure};
use indicatif::ProgressBar;
use tenon_app::{Database, DatabaseUrl};
use tenon_storage::Options;
use tenon_storage::backup::pin;
use tenon_testkit::postgres::cluster;
use tenon_testkit::{Backend, Client, ROOT_TOKEN};

use super::command::{Commands, Ended, Running};
use crate::process::program;
use crate::seed::{self, Landmarks, Size, Target, Tokens};

/// A data folder with its database, and the server that runs on them.
pub(crate) struct Site<'c> {
    commands: &'c Commands,
    /// The data folder.
    pub(crate) data: PathBuf,
    database: OwnDatabase,
    serving: Mutex<Serving>,
    started: Condvar,
}

/// The process of a server, if there is one.
#[derive(Default)]
struct Serving {
    child: Option<Child>,
    base: Option<String>,
    /// Counts the starts.
    start: u64,
}

impl<'c> Site<'c> {
    /// A place for a server below `folder`. Nothing is there yet but a database on PostgreSQL.
    pub(crate) fn new(commands: &'c Commands, folder: &Path, name: &str, backend: Backend) -> Result<Self> {
        let data = folder.join(name);
        let database = OwnDatabase::new(backend, &data)?;
        Ok(Self { commands, data, database, serving: Mutex::default(), started: Condvar::new() })
    }

    fn serving(&self) -> MutexGuard<'_, Serving> {
        self.serving.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fills the database, to which nothing was written yet.
    pub(crate) fn fill(&self, size: Size) -> Result<Landmarks> {
        fs::create_dir_all(&self.data)?;
        let target = Target { database_url: self.database_url()?, data_dir: self.data.clone() };
        let tokens = Tokens { root: Some(ROOT_TOKEN.to_owned()), member: None };
        seed::fill(&target, size, &tokens, &ProgressBar::hidden())
    }

    fn database_url(&self) -> Result<DatabaseUrl> {
        self.database.url.parse().map_err(|error| anyhow::anyhow!("{error}"))
    }

    /// Starts the server and waits until it listens.
    pub(crate) fn start(&self) -> Result<()> {
        fs::create_dir_all(&self.data)?;
        let log = self.data.with_extension("log");
        let log = File::options().create(true).append(true).open(&log).with_context(|| log.display().to_string())?;
        let fixed = ["serve", "--limits", "off", "--ssh-listen", "off", "--listen", "127.0.0.1:0"];
        let mut command =
            self.commands.command(&self.with_place(&fixed).iter().map(OsString::as_os_str).collect::<Vec<_>>());
        let mut child = command.env("TENON_ROOT_TOKEN", ROOT_TOKEN).stdout(Stdio::piped()).stderr(log).spawn()?;
        let output = child.stdout.take().context("a server without output")?;
        let mut base = None;
        for line in BufReader::new(output).lines() {
            let line = line?;
            if let Some(address) = line.strip_prefix("  listens on  ") {
                base = Some(format!("http://{address}"));
            }
            if line.starts_with("API documentation: ") {
                break;
            }
        }
        let mut serving = self.serving();
        serving.child = Some(child);
        let Some(base) = base else {
            bail!("the server did not start: see {}", self.data.with_extension("log").display())
        };
        serving.base = Some(base);
        serving.start += 1;
        self.started.notify_all();
        Ok(())
    }

    /// Ends the server as `kill -9` does.
    pub(crate) fn kill(&self) -> Result<()> {
        let mut serving = self.serving();
        // Writers that get no answer from now on know why.
        serving.base = None;
        if let Some(mut child) = serving.child.take() {
            child.kill()?;
            child.wait()?;
        }
        Ok(())
    }

    /// Ends the server as a service manager does.
    pub(crate) fn stop(&self) -> Result<()> {
        let mut serving = self.serving();
        serving.base = None;
        if let Some(mut child) = serving.child.take() {
            ensure!(program("kill").arg(child.id().to_string()).status()?.success(), "the server has ended by itself");
            ensure!(child.wait()?.success(), "the server did not end well");
        }
        Ok(())
    }

    /// The administrator's client of the server that runs, and the number of its start. Waits for one; `None` if `is_over`.
    pub(crate) fn client(&self, is_over: impl Fn() -> bool) -> Option<(Client, u64)> {
        let mut serving = self.serving();
        while !is_over() {
            if let Some(base) = &serving.base {
                return Some((Client::new(base, Some(ROOT_TOKEN)), serving.start));
            }
            let waited = self.started.wait_timeout(serving, std::time::Duration::from_millis(50));
            (serving, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    /// True if the server of this start still runs.
    pub(crate) fn is_up(&self, start: u64) -> bool {
        let serving = self.serving();
        serving.base.is_some() && serving.start == start
    }

    /// True if a pin is alive. The server need not run.
    pub(crate) fn has_pin(&self) -> Result<bool> {
        let database = Database::open(Options { spare: 0, ..Options::new(self.database_url()?) })?;
        #[expect(clippy::disallowed_methods, reason = "the program that is rehearsed has the time of this machine")]
        let now = chrono::Utc::now();
        Ok(database.read(|tx| pin::is_held(tx, now))?)
    }

    /// `tenon backup create`, which may be ended at a step.
    pub(crate) fn create(&self, store: &Path, is_full: bool, kill_at: Option<u64>) -> Result<Running> {
        let mut words = self.with_place(&["backup", "create", "--with-key", "--to"]);
        words.insert(4, store.into());
        words.extend(is_full.then(|| "--full".into()));
        self.commands.start(&words.iter().map(OsString::as_os_str).collect::<Vec<_>>(), kill_at)
    }

    /// `tenon restore` of a backup into this place, which may be ended at a step.
    pub(crate) fn restore(&self, store: &Path, backup: &str, kill_at: Option<u64>) -> Result<Ended> {
        let mut words = self.with_place(&["restore", "--backup", backup, "--from"]);
        words.insert(4, store.into());
        self.run(&words, kill_at)
    }

    /// True if a restore has ended here. One that was killed after that has nothing to go on with.
    pub(crate) fn is_restored(&self) -> bool {
        self.data.exists() && !self.data.join("restore.json").exists()
    }

    /// `tenon admin doctor` of a server that does not run. Fails if it finds something.
    pub(crate) fn doctor(&self) -> Result<()> {
        self.run(&self.with_place(&["admin", "doctor"]), None)?.succeeded().map(drop)
    }

    fn run(&self, words: &[OsString], kill_at: Option<u64>) -> Result<Ended> {
        self.commands.run(&words.iter().map(OsString::as_os_str).collect::<Vec<&OsStr>>(), kill_at)
    }

    /// Words of a command, and then the place of this server.
    pub(crate) fn with_place(&self, words: &[&str]) -> Vec<OsString> {
        let mut words: Vec<OsString> = words.iter().map(Into::into).collect();
        words.extend(["--data-dir".into(), self.data.clone().into(), "--database-url".into()]);
        words.push(self.database.url.clone().into());
        words
    }
}

impl Drop for Site<'_> {
    fn drop(&mut self) {
        drop(self.kill());
    }
}

/// The address of a database, which is dropped with this.
struct OwnDatabase {
    url: String,
    /// Its name on PostgreSQL.
    name: Option<String>,
}

impl OwnDatabase {
    fn new(backend: Backend, data: &Path) -> Result<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        match backend {
            Backend::Sqlite => Ok(Self { url: format!("sqlite:{}", data.join("tenon.db").display()), name: None }),
            Backend::Postgres => {
                let cluster = cluster().context("there is no PostgreSQL")?;
                let name = format!("rehearsed_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
                cluster.create_database(&name, None)?;
                Ok(Self { url: cluster.url(&name), name: Some(name) })
            }
        }
    }
}

impl Drop for OwnDatabase {
    fn drop(&mut self) {
        if let (Some(name), Some(cluster)) = (&self.name, cluster()) {
            // One that stays behind is dropped with the cluster.
            drop(cluster.drop_database(name));
        }
    }
}
