//! Who may fetch and push.

use tenon_auth::{Secret, digest};
use tenon_domain::access::{Decision, Standing, Viewer};
use tenon_domain::container::Container;
use tenon_domain::deploy_key::EnabledKey;
use tenon_domain::deploy_token::DeployScope;
use tenon_domain::id::{NamespaceId, ProjectId, UserId};
use tenon_domain::namespace::Namespace;
use tenon_domain::project::setting::REPOSITORY;
use tenon_domain::project::{self, Import, Project, ProjectAction};
use tenon_domain::settings::GitAccess;
use tenon_domain::token::{Scope, TokenKind, TokenState};
use tenon_domain::user::{AccountUse, Exclusion, User};
use tenon_git::transport::{PushContext, Service};
use tenon_git::{Repository, RepositoryKind};
use tenon_storage::namespace::PathHolder;
use tenon_storage::{ReadTx, deploy_key, deploy_token, group, namespace, token, two_factor};

use crate::core::app::App;
use crate::core::authentication::viewer_without_session;
use crate::core::error::AppError;
use crate::core::push_sessions::{PushSession, Pusher, Running};
use crate::core::sign_in::{self, PasswordRefusal};
use crate::core::terms;
use crate::policy::authorization::standing_at;
use crate::policy::collaboration::branches_open_to;
use crate::shared::access::project_transfer::of_wiki;
use crate::wiki::NO_WIKI_PUSH;
use crate::workflows::transport::known::{Known, Who};
use crate::workflows::transport::refusal::{GitRefusal, TOO_MANY_ADDRESSES};
use crate::workflows::transport::ssh_access::SshCaller;

/// The credential of Basic authentication.
#[derive(Clone)]
pub struct GitCredential {
    /// The user name; any with a token.
    pub username: String,
    /// A password or a token.
    pub password: Secret,
}

/// Who asks, and over which protocol.
#[derive(Clone)]
pub enum GitCaller {
    /// Over HTTP, with what Basic authentication brought, if it brought anything.
    Http(Option<GitCredential>),
    /// Over SSH, with a key whose private half the client has proved to hold.
    Ssh(SshCaller),
}

impl GitCaller {
    /// The protocol.
    pub(crate) const fn over(&self) -> GitAccess {
        match self {
            Self::Http(_) => GitAccess::Http,
            Self::Ssh(_) => GitAccess::Ssh,
        }
    }
}

/// A repository that the caller may use for a service.
pub struct OpenRepository {
    /// Its project.
    pub project: ProjectId,
    /// Which of the project's repositories it is.
    pub(super) kind: RepositoryKind,
    /// The repository.
    pub repository: Repository,
    /// The push, if it is one: to be kept as long as it goes on.
    pub push: Option<Running>,
    /// How its hooks find back.
    pub context: Option<PushContext>,
    /// Who has opened it; `None` for anonymous callers.
    pub user: Option<UserId>,
}

/// The repository that a path leads to.
pub(crate) struct Place {
    pub(crate) project: ProjectId,
    pub(crate) kind: RepositoryKind,
    /// True if the project was there once, and has another path now.
    is_former: bool,
}

/// The user name that comes with the token of an application.
const OAUTH_USERNAME: &str = "oauth2";
const NO_DOWNLOAD: &str = "You are not allowed to download code.";
const NO_UPLOAD: &str = "You are not allowed to upload code.";
const NO_FETCH: &str = "You are not allowed to download code from this project.";
const READS_ONLY: &str = "This deploy key does not have write access to this project.";
const NO_WIKI: &str = "You are not allowed to download this project's wiki.";
const NO_PUSH: &str = "You are not allowed to push code to this project.";
const TERMS: &str = "You must accept the Terms of Service in order to perform this action. Please access Tenon from a web \
                     browser to accept these terms.";

/// The credential of a program that asks for the place of a repository, before it fetches.
#[derive(Clone)]
pub enum FetchProof {
    /// The credential of Basic authentication.
    Basic(GitCredential),
    /// A token, as the API takes it.
    Token(Secret),
}

