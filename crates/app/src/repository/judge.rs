//! Judging a push before any ref has moved (reference: repository-git-webhooks, section 4). All or nothing: one refused
//! ref refuses the whole push.

use tenon_domain::access::{AccessLevel, Standing};
use tenon_domain::id::ProjectId;
use tenon_domain::limits::PushLimits;
use tenon_domain::project::Project;
use tenon_domain::repository::{
    ProtectedRef, ProtectionKind, Protections, PushFacts, RefChange, RefKind, judge as judge_ref,
};
use tenon_domain::settings::{BranchProtection, Settings};
use tenon_domain::user::{User, UserState};
use tenon_git::hook::{PushedRef, QuarantinePaths};
use tenon_git::quarantine::is_pushable;
use tenon_git::{GitError, Oid, Repository};
use tenon_storage::{ReadTx, project, repository, settings, user};

use super::pushes::Push;
use crate::access::standing_of;
use crate::app::App;
use crate::error::AppError;
use crate::merge_request::branches_open_to;

/// What has to be known of a project to judge changes of its refs.
pub(crate) struct Rules {
    pub(crate) project: Project,
    standing: Standing,
    /// The branches that open merge requests let the user push to, where their level does not.
    open_branches: Vec<String>,
    pub(crate) protections: Vec<ProtectedRef>,
    pub(crate) settings: Settings,
}

/// A change of one ref that is asked for.
pub(crate) struct Wanted<'a> {
    pub(crate) kind: RefKind,
    /// The short name.
    pub(crate) name: &'a str,
    pub(crate) change: RefChange,
    pub(crate) through_api: bool,
}

impl Rules {
    /// What `user` may do in a project; `None` where either is gone, or the account is shut.
    pub(crate) fn load(
        tx: &mut ReadTx<'_>,
        user: &User,
        project: ProjectId,
        today: tenon_domain::time::Date,
    ) -> Result<Option<Self>, AppError> {
        let Some(placed) = project::find_placed(tx, project)? else { return Ok(None) };
        let standing = standing_of(tx, user, &placed, today)?;
        let may_push = standing.at_least(AccessLevel::Developer);
        Ok(Some(Self {
            open_branches: if may_push { Vec::new() } else { branches_open_to(tx, user, &placed.project, today)? },
            standing,
            protections: repository::rules(tx, project)?,
            settings: settings::load(tx)?,
            project: placed.project,
        }))
    }

    /// Whether the user may push to any branch at all.
    pub(crate) fn admit_some(&self) -> bool {
        let may_push = self.standing.at_least(AccessLevel::Developer) || !self.open_branches.is_empty();
        may_push && !self.project.archived
    }

    /// Whether a change of a ref may happen; the text for the pusher where not.
    pub(crate) fn check(&self, wanted: &Wanted<'_>, empty: bool) -> Result<(), String> {
        let kind = if wanted.kind == RefKind::Tag { ProtectionKind::Tag } else { ProtectionKind::Branch };
        let protections = Protections::covering(&self.protections, kind, wanted.name);
        let facts = PushFacts {
            standing: self.standing,
            collaborates: self.open_branches.iter().any(|branch| branch == wanted.name),
            archived: self.project.archived,
            empty,
            first_push_is_protected: self.settings.default_branch_protection == BranchProtection::Full,
            kind: wanted.kind,
            name: wanted.name,
            is_default: self.project.default_branch.as_deref() == Some(wanted.name),
            change: wanted.change,
            protections: &protections,
            through_api: wanted.through_api,
        };
        judge_ref(&facts).map_err(|refusal| refusal.to_string())
    }
}

impl App {
    /// Whether the push of this name may go on; the texts for the pusher where not. Blocks: runs Git.
    pub(super) fn judge_push(
        &self,
        id: &str,
        push: &Push,
        refs: &[PushedRef],
        objects: &QuarantinePaths,
    ) -> Result<(), Judgement> {
        let today = self.now().date_naive();
        let rules = self.parts().database.read(|tx| -> Result<_, AppError> {
            let Some(user) = user::find(tx, push.user)? else { return Ok(None) };
            if user.state != UserState::Active {
                return Ok(None);
            }
            Rules::load(tx, &user, push.project, today)
        })?;
        let rules = rules.ok_or_else(|| refused("You are not allowed to push code to this project."))?;
        let repository = self.repositories().store.repository(push.project);
        let empty = rules.project.default_branch.is_none();
        for pushed in refs {
            // Each ref may take Git some time: nothing is judged for a client that has gone.
            if self.pushes().find(id).is_none() {
                return Err(refused("The push has ended."));
            }
            if !is_pushable(&pushed.name) {
                return Err(refused(&format!("{} is not a name that can be pushed.", pushed.name.escape_debug())));
            }
            let change = change_of(&repository, pushed, objects)?;
            let (kind, name) = short_name(&pushed.name);
            let wanted = Wanted { kind, name, change, through_api: false };
            rules.check(&wanted, empty).map_err(|text| refused(&text))?;
        }
        let created = refs.iter().filter(|pushed| pushed.old.parse::<Oid>().is_ok_and(|old| old.is_zero())).count();
        if repository.has_too_many_refs(created).map_err(AppError::from)? {
            let most = self.limits().quotas.refs;
            return Err(refused(&format!("A repository cannot have more than {most} branches and tags.")));
        }
        self.check_push_size(push.project, &repository, objects)?;
        check_contents(&repository, refs, objects, &self.limits().push)
    }
}

/// Why a push does not go on.
pub(super) enum Judgement {
    /// It may not.
    Refused(String),
    /// It could not be judged.
    Failed(AppError),
}

impl From<AppError> for Judgement {
    fn from(error: AppError) -> Self {
        Self::Failed(error)
    }
}

fn refused(text: &str) -> Judgement {
    Judgement::Refused(text.to_owned())
}

/// The kind of a ref, and its name without what says the kind.
pub(super) fn short_name(full: &str) -> (RefKind, &str) {
    match (full.strip_prefix("refs/heads/"), full.strip_prefix("refs/tags/")) {
        (Some(name), _) => (RefKind::Branch, name),
        (None, Some(name)) => (RefKind::Tag, name),
        (None, None) => (RefKind::Other, full),
    }
}

fn change_of(repository: &Repository, pushed: &PushedRef, objects: &QuarantinePaths) -> Result<RefChange, Judgement> {
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

/// What is in the push: names that lie, objects that are too large.
fn check_contents(
    repository: &Repository,
    refs: &[PushedRef],
    objects: &QuarantinePaths,
    limits: &PushLimits,
) -> Result<(), Judgement> {
    let tips: Vec<Oid> =
        refs.iter().filter_map(|pushed| pushed.new.parse::<Oid>().ok()).filter(|oid| !oid.is_zero()).collect();
    if tips.is_empty() {
        return Ok(());
    }
    // Of a delta whose base the pack does not hold, the type is known only now.
    if let Some(refusal) = repository.oversized_object(objects, limits).map_err(AppError::from)? {
        return Err(refused(&refusal.to_string()));
    }
    let quarantine = repository.quarantine(objects).map_err(AppError::from)?;
    let name = match quarantine.name_that_lies(&tips) {
        Err(GitError::TooLarge(_)) => return Err(refused("A commit changes too many files at once.")),
        other => other.map_err(AppError::from)?,
    };
    if let Some(name) = name {
        return Err(refused(&name));
    }
    Ok(())
}
