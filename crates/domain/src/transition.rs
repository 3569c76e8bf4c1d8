//! The outcome of asking a state machine for a move.

/// A state after an event: changed, or the same as before. "Nothing changed" is a value, because the API answers it
/// differently (304, or another body).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transition<S> {
    /// The state is new and must be stored.
    Moved(S),
    /// The state was already that.
    Stayed(S),
}
