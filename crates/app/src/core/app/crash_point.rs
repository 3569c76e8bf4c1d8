//! Places where tests let the server stop, as it were, in the middle of what changes two stores. Without the feature
//! `crash-points`, which only tests switch on, there is nothing here.

use crate::core::app::App;
use crate::core::error::AppError;

/// A place in a merge.
#[cfg_attr(not(feature = "crash-points"), expect(unreachable_pub, reason = "only tests name it"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrashPoint {
    /// The intent is recorded; the branch has not moved.
    Locked,
    /// The branch has moved; that is not recorded.
    Moved,
    /// The merge is recorded; nothing that follows from the update of the branch is.
    Finished,
}

impl App {
    /// Goes on, unless a test has asked to stop here.
    #[cfg(not(feature = "crash-points"))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the same shape as with the feature")]
    pub(crate) const fn crash_point(&self, _at: CrashPoint) -> Result<(), AppError> {
        Ok(())
    }

    /// Goes on, unless a test has asked to stop here.
    #[cfg(feature = "crash-points")]
    pub(crate) fn crash_point(&self, at: CrashPoint) -> Result<(), AppError> {
        let mut asked = self.crash_at().lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if asked.take_if(|asked| *asked == at).is_some() {
            return Err(AppError::internal("the server has stopped, as a test has asked"));
        }
        Ok(())
    }

    /// Lets the next one that comes to this place stop there.
    #[cfg(feature = "crash-points")]
    pub fn stop_at(&self, at: CrashPoint) {
        *self.crash_at().lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(at);
    }
}
