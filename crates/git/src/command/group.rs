//! A process with all its children, which does not outlive its owner.

use std::io;
use std::process::Child;

use rustix::process::{Pid, Signal, kill_process_group};

/// Kills the group when dropped. Killing the process alone would leave `pack-objects` working (reference, git-engine,
/// section 8.6).
#[derive(Debug)]
pub(crate) struct Group {
    child: Child,
    /// Once it has been waited for, its number may belong to somebody else.
    is_gone: bool,
}

impl Group {
    /// `child` must have been started as the leader of a group of its own.
    pub(crate) fn new(child: Child) -> Self {
        Self { child, is_gone: false }
    }

    /// The bytes of memory that the leader has for itself alone; `None` where the system does not tell (it does on Linux).
    pub(crate) fn memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
    }

    /// Waits for the leader. `None` when a signal ended it.
    pub(crate) fn wait(&mut self) -> io::Result<Option<i32>> {
        let status = self.child.wait()?;
        self.is_gone = true;
        Ok(status.code())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.is_gone {
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            let _ = self.child.wait();
        }
    }
}
