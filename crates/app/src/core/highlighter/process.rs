//! The process that finds colours: this program again, under limits, which is killed when it takes too long.

use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::param::clock_ticks_per_second;
use rustix::time::Timespec;
use tenon_domain::limits::HighlightLimits;
use tenon_highlight::{Answer, Request, read_hello};

/// The command of this program that [`tenon_highlight::child`] is behind.
const COMMAND: &str = "highlight";
/// Time that a process has to load its syntaxes, which takes a hundredth of that if the machine is idle.
const BEGINNING: Duration = Duration::from_secs(5);

/// A connection that answers requests, one after the other.
pub(super) trait Answering: Send {
    /// The answer to this request. After a failure nothing more can be asked.
    fn ask(&mut self, request: &Request<'_>, patience: Duration) -> io::Result<Answer>;

    /// The processor time that it has taken until now; `None` if the system does not say.
    fn work(&self) -> Option<Duration>;

    /// True if it has ended by itself.
    fn has_ended(&mut self) -> bool;

    /// True if it has taken so much memory that another one is better.
    fn is_worn(&self) -> bool;
}

/// The starter of that.
pub(super) trait Start: Send {
    /// One that waits for its first request.
    fn start(&mut self) -> io::Result<Box<dyn Answering>>;
}

/// Starts processes of a program.
pub(super) struct Program {
    pub(super) path: PathBuf,
    pub(super) limits: HighlightLimits,
}

impl Start for Program {
    fn start(&mut self) -> io::Result<Box<dyn Answering>> {
        Ok(Box::new(Process::start(&self.path, &self.limits)?))
    }
}

/// A process that waits for requests. Dropping it kills it.
pub(super) struct Process {
    child: Child,
    /// Memory with which it is still kept.
    kept_memory: u64,
    /// Its standard input and its standard output.
    socket: UnixStream,
}

impl Process {
    /// Starts one. Fails if the program is missing, and if it does not say in time that it is a highlighter of the same
    /// version as this program.
    pub(super) fn start(program: &Path, limits: &HighlightLimits) -> io::Result<Self> {
        let (socket, theirs) = UnixStream::pair()?;
        let (input, output) = (OwnedFd::from(theirs.try_clone()?), OwnedFd::from(theirs));
        #[expect(clippy::disallowed_methods, reason = "the one place that starts this program to find colours")]
        let mut command = Command::new(program);
        // A group of its own: what is typed at the terminal of the server is not meant for it.
        command.arg(COMMAND).env_clear().current_dir("/").process_group(0);
        // The allocator of the server takes 1 GiB of addresses at once, of which the limit would not see what is used.
        command.env("MIMALLOC_ARENA_RESERVE", "16MiB");
        command.stdin(input).stdout(output).stderr(Stdio::null());
        let mut process = Self { child: command.spawn()?, kept_memory: limits.memory / 4, socket };
        // It holds the other end of the socket, whose reader would otherwise never see the end.
        drop(command);
        restrict(limits, process.child.id());
        read_hello(&mut process.until(Instant::now() + BEGINNING))?;
        Ok(process)
    }

    fn until(&mut self, deadline: Instant) -> Timed<'_> {
        Timed { socket: &mut self.socket, deadline }
    }
}

impl Answering for Process {
    fn ask(&mut self, request: &Request<'_>, patience: Duration) -> io::Result<Answer> {
        let mut connection = self.until(Instant::now() + patience);
        request.write(&mut connection)?;
        Answer::read(&mut connection, request.text)
    }

    fn work(&self) -> Option<Duration> {
        work(self.child.id())
    }

    fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    fn is_worn(&self) -> bool {
        memory(self.child.id()).is_some_and(|bytes| bytes > self.kept_memory)
    }
}

/// Bytes of memory that a process has; `None` if the system does not say.
fn memory(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1024)
}

