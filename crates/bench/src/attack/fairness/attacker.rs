//! The attacker's client: a process of its own at the lowest priority, so that its computing time counts neither as the
//! server's nor as the victim's.

use std::io::{BufRead as _, Read as _, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::{JoinSet, LocalSet};

use super::super::attacks::Answers;
use super::super::site::status;
use crate::process::program;

/// The command that makes this program the attacker's client.
pub const ATTACKER: &str = "attacker";

/// The place of a number in a request that no other request has.
const NUMBER: &str = "{n}";

/// The task of an attacker.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Orders {
    pub(super) port: u16,
    /// Connections that ask at the same time.
    pub(super) connections: usize,
    /// Their requests; each connection sends one of these.
    pub(super) requests: Vec<Message>,
}

/// A request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Message {
    /// Method, path and version.
    pub(super) line: String,
    /// Lines of the head, each with its end.
    pub(super) head: String,
    pub(super) body: String,
}

impl Message {
    fn bytes(&self, number: u64) -> Vec<u8> {
        let number = number.to_string();
        let [line, head, body] = [&self.line, &self.head, &self.body].map(|text| text.replace(NUMBER, &number));
        let length = if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
        format!("{line}\r\nHost: localhost\r\nConnection: close\r\n{head}{length}\r\n{body}").into_bytes()
    }
}

/// An attacker at work, until this is dropped.
pub(super) struct Attacker {
    child: Child,
    orders: Option<ChildStdin>,
}

impl Attacker {
    pub(super) fn start(orders: &Orders) -> Result<Self> {
        let mut command = program(std::env::current_exe()?);
        command.arg(ATTACKER).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().context("the attacker did not start")?;
        let mut stdin = child.stdin.take().context("an attacker without an input")?;
        writeln!(stdin, "{}", serde_json::to_string(orders)?)?;
        Ok(Self { child, orders: Some(stdin) })
    }

    /// Ends it; the answers that it got.
    pub(super) fn stop(mut self) -> Result<Answers> {
        self.orders = None;
        let mut said = String::new();
        self.child.stdout.take().context("an attacker without an output")?.read_to_string(&mut said)?;
        ensure!(self.child.wait()?.success(), "the attacker has failed");
        let [fine, refused, busy, broken] = serde_json::from_str(&said)?;
        Ok(Answers { fine, refused, busy, broken })
    }
}

