//! The feed of streams of events: one place that knows the newest events, and how many streams there are.
//!
//! A stream that waits costs no thread and no read of the database. One task for all of them (`contribution/stream.rs`)
//! reads which events are new, and stores that here; each stream then finds out by itself what its caller may see of them.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenon_domain::id::{EventId, ProjectId, UserId};
use tenon_domain::limits::StreamLimits;
use tokio::sync::{Notify, watch};

use crate::core::error::AppError;
use crate::core::spending::client::Network;

/// The events that are remembered with their projects. A stream that is further behind reads the database.
const RECENT: usize = 4_096;
/// Seconds after which a caller with too many streams may try again.
const RETRY_AFTER: u32 = 30;

/// How far the list of events goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Newest {
    /// The newest event that is known here.
    pub(crate) id: EventId,
    /// True if all streams are to end: the server stops.
    pub(crate) is_over: bool,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct EventFeed {
    state: Mutex<State>,
    /// Called when this process has committed events.
    woken: Notify,
    newest: watch::Sender<Newest>,
}

#[derive(Debug, Default)]
struct State {
    all: usize,
    by_user: HashMap<UserId, usize>,
    by_network: HashMap<Network, usize>,
    /// True if a task reads which events are new.
    is_read: bool,
    recent: Recent,
}

/// The newest contributions with their projects.
#[derive(Debug, Default)]
struct Recent {
    places: VecDeque<(EventId, ProjectId)>,
    /// All contributions after this event are there; `None` before the first read.
    after: Option<EventId>,
}

impl Default for EventFeed {
    fn default() -> Self {
        let (newest, _) = watch::channel(Newest { id: EventId::new(0), is_over: false });
        Self { state: Mutex::default(), woken: Notify::new(), newest }
    }
}

/// One stream, counted until it is dropped.
#[derive(Debug)]
pub(crate) struct Seat {
    feed: Arc<EventFeed>,
    user: UserId,
    network: Network,
}

impl EventFeed {
    /// Counts one more stream of this user from this network. Fails if there are too many.
    pub(crate) fn enter(
        self: &Arc<Self>,
        user: UserId,
        network: Network,
        limits: &StreamLimits,
    ) -> Result<Seat, AppError> {
        let mut state = self.lock();
        let of_user = state.by_user.get(&user).copied().unwrap_or(0);
        let of_network = state.by_network.get(&network).copied().unwrap_or(0);
        if of_user >= limits.per_user || of_network >= limits.per_network {
            return Err(AppError::Throttled { retry_after: RETRY_AFTER });
        }
        if state.all >= limits.all {
            return Err(AppError::Busy { retry_after: RETRY_AFTER });
        }
        state.all += 1;
        state.by_user.insert(user, of_user + 1);
        state.by_network.insert(network, of_network + 1);
        Ok(Seat { feed: Arc::clone(self), user, network })
    }

    /// The receiver on which a stream waits.
    pub(crate) fn newest(&self) -> watch::Receiver<Newest> {
        self.newest.subscribe()
    }

    /// Notes that this process has committed events.
    pub(crate) fn wake(&self) {
        self.woken.notify_one();
    }

    /// Waits until [`EventFeed::wake`] is called; a call before counts.
    pub(crate) async fn woken(&self) {
        self.woken.notified().await;
    }

    /// Ends all streams, for good.
    pub(crate) fn end(&self) {
        self.newest.send_modify(|newest| newest.is_over = true);
        self.wake();
    }

    /// True if the caller has to start the task that reads which events are new: there is none.
    pub(crate) fn begin_reading(&self) -> bool {
        !std::mem::replace(&mut self.lock().is_read, true)
    }

    /// True if the task that reads goes on. Without streams it ends, and what is remembered is forgotten.
    pub(crate) fn goes_on(&self) -> bool {
        let mut state = self.lock();
        let goes_on = state.all > 0 && !self.newest.borrow().is_over;
        if !goes_on {
            state.is_read = false;
            state.recent = Recent::default();
        }
        goes_on
    }

    /// Notes that the task that reads was cut off.
    pub(crate) fn reading_was_cut_off(&self) {
        let mut state = self.lock();
        state.is_read = false;
        state.recent = Recent::default();
    }

