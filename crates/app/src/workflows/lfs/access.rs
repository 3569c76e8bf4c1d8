//! Who may use the large files of a project: those who may fetch or push its code.

use std::sync::Arc;

use tenon_domain::id::ProjectId;
use tenon_domain::settings::GitAccess;
use tenon_domain::user::User;
use tenon_git::RepositoryKind;
use tenon_git::transport::Service;
use tenon_storage::{ReadTx, project};

use crate::core::app::{App, Command};
use crate::core::error::AppError;
use crate::workflows::lfs::refusal::LfsRefusal;
use crate::workflows::transport::known::Known;
use crate::workflows::transport::{GitCaller, GitCredential, GitRefusal};

/// A request of a client of LFS.
#[derive(Clone)]
pub struct LfsRequest {
    /// The full path of the project, without `.git`.
    pub path: String,
    /// The credential of Basic authentication: one of Git, or a token that [`super::authenticate`] has made.
    pub credential: Option<GitCredential>,
}

/// The use of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LfsOperation {
    /// To read them.
    Download,
    /// To add some.
    Upload,
}

impl LfsOperation {
    /// Reads `download` or `upload`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Download, Self::Upload].into_iter().find(|operation| operation.name() == text)
    }

    /// `download` or `upload`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Download => "download",
            Self::Upload => "upload",
        }
    }

    /// The service of Git that needs the same right.
    const fn service(self) -> Service {
        match self {
            Self::Download => Service::UploadPack,
            Self::Upload => Service::ReceivePack,
        }
    }
}

/// A project whose large files the caller may use.
#[derive(Clone)]
pub(super) struct Opened {
    /// The application, used by the caller.
    pub(super) app: App,
    pub(super) project: ProjectId,
    asked: Arc<Asked>,
}

/// The question that was answered when a project was opened.
struct Asked {
    path: String,
    over: GitAccess,
    operation: LfsOperation,
    known: Option<Known>,
}

impl App {
    /// The project that a request names, if its caller may use it. A hidden project is answered as a missing one.
    pub(super) async fn open_lfs(&self, request: LfsRequest, operation: LfsOperation) -> Result<Opened, LfsRefusal> {
        let LfsRequest { path, credential } = request;
        let token = credential.as_ref().map(|credential| self.lfs_token(&credential.password)).transpose()?.flatten();
        let Some(token) = token else {
            return self.open_lfs_as(GitCaller::Http(credential), path, operation).await;
        };
        if operation == LfsOperation::Upload && token.operation == LfsOperation::Download {
            return Err(GitRefusal::Forbidden("This token is for downloads only.").into());
        }
        let opened = self.open_lfs_as(GitCaller::Ssh(token.caller), path, operation).await?;
        if opened.project != token.project {
            return Err(GitRefusal::NotFound.into());
        }
        Ok(opened)
    }

    pub(super) async fn open_lfs_as(
        &self,
        caller: GitCaller,
        path: String,
        operation: LfsOperation,
    ) -> Result<Opened, LfsRefusal> {
        let over = caller.over();
        let known = self.known(caller).await?;
        let user = known.as_ref().and_then(Known::user).map(|user| user.id);
        let app = self.used_by_user(user);
        let asked = Arc::new(Asked { path, over, operation, known });
        let (asking, question) = (app.clone(), Arc::clone(&asked));
        let found = app.on_reader(move || Ok(asking.database().read(|tx| question.answer(&asking, tx)))).await?;
        if let Some(user) = asked.known.as_ref().and_then(Known::user) {
            app.usage().note_activity(user, app.now());
        }
        Ok(Opened { project: found?, app, asked })
    }
}

impl Asked {
    fn answer(&self, app: &App, tx: &mut ReadTx<'_>) -> Result<ProjectId, LfsRefusal> {
        let service = self.operation.service();
        let place = app.authorise(tx, &self.path, self.over, service, self.known.as_ref())?;
        // Wikis have no large files.
        let found = match place.kind {
            RepositoryKind::Code => project::find(tx, place.project)?,
            RepositoryKind::Wiki => None,
        };
        let found = found.ok_or(GitRefusal::NotFound)?;
        if found.features.lfs_enabled { Ok(found.id) } else { Err(LfsRefusal::SwitchedOff) }
    }
}

impl Opened {
    /// Asks again: the right may have ended since.
    pub(super) fn check(&self, tx: &mut ReadTx<'_>) -> Result<(), LfsRefusal> {
        if let Some(user) = self.user() {
            // The account may have been blocked since.
            let is_active = tenon_storage::user::find(tx, user.id)?.is_some_and(|user| user.may_act());
            if !is_active {
                return Err(GitRefusal::Forbidden("Your account may not act any more.").into());
            }
        }
        let found = self.asked.answer(&self.app, tx)?;
        if found == self.project { Ok(()) } else { Err(GitRefusal::NotFound.into()) }
    }

    /// The user who calls; `None` for anonymous callers and for keys and tokens that belong to no account.
    pub(super) fn user(&self) -> Option<&User> {
        self.asked.known.as_ref().and_then(Known::user)
    }

    /// True if the caller has sent no credential.
    pub(super) fn is_anonymous(&self) -> bool {
        self.asked.known.is_none()
    }

    /// Reads rows.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut ReadTx<'_>) -> Result<T, LfsRefusal> + Send + 'static,
    ) -> Result<T, LfsRefusal> {
        let app = self.app.clone();
        self.app.on_reader(move || Ok(app.database().read(work))).await?
    }

    /// Writes rows. A refusal comes before the first write: it undoes nothing.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Command<'_>) -> Result<T, LfsRefusal> + Send + 'static,
    ) -> Result<T, LfsRefusal> {
        let app = self.app.clone();
        let written = move || {
            app.command(|command| match work(command) {
                Ok(value) => Ok(Ok(value)),
                Err(LfsRefusal::Git(GitRefusal::Failed(fault))) => Err::<Result<T, LfsRefusal>, AppError>(fault),
                Err(refusal) => Ok(Err(refusal)),
            })
        };
        self.app.on_reader(written).await?
    }
}
