//! Places at which a test ends a change of two stores half-way, as the end of the process would.

use crate::core::app::App;
use crate::core::error::AppError;

/// A place in a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrashPoint {
    /// The intent is recorded; the branch has not moved.
    Locked,
    /// The branch has moved; that is not recorded.
    Moved,
    /// The merge is recorded; nothing that follows from the update of the branch is. Of suggestions, all is recorded.
    Finished,
}

/// The hooks by which a test ends changes half-way.
pub trait CrashPoints: Send + Sync {
    /// True if the change that has come to this place ends there.
    fn ends_at(&self, place: CrashPoint) -> bool;
}

impl App {
    /// Fails if a test wants the change to end at this place. Never fails without [`CrashPoints`].
    pub(crate) fn crash_point(&self, place: CrashPoint) -> Result<(), AppError> {
        match &self.parts().crash_points {
            Some(points) if points.ends_at(place) => Err(AppError::internal("a test has ended the change here")),
            Some(_) | None => Ok(()),
        }
    }
}
