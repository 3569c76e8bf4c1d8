//! File permissions: no other account of the machine may read the data of the server.

use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use rustix::fs::Mode;
use rustix::process::umask;

/// The permission bits of groups and others.
const OF_OTHERS: u32 = 0o077;
/// The sticky bit: a folder that accounts share, such as `/tmp`.
const SHARED: u32 = 0o1000;

/// Sets the umask: files that this process and its children create are readable by their own account only.
pub(crate) fn mask_new_files() {
    umask(Mode::RWXG | Mode::RWXO);
}

/// Removes the permissions of other accounts on the data folder. If that fails, the server runs anyway and logs what to
/// do.
pub(crate) fn narrow(folder: &Path) {
    let found = match std::fs::metadata(folder) {
        Ok(found) => found,
        Err(error) => {
            tracing::warn!(folder = %folder.display(), %error, "the rights to the data folder cannot be read");
            return;
        }
    };
    let mode = found.mode() & 0o7777;
    if mode & OF_OTHERS == 0 {
        return;
    }
    let before = format!("{mode:04o}");
    if mode & SHARED != 0 {
        tracing::warn!(
            folder = %folder.display(),
            mode = before,
            "the data folder is one that accounts share, and stays open to them: give the server a folder of its own"
        );
        return;
    }
    match std::fs::set_permissions(folder, Permissions::from_mode(mode & !OF_OTHERS)) {
        Ok(()) => {
            tracing::info!(folder = %folder.display(), before, "the data folder was open to other accounts: closed");
        }
        Err(error) => tracing::warn!(
            folder = %folder.display(),
            mode = before,
            %error,
            "other accounts of this machine can read the data folder: chmod 0700 it"
        ),
    }
}

/// Removes the permissions of other accounts on a SQLite database: an earlier version, or a restore, may have set them.
/// New files are private from the start ([`mask_new_files`]), and SQLite creates its other files with the permissions
/// of the database file.
pub(crate) fn narrow_database(file: &Path) {
    for beside in ["", "-wal", "-shm", "-journal"] {
        let mut path = file.as_os_str().to_owned();
        path.push(beside);
        let path = Path::new(&path);
        let Ok(found) = std::fs::metadata(path) else { continue };
        let mode = found.mode() & 0o7777;
        if !found.is_file() || mode & OF_OTHERS == 0 {
            continue;
        }
        let before = format!("{mode:04o}");
        match std::fs::set_permissions(path, Permissions::from_mode(mode & !OF_OTHERS)) {
            Ok(()) => tracing::info!(file = %path.display(), before, "the database was open to other accounts: closed"),
            Err(error) => tracing::warn!(
                file = %path.display(),
                mode = before,
                %error,
                "other accounts of this machine can read the database: chmod 0600 it"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(folder: &Path) -> u32 {
        std::fs::metadata(folder).unwrap().mode() & 0o7777
    }

    #[test]
    fn a_folder_that_accounts_share_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        for (before, after) in [(0o755, 0o700), (0o700, 0o700), (0o1777, 0o1777), (0o2750, 0o2700)] {
            std::fs::set_permissions(folder.path(), Permissions::from_mode(before)).unwrap();
            narrow(folder.path());
            assert_eq!(mode(folder.path()), after, "{before:o}");
        }
        narrow(&folder.path().join("absent"));
    }
}
