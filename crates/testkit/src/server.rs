//! A server in this process, on a real socket.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use actix_web::dev::ServerHandle;
use serde_json::json;
use tempfile::TempDir;
use tenon_app::jobs::{self, Pace, Runner};
use tenon_app::repository::Repositories;
use tenon_app::{App, Clock as _, CrashPoint, CrashPoints, Limits, Mailer, Parts, SignInProvider, StoreError};
use tenon_domain::limits::Milliseconds;
use tenon_domain::server_task::BackupPlan;
use tenon_domain::time::{TimeDelta, Timestamp};
use tenon_edge::{DEFAULT_MONITORS, Edge};
use tenon_git::{Engine, EngineSettings, Store};
use tenon_http::Http;
use tenon_storage::job::{self, Claim, Queue};
use tenon_web::Site;

use crate::application::{ROOT_TOKEN, application, files_in, parts, repositories_in};
use crate::client::Client;
use crate::clock::TestClock;
use crate::database::TestDatabase;
use crate::files::KeptFiles;
use crate::jobs::RunningJobs;
use crate::openid::OpenIdProvider;
use crate::reusable::{Backend, Content};
use crate::rows::KeptRows;

/// The name of the script of [`TestServer::start_with_git`].
pub const GIT_SCRIPT: &str = "scripted-git";

/// A running server with an empty database, but for the administrator.
pub struct TestServer {
    base: String,
    /// All clients are made from it: they share its connections.
    anonymous: Client,
    app: App,
    clock: Arc<TestClock>,
    crash_points: Arc<NextCrash>,
    pub(crate) openid: Vec<OpenIdProvider>,
    handle: ServerHandle,
    thread: Option<JoinHandle<()>>,
    /// Files and repositories.
    folder: Arc<TempDir>,
    // Dropped last: the server's connections must be gone before the database goes.
    database: Arc<TestDatabase>,
}

/// The parts of a server that only some tests ask for.
#[derive(Default)]
pub(crate) struct Extras {
    /// The backups that it makes by itself.
    pub(crate) backups: Option<BackupPlan>,
    /// The sender of mail.
    pub(crate) mail: Option<Mailer>,
    /// True if its public address has a name in place of a number.
    pub(crate) is_named: bool,
    /// True if its public address is `https`, as behind a proxy that encrypts.
    pub(crate) is_encrypted: bool,
    /// The sign-in providers, with those that answer for them.
    pub(crate) providers: Vec<(SignInProvider, OpenIdProvider)>,
}

/// The place where the next change ends, if a test has named one.
#[derive(Default)]
struct NextCrash(Mutex<Option<CrashPoint>>);

impl CrashPoints for NextCrash {
    fn ends_at(&self, place: CrashPoint) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take_if(|named| *named == place).is_some()
    }
}

/// The state of a server at one moment, to which it can be put back. SQLite only.
pub struct Snapshot {
    rows: KeptRows,
    files: KeptFiles,
    now: Timestamp,
}

impl TestServer {
    /// Starts a server.
    pub fn start(backend: Backend) -> Self {
        // All tests call from one address, and run beside others.
        let mut limits = Limits::without_rates();
        (limits.pages.last_commits, limits.pages.words) = (Milliseconds(10_000), Milliseconds(10_000));
        limits.reads.count_patience = Milliseconds(10_000);
        Self::start_with(backend, limits)
    }

    /// Starts a server with these limits.
    pub fn start_with(backend: Backend, limits: Limits) -> Self {
        let folder = Arc::new(tempfile::tempdir().expect("a folder"));
        let repositories = repositories_in(folder.path(), &limits);
        Self::run(
            Arc::new(TestDatabase::with(backend, Content::Root)),
            folder,
            Arc::new(TestClock::default()),
            limits,
            repositories,
            &[],
            Extras::default(),
        )
    }

