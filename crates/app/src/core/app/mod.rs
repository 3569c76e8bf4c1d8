//! The application: the value through which every use case runs.

mod actor;
mod colours;
mod context;
mod crash_point;
mod feed;
mod file_permit;
mod in_folder;
mod openid;
mod outbound;
mod parts;
mod pools;
mod prove;
mod registry;
mod removal;
mod repositories;
mod run;
mod settings;
mod texts;

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use tenon_auth::{Entropy, Passwords, Secret, Vault};
use tenon_domain::id::UserId;
use tenon_domain::limits::Limits;
use tenon_domain::network::Origin;
use tenon_domain::refusal::AccessRefusal;
use tenon_domain::server_task::BackupPlan;
use tenon_domain::time::Timestamp;
use tenon_outbound::mail::Mailer;
use tenon_storage::{Database, ReadTx};

use crate::core::authentication;
use crate::core::caller::Caller;
use crate::core::clock::Clock;
use crate::core::error::AppError;
use crate::core::event_feed::EventFeed;
use crate::core::group_commit::Writers;
use crate::core::highlighter::Highlighter;
use crate::core::identity::{Credential, Identity};
use crate::core::links::{Links, SshAddress};
use crate::core::objects::Objects;
use crate::core::providers::{KnownProviders, SignInProvider};
use crate::core::push_sessions::PushSessions;
use crate::core::repositories::Repositories;
use crate::core::spending::anonymous_throttle::AnonymousThrottle;
use crate::core::spending::client::{Client, ProvedCredentials, secret};
use crate::core::spending::throttle::{RequestThrottle, SignInThrottle, Throttled};
use crate::core::spending::transfer_pools::TransferPools;
use crate::core::spending::worker_pool::{Shape, WorkerPool};
use crate::core::spending::write_turn::WriteTurns;
use crate::core::terms;
use crate::core::texts::{Gone, TextBudgets};
use crate::core::usage::Usage;
use crate::core::wakers::Wakers;

pub(crate) use actor::By;
pub use context::{Command, Query};
pub use crash_point::{CrashPoint, CrashPoints};
pub use file_permit::FilePermit;
pub(crate) use registry::{Handler, Reaction, Registry, Run};
use settings::KnownSettings;

/// The parts of an application.
pub struct Parts {
    /// The store of rows.
    pub database: Database,
    /// The store of files.
    pub objects: Objects,
    /// The store of repositories.
    pub repositories: Repositories,
    /// The source of the time.
    pub clock: Arc<dyn Clock>,
    /// The source of randomness.
    pub entropy: Arc<dyn Entropy>,
    /// The vault that seals secrets.
    pub vault: Vault,
    /// The address under which clients reach the server, without a slash at the end.
    pub base_url: String,
    /// The addresses by which the server itself is called, as far as they are known: it calls none of them on behalf of others.
    pub own_addresses: Vec<IpAddr>,
    /// The address under which clients reach Git over SSH.
    pub ssh: SshAddress,
    /// The bounds of callers' spending.
    pub limits: Limits,
    /// The hashing of passwords.
    pub passwords: Passwords,
    /// The program that is started with the command `highlight` to find the colours of code, with
    /// [`highlighter::run`](crate::highlighter::run) behind it: usually this one. `None` if code has no colours.
    pub highlighter: Option<PathBuf>,
    /// The sender of mail; `None` if none is sent.
    pub mail: Option<Mailer>,
    /// The providers with whose accounts users may sign in.
    pub providers: Vec<SignInProvider>,
    /// The backups that the server makes by itself.
    pub backups: Option<BackupPlan>,
    /// The points at which changes end half-way: tests only.
    pub crash_points: Option<Arc<dyn CrashPoints>>,
}

/// The application, as one client uses it: what it does is counted against that client's budgets. Cheap to clone.
#[derive(Clone)]
pub struct App {
    inner: Arc<Inner>,
    client: Client,
    /// Where its client calls from.
    origin: Origin,
    /// The user who caused what the server does by itself: jobs that follow from it take that user's turn.
    charged: Option<UserId>,
    /// True once its client no longer waits for the answer.
    gone: Gone,
}

struct Inner {
    parts: Parts,
    links: Links,
    usage: Usage,
    wakers: Arc<Wakers>,
    event_feed: Arc<EventFeed>,
    registry: &'static Registry,
    push_sessions: Arc<PushSessions>,
    transfer_pools: TransferPools,
    proved: ProvedCredentials,
    requests: RequestThrottle,
    ssh_connections: RequestThrottle,
    sign_ins: SignInThrottle,
    anonymous_throttle: AnonymousThrottle,
    settings: KnownSettings,
    git: WorkerPool,
    git_long: WorkerPool,
    readers: WorkerPool,
    credentials: WorkerPool,
    passwords: WorkerPool,
    searches: WorkerPool,
    texts: WorkerPool,
    text_budgets: TextBudgets,
    writers: Writers,
    write_turns: Arc<WriteTurns>,
    outbound: outbound::Outbound,
    known_providers: KnownProviders,
    highlighter: Option<Highlighter>,
}

