//! The repositories of a backup: each is packed as far as earlier backups do not have it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;

use tenon_domain::id::ProjectId;
use tenon_git::{GitError, Oid, Repository, RepositoryKind, Store};

use crate::error::{BackupError, chain};
use crate::folder::{Folder, Part};
use crate::manifest::{Manifest, PackedRepository, name};
use crate::{parallel, refs};

/// Packs of one repository beside its first one, after which it is packed anew.
const MOST_PACKS: usize = 30;
/// Bytes of a pack without an object: a header and a digest.
const EMPTY_PACK: u64 = 32;

/// A project of a snapshot.
pub(crate) struct NamedProject {
    pub(crate) id: ProjectId,
    /// True if it is being deleted.
    pub(crate) is_going: bool,
    /// The commits that its rows name.
    pub(crate) commits: Vec<String>,
}

/// Packs repositories into a folder.
pub(crate) struct Packer<'p> {
    store: &'p Store,
    folder: &'p Folder,
    /// The name of the backup.
    id: &'p str,
    /// The repositories of the last backup.
    last: BTreeMap<(i64, RepositoryKind), &'p PackedRepository>,
    full: bool,
}

/// Repositories that were packed.
#[derive(Default)]
pub(crate) struct Packed {
    pub(crate) repositories: Vec<PackedRepository>,
    /// Bytes that were written.
    pub(crate) written: u64,
    /// Faults of the source.
    pub(crate) findings: Vec<String>,
}

impl<'p> Packer<'p> {
    pub(crate) fn new(
        store: &'p Store,
        folder: &'p Folder,
        id: &'p str,
        last: Option<&'p Manifest>,
        full: bool,
    ) -> Self {
        let last =
            last.into_iter().flat_map(|last| &last.repositories).map(|it| ((it.project, it.kind()), it)).collect();
        Self { store, folder, id, last, full }
    }

    /// Packs the repositories of all projects, so many at a time. `advance` is called after each project; its failure ends the work.
    pub(crate) fn all(
        &self,
        projects: &[NamedProject],
        threads: usize,
        advance: &mut dyn FnMut() -> Result<(), BackupError>,
    ) -> Result<Packed, BackupError> {
        let done = parallel::each(projects, threads, |project| self.project(project), advance)?;
        let mut all = Packed::default();
        for packed in done {
            all.repositories.extend(packed.repositories);
            all.written += packed.written;
            all.findings.extend(packed.findings);
        }
        Ok(all)
    }

    /// Packs the repositories of a project.
    fn project(&self, project: &NamedProject) -> Result<Packed, BackupError> {
        let mut all = Packed::default();
        for kind in RepositoryKind::ALL {
            let last = self.last.get(&(project.id.get(), kind)).copied().filter(|last| self.is_whole(last));
            match self.repository(project, kind, last, &mut all) {
                Ok(found) => all.repositories.extend(found),
                // Its removal was under way before the backup began.
                Err(BackupError::Git { .. }) if project.is_going => {}
                Err(error @ BackupError::Git { .. }) => {
                    all.findings.push(format!("{}: {}", name(project.id.get(), kind), chain(&error)));
                    // The last backup of it is better than nothing.
                    all.repositories.extend(last.cloned());
                }
                Err(error) => return Err(error),
            }
        }
        Ok(all)
    }

    /// True if all files of an earlier backup of a repository are there.
    fn is_whole(&self, packed: &PackedRepository) -> bool {
        packed.packs.iter().chain([&packed.refs]).all(|part| self.folder.has(part))
    }

