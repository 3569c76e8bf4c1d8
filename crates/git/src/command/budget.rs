//! The memory, the processor time and the priority that one process of Git gets.

use tenon_domain::limits::GitLimits;

/// The purpose of a command, which decides about its limits. Children of the process inherit them, hooks included; each
/// is counted by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Budget {
    /// A short question.
    Read,
    /// A question that may have to read much. It yields to short ones.
    Long,
    /// An answer that a client reads while it is made, such as an archive. It may take long, and it yields to short
    /// questions.
    Download,
    /// A fetch, a push, an import, or the check of what they bring. It yields to short questions.
    Transfer,
    /// Packing and other work that no client waits for. It yields to everything.
    Maintenance,
}

/// Seconds of processor time between the signal that a process may handle and the one that it cannot.
#[cfg(target_os = "linux")]
const GRACE: u64 = 5;

impl Budget {
    /// The difference in niceness between short questions and work that may take long.
    #[cfg(target_os = "linux")]
    pub(crate) const NICENESS: i32 = 5;

    /// Puts a process that has just been started under its limits. A failure is logged: a process that has already
    /// ended needs no limits.
    ///
    /// There is a window between the start of the process and this call, in which it runs without limits: a fraction of
    /// a millisecond, less than Git needs to read its configuration. Closing it would need code between `fork` and
    /// `exec`, which is unsafe. Commands that read from a pipe get their input only after this call.
    #[cfg(target_os = "linux")]
    pub(crate) fn apply(self, limits: &GitLimits, process: u32) {
        use rustix::process::{Pid, Resource, setpriority_process};

        let Some(pid) = i32::try_from(process).ok().and_then(Pid::from_raw) else { return };
        let (memory, cpu) = match self {
            Self::Read | Self::Long => (limits.memory, limits.cpu),
            // Everything that a push may bring can be read again.
            Self::Download | Self::Transfer => (limits.transfer_memory, limits.transfer_cpu),
            Self::Maintenance => (limits.maintenance_memory, limits.maintenance_cpu),
        };
        let seconds = cpu.as_secs().max(1);
        // The memory that a process has for itself, and not its address space: packs are mapped, and do not count as
        // memory.
        limit(pid, Resource::Data, memory, memory);
        limit(pid, Resource::Cpu, seconds, seconds.saturating_add(GRACE));
        limit(pid, Resource::Core, 0, 0);
        // If memory runs out all the same, a process of Git ends and not the server.
        let _ = std::fs::write(format!("/proc/{process}/oom_score_adj"), "500");
        let priority = match self {
            Self::Read => return,
            // Packing a whole repository must not delay a short question.
            Self::Long | Self::Download | Self::Transfer => Self::NICENESS,
            Self::Maintenance => 10,
        };
        if let Err(error) = setpriority_process(Some(pid), priority) {
            tracing::debug!(%error, "the priority of a process of git could not be set");
        }
    }

    /// Only Linux has limits for a process that is already running. Elsewhere the wall time bounds commands.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn apply(self, _limits: &GitLimits, _process: u32) {}
}

#[cfg(target_os = "linux")]
fn limit(pid: rustix::process::Pid, resource: rustix::process::Resource, soft: u64, hard: u64) {
    use rustix::process::{Rlimit, getrlimit, prlimit};

    // Nothing but a privileged process can raise the limits that this server itself runs under.
    let most = getrlimit(resource).maximum.unwrap_or(u64::MAX);
    let wanted = Rlimit { current: Some(soft.min(most)), maximum: Some(hard.min(most)) };
    if let Err(error) = prlimit(Some(pid), resource, wanted) {
        tracing::debug!(%error, "a limit of a process of git could not be set");
    }
}