/// The processor time that a process has taken; `None` if the system does not say.
fn work(process: u32) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Behind the name of the program, which may have any characters: the state is first, and these are the 12th and 13th.
    let (_, numbers) = text.rsplit_once(')')?;
    let mut numbers = numbers.split_ascii_whitespace().skip(11).map(str::parse::<u64>);
    let (user, system) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    let milliseconds = user.checked_add(system)?.checked_mul(1000)?.checked_div(clock_ticks_per_second())?;
    Some(Duration::from_millis(milliseconds))
}

/// True if the other side of a connection is gone, even if there is something left to read. Waits for that for as long
/// as `patience`, or however long it takes.
pub(super) fn is_gone(connection: &impl AsFd, patience: Option<&Timespec>) -> bool {
    // No event is asked for: the loss of the other side is always reported.
    let mut asked = [PollFd::new(connection, PollFlags::empty())];
    loop {
        match poll(&mut asked, patience) {
            Err(Errno::INTR) => {}
            Ok(count) => return count > 0,
            Err(_) => return false,
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Fails if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").field("id", &self.child.id()).finish_non_exhaustive()
    }
}

/// A socket on which nothing waits past a deadline.
struct Timed<'a> {
    socket: &'a mut UnixStream,
    deadline: Instant,
}

impl Timed<'_> {
    fn left(&self) -> io::Result<Duration> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(left) }
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.socket.set_read_timeout(Some(self.left()?))?;
        self.socket.read(into)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.socket.set_write_timeout(Some(self.left()?))?;
        self.socket.write(from)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Puts a process that has just been started under its limits. It gets nothing to read before that. A failure is
/// logged: a process that is already gone needs none.
#[cfg(target_os = "linux")]
fn restrict(limits: &HighlightLimits, process: u32) {
    use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};

    let Some(pid) = i32::try_from(process).ok().and_then(Pid::from_raw) else { return };
    let cpu = limits.cpu.as_secs().max(1);
    for (resource, limit) in [(Resource::Data, limits.memory), (Resource::Cpu, cpu), (Resource::Core, 0)] {
        // Nothing but a privileged process can raise the limits that this server itself runs under.
        let most = getrlimit(resource).maximum.unwrap_or(u64::MAX).min(limit);
        if let Err(error) = prlimit(Some(pid), resource, Rlimit { current: Some(most), maximum: Some(most) }) {
            tracing::debug!(%error, "a limit of the highlighter could not be set");
        }
    }
    // If memory runs out all the same, this process ends before any other one.
    let _ = std::fs::write(format!("/proc/{process}/oom_score_adj"), "800");
}

/// Only Linux has limits for a process that is already running. Elsewhere it is bounded by the time for one text, after which
/// this process kills it, and by [`is_gone`]: it ends when this process does, however that ends.
#[cfg(not(target_os = "linux"))]
fn restrict(_limits: &HighlightLimits, _process: u32) {}

#[cfg(test)]
mod tests {
    use tenon_highlight::Language;

    use super::*;

