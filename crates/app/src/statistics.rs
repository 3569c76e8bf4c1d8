//! How much of everything the server holds.

use tenon_storage::statistics;
pub use tenon_storage::statistics::Counts;

use crate::core::app::Query;
use crate::core::error::AppError;

/// Counts everything; administrators only.
pub fn count(query: &mut Query<'_>) -> Result<Counts, AppError> {
    query.administrators_only()?;
    Ok(statistics::count(&mut query.tx)?)
}
