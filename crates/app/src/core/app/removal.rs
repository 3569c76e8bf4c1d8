//! The right to remove bytes now.

use tenon_storage::backup::pin;

use crate::core::app::App;
use crate::core::error::AppError;

/// Seconds after which a removal is tried again while a backup runs.
const BACKUP_PAUSE: u32 = 300;

impl App {
    /// To be asked before files of the store or objects of a repository are removed that rows may have named a moment ago.
    /// [`AppError::Busy`] while a backup runs: its rows are older than now.
    pub(crate) fn check_removal(&self) -> Result<(), AppError> {
        let now = self.now();
        let is_held: Result<bool, AppError> = self.database().read(|tx| Ok(pin::is_held(tx, now)?));
        if is_held? { Err(AppError::Busy { retry_after: BACKUP_PAUSE }) } else { Ok(()) }
    }
}
