//! The costs of texts: the processor time that formatting them may take, and the names in them, found before a
//! transaction stores them.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tenon_domain::limits::TextLimits;
use tenon_markdown::Names;

use crate::core::clock::Clock;
use crate::core::error::AppError;
use crate::core::spending::client::Client;

/// Texts of so many bytes together are read in less than a millisecond.
pub(crate) const SHORT_TEXT: usize = 4_096;

/// The processor time that this thread has used.
pub(crate) fn thread_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// True once the client that waits for an answer has gone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gone(Arc<AtomicBool>);

impl Gone {
    pub(crate) fn is(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// A guard that says so when it is dropped.
    pub(crate) fn on_drop(&self) -> GoneOnDrop {
        GoneOnDrop(self.clone())
    }
}

/// Says that a client has gone, when the request is dropped to which it belongs.
pub(crate) struct GoneOnDrop(Gone);

impl Drop for GoneOnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

/// How much processor time clients have used lately to format texts.
pub(crate) struct TextBudgets {
    clock: Arc<dyn Clock>,
    burst: Duration,
    /// The time that a client gets back in a second.
    refill: Duration,
    used: Mutex<HashMap<Client, Used>>,
}

/// The use of one client at a moment.
#[derive(Clone, Copy)]
struct Used {
    time: Duration,
    at: Duration,
}

/// With so many clients, those are forgotten that have used nothing lately.
const SWEEP: usize = 1024;

impl TextBudgets {
    /// Budgets as `limits` say.
    pub(crate) fn new(limits: &TextLimits, clock: &Arc<dyn Clock>) -> Self {
        let (burst, refill) = (limits.client.duration(), limits.client_refill.duration());
        Self { clock: Arc::clone(clock), burst, refill, used: Mutex::default() }
    }

    /// The time that is left for a client. The server's own work has no such bound.
    pub(crate) fn left(&self, client: Client) -> Duration {
        if client == Client::Server {
            return Duration::MAX;
        }
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let owed = used.get(&client).map_or(Duration::ZERO, |used| self.owed(*used));
        self.burst.saturating_sub(owed)
    }

    /// Counts what a client has used.
    pub(crate) fn count(&self, client: Client, time: Duration) {
        if client == Client::Server {
            return;
        }
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.len() >= SWEEP {
            used.retain(|_, used| !self.owed(*used).is_zero());
        }
        let at = self.clock.elapsed();
        let entry = used.entry(client).or_insert(Used { time: Duration::ZERO, at });
        *entry = Used { time: self.owed(*entry) + time, at };
    }

    /// The part of the use that still counts.
    fn owed(&self, used: Used) -> Duration {
        let passed = self.clock.elapsed().saturating_sub(used.at);
        let back = self.refill.as_secs_f64() * passed.as_secs_f64();
        used.time.saturating_sub(Duration::try_from_secs_f64(back).unwrap_or(Duration::MAX))
    }
}

/// The names in texts, for the command that stores them.
#[derive(Clone, Copy)]
pub(crate) enum Texts<'a> {
    /// It is found when it is asked for: the command runs if no request waits for its turn, or stores no such text.
    InPlace,
    /// It was found before the transaction.
    FoundBefore(&'a FoundTexts),
}

/// Texts, and what each of them names.
pub(crate) type KnownTexts = HashMap<String, Arc<Names>>;

/// The names that were found before a transaction, and those that are missing.
#[derive(Default)]
pub(crate) struct FoundTexts {
    known: KnownTexts,
    missing: Mutex<BTreeSet<String>>,
}

impl FoundTexts {
    pub(crate) fn of(known: KnownTexts) -> Self {
        Self { known, missing: Mutex::default() }
    }

    /// The names in each text. If one is not known, all that are not are remembered as missing, and the command fails:
    /// it begins anew with them.
    pub(crate) fn names(&self, texts: &[&str]) -> Result<Vec<Arc<Names>>, AppError> {
        let found: Vec<Option<Arc<Names>>> = texts.iter().map(|text| self.find(text)).collect();
        let unknown = texts.iter().zip(&found).filter(|(_, names)| names.is_none());
        let mut missing = self.missing.lock().unwrap_or_else(PoisonError::into_inner);
        missing.extend(unknown.map(|(text, _)| (*text).to_owned()));
        found.into_iter().collect::<Option<Vec<_>>>().ok_or(AppError::Busy { retry_after: 1 })
    }

    fn find(&self, text: &str) -> Option<Arc<Names>> {
        if text.is_empty() { Some(Arc::default()) } else { self.known.get(text).map(Arc::clone) }
    }

    /// The texts that were asked for and are not known.
    pub(crate) fn take_missing(&self) -> BTreeSet<String> {
        std::mem::take(&mut self.missing.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The known texts.
    pub(crate) fn into_known(self) -> KnownTexts {
        self.known
    }
}

#[cfg(test)]
mod tests {
    use tenon_domain::id::UserId;
    use tenon_domain::limits::{Limits, Milliseconds};
    use tenon_domain::time::Timestamp;

    use super::*;

    struct Still(Mutex<Duration>);

    impl Clock for Still {
        fn now(&self) -> Timestamp {
            Timestamp::default()
        }

        fn elapsed(&self) -> Duration {
            *self.0.lock().unwrap()
        }
    }

    #[test]
    fn a_client_gets_its_time_back() {
        let still = Arc::new(Still(Mutex::default()));
        let clock: Arc<dyn Clock> = still.clone();
        let limits =
            TextLimits { client: Milliseconds(1_000), client_refill: Milliseconds(100), ..Limits::default().texts };
        let budgets = TextBudgets::new(&limits, &clock);
        let (ann, bob) = (Client::User(UserId::new(1)), Client::User(UserId::new(2)));
        budgets.count(ann, Duration::from_millis(600));
        budgets.count(ann, Duration::from_millis(600));
        assert_eq!([budgets.left(ann), budgets.left(bob)], [Duration::ZERO, Duration::from_secs(1)]);
        *still.0.lock().unwrap() = Duration::from_secs(7);
        assert_eq!(budgets.left(ann), Duration::from_millis(500));
        budgets.count(Client::Server, Duration::from_secs(9));
        assert_eq!(budgets.left(Client::Server), Duration::MAX);
    }

    #[test]
    fn all_texts_that_are_missing_are_named_at_once() {
        let found = FoundTexts::of(HashMap::from([("a".to_owned(), Arc::default())]));
        assert!(found.names(&["a", ""]).is_ok());
        assert!(found.take_missing().is_empty());
        assert!(found.names(&["a", "b", "c", "b"]).is_err());
        assert_eq!(found.take_missing(), BTreeSet::from(["b", "c"].map(str::to_owned)));
    }
}
