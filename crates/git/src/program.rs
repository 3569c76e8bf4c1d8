//! The program `git`: where it is, its configuration, and what its processes may spend.

use std::ffi::OsString;
use std::path::PathBuf;

use tenon_domain::limits::Limits;

/// What every command of Git is started with.
#[derive(Debug)]
pub(crate) struct Program {
    /// The program, by its whole path where it was found.
    pub(crate) path: PathBuf,
    /// Where Git looks for programs.
    pub(crate) search_path: OsString,
    /// The file with the configuration.
    pub(crate) config: PathBuf,
    /// What processes may spend, and what a push may bring.
    pub(crate) limits: Limits,
}