    /// Starts a server whose public address has a name, so that browsers make passkeys for it.
    pub fn start_named(backend: Backend) -> Self {
        let limits = Limits::without_rates();
        let folder = Arc::new(tempfile::tempdir().expect("a folder"));
        let repositories = repositories_in(folder.path(), &limits);
        let database = Arc::new(TestDatabase::with(backend, Content::Root));
        let extras = Extras { is_named: true, ..Extras::default() };
        Self::run(database, folder, Arc::default(), limits, repositories, &[], extras)
    }

    /// Starts a server behind a proxy: it trusts `X-Forwarded-For`.
    pub fn start_behind_proxy(backend: Backend) -> Self {
        let limits = Limits::without_rates();
        let folder = Arc::new(tempfile::tempdir().expect("a folder"));
        let repositories = repositories_in(folder.path(), &limits);
        let database = Arc::new(TestDatabase::with(backend, Content::Root));
        Self::run(database, folder, Arc::default(), limits, repositories, &["127.0.0.1"], Extras::default())
    }

    /// Starts a server with these limits whose Git is this shell script. In it, `exec git "$@"` runs the command of the
    /// server. `$0` is a file in [`TestServer::data`] that is called [`GIT_SCRIPT`].
    pub fn start_with_git(backend: Backend, limits: Limits, script: &str) -> Self {
        let folder = Arc::new(tempfile::tempdir().expect("a folder"));
        let program = folder.path().join(GIT_SCRIPT);
        write_program(&program, script);
        let mut repositories = repositories_in(folder.path(), &limits);
        let settings =
            EngineSettings { program, limits: limits.clone(), ..EngineSettings::new(folder.path().join("git")) };
        let engine = Engine::open(&settings).expect("a script that answers as git");
        repositories.store = Store::open(engine, &folder.path().join("repositories")).expect("a store");
        Self::run(
            Arc::new(TestDatabase::with(backend, Content::Root)),
            folder,
            Arc::new(TestClock::default()),
            limits,
            repositories,
            &[],
            Extras::default(),
        )
    }

    /// Starts a second process, as it were, on the database, the files and the clock of `other`.
    pub fn beside(other: &Self) -> Self {
        Self::second(other, Extras::default())
    }

    /// As [`TestServer::beside`], where every queue refuses strangers. Only credentials have threads of their own.
    pub fn closed_to_strangers(other: &Self) -> Self {
        let mut limits = other.app.limits().clone();
        // Strangers fill at most half of a queue.
        limits.pools.waiting = 1;
        Self::beside_with(other, limits)
    }

    /// As [`TestServer::beside`], with these limits.
    pub fn beside_with(other: &Self, limits: Limits) -> Self {
        Self::second_with(other, limits, Extras::default())
    }

    /// As [`TestServer::beside_with`], with a public address that has a name.
    pub fn beside_named(other: &Self, limits: Limits) -> Self {
        Self::second_with(other, limits, Extras { is_named: true, ..Extras::default() })
    }

    /// As [`TestServer::beside`], with a public address that is `https`. Requests come to it without encryption, as from a proxy.
    pub fn beside_encrypted(other: &Self) -> Self {
        Self::second(other, Extras { is_encrypted: true, ..Extras::default() })
    }

    /// As [`TestServer::beside`], where backups are made by this plan: nothing but the plan is there, and no process runs.
    pub fn beside_with_backups(other: &Self, plan: BackupPlan) -> Self {
        Self::second(other, Extras { backups: Some(plan), ..Extras::default() })
    }

    pub(crate) fn second(other: &Self, extras: Extras) -> Self {
        Self::second_with(other, other.app.limits().clone(), extras)
    }

    fn second_with(other: &Self, limits: Limits, extras: Extras) -> Self {
        let repositories = repositories_in(other.folder.path(), &limits);
        let (database, clock) = (Arc::clone(&other.database), Arc::clone(&other.clock));
        Self::run(database, Arc::clone(&other.folder), clock, limits, repositories, &[], extras)
    }

