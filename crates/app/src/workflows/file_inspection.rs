//! Looking the files of the store over (`tenon admin doctor`): those that rows name and that are missing, and those that no row
//! names.

use std::collections::HashSet;

use tenon_domain::time::TimeDelta;
use tenon_storage::backup::named;
use tenon_storage::{job, lfs};

use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::objects::{LOST, Objects, UNFINISHED};
use crate::jobs::Job as _;
use crate::project::DeleteProject;
use crate::repository::maintenance::inspect::{Fault, Mending, Outcome};
use crate::shared::files::object_deletion::DeleteObject;
use crate::shared::files::stored;
use crate::workflows::account_deletion::DeleteUser;
use crate::workflows::group_deletion::DeleteGroup;

/// The most files of one kind of fault that are named.
const NAMED: usize = 20;
/// A file is stored before its row: one that is younger is no fault. Nor is one that a job is about to remove.
const YOUNG: TimeDelta = TimeDelta::days(1);
/// The kinds of jobs that remove files.
const REMOVALS: [&str; 4] = [DeleteGroup::KIND, DeleteObject::KIND, DeleteProject::KIND, DeleteUser::KIND];
/// So many files without a row may be moved away, and else this share of all.
const FEW: usize = 20;
const SHARE: usize = 20;

impl App {
    /// Compares the files of the store with the rows. Files without a row are moved to a folder of their own, unless they are so many
    /// that the database is likely not that of the files. Nothing is deleted. Blocks.
    pub(crate) fn inspect_files(&self, mending: Mending) -> Result<Vec<Fault>, AppError> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(AppError::internal)?;
        // First, because a file is stored before its row.
        let present = runtime.block_on(self.objects().stored_before(self.now() - YOUNG))?;
        let mut keys_of_rows = HashSet::new();
        let mut faults = Vec::new();
        let mut missing = 0;
        let mut keys = Vec::new();
        let (going, are_removed) = self.database().read(|tx| -> Result<_, AppError> {
            stored::each_key::<AppError>(tx, &mut |key| {
                keys.push(key);
                Ok(())
            })?;
            let going = named::projects(tx)?.into_iter().filter(|(_, is_going)| *is_going);
            let going: Vec<String> = going.map(|(id, _)| format!("{}/", stored::upload_folder(id))).collect();
            Ok((going, job::any_waiting(tx, &REMOVALS)?))
        })?;
        for key in keys {
            // The files of a project that is being deleted go before its rows.
            let is_going = going.iter().any(|folder| key.starts_with(folder));
            if !is_going && !runtime.block_on(self.objects().has(&key))? {
                missing += 1;
                if missing <= NAMED {
                    let text = format!("{key}: a row names it, and it is missing: restore it from a backup");
                    faults.push(Fault::new(text, false));
                }
            }
            keys_of_rows.insert(Objects::stored_key(&key));
        }
        if missing > NAMED {
            faults.push(Fault::new(format!("missing files that are not named here: {}", missing - NAMED), false));
        }
        let is_apart = |key: &str| key.starts_with(LOST) || key.starts_with(&format!("{UNFINISHED}/"));
        let is_stray = |key: &str| !is_apart(key) && !keys_of_rows.contains(key);
        let strays: Vec<&(String, u64)> = present.iter().filter(|(key, _)| is_stray(key)).collect();
        // A backup that runs may need them, and a job may be about to remove them: the next inspection reports them.
        if !strays.is_empty() && !are_removed && self.check_removal().is_ok() {
            let is_other = keys_of_rows.is_empty() || missing * 2 > keys_of_rows.len();
            let most = if is_other { 0 } else { FEW.max(keys_of_rows.len() / SHARE) };
            faults.push(self.set_files_aside(&strays, most, mending, &runtime)?);
        }
        if faults.is_empty() {
            let text = format!("files that rows name: {}, all are there", keys_of_rows.len());
            faults.push(Fault { text, outcome: Outcome::Harmless });
        }
        Ok(faults)
    }

    /// Moves files that no row names away, if there are not too many.
    fn set_files_aside(
        &self,
        strays: &[&(String, u64)],
        most: usize,
        mending: Mending,
        runtime: &tokio::runtime::Runtime,
    ) -> Result<Fault, AppError> {
        let count = strays.len();
        let bytes: u64 = strays.iter().map(|(_, size)| size).sum();
        let text = format!("files that no row names: {count}, {bytes} bytes");
        if count > most {
            let text = format!("{text}: so many that this may be the wrong database; nothing is moved");
            return Ok(Fault::new(text, false));
        }
        if mending == Mending::LookOnly {
            return Ok(Fault::new(format!("{text}: --fix moves them to {LOST}"), false));
        }
        for (key, _) in strays {
            let set_aside = || runtime.block_on(self.objects().rename(key, &format!("{LOST}{key}")));
            let Some(oid) = stored::lfs_oid(key) else {
                set_aside()?;
                continue;
            };
            // An upload may have stored the same object again since the rows were read.
            self.command(|command| if lfs::exists(&mut command.tx, &oid)? { Ok(()) } else { set_aside() })?;
        }
        Ok(Fault::new(format!("{text}, moved to {LOST}"), true))
    }
}
