//! One server to a data folder, and one to a database: the first server takes both, until its process ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, getpid, kill_process, test_kill_process};
use tenon_app::{DatabaseUrl, RightState, Serving, ServingRight};

use crate::config::Config;

/// The file in a data folder that its server locks.
const FILE: &str = "serve.lock";
/// The end of the name of a lock beside a SQLite file outside of the data folder.
const SUFFIX: &str = ".serve.lock";
/// How long the locks of a process that has ended are waited for, and the time between two tries.
const PATIENCE: Duration = Duration::from_secs(5);
const RETRY: Duration = Duration::from_millis(20);
/// The time between two checks that the database still belongs to this process.
const PAUSE: Duration = Duration::from_secs(5);

/// Files that are locked for as long as this value lives. The system ends the locks of a process when it ends, for
/// whatever reason.
pub(crate) struct Folder {
    _locks: Vec<File>,
}

/// Locks the data folder for a server, and a SQLite file outside of it. Fails with the number of the process that has
/// them.
pub(crate) fn lock_folder(config: &Config) -> anyhow::Result<Folder> {
    let folder = &config.data_dir;
    let what = format!("the data folder {}", folder.display());
    let advice = "Stop it first, or give this one a data folder of its own (--data-dir, TENON_DATA_DIR).";
    let mut locks = vec![lock(&folder.join(FILE), &what, advice)?];
    if let DatabaseUrl::Sqlite(path) = &config.database_url
        && let Some(path) = elsewhere(path, folder)
    {
        let what = format!("the database {}", path.display());
        let advice = "Stop it first, or give this one a database of its own (--database-url, TENON_DATABASE_URL).";
        let mut beside = path.into_os_string();
        beside.push(SUFFIX);
        locks.push(lock(Path::new(&beside), &what, advice)?);
    }
    Ok(Folder { _locks: locks })
}

/// The path of a file, whatever links lead to it, if it does not lie in `folder`.
fn elsewhere(file: &Path, folder: &Path) -> Option<PathBuf> {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let parent = parent.canonicalize().ok()?;
    if folder.canonicalize().is_ok_and(|folder| folder == parent) {
        return None;
    }
    let file = parent.join(file.file_name()?);
    Some(file.canonicalize().unwrap_or(file))
}

#[expect(clippy::disallowed_methods, reason = "a lock cannot be waited for with an end, and nothing else runs yet")]
fn lock(path: &Path, what: &str, advice: &str) -> anyhow::Result<File> {
    let failed = || format!("{} cannot be written", path.display());
    let mut file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).with_context(failed)?;
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) => {
                let holder = std::fs::read_to_string(path).unwrap_or_default();
                let holder = holder.trim();
                if !has_ended(holder) || begun.elapsed() > PATIENCE {
                    let process = if holder.is_empty() { String::new() } else { format!(" (process {holder})") };
                    bail!("another tenon{process} serves {what}. {advice}");
                }
                std::thread::sleep(RETRY);
            }
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
                tracing::warn!(file = %path.display(), "this file system has no locks: see to it that only one server runs");
                break;
            }
            Err(TryLockError::Error(error)) => return Err(error).with_context(failed),
        }
    }
    file.set_len(0).with_context(failed)?;
    writeln!(file, "{}", std::process::id()).with_context(failed)?;
    Ok(file)
}

/// True if there is no process of this number any more. A child that was being started when its server was killed has
/// the locks of the server until it runs a program of its own.
fn has_ended(process: &str) -> bool {
    let process = process.parse().ok().and_then(Pid::from_raw);
    process.is_some_and(|process| test_kill_process(process) == Err(Errno::SRCH))
}

/// Takes the right to serve a database of PostgreSQL, which ends with the connection that has it. Fails with the
/// process that has it already.
pub(crate) fn take_database(config: &Config) -> anyhow::Result<ServingRight> {
    let holder = format!("tenon, process {} on {}", std::process::id(), host_name());
    let taken = ServingRight::take(&config.database_url, &holder);
    match taken.with_context(|| format!("{} cannot be asked which server uses it", config.database_url))? {
        Serving::Granted(right) => Ok(right),
        Serving::Taken(other) => bail!(
            "{} is served by another server ({other}). Stop it first, or give this one a database of its own \
             (--database-url, TENON_DATABASE_URL).",
            config.database_url
        ),
    }
}

/// Holds a right on a thread of its own until the result is dropped. Takes the right again if its connection was lost.
/// Stops the server if another one has taken it since.
pub(crate) fn hold(mut right: ServingRight) -> std::io::Result<Sender<()>> {
    let (stop, stopped) = channel();
    let work = move || {
        while stopped.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
            match right.check() {
                Ok(RightState::Held) => {}
                Ok(RightState::Renewed) => tracing::info!("the database belongs to this server again"),
                Ok(RightState::Lost(other)) => {
                    tracing::error!(other, "another server uses the database now: this one stops");
                    if let Err(error) = kill_process(getpid(), Signal::TERM) {
                        tracing::error!(%error, "the server cannot be stopped");
                    }
                    return;
                }
                Err(error) => tracing::warn!(%error, "whether the database belongs to this server is not known"),
            }
        }
    };
    std::thread::Builder::new().name("serving".to_owned()).spawn(work)?;
    Ok(stop)
}

fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_else(|_unknown| "a machine".to_owned());
    // PostgreSQL keeps 63 bytes of the name of a connection.
    name.chars().filter(char::is_ascii_graphic).take(30).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_the_folder_needs_no_lock_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        std::fs::create_dir_all(at("data/below")).unwrap();
        std::os::unix::fs::symlink(at("data"), at("link")).unwrap();
        for (file, is_elsewhere) in [
            ("data/tenon.db", false),
            ("link/tenon.db", false),
            ("data/below/../tenon.db", false),
            ("data/below/tenon.db", true),
            ("tenon.db", true),
        ] {
            assert_eq!(elsewhere(&at(file), &at("data")).is_some(), is_elsewhere, "{file}");
        }
    }

    #[test]
    fn a_lock_ends_with_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let first = lock(&path, "it", "Stop it.").unwrap();
        let refused = lock(&path, "it", "Stop it.").unwrap_err().to_string();
        assert_eq!(refused, format!("another tenon (process {}) serves it. Stop it.", std::process::id()));
        drop(first);
        lock(&path, "it", "").unwrap();
    }

    #[test]
    fn a_process_has_ended_if_there_is_none_of_its_number() {
        assert!(has_ended("2147483647"));
        assert!(!has_ended(&std::process::id().to_string()));
        assert!(!has_ended("") && !has_ended("no number"));
    }
}
