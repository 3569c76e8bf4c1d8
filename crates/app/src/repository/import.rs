//! Filling a new project's repository: from another server, from the project that it was forked from, or with a readme.

use serde::{Deserialize, Serialize};
use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::project::{Import, Project};
use tenon_git::branch::BranchOrder;
use tenon_git::store::{ImportError, ImportLimits, ImportSource};
use tenon_git::write::RefChange;
use tenon_git::{BranchName, Repository, Signature};
use tenon_outbound::address::resolve;
use tenon_storage::job::Queue;
use tenon_storage::repository::{RepositoryFacts, set_facts};
use tenon_storage::{lfs, project, user};

use crate::core::app::{App, Command};
use crate::core::error::AppError;
use crate::core::local_requests::allows;
use crate::core::ref_update::RefUpdate;
use crate::jobs::{AsyncJob, Job, enqueue};
use crate::repository::refs::ref_write::refused;
use crate::repository::write::first_commit::{README, commit_readme};

/// Fills a new project's repository from another server.
#[derive(Serialize, Deserialize)]
pub(crate) struct ImportProject {
    project: i64,
    /// The branch that is to be the default one, if the other server has it.
    #[serde(default)]
    branch: Option<String>,
}

impl Job for ImportProject {
    const KIND: &'static str = "import_project";
    const QUEUE: Queue = Queue::Imports;

    fn give_up(self, command: &mut Command<'_>) -> Result<(), AppError> {
        give_up_population(command, ProjectId::new(self.project))
    }
}

impl AsyncJob for ImportProject {
    async fn run(self, app: &App) -> Result<(), AppError> {
        import(app, ProjectId::new(self.project), self.branch.as_deref())
    }
}

/// Fills a new fork's repository from its source.
#[derive(Serialize, Deserialize)]
pub(crate) struct PopulateFork {
    /// The fork.
    pub(crate) project: i64,
    /// The only branch that is copied; all if absent.
    #[serde(default)]
    pub(crate) branch: Option<String>,
}

impl Job for PopulateFork {
    const KIND: &'static str = "fork_project";
    const QUEUE: Queue = Queue::Forks;

    fn give_up(self, command: &mut Command<'_>) -> Result<(), AppError> {
        give_up_population(command, ProjectId::new(self.project))
    }
}

impl AsyncJob for PopulateFork {
    async fn run(self, app: &App) -> Result<(), AppError> {
        populate_fork(app, ProjectId::new(self.project), self.branch.as_deref()).await
    }
}

/// Asks for a project's repository to be filled from `url`, which is kept sealed until that is done. A branch that is named becomes
/// the default one, if it is there.
pub(crate) fn schedule_import(
    command: &mut Command<'_>,
    id: ProjectId,
    url: &str,
    branch: Option<String>,
) -> Result<(), AppError> {
    let sealed = command.app.vault().seal(command.app.entropy(), url).map_err(AppError::internal)?;
    project::set_import_url(&mut command.tx, id, Some(&sealed))?;
    enqueue(command, &ImportProject { project: id.get(), branch })
}

/// An address without its credentials, as answers show it. None if it is no address.
pub(crate) fn without_credentials(url: &str) -> Option<String> {
    let mut url = url::Url::parse(url).ok()?;
    // Addresses without a host have no credentials.
    let _ = url.set_password(None).and_then(|()| url.set_username(""));
    Some(url.into())
}

/// Fills a project's repository from the address that its creator has given. Idempotent: what has commits is left
/// alone. Maintainers see a failure, and it is not tried again. It blocks for as long as it takes, on the thread of its
/// job: those that Git has for requests stay free.
fn import(app: &App, id: ProjectId, branch: Option<&str>) -> Result<(), AppError> {
    app.import_now(id, branch)
}

/// Fills a fork's repository from its source, and gives it the same picture. Idempotent. It blocks, as [`import`] does.
async fn populate_fork(app: &App, id: ProjectId, branch: Option<&str>) -> Result<(), AppError> {
    crate::shared::files::avatar::copy_to_fork(app, id).await?;
    app.populate_fork_now(id, branch)
}

/// Makes the first commit of a new project: a readme with its name and description, on the branch that is still to come.
pub(crate) async fn initialise(app: &App, id: ProjectId, author: Option<UserId>) -> Result<(), AppError> {
    let Some(author) = author else { return Ok(()) };
    let app = app.clone();
    app.clone().on_git(move || app.initialise_now(id, author)).await
}

