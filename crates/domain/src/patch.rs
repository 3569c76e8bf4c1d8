//! A change to one optional value.

/// The wish of an edit for one field: leave it, empty it, or give it a value. The API's "empty or 0 unassigns" is
/// decoded into [`Patch::Clear`] at the edge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// The field was not sent.
    #[default]
    Absent,
    /// The field was sent empty.
    Clear,
    /// The field was sent with a value.
    Set(T),
}

impl<T> Patch<T> {
    /// `current` after this change.
    pub fn apply(self, current: Option<T>) -> Option<T> {
        match self {
            Self::Absent => current,
            Self::Clear => None,
            Self::Set(value) => Some(value),
        }
    }

    /// The same change of another type.
    pub fn map<U>(self, value: impl FnOnce(T) -> U) -> Patch<U> {
        match self {
            Self::Absent => Patch::Absent,
            Self::Clear => Patch::Clear,
            Self::Set(given) => Patch::Set(value(given)),
        }
    }

    /// True if anything was asked for.
    pub fn is_given(&self) -> bool {
        !matches!(self, Self::Absent)
    }
}
