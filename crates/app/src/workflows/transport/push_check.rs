//! The pre-receive check of a push. All or nothing: one refused ref refuses the whole push.

use tenon_domain::id::ProjectId;
use tenon_domain::limits::PushLimits;
use tenon_domain::project::Project;
use tenon_domain::project::setting::REPOSITORY;
use tenon_domain::repository::{PushRefusal, RefChange};
use tenon_domain::user::User;
use tenon_git::hook::{PushedRef, QuarantinePaths};
use tenon_git::quarantine::{SHALLOW, is_pushable};
use tenon_git::{Oid, Repository, RepositoryKind};
use tenon_storage::{deploy_key, project, user};

use crate::core::app::App;
use crate::core::authentication::viewer_without_session;
use crate::core::error::AppError;
use crate::core::push_sessions::{PushSession, Pusher};
use crate::repository::refs::push_policy::{KeyRules, Rules, Wanted, short_name};
use crate::wiki::{NO_WIKI_PUSH, may_write};

impl App {
    /// Checks that the push of this id may proceed; otherwise fails with the text for the pusher. Blocks: runs Git.
    pub(crate) fn check_push(
        &self,
        id: &str,
        push: &PushSession,
        refs: &[PushedRef],
        objects: &QuarantinePaths,
    ) -> Result<(), PushDecision> {
        let outcome = self.judge_push(id, push, refs, objects);
        if outcome.is_err() {
            let quarantine = self.repositories().store.find(push.project, push.kind).quarantine(objects);
            // Git asks also about refs that it refuses for that: the pusher reads one reason.
            if quarantine.and_then(|quarantine| quarantine.lacks_history(&tips(refs))).unwrap_or(false) {
                return Err(refused(SHALLOW));
            }
        }
        outcome
    }

    fn judge_push(
        &self,
        id: &str,
        push: &PushSession,
        refs: &[PushedRef],
        objects: &QuarantinePaths,
    ) -> Result<(), PushDecision> {
        let forbidden = match push.kind {
            RepositoryKind::Code => "You are not allowed to push code to this project.",
            RepositoryKind::Wiki => NO_WIKI_PUSH,
        };
        let rules = self.push_rules(push)?.ok_or_else(|| refused(forbidden))?;
        let repository = self.repositories().store.find(push.project, push.kind);
        for pushed in refs {
            // Each ref may take Git some time: nothing is judged for a client that has gone.
            if self.push_sessions().find(id).is_none() {
                return Err(refused("The push has ended."));
            }
            if !is_pushable(&pushed.name) {
                return Err(refused(&format!("{} is not a valid branch or tag name.", pushed.name.escape_debug())));
            }
            let change = change_of(&repository, pushed, objects)?;
            let (kind, name) = short_name(&pushed.name);
            let wanted = Wanted { kind, name, change, through_api: false };
            rules.check(&wanted).map_err(|refusal| refused(&refusal.to_string()))?;
        }
        let created = refs.iter().filter(|pushed| pushed.old.parse::<Oid>().is_ok_and(|old| old.is_zero())).count();
        if repository.has_too_many_refs(created).map_err(AppError::from)? {
            let most = self.limits().quotas.refs;
            return Err(refused(&format!("A repository cannot have more than {most} branches and tags.")));
        }
        self.check_push_size(push.project, push.kind, &repository, objects)?;
        check_contents(&repository, refs, objects, &self.limits().push, push.threads)?;
        // The contents are within the limits: naming all changed paths has a bound.
        if push.kind == RepositoryKind::Code
            && let Some(text) = self.locked_path(push, &repository, refs, objects)?
        {
            return Err(PushDecision::Refused(text));
        }
        Ok(())
    }

