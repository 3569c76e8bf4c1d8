//! The consequences for users who download very many projects.

use tenon_domain::event::EventKind;
use tenon_domain::id::UserId;
use tenon_domain::transition::Transition;
use tenon_domain::user::UserEvent;
use tenon_storage::{session, user};

use crate::core::app::Command;
use crate::core::error::AppError;
use crate::jobs::{FollowDownloads, RowJob};
use crate::shared::access::account_state::save;

impl RowJob for FollowDownloads {
    /// Records that the user has downloaded too much, of which others get a mail, and bans the user if the settings say so.
    fn run(self, command: &mut Command<'_>) -> Result<(), AppError> {
        let id = UserId::new(self.user);
        let rules = command.query().settings()?.downloads.clone();
        let Some(found) = user::find(&mut command.tx, id)? else { return Ok(()) };
        if rules.exempts(&found.username) {
            return Ok(());
        }
        // A state that cannot be banned was changed by another request. An administrator is needed to lift a ban.
        if rules.bans
            && !found.admin
            && let Ok(outcome @ Transition::Moved(_)) = found.state.apply(UserEvent::Ban)
        {
            session::delete_of_user(&mut command.tx, id)?;
            save(command, id, outcome, EventKind::UserBanned)?;
        }
        let event = command.event(EventKind::UserDownloadedMany).user(id);
        command.append(&event)
    }
}
