//! The pin of a backup that runs.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use tenon_app::{Clock, Database, StoreError};
use tenon_storage::backup::pin;

use crate::error::BackupError;

/// How long a pin lives without being renewed, and the time between two renewals.
const LEASE: Duration = Duration::from_mins(10);
const RENEWAL: Duration = Duration::from_mins(1);
/// How long a backup may take. The disk of a server would fill up behind a longer one, since it removes nothing meanwhile.
const LONGEST: Duration = Duration::from_hours(12);

/// The pin of a backup: a thread renews it until it is dropped.
pub(crate) struct Pin {
    database: Database,
    clock: Arc<dyn Clock>,
    id: String,
    begun: Duration,
    shared: Arc<Shared>,
}

/// The state that the thread of a pin shares with its backup.
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

struct State {
    /// When the pin was renewed last, by the clock that never jumps.
    renewed: Duration,
    /// True if it has ever ended before it was renewed.
    has_lapsed: bool,
    has_ended: bool,
}

impl Pin {
    /// Takes away the pin of a backup that has ended.
    pub(crate) fn release_of(database: &Database, id: &str) -> Result<(), BackupError> {
        Ok(database.write(|tx| pin::release(tx, id))?)
    }

    /// Sets the pin of the backup `id`. Refused while another backup runs.
    pub(crate) fn hold(database: &Database, clock: &Arc<dyn Clock>, id: &str) -> Result<Self, BackupError> {
        let (now, begun) = (clock.now(), clock.elapsed());
        let is_taken = database.write(|tx| {
            let is_taken = pin::is_held(tx, now)?;
            if !is_taken {
                pin::hold(tx, id, now, now + LEASE)?;
            }
            Ok::<_, StoreError>(is_taken)
        })?;
        if is_taken {
            let text = "another backup of this server runs, or one into another folder was ended by force less than ten minutes ago: \
                 try again then";
            return Err(BackupError::Refused(text.to_owned()));
        }
        let state = Mutex::new(State { renewed: begun, has_lapsed: false, has_ended: false });
        let pin = Self {
            database: database.clone(),
            clock: Arc::clone(clock),
            id: id.to_owned(),
            begun,
            shared: Arc::new(Shared { state, wake: Condvar::new() }),
        };
        let (database, id) = (pin.database.clone(), pin.id.clone());
        let (shared, clock) = (Arc::clone(&pin.shared), Arc::clone(&pin.clock));
        let spawned =
            std::thread::Builder::new().name("pin".to_owned()).spawn(move || renew(&database, &*clock, &id, &shared));
        spawned.map_err(BackupError::Thread)?;
        Ok(pin)
    }

    /// Fails if the backup has taken too long, or if its pin could not be renewed in time: bytes may have gone since.
    pub(crate) fn check(&self) -> Result<(), BackupError> {
        let now = self.clock.elapsed();
        let state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.has_lapsed || now.saturating_sub(state.renewed) > LEASE {
            let text =
                "the database could not be told for ten minutes that a backup runs, so that it was given up: try again";
            return Err(BackupError::GivenUp(text));
        }
        if now.saturating_sub(self.begun) > LONGEST {
            return Err(BackupError::GivenUp("the backup has taken longer than twelve hours and was given up"));
        }
        Ok(())
    }
}

/// Renews a pin each minute until its backup has ended.
fn renew(database: &Database, clock: &dyn Clock, id: &str, shared: &Shared) {
    let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
    while !state.has_ended {
        let (woken, waited) = shared.wake.wait_timeout(state, RENEWAL).unwrap_or_else(PoisonError::into_inner);
        state = woken;
        if state.has_ended || !waited.timed_out() {
            continue;
        }
        let now = clock.now();
        match database.write(|tx| pin::hold(tx, id, now, now + LEASE)) {
            Ok(()) => {
                let renewed = clock.elapsed();
                state.has_lapsed |= renewed.saturating_sub(state.renewed) > LEASE;
                state.renewed = renewed;
            }
            Err(error) => tracing::warn!(%error, "the pin of the backup could not be renewed"),
        }
    }
}

impl Drop for Pin {
    fn drop(&mut self) {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).has_ended = true;
        self.shared.wake.notify_all();
        if let Err(error) = Self::release_of(&self.database, &self.id) {
            tracing::warn!(%error, "the pin of the backup ends by itself in a few minutes");
        }
    }
}
