//! Which way a list runs.

use crate::params::choice;

choice! {
    /// Which way a list is sorted.
    pub(crate) enum Sort {
        /// Rising.
        Asc = "asc",
        /// Falling.
        Desc = "desc",
    }
}
