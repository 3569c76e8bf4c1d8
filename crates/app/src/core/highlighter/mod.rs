//! Colours of code: found by a process that can be killed, remembered, and not waited for long.
//!
//! **Invariant**: text of repositories is never parsed in this process. **Invariant**: a page waits for its colours for
//! 60 ms, and for `HighlightLimits::first` if the text is short, whatever it is; what is not there by then is plain,
//! and there at the next visit.

mod keeper;
mod known;
mod process;

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::process::{ExitCode, exit};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use rustix::time::{ClockId, clock_gettime};
use sha2::{Digest as _, Sha256};
use tenon_domain::id::ProjectId;
use tenon_domain::limits::HighlightLimits;
use tenon_git::Oid;
pub use tenon_highlight::{
    ChangedWords, Class, Colours, Licence, MAX_LINE, MAX_TEXT, Piece, Span, VERSION, Words, changed_words, licences,
    pieces, words_of_pair,
};
use tenon_highlight::{Language, Request, child};
use tokio::sync::watch;
use tokio::task::{JoinError, spawn_blocking};
use tokio::time::timeout_at;

use self::keeper::{Asked, Keeper, Outcome};
use self::known::{Key, Known};
use self::process::{Program, Start, is_gone};
use crate::core::clock::Clock;
use crate::core::spending::client::Client;
use crate::core::spending::permits::{Permit, Permits};
use crate::core::spending::worker_pool::{Shape, WorkerPool};

/// How long a page waits for all its colours together, if the texts are not short.
const PATIENCE: Duration = Duration::from_millis(60);
/// The unit in which waiting texts are counted.
const UNIT: usize = 1024;
/// The niceness of the thread that asks the process, and of the process: pages and Git come first.
const GIVES_WAY: i32 = 10;

/// A text whose colours a page shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The repository of the text: for the changes of a merge request, its source.
    pub origin: Origin,
    /// The blob that it is the content of, which this request has found in its repository; or the digest of a text that is none.
    pub blob: Oid,
    /// The source of its language.
    pub name: Naming,
    /// The whole of it: what begins above the lines that are shown counts.
    pub text: Arc<str>,
}

/// The source of a text's language.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Naming {
    /// The name of its file, without folders.
    File(Arc<str>),
    /// The name of the language, before a block of code.
    Fence(Arc<str>),
}

impl Naming {
    fn language(&self) -> Language<'_> {
        match self {
            Self::File(name) => Language::OfFile(name),
            Self::Fence(name) => Language::Named(name),
        }
    }

    /// Bytes of the name.
    fn len(&self) -> usize {
        match self {
            Self::File(name) | Self::Fence(name) => name.len(),
        }
    }
}

impl From<&str> for Naming {
    fn from(name: &str) -> Self {
        Self::File(name.into())
    }
}

impl From<String> for Naming {
    fn from(name: String) -> Self {
        Self::File(name.into())
    }
}

/// A block of code in a text: the name of its language, and the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    /// The name of the language.
    pub language: String,
    /// The code.
    pub code: String,
}

impl Fence {
    /// The same as a text. It is in no repository: its name follows from the code.
    pub(crate) fn source(self, origin: Origin) -> Source {
        Source { origin, blob: digest(&self.code), name: Naming::Fence(self.language.into()), text: self.code.into() }
    }
}

/// A name for a text that is no blob: as many digits as that of a blob has, of a stronger digest.
pub(crate) fn digest(text: &str) -> Oid {
    let digest = Sha256::digest(text.as_bytes());
    let halves = digest.iter().take(20).flat_map(|byte| [byte >> 4, byte & 15]);
    let digits: String = halves.filter_map(|half| char::from_digit(u32::from(half), 16)).collect();
    digits.parse().unwrap_or(Oid::ZERO)
}

/// A repository, as failures are counted: when its texts fail again and again, they are plain for some minutes, and those of
/// other repositories are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Origin(i64);

impl Origin {
    /// The repository with this number, which no other one has: the id of its project. A number below 0 is that of a user, for
    /// texts of the user alone.
    #[must_use]
    pub const fn new(number: i64) -> Self {
        Self(number)
    }
}