    /// Keeps the present state. No request may be under way.
    pub fn snapshot(&self) -> Snapshot {
        let rows = KeptRows::keep(self.database.file().expect("a SQLite database")).expect("a copy of the rows");
        let files = KeptFiles::keep(self.folder.path()).expect("a copy of the files");
        Snapshot { rows, files, now: self.clock.now() }
    }

    /// Puts rows, files and the time back to the state that was kept, much quicker than another server could be
    /// started. No request may be under way. The memory of the application stays: the times at which tokens were used.
    pub fn put_back(&self, snapshot: &Snapshot) {
        snapshot.rows.put_back().expect("the rows as they were kept");
        snapshot.files.put_back(self.folder.path()).expect("the files as they were kept");
        self.clock.set(snapshot.now);
        self.app.refresh_settings().expect("settings");
    }

    pub(crate) fn run(
        database: Arc<TestDatabase>,
        folder: Arc<TempDir>,
        clock: Arc<TestClock>,
        limits: Limits,
        repositories: Repositories,
        proxies: &[&str],
        extras: Extras,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let base = format!("http://{address}");
        let public = match (extras.is_encrypted, extras.is_named) {
            (true, _) => format!("https://localhost:{}", address.port()),
            (false, true) => format!("http://localhost:{}", address.port()),
            (false, false) => base.clone(),
        };
        let (providers, openid) = extras.providers.into_iter().unzip();
        let crash_points = Arc::<NextCrash>::default();
        let app = application(Parts {
            mail: extras.mail,
            providers,
            base_url: public,
            backups: extras.backups,
            crash_points: Some(crash_points.clone()),
            ..parts(database.open(), folder.path(), &clock, limits, repositories)
        });
        let edge = Edge::new(app.clone(), proxies, &DEFAULT_MONITORS).expect("an edge");
        let (handle, thread) = serve(edge, listener);
        let anonymous = Client::new(&base, None);
        Self { base, anonymous, app, clock, crash_points, openid, handle, thread: Some(thread), folder, database }
    }

    /// Writes the times at which tokens, sessions and accounts were last used.
    pub fn flush_usage(&self) {
        jobs::flush_usage(&self.app).expect("a database that answers");
    }

    /// The address of the server.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The application behind it, for questions that no endpoint answers.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// Ends the next change that comes to this place, as if the process had ended there.
    pub fn end_next_at(&self, place: CrashPoint) {
        *self.crash_points.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(place);
    }

    /// The kind of its database.
    pub fn backend(&self) -> Backend {
        self.database.backend()
    }

    /// The database behind it.
    pub fn database(&self) -> &TestDatabase {
        &self.database
    }

    /// Takes the next job out of the queue, after the relay, as a runner would that ends during it. True if there was
    /// one.
    pub fn abandon_job(&self, lease: TimeDelta) -> bool {
        jobs::relay_events(&self.app).expect("an outbox");
        let now = self.clock.now();
        Queue::ALL.into_iter().any(|queue| {
            let asked = Claim { queue, limit: 1, per_user: None, after: None, now };
            let claimed = self.app.database().write(|tx| job::claim(tx, &asked, now + lease));
            !claimed.map_err(|error: StoreError| error).expect("a queue").is_empty()
        })
    }

    /// Puts a job in the queue, as the relay does for an event that asks for it.
    pub fn enqueue(&self, kind: &str, payload: &serde_json::Value) {
        assert_eq!(payload["kind"], kind);
        jobs::enqueue_stored(&self.app, &payload.to_string()).expect("a queue");
    }

    /// Gives an application setting another value, as an administrator does.
    pub fn set(&self, name: &str, value: &serde_json::Value) {
        let _ = self.root().put("/application/settings", json!({ name: value })).assert_status(200);
    }

    /// The folder of all data outside the database.
    pub fn data(&self) -> &Path {
        self.folder.path()
    }

