//! Repositories as a backup keeps them: a list of refs, and packs of which each has what the earlier ones lack.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::command::budget::Budget;
use crate::command::stream::GitStream;
use crate::error::GitError;
use crate::name::RefName;
use crate::oid::Oid;
use crate::repository::Repository;
use crate::soundness::{Depth, Soundness};
use crate::store::Store;

/// Time that packing or unpacking one repository may take.
const TIME: Duration = Duration::from_hours(6);
/// How many times the refs are read until they have stood still.
const TRIES: usize = 20;

/// The refs of a repository at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefList {
    /// The branch that `HEAD` names.
    pub head: RefName,
    /// All refs, those of merge requests and hidden ones included, with the objects they point at.
    pub refs: BTreeMap<RefName, Oid>,
}

impl Repository {
    /// The refs as they were at one moment. They are read until two readings are equal, as a push may move several at
    /// once. If they never stand still, it fails with [`GitError::Unexpected`].
    pub fn ref_list(&self) -> Result<RefList, GitError> {
        let mut last = self.read_ref_list()?;
        for _ in 0..TRIES {
            let next = self.read_ref_list()?;
            if next == last {
                return Ok(next);
            }
            last = next;
        }
        Err(GitError::Unexpected("refs that move all the time"))
    }

    fn read_ref_list(&self) -> Result<RefList, GitError> {
        let head = self.head()?.ok_or(GitError::Unexpected("HEAD"))?;
        Ok(RefList { head, refs: self.refs_below("refs/")? })
    }

    /// A pack with everything that is reached from `wanted` and not from `known`, all of which have to be there
    /// ([`Repository::present_of`]). It may have no object.
    pub fn backup_pack(&self, wanted: &[Oid], known: &[Oid]) -> Result<GitStream, GitError> {
        let wanted = wanted.iter().map(|oid| format!("{oid}\n"));
        let input: String = wanted.chain(known.iter().map(|oid| format!("^{oid}\n"))).collect();
        self.git("pack-objects")
            .args(["--revs", "--stdout", "--thin", "--delta-base-offset", "--quiet"])
            // One core is left for callers.
            .setting("pack.threads=1")
            .input(input)
            .time(TIME)
            .budget(Budget::Maintenance)
            .stream()
    }

    /// Sets the refs of a repository that [`Store::restore`] has made and nothing has written to since.
    pub fn replace_refs(&self, refs: &BTreeMap<RefName, Oid>) -> Result<(), GitError> {
        let (file, draft) = (self.path().join("packed-refs"), self.path().join("packed-refs.new"));
        fs::write(&draft, packed(refs)).and_then(|()| fs::rename(&draft, &file)).map_err(GitError::File)
    }

    /// Those of these objects that are there, in their order.
    pub fn present_of(&self, oids: &[Oid]) -> Result<Vec<Oid>, GitError> {
        if oids.is_empty() {
            return Ok(Vec::new());
        }
        let names: Vec<String> = oids.iter().map(ToString::to_string).collect();
        let found = self.objects().headers(&names)?;
        Ok(oids.iter().zip(found).filter(|(_, header)| header.is_some()).map(|(oid, _)| *oid).collect())
    }
}

impl Store {
    /// Makes a repository of what a backup has of it: the packs in the order in which they were made, each a file, and
    /// the refs. Every ref has to lead to all that it names; contents are those that the server had, whatever their form. It appears
    /// when it is complete. Fails with [`GitError::File`] (`AlreadyExists`) if it is there already.
    pub fn restore(&self, to: &Repository, list: &RefList, packs: &[impl AsRef<Path>]) -> Result<(), GitError> {
        let draft = self.temporary_folder()?;
        let path = draft.path().join("it.git");
        let full = |error: GitError| error.or_full_disk(draft.path());
        self.init(&path, "main").map_err(full)?;
        fs::write(path.join("HEAD"), format!("ref: {}\n", list.head)).map_err(GitError::File)?;
        let copy = Repository::new(self.engine().clone(), path.clone());
        for pack in packs {
            copy.git("index-pack")
                .args(["--stdin", "--fix-thin"])
                .input_file(pack.as_ref())
                .time(TIME)
                .budget(Budget::Maintenance)
                .bytes()
                .map_err(full)?;
        }
        fs::write(path.join("packed-refs"), packed(&list.refs)).map_err(GitError::File)?;
        if let Soundness::Damaged(lines) = copy.soundness(Depth::Connectivity)? {
            tracing::warn!(?lines, "a repository of the backup is damaged");
            return Err(GitError::Unexpected("the objects of a backup"));
        }
        copy.write_commit_graph()?;
        self.move_into_place(&path, to)
    }
}

/// The refs as Git stores them in one file.
fn packed(refs: &BTreeMap<RefName, Oid>) -> String {
    let lines = refs.iter().map(|(name, oid)| format!("{oid} {name}\n"));
    std::iter::once("# pack-refs with: sorted \n".to_owned()).chain(lines).collect()
}
