//! The program `git`, its configuration and its hooks.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tenon_domain::limits::Limits;

use crate::command::Command;
use crate::config;
use crate::error::GitError;
use crate::numstat::Stats;
use crate::objects::Pool;
use crate::program::Program;
use crate::remembered::{Answers, Remembered};

/// `merge-tree --merge-base` came with 2.40, `--exclude` of `for-each-ref` with 2.42, `attr.tree` with 2.43.
const OLDEST: (u32, u32) = (2, 43);
const OLDEST_TEXT: &str = "2.43";

/// The settings of an [`Engine`].
#[derive(Debug, Clone)]
pub struct EngineSettings {
    /// The program, by path or by name.
    pub program: PathBuf,
    /// The directories in which Git looks for programs.
    pub search_path: OsString,
    /// A directory of the server's own for the configuration file and the hooks. Made if it is not there.
    pub folder: PathBuf,
    /// The program that the hooks are links to; its `main` calls [`crate::hook::run`] when it is started by such a
    /// name. `None` if no push is checked: for tests, and for tools that serve no clients.
    pub hook_program: Option<PathBuf>,
    /// The resources of processes of Git, and the limits of a push.
    pub limits: Limits,
}

impl EngineSettings {
    /// The `git` on the usual path, the default limits and no hooks.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self {
            program: PathBuf::from("git"),
            search_path: OsString::from("/usr/local/bin:/usr/bin:/bin"),
            folder,
            hook_program: None,
            limits: Limits::default(),
        }
    }
}

/// A way to start Git. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Engine(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    program: Arc<Program>,
    known: Known,
}

#[derive(Debug)]
pub(crate) struct Known {
    /// The changes of commits, as numbers of lines and files.
    pub(crate) stats: Remembered<Stats>,
    /// The SHA-256 of the content of blobs.
    pub(crate) digests: Remembered<[u8; 32]>,
    pub(crate) answers: Answers,
    /// Processes that answer questions about objects.
    pub(crate) pool: Arc<Pool>,
}

/// The names under which the hooks are installed.
pub(crate) const HOOKS: [&str; 2] = ["pre-receive", "post-receive"];

impl Engine {
    /// Writes the configuration file and the hooks, and asks the program for its version. Fails if the folder cannot be
    /// written, if the program does not start, or with [`GitError::TooOld`].
    pub fn open(settings: &EngineSettings) -> Result<Self, GitError> {
        // Git resolves a relative path from the directory it works in, which is not ours.
        fs::create_dir_all(&settings.folder).map_err(GitError::File)?;
        let folder = fs::canonicalize(&settings.folder).map_err(GitError::File)?;
        let hooks = folder.join("hooks");
        write_hooks(&hooks, settings.hook_program.as_deref()).map_err(GitError::File)?;
        let config = folder.join("gitconfig");
        let text = config::text(&hooks, settings.limits.push.pack);
        let draft = folder.join("gitconfig.new");
        fs::write(&draft, text).and_then(|()| fs::rename(&draft, &config)).map_err(GitError::File)?;
        let engine = Self(Arc::new(Inner {
            program: Arc::new(Program {
                path: found(&settings.program, &settings.search_path),
                search_path: settings.search_path.clone(),
                config,
                limits: settings.limits.clone(),
            }),
            known: Known {
                stats: Remembered::default(),
                digests: Remembered::default(),
                answers: Answers::new(settings.limits.reads.remembered),
                pool: Arc::new(Pool::new(&settings.limits.git)),
            },
        }));
        engine.check_version()?;
        Ok(engine)
    }

    /// Once for each program: it does not change while this process runs.
    fn check_version(&self) -> Result<(), GitError> {
        static NEW_ENOUGH: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
        let known = || NEW_ENOUGH.lock().unwrap_or_else(PoisonError::into_inner);
        if known().iter().any(|program| *program == self.0.program.path) {
            return Ok(());
        }
        let answer = self.command("version").text()?;
        let found = answer.trim().trim_start_matches("git version ");
        if version(found).is_some_and(|version| version >= OLDEST) {
            known().push(self.0.program.path.clone());
            return Ok(());
        }
        Err(GitError::TooOld { found: found.to_owned(), needed: OLDEST_TEXT })
    }

    /// Ends the processes that were not asked for longer than `git.kept_idle` at `now`. To be called from time to time.
    pub fn end_idle(&self, now: Instant) {
        self.0.known.pool.end_idle(now);
    }

    /// How many processes are kept for further questions and not asked at the moment.
    #[must_use]
    pub fn kept_processes(&self) -> usize {
        self.0.known.pool.waiting()
    }

    /// A command outside of any repository.
    pub(crate) fn command(&self, name: &'static str) -> Command {
        Command::new(&self.0.program, name)
    }

    /// The settings with which every command is started.
    pub(crate) fn program(&self) -> &Arc<Program> {
        &self.0.program
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.0.program.limits
    }

    pub(crate) fn known(&self) -> &Known {
        &self.0.known
    }
}

/// The whole path of a program that is given by its name. Only so is a process started without copying the page tables
/// of this one first. With much memory in use, that takes longer than most commands of Git.
fn found(program: &Path, search_path: &OsStr) -> PathBuf {
    let folders = std::env::split_paths(search_path).filter(|_| program.components().count() == 1);
    folders.map(|folder| folder.join(program)).find(|path| path.is_file()).unwrap_or_else(|| program.to_owned())
}

/// The first two numbers of `2.47.3` and its like.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split(['.', ' ', '-']);
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn write_hooks(folder: &Path, program: Option<&Path>) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for name in HOOKS {
        let link = folder.join(name);
        let Some(program) = program else {
            match fs::remove_file(&link) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => continue,
            }
        };
        // Renamed into place: a push that runs now finds the old hook or the new one, never none.
        let draft = folder.join(format!("{name}.new"));
        let _ = fs::remove_file(&draft);
        symlink(fs::canonicalize(program)?, &draft)?;
        fs::rename(&draft, &link)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_where_the_search_path_says() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("git");
        fs::write(&program, "").unwrap();
        let search_path = std::env::join_paths([Path::new("/nowhere"), folder.path()]).unwrap();
        assert_eq!(found(Path::new("git"), &search_path), program);
        assert_eq!(found(Path::new("absent"), &search_path), Path::new("absent"));
        assert_eq!(found(Path::new("/own/git"), &search_path), Path::new("/own/git"));
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert_eq!(version("2.47.3"), Some((2, 47)));
        assert_eq!(version("2.39.5 (Apple Git-154)"), Some((2, 39)));
        assert_eq!(version("2.100.0.rc1"), Some((2, 100)));
        assert_eq!(version("what"), None);
        assert!((2, 9) < OLDEST && (3, 0) > OLDEST);
    }

    #[test]
    fn hooks_are_links_to_the_given_program_and_go_away_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("server");
        fs::write(&program, "").unwrap();
        let hooks = folder.path().join("hooks");
        write_hooks(&hooks, Some(&program)).unwrap();
        write_hooks(&hooks, Some(&program)).unwrap();
        assert_eq!(fs::read_link(hooks.join("pre-receive")).unwrap(), fs::canonicalize(&program).unwrap());
        write_hooks(&hooks, None).unwrap();
        assert_eq!(fs::read_dir(&hooks).unwrap().count(), 0);
    }
}