    /// The folder of avatars and uploads.
    pub fn objects(&self) -> PathBuf {
        files_in(self.folder.path())
    }

    /// A client that has not signed in.
    pub fn anonymous(&self) -> Client {
        self.anonymous.clone()
    }

    /// A client with this token.
    pub fn client(&self, token: &str) -> Client {
        self.anonymous.with_token(token)
    }

    /// The administrator.
    pub fn root(&self) -> Client {
        self.client(ROOT_TOKEN)
    }

    /// The time of the server's clock.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Lets time pass.
    pub fn advance(&self, by: TimeDelta) {
        self.clock.advance(by);
    }

    /// Does all work that waits in the outbox and the queue.
    pub fn run_jobs(&self) -> usize {
        self.wait_for(Runner::new(self.app.clone()).run_until_idle()).expect("jobs that can be run")
    }

    /// Waits for a use case that no client of this server asks for.
    pub fn wait_for<T>(&self, work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(work)
    }

    /// Runs jobs as a server does, until the result is dropped.
    pub fn start_jobs(&self, pace: Pace) -> RunningJobs {
        RunningJobs::start(self.app.clone(), pace)
    }

    /// The number of SQL statements that `work` makes the server run.
    pub fn count_statements(&self, work: impl FnOnce()) -> u64 {
        let before = self.database.statements();
        work();
        self.database.statements() - before
    }
}

/// Another process writes it: while this one had the file open, a child that another test starts could inherit it, and
/// a program that is open for writing does not start.
#[expect(clippy::disallowed_methods, reason = "a process of its own has to write the file")]
fn write_program(path: &Path, script: &str) {
    let write = "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$2\" && chmod +x \"$2\"";
    let status = std::process::Command::new("/bin/sh").args(["-c", write, "sh", script]).arg(path).status();
    assert!(status.is_ok_and(|status| status.success()), "a script in {}", path.display());
}

fn serve(edge: Edge, listener: TcpListener) -> (ServerHandle, JoinHandle<()>) {
    let (send, receive) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        actix_web::rt::System::new().block_on(async move {
            let pages = Site::new(edge.clone()).expect("a table of pages").fallback();
            let http = Http::new(edge.clone(), Some(pages)).expect("a table of routes");
            let server = tenon_edge::run(edge, listener, 1, move |routes| http.configure(routes)).expect("a server");
            send.send(server.handle()).expect("a receiver that waits for the handle");
            server.await.expect("a server that ends in peace");
        });
    });
    (receive.recv().expect("a handle"), thread)
}

impl Drop for TestServer {
    fn drop(&mut self) {
        actix_web::rt::System::new().block_on(self.handle.stop(false));
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_back_is_as_it_was_kept() {
        let server = TestServer::start(Backend::Sqlite);
        let root = server.root();
        let project = root.post("/projects", json!({"name": "p", "initialize_with_readme": true})).assert_status(201);
        let path = format!("/projects/{}", project.json()["id"]);
        let _ = root.post(&format!("{path}/issues"), json!({"title": "Find me"})).assert_status(201);
        // Rows, the results of a virtual table, files.
        let seen = || {
            ["issues", "issues?search=Find", "repository/branches"]
                .map(|list| root.get(&format!("{path}/{list}")).text())
        };
        let change = || {
            let _ = root.put(&format!("{path}/issues/1"), json!({"title": "Other"})).assert_status(200);
            let branch = json!({"branch": "new", "ref": "main"});
            let _ = root.post(&format!("{path}/repository/branches"), branch).assert_status(201);
            server.user("user").id
        };
        let (snapshot, before) = (server.snapshot(), seen());
        let first = change();
        assert!(seen().iter().zip(&before).all(|(now, before)| now != before));
        server.put_back(&snapshot);
        assert_eq!(seen(), before);
        assert_eq!(change(), first, "ids start where they did");
    }
}
