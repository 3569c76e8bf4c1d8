//! The server on which fairness is measured, with a victim's project and a public one that is expensive to show.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use base64::Engine as _;
use serde_json::{Value, json};
use tempfile::TempDir;
use tenon_app::{Database, Options, StoreError};
use tenon_auth::digest;
use tenon_domain::id::{TokenId, UserId};
use tenon_domain::time::{TimeDelta, Timestamp};
use tenon_domain::token::{Scope, Scopes, Token, TokenKind};
use tenon_storage::session::{self, NewSession};
use tenon_storage::token::{self, NewToken};
use tenon_testkit::Client;

use super::super::site::{commit, id, made, repository, wide_commit};
use super::attacker::exchange;
use crate::code::repository::git;
use crate::endpoint::ROOT_TOKEN;
use crate::measure::{Kind, Place};
use crate::process::{Server, beside};

/// Bytes of the large file.
const LARGE: usize = 16 << 20;
/// Lines of the file that is blamed, and commits that have each changed one of them.
const LINES: usize = 20_000;
const COMMITS: usize = 200;
/// Branches, and as many tags.
const REFS: usize = 10_000;
/// The digest at the end of a pack without objects.
const NO_OBJECTS: [u8; 20] = [
    0x02, 0x9d, 0x08, 0x82, 0x3b, 0xd8, 0xa8, 0xea, 0xb5, 0x10, 0xad, 0x6a, 0xc7, 0x5c, 0x82, 0x3c, 0xfd, 0x3e, 0xd3,
    0x1e,
];
/// Files that the merge request changes.
const FILES: usize = 50;
/// Issues of the victim's project.
pub(super) const ISSUES_OF_THE_VICTIM: usize = 50;
/// Issues that a search finds.
const ISSUES: usize = 500;
/// Bytes of the long Markdown.
const TEXT: usize = 200_000;

/// A server with its content.
pub(super) struct Ground {
    server: Mutex<Server>,
    pub(super) port: u16,
    /// The victim's project, token and session.
    pub(super) own: i64,
    pub(super) victim_token: String,
    pub(super) victim_session: String,
    /// The attacker's project, token and session.
    pub(super) project: i64,
    pub(super) token: String,
    pub(super) session: String,
    /// Commits of the attacker's project: the first one, the one of very many files, and the last one.
    pub(super) first: String,
    pub(super) wide: String,
    pub(super) head: String,
    /// Long Markdown, as the inside of a string of JSON.
    pub(super) text: String,
    /// The number of the victim's other tokens that were used.
    used: AtomicUsize,
    // Dropped last.
    _place: Place,
    _folder: TempDir,
}

/// The content that was made on a server.
struct Filled {
    own: i64,
    victim: Account,
    project: i64,
    attacker: Account,
    first: String,
    wide: String,
    head: String,
}

struct Account {
    id: i64,
    token: String,
}

