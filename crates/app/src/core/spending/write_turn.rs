//! The order in which transactions get the connections that write: jobs give way to requests.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How urgent a transaction is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Priority {
    /// A client waits for it.
    Normal,
    /// It can wait, as jobs can. If others always wait, one such transaction begins every 100 ms all the same.
    Low,
}

/// The pause after which one transaction of low priority goes before those of normal priority.
const PAUSE: Duration = Duration::from_millis(100);

/// The turns of a database: as many at once as it has connections that write.
pub(crate) struct WriteTurns {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    free: u32,
    /// The number of transactions of normal priority that wait.
    normal: usize,
    /// The end of the last transaction of low priority.
    last_low: Option<Instant>,
}

/// A turn, which ends when this is dropped.
pub(crate) struct WriteTurn<'t> {
    of: &'t WriteTurns,
    priority: Priority,
}

impl State {
    /// The time after which a transaction of low priority may begin, if nothing changes. Zero: at once.
    fn pause(&self, now: Instant) -> Duration {
        let passed = self.last_low.map(|last| now.saturating_duration_since(last));
        if self.normal == 0 { Duration::ZERO } else { PAUSE.saturating_sub(passed.unwrap_or(PAUSE)) }
    }
}

impl WriteTurns {
    pub(crate) fn new(connections: u32) -> Self {
        let state = State { free: connections.max(1), normal: 0, last_low: None };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Waits for a turn.
    pub(crate) fn take(&self, priority: Priority) -> WriteTurn<'_> {
        let mut state = match priority {
            Priority::Normal => self.wait_first(),
            Priority::Low => self.wait_behind(),
        };
        state.free -= 1;
        WriteTurn { of: self, priority }
    }

    fn wait_first(&self) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        state.normal += 1;
        while state.free == 0 {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.normal -= 1;
        if state.normal == 0 {
            // Others may use what is still free.
            self.changed.notify_all();
        }
        state
    }

    fn wait_behind(&self) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        loop {
            let pause = state.pause(Instant::now());
            if state.free == 0 {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            } else if pause.is_zero() {
                return state;
            } else {
                state = self.changed.wait_timeout(state, pause).unwrap_or_else(PoisonError::into_inner).0;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for WriteTurn<'_> {
    fn drop(&mut self) {
        let mut state = self.of.lock();
        state.free += 1;
        if self.priority == Priority::Low {
            state.last_low = Some(Instant::now());
        }
        drop(state);
        self.of.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::{Receiver, channel};

    use super::*;

    /// Takes turns on threads of their own, in this order, while another one is held, and returns who got which turn.
    fn order(turns: &Arc<WriteTurns>, wanted: &[(&'static str, Priority)]) -> Receiver<&'static str> {
        let (sender, receiver) = channel();
        let held = turns.take(Priority::Normal);
        for (name, priority) in wanted.iter().copied() {
            let (turns, sender) = (Arc::clone(turns), sender.clone());
            std::thread::spawn(move || {
                let turn = turns.take(priority);
                sender.send(name).unwrap();
                drop(turn);
            });
        }
        let normal = wanted.iter().filter(|(_, priority)| *priority == Priority::Normal).count();
        while turns.lock().normal < normal {
            std::thread::yield_now();
        }
        drop(held);
        receiver
    }

    #[test]
    fn transactions_of_low_priority_give_way() {
        let turns = Arc::new(WriteTurns::new(1));
        // One ends later, so that none goes first, however long this test takes.
        turns.lock().last_low = Some(Instant::now() + Duration::from_hours(1));
        let all = order(&turns, &[("job", Priority::Low), ("request", Priority::Normal)]);
        assert_eq!(all.iter().take(2).collect::<Vec<_>>(), ["request", "job"]);
        assert_eq!(turns.lock().free, 1);
    }

    #[test]
    fn one_of_low_priority_begins_after_a_pause_although_others_wait() {
        let begin = Instant::now();
        let state = State { free: 1, normal: 3, last_low: Some(begin) };
        assert_eq!(state.pause(begin), PAUSE);
        assert_eq!(state.pause(begin + PAUSE), Duration::ZERO);
        assert_eq!(State { normal: 0, ..state }.pause(begin), Duration::ZERO);
    }
}