/// Makes a branch of what was imported the default one. If there are others and not this one, that of the other server
/// stays.
fn take_default_branch(repository: &Repository, name: Option<&str>) -> Result<(), AppError> {
    let Some(branch) = name.and_then(|name| BranchName::parse(name).ok()) else { return Ok(()) };
    let is_there = repository.ref_target(&branch.full())?.is_some();
    if is_there || repository.branch_tips(BranchOrder::Name)?.is_empty() {
        repository.set_default_branch(&branch)?;
    }
    Ok(())
}

/// Removes all branches but this one, which becomes the default one. Tags stay.
fn keep_only(repository: &Repository, name: &BranchName) -> Result<(), AppError> {
    repository.set_default_branch(name)?;
    let tips = repository.branch_tips(BranchOrder::Name)?;
    let others = tips.iter().filter(|(other, _)| other.as_str() != name.as_str());
    let removed: Vec<RefChange> =
        others.map(|(other, tip)| RefChange::Delete { name: other.full(), old: *tip }).collect();
    repository.update_refs(&removed).map_err(refused)
}

/// Remembers that a repository could not be filled, however often it was tried.
fn give_up_population(command: &mut Command<'_>, id: ProjectId) -> Result<(), AppError> {
    remember(command, id, Import::Failed("The repository could not be copied.".to_owned()))?;
    Ok(project::set_import_url(&mut command.tx, id, None)?)
}

/// Remembers how far an import or fork is.
fn remember(command: &mut Command<'_>, id: ProjectId, import: Import) -> Result<(), AppError> {
    let Some(found) = project::find(&mut command.tx, id)? else { return Ok(()) };
    let changed = Project { import, updated_at: command.now, ..found };
    Ok(project::update(&mut command.tx, &changed)?)
}

impl App {
    /// Records which branch `HEAD` of an empty repository names.
    fn record_unborn_branch(&self, id: ProjectId) -> Result<(), AppError> {
        let repository = self.repositories().store.repository(id);
        let head = if repository.exists() { repository.default_branch()? } else { None };
        let Some(head) = head else { return Ok(()) };
        self.command(|command| {
            let Some(found) = project::find(&mut command.tx, id)? else { return Ok(()) };
            let changed = Project { unborn_branch: head.as_str().to_owned(), ..found };
            Ok(project::update(&mut command.tx, &changed)?)
        })
    }

    fn import_now(&self, id: ProjectId, branch: Option<&str>) -> Result<(), AppError> {
        let known = self.database().read(|tx| {
            let sealed = project::sealed_import_url(tx, id)?;
            let settings = tenon_storage::settings::load(tx)?;
            Ok::<_, AppError>((project::find(tx, id)?, sealed, settings))
        })?;
        let (Some(found), Some(sealed), settings) = known else { return Ok(()) };
        if found.default_branch.is_some() {
            return self.finish_import(id, Import::Finished);
        }
        self.command(|command| remember(command, id, Import::Started))?;
        let url = self.vault().open(&sealed).map_err(AppError::internal)?;
        let local_allowed = allows(&settings.local, &url);
        let resolved = self.may_call(&url, local_allowed).then(|| resolve(&url, local_allowed)).flatten();
        let source = resolved.and_then(|address| ImportSource::parse(&url, address).ok());
        let Some(source) = source else {
            return self
                .finish_import(id, Import::Failed("The address cannot be reached, or is not permitted.".into()));
        };
        let store = &self.repositories().store;
        let repository = store.repository(id);
        // An earlier try may have left an empty one.
        store.delete(&repository)?;
        match store.import(&source, &repository, self.import_limits()) {
            Ok(()) => {
                take_default_branch(&repository, branch)?;
                self.finish_population(id)
            }
            Err(ImportError::Git(error)) => Err(error.into()),
            Err(error) => {
                tracing::info!(project = %id, %error, "an import failed");
                // The text of the error names nothing of this server.
                self.finish_import(id, Import::Failed(error.to_string()))
            }
        }
    }

    /// The bounds of an import, and of the update of a mirror.
    pub(super) fn import_limits(&self) -> ImportLimits {
        let limits = self.limits();
        ImportLimits {
            bytes: match self.repository_limit() {
                0 => u64::MAX,
                limit => limit,
            },
            refs: limits.quotas.refs,
            list_time: limits.jobs.import_list,
            fetch_time: limits.jobs.import_fetch,
            bytes_per_second: limits.jobs.import_bytes_per_second,
            slow_time: limits.transfers.rate_window.saturating_mul(2),
        }
    }