impl Ground {
    /// Starts a server with its default limits and fills it. The victim has so many tokens that the server has not
    /// seen.
    pub(super) async fn make(database: Kind, tokens: usize) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("tenon-fairness.").tempdir()?;
        let place = Place::new(database, &folder)?;
        let data = folder.path().join("data");
        let arguments = ["serve", "--database-url", &place.given_url, "--root-token", ROOT_TOKEN];
        // The attackers' addresses come in the header of a trusted proxy.
        let more = ["--trusted-proxies", "127.0.0.1", "--data-dir"];
        let arguments = [arguments.map(OsStr::new).as_slice(), &more.map(OsStr::new), &[data.as_os_str()]].concat();
        let (server, _) = Server::start(&beside("tenon")?, &arguments, folder.path()).await?;
        let (host, path, text) = (format!("127.0.0.1:{}", server.port), folder.path().to_owned(), long_text());
        let long = text.clone();
        // The clients block.
        let filled = tokio::task::spawn_blocking(move || fill(&host, &path, &long)).await??;
        let Filled { own, victim, project, attacker, first, wide, head } = filled;
        store_tokens(&place, victim.id, tokens)?;
        let ground = Self {
            port: server.port,
            own,
            victim_session: session_of(&place, victim.id)?,
            victim_token: victim.token,
            project,
            session: session_of(&place, attacker.id)?,
            token: attacker.token,
            first,
            wide,
            head,
            text: text.replace('\n', "\\n"),
            used: AtomicUsize::new(0),
            server: server.into(),
            _place: place,
            _folder: folder,
        };
        ground.calm_down().await?;
        Ok(ground)
    }

    /// A token of the victim that was never used.
    pub(super) fn unused_token(&self) -> String {
        secret(self.used.fetch_add(1, Ordering::Relaxed))
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

    /// Waits until the work that an attack left is done: ten quick answers in a row.
    pub(super) async fn calm_down(&self) -> Result<()> {
        let path = format!("/api/v4/projects/{}/repository/tree", self.own);
        let token = &self.victim_token;
        let ask =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nPrivate-Token: {token}\r\nConnection: close\r\n\r\n");
        let mut quick = 0;
        for _ in 0..1200 {
            let begun = Instant::now();
            let answered = exchange(self.port, ask.as_bytes()).await;
            let is_quick = answered.is_ok_and(|status| status == 200) && begun.elapsed() < Duration::from_millis(20);
            quick = if is_quick { quick + 1 } else { 0 };
            if quick == 10 {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        bail!("the server is still busy a minute after an attack\n{}", self.log())
    }
}

/// The secret of one of the victim's tokens.
fn secret(number: usize) -> String {
    format!("token-of-the-victim-{number}")
}

/// Gives the victim tokens: more than could be made by requests.
fn store_tokens(place: &Place, user: i64, number: usize) -> Result<()> {
    let database = Database::open(Options { readers: 1, writers: 1, ..Options::new(place.url.clone()) })?;
    let token = Token {
        id: TokenId::new(0),
        user: UserId::new(user),
        kind: TokenKind::Personal,
        name: "unused".to_owned(),
        description: None,
        scopes: Scopes::new([Scope::Api]),
        revoked: false,
        expires_at: None,
        ends_at: None,
        created_at: Timestamp::UNIX_EPOCH,
        last_used_at: None,
    };
    let stored = database.write(|tx| {
        (0..number).try_for_each(|number| {
            let digest = digest(&secret(number));
            let new = NewToken { token: &token, digest: &digest, sealed_secret: None, grant: None };
            token::insert(tx, &new).map(drop)
        })
    });
    stored.map_err(|error: StoreError| error).context("tokens")
}

/// A session of a user, as a browser has it that has signed in.
fn session_of(place: &Place, user: i64) -> Result<String> {
    let cookie = format!("session-of-the-measured-user-{user}");
    let database = Database::open(Options { readers: 1, writers: 1, ..Options::new(place.url.clone()) })?;
    let now = Timestamp::UNIX_EPOCH + TimeDelta::days(365 * 50);
    let new = NewSession {
        user: UserId::new(user),
        digest: &digest(&cookie),
        address: None,
        user_agent: None,
        remembered: true,
        awaits_second_factor: false,
        created_at: now,
        expires_at: now + TimeDelta::days(365 * 100),
        impersonator: None,
    };
    let stored = database.write(|tx| session::insert(tx, &new));
    stored.map_err(|error: StoreError| error).context("a session")?;
    Ok(cookie)
}

/// Markdown of every kind. Of the characters that JSON would escape it has line feeds only.
fn long_text() -> String {
    let mut text = String::with_capacity(TEXT + 400);
    let mut number = 0;
    while text.len() < TEXT {
        let _ = write!(
            text,
            "## Part {number}\n\nSome *words* and **more**, `code`, ~~gone~~, [a link](https://example.org/{number}), \
             <https://example.org>, #1, !1, @mallory and :tada:.\n\n- [ ] a task\n  - below it\n\n| a | b |\n|---|---|\n\
             | {number} | *c* |\n\n> cited\n> > twice\n\n```rust\nfn f{number}() -> u32 {{ {number} }}\n```\n\n"
        );
        number += 1;
    }
    text
}

fn fill(host: &str, folder: &Path, long: &str) -> Result<Filled> {
    let base = format!("http://{host}");
    let root = Client::new(&base, Some(ROOT_TOKEN));
    let account = |name: &str| -> Result<Account> {
        let body = json!({
            "username": name, "name": name, "email": format!("{name}@example.org"), "force_random_password": true,
            "skip_confirmation": true,
        });
        let id = id(&made(&root, "/users", &body)?)?;
        let path = format!("/users/{id}/personal_access_tokens");
        let token = made(&root, &path, &json!({"name": "t", "scopes": ["api"]}))?;
        Ok(Account { id, token: token.get("token").and_then(Value::as_str).context("a token")?.to_owned() })
    };
    let (victim, attacker) = (account("vera")?, account("mallory")?);
    let (vera, mallory) = (Client::new(&base, Some(&victim.token)), Client::new(&base, Some(&attacker.token)));
    let own = id(&made(&vera, "/projects", &json!({"name": "own"}))?)?;
    for number in 0..ISSUES_OF_THE_VICTIM {
        made(&vera, &format!("/projects/{own}/issues"), &json!({"title": format!("Issue {number}")}))?;
    }
    let small = folder.join("own");
    repository(&small)?;
    for number in 0..100 {
        std::fs::write(small.join(format!("file{number}.txt")), format!("text {number}\n").repeat(40))?;
        commit(&small, &format!("Change number {number}"))?;
    }
    git(&small, &["push", "--quiet", &format!("http://x:{}@{host}/vera/own.git", victim.token), "main"])?;

    let project = id(&made(&mallory, "/projects", &json!({"name": "public", "visibility": "public"}))?)?;
    let large = folder.join("public");
    let (first, wide, head) = code(&large, long)?;
    let address = format!("http://x:{}@{host}/mallory/public.git", attacker.token);
    git(&large, &["push", "--quiet", &address, "main"])?;
    git(&large, &["push", "--quiet", &address, "change", "wide"])?;
    push_many(host, &attacker.token, &head)?;
    let issues = format!("/projects/{project}/issues");
    made(&mallory, &issues, &json!({"title": "A long text", "description": long}))?;
    for number in 2..=ISSUES {
        let description = format!("A word and another word, number {number}. ").repeat(20);
        made(&mallory, &issues, &json!({"title": format!("Word {number}"), "description": description}))?;
    }
    for number in 0..100 {
        let body = json!({"body": format!("A note, number {number}: *yes* and `no`.")});
        made(&mallory, &format!("{issues}/1/notes"), &body)?;
    }
    let change = json!({"source_branch": "change", "target_branch": "main", "title": "A change"});
    made(&mallory, &format!("/projects/{project}/merge_requests"), &change)?;
    Ok(Filled { own, victim, project, attacker, first, wide, head })
}

/// Pushes the many refs. Git's client would compare each of them with all others, which takes hours: this sends the
/// same bytes.
fn push_many(host: &str, token: &str, head: &str) -> Result<()> {
    let mut body = String::new();
    for number in 0..REFS {
        for name in [format!("refs/heads/r/{number}"), format!("refs/tags/t{number}")] {
            let capabilities = if body.is_empty() { "\0 report-status" } else { "" };
            let command = format!("{} {head} {name}{capabilities}\n", "0".repeat(head.len()));
            let _ = write!(body, "{:04x}{command}", command.len() + 4);
        }
    }
    body += "0000";
    let body = [body.as_bytes(), b"PACK\0\0\0\x02\0\0\0\0", &NO_OBJECTS].concat();
    let basic = base64::engine::general_purpose::STANDARD.encode(format!("x:{token}"));
    let message = format!(
        "POST /mallory/public.git/git-receive-pack HTTP/1.1\r\nHost: {host}\r\nAuthorization: Basic {basic}\r\n\
         Content-Type: application/x-git-receive-pack-request\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(host)?;
    stream.write_all(message.as_bytes())?;
    stream.write_all(&body)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    ensure!(answer.contains("unpack ok") && !answer.contains("ng refs/"), "the refs were not pushed: {answer}");
    Ok(())
}

/// The repository that is expensive to show: its first commit, the one of very many files, and the last one of `main`.
fn code(folder: &Path, long: &str) -> Result<(String, String, String)> {
    repository(folder)?;
    let first = git(folder, &["rev-parse", "HEAD"])?.trim().to_owned();
    // Random enough that compression does not help.
    let mut state = 1_u32;
    let bytes = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()
    });
    std::fs::write(folder.join("large.bin"), bytes.take(LARGE / 4).flatten().collect::<Vec<u8>>())?;
    std::fs::write(folder.join("LONG.md"), long)?;
    let function = |number: usize| format!("fn f{number}(text: &str) -> usize {{ text.len() + {number} }} // a word\n");
    std::fs::write(folder.join("code.rs"), (0..7_000).map(function).collect::<String>())?;
    for number in 0..FILES {
        std::fs::write(folder.join(format!("file{number}.rs")), (0..200).map(function).collect::<String>())?;
    }
    let mut lines: Vec<String> = (0..LINES).map(|number| format!("line {number}\n")).collect();
    for number in 0..COMMITS {
        if let Some(line) = lines.get_mut(number * 97 % LINES) {
            *line = format!("line changed by {number}\n");
        }
        std::fs::write(folder.join("blame.txt"), lines.concat())?;
        commit(folder, &format!("Change number {number}"))?;
    }
    let head = git(folder, &["rev-parse", "HEAD"])?.trim().to_owned();
    let wide = wide_commit(folder)?;
    git(folder, &["checkout", "--quiet", "-b", "change"])?;
    for number in 0..FILES {
        let changed = (0..200).map(|line| function(line + line % 5)).collect::<String>();
        std::fs::write(folder.join(format!("file{number}.rs")), changed)?;
    }
    commit(folder, "Change many files")?;
    git(folder, &["checkout", "--quiet", "main"])?;
    ensure!(!first.is_empty() && !head.is_empty(), "a repository without commits");
    Ok((first, wide, head))
}
