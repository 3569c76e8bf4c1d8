//! An account, with the actions of an administrator on it.

use tenon_app::user::UserView;
use tenon_domain::time::Timestamp;
use tenon_domain::user::UserState;

use crate::kit::words::Moment;

/// A button with an action on an account.
pub(super) struct Action {
    /// The last segment of the address.
    pub(super) event: &'static str,
    pub(super) words: &'static str,
    /// The words of a second button that has to be pressed as well. Empty if there is none.
    pub(super) confirm: &'static str,
}

impl Action {
    const fn plain(event: &'static str, words: &'static str) -> Self {
        Self { event, words, confirm: "" }
    }

    pub(super) const fn asking(event: &'static str, words: &'static str, confirm: &'static str) -> Self {
        Self { event, words, confirm }
    }
}

const BLOCK: Action = Action::asking("block", "Block", "Block user");
const BAN: Action = Action::asking("ban", "Ban", "Ban user");

pub(super) struct Row {
    pub(super) id: i64,
    pub(super) name: String,
    pub(super) username: String,
    pub(super) email: String,
    pub(super) is_admin: bool,
    pub(super) is_external: bool,
    pub(super) state: &'static str,
    pub(super) created: Moment,
    pub(super) active_on: Option<String>,
    /// The actions that are possible.
    pub(super) events: Vec<Action>,
    pub(super) may_delete: bool,
    /// True if an administrator may act as the user.
    pub(super) may_impersonate: bool,
}

impl Row {
    pub(super) fn new(view: UserView, me: Option<i64>, now: Timestamp) -> Self {
        let user = view.user;
        let may_rest = user.deactivate(now).is_ok();
        let is_me = Some(user.id.get()) == me;
        let events = match user.state {
            _ if is_me || user.ghost => Vec::new(),
            UserState::Active if may_rest => {
                vec![BLOCK, Action::asking("deactivate", "Deactivate", "Deactivate user"), BAN]
            }
            UserState::Active => vec![BLOCK, BAN],
            UserState::Blocked => vec![Action::plain("unblock", "Unblock")],
            UserState::Deactivated => vec![Action::plain("activate", "Activate"), BLOCK],
            UserState::Banned => vec![Action::plain("unban", "Unban")],
            UserState::Pending => {
                vec![Action::plain("approve", "Approve"), Action::asking("reject", "Reject", "Reject and delete user")]
            }
        };
        Self {
            id: user.id.get(),
            is_admin: user.admin,
            is_external: user.external,
            state: match user.state {
                UserState::Active => "Active",
                UserState::Blocked => "Blocked",
                UserState::Deactivated => "Deactivated",
                UserState::Banned => "Banned",
                UserState::Pending => "Pending approval",
            },
            created: user.created_at.into(),
            active_on: user.last_activity_on.map(crate::kit::words::day),
            events,
            may_impersonate: !is_me && user.may_act() && !user.bot,
            may_delete: !is_me && !user.ghost && user.state != UserState::Pending,
            name: user.name,
            username: user.username,
            email: user.email,
        }
    }
}
