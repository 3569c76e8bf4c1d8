//! The tasks of the server on itself (`app/src/server_task.rs`): each is a process of this program with low priority, so that its
//! memory and its crashes are its own.

use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tenon_app::{App, Clock as _, SystemClock};
use tenon_domain::server_task::{ServerTask, TaskEnd, TaskKind, TaskOutcome};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;
use tokio::sync::watch;

use tenon_backup::is_folder_of_backups;

use crate::backup_plan::Backups;
use crate::config::Config;
use crate::report::{CHILD, Report};

/// How often the server looks for tasks.
const PAUSE: Duration = Duration::from_secs(5);
/// The longest time that a process has, an hour more than a backup takes at most.
const LONGEST: Duration = Duration::from_hours(13);
/// The most bytes that are read of the output of a process.
const MOST_OUTPUT: u64 = 1 << 20;

/// Starts the processes of tasks.
struct Runner {
    app: App,
    program: PathBuf,
    config: Config,
}

/// Does tasks on their own thread until a signal stops the process.
pub(crate) fn start(
    app: App,
    config: &Config,
    stopped: watch::Receiver<bool>,
) -> anyhow::Result<std::thread::JoinHandle<()>> {
    app.recover_server_tasks()?;
    let runner = Runner { app, program: std::env::current_exe()?, config: config.clone() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(2).build()?;
    let work = move || runtime.block_on(runner.serve(stopped));
    Ok(std::thread::Builder::new().name("tasks".to_owned()).spawn(work)?)
}

impl Runner {
    async fn serve(&self, mut stopped: watch::Receiver<bool>) {
        let mut pause = tokio::time::interval(PAUSE);
        pause.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        while !*stopped.borrow() {
            tokio::select! {
                _ = pause.tick() => {}
                _ = stopped.changed() => break,
            }
            match self.app.start_server_task() {
                Ok(Some(task)) => self.run(&task, &mut stopped).await,
                Ok(None) => {}
                Err(error) => tracing::error!(%error, "the tasks of the server cannot be read"),
            }
        }
    }

    /// Runs one task, and notes its end. A task that the end of the server cuts off is noted at the next start.
    async fn run(&self, task: &ServerTask, stopped: &mut watch::Receiver<bool>) {
        let end = tokio::select! {
            end = self.end_of(task) => end,
            _ = stopped.changed() => return,
        };
        // Without its end, no task of the kind would begin again.
        while let Err(error) = self.app.finish_server_task(task, &end) {
            tracing::error!(%error, "the end of a task of the server cannot be noted");
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                _ = stopped.changed() => return,
            }
        }
    }

    async fn end_of(&self, task: &ServerTask) -> TaskEnd {
        let outcome = match (task.kind, &self.config.backups) {
            (TaskKind::Doctor, _) => self.report(&["admin", "doctor"], None, &[]).await,
            (TaskKind::Backup, Some(backups)) => self.back_up(backups).await,
            (TaskKind::Verification, Some(backups)) => {
                self.report(&["backup", "verify"], Some(&backups.plan.folder), &backups.verify).await
            }
            (TaskKind::Backup | TaskKind::Verification, None) => Err("No backups are configured.".to_owned()),
        };
        let now = SystemClock.now();
        match outcome {
            Ok(Report { summary, findings, size, .. }) => {
                let outcome = if findings.is_empty() { TaskOutcome::Done } else { TaskOutcome::Findings };
                let size = size.map(|size| i64::try_from(size).unwrap_or(i64::MAX));
                TaskEnd::new(now, outcome, &summary, findings, size)
            }
            Err(why) => TaskEnd::new(now, TaskOutcome::Failed, &why, Vec::new(), None),
        }
    }

    /// Makes a backup, and removes old ones.
    async fn back_up(&self, backups: &Backups) -> Result<Report, String> {
        let folder = Some(backups.plan.folder.as_path());
        // A file system that is not mounted looks like an empty folder.
        let known = self.app.backups().await.map_err(|error| error.to_string())?;
        if known.is_some_and(|state| state.backup.is_some()) && !is_folder_of_backups(&backups.plan.folder) {
            let folder = backups.plan.folder.display();
            return Err(format!(
                "{folder} has no backups any more: is it mounted? Else run `tenon backup create` once"
            ));
        }
        let mut report = self.report(&["backup", "create"], folder, &backups.create).await?;
        match self.report(&["backup", "prune"], folder, &backups.prune).await {
            Ok(pruned) => report.findings.extend(pruned.findings),
            Err(why) => report.findings.push(format!("old backups were not removed: {why}")),
        }
        Ok(report)
    }

    /// The report of a command; else why there is none.
    async fn report(&self, command: &[&str], folder: Option<&Path>, more: &[String]) -> Result<Report, String> {
        let mut process = self.process();
        process.args(command).args(["--json", "--low-priority"]);
        if let Some(folder) = folder {
            process.arg("--to").arg(folder);
        }
        let ended = tokio::time::timeout(LONGEST, outcome(process.args(more))).await;
        let ended = ended.map_err(|_elapsed| "the command took too long, and was ended".to_owned())?;
        let (status, output, complaint) = ended.map_err(|error| error.to_string())?;
        let report = output.lines().last().and_then(|line| serde_json::from_str(line).ok());
        report.ok_or_else(|| {
            let why = complaint.trim().rsplit('\n').next().unwrap_or_default();
            if why.is_empty() { format!("the command has ended without a report ({status})") } else { why.to_owned() }
        })
    }

    /// This program, with the configuration of this server. A password in the address of the database is not in the arguments, which
    /// every account of the machine can read.
    fn process(&self) -> Command {
        #[expect(clippy::disallowed_methods, reason = "the one place that starts this program to do a task")]
        let mut process = std::process::Command::new(&self.program);
        self.config.pass_on(&mut process);
        process.env(CHILD, "1");
        process.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = Command::from(process);
        // Keys that are typed at the terminal of the server are not meant for it.
        process.process_group(0).kill_on_drop(true);
        process
    }
}

/// Runs a process to its end, and yields its status and both outputs.
async fn outcome(process: &mut Command) -> std::io::Result<(ExitStatus, String, String)> {
    let mut child = process.spawn()?;
    let (output, complaint) = (child.stdout.take(), child.stderr.take());
    let (output, complaint) = tokio::join!(text(output), text(complaint));
    Ok((child.wait().await?, output, complaint))
}

/// The output of a process, as far as it is read. The rest is thrown away, so that the process is not kept waiting.
async fn text(source: Option<impl AsyncRead + Unpin>) -> String {
    let mut text = Vec::new();
    if let Some(mut source) = source {
        let read = (&mut source).take(MOST_OUTPUT).read_to_end(&mut text).await;
        if read.is_ok() {
            let _ = tokio::io::copy(&mut source, &mut tokio::io::sink()).await;
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}