impl App {
    /// The user who may fetch with this proof; none for one that proves nothing, so that its bearer is a stranger.
    pub async fn fetching_user(&self, proof: FetchProof) -> Result<Option<UserId>, AppError> {
        let known = match proof {
            FetchProof::Basic(credential) => self.identify(credential).await.map(Some),
            FetchProof::Token(password) => {
                // Under this name tokens of every kind are taken.
                let credential = GitCredential { username: OAUTH_USERNAME.to_owned(), password };
                let app = self.clone();
                self.on_reader(move || Ok(app.by_token(&credential))).await?
            }
        };
        let known = match known {
            Ok(known) => known.filter(|known| known.may_fetch),
            Err(GitRefusal::Failed(error)) => return Err(error),
            Err(_refusal) => None,
        };
        let Some(user) = known.as_ref().and_then(Known::user).map(|user| user.id) else { return Ok(None) };
        let app = self.clone();
        let asked = move || app.parts().database.read(|tx| terms::must_accept(tx, user).map_err(AppError::from));
        let has_to_accept = self.on_reader(asked).await?;
        Ok(Some(user).filter(|_| !has_to_accept))
    }

    /// Opens the repository at `path` (without `.git`) for a service, or says why not. Wrong credentials are never taken
    /// for none.
    pub async fn open_repository(
        &self,
        path: String,
        service: Service,
        caller: GitCaller,
    ) -> Result<OpenRepository, GitRefusal> {
        let over = caller.over();
        let known = self.known(caller).await?;
        // From here on, what it takes is charged to the user, also if a password has only now proved who calls.
        let app = self.used_by_user(known.as_ref().and_then(Known::user).map(|user| user.id));
        let opening = app.clone();
        app.on_reader(move || Ok(opening.open_repository_now(&path, over, service, known))).await?
    }

    /// Who calls; `None` for a caller over HTTP without a credential.
    pub(crate) async fn known(&self, caller: GitCaller) -> Result<Option<Known>, GitRefusal> {
        Ok(match caller {
            GitCaller::Http(None) => None,
            GitCaller::Http(Some(credential)) => Some(self.identify(credential).await?),
            GitCaller::Ssh(caller) => {
                let app = self.clone();
                Some(self.on_reader(move || Ok(app.by_ssh_key(&caller))).await??)
            }
        })
    }

    fn open_repository_now(
        &self,
        path: &str,
        over: GitAccess,
        service: Service,
        known: Option<Known>,
    ) -> Result<OpenRepository, GitRefusal> {
        let place = self.place(path, over, service, known.as_ref())?;
        if let Some(user) = known.as_ref().and_then(Known::user) {
            self.usage().note_activity(user, self.now());
        }
        let Place { project, kind, .. } = place;
        if kind == RepositoryKind::Code && !self.repositories().store.repository(project).exists() {
            // A repository that is made here now would be in the way of the one that is on its way.
            let found =
                self.parts().database.read(|tx| tenon_storage::project::find(tx, project).map_err(GitRefusal::from))?;
            if found.is_some_and(|found| matches!(found.import, Import::Scheduled | Import::Started)) {
                return Err(GitRefusal::NotYet);
            }
        }
        let repository = self.repository_of_kind(project, kind)?;
        let pusher = known.as_ref().and_then(Known::pusher);
        let user = pusher.and_then(Pusher::author);
        let push = match (service, pusher) {
            (Service::ReceivePack, Some(pusher)) => {
                let id = Secret::generate_hex(self.entropy()).expose().to_owned();
                let former_path = place.is_former.then(|| path.to_owned());
                let push = PushSession { project, kind, pusher, over, former_path, threads: 1 };
                Some(self.push_sessions().begin(id, push))
            }
            (Service::UploadPack | Service::ReceivePack, _) => None,
        };
        let socket = &self.repositories().socket;
        let context =
            push.as_ref().map(|push| PushContext { id: push.id().to_owned(), socket: socket.clone(), threads: 1 });
        Ok(OpenRepository { project, kind, repository, push, context, user })
    }

