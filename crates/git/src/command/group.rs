//! A process with all its children, which does not outlive its owner.

use std::io;
use std::process::{Child, ExitStatus};

use rustix::process::{Pid, Signal, kill_process_group};

/// Kills the group when dropped. Killing the process alone would leave `pack-objects` working.
#[derive(Debug)]
pub(crate) struct Group {
    child: Child,
    /// Once it has been waited for, its number may belong to another process.
    is_gone: bool,
}

impl Group {
    /// `child` must have been started as the leader of a group of its own.
    pub(crate) fn new(child: Child) -> Self {
        Self { child, is_gone: false }
    }

    /// Waits for the leader.
    pub(crate) fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait()?;
        self.is_gone = true;
        Ok(status)
    }

    /// True if the leader has ended, without waiting for it.
    pub(crate) fn has_ended(&mut self) -> bool {
        match self.child.try_wait() {
            Ok(None) => false,
            Ok(Some(_)) => {
                self.is_gone = true;
                true
            }
            Err(_) => true,
        }
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
