//! A folder for temporary files, in memory.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};

use crate::run;

/// Makes a folder, prints its path, and removes it at the end of standard input. The folder is made only if 4 GiB are
/// free and programs may be started there: a container often has little room, or allows no programs.
const KEEPER: &str = r#"
room=$(df -Pk "$1" 2>/dev/null | awk 'NR == 2 { print $4 }')
[ "${room:-0}" -ge 4194304 ] || exit 1
dir=$(mktemp -d "$1/tenon-test.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
printf '#!/bin/sh\n' >"$dir/try" && chmod +x "$dir/try" && "$dir/try" && rm "$dir/try" || exit 1
echo "$dir"
exec >/dev/null
while read -r _; do :; done
"#;

/// A folder in memory. However this process ends, the kernel closes a pipe, at whose other end a shell removes the
/// folder.
pub(crate) struct MemoryFolder {
    path: PathBuf,
    shell: Child,
    lifeline: Option<ChildStdin>,
}

impl MemoryFolder {
    /// Makes one below `parent`, such as `/dev/shm`. `None` if that is no place for it.
    pub(crate) fn below(parent: &Path) -> Option<Self> {
        let mut command = run::other(OsStr::new("/bin/sh"));
        // A signal to this process' group must not end the shell before it has cleaned up.
        command.args(["-c", KEEPER, "sh"]).arg(parent).process_group(0);
        let mut shell = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
        let lifeline = shell.stdin.take();
        let mut line = String::new();
        BufReader::new(shell.stdout.take()?).read_line(&mut line).ok()?;
        let path = PathBuf::from(line.trim_end());
        let folder = Self { path, shell, lifeline };
        folder.path.is_dir().then_some(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for MemoryFolder {
    fn drop(&mut self) {
        drop(self.lifeline.take());
        // A shell that cannot be waited for has ended.
        _ = self.shell.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_goes_with_its_value() {
        let Some(folder) = MemoryFolder::below(Path::new("/dev/shm")) else { return };
        let path = folder.path().to_owned();
        std::fs::write(path.join("file"), "content").unwrap();
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn where_it_cannot_be_made_there_is_none() {
        assert!(MemoryFolder::below(Path::new("/nowhere")).is_none());
    }
}
