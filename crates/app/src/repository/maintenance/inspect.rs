//! Looking all repositories over (`tenon admin doctor`): what is not as the database says, and what of it can be mended.

use tenon_domain::id::ProjectId;
use tenon_git::{BranchName, Depth, GitError, Repository, RepositoryKind, Soundness};
use tenon_storage::project;
use tenon_storage::repository::stored_refs;

use crate::core::app::App;
use crate::core::error::{AppError, chain};

/// The treatment of faults: only reported, or repaired if that is possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mending {
    /// Nothing is changed.
    LookOnly,
    /// Faults that can be repaired are.
    Repair,
}

/// Something that is wrong with a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Which repository, and what is wrong.
    pub(crate) text: String,
    /// Its outcome.
    pub(crate) outcome: Outcome,
}

/// The outcome of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It is there.
    Found,
    /// It has been mended.
    Mended,
    /// It was pushed like that, and Git works with it.
    Harmless,
}

impl Fault {
    pub(crate) fn new(text: String, is_mended: bool) -> Self {
        Self { text, outcome: if is_mended { Outcome::Mended } else { Outcome::Found } }
    }
}

/// How many projects are read at once.
const BATCH: i64 = 200;

impl App {
    /// Looks over the repositories of all projects, and for repositories of none. Yields how many projects there are,
    /// and what is wrong. Blocks, and takes its time if Git reads all contents.
    pub(crate) fn inspect_repositories(&self, mending: Mending, depth: Depth) -> Result<(usize, Vec<Fault>), AppError> {
        // First, because a project that is created concurrently has its row before its repository.
        let present = self.repositories().store.present()?;
        let (mut count, mut faults, mut after) = (0, Vec::new(), ProjectId::new(0));
        loop {
            let ids = self.parts().database.read(|tx| project::ids_after(tx, after, BATCH))?;
            let Some(last) = ids.last() else { break };
            after = *last;
            count += ids.len();
            for id in ids {
                let inspected = self.inspect(id, mending, depth, &mut faults);
                // A project that was deleted in the meantime has no faults.
                if inspected.is_err() && self.parts().database.read(|tx| project::has_row(tx, id))? {
                    inspected?;
                }
            }
        }
        for (id, kind) in present {
            if !self.parts().database.read(|tx| project::has_row(tx, id))? {
                faults.push(self.leftover(id, kind, mending)?);
            }
        }
        Ok((count, faults))
    }

    fn inspect(&self, id: ProjectId, mending: Mending, depth: Depth, faults: &mut Vec<Fault>) -> Result<(), AppError> {
        let known = self.parts().database.read(|tx| -> Result<_, AppError> {
            let Some(found) = project::find_placed(tx, id)? else { return Ok(None) };
            Ok(Some((found, stored_refs(tx, id)?)))
        })?;
        // It was deleted concurrently.
        let Some((found, refs)) = known else { return Ok(()) };
        let name = format!("{} (project {id})", found.home.path_of(&found.project.path));
        let wiki = self.repositories().store.find(id, RepositoryKind::Wiki);
        if wiki.exists() {
            self.check_soundness(id, &format!("the wiki of {name}"), &wiki, mending, depth, faults)?;
        }
        let repository = self.repositories().store.repository(id);
        if !repository.exists() {
            // Who never pushed anything has no repository.
            if found.project.default_branch.is_some() || !refs.is_empty() {
                faults.push(without_repository(&name, &repository));
            }
            return Ok(());
        }
        if !self.check_soundness(id, &name, &repository, mending, depth, faults)? {
            return Ok(());
        }
        let moved = self.missed_updates(id)?;
        if !moved.is_empty() {
            if mending == Mending::Repair {
                self.handle_ref_updates(id, None, &moved)?;
            }
            let text = format!("{name}: the database does not know where {} refs are", moved.len());
            faults.push(Fault::new(text, mending == Mending::Repair));
        }
        if let Some(branch) = found.project.default_branch.and_then(|name| BranchName::parse(&name).ok())
            && repository.default_branch()?.as_ref() != Some(&branch)
        {
            if mending == Mending::Repair {
                repository.set_default_branch(&branch)?;
            }
            let text = format!("{name}: clones do not begin at the default branch {branch}");
            faults.push(Fault::new(text, mending == Mending::Repair));
        }
        Ok(())
    }

