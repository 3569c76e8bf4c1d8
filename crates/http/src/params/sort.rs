//! The sort direction of lists.

use crate::params::choice;

choice! {
    /// The sort direction of a list.
    pub(crate) enum Sort {
        /// Rising.
        Asc = "asc",
        /// Falling.
        Desc = "desc",
    }
}
