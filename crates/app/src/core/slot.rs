//! The values of work that other threads do.
//!
//! A use case returns one of hundreds of types. Its value is put aside here, so that what takes the work to a thread and
//! into a transaction is compiled once, and not for each of these types.

use std::sync::{Arc, Mutex, PoisonError};

use crate::core::error::AppError;

/// One end of the place for a value.
pub(crate) struct Slot<T>(Arc<Mutex<Option<T>>>);

impl<T> Slot<T> {
    /// The end for the work, and the one for who waits for it.
    pub(crate) fn pair() -> (Self, Self) {
        let value = Arc::default();
        (Self(Arc::clone(&value)), Self(value))
    }

    /// Puts the value of work aside. A failure is returned.
    pub(crate) fn put(self, outcome: Result<T, AppError>) -> Result<(), AppError> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome?);
        Ok(())
    }

    /// The value that was put aside.
    pub(crate) fn take(self) -> Result<T, AppError> {
        let value = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        value.ok_or_else(|| AppError::internal("work ended well without its value"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_taken_and_a_failure_returned() {
        let (work, waits) = Slot::pair();
        work.put(Ok(7)).unwrap();
        assert!(waits.take().is_ok_and(|value| value == 7));
        let (work, waits) = Slot::<u8>::pair();
        assert!(matches!(work.put(Err(AppError::Forbidden)), Err(AppError::Forbidden)));
        assert!(matches!(waits.take(), Err(AppError::Internal(_))));
    }
}
