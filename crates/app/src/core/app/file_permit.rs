//! Permits to read stored files.

use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::spending::permits::Permit;

/// A permit to read a stored file, until it is dropped.
#[derive(Debug)]
pub struct FilePermit(#[expect(dead_code, reason = "held, not read")] Permit);

impl App {
    /// A permit to read a stored file, which is held whole until its answer is made. [`AppError::Busy`] if none becomes
    /// free in time.
    pub async fn file_permit(&self) -> Result<FilePermit, AppError> {
        let permits = self.transfer_pools().files.of(self.client());
        permits.acquire(self.client(), self.limits().transfers.patience).await.map(FilePermit)
    }
}
