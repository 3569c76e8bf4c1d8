//! The application: one value that everything else is asked of.

use std::sync::Arc;

use tenon_auth::{Entropy, Passwords, Vault};
use tenon_domain::id::UserId;
use tenon_domain::limits::Limits;
use tenon_domain::time::Timestamp;
use tenon_domain::user::UserState;
use tenon_storage::{Database, WriteTx};

use crate::authentication;
use crate::clock::Clock;
use crate::context::{Caller, Command, Query};
use crate::error::AppError;
use crate::group_commit::Writers;
use crate::identity::Identity;
use crate::lane::Lane;
use crate::links::Links;
use crate::objects::Objects;
use crate::repository::{Exchanges, Pushes, Repositories};
use crate::token::usage::Usage;

/// What an application is made of.
pub struct Parts {
    /// Where rows live.
    pub database: Database,
    /// Where files live.
    pub objects: Objects,
    /// Where repositories live.
    pub repositories: Repositories,
    /// What tells the time.
    pub clock: Arc<dyn Clock>,
    /// Where randomness comes from.
    pub entropy: Arc<dyn Entropy>,
    /// What seals secrets.
    pub vault: Vault,
    /// The address under which clients reach the server, without a slash at the end.
    pub base_url: String,
    /// What callers may make the server spend.
    pub limits: Limits,
    /// What hashes passwords.
    pub passwords: Passwords,
}

/// The application. Cheap to clone; all clones are the same application.
#[derive(Clone)]
pub struct App(Arc<Inner>);

struct Inner {
    parts: Parts,
    links: Links,
    usage: Usage,
    pushes: Arc<Pushes>,
    exchanges: Exchanges,
    #[cfg(feature = "crash-points")]
    crash_at: std::sync::Mutex<Option<crate::crash_point::CrashPoint>>,
    git: Lane,
    readers: Lane,
    checkers: Lane,
    slow_readers: Lane,
    writers: Writers,
}

/// Requests to Git at once: each is a process or two.
const GIT_THREADS: u32 = 6;
/// Passwords that are checked at once: each keeps a core busy for a tenth of a second.
const PASSWORD_THREADS: u32 = 2;
/// Requests that may wait in front of each lane.
const WAITING: usize = 1024;

impl App {
    /// Puts an application together. The database must have been migrated.
    pub fn new(parts: Parts) -> Result<Self, std::io::Error> {
        Ok(Self(Arc::new(Inner {
            links: Links::new(&parts.base_url),
            usage: Usage::default(),
            pushes: Arc::default(),
            exchanges: Exchanges::default(),
            #[cfg(feature = "crash-points")]
            crash_at: std::sync::Mutex::default(),
            git: Lane::new("git", GIT_THREADS, WAITING)?,
            checkers: Lane::new("password", PASSWORD_THREADS, WAITING)?,
            readers: Lane::new("read", parts.database.readers(), WAITING)?,
            slow_readers: Lane::new("search", parts.database.slow_readers(), WAITING)?,
            writers: Writers::new(&parts.database, WAITING)?,
            parts,
        })))
    }

    /// Runs a use case that reads, on one snapshot, as the caller that `identity` proves to be.
    pub async fn read<T: Send + 'static>(
        &self,
        identity: &Identity,
        work: impl FnOnce(&mut Query<'_>) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let (app, identity) = (self.clone(), identity.clone());
        self.0.readers.answer(move || app.read_now(&identity, work)).await
    }

    /// As [`App::read`], in a lane of its own: for what may have to look at very many rows, so that nobody who asks for
    /// little waits behind it.
    pub async fn search<T: Send + 'static>(
        &self,
        identity: &Identity,
        work: impl FnOnce(&mut Query<'_>) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let (app, identity) = (self.clone(), identity.clone());
        self.0.slow_readers.answer(move || app.read_now(&identity, work)).await
    }

    /// Runs a use case that writes: committed if it returns `Ok`, undone otherwise. It may share its commit with others.
    pub async fn write<T: Send + 'static>(
        &self,
        identity: &Identity,
        work: impl FnOnce(&mut Command<'_>) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let (app, identity) = (self.clone(), identity.clone());
        self.0.writers.run(move |tx| app.write_in(tx, &identity, work)).await
    }

