//! Who may fetch and push over HTTP.

use tenon_auth::{Secret, digest};
use tenon_domain::access::{Decision, Standing, Viewer};
use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::project::{self, Import, ProjectAction};
use tenon_domain::settings::GitAccess;
use tenon_domain::token::{Scope, TokenKind, TokenState};
use tenon_domain::user::{User, UserState};
use tenon_git::Repository;
use tenon_git::transport::{PushContext, Service};
use tenon_storage::namespace::PathHolder;
use tenon_storage::{ReadTx, namespace, token};

use crate::core::app::App;
use crate::core::client::Client;
use crate::core::error::AppError;
use crate::core::push_sessions::{PushSession, Running};
use crate::core::sign_in::PasswordRefusal;
use crate::policy::authorization::standing_at;
use crate::policy::collaboration::branches_open_to;

/// What Basic authentication brought.
#[derive(Clone)]
pub struct GitCredential {
    /// The user name; any with a token.
    pub username: String,
    /// A password or a token.
    pub password: Secret,
}

/// Why Git is not served. The texts reach the user's terminal.
#[derive(Debug, thiserror::Error)]
pub enum GitRefusal {
    /// The caller must sign in, or the credentials are wrong.
    #[error("HTTP Basic: Access denied")]
    Unauthenticated,
    /// Passwords of accounts are not taken.
    #[error(
        "HTTP Basic: Access denied\nYou must use a personal access token with 'api' scope for Git over HTTP.\n\
         An account password is not accepted."
    )]
    TokenRequired,
    /// Known, and not permitted.
    #[error("{0}")]
    Forbidden(&'static str),
    /// Absent, or hidden.
    #[error("The project you were looking for could not be found.")]
    NotFound,
    /// The project is there, and its repository is still on its way.
    #[error("A repository for this project does not exist yet.")]
    NotYet,
    /// A push to a project that does not exist and cannot be created, with the reason.
    #[error("Could not create project: {0}")]
    NotCreated(String),
    /// The request is over this limit.
    #[error("{0}")]
    TooLarge(String),
    /// The request cannot be read, for this reason.
    #[error("{0}")]
    Malformed(String),
    /// The client has gone before its request was complete.
    #[error("The request is incomplete.")]
    Incomplete,
    /// The request came more slowly than the limits allow.
    #[error("The request was sent too slowly.")]
    TooSlow,
    /// A fault of the server.
    #[error("internal fault")]
    Failed(#[from] AppError),
}

impl From<tenon_storage::StoreError> for GitRefusal {
    fn from(error: tenon_storage::StoreError) -> Self {
        Self::Failed(error.into())
    }
}

/// A repository that the caller may use for a service.
pub struct OpenRepository {
    /// The repository.
    pub repository: Repository,
    /// The push, where it is one: to be kept as long as it goes on.
    pub push: Option<Running>,
    /// How its hooks find back.
    pub context: Option<PushContext>,
    /// Who has opened it; `None` for anonymous callers.
    pub user: Option<UserId>,
}

/// Who calls, and what the credential is good for.
struct Known {
    user: User,
    may_fetch: bool,
    may_push: bool,
}

/// The project that a path leads to.
struct Place {
    project: ProjectId,
    /// Whether the project was there once, and has another path now.
    is_former: bool,
}

/// The user name that comes with the token of an application.
const OAUTH_USERNAME: &str = "oauth2";
const NO_DOWNLOAD: &str = "You are not allowed to download code.";
const NO_UPLOAD: &str = "You are not allowed to upload code.";
const NO_FETCH: &str = "You are not allowed to download code from this project.";
const NO_PUSH: &str = "You are not allowed to push code to this project.";
const TOO_MANY_ADDRESSES: &str = "You are calling from too many addresses.";
const BLOCKED: &str = "Your account has been blocked.";

impl App {
    /// Opens the repository at `path` (without `.git`) for a service, or says why not. Wrong credentials are never taken
    /// for none.
    pub async fn open_repository(
        &self,
        path: String,
        service: Service,
        credential: Option<GitCredential>,
    ) -> Result<OpenRepository, GitRefusal> {
        let known = match credential {
            None => None,
            Some(credential) => Some(self.identify(credential).await?),
        };
        let app = self.clone();
        self.on_reader(move || Ok(app.open_repository_now(&path, service, known))).await?
    }

    fn open_repository_now(
        &self,
        path: &str,
        service: Service,
        known: Option<Known>,
    ) -> Result<OpenRepository, GitRefusal> {
        let place = self.place(path, service, known.as_ref())?;
        if let Some(known) = &known {
            self.usage().note_activity(&known.user, self.now());
        }
        let project = place.project;
        let repository = self.repositories().store.repository(project);
        if !repository.exists() {
            // What is made here now would be in the way of what is on its way.
            let found =
                self.parts().database.read(|tx| tenon_storage::project::find(tx, project).map_err(GitRefusal::from))?;
            if found.is_some_and(|found| matches!(found.import, Import::Scheduled | Import::Started)) {
                return Err(GitRefusal::NotYet);
            }
        }
        let repository = self.repository(project)?;
        let user = known.as_ref().map(|known| known.user.id);
        let push = match (service, known) {
            (Service::ReceivePack, Some(known)) => {
                let id = Secret::generate_hex(self.entropy()).expose().to_owned();
                Some(self.push_sessions().begin(
                    id,
                    PushSession { project, user: known.user.id, former_path: place.is_former.then(|| path.to_owned()) },
                ))
            }
            (Service::UploadPack | Service::ReceivePack, _) => None,
        };
        let context = push
            .as_ref()
            .map(|push| PushContext { id: push.id().to_owned(), socket: self.repositories().socket.clone() });
        Ok(OpenRepository { repository, push, context, user })
    }

    /// The project at `path`, if the caller may use it for a service. A push makes it where nothing is: the writing is done
    /// on a reader's thread, but a project is made only once.
    fn place(&self, path: &str, service: Service, known: Option<&Known>) -> Result<Place, GitRefusal> {
        let look = || self.parts().database.read(|tx| self.authorise(tx, path, service, known));
        match (look(), service, known) {
            (Err(GitRefusal::NotFound), Service::ReceivePack, Some(known)) => {
                match self.create_for_push(path, &known.user)? {
                    Some(project) => Ok(Place { project, is_former: false }),
                    None => look(),
                }
            }
            (found, _, _) => found,
        }
    }

    /// The account behind Basic credentials: by token first, else by password.
    async fn identify(&self, credential: GitCredential) -> Result<Known, GitRefusal> {
        let (app, sent) = (self.clone(), credential.clone());
        if let Some(known) = self.on_reader(move || Ok(app.by_token(&sent))).await?? {
            return Ok(known);
        }
        let user = match self.sign_in_with_password(credential.username, credential.password).await? {
            Ok(user) => user,
            Err(PasswordRefusal::Wrong) => return Err(GitRefusal::Unauthenticated),
            Err(PasswordRefusal::NotAccepted) => return Err(GitRefusal::TokenRequired),
        };
        // A caller with a token is known before, and counted there.
        match self.client() {
            Client::Network(network) if self.admit_address_of(user.id, network).is_err() => {
                Err(GitRefusal::Forbidden(TOO_MANY_ADDRESSES))
            }
            Client::Network(_) | Client::User(_) | Client::Server => {
                Ok(Known { user, may_fetch: true, may_push: true })
            }
        }
    }

    fn by_token(&self, credential: &GitCredential) -> Result<Option<Known>, GitRefusal> {
        let (now, secret) = (self.now(), &credential.password);
        let digest = digest(secret.expose());
        let found = self.parts().database.read(|tx| token::by_digest(tx, &digest).map_err(GitRefusal::from))?;
        let Some((token, user)) = found else { return Ok(None) };
        // An application's token stands for itself, not for the password of a user.
        let is_misnamed = token.kind == TokenKind::OAuth && credential.username != OAUTH_USERNAME;
        if is_misnamed || token.state(now) != TokenState::Active {
            return Err(GitRefusal::Unauthenticated);
        }
        check_active(&user)?;
        self.usage().note(&token, now);
        self.remember_proved(secret, user.id);
        let holds = |scopes: &[Scope]| scopes.iter().any(|scope| token.scopes.contains(*scope));
        Ok(Some(Known {
            may_fetch: holds(&[Scope::Api, Scope::ReadRepository, Scope::WriteRepository]),
            may_push: holds(&[Scope::Api, Scope::WriteRepository]),
            user,
        }))
    }

    fn authorise(
        &self,
        tx: &mut ReadTx<'_>,
        path: &str,
        service: Service,
        known: Option<&Known>,
    ) -> Result<Place, GitRefusal> {
        if tenon_storage::settings::load(tx)?.enabled_git_access_protocol == Some(GitAccess::Ssh) {
            return Err(GitRefusal::Forbidden("Git access over HTTP is not allowed"));
        }
        match (service, known) {
            (Service::UploadPack, Some(known)) if !known.may_fetch => return Err(GitRefusal::Forbidden(NO_DOWNLOAD)),
            (Service::ReceivePack, Some(known)) if !known.may_push => return Err(GitRefusal::Forbidden(NO_UPLOAD)),
            (Service::ReceivePack, None) => return Err(GitRefusal::Unauthenticated),
            _ => {}
        }
        // To those who have not signed in, missing and private look the same.
        let hidden = || if known.is_some() { GitRefusal::NotFound } else { GitRefusal::Unauthenticated };
        // What is missing costs the same questions as what is hidden: the time must be the same for both.
        let holder = namespace::holder(tx, path)?;
        let former = namespace::former_holder(tx, path)?;
        let place = match holder {
            Some(PathHolder::Project(project)) => Some(Place { project, is_former: false }),
            Some(PathHolder::Namespace(_)) => None,
            None => former.map(|project| Place { project, is_former: true }),
        };
        let id = place.as_ref().map_or(ProjectId::new(0), |place| place.project);
        let placed = tenon_storage::project::find_placed(tx, id)?;
        let today = self.now().date_naive();
        let standing = match known {
            None => Standing { viewer: Viewer::Anonymous, level: None },
            Some(Known { user, .. }) => standing_at(tx, user, placed.as_ref(), today)?,
        };
        let (Some(place), Some(placed)) = (place, placed) else { return Err(hidden()) };
        let facts = crate::policy::authorization::facts(&placed.project);
        let decide = |action| project::decide(&standing, facts, action);
        match (decide(ProjectAction::ReadCode), service) {
            (Decision::Hide, _) => Err(hidden()),
            (Decision::Deny, Service::UploadPack) if known.is_none() => Err(GitRefusal::Unauthenticated),
            (Decision::Deny, Service::UploadPack) => Err(GitRefusal::Forbidden(NO_FETCH)),
            (Decision::Allow, Service::UploadPack) => Ok(place),
            (_, Service::ReceivePack) if decide(ProjectAction::Push) == Decision::Allow => Ok(place),
            (Decision::Allow, Service::ReceivePack) => match known {
                Some(Known { user, .. }) if !branches_open_to(tx, user, &placed.project, today)?.is_empty() => {
                    Ok(place)
                }
                Some(_) | None => Err(GitRefusal::Forbidden(NO_PUSH)),
            },
            (Decision::Deny, Service::ReceivePack) => Err(GitRefusal::Forbidden(NO_PUSH)),
        }
    }
}

fn check_active(user: &User) -> Result<(), GitRefusal> {
    match user.state {
        UserState::Active if !user.ghost => Ok(()),
        UserState::Active => Err(GitRefusal::Unauthenticated),
        UserState::Blocked => Err(GitRefusal::Forbidden(BLOCKED)),
    }
}
