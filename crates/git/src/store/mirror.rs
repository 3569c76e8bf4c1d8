//! New commits of another server, fetched into a repository that is there already.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::ops::Bound;
use std::path::{Path, PathBuf};

use crate::command::Command;
use crate::command::budget::Budget;
use crate::error::GitError;
use crate::name::RefName;
use crate::oid::Oid;
use crate::repository::Repository;
use crate::store::Store;
use crate::store::import::{Checked, ImportError, ImportLimits, ImportSource, fetch, ls_remote, refused};

/// The refs of the draft under which it knows what the repository has.
const KNOWN: &str = "refs/known";

/// The branches and tags that are to follow those of another repository.
pub struct MirrorRequest<'a> {
    /// The other repository.
    pub source: &'a ImportSource,
    /// True for the branches that follow those of the source. Tags always do.
    pub takes: &'a dyn Fn(&str) -> bool,
    /// True to overwrite branches that have commits which the source has not.
    pub overwrites: bool,
}

/// The change of a ref that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MirrorChange {
    /// The ref.
    pub name: RefName,
    /// Its present target. None if it is not there.
    pub old: Option<Oid>,
    /// Its new target.
    pub new: Oid,
}

/// The outcome of a fetch for a mirror.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct MirrorFetch {
    /// The changes that are to be made. The objects they need are there.
    pub changes: Vec<MirrorChange>,
    /// The branches and tags that cannot follow those of the source.
    pub left: Vec<RefName>,
}

impl Store {
    /// Brings the objects into `to` that its branches and tags need to be as those of the source, and says which refs are to
    /// move. No ref is written, and none that the source lacks is removed. The objects are fetched beside the repository and
    /// checked as those of a push. `limits.bytes` is what they may take. Redirects are not followed.
    pub fn fetch_mirror(
        &self,
        request: &MirrorRequest<'_>,
        to: &Repository,
        limits: ImportLimits,
    ) -> Result<MirrorFetch, ImportError> {
        let mut have = to.refs_below("refs/heads/").map_err(ImportError::Git)?;
        have.extend(to.refs_below("refs/tags/").map_err(ImportError::Git)?);
        let names: BTreeSet<&str> = have.keys().map(RefName::as_str).collect();
        let mut fetched = MirrorFetch::default();
        let mut wanted = BTreeSet::new();
        for (name, oid) in self.remote_refs(request.source, limits)? {
            if have.get(&name) == Some(&oid) || !is_taken(&name, request) {
                continue;
            }
            if is_blocked(&names, name.as_str()) {
                fetched.left.push(name);
            } else {
                wanted.insert(name);
            }
        }
        if wanted.is_empty() {
            return Ok(fetched);
        }
        let draft = self.temporary_folder().map_err(ImportError::Git)?;
        let draft = Draft::new(self, draft.path(), to, &have).map_err(ImportError::Git)?;
        draft.fetch(request.source, &wanted, limits)?;
        let objects = draft.repository.path().join("objects").into_os_string();
        let quarantine = draft.repository.beside(objects, draft.alternates.clone());
        let mut tips = draft.repository.refs_below("refs/heads/").map_err(ImportError::Git)?;
        tips.extend(draft.repository.refs_below("refs/tags/").map_err(ImportError::Git)?);
        let all: BTreeSet<Oid> = tips.values().copied().collect();
        let refusal = quarantine.refusal(&Vec::from_iter(all), &to.limits().push, 1).map_err(ImportError::Git)?;
        if let Some(text) = refusal {
            return Err(ImportError::Unacceptable(text));
        }
        for (name, new) in tips {
            let old = have.get(&name).copied();
            if old == Some(new) {
                continue;
            }
            if let Some(old) = old.filter(|_| name.branch().is_some() && !request.overwrites)
                && !quarantine.is_ancestor(old, new).map_err(ImportError::Git)?
            {
                fetched.left.push(name);
                continue;
            }
            fetched.changes.push(MirrorChange { name, old, new });
        }
        draft.hand_over(to, &fetched.changes, limits)?;
        Ok(fetched)
    }

    /// The branches and tags of the other side whose names are good.
    fn remote_refs(&self, source: &ImportSource, limits: ImportLimits) -> Result<BTreeMap<RefName, Oid>, ImportError> {
        let answer = ls_remote(&self.engine, source, limits, "--refs", &["refs/heads/*", "refs/tags/*"])?;
        let row = |line: &str| {
            let (oid, name) = line.split_once('\t')?;
            let name = RefName::parse(name).ok().filter(|name| name.branch().is_some() || name.tag().is_some())?;
            Some((name, oid.parse().ok()?))
        };
        Ok(answer.lines().filter_map(row).collect())
    }
}

