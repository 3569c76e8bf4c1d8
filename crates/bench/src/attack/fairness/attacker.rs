//! The attacker's client: a process of its own at the lowest priority, so that what it computes counts neither as the server nor
//! as the victim.

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

/// Where a request has a number that no other request has.
const NUMBER: &str = "{n}";

/// What an attacker has to do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Orders {
    pub(super) port: u16,
    /// Connections that ask at the same time.
    pub(super) connections: usize,
    /// What they ask for, each connection for one of these.
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
    /// Starts one.
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
    // What is under way is dropped, as a client that leaves does.
    tasks.abort_all();
    Ok(*total.borrow())
}

/// Sends a request on a connection of its own and reads the whole answer; its status.
pub(super) async fn exchange(port: u16, message: &[u8]) -> Result<u16> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    // A server that refuses early closes while the body is sent.
    let _ = stream.write_all(message).await;
    let mut begin = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return status(&begin),
            // Of a large answer only the begin is kept.
            Ok(read) if begin.len() < 12 => begin.extend_from_slice(buffer.get(..read).unwrap_or_default()),
            Ok(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