    /// The project at `path`, if the caller may use it for a service. A push makes it if nothing is: the writing is
    /// done on a reader's thread, but a project is made only once.
    fn place(&self, path: &str, over: GitAccess, service: Service, known: Option<&Known>) -> Result<Place, GitRefusal> {
        let look = || self.parts().database.read(|tx| self.authorise(tx, path, over, service, known));
        match (look(), service, known.and_then(Known::user)) {
            (Err(GitRefusal::NotFound), Service::ReceivePack, Some(user)) => match self.create_for_push(path, user)? {
                Some(project) => Ok(Place { project, kind: RepositoryKind::Code, is_former: false }),
                None => look(),
            },
            (found, _, _) => found,
        }
    }

    /// The account behind Basic credentials: by token first, else by password.
    async fn identify(&self, credential: GitCredential) -> Result<Known, GitRefusal> {
        let (app, sent) = (self.clone(), credential.clone());
        if let Some(known) = self.on_credentials(move || Ok(app.by_token(&sent))).await?? {
            return Ok(known);
        }
        let user =
            match self.sign_in_with_password(credential.username, credential.password, sign_in::Place::Programs).await?
            {
                Ok(proved) => proved.user,
                Err(PasswordRefusal::Wrong | PasswordRefusal::Excluded(..) | PasswordRefusal::Unconfirmed(_)) => {
                    return Err(GitRefusal::Unauthenticated);
                }
                Err(PasswordRefusal::NotAccepted) => return Err(GitRefusal::TokenRequired),
            };
        let app = self.used_by_user(Some(user.id));
        let asking = app.clone();
        let asked =
            move || asking.parts().database.read(|tx| two_factor::is_enabled(tx, user.id).map_err(AppError::from));
        if app.on_reader(asked).await? {
            return Err(GitRefusal::TokenRequired);
        }
        // A caller with a token is known before, and counted there.
        match self.admit_sign_in(user.id) {
            Ok(()) => Ok(Known { who: Who::User(Box::new(user)), may_fetch: true, may_push: true }),
            Err(_) => Err(GitRefusal::Forbidden(TOO_MANY_ADDRESSES)),
        }
    }

    fn by_token(&self, credential: &GitCredential) -> Result<Option<Known>, GitRefusal> {
        let (now, secret) = (self.now(), &credential.password);
        let digest = digest(secret.expose());
        let found =
            self.parts().database.read_credential(|tx| token::by_digest(tx, &digest).map_err(GitRefusal::from))?;
        let Some((token, user)) = found else { return self.by_deploy_token(&credential.username, &digest) };
        // An application's token stands for itself, not for the password of a user.
        let is_misnamed = token.kind == TokenKind::OAuth && credential.username != OAUTH_USERNAME;
        let is_switched_off = token.kind == TokenKind::Personal && !user.admin && self.known_settings().tokens.disabled;
        if is_switched_off || is_misnamed || token.state(now) != TokenState::Active {
            return Err(GitRefusal::Unauthenticated);
        }
        self.check_may_act(&user)?;
        self.usage().note(&token, now);
        self.remember_proved(secret, user.id);
        let holds = |scopes: &[Scope]| scopes.iter().any(|scope| token.scopes.contains(*scope));
        Ok(Some(Known {
            may_fetch: holds(&[Scope::Api, Scope::ReadRepository, Scope::WriteRepository]),
            may_push: holds(&[Scope::Api, Scope::WriteRepository]),
            who: Who::User(Box::new(user)),
        }))
    }

    /// The deploy token of this digest. It comes with the user name that belongs to it.
    fn by_deploy_token(&self, username: &str, digest: &str) -> Result<Option<Known>, GitRefusal> {
        let found = self
            .parts()
            .database
            .read_credential(|tx| deploy_token::by_digest(tx, digest).map_err(GitRefusal::from))?;
        let Some(token) = found else { return Ok(None) };
        if token.username() != username || token.is_expired(self.now().date_naive()) {
            return Err(GitRefusal::Unauthenticated);
        }
        Ok(Some(Known {
            may_fetch: token.scopes.contains(&DeployScope::ReadRepository),
            may_push: false,
            who: Who::DeployToken { opens: token.container },
        }))
    }