fn is_taken(name: &RefName, request: &MirrorRequest<'_>) -> bool {
    name.branch().is_none_or(|branch| (request.takes)(branch.as_str()))
}

/// True if a ref cannot be made beside those of these names: one is a folder of the other.
fn is_blocked(names: &BTreeSet<&str>, name: &str) -> bool {
    let below = format!("{name}/");
    let first = names.range::<str, _>((Bound::Included(below.as_str()), Bound::Unbounded)).next();
    let mut folders = name.match_indices('/').filter_map(|(at, _)| name.get(..at));
    first.is_some_and(|first| first.starts_with(&below)) || folders.any(|folder| names.contains(folder))
}

/// A repository of its own for what is fetched, which reads the objects of the mirror as well.
struct Draft {
    repository: Repository,
    /// The objects of the mirror, as the list of alternates takes them.
    alternates: OsString,
    /// The file that says what a fetch has done.
    trace: PathBuf,
    /// The objects that the refs of the mirror point at.
    known: BTreeSet<Oid>,
}

impl Draft {
    fn new(store: &Store, folder: &Path, of: &Repository, have: &BTreeMap<RefName, Oid>) -> Result<Self, GitError> {
        let path = folder.join("it.git");
        store.init(&path, "main")?;
        let known: BTreeSet<Oid> = have.values().copied().collect();
        let mut packed = b"# pack-refs with: sorted \n".to_vec();
        for (number, oid) in known.iter().enumerate() {
            packed.extend_from_slice(format!("{oid} {KNOWN}/{number:010}\n").as_bytes());
        }
        fs::write(path.join("packed-refs"), packed).map_err(GitError::File)?;
        Ok(Self {
            repository: Repository::new(store.engine.clone(), path),
            alternates: of.as_alternate(),
            trace: folder.join("trace"),
            known,
        })
    }

    fn git(&self, name: &'static str) -> Command {
        self.repository.git(name).env("GIT_ALTERNATE_OBJECT_DIRECTORIES", &self.alternates)
    }

    fn fetch(
        &self,
        source: &ImportSource,
        wanted: &BTreeSet<RefName>,
        limits: ImportLimits,
    ) -> Result<(), ImportError> {
        let lines: String = wanted.iter().map(|name| format!("+{name}:{name}\n")).collect();
        let command = self.git("fetch").arg("--stdin").input(lines);
        let checked = fetch(command, source, (&self.repository, &[]), limits, &self.trace)?;
        // A branch at a commit that is known brings nothing, and nothing has checked it.
        let is_unchecked = checked == Checked::Not && self.has_objects().map_err(ImportError::Git)?;
        if is_unchecked {
            self.repository.check_objects(self.git("fsck"), limits)?;
        }
        Ok(())
    }

    /// True if the fetch has brought objects.
    fn has_objects(&self) -> Result<bool, GitError> {
        let objects = self.repository.path().join("objects");
        let is_any = |folder: &Path, is_one: fn(&str) -> bool| -> io::Result<bool> {
            let names: io::Result<Vec<_>> = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name())).collect();
            Ok(names?.iter().any(|name| name.to_str().is_some_and(is_one)))
        };
        // A folder of single objects has two digits as its name.
        let has_single = is_any(&objects, |name| name.len() == 2).map_err(GitError::File)?;
        Ok(has_single || is_any(&objects.join("pack"), |_| true).map_err(GitError::File)?)
    }

    /// Packs the objects that these changes need and the mirror lacks into its repository. A pack appears as a whole.
    fn hand_over(&self, to: &Repository, changes: &[MirrorChange], limits: ImportLimits) -> Result<(), ImportError> {
        let tips: String = changes.iter().map(|change| format!("{}\n", change.new)).collect();
        if tips.is_empty() {
            return Ok(());
        }
        let known: String = self.known.iter().map(|oid| format!("{oid}\n")).collect();
        self.git("pack-objects")
            .args(["--quiet", "--revs", "--non-empty", "--delta-base-offset"])
            .operands([to.path().join("objects/pack/pack")])
            .input(format!("{tips}--not\n{known}"))
            .time(limits.fetch_time)
            .budget(Budget::Transfer)
            .bytes()
            .map_err(refused)?;
        Ok(())
    }
}