impl From<ProjectId> for Origin {
    fn from(project: ProjectId) -> Self {
        Self::new(project.get())
    }
}

/// The highlighter that finds the colours of code.
pub(crate) struct Highlighter {
    shared: Arc<Shared>,
    /// Its only thread asks the process; clients take turns.
    pool: WorkerPool,
}

struct Shared {
    keeper: Mutex<Keeper>,
    known: Known,
    /// Texts that are waited for by those who asked for them while they were being coloured.
    under_way: Mutex<HashMap<Key, watch::Receiver<Option<Arc<Colours>>>>>,
    /// Room for texts that wait.
    room: Permits,
    limits: HighlightLimits,
    clock: Arc<dyn Clock>,
}

impl Highlighter {
    /// A highlighter that starts `program` when it is needed. Fails if its thread cannot be started.
    pub(crate) fn new(program: PathBuf, limits: &HighlightLimits, clock: Arc<dyn Clock>) -> io::Result<Self> {
        Self::starting(Box::new(Program { path: program, limits: limits.clone() }), limits, clock)
    }

    fn starting(start: Box<dyn Start>, limits: &HighlightLimits, clock: Arc<dyn Clock>) -> io::Result<Self> {
        let shape =
            Shape { niceness: GIVES_WAY, ..Shape::long("highlight", 1, limits.waiting, limits.waiting.div_ceil(4)) };
        let shared = Shared {
            keeper: Mutex::new(Keeper::new(start, limits)),
            known: Known::new(limits.remembered),
            under_way: Mutex::default(),
            room: Permits::new(usize::try_from(limits.waiting_bytes).unwrap_or(usize::MAX) / UNIT),
            limits: limits.clone(),
            clock,
        };
        Ok(Self { shared: Arc::new(shared), pool: WorkerPool::new(shape)? })
    }

    /// The colours of these texts, in their order, as they are known after [`PATIENCE`]. The others are plain, and found in
    /// the background as far as there is room.
    pub(crate) async fn colours(&self, client: Client, sources: Vec<Source>) -> Vec<Arc<Colours>> {
        self.colours_within(PATIENCE, client, sources).await
    }

    /// The same for short texts, for which a page waits longer: for the colours of a file, or of all blocks of code of a page.
    pub(crate) async fn colours_of_short(&self, client: Client, sources: Vec<Source>) -> Vec<Arc<Colours>> {
        let bytes = sources.iter().map(|source| source.text.len()).fold(0, usize::saturating_add);
        let limits = &self.shared.limits;
        let is_short = u64::try_from(bytes).is_ok_and(|bytes| bytes <= limits.awaited);
        self.colours_within(if is_short { limits.first.duration() } else { PATIENCE }, client, sources).await
    }

    async fn colours_within(&self, patience: Duration, client: Client, sources: Vec<Source>) -> Vec<Arc<Colours>> {
        let deadline = tokio::time::Instant::now() + patience;
        let mut waits: Vec<Wait> = sources.into_iter().map(|source| self.begin(client, source)).collect();
        let mut found = Vec::with_capacity(waits.len());
        for wait in &mut waits {
            found.push(match wait {
                Wait::Known(colours) => Arc::clone(colours),
                Wait::UnderWay(coming) => match timeout_at(deadline, coming.wait_for(Option::is_some)).await {
                    Ok(Ok(colours)) => colours.clone().unwrap_or_default(),
                    // Not there yet, or not to be found now.
                    Ok(Err(_)) | Err(_) => Arc::default(),
                },
            });
        }
        found
    }

    /// Ends the process if it was not asked for long, on a thread that may wait for its end. Fails if that panics.
    pub(crate) async fn end_idle(&self) -> Result<(), JoinError> {
        let shared = Arc::clone(&self.shared);
        let work = move || {
            // One that is being asked is not idle.
            if let Ok(mut keeper) = shared.keeper.try_lock() {
                keeper.end_idle(shared.clock.elapsed());
            }
        };
        spawn_blocking(work).await
    }

