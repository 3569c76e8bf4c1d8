//! The hooks of a push: they ask the server over a socket, and refuse if it does not answer.

use std::env;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The environment variable with the path of the server's socket.
pub const SOCKET: &str = "TENON_HOOK_SOCKET";
/// The environment variable with the random name under which the server knows the push.
pub const PUSH: &str = "TENON_PUSH_ID";

/// The server may have to read every object of the push; when it ends, so does the socket.
const PATIENCE: Duration = Duration::from_hours(1);
/// A million refs in one push are no push. It also bounds a question that the server reads, and an answer that a hook
/// reads.
const LONGEST: u64 = 64 << 20;

/// Which hook is calling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HookKind {
    /// Before any ref has moved: the answer decides.
    PreReceive,
    /// After the refs have moved: the answer is only shown.
    PostReceive,
}

/// A ref that a push moves. Zeros stand for a ref that is not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushedRef {
    /// The object that it pointed at.
    pub old: String,
    /// The object that it will point at.
    pub new: String,
    /// Its full name, as the client sent it.
    pub name: String,
}

/// The places of the objects of a push before it is accepted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuarantinePaths {
    /// `GIT_OBJECT_DIRECTORY`
    pub objects: Option<String>,
    /// `GIT_ALTERNATE_OBJECT_DIRECTORIES`
    pub alternates: Option<String>,
    /// `GIT_QUARANTINE_PATH`
    pub quarantine: Option<String>,
}

/// The question of a hook: one line of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookRequest {
    /// Which hook.
    pub hook: HookKind,
    /// The value of [`PUSH`], set by the server: only the hook of that push knows it.
    pub push: String,
    /// The refs, in the order of the push.
    pub refs: Vec<PushedRef>,
    /// The place of the new objects.
    pub objects: QuarantinePaths,
    /// The push options that the client gave with `-o`.
    pub options: Vec<String>,
}

/// The answer of the server: one line of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookReply {
    /// True if the push may go on.
    pub ok: bool,
    /// Lines for the client; Git puts `remote: ` in front.
    pub messages: Vec<String>,
}

impl HookRequest {
    /// Reads a question from the socket. Fails if it is no question, or longer than any may be.
    pub fn read(from: &mut impl Read) -> io::Result<Self> {
        read_line(from)
    }
}

impl HookReply {
    /// Answers a question.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        write_line(self, to)
    }
}

/// Which hook a program that was started as `argument_zero` has to be; `None` if it has its own work to do.
#[must_use]
pub fn kind(argument_zero: &Path) -> Option<HookKind> {
    match argument_zero.file_name()?.to_str()? {
        "pre-receive" => Some(HookKind::PreReceive),
        "post-receive" => Some(HookKind::PostReceive),
        _ => None,
    }
}

/// Is a hook: asks the server about the refs on standard input, prints the answer, and ends with the code that lets the
/// push go on or not. Without an answer a push does not go on.
#[must_use]
pub fn run(kind: HookKind) -> ExitCode {
    let variable = |name: &str| env::var_os(name);
    let mut stderr = io::stderr().lock();
    let reply = ask(kind, &mut io::stdin().lock(), &variable).unwrap_or_else(|_error| HookReply {
        ok: false,
        messages: vec!["The server could not check this push. Please try again later.".to_owned()],
    });
    for message in &reply.messages {
        // The client may have gone; the answer counts all the same.
        let _ = writeln!(stderr, "{message}");
    }
    ExitCode::from(u8::from(!reply.ok))
}

fn ask(hook: HookKind, input: &mut impl BufRead, variable: &dyn Fn(&str) -> Option<OsString>) -> io::Result<HookReply> {
    let text = |name: &str| variable(name).and_then(|value| value.into_string().ok());
    let missing = || io::Error::from(io::ErrorKind::NotFound);
    let count = text("GIT_PUSH_OPTION_COUNT").and_then(|count| count.parse::<usize>().ok()).unwrap_or(0);
    let request = HookRequest {
        hook,
        push: text(PUSH).ok_or_else(missing)?,
        refs: refs(input)?,
        objects: QuarantinePaths {
            objects: text("GIT_OBJECT_DIRECTORY"),
            alternates: text("GIT_ALTERNATE_OBJECT_DIRECTORIES"),
            quarantine: text("GIT_QUARANTINE_PATH"),
        },
        options: (0..count.min(100)).filter_map(|number| text(&format!("GIT_PUSH_OPTION_{number}"))).collect(),
    };
    let mut socket = UnixStream::connect(variable(SOCKET).ok_or_else(missing)?)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.set_write_timeout(Some(PATIENCE))?;
    write_line(&request, &mut socket)?;
    socket.shutdown(Shutdown::Write)?;
    read_line(&mut socket)
}

