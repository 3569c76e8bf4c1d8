//! Standings of callers, and the three answers an ability can give.

mod level;
mod standing;

pub use level::AccessLevel;
pub use standing::{Decision, Standing, Viewer};