    /// Packs one repository; `None` if it is not there, as that of a project that nobody has used yet.
    fn repository(
        &self,
        project: &NamedProject,
        kind: RepositoryKind,
        last: Option<&PackedRepository>,
        all: &mut Packed,
    ) -> Result<Option<PackedRepository>, BackupError> {
        let id = project.id;
        let failed = |source| BackupError::Git { project: id.get(), source };
        let repository = self.store.find(id, kind);
        // Rows name commits of the code only.
        let (commits, folder) = match kind {
            RepositoryKind::Code => (project.commits.as_slice(), format!("git/{id}")),
            RepositoryKind::Wiki => (&[][..], format!("git/{id}.wiki")),
        };
        if !repository.exists() {
            let is_missed = !commits.is_empty();
            return if is_missed { Err(failed(GitError::NoRepository)) } else { Ok(None) };
        }
        let mut tips = repository.ref_list().map_err(failed)?;
        let mut wanted: BTreeSet<Oid> = tips.refs.values().copied().collect();
        wanted.extend(commits.iter().filter_map(|oid| oid.parse::<Oid>().ok()));
        let wanted: Vec<Oid> = wanted.into_iter().collect();
        let is_same = |it: &&PackedRepository| {
            let name = self.folder.name_of_bytes(refs::write(&tips, &wanted).as_bytes());
            it.refs.path.ends_with(&name) && !self.full
        };
        if let Some(last) = last.filter(is_same) {
            return Ok(Some(last.clone()));
        }
        let wanted = repository.present_of(&wanted).map_err(failed)?;
        let present: BTreeSet<&Oid> = wanted.iter().collect();
        let of = name(id.get(), kind);
        tips.refs.retain(|name, oid| {
            let is_there = present.contains(oid);
            if !is_there {
                all.findings.push(format!("{of}: the ref {name} names an object that is missing"));
            }
            is_there
        });
        let rest = last.filter(|last| !self.full && !is_worn(last));
        // A damaged list is no failure: everything is packed anew.
        let rest = rest.and_then(|last| Some((last.packs.clone(), refs::read(self.folder, &last.refs).ok()?.1)));
        let (mut packs, known) = rest.unwrap_or_default();
        let known = repository.present_of(&known).map_err(failed)?;
        let has: BTreeSet<&Oid> = known.iter().collect();
        if wanted.iter().any(|oid| !has.contains(oid)) {
            let pack = self.pack(&repository, (id, &folder), &wanted, &known)?;
            all.written += pack.as_ref().map_or(0, |pack| pack.size);
            packs.extend(pack);
        }
        let text = refs::write(&tips, &wanted);
        let name = self.folder.name_of_bytes(text.as_bytes());
        let refs = self.folder.put(&format!("{folder}/refs-{name}"), &mut text.as_bytes())?;
        all.written += refs.size;
        Ok(Some(PackedRepository { project: id.get(), is_wiki: kind == RepositoryKind::Wiki, refs, packs }))
    }

    /// Writes a pack of what is reached from `wanted` and not from `known`; `None` if that is nothing.
    fn pack(
        &self,
        repository: &Repository,
        (id, folder): (ProjectId, &str),
        wanted: &[Oid],
        known: &[Oid],
    ) -> Result<Option<Part>, BackupError> {
        let failed = |source| BackupError::Git { project: id.get(), source };
        let mut stream = repository.backup_pack(wanted, known).map_err(failed)?;
        let mut file = self.folder.begin()?;
        let mut part = vec![0; 1 << 16];
        loop {
            let count = stream.read_part(&mut part).map_err(failed)?;
            if count == 0 {
                break;
            }
            let bytes = part.get(..count).unwrap_or_default();
            file.write_all(bytes).map_err(BackupError::at(self.folder.root()))?;
        }
        if file.size() <= EMPTY_PACK {
            return Ok(None);
        }
        let name: String = file.name().chars().take(16).collect();
        file.keep(&format!("{folder}/{}-{name}.pack", self.id)).map(Some)
    }
}

/// True if a repository is better packed anew: it has many packs, or the later ones are large.
fn is_worn(last: &PackedRepository) -> bool {
    let first = last.packs.first().map_or(0, |pack| pack.size);
    let rest: u64 = last.packs.iter().skip(1).map(|pack| pack.size).sum();
    last.packs.len() > MOST_PACKS || rest > (first / 2).max(1 << 20)
}
