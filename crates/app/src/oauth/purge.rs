//! Removal of grants that have ended.

use serde::{Deserialize, Serialize};
use tenon_domain::time::TimeDelta;
use tenon_domain::token::TokenKind;
use tenon_storage::job::Queue;
use tenon_storage::oauth::{device, grant};
use tenon_storage::token;

use crate::core::app::Command;
use crate::core::error::AppError;
use crate::jobs::{Job, RowJob};

/// Days for which a dead personal token is kept: so long, lists show it, and its rotation ends all that came out of it.
const DEAD_TOKEN_DAYS: i64 = 30;

/// Removes codes, grants and tokens of applications that have ended, and personal tokens that ended a while ago.
#[derive(Serialize, Deserialize)]
pub(crate) struct PurgeGrants {}

impl Job for PurgeGrants {
    const KIND: &'static str = "purge_grants";
    const QUEUE: Queue = Queue::Short;
}

impl RowJob for PurgeGrants {
    fn run(self, command: &mut Command<'_>) -> Result<(), AppError> {
        let now = command.now;
        grant::purge_expired(&mut command.tx, now)?;
        // For a while, the answer to a client is that its token or its code has expired, and not that there is none.
        device::purge_expired(&mut command.tx, now - TimeDelta::minutes(10))?;
        token::purge_ended(&mut command.tx, now - TimeDelta::days(1))?;
        token::purge_dead(&mut command.tx, TokenKind::Personal, now - TimeDelta::days(DEAD_TOKEN_DAYS))?;
        Ok(())
    }
}