/// The niceness of threads whose work may keep a core busy for long: a short task that waits for a core gets it first.
const GIVES_WAY: i32 = 10;
/// The niceness of threads that check pushes: a client can keep them busy without end, and each push waits for a
/// transfer anyway.
const COMES_LAST: i32 = 19;

impl App {
    /// Puts an application together, with what `registry` says of the resources.
    pub(crate) fn assemble(parts: Parts, registry: &'static Registry) -> Result<Self, std::io::Error> {
        let wakers: Arc<Wakers> = Arc::default();
        let woken = Arc::clone(&wakers);
        parts.database.on_queued(move |queue| woken.wake(queue));
        let event_feed: Arc<EventFeed> = Arc::default();
        let fed = Arc::clone(&event_feed);
        parts.database.on_events(move || fed.wake());
        let write_turns = Arc::new(WriteTurns::new(parts.database.writers()));
        let limits = &parts.limits.pools;
        let (waiting, each) = (limits.waiting, limits.waiting_per_client);
        let threads = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        let short = |name, number| Shape::short(name, number, waiting, each);
        let long = |name, number| Shape { niceness: GIVES_WAY, ..Shape::long(name, number, waiting, each) };
        let highlighter = |program| Highlighter::new(program, &parts.limits.highlight, Arc::clone(&parts.clock));
        let inner = Inner {
            links: Links::new(&parts.base_url, &parts.ssh),
            usage: Usage::default(),
            wakers,
            event_feed,
            registry,
            push_sessions: Arc::default(),
            transfer_pools: TransferPools::new(
                &parts.limits,
                Shape { niceness: COMES_LAST, ..long("inspect", limits.inspectors) },
            )?,
            proved: ProvedCredentials::default(),
            requests: RequestThrottle::new(&parts.limits.rates, Arc::clone(&parts.clock)),
            ssh_connections: RequestThrottle::new(&parts.limits.rates, Arc::clone(&parts.clock)),
            sign_ins: SignInThrottle::new(&parts.limits.rates, &parts.clock),
            anonymous_throttle: AnonymousThrottle::new(&parts.limits.rates, &parts.clock),
            settings: KnownSettings::new(&parts.clock),
            git: WorkerPool::new(Shape::long("git", limits.git, waiting, each))?,
            git_long: WorkerPool::new(long("git-long", limits.git_long))?,
            passwords: WorkerPool::new(long("password", limits.passwords))?,
            readers: WorkerPool::new(short("read", threads(parts.database.readers())))?,
            credentials: WorkerPool::new(Shape::for_strangers(
                "credential",
                threads(parts.database.credential_readers()),
                &parts.limits.connections,
            ))?,
            searches: WorkerPool::new(long("search", threads(parts.database.slow_readers())))?,
            texts: WorkerPool::new(long("text", limits.texts))?,
            text_budgets: TextBudgets::new(&parts.limits.texts, &parts.clock),
            writers: Writers::new(
                &parts.database,
                Arc::clone(&write_turns),
                short("write", threads(parts.database.writers())),
            )?,
            write_turns,
            outbound: outbound::Outbound::new(&parts),
            known_providers: KnownProviders::default(),
            highlighter: parts.highlighter.clone().map(highlighter).transpose()?,
            parts,
        };
        Ok(Self {
            inner: Arc::new(inner),
            client: Client::Server,
            origin: Origin::Server,
            charged: None,
            gone: Gone::default(),
        })
    }

    /// The same application, used by `client`.
    #[must_use]
    pub fn used_by(&self, client: Client) -> Self {
        let origin = if client == Client::Server { Origin::Server } else { self.origin };
        Self { inner: Arc::clone(&self.inner), client, origin, charged: None, gone: Gone::default() }
    }

    /// The same application, used from `address`, if that is known.
    #[must_use]
    pub fn with_origin(&self, address: Option<IpAddr>) -> Self {
        Self { origin: Origin::Client(address), ..self.clone() }
    }

    /// Where its client calls from.
    pub(crate) const fn origin(&self) -> Origin {
        self.origin
    }

    /// The same application, doing what `user` has caused: jobs that it queues take that user's turn. Pools and
    /// permits are still those of the client.
    pub(crate) fn charging(&self, user: Option<UserId>) -> Self {
        Self { charged: user, ..self.clone() }
    }

    /// The user whose turn jobs take that are queued by the server itself.
    pub(crate) fn charged_user(&self) -> Option<UserId> {
        self.charged
    }