    /// The rules for a push; `None` if it may not go on at all.
    fn push_rules(&self, push: &PushSession) -> Result<Option<PushRules>, AppError> {
        let now = self.now();
        let today = now.date_naive();
        self.parts().database.read(|tx| match push.pusher {
            Pusher::User(user) => {
                let Some(user) = user::find(tx, user)?.filter(User::may_act) else { return Ok(None) };
                let viewer = viewer_without_session(tx, &user)?;
                if push.kind == RepositoryKind::Wiki {
                    return Ok(may_write(tx, viewer, push.project, today)?.then_some(PushRules::Wiki));
                }
                Ok(Rules::load(tx, viewer, push.project, today)?.map(|rules| PushRules::User(Box::new(rules))))
            }
            // It is no push of a client.
            Pusher::Mirror { .. } => Ok(None),
            Pusher::DeployKey { .. } if push.kind == RepositoryKind::Wiki => Ok(None),
            Pusher::DeployKey { id, .. } => {
                let enabled = deploy_key::find_of(tx, push.project, id)?
                    .filter(|enabled| enabled.can_push && enabled.key.is_in_force(now));
                let takes = |project: &Project| enabled.is_some() && !project.archived && project.has(&REPOSITORY);
                let project = project::find(tx, push.project)?.filter(takes);
                let rules = project.map(|project| KeyRules::load(tx, id, project)).transpose()?;
                Ok(rules.map(PushRules::DeployKey))
            }
        })
    }

    /// Refuses a push whose objects, as they lie in quarantine, a repository has no room for.
    pub(crate) fn check_push_size(
        &self,
        project: ProjectId,
        kind: RepositoryKind,
        repository: &Repository,
        objects: &QuarantinePaths,
    ) -> Result<(), PushDecision> {
        let more = repository.quarantine_size(objects).map_err(AppError::from)?;
        self.check_size_of_kind(project, kind, more).map_err(|error| match error {
            AppError::QuotaExceeded(quota) => PushDecision::Refused(format!("{quota}.")),
            other => PushDecision::Failed(other),
        })
    }
}

/// The rules for the changes of refs in a push.
enum PushRules {
    User(Box<Rules>),
    DeployKey(KeyRules),
    /// No rule protects a ref of a wiki.
    Wiki,
}

impl PushRules {
    /// Refuses a change of a ref that may not happen.
    fn check(&self, wanted: &Wanted<'_>) -> Result<(), PushRefusal> {
        match self {
            Self::User(rules) => rules.check(wanted, rules.project.default_branch.is_none()),
            Self::DeployKey(rules) => rules.check(wanted),
            Self::Wiki => Ok(()),
        }
    }
}

/// Why a push does not proceed.
pub(crate) enum PushDecision {
    /// It may not.
    Refused(String),
    /// It could not be checked.
    Failed(AppError),
}

impl From<AppError> for PushDecision {
    fn from(error: AppError) -> Self {
        Self::Failed(error)
    }
}

fn refused(text: &str) -> PushDecision {
    PushDecision::Refused(text.to_owned())
}

fn change_of(
    repository: &Repository,
    pushed: &PushedRef,
    objects: &QuarantinePaths,
) -> Result<RefChange, PushDecision> {
    let oid = |text: &str| text.parse::<Oid>().map_err(|_error| refused("Not an object name."));
    let (old, new) = (oid(&pushed.old)?, oid(&pushed.new)?);
    Ok(match (old.is_zero(), new.is_zero()) {
        (_, true) => RefChange::Delete,
        (true, false) => RefChange::Create,
        (false, false) => {
            let quarantine = repository.quarantine(objects).map_err(AppError::from)?;
            if quarantine.is_ancestor(old, new).map_err(AppError::from)? {
                RefChange::FastForward
            } else {
                RefChange::Force
            }
        }
    })
}

/// The new commits of refs.
fn tips(refs: &[PushedRef]) -> Vec<Oid> {
    refs.iter().filter_map(|pushed| pushed.new.parse::<Oid>().ok()).filter(|oid| !oid.is_zero()).collect()
}

/// Checks the contents of the push: objects that are too large, too many files, paths that lead elsewhere.
fn check_contents(
    repository: &Repository,
    refs: &[PushedRef],
    objects: &QuarantinePaths,
    limits: &PushLimits,
    threads: usize,
) -> Result<(), PushDecision> {
    let tips = tips(refs);
    if tips.is_empty() {
        return Ok(());
    }
    let quarantine = repository.quarantine(objects).map_err(AppError::from)?;
    match quarantine.refusal(&tips, limits, threads).map_err(AppError::from)? {
        Some(text) => Err(PushDecision::Refused(text)),
        None => Ok(()),
    }
}