    /// Announces new events to the streams: all that follow the last announced one, up to `newest`.
    pub(crate) fn publish(&self, places: &[(EventId, Option<ProjectId>)], newest: EventId) {
        {
            let recent = &mut self.lock().recent;
            recent.after.get_or_insert(newest);
            recent.places.extend(places.iter().filter_map(|(id, project)| Some((*id, (*project)?))));
            while recent.places.len() > RECENT {
                recent.after = recent.places.pop_front().map(|(id, _)| id);
            }
        }
        self.newest.send_if_modified(|known| {
            let is_newer = newest > known.id;
            known.id = known.id.max(newest);
            is_newer
        });
    }

    /// True if a contribution after `last` may be in one of `projects`, or in any if none are named. Certain only if
    /// the answer is no.
    pub(crate) fn may_concern(&self, projects: Option<&[ProjectId]>, last: EventId) -> bool {
        let state = self.lock();
        let recent = &state.recent;
        if recent.after.is_none_or(|after| last < after) {
            return true;
        }
        let new = recent.places.iter().rev().take_while(|(id, _)| *id > last);
        new.into_iter().any(|(_, project)| projects.is_none_or(|named| named.contains(project)))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut state = self.feed.lock();
        state.all -= 1;
        leave(&mut state.by_user, self.user);
        leave(&mut state.by_network, self.network);
    }
}

fn leave<K: std::hash::Hash + Eq>(counts: &mut HashMap<K, usize>, key: K) {
    if let Some(count) = counts.get_mut(&key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(last: u8) -> Network {
        Network::of(Some([192, 0, 2, last].into()))
    }

    fn limits(all: usize, per_user: usize, per_network: usize) -> StreamLimits {
        StreamLimits { all, per_user, per_network, ..StreamLimits::default() }
    }

    #[test]
    fn users_networks_and_all_together_have_a_bound_and_give_back_what_they_leave() {
        let feed = Arc::<EventFeed>::default();
        let limits = limits(3, 2, 2);
        let enter = |user, last| feed.enter(UserId::new(user), network(last), &limits);
        let held = [enter(1, 1).unwrap(), enter(1, 2).unwrap()];
        assert!(matches!(enter(1, 3), Err(AppError::Throttled { .. })), "of one user");
        let third = enter(2, 1).unwrap();
        assert!(matches!(enter(3, 1), Err(AppError::Throttled { .. })), "of one network");
        assert!(matches!(enter(3, 3), Err(AppError::Busy { .. })), "in all");
        drop((held, third));
        assert!(enter(1, 1).is_ok());
        let state = feed.lock();
        assert!(state.all == 0 && state.by_user.is_empty() && state.by_network.is_empty());
    }

    #[test]
    fn only_streams_that_may_be_concerned_read() {
        let feed = EventFeed::default();
        let (one, two) = (ProjectId::new(1), ProjectId::new(2));
        let id = EventId::new;
        assert!(feed.may_concern(Some(&[one]), id(5)), "nothing is known yet");
        feed.publish(&[], id(10));
        assert!(feed.may_concern(None, id(9)), "it is further behind");
        assert!(!feed.may_concern(None, id(10)));
        feed.publish(&[(id(11), None), (id(12), Some(two))], id(12));
        assert_eq!(feed.newest().borrow().id, id(12));
        assert!(feed.may_concern(None, id(10)) && feed.may_concern(Some(&[one, two]), id(11)));
        assert!(!feed.may_concern(Some(&[one]), id(10)) && !feed.may_concern(None, id(12)));
        let many: Vec<_> = (13..13 + 5_000).map(|number| (id(number), Some(one))).collect();
        feed.publish(&many, id(6_000));
        assert!(feed.may_concern(Some(&[two]), id(13)), "what happened then is forgotten");
    }

    #[test]
    fn one_task_reads_for_all_streams_and_ends_with_the_last() {
        let feed = Arc::<EventFeed>::default();
        let seat = feed.enter(UserId::new(1), network(1), &StreamLimits::default()).unwrap();
        assert!(feed.begin_reading() && !feed.begin_reading());
        assert!(feed.goes_on());
        drop(seat);
        assert!(!feed.goes_on() && feed.begin_reading());
        let _seat = feed.enter(UserId::new(1), network(1), &StreamLimits::default()).unwrap();
        feed.end();
        assert!(feed.newest().borrow().is_over && !feed.goes_on());
    }
}
