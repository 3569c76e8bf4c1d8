//! The server that is attacked, with the content for the attackers and the other caller.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;
use tenon_app::{Database, Options, StoreError};
use tenon_domain::settings;
use tenon_domain::time::Timestamp;
use tenon_testkit::Client;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::packs;
use crate::code::repository::git;
use crate::endpoint::ROOT_TOKEN;
use crate::measure::{Kind, Place};
use crate::process::{Server, beside};

/// A server with its people and projects.
pub(super) struct Site {
    server: Mutex<Server>,
    port: u16,
    /// The token of the other caller, and the id of their project.
    pub(super) vera: String,
    pub(super) own: i64,
    /// The tokens of two accounts that attack.
    pub(super) mallory: [String; 2],
    /// The id of a public project with a large file, a file of many lines and a commit of many files.
    pub(super) public: i64,
    /// The commit of many files.
    pub(super) wide: String,
    /// Pushes, made beforehand: a measurement must not wait for the attacker to make them.
    pub(super) long_message: Arc<[u8]>,
    pub(super) endless_commands: Arc<[u8]>,
    pub(super) delta_bomb: Arc<[u8]>,
    // Dropped last.
    _place: Place,
    _folder: TempDir,
}

/// Bytes of the large file.
const LARGE: usize = 40 << 20;
/// Bytes of the long message.
const LONG: usize = 800 << 20;
/// Bytes of the list of refs without an end.
const COMMANDS: usize = 200 << 20;
/// Lines of the file that is blamed.
const LINES: usize = 200_000;

impl Site {
    /// Starts a server with its default limits and fills it.
    pub(super) async fn start(database: Kind) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("tenon-attack.").tempdir()?;
        let place = Place::new(database, &folder)?;
        let data = folder.path().join("data");
        let arguments = [
            "serve",
            "--database-url",
            &place.given_url,
            "--root-token",
            ROOT_TOKEN,
            // The attackers' addresses come in the header of a trusted proxy.
            "--trusted-proxies",
            "127.0.0.1",
            "--data-dir",
        ];
        let arguments = [arguments.map(OsStr::new).as_slice(), &[data.as_os_str()]].concat();
        let (server, _) = Server::start(&beside("tenon")?, &arguments, folder.path()).await?;
        let (host, path) = (format!("127.0.0.1:{}", server.port), folder.path().to_owned());
        // The clients block.
        let filled = tokio::task::spawn_blocking(move || fill(&host, &path)).await??;
        allow_local_imports(&place)?;
        let Filled { vera, own, mallory, public, wide, long_message } = filled;
        Ok(Self {
            port: server.port,
            server: server.into(),
            vera,
            own,
            mallory,
            public,
            wide,
            long_message: long_message.into(),
            endless_commands: packs::endless_commands(COMMANDS)?.into(),
            delta_bomb: packs::delta_bomb()?.into(),
            _place: place,
            _folder: folder,
        })
    }

    fn server(&self) -> MutexGuard<'_, Server> {
        self.server.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The id of the server's process.
    pub(super) fn process(&self) -> u32 {
        self.server().id()
    }

    pub(super) fn is_alive(&self) -> bool {
        self.server().is_alive()
    }

    pub(super) fn log(&self) -> String {
        self.server().account()
    }

    pub(super) async fn connect(&self) -> Result<TcpStream> {
        TcpStream::connect(("127.0.0.1", self.port)).await.context("the server takes no connection")
    }

    /// The head of a request from this address, with the credential in the form that Git and the API both read.
    pub(super) fn head(method: &str, path: &str, token: Option<&str>, address: &str, more: &str) -> String {
        let credential = match token {
            Some(token) if path.contains(".git/") => {
                use base64::Engine as _;
                let basic = base64::engine::general_purpose::STANDARD.encode(format!("x:{token}"));
                format!("Authorization: Basic {basic}\r\n")
            }
            Some(token) => format!("Private-Token: {token}\r\n"),
            None => String::new(),
        };
        format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: {address}\r\n{credential}{more}Connection: close\r\n\r\n"
        )
    }

    /// The status of a read with this token from this address, once the whole answer has arrived.
    pub(super) async fn get_as(&self, path: &str, token: &str, address: &str) -> Result<u16> {
        self.send(Self::head("GET", path, Some(token), address, "").as_bytes(), &[]).await
    }

    /// Sends a request and reads the whole answer; its status.
    pub(super) async fn send(&self, head: &[u8], body: &[u8]) -> Result<u16> {
        let mut stream = self.connect().await?;
        stream.write_all(head).await?;
        // A server that refuses early closes while the body is sent.
        let _ = stream.write_all(body).await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        status(&answer)
    }

    /// Forks the other caller's project and waits until the fork is filled.
    pub(super) async fn fork_of_own(&self) -> Result<()> {
        const WAITS: u32 = 100;
        let body = "{\"path\":\"fork\",\"name\":\"fork\"}";
        let more = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        let path = format!("/api/v4/projects/{}/fork", self.own);
        let head = Self::head("POST", &path, Some(&self.vera), "198.51.100.1", &more);
        ensure!(self.send(head.as_bytes(), body.as_bytes()).await? == 201, "the fork was refused");
        for _ in 0..WAITS {
            let path = "/api/v4/projects/vera%2Ffork/repository/tree";
            if self.get_as(path, &self.vera, "198.51.100.1").await.is_ok_and(|status| status == 200) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        bail!("a fork was not filled within ten seconds")
    }

    /// Waits until the server answers quickly again.
    pub(super) async fn calm_down(&self) -> Result<()> {
        for _ in 0..600 {
            let begun = std::time::Instant::now();
            let path = format!("/api/v4/projects/{}/repository/tree", self.own);
            let answered = self.get_as(&path, &self.vera, "198.51.100.1").await;
            if answered.is_ok_and(|status| status == 200) && begun.elapsed() < Duration::from_millis(50) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        bail!("the server is still busy a minute after an attack\n{}", self.log())
    }
}

/// The status in the head of an answer.
pub(super) fn status(answer: &[u8]) -> Result<u16> {
    let digits = answer.get(9..12).and_then(|digits| std::str::from_utf8(digits).ok());
    digits.and_then(|digits| digits.parse().ok()).context("no answer")
}

/// Lets the attackers import from a server on this machine: there is no other one to attack from.
fn allow_local_imports(place: &Place) -> Result<()> {
    let database = Database::open(Options::new(place.url.clone()))?;
    let name = "allow_local_requests_from_hooks_and_services";
    let setting = settings::find(name).context(name)?;
    let on = settings::Value::Switch(true);
    let set = database.write(|tx| tenon_storage::settings::set(tx, setting, &on, Timestamp::UNIX_EPOCH));
    set.map_err(|error: StoreError| error).context("a setting")
}

struct Filled {
    vera: String,
    own: i64,
    mallory: [String; 2],
    public: i64,
    wide: String,
    long_message: Vec<u8>,
}

fn fill(host: &str, folder: &Path) -> Result<Filled> {
    let base = format!("http://{host}");
    let root = Client::new(&base, Some(ROOT_TOKEN));
    let account = |name: &str| -> Result<String> {
        let body = json!({
            "username": name, "name": name, "email": format!("{name}@example.org"), "password": "correct horse",
            "skip_confirmation": true,
        });
        let user = made(&root, "/users", &body)?;
        let path = format!("/users/{}/personal_access_tokens", id(&user)?);
        let token = made(&root, &path, &json!({"name": "t", "scopes": ["api"]}))?;
        token.get("token").and_then(Value::as_str).map(str::to_owned).context("a token")
    };
    let vera = account("vera")?;
    let mallory = [account("mallory")?, account("trudy")?];
    let project =
        |token: &str, body: &Value| -> Result<i64> { id(&made(&Client::new(&base, Some(token)), "/projects", body)?) };
    let own = project(&vera, &json!({"name": "own"}))?;
    for number in 0..50 {
        let path = format!("/projects/{own}/issues");
        made(&Client::new(&base, Some(&vera)), &path, &json!({"title": format!("Issue {number}")}))?;
    }
    for token in &mallory {
        project(token, &json!({"name": "sink"}))?;
    }
    let public = project(&mallory[0], &json!({"name": "public", "visibility": "public"}))?;

    let small = folder.join("own");
    repository(&small)?;
    for number in 0..100 {
        std::fs::write(small.join(format!("file{number}.txt")), format!("text {number}\n").repeat(40))?;
        commit(&small, &format!("Change number {number}"))?;
    }
    git(&small, &["push", "--quiet", &format!("http://x:{vera}@{host}/vera/own.git"), "main"])?;

    let large = folder.join("public");
    repository(&large)?;
    // Random enough that compression does not help.
    let mut state = 1_u32;
    let bytes = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()
    });
    std::fs::write(large.join("large.bin"), bytes.take(LARGE / 4).flatten().collect::<Vec<u8>>())?;
    let lines: String = (0..LINES).map(|number| format!("line {number}\n")).collect();
    std::fs::write(large.join("blame.txt"), lines)?;
    commit(&large, "Large files")?;
    let wide = wide_commit(&large)?;
    let address = format!("http://x:{}@{host}/mallory/public.git", mallory[0]);
    git(&large, &["push", "--quiet", &address, "main", "wide"])?;
    let long_message = packs::long_message(&folder.join("long"), LONG)?;
    Ok(Filled { vera, own, mallory, public, wide, long_message })
}

