//! A server that records the requests of hooks, and answers as a test says.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// A request that a receiver got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// `POST` or `GET`.
    pub method: String,
    /// The path, with the query.
    pub path: String,
    /// The headers in order, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl Received {
    /// The value of a header; its name is given in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).expect("the body is JSON")
    }
}

/// The answer of a receiver to a request.
#[derive(Debug, Clone)]
pub enum Answer {
    /// Answers with a status, headers and a body.
    Status(u16, Vec<(&'static str, String)>, String),
    /// Ends the connection without an answer.
    HangUp,
    /// Says nothing, until the other side goes.
    Silence,
    /// Begins an answer that never ends.
    Drip,
}

#[derive(Default)]
struct State {
    received: Vec<Received>,
    next: VecDeque<Answer>,
}

/// A receiver on a port of its own, until the process ends. It answers 200 unless a test says otherwise.
#[derive(Clone)]
pub struct Receiver {
    address: String,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Notified of each request.
    came: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The longest time that a test waits for the next request.
const PATIENCE: Duration = Duration::from_mins(2);

impl Receiver {
    /// Starts a receiver.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let shared: Arc<Shared> = Arc::default();
        let own = Arc::clone(&shared);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let shared = Arc::clone(&own);
                thread::spawn(move || serve(&connection, &shared));
            }
        });
        Self { address, shared }
    }

    /// Its URL, with this path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The host and port.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Says how the next requests are answered, one after the other; after them with 200 again.
    pub fn answer(&self, answers: impl IntoIterator<Item = Answer>) {
        self.shared.lock().next.extend(answers);
    }

    /// The requests that it got, which it then forgets.
    pub fn take(&self) -> Vec<Received> {
        std::mem::take(&mut self.shared.lock().received)
    }

    /// Waits until the requests that it got are enough, and takes them.
    pub fn wait(&self, is_enough: impl Fn(&[Received]) -> bool) -> Vec<Received> {
        let mut state = self.shared.lock();
        while !is_enough(&state.received) {
            let known = state.received.len();
            let no_more = |state: &mut State| state.received.len() == known;
            let waited = self.shared.came.wait_timeout_while(state, PATIENCE, no_more);
            let (changed, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            assert!(!timeout.timed_out(), "only {known} requests came");
            state = changed;
        }
        std::mem::take(&mut state.received)
    }
}

fn serve(connection: &TcpStream, shared: &Shared) {
    let mut reader = BufReader::new(connection);
    while let Some(request) = read(&mut reader) {
        let answer = {
            let mut state = shared.lock();
            state.received.push(request);
            shared.came.notify_all();
            state.next.pop_front().unwrap_or_else(|| Answer::Status(200, Vec::new(), String::new()))
        };
        let mut writer = connection;
        let written = match answer {
            Answer::Status(status, headers, body) => {
                let lines: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
                let head = format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\n{lines}\r\n", body.len());
                // In one piece: the other side acknowledges a first piece late, and the next one waits for that.
                writer.write_all((head + &body).as_bytes())
            }
            Answer::HangUp => return,
            Answer::Silence => {
                let _gone = reader.read(&mut [0]);
                return;
            }
            Answer::Drip => {
                let begun = write!(writer, "HTTP/1.1 200 x\r\ncontent-length: 1000000\r\n\r\n");
                // Until the other side goes.
                let _gone = reader.read(&mut [0]);
                begun
            }
        };
        if written.is_err() {
            return;
        }
    }
}

/// The next request of a connection; `None` at its end.
fn read(reader: &mut BufReader<&TcpStream>) -> Option<Received> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(Received { method, path, headers, body: String::from_utf8_lossy(&body).into_owned() })
}
