//! An application that has everything in one folder: for programs that embed one.

use std::path::Path;
use std::sync::Arc;

use tenon_auth::{KEY_LENGTH, Passwords, SystemEntropy, Vault};
use tenon_domain::limits::Limits;
use tenon_storage::{Database, DatabaseUrl, Options};

use super::Parts;
use crate::core::clock::SystemClock;
use crate::core::error::AppError;
use crate::core::links::SshAddress;
use crate::core::objects::Objects;
use crate::core::repositories::Repositories;

impl Parts {
    /// The parts of an application that has everything in `folder`, which is made if it is missing: a SQLite database,
    /// brought up to date, files and repositories; the clock and the randomness of the system, and the usual limits.
    /// `key` seals secrets: it has to be the same each time. Fails if the database cannot be opened, and if Git is
    /// missing or too old.
    pub fn in_folder(folder: &Path, base_url: &str, key: &[u8; KEY_LENGTH]) -> Result<Self, AppError> {
        let objects = Objects::in_folder(&folder.join("objects"))?;
        let database = Database::open(Options::new(DatabaseUrl::Sqlite(folder.join("tenon.db"))))?;
        database.migrate()?;
        let limits = Limits::default();
        Ok(Self {
            database,
            objects,
            repositories: Repositories::in_folder(folder, None, &limits)?,
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy),
            vault: Vault::new(key),
            base_url: base_url.to_owned(),
            own_addresses: Vec::new(),
            ssh: SshAddress::default(),
            limits,
            passwords: Passwords::default(),
            highlighter: None,
            mail: None,
            providers: Vec::new(),
            backups: None,
            crash_points: None,
        })
    }
}
