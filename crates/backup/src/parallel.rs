//! Work on many things, several at a time.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use crate::error::BackupError;

/// The most threads that [`threads`] yields: more would wait for the disk.
const MOST: usize = 4;

/// As many threads as there are processors, up to four.
#[must_use]
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get).min(MOST)
}

/// Does `work` on all `items`, so many at a time, and yields what it returns in their order. `advance` is called after each. The first
/// failure of either ends it.
pub(crate) fn each<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(&T) -> Result<R, BackupError> + Sync,
    advance: &mut dyn FnMut() -> Result<(), BackupError>,
) -> Result<Vec<R>, BackupError> {
    let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let take = |sender: &mpsc::Sender<_>| {
        while !is_over.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { break };
            if sender.send((at, work(item))).is_err() {
                break;
            }
        }
    };
    let (sender, receiver) = mpsc::channel();
    let done: Result<BTreeMap<usize, R>, BackupError> = std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let sender = sender.clone();
            scope.spawn(move || take(&sender));
        }
        drop(sender);
        let done = receiver.iter().map(|(at, worked)| {
            let worked = worked?;
            advance().map(|()| (at, worked))
        });
        let done = done.collect();
        is_over.store(true, Ordering::Relaxed);
        done
    });
    Ok(done?.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..100).collect();
        let mut count = 0;
        let done = each(&items, 3, |item| Ok(item * 2), &mut || {
            count += 1;
            Ok(())
        });
        assert_eq!(done.unwrap(), items.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert_eq!(count, 100);
    }

    #[test]
    fn the_first_failure_ends_the_work() {
        let items: Vec<usize> = (0..100).collect();
        let refused = || BackupError::Refused("enough".to_owned());
        let failed = each(&items, 2, |item| if *item == 7 { Err(refused()) } else { Ok(()) }, &mut || Ok(()));
        assert!(matches!(failed, Err(BackupError::Refused(_))));
        let mut calls = 0;
        let failed = each(&items, 2, |_| Ok(()), &mut || {
            calls += 1;
            Err(refused())
        });
        assert!(failed.is_err());
        assert_eq!(calls, 1);
    }
}