    /// A random number, by which pauses are lengthened (`domain/src/backoff.rs`).
    pub(crate) fn jitter(&self) -> u8 {
        let mut byte = [0];
        self.entropy().fill(&mut byte);
        let [byte] = byte;
        byte
    }

    /// The queue's knowledge of the resources.
    pub(crate) fn registry(&self) -> &'static Registry {
        self.inner.registry
    }

    /// The client of a request that presents `credential` and comes from `address`: the user, if the credential was
    /// proved lately, or else the network.
    pub fn client_of(&self, credential: Option<&Credential>, address: Option<IpAddr>) -> Client {
        self.inner.proved.client(credential, address)
    }

    /// Counts one request of this client. Fails if it has sent too many over time.
    pub fn count_request(&self) -> Result<(), Throttled> {
        self.inner.requests.count(self.client)
    }

    /// Counts one connection over SSH of this client: by itself, so that requests over HTTP, of which strangers send
    /// many, close SSH for no user. Fails if it has begun too many over time.
    pub fn count_ssh_connection(&self) -> Result<(), Throttled> {
        self.inner.ssh_connections.count(self.client)
    }

    pub(crate) fn anonymous_throttle(&self) -> &AnonymousThrottle {
        &self.inner.anonymous_throttle
    }

    pub(crate) fn sign_ins(&self) -> &SignInThrottle {
        &self.inner.sign_ins
    }

    /// The answers of sign-in providers that are kept.
    pub(crate) fn known_providers(&self) -> &KnownProviders {
        &self.inner.known_providers
    }

    /// The parts of the application.
    pub(crate) fn parts(&self) -> &Parts {
        &self.inner.parts
    }

    /// The pushes that are under way.
    pub(crate) fn push_sessions(&self) -> &Arc<PushSessions> {
        &self.inner.push_sessions
    }

    /// How many clients may fetch and push at once.
    pub(crate) fn transfer_pools(&self) -> &TransferPools {
        &self.inner.transfer_pools
    }

    /// Asks only whether the caller may use the route at all: credentials, sudo and guard.
    pub async fn admit(&self, identity: &Identity) -> Result<(), AppError> {
        self.read(identity, |_query| Ok(())).await
    }

    /// Fails if the database does not answer.
    pub async fn ready(&self) -> Result<(), AppError> {
        self.read_for_server(|tx| Ok(tenon_storage::user::any(tx).map(|_| ())?)).await
    }

    /// The caller behind `identity`. Notes that the token was used, and whose budgets further requests count against.
    fn authenticate(&self, tx: &mut ReadTx<'_>, identity: &Identity, now: Timestamp) -> Result<Caller, AppError> {
        let admitted =
            authentication::admit(tx, identity, self.base_url(), now).and_then(|caller| terms::check(tx, caller));
        let admitted = admitted.and_then(|caller| self.check_demands(tx, identity, caller, now));
        let Some(secret) = identity.credential.as_ref().and_then(secret) else { return admitted };
        match &admitted {
            Ok(caller) => {
                if let Some(token) = &caller.token {
                    self.inner.usage.note(token, now);
                }
                if let Some(session) = &caller.session {
                    self.inner.usage.note_session(session, now);
                }
                let token_user = caller.token.as_ref().map(|token| token.user);
                match token_user.or(caller.user.as_ref().map(|user| user.id)) {
                    Some(user) => self.inner.proved.remember(secret, user),
                    // The cookie of a session that has ended.
                    None => self.inner.proved.forget(secret),
                }
            }
            Err(AppError::Unauthenticated | AppError::TokenExpired | AppError::TokenRevoked) => {
                self.inner.proved.forget(secret);
            }
            Err(_) => {}
        }
        admitted
    }

    /// Refuses the session of a user of whom something is demanded first, but on pages, which lead there.
    fn check_demands(
        &self,
        tx: &mut ReadTx<'_>,
        identity: &Identity,
        caller: Caller,
        now: Timestamp,
    ) -> Result<Caller, AppError> {
        let Some(Credential::Session { on_page: false, .. }) = identity.credential else { return Ok(caller) };
        let mut query = Query::new(tx.reborrow(), self, &caller, now);
        match (self.inner.registry.demanded_first)(&mut query)? {
            Some(demand) => Err(AccessRefusal::Demanded(demand).into()),
            None => Ok(caller),
        }
    }

    /// Notes that a request of Git proved this secret as that of a user.
    pub(crate) fn remember_proved(&self, secret: &Secret, user: UserId) {
        self.inner.proved.remember(secret.expose(), user);
    }

    /// The client whose budgets this handle counts against.
    pub(crate) fn client(&self) -> Client {
        self.client
    }
}
