//! Public keys in lists: those of the caller, and those of an account for its administrators.

use tenon_domain::gpg_key::GpgKey;
use tenon_domain::ssh_key::SshKey;

use crate::kit::words::Moment;

pub(crate) struct SshKeyRow {
    pub(crate) id: i64,
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) created: Moment,
    pub(crate) used: Option<Moment>,
}

pub(crate) struct GpgKeyRow {
    pub(crate) id: i64,
    pub(crate) text: String,
    pub(crate) created: Moment,
}

impl From<SshKey> for SshKeyRow {
    fn from(key: SshKey) -> Self {
        Self {
            id: key.id.get(),
            title: key.title,
            text: key.text,
            created: key.created_at.into(),
            used: key.last_used_at.map(Moment::from),
        }
    }
}

impl From<GpgKey> for GpgKeyRow {
    fn from(key: GpgKey) -> Self {
        Self { id: key.id.get(), text: key.text, created: key.created_at.into() }
    }
}
