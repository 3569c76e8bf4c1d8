//! The program `git`: where it is, its configuration, and what its processes may spend.

use std::ffi::OsString;
use std::path::PathBuf;

use tenon_domain::limits::Limits;

/// The settings with which every command of Git is started.
#[derive(Debug)]
pub(crate) struct Program {
    /// The whole path of the program; the given one if it was not found.
    pub(crate) path: PathBuf,
    /// The directories in which Git looks for programs.
    pub(crate) search_path: OsString,
    pub(crate) config: PathBuf,
    pub(crate) limits: Limits,
}