impl Drop for Attacker {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Attacks as the standard input says, until that ends. Writes how many answers there were, by class of their status.
pub fn attack() -> Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::setpriority_process(None, 19)?;
    let mut orders = String::new();
    std::io::stdin().lock().read_line(&mut orders)?;
    let orders: Orders = serde_json::from_str(&orders)?;
    let (stop, stopped) = watch::channel(false);
    std::thread::spawn(move || {
        // The end of the input is the end of the attack.
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        stop.send_replace(true);
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let Answers { fine, refused, busy, broken } = LocalSet::new().block_on(&runtime, ask(orders, stopped))?;
    std::io::stdout().write_all(serde_json::to_string(&[fine, refused, busy, broken])?.as_bytes())?;
    Ok(())
}

async fn ask(orders: Orders, mut stopped: watch::Receiver<bool>) -> Result<Answers> {
    let (orders, total) = (Rc::new(orders), Rc::<std::cell::RefCell<Answers>>::default());
    let mut tasks = JoinSet::new();
    for connection in 0..orders.connections {
        let (orders, total) = (Rc::clone(&orders), Rc::clone(&total));
        tasks.spawn_local(async move {
            let mut turn = 0;
            while let Some(message) = orders.requests.get(connection % orders.requests.len().max(1)) {
                let number = turn * orders.connections + connection;
                let answered = exchange(orders.port, &message.bytes(u64::try_from(number).unwrap_or(0))).await;
                let is_answered = answered.is_ok();
                total.borrow_mut().add(answered);
                turn += 1;
                if !is_answered {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            }
        });
    }
    let _ = stopped.wait_for(|stopped| *stopped).await;
    // Requests that are under way are dropped, as by a client that leaves.
    tasks.abort_all();
    Ok(*total.borrow())
}

/// Sends a request on a connection of its own and reads the whole answer; its status. Fails if the answer is cut off.
pub(super) async fn exchange(port: u16, message: &[u8]) -> Result<u16> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    // A server that refuses early closes while the body is sent.
    let _ = stream.write_all(message).await;
    let mut answer = Answer::default();
    let mut buffer = vec![0; 64 << 10];
    let has_ended = loop {
        match stream.read(&mut buffer).await {
            Ok(0) => break true,
            Ok(read) => answer.receive(buffer.get(..read).unwrap_or_default()),
            Err(_) => break false,
        }
    };
    ensure!(answer.is_whole(has_ended), "an answer was cut off");
    status(&answer.head)
}

/// The end of a body in chunks.
const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

/// As much of an answer as has come. Of its body only the length and the end are kept.
#[derive(Default)]
struct Answer {
    head: Vec<u8>,
    has_head: bool,
    length: usize,
    end: Vec<u8>,
}

impl Answer {
    fn receive(&mut self, bytes: &[u8]) {
        if self.has_head {
            self.receive_body(bytes);
            return;
        }
        self.head.extend_from_slice(bytes);
        if let Some(end) = self.head.windows(4).position(|window| window == b"\r\n\r\n") {
            let body = self.head.split_off(end + 4);
            self.has_head = true;
            self.receive_body(&body);
        }
    }

    fn receive_body(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
        let last = bytes.len().saturating_sub(LAST_CHUNK.len());
        self.end.extend_from_slice(bytes.get(last..).unwrap_or_default());
        self.end.drain(..self.end.len().saturating_sub(LAST_CHUNK.len()));
    }

    /// True if nothing of it is missing. If it does not say how long it is, it ends with its connection.
    fn is_whole(&self, has_ended: bool) -> bool {
        let head = String::from_utf8_lossy(&self.head).to_ascii_lowercase();
        let field = |name: &str| {
            let mut fields = head.lines().filter_map(|line| line.split_once(':'));
            fields.find(|(known, _)| *known == name).map(|(_, value)| value.trim().to_owned())
        };
        let is_at_its_end = match (field("transfer-encoding"), field("content-length")) {
            (Some(_), _) => self.end == LAST_CHUNK,
            (None, Some(length)) => length.parse() == Ok(self.length),
            (None, None) => has_ended,
        };
        self.has_head && is_at_its_end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_whole(answer: &str, has_ended: bool) -> bool {
        // One byte at a time, as slowly as it can come.
        let mut received = Answer::default();
        answer.as_bytes().chunks(1).for_each(|byte| received.receive(byte));
        let mut at_once = Answer::default();
        at_once.receive(answer.as_bytes());
        assert_eq!(received.is_whole(has_ended), at_once.is_whole(has_ended), "{answer}");
        at_once.is_whole(has_ended)
    }

    #[test]
    fn an_answer_that_is_cut_off_is_none() {
        for (answer, want) in [
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole", true),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhol", false),
            ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nwhole\r\n0\r\n\r\n", true),
            ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nwhole\r\n", false),
            ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", true),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", false),
            ("", false),
        ] {
            assert_eq!([is_whole(answer, true), is_whole(answer, false)], [want; 2], "{answer}");
        }
        let without_length = "HTTP/1.1 200 OK\r\n\r\nwhole";
        assert!(is_whole(without_length, true) && !is_whole(without_length, false));
    }

    #[test]
    fn a_request_has_its_number_and_the_length_of_its_body() {
        let message = Message {
            line: "POST /fork{n} HTTP/1.1".to_owned(),
            head: "A: b\r\n".to_owned(),
            body: "path=f{n}".to_owned(),
        };
        let sent = String::from_utf8(message.bytes(12)).unwrap();
        assert!(sent.starts_with("POST /fork12 HTTP/1.1\r\nHost:"), "{sent}");
        assert!(sent.ends_with("A: b\r\nContent-Length: 8\r\n\r\npath=f12"), "{sent}");
    }
}
