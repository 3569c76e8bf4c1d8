//! Backups of a server while it serves, and their way back into an empty data folder and an empty database of either kind.
//!
//! A backup is a folder of files that are each written once (`docs/backup-format.md`): rows as lines of JSON, repositories as
//! packs and lists of refs, uploads as they are. Its manifest is written last; without one there is no backup. A later backup in the
//! same folder writes only packs and files that are new.
//!
//! A restored server has these properties: its rows are those of one moment, every file and commit that a row names is there, and
//! the refs of each repository are those that it had at one moment, which is not before that of the rows.

mod check;
mod create;
mod error;
mod folder;
mod journal;
mod lock;
mod manifest;
mod packer;
mod parallel;
mod pin;
mod progress;
mod prune;
mod refs;
mod restore;
mod rows;
mod seal;

pub use check::{Checked, verify_parts};
pub use create::{Source, create};
pub use error::BackupError;
pub use folder::{Folder, is_folder_of_backups};
pub use manifest::{Listing, Manifest, Summary, find, list, mark_verified};
pub use parallel::threads;
pub use progress::{Progress, Step};
pub use prune::{Keep, Pruned, prune};
pub use restore::{CALLING_JOBS, KEY_FILES, Place, Refs, is_copy, restore};
pub use seal::BackupKey;