/// `<old> <new> <name>` on each line. A name that is no UTF-8 is refused: nothing could be said about it.
fn refs(input: &mut impl BufRead) -> io::Result<Vec<PushedRef>> {
    let malformed = || io::Error::from(io::ErrorKind::InvalidData);
    let row = |line: io::Result<String>| {
        let line = line?;
        let mut words = line.splitn(3, ' ').map(str::to_owned);
        let (old, new, name) = (words.next(), words.next(), words.next());
        let (Some(old), Some(new), Some(name)) = (old, new, name) else { return Err(malformed()) };
        Ok(PushedRef { old, new, name })
    };
    input.take(LONGEST).lines().map(row).collect()
}

fn read_line<T: for<'a> Deserialize<'a>>(from: &mut impl Read) -> io::Result<T> {
    let mut line = String::new();
    BufReader::new(from.take(LONGEST)).read_line(&mut line)?;
    serde_json::from_str(&line).map_err(io::Error::from)
}

fn write_line(value: &impl Serialize, to: &mut impl Write) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    to.write_all(&line)?;
    to.flush()
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;
    use std::thread;

    use super::*;

    const INPUT: &str = "0000 1111 refs/heads/main\n1111 0000 refs/heads/a b\n";

    fn asked(socket: &Path, input: &str) -> io::Result<HookReply> {
        let socket = socket.to_owned();
        let variable = move |name: &str| match name {
            SOCKET => Some(socket.clone().into_os_string()),
            PUSH => Some("p1".into()),
            "GIT_QUARANTINE_PATH" => Some("/q".into()),
            "GIT_PUSH_OPTION_COUNT" => Some("1".into()),
            "GIT_PUSH_OPTION_0" => Some("ci.skip".into()),
            _ => None,
        };
        ask(HookKind::PreReceive, &mut input.as_bytes(), &variable)
    }

    #[test]
    fn a_hook_tells_the_server_what_is_pushed_and_repeats_its_answer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let listener = UnixListener::bind(&path).unwrap();
        let reply = HookReply { ok: false, messages: vec!["No.".to_owned()] };
        let answer = reply.clone();
        let server = thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            let request = HookRequest::read(&mut socket).unwrap();
            answer.write(&mut socket).unwrap();
            request
        });
        assert_eq!(asked(&path, INPUT).unwrap(), reply);
        let request = server.join().unwrap();
        assert_eq!((request.hook, &*request.push), (HookKind::PreReceive, "p1"));
        assert_eq!(request.refs[1].name, "refs/heads/a b");
        assert_eq!(request.objects.quarantine.as_deref(), Some("/q"));
        assert_eq!(request.options, ["ci.skip"]);
    }

    #[test]
    fn without_an_answer_there_is_no_permission() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        assert!(asked(&path, INPUT).is_err());
        let listener = UnixListener::bind(&path).unwrap();
        let server = thread::spawn(move || {
            for answer in ["", "{}", "{\"ok\":true"] {
                let (mut socket, _) = listener.accept().unwrap();
                HookRequest::read(&mut socket).unwrap();
                socket.write_all(answer.as_bytes()).unwrap();
            }
        });
        for _ in 0..3 {
            assert!(asked(&path, INPUT).is_err());
        }
        server.join().unwrap();
        assert!(asked(&path, "half a line").is_err());
    }

    #[test]
    fn the_name_of_the_program_says_which_hook_it_is() {
        assert_eq!(kind(Path::new("/run/hooks/pre-receive")), Some(HookKind::PreReceive));
        assert_eq!(kind(Path::new("hooks/post-receive")), Some(HookKind::PostReceive));
        assert_eq!(kind(Path::new("/usr/bin/tenon")), None);
    }
}
