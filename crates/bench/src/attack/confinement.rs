//! The memory that a server and its processes of Git may occupy: limited by a control group if one can be made, and
//! measured in any case.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::watch;

/// How often memory is measured.
const INTERVAL: Duration = Duration::from_millis(50);

/// A process with its descendants.
#[derive(Debug, Clone)]
pub(super) struct Confinement {
    process: u32,
    group: Option<PathBuf>,
    memory: u64,
}

/// The most memory that was seen, in MiB.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Peak {
    pub(super) server_mib: f64,
    pub(super) all_mib: f64,
}

impl Confinement {
    /// Limits the process, and the processes that it starts from now on, to so many bytes.
    pub(super) fn of(process: u32, memory: u64) -> Self {
        let roots = [("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")];
        let group = roots.iter().find_map(|(root, limit)| {
            let group = Path::new(root).join(format!("tenon-attack-{process}"));
            fs::create_dir(&group).ok()?;
            let confined = fs::write(group.join(limit), memory.to_string())
                .and_then(|()| fs::write(group.join("cgroup.procs"), process.to_string()));
            if confined.is_err() {
                let _ = fs::remove_dir(&group);
            }
            confined.ok().map(|()| group)
        });
        Self { process, group, memory }
    }

    /// The limited processes, for the reader of the figures.
    pub(super) fn describe(&self) -> String {
        let mib = self.memory >> 20;
        match &self.group {
            Some(group) => format!("memory limited to {mib} MiB by {}", group.display()),
            None => format!("no control group can be made here: memory is measured, and {mib} MiB are not enforced"),
        }
    }

    /// The memory that the server itself occupies, in MiB.
    pub(super) fn server_mib(&self) -> f64 {
        anonymous_mib(self.process)
    }

    /// Measures until it is stopped.
    pub(super) fn watch(&self, mut stopped: watch::Receiver<bool>) -> impl Future<Output = Peak> + 'static {
        let process = self.process;
        async move {
            let mut peak = Peak::default();
            let mut interval = tokio::time::interval(INTERVAL);
            loop {
                let server = anonymous_mib(process);
                let children: f64 = descendants(process).into_iter().map(anonymous_mib).sum();
                peak.server_mib = peak.server_mib.max(server);
                peak.all_mib = peak.all_mib.max(server + children);
                tokio::select! {
                    _ = interval.tick() => {}
                    _ = stopped.wait_for(|stopped| *stopped) => return peak,
                }
            }
        }
    }
}

/// Memory that no file backs.
fn anonymous_mib(process: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap_or_default() / 1024.0
}

/// The processes that a process has started, and those that they have.
fn descendants(process: u32) -> Vec<u32> {
    let mut found = vec![process];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        next += 1;
        for thread in fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten() {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            found.extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
        }
    }
    found.split_off(1)
}
