//! The end of work on a text before it is done.

use std::fmt::{Debug, Formatter};

/// After how many steps it is asked again.
const STEPS: usize = 256;

/// Says that work on a text ends early: because it has taken too long, or because no one waits for it any more. This
/// crate knows no clock.
#[derive(Clone, Copy, Default)]
pub struct Ends<'a>(Option<&'a dyn Fn() -> bool>);

/// The work has ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended;

impl<'a> Ends<'a> {
    /// Work that is done to its end.
    pub const NEVER: Ends<'static> = Ends(None);

    /// Work that ends as soon as `is_now` says so. It is asked often, and should answer fast.
    pub const fn when(is_now: &'a dyn Fn() -> bool) -> Self {
        Self(Some(is_now))
    }

    /// True if the work is to end.
    #[must_use]
    pub fn is_now(self) -> bool {
        self.0.is_some_and(|is_now| is_now())
    }

    /// Fails if the work is to end. Asks in some of the steps only.
    pub(crate) fn check(self, step: usize) -> Result<(), Ended> {
        if step.is_multiple_of(STEPS) && self.is_now() { Err(Ended) } else { Ok(()) }
    }
}

impl Debug for Ends<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(if self.0.is_some() { "Ends::when(..)" } else { "Ends::NEVER" })
    }
}
