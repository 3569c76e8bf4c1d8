//! Who a key of SSH belongs to, and whether Git may be used with it.

use tenon_auth::parse_ssh_key;
use tenon_domain::id::{DeployKeyId, SshKeyId, UserId};
use tenon_domain::settings::Settings;
use tenon_domain::ssh_key::Fingerprint;
use tenon_domain::user::User;
use tenon_storage::{ReadTx, StoreError, deploy_key, settings, ssh_key, user};

use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::spending::client::{Client, Network};
use crate::workflows::transport::known::{Known, Who};
use crate::workflows::transport::refusal::{GitRefusal, TOO_MANY_ADDRESSES};

/// Who has connected over SSH: the client has proved to hold the private half of a key.
#[derive(Debug, Clone)]
pub struct SshCaller {
    /// The key. The projects that it opens are looked up anew for each command.
    key: HeldKey,
    /// The address from which the client has connected.
    network: Network,
}

/// A key that opens something.
#[derive(Debug, Clone)]
enum HeldKey {
    /// Of an account.
    User { id: SshKeyId, user: UserId },
    /// Of projects; the account that has added it is charged.
    Deploy { id: DeployKeyId, owner: Option<UserId> },
}

impl SshCaller {
    /// The key as a text, from which [`SshCaller::parse`] makes the caller again.
    pub(crate) fn written(&self) -> String {
        match self.key {
            HeldKey::User { id, user } => format!("user-{id}-{user}"),
            HeldKey::Deploy { id, .. } => format!("deploy-{id}"),
        }
    }

    /// The caller with a key that [`SshCaller::written`] has written, who calls from `network`. `None` for any other text.
    pub(crate) fn parse(text: &str, network: Network) -> Option<Self> {
        let mut words = text.split('-');
        let kind = words.next()?;
        let mut number = || words.next()?.parse().ok();
        let key = match kind {
            "user" => HeldKey::User { id: SshKeyId::new(number()?), user: UserId::new(number()?) },
            "deploy" => HeldKey::Deploy { id: DeployKeyId::new(number()?), owner: None },
            _ => return None,
        };
        Some(Self { key, network })
    }

    /// The client whose budgets the connection counts against.
    #[must_use]
    pub const fn client(&self) -> Client {
        match self.key {
            HeldKey::User { user, .. } | HeldKey::Deploy { owner: Some(user), .. } => Client::User(user),
            HeldKey::Deploy { owner: None, .. } => Client::Network(self.network),
        }
    }
}

impl App {
    /// Who connects from `network` with the key of this SHA-256 (Base64 without padding); `None` for a key that neither an
    /// account nor a project has, that has expired, or that is for signatures only. The client still has to prove that it
    /// holds the key.
    pub async fn ssh_caller(&self, sha256: String, network: Network) -> Result<Option<SshCaller>, AppError> {
        let app = self.clone();
        self.on_credentials(move || {
            let fingerprint = Fingerprint::Sha256(sha256);
            let found = app.parts().database.read_credential(|tx| held(tx, &fingerprint, &app))?;
            Ok(found.map(|key| SshCaller { key, network }))
        })
        .await
    }

    /// The message for a caller who sends no command; the refusal of one who may not use Git.
    pub async fn greet(&self, caller: SshCaller) -> Result<String, GitRefusal> {
        let app = self.clone();
        let known = self.on_reader(move || Ok(app.by_ssh_key(&caller))).await??;
        Ok(match known.user() {
            Some(user) => format!("Welcome to Tenon, @{}!", user.username),
            None => "Welcome to Tenon! You are using a deploy key.".to_owned(),
        })
    }

    /// The account or the projects of a caller whose key may still be used. Everything is asked again: a connection may be
    /// older than what was decided about the key or the account.
    pub(super) fn by_ssh_key(&self, caller: &SshCaller) -> Result<Known, GitRefusal> {
        let now = self.now();
        let gone = || GitRefusal::KeyRefused("has been removed or has expired".to_owned());
        let (who, used, text, settings) = self.parts().database.read(|tx| {
            let settings = settings::load(tx)?;
            match &caller.key {
                HeldKey::User { id, user, .. } => {
                    let key = ssh_key::find(tx, *id)?.filter(|key| key.opens_git(now)).ok_or_else(gone)?;
                    let user = user::find(tx, *user)?.ok_or_else(gone)?;
                    self.check_may_act(&user)?;
                    let text = key.text.clone();
                    Ok::<_, GitRefusal>((Who::User(Box::new(user)), Some(key), text, settings))
                }
                HeldKey::Deploy { id, .. } => {
                    let key = deploy_key::find(tx, *id)?.filter(|key| key.is_in_force(now)).ok_or_else(gone)?;
                    let owner = key.owner.map(|owner| user::find(tx, owner)).transpose()?.flatten();
                    Ok((
                        Who::DeployKey { id: *id, owner: owner.filter(User::may_act).map(|owner| owner.id) },
                        None,
                        key.text,
                        settings,
                    ))
                }
            }
        })?;
        check_restrictions(&text, &settings)?;
        if let Who::User(user) = &who
            && self.admit_address_of(user.id, caller.network).is_err()
        {
            return Err(GitRefusal::Forbidden(TOO_MANY_ADDRESSES));
        }
        if let Some(key) = used {
            self.usage().note_key(&key, now);
        }
        Ok(Known { who, may_fetch: true, may_push: true })
    }
}

/// The key with this fingerprint, if it opens anything.
fn held(tx: &mut ReadTx<'_>, fingerprint: &Fingerprint, app: &App) -> Result<Option<HeldKey>, StoreError> {
    if let Some(key) = ssh_key::find_by_fingerprint(tx, fingerprint)?.filter(|key| key.opens_git(app.now())) {
        let user = user::find(tx, key.user)?;
        return Ok(user.map(|user| HeldKey::User { id: key.id, user: user.id }));
    }
    let key = deploy_key::find_by_fingerprint(tx, fingerprint)?.filter(|key| key.is_in_force(app.now()));
    Ok(key.map(|key| HeldKey::Deploy { id: key.id, owner: key.owner }))
}

/// Checks that keys like this one are accepted now.
fn check_restrictions(text: &str, settings: &Settings) -> Result<(), GitRefusal> {
    let refusal = match parse_ssh_key(text) {
        Some(public) => settings.key_restrictions.refusal(&public),
        None => Some("cannot be read".to_owned()),
    };
    refusal.map_or(Ok(()), |reason| Err(GitRefusal::KeyRefused(reason)))
}
