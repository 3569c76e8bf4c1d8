//! Locks of paths: while a user has one, others may not push changes of the file.

use tenon_domain::access::Decision;
use tenon_domain::id::{LfsLockId, UserId};
use tenon_domain::lfs::{LfsLock, is_lockable};
use tenon_domain::project::{ProjectAction, decide};
use tenon_domain::user::User;
use tenon_storage::lfs::{self, LockFilter};
use tenon_storage::project;

use crate::core::app::{App, Command};
use crate::core::authentication::viewer_without_session;
use crate::policy::authorization::{facts, standing_of};
use crate::workflows::lfs::access::{LfsOperation, LfsRequest, Opened};
use crate::workflows::lfs::refusal::LfsRefusal;
use crate::workflows::transport::GitRefusal;

/// The most locks of one answer.
pub const MOST_LOCKS: i64 = 100;

/// A part of the locks of a project, by id.
#[derive(Debug)]
pub struct LockPage {
    /// The locks.
    pub locks: Vec<LfsLock>,
    /// The id after which the next part begins; `None` if this is the last part.
    pub next: Option<i64>,
}

/// A part of the locks of a project, by owner.
#[derive(Debug)]
pub struct VerifiedLocks {
    /// Those of the caller.
    pub ours: Vec<LfsLock>,
    /// Those of others.
    pub theirs: Vec<LfsLock>,
    /// As in [`LockPage`].
    pub next: Option<i64>,
}

/// Locks a path for the caller, who may push.
///
/// # Errors
/// As a push; [`LfsRefusal::Locked`] with the lock that the path has already.
pub async fn lock(app: &App, request: LfsRequest, path: String) -> Result<LfsLock, LfsRefusal> {
    let opened = app.open_lfs(request, LfsOperation::Upload).await?;
    let user = user_of(&opened)?.clone();
    if !is_lockable(&path) {
        return Err(LfsRefusal::Path);
    }
    let (project, most, asked) = (opened.project, app.limits().contents.lfs_locks, opened.clone());
    let locked = opened.write(move |command| {
        asked.check(&mut command.tx)?;
        let same = LockFilter { path: Some(path.clone()), ..LockFilter::default() };
        if let Some(there) = lfs::locks(&mut command.tx, project, &same, 0, 1)?.pop() {
            return Err(LfsRefusal::Locked(Box::new(there)));
        }
        if usize::try_from(lfs::count_locks(&mut command.tx, project)?).is_ok_and(|count| count >= most) {
            return Err(LfsRefusal::TooManyLocks(most));
        }
        let now = command.now;
        let id = lfs::insert_lock(&mut command.tx, project, &path, user.id, now)?;
        Ok(LfsLock { id, path, owner: user.id, owner_name: user.name, locked_at: now })
    });
    locked.await
}

/// A part of the locks of a project that the caller may read: at most `limit` behind the id `after`.
///
/// # Errors
/// As a fetch.
pub async fn locks(
    app: &App,
    request: LfsRequest,
    filter: LockFilter,
    after: i64,
    limit: i64,
) -> Result<LockPage, LfsRefusal> {
    let opened = app.open_lfs(request, LfsOperation::Download).await?;
    page(&opened, filter, after, limit).await
}

/// As [`locks`], by owner, for a caller who may push.
///
/// # Errors
/// As a push.
pub async fn verify(app: &App, request: LfsRequest, after: i64, limit: i64) -> Result<VerifiedLocks, LfsRefusal> {
    let opened = app.open_lfs(request, LfsOperation::Upload).await?;
    let page = page(&opened, LockFilter::default(), after, limit).await?;
    let user: Option<UserId> = opened.user().map(|user| user.id);
    let (ours, theirs) = page.locks.into_iter().partition(|lock| Some(lock.owner) == user);
    Ok(VerifiedLocks { ours, theirs, next: page.next })
}

async fn page(opened: &Opened, filter: LockFilter, after: i64, limit: i64) -> Result<LockPage, LfsRefusal> {
    let (project, limit) = (opened.project, limit.clamp(1, MOST_LOCKS));
    let read = opened.read(move |tx| Ok(lfs::locks(tx, project, &filter, after, limit.saturating_add(1))?));
    let mut locks = read.await?;
    let most = usize::try_from(limit).unwrap_or(0);
    let has_more = locks.len() > most;
    locks.truncate(most);
    let next = locks.last().filter(|_| has_more).map(|last| last.id.get());
    Ok(LockPage { locks, next })
}

/// Removes a lock of the caller, or that of another user if `force` is set and the caller is a maintainer.
///
/// # Errors
/// As a push; [`LfsRefusal::NoLock`], [`LfsRefusal::OfAnother`] and [`LfsRefusal::NoMaintainer`].
pub async fn unlock(app: &App, request: LfsRequest, id: LfsLockId, force: bool) -> Result<LfsLock, LfsRefusal> {
    let opened = app.open_lfs(request, LfsOperation::Upload).await?;
    let user = user_of(&opened)?.clone();
    let (project, asked) = (opened.project, opened.clone());
    let unlocked = opened.write(move |command| {
        asked.check(&mut command.tx)?;
        let same = LockFilter { id: Some(id), ..LockFilter::default() };
        let found = lfs::locks(&mut command.tx, project, &same, 0, 1)?.pop().ok_or(LfsRefusal::NoLock)?;
        if found.owner != user.id {
            if !force {
                return Err(LfsRefusal::OfAnother(found.path, found.owner_name));
            }
            if !maintains(command, &asked, &user)? {
                return Err(LfsRefusal::NoMaintainer);
            }
        }
        lfs::delete_lock(&mut command.tx, found.id)?;
        Ok(found)
    });
    unlocked.await
}

/// A key or token that belongs to no account owns no locks.
fn user_of(opened: &Opened) -> Result<&User, LfsRefusal> {
    opened.user().ok_or(LfsRefusal::Git(GitRefusal::Forbidden("Only users lock files.")))
}

/// True if a user may change the settings of the project.
fn maintains(command: &mut Command<'_>, opened: &Opened, user: &User) -> Result<bool, LfsRefusal> {
    let today = command.now.date_naive();
    let viewer = viewer_without_session(&mut command.tx, user)?;
    let Some(placed) = project::find_placed(&mut command.tx, opened.project)? else { return Ok(false) };
    let standing = standing_of(&mut command.tx, viewer, &placed, today)?;
    Ok(decide(&standing, facts(&placed.project), ProjectAction::Edit) == Decision::Allow)
}