    /// Checks the objects of a repository. False if its refs cannot be relied upon.
    fn check_soundness(
        &self,
        id: ProjectId,
        name: &str,
        repository: &Repository,
        mending: Mending,
        depth: Depth,
        faults: &mut Vec<Fault>,
    ) -> Result<bool, AppError> {
        let soundness = match repository.soundness(depth) {
            // It went away while it was checked.
            Err(GitError::NoRepository) => {
                if self.parts().database.read(|tx| project::has_row(tx, id))? {
                    faults.push(without_repository(name, repository));
                }
                return Ok(false);
            }
            Err(error @ (GitError::Timeout(_) | GitError::TooLarge(_))) => {
                faults.push(Fault::new(format!("{name} could not be checked: {error}"), false));
                return Ok(false);
            }
            found => found?,
        };
        match soundness {
            Soundness::Sound => {}
            Soundness::Malformed(lines) => {
                let text =
                    format!("{name} is whole; of the form of what was pushed git fsck says: {}", lines.join("; "));
                faults.push(Fault { text, outcome: Outcome::Harmless });
            }
            Soundness::Damaged(lines) => {
                let mended = mending == Mending::Repair && renewed(repository, depth);
                let advice = if mended { "" } else { ": restore it from a backup, where --fix does not help" };
                let said = if lines.is_empty() { String::new() } else { format!(" ({})", lines.join("; ")) };
                let text = format!("{name} is damaged at {}{said}{advice}", repository.path().display());
                faults.push(Fault::new(text, mended));
                if !mended {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Puts aside the repositories of no project, and yields how many there were. For the start of a process: if the
    /// database was restored from an old backup, a new project would be given the number of a lost one, and its code.
    pub fn set_aside_strays(&self) -> Result<usize, AppError> {
        let store = &self.repositories().store;
        let present = store.present()?;
        let strays = self.parts().database.read(|tx| -> Result<_, AppError> {
            let mut strays = Vec::new();
            for (id, kind) in present {
                if !project::has_row(tx, id)? {
                    strays.push((id, kind));
                }
            }
            Ok(strays)
        })?;
        for (id, kind) in &strays {
            if let Some(place) = store.set_aside(&store.find(*id, *kind))? {
                tracing::warn!(project = %id, place = %place.display(), "a repository of no project was put aside");
            }
        }
        Ok(strays.len())
    }

    /// A repository of no project. It is not deleted: if the database was restored from an old backup, it may be all
    /// that is left of a project.
    fn leftover(&self, id: ProjectId, kind: RepositoryKind, mending: Mending) -> Result<Fault, AppError> {
        let store = &self.repositories().store;
        let repository = store.find(id, kind);
        let place = match mending {
            Mending::Repair => store.set_aside(&repository)?,
            Mending::LookOnly => None,
        };
        Ok(match place {
            Some(place) => {
                let place = place.display();
                Fault::new(format!("a repository of no project was moved to {place}, where it can be deleted"), true)
            }
            None => Fault::new(format!("{} belongs to no project", repository.path().display()), false),
        })
    }
}

fn without_repository(name: &str, repository: &Repository) -> Fault {
    let text = format!("{name} has no repository: restore {} from a backup", repository.path().display());
    Fault::new(text, false)
}

/// True if a repository is whole again after everything was made anew that can be.
fn renewed(repository: &Repository, depth: Depth) -> bool {
    if let Err(error) = repository.renew_indexes() {
        tracing::warn!(error = %chain(&error), "the indexes of a repository could not be made anew");
    }
    matches!(repository.soundness(depth), Ok(Soundness::Sound | Soundness::Malformed(_)))
}
