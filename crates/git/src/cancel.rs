//! Work that is no longer waited for, and how its processes of Git are ended.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// The token of the work that this thread does.
    static CURRENT: RefCell<Option<CancelToken>> = const { RefCell::new(None) };
}

/// Says that work is no longer wanted. All clones are the same token.
///
/// Every process of Git that is started within [`CancelToken::scope`] is killed within a tenth of a second after
/// [`CancelToken::cancel`], and its command fails with [`crate::GitError::Cancelled`]. Streams that the work returns
/// keep the token.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Ends all work under this token, and work that would begin under it later.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// True if [`CancelToken::cancel`] was called.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Runs `work` on this thread, under this token.
    pub fn scope<T>(&self, work: impl FnOnce() -> T) -> T {
        // Restored when it is dropped, so that after a panic the next work of this thread does not get the token.
        let _earlier = Restored(CURRENT.replace(Some(self.clone())));
        work()
    }

    /// Cancels this token when it is dropped, unless [`CancelOnDrop::disarm`] was called before.
    #[must_use]
    pub fn on_drop(&self) -> CancelOnDrop {
        CancelOnDrop(Some(self.clone()))
    }

    /// The token of the work that this thread does, if it has one.
    pub(crate) fn current() -> Option<Self> {
        CURRENT.with_borrow(Clone::clone)
    }
}

struct Restored(Option<CancelToken>);

impl Drop for Restored {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// Cancels a token when it is dropped: to be held by the future that waits for the work.
#[derive(Debug)]
pub struct CancelOnDrop(Option<CancelToken>);

impl CancelOnDrop {
    /// The work is done: the token stays as it is.
    pub fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(token) = &self.0 {
            token.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_current_within_its_scope_only() {
        let (outer, inner) = (CancelToken::default(), CancelToken::default());
        outer.scope(|| {
            inner.scope(|| CancelToken::current().unwrap().cancel());
            assert!(inner.is_cancelled() && !CancelToken::current().unwrap().is_cancelled());
        });
        assert!(CancelToken::current().is_none());
    }

    #[test]
    fn work_that_is_given_up_is_cancelled_and_work_that_is_done_is_not() {
        let token = CancelToken::default();
        token.on_drop().disarm();
        assert!(!token.is_cancelled());
        drop(token.on_drop());
        assert!(token.is_cancelled());
    }
}