    /// Refuses a user whose account may not be used, and says why.
    pub(super) fn check_may_act(&self, user: &User) -> Result<(), GitRefusal> {
        user.admits(AccountUse::Act).map_err(|exclusion| match exclusion {
            Exclusion::Internal => GitRefusal::Unauthenticated,
            Exclusion::Blocked | Exclusion::Deactivated | Exclusion::Banned | Exclusion::Pending => {
                GitRefusal::Excluded(exclusion.words(self.base_url()))
            }
        })
    }

    /// The repository at `path` (without `.git`), if the caller may use it for a service.
    pub(crate) fn authorise(
        &self,
        tx: &mut ReadTx<'_>,
        path: &str,
        over: GitAccess,
        service: Service,
        known: Option<&Known>,
    ) -> Result<Place, GitRefusal> {
        let settings = tenon_storage::settings::load(tx)?;
        if let Some(message) = settings.maintenance.as_ref().filter(|_| service == Service::ReceivePack) {
            return Err(GitRefusal::Maintenance(message.clone()));
        }
        let only = settings.enabled_git_access_protocol;
        if only.is_some_and(|only| only != over) {
            return Err(forbidden_over(over));
        }
        if let Some(user) = known.and_then(Known::user)
            && terms::must_accept(tx, user.id)?
        {
            return Err(GitRefusal::Forbidden(TERMS));
        }
        match (service, known) {
            (Service::UploadPack, Some(known)) if !known.may_fetch => return Err(GitRefusal::Forbidden(NO_DOWNLOAD)),
            (Service::ReceivePack, Some(known)) if !known.may_push => return Err(GitRefusal::Forbidden(NO_UPLOAD)),
            (Service::ReceivePack, None) => return Err(GitRefusal::Unauthenticated),
            _ => {}
        }
        // To those who have not signed in, missing and private look the same.
        let hidden = || if known.is_some() { GitRefusal::NotFound } else { GitRefusal::Unauthenticated };
        // A missing project costs the same questions as a hidden one: the time must be the same for both.
        let wiki = match of_wiki(path) {
            Some(project) => place_at(tx, project, RepositoryKind::Wiki)?,
            None => None,
        };
        let place = match (place_at(tx, path, RepositoryKind::Code)?, wiki) {
            // A wiki that has the address now comes before the project that had it once.
            (Some(code), Some(wiki)) if code.is_former && !wiki.is_former => Some(wiki),
            (code, wiki) => code.or(wiki),
        };
        let id = place.as_ref().map_or(ProjectId::new(0), |place| place.project);
        let viewer = match known.and_then(Known::user) {
            Some(user) => viewer_without_session(tx, user)?,
            None => Viewer::Anonymous,
        };
        let placed = tenon_storage::project::find_placed(tx, id)?
            .filter(|placed| placed.home.admits(viewer, self.origin()) == Decision::Allow);
        let today = self.now().date_naive();
        let kind = place.as_ref().map_or(RepositoryKind::Code, |place| place.kind);
        let user = match known.map(|known| &known.who) {
            None => None,
            Some(Who::User(user)) => Some(user),
            Some(Who::DeployKey { id: key, .. }) => {
                let enabled = deploy_key::find_of(tx, id, *key)?;
                // Keys and tokens open the code of projects only.
                let place = place.filter(|_| kind == RepositoryKind::Code);
                let (Some(place), Some(placed), Some(enabled)) = (place, placed, enabled) else { return Err(hidden()) };
                may_use(&enabled, &placed.project, service)?;
                return permitted_over(tx, over, &placed.home).map(|()| place);
            }
            Some(Who::DeployToken { opens }) => {
                let home = placed.as_ref().map_or(NamespaceId::new(0), |placed| placed.home.id);
                let is_opened = match opens {
                    Container::Project(project) => *project == id,
                    Container::Group(group) => namespace::is_within(tx, home, *group)?,
                };
                let place = place.filter(|_| is_opened && kind == RepositoryKind::Code);
                let (Some(place), Some(placed)) = (place, placed) else { return Err(hidden()) };
                if !placed.project.has(&REPOSITORY) {
                    return Err(GitRefusal::Forbidden(NO_FETCH));
                }
                return permitted_over(tx, over, &placed.home).map(|()| place);
            }
        };
        let standing = match user {
            None => Standing { viewer: Viewer::Anonymous, level: None },
            Some(_) => standing_at(tx, viewer, placed.as_ref(), today)?,
        };
        let (Some(place), Some(placed)) = (place, placed) else { return Err(hidden()) };
        let facts = crate::policy::authorization::facts(&placed.project);
        let decide = |action| project::decide(&standing, facts, action);
        let reads = match kind {
            RepositoryKind::Code => decide(ProjectAction::ReadCode),
            RepositoryKind::Wiki => decide(ProjectAction::FetchWiki),
        };
        match (reads, service, kind) {
            (Decision::Hide, _, _) => return Err(hidden()),
            (Decision::Deny, Service::UploadPack, _) if known.is_none() => return Err(GitRefusal::Unauthenticated),
            (Decision::Deny, Service::UploadPack, RepositoryKind::Code) => return Err(GitRefusal::Forbidden(NO_FETCH)),
            (Decision::Deny, Service::UploadPack, RepositoryKind::Wiki) => return Err(GitRefusal::Forbidden(NO_WIKI)),
            (Decision::Allow, Service::UploadPack, _) => {}
            (_, Service::ReceivePack, RepositoryKind::Wiki) => {
                if decide(ProjectAction::WriteWiki) != Decision::Allow {
                    return Err(GitRefusal::Forbidden(NO_WIKI_PUSH));
                }
            }
            (_, Service::ReceivePack, RepositoryKind::Code) if decide(ProjectAction::Push) == Decision::Allow => {}
            (Decision::Allow, Service::ReceivePack, RepositoryKind::Code) => match user {
                Some(_) if !branches_open_to(tx, viewer, &placed.project, today)?.is_empty() => {}
                Some(_) | None => return Err(GitRefusal::Forbidden(NO_PUSH)),
            },
            (Decision::Deny, Service::ReceivePack, RepositoryKind::Code) => return Err(GitRefusal::Forbidden(NO_PUSH)),
        }
        permitted_over(tx, over, &placed.home).map(|()| place)
    }
}