    fn populate_fork_now(&self, id: ProjectId, branch: Option<&str>) -> Result<(), AppError> {
        let found = self.database().read(|tx| project::find(tx, id).map_err(AppError::from))?;
        let Some(found) = found else { return Ok(()) };
        if found.import == Import::Finished {
            return Ok(());
        }
        let Some(source) = found.forked_from else {
            return self.finish_import(id, Import::Failed("The project to fork from is gone.".to_owned()));
        };
        self.command(|command| remember(command, id, Import::Started))?;
        let store = &self.repositories().store;
        let (from, to) = (store.repository(source), store.repository(id));
        let branch = branch.map(|branch| BranchName::parse(branch).ok());
        if let Some(wanted) = &branch {
            let is_there =
                |name: &BranchName| Ok::<_, AppError>(from.exists() && from.ref_target(&name.full())?.is_some());
            if !wanted.as_ref().map(is_there).transpose()?.unwrap_or(false) {
                return self.finish_import(id, Import::Failed("There is no branch of that name.".to_owned()));
            }
        }
        if from.exists() && !to.exists() {
            store.fork(&from, &to)?;
        }
        if let Some(Some(branch)) = &branch {
            keep_only(&to, branch)?;
        }
        // The user who has asked for the fork may read the source, and so its objects.
        self.command(|command| {
            let now = command.now;
            Ok::<_, AppError>(lfs::copy_links(&mut command.tx, source, id, now)?)
        })?;
        self.finish_population(id)
    }

    /// Records the refs of a populated repository. That of a project that was deleted concurrently is removed.
    fn finish_population(&self, id: ProjectId) -> Result<(), AppError> {
        if self.database().read(|tx| project::find(tx, id).map_err(AppError::from))?.is_none() {
            let store = &self.repositories().store;
            store.delete(&store.repository(id))?;
            return Ok(());
        }
        self.adopt_refs(id)?;
        self.record_unborn_branch(id)?;
        self.finish_import(id, Import::Finished)
    }

    /// Records the refs of a repository that was copied as a whole. They were not pushed, so there are no events.
    fn adopt_refs(&self, id: ProjectId) -> Result<(), AppError> {
        self.reconcile_refs(id).map(drop)
    }

    /// The end of it, in one transaction: the address, which may hold a password, is forgotten.
    fn finish_import(&self, id: ProjectId, import: Import) -> Result<(), AppError> {
        self.command(|command| {
            remember(command, id, import)?;
            Ok(project::set_import_url(&mut command.tx, id, None)?)
        })
    }

    fn initialise_now(&self, id: ProjectId, author: UserId) -> Result<(), AppError> {
        let known = self.database().read(|tx| {
            let author = user::find(tx, author)?;
            let author =
                author.map(|author| Ok::<_, AppError>((user::commit_email(tx, &author)?, author))).transpose()?;
            Ok::<_, AppError>((project::find(tx, id)?, author))
        })?;
        let (Some(found), Some((address, author))) = known else { return Ok(()) };
        if found.default_branch.is_some() {
            return Ok(());
        }
        let repository = self.repository(id)?;
        let Some(branch) = repository.default_branch()? else { return Ok(()) };
        let text = match &found.description {
            Some(description) => format!("# {}\n\n{description}\n", found.name),
            None => format!("# {}\n", found.name),
        };
        let me = Signature::new(&author.name, &address, self.now());
        match commit_readme(&repository, &branch, text, me) {
            Ok(commit) => {
                // Before the branch is known, after which a job finds out the rest: the answer names the readme already.
                let facts = RepositoryFacts {
                    commit_count: 1,
                    readme_path: Some(README.to_owned()),
                    ..RepositoryFacts::default()
                };
                self.command(|command| {
                    let now = command.now;
                    Ok(set_facts(&mut command.tx, id, &facts, now)?)
                })?;
                let moved =
                    RefUpdate { name: branch.full().as_str().to_owned(), old: tenon_git::Oid::ZERO, new: commit };
                self.handle_ref_updates(id, Some(author.id), &[moved])
            }
            Err(error) => Err(crate::repository::refs::ref_write::refused(error)),
        }
    }
}
