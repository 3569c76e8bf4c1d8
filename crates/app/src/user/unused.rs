//! Accounts that are not used: what becomes of them, if the settings say so.

use serde::{Deserialize, Serialize};
use tenon_domain::event::EventKind;
use tenon_domain::refusal::{Refusal, UserRefusal};
use tenon_domain::time::TimeDelta;
use tenon_domain::token::TokenKind;
use tenon_storage::job::Queue;
use tenon_storage::{bot, session, token, user};

use super::delete::remove;
use crate::core::app::Command;
use crate::core::error::AppError;
use crate::jobs::{Job, RowJob, enqueue};
use crate::shared::access::account_removal;
use crate::shared::access::account_state::save;

/// Accounts that one job changes; further ones have a job of their own.
const BATCH: i64 = 50;

/// Deactivates users who have done nothing for the time of the settings, and removes accounts whose address was not confirmed in
/// theirs, if the server asks for a confirmation. Administrators and internal users are left. Access tokens of projects and groups
/// that are dead for the time of the settings go as well, with the bots that have no other.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CleanUpAccounts {}

impl Job for CleanUpAccounts {
    const KIND: &'static str = "clean_up_accounts";
    const QUEUE: Queue = Queue::Short;
}

impl RowJob for CleanUpAccounts {
    fn run(self, command: &mut Command<'_>) -> Result<(), AppError> {
        let settings = command.query().settings()?;
        let mut changed = 0;
        if let Some(days) = settings.accounts.dormant_after_days {
            let found = user::dormant(&mut command.tx, command.now - TimeDelta::days(days), BATCH)?;
            for user in &found {
                // A state that admits none was changed by somebody in between.
                let Ok(outcome) = user.deactivate(command.now) else { continue };
                session::delete_of_user(&mut command.tx, user.id)?;
                save(command, user.id, outcome, EventKind::UserDeactivated)?;
                changed += 1;
            }
        }
        // Without mail, an address cannot be confirmed.
        let confirms = command.app.sends_mail() && settings.confirms_sign_ups;
        if let Some(days) = settings.accounts.unconfirmed_removed_after_days.filter(|_| confirms) {
            let found = user::unconfirmed(&mut command.tx, command.now - TimeDelta::days(days), BATCH)?;
            for user in &found {
                match remove(command, user.id, false) {
                    // Its group needs it.
                    Err(AppError::Refused(Refusal::User(UserRefusal::SoleOwner))) => {}
                    outcome => {
                        outcome?;
                        changed += 1;
                    }
                }
            }
        }
        let since = command.now - TimeDelta::days(settings.tokens.days_of_dead_bots);
        token::purge_dead(&mut command.tx, TokenKind::Bot, since)?;
        for bot in bot::astray(&mut command.tx, BATCH)? {
            account_removal::begin(command, bot, false)?;
            changed += 1;
        }
        if changed >= BATCH { enqueue(command, &self) } else { Ok(()) }
    }
}
