//! The people who are invited to a project or group by mail, and have not answered yet.

use tenon_app::error::AppError;
use tenon_app::member::{self, InvitationView, Invite};
use tenon_app::{Command, ContainerReference, Query};
use tenon_domain::access::AccessLevel;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Date;

use crate::kit::error::permitted;
use crate::kit::words::day;

/// The open invitations as their list shows them.
#[derive(Default)]
pub(crate) struct Invited {
    pub(crate) rows: Vec<InvitedRow>,
    pub(crate) total: i64,
}

pub(crate) struct InvitedRow {
    pub(crate) address: String,
    pub(crate) level: &'static str,
    /// The first day on which the membership will no longer count.
    pub(crate) expires_words: Option<String>,
    /// The last day of the link.
    pub(crate) ends_words: String,
    pub(crate) by: Option<String>,
}

/// Reads the first open invitations; none for callers who may not manage the members.
pub(crate) fn read(query: &mut Query<'_>, of: &ContainerReference) -> Result<Invited, AppError> {
    let most = PageRequest::new(None, Some(PageRequest::MAX_PER_PAGE));
    let found = permitted(member::invitations(query, of, None, most))?;
    Ok(found.map(Invited::of).unwrap_or_default())
}

impl Invited {
    fn of(Page { items, total, .. }: Page<InvitationView>) -> Self {
        let row = |InvitationView { invitation, inviter }| InvitedRow {
            address: invitation.address,
            level: invitation.level.name(),
            expires_words: invitation.expires_at.map(day),
            ends_words: day(invitation.ends_at.date_naive()),
            by: inviter.map(|inviter| inviter.username),
        };
        Self { rows: items.into_iter().map(row).collect(), total }
    }
}

/// Invites these addresses, all or none.
pub(crate) fn invite(
    command: &mut Command<'_>,
    of: &ContainerReference,
    addresses: Vec<String>,
    level: Option<AccessLevel>,
    expires_at: Option<Date>,
) -> Result<(), AppError> {
    if addresses.is_empty() {
        return Ok(());
    }
    let refused = member::invite(command, of, Invite { addresses, level, expires_at, ..Invite::default() })?;
    match refused.into_iter().next() {
        None => Ok(()),
        Some((address, reason)) => {
            Err(AppError::invalid("user_ids", format!("include {address}, which cannot be invited: {reason}")))
        }
    }
}