    /// A program that runs this script for `/bin/sh`. Another process writes it: while this one had it open for that, and
    /// started some process for another test, it could not be run.
    #[expect(clippy::disallowed_methods, reason = "it writes the program that is started then")]
    fn program(folder: &Path, script: &str) -> PathBuf {
        let path = folder.join("program");
        let mut writer = Command::new("/bin/sh");
        writer.args(["-c", r#"printf '#!/bin/sh\n%s\n' "$0" > "$1" && chmod +x "$1""#, script]).arg(&path);
        assert!(writer.status().unwrap().success());
        path
    }

    /// The greeting of a highlighter of this version at its start, as a command of the shell.
    fn hello() -> String {
        let text = format!("tenon-highlight {}", tenon_highlight::VERSION);
        format!("printf '\\{:03o}\\000\\000\\000%s' '{text}'", text.len())
    }

    fn request() -> Request<'static> {
        Request {
            text: "words",
            language: Language::OfFile("a.rs"),
            work: Duration::from_secs(1),
            time: Duration::from_secs(1),
        }
    }

    fn started(script: &str) -> (tempfile::TempDir, io::Result<Process>) {
        let folder = tempfile::tempdir().unwrap();
        let path = program(folder.path(), script);
        let process = Process::start(&path, &HighlightLimits::default());
        (folder, process)
    }

    #[test]
    fn a_program_that_is_no_highlighter_of_the_same_version_is_not_used() {
        for script in ["exit 0", "echo usage: something else", "printf '\\020\\000\\000\\000tenon-highlight '"] {
            assert!(started(script).1.is_err(), "{script}");
        }
        assert!(Process::start(Path::new("/does/not/exist"), &HighlightLimits::default()).is_err());
    }

    #[test]
    fn a_process_that_does_not_answer_in_time_is_killed() {
        // `exec`, so that nothing is left that has the socket.
        let (_folder, process) = started(&format!("{}\nexec sleep 1000", hello()));
        let mut process = process.unwrap();
        let id = process.child.id();
        let error = process.ask(&request(), Duration::from_millis(20)).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock), "{error:?}");
        assert!(!process.has_ended());
        drop(process);
        assert!(!Path::new(&format!("/proc/{id}")).exists());
    }

    #[test]
    fn a_text_that_is_not_read_waits_no_longer_than_one_that_is_not_answered() {
        let (_folder, process) = started(&format!("{}\nexec sleep 1000", hello()));
        let text = "x".repeat(tenon_highlight::MAX_TEXT);
        let request = Request { text: &text, ..request() };
        assert!(process.unwrap().ask(&request, Duration::from_millis(20)).is_err());
    }

    #[test]
    fn a_process_that_ends_or_answers_nonsense_is_noticed() {
        for script in
            ["exit 0", "exec head -c 1 > /dev/null", "printf '\\001\\000\\000\\000\\007'", "yes", "kill -9 $$"]
        {
            let (_folder, process) = started(&format!("{}\n{script}", hello()));
            assert!(process.unwrap().ask(&request(), Duration::from_secs(20)).is_err(), "{script}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_work_of_a_process_is_its_processor_time() {
        let (_folder, process) = started(&format!("{}\nexec sleep 1000", hello()));
        let waiting = process.unwrap();
        let (_folder, process) = started(&format!("{}\nwhile :; do :; done", hello()));
        let working = process.unwrap();
        let long = Duration::from_millis(50);
        while working.work().unwrap() < long {
            std::thread::yield_now();
        }
        assert!(waiting.work().unwrap() < long);
        drop(working);
        assert_eq!(work(u32::MAX), None);
    }

    #[test]
    fn the_other_side_of_a_connection_is_gone_when_it_is_closed_and_not_before() {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let at_once = Some(&Timespec { tv_sec: 0, tv_nsec: 0 });
        assert!(!is_gone(&theirs, at_once));
        ours.write_all(b"a text that is not read").unwrap();
        assert!(!is_gone(&theirs, at_once));
        drop(ours);
        assert!(is_gone(&theirs, at_once) && is_gone(&theirs, None));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_with_much_memory_is_worn() {
        let (_folder, process) = started(&format!("{}\nexec sleep 1000", hello()));
        let mut process = process.unwrap();
        assert!(!process.is_worn());
        process.kept_memory = 1024;
        assert!(process.is_worn());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_has_limits_and_nothing_of_the_environment() {
        let folder = tempfile::tempdir().unwrap();
        let seen = folder.path().join("seen");
        // The limits are set before it is asked for anything.
        let script =
            format!("{}\nhead -c 1 > /dev/null\n(env; ulimit -d; ulimit -t; ulimit -c) > {}", hello(), seen.display());
        let path = program(folder.path(), &script);
        let limits = HighlightLimits { memory: 64 << 20, cpu: Duration::from_secs(7), ..HighlightLimits::default() };
        let mut process = Process::start(&path, &limits).unwrap();
        assert!(process.ask(&request(), Duration::from_secs(20)).is_err());
        let seen = std::fs::read_to_string(seen).unwrap();
        assert!(seen.ends_with("65536\n7\n0\n"), "{seen}");
        assert!(!seen.contains("CARGO"), "{seen}");
    }
}