/// The repository of this kind of the project that has this path, or had it once.
fn place_at(tx: &mut ReadTx<'_>, path: &str, kind: RepositoryKind) -> Result<Option<Place>, GitRefusal> {
    let holder = namespace::holder(tx, path)?;
    let former = namespace::former_holder(tx, path)?;
    Ok(match holder {
        Some(PathHolder::Project(project)) => Some(Place { project, kind, is_former: false }),
        Some(PathHolder::Namespace(_)) => None,
        None => former.and_then(PathHolder::project).map(|project| Place { project, kind, is_former: true }),
    })
}

/// Refuses a protocol that a group above the project forbids.
fn permitted_over(tx: &mut ReadTx<'_>, protocol: GitAccess, home: &Namespace) -> Result<(), GitRefusal> {
    if group::inherited_settings(tx, home.id)?.admits(protocol) { Ok(()) } else { Err(forbidden_over(protocol)) }
}

const fn forbidden_over(protocol: GitAccess) -> GitRefusal {
    GitRefusal::Forbidden(match protocol {
        GitAccess::Http => "Git access over HTTP is not allowed",
        GitAccess::Ssh => "Git access over SSH is not allowed",
    })
}

/// Checks that the holder of a key that opens a project may use it for a service.
fn may_use(enabled: &EnabledKey, project: &Project, service: Service) -> Result<(), GitRefusal> {
    match service {
        Service::UploadPack if !project.has(&REPOSITORY) => Err(GitRefusal::Forbidden(NO_FETCH)),
        Service::ReceivePack if !project.has(&REPOSITORY) => Err(GitRefusal::Forbidden(NO_PUSH)),
        Service::ReceivePack if !enabled.can_push => Err(GitRefusal::Forbidden(READS_ONLY)),
        Service::ReceivePack if project.archived => Err(GitRefusal::Forbidden(NO_PUSH)),
        Service::UploadPack | Service::ReceivePack => Ok(()),
    }
}