    /// The number of texts that wait for the process.
    pub(crate) fn waiting(&self) -> usize {
        self.pool.waiting()
    }

    fn begin(&self, client: Client, source: Source) -> Wait {
        let plain = || Wait::Known(Arc::default());
        if source.text.is_empty() || source.text.len() > MAX_TEXT {
            return plain();
        }
        let key = Key { blob: source.blob, name: source.name };
        let now = self.shared.clock.elapsed();
        if let Some(colours) = self.shared.known.get(&key, now) {
            return Wait::Known(colours);
        }
        let units = u32::try_from(source.text.len().div_ceil(UNIT)).unwrap_or(u32::MAX);
        let coming = {
            let mut under_way = self.shared.under_way();
            if let Some(coming) = under_way.get(&key) {
                return Wait::UnderWay(coming.clone());
            }
            // A text that was under way a moment ago is known before it is not under way any more.
            if let Some(colours) = self.shared.known.get(&key, now) {
                return Wait::Known(colours);
            }
            let Ok(room) = self.shared.room.try_acquire(client, units) else { return plain() };
            let (result, coming) = watch::channel(None);
            under_way.insert(key.clone(), coming.clone());
            drop(under_way);
            let asked = Asked { client, origin: source.origin };
            let task = Task { shared: Arc::clone(&self.shared), key, text: source.text, asked, result, _room: room };
            // Polled once, which queues it. If it is dropped, because the queue is full for this client, it is not
            // under way any more.
            let work = move || {
                task.run();
                Ok(())
            };
            drop(self.pool.run(client, work).now_or_never());
            coming
        };
        Wait::UnderWay(coming)
    }
}

/// Colours that a page shows.
enum Wait {
    Known(Arc<Colours>),
    UnderWay(watch::Receiver<Option<Arc<Colours>>>),
}

/// A text in the queue. However it ends, it is not under way afterwards.
struct Task {
    shared: Arc<Shared>,
    key: Key,
    text: Arc<str>,
    asked: Asked,
    result: watch::Sender<Option<Arc<Colours>>>,
    _room: Permit,
}

impl Task {
    fn run(self) {
        let Self { shared, key, text, .. } = &self;
        let limits = &shared.limits;
        // The process gives up by itself before it is killed, so that its syntaxes need not be loaded again. If the
        // machine is not busy, its work is over before the time is.
        let [work, time] = [0.8, 0.9].map(|part| limits.file.mul_f32(part));
        let request = Request { text, language: key.name.language(), work, time };
        let outcome = shared.keeper().find(self.asked, &request, &|| shared.clock.elapsed());
        let now = shared.clock.elapsed();
        match outcome {
            Outcome::Found(colours) => {
                let colours = Arc::new(colours);
                shared.known.put(key.clone(), Arc::clone(&colours), now);
                self.result.send_replace(Some(colours));
            }
            Outcome::Hopeless => shared.known.put_hopeless(key.clone(), now),
            Outcome::HeldUp => shared.known.put_held_up(key.clone(), now),
            Outcome::NotTried => {}
        }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.shared.under_way().remove(&self.key);
    }
}

impl Shared {
    fn keeper(&self) -> MutexGuard<'_, Keeper> {
        self.keeper.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<Key, watch::Receiver<Option<Arc<Colours>>>>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Is the process that finds colours: answers what comes over standard input on standard output, and ends with it, also while
/// it works on a text.
#[must_use]
pub fn run() -> ExitCode {
    // Started first: without it, a process whose server was killed could work on for minutes.
    let watch = std::thread::Builder::new().name("watch".into()).spawn(|| {
        if is_gone(&io::stdin(), None) {
            exit(0);
        }
    });
    let begun = Instant::now();
    let now = || child::Moment { time: begun.elapsed(), work: work_of_this_process() };
    let served = watch.and_then(|_| child::serve(&mut io::stdin().lock(), &mut io::stdout().lock(), now));
    ExitCode::from(u8::from(served.is_err()))
}

fn work_of_this_process() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