pub(super) fn repository(folder: &Path) -> Result<()> {
    std::fs::create_dir(folder)?;
    git(folder, &["init", "--quiet", "--initial-branch=main"])?;
    std::fs::write(folder.join("README.md"), "# A project\n")?;
    commit(folder, "Begin")
}

pub(super) fn commit(folder: &Path, message: &str) -> Result<()> {
    git(folder, &["add", "."])?;
    git(folder, &["commit", "--quiet", "--message", message]).map(drop)
}

/// A branch with a commit of nearly a hundred thousand files, made of five directories of nine, which contain each
/// other.
pub(super) fn wide_commit(folder: &Path) -> Result<String> {
    let blob = git(folder, &["rev-parse", "main:README.md"])?;
    let mut entry = format!("100644 blob {}", blob.trim());
    for _ in 0..5 {
        let listing: String = (0..9).map(|number| format!("{entry}\tf{number}\n")).collect();
        std::fs::write(folder.join(".git/listing"), listing)?;
        let script = folder.join(".git/listing");
        let tree = crate::code::repository::git_with_input(folder, &["mktree"], &script)?;
        entry = format!("040000 tree {}", tree.trim());
    }
    let tree = entry.rsplit(' ').next().context("a tree")?;
    let wide = git(folder, &["commit-tree", "-m", "Wide", tree])?;
    git(folder, &["branch", "wide", wide.trim()])?;
    Ok(wide.trim().to_owned())
}

pub(super) fn id(made: &Value) -> Result<i64> {
    made.get("id").and_then(Value::as_i64).context("an id")
}

pub(super) fn made(client: &Client, path: &str, body: &Value) -> Result<Value> {
    let reply = client.post(path, body.clone());
    ensure!(reply.status() == 201, "POST {path}: {} {}", reply.status(), reply.text());
    Ok(reply.json())
}