    /// Runs work that blocks on one of the readers' threads.
    pub(crate) async fn on_reader<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        self.0.readers.run(work).await
    }

    /// Checks a password, in a lane of its own: who tries many keeps nobody else waiting.
    pub(crate) async fn on_checker<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        self.0.checkers.run(work).await
    }

    /// Runs work with Git, in a lane of its own: no read of the database waits behind it.
    pub(crate) async fn on_git<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        self.0.git.run(work).await
    }

    /// Where a test wants the next one to stop.
    #[cfg(feature = "crash-points")]
    pub(crate) fn crash_at(&self) -> &std::sync::Mutex<Option<crate::crash_point::CrashPoint>> {
        &self.0.crash_at
    }

    /// What the application is made of.
    pub(crate) fn parts(&self) -> &Parts {
        &self.0.parts
    }

    /// The pushes that are under way.
    pub(crate) fn pushes(&self) -> &Arc<Pushes> {
        &self.0.pushes
    }

    /// How many clients may fetch and push at once.
    pub(crate) fn exchanges(&self) -> &Exchanges {
        &self.0.exchanges
    }

    /// Asks only whether the caller may use the route at all: credentials, sudo and guard.
    pub async fn admit(&self, identity: &Identity) -> Result<(), AppError> {
        self.read(identity, |_query| Ok(())).await
    }

    /// Whether the database answers.
    pub async fn ready(&self) -> Result<(), AppError> {
        let database = self.0.parts.database.clone();
        self.0
            .readers
            .run(move || database.read(|tx| tenon_storage::user::any(tx).map(|_| ()).map_err(AppError::from)))
            .await
    }

    /// As [`App::read`], on the calling thread: for programs without a runtime.
    pub fn read_now<T>(
        &self,
        identity: &Identity,
        work: impl FnOnce(&mut Query<'_>) -> Result<T, AppError>,
    ) -> Result<T, AppError> {
        let now = self.now();
        self.0.parts.database.read(|tx| {
            let caller = authentication::admit(tx, identity, now)?;
            self.note_use(&caller, now);
            work(&mut Query { tx: tx.reborrow(), app: self, caller: &caller, now })
        })
    }

    /// As [`App::write`], on the calling thread.
    pub fn write_now<T>(
        &self,
        identity: &Identity,
        work: impl FnOnce(&mut Command<'_>) -> Result<T, AppError>,
    ) -> Result<T, AppError> {
        self.0.parts.database.write(|tx| self.write_in(tx, identity, work))
    }

    fn write_in<T>(
        &self,
        tx: &mut WriteTx<'_>,
        identity: &Identity,
        work: impl FnOnce(&mut Command<'_>) -> Result<T, AppError>,
    ) -> Result<T, AppError> {
        let now = self.now();
        let caller = authentication::admit(tx, identity, now)?;
        self.note_use(&caller, now);
        work(&mut Command { tx: tx.reborrow(), app: self, caller: &caller, now })
    }

    /// Runs a use case as the server itself, on behalf of nobody: first start, command line and jobs.
    pub fn command<T>(&self, work: impl FnOnce(&mut Command<'_>) -> Result<T, AppError>) -> Result<T, AppError> {
        let caller = Caller::default();
        let now = self.now();
        self.0.parts.database.write(|tx| work(&mut Command { tx: tx.reborrow(), app: self, caller: &caller, now }))
    }

    /// Runs a use case as a user who has asked for it earlier, with the rights that they have now; `None` where they have no
    /// account that may do anything any more.
    pub(crate) fn command_as<T>(
        &self,
        user: UserId,
        work: impl FnOnce(&mut Command<'_>) -> Result<T, AppError>,
    ) -> Result<Option<T>, AppError> {
        let now = self.now();
        self.0.parts.database.write(|tx| {
            let found = tenon_storage::user::find(tx, user)?;
            let Some(user) = found.filter(|user| user.state == UserState::Active && !user.ghost) else {
                return Ok(None);
            };
            let caller = Caller { user: Some(Box::new(user)), token: None };
            work(&mut Command { tx: tx.reborrow(), app: self, caller: &caller, now }).map(Some)
        })
    }

    /// Runs a use case as the administrator with the lowest id: for the command line, whose user may read the whole
    /// database anyway.
    pub fn administer<T>(&self, work: impl FnOnce(&mut Command<'_>) -> Result<T, AppError>) -> Result<T, AppError> {
        let now = self.now();
        self.0.parts.database.write(|tx| {
            let admin = tenon_storage::user::first_admin(tx)?;
            let admin = admin.map(|id| tenon_storage::user::find(tx, id)).transpose()?.flatten();
            let caller = Caller { user: admin.map(Box::new), token: None };
            work(&mut Command { tx: tx.reborrow(), app: self, caller: &caller, now })
        })
    }

    fn note_use(&self, caller: &Caller, now: Timestamp) {
        if let Some(token) = &caller.token {
            self.0.usage.note(token, now);
        }
    }

    /// The address under which clients reach the server, without a slash at the end.
    pub fn base_url(&self) -> &str {
        &self.0.parts.base_url
    }

    /// Where files live.
    pub fn objects(&self) -> &Objects {
        &self.0.parts.objects
    }

    /// The database, for maintenance.
    pub fn database(&self) -> &Database {
        &self.0.parts.database
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.0.parts.clock.now()
    }

    pub(crate) fn entropy(&self) -> &dyn Entropy {
        self.0.parts.entropy.as_ref()
    }

    pub(crate) fn vault(&self) -> &Vault {
        &self.0.parts.vault
    }

    pub(crate) fn passwords(&self) -> &Passwords {
        &self.0.parts.passwords
    }

    /// What callers may make the server spend.
    pub fn limits(&self) -> &Limits {
        &self.0.parts.limits
    }

    pub(crate) fn links(&self) -> &Links {
        &self.0.links
    }

    pub(crate) fn usage(&self) -> &Usage {
        &self.0.usage
    }
}
