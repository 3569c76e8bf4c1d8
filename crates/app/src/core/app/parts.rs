//! The parts of the application, for its users.

use tenon_auth::{Entropy, Passwords, Vault};
use tenon_domain::limits::Limits;
use tenon_domain::server_task::BackupPlan;
use tenon_domain::time::Timestamp;
use tenon_storage::Database;

use super::App;
use crate::core::links::Links;
use crate::core::objects::Objects;
use crate::core::usage::Usage;
use crate::core::wakers::Wakers;

impl App {
    /// The address under which clients reach the server, without a slash at the end.
    pub fn base_url(&self) -> &str {
        &self.inner.parts.base_url
    }

    /// True if clients reach Git over SSH.
    pub fn serves_ssh(&self) -> bool {
        self.inner.parts.ssh.is_served
    }

    /// The store of files.
    pub fn objects(&self) -> &Objects {
        &self.inner.parts.objects
    }

    /// The database, for maintenance.
    pub fn database(&self) -> &Database {
        &self.inner.parts.database
    }

    /// The present time.
    pub fn now(&self) -> Timestamp {
        self.inner.parts.clock.now()
    }

    /// The backups that the server makes by itself, if it makes any.
    pub fn backup_plan(&self) -> Option<&BackupPlan> {
        self.inner.parts.backups.as_ref()
    }

    pub(crate) fn entropy(&self) -> &dyn Entropy {
        self.inner.parts.entropy.as_ref()
    }

    pub(crate) fn vault(&self) -> &Vault {
        &self.inner.parts.vault
    }

    pub(crate) fn passwords(&self) -> &Passwords {
        &self.inner.parts.passwords
    }

    /// The bounds of callers' spending.
    pub fn limits(&self) -> &Limits {
        &self.inner.parts.limits
    }

    pub(crate) fn links(&self) -> &Links {
        &self.inner.links
    }

    /// The wakers on which the runners of jobs sleep.
    pub(crate) fn wakers(&self) -> &Wakers {
        &self.inner.wakers
    }

    pub(crate) fn usage(&self) -> &Usage {
        &self.inner.usage
    }
}
