//! The application settings as this process knows them outside transactions.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::settings::{RequestTarget, Settings};
use tenon_markdown::OutsidePictures;
use tenon_storage::{settings, user};

use crate::core::app::App;
use crate::core::clock::Clock;
use crate::core::error::AppError;
use crate::core::spending::caller_rates::{CallerAddresses, CallerRates, Counted, CountedRequest};
use crate::core::spending::client::{Client, Network};
use crate::core::spending::downloads::Downloads;
use crate::core::spending::lockout::Lockout;
use crate::core::spending::ssh_operations::SshOperations;

/// The settings that were read last. Transactions read the settings themselves (`Query::settings`); this is for
/// requests before them.
pub(crate) struct KnownSettings {
    known: RwLock<Arc<Known>>,
    /// Held while they are read again, so that an older answer never replaces a newer one.
    refreshing: Mutex<()>,
    addresses: CallerAddresses,
    downloads: Downloads,
}

struct Known {
    settings: Arc<Settings>,
    /// The users of [`Settings::spared_users`].
    spared: HashSet<UserId>,
    rates: Arc<CallerRates>,
    lockout: Arc<Lockout>,
    operations: Arc<SshOperations>,
    outside: Arc<OutsidePictures>,
}

impl Known {
    /// True if the settings ask to count what callers send, or from which addresses.
    fn counts_callers(&self) -> bool {
        self.settings.rates.iter().any(Option::is_some) || self.settings.unique_ips.is_some()
    }
}

impl KnownSettings {
    /// Those of a new server.
    pub(crate) fn new(clock: &Arc<dyn Clock>) -> Self {
        let settings = Arc::<Settings>::default();
        let rates = Arc::new(CallerRates::new(&settings.rates, clock));
        let (lockout, operations) = (Lockout::new(None, clock), SshOperations::new(None, clock));
        Self {
            known: RwLock::new(Arc::new(Known {
                settings,
                spared: HashSet::new(),
                rates,
                lockout: Arc::new(lockout),
                operations: Arc::new(operations),
                outside: Arc::default(),
            })),
            refreshing: Mutex::default(),
            addresses: CallerAddresses::new(Arc::clone(clock)),
            downloads: Downloads::new(Arc::clone(clock)),
        }
    }

    fn known(&self) -> Arc<Known> {
        Arc::clone(&self.known.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl App {
    /// The settings that this process has read last: after each change that it has made itself, and each second if
    /// another process may have made one.
    pub fn known_settings(&self) -> Arc<Settings> {
        Arc::clone(&self.inner.settings.known().settings)
    }

    /// The lock of account names after wrong passwords.
    pub(crate) fn lockout(&self) -> Arc<Lockout> {
        Arc::clone(&self.inner.settings.known().lockout)
    }

    /// Reads the settings again. Blocks.
    pub fn refresh_settings(&self) -> Result<(), AppError> {
        let kept = &self.inner.settings;
        let _turn = kept.refreshing.lock().unwrap_or_else(PoisonError::into_inner);
        let (settings, spared) = self.database().read(|tx| -> Result<_, AppError> {
            let settings = settings::load(tx)?;
            let spared = user::by_usernames(tx, &settings.spared_users)?.into_iter().map(|user| user.id).collect();
            Ok((settings, spared))
        })?;
        let before = kept.known();
        if before.settings == settings && before.spared == spared {
            return Ok(());
        }
        // Counts go on if the rates stay.
        let rates = if before.rates.are_of(&settings) {
            Arc::clone(&before.rates)
        } else {
            Arc::new(CallerRates::new(&settings.rates, &self.parts().clock))
        };
        let lockout = if before.lockout.is_of(settings.lockout) {
            Arc::clone(&before.lockout)
        } else {
            Arc::new(Lockout::new(settings.lockout, &self.parts().clock))
        };
        let operations = if before.operations.is_of(settings.ssh_operations) {
            Arc::clone(&before.operations)
        } else {
            Arc::new(SshOperations::new(settings.ssh_operations, &self.parts().clock))
        };
        let outside = Arc::new(self.outside_pictures_of(&settings));
        *kept.known.write().unwrap_or_else(PoisonError::into_inner) =
            Arc::new(Known { settings, spared, rates, lockout, operations, outside });
        Ok(())
    }

    /// How texts show pictures of other servers, and from which servers pages load them.
    pub fn outside_pictures(&self) -> Arc<OutsidePictures> {
        Arc::clone(&self.inner.settings.known().outside)
    }

    fn outside_pictures_of(&self, settings: &Settings) -> OutsidePictures {
        let mut outside = OutsidePictures::default();
        if let Some(address) = &settings.diagrams.plantuml {
            outside = outside.with_plantuml(address);
        }
        if let Some(kroki) = &settings.diagrams.kroki {
            outside = outside.with_kroki(&kroki.url, &kroki.formats);
        }
        let Some(proxy) = &settings.picture_proxy else { return outside };
        match self.vault().open(&proxy.sealed_key) {
            Ok(key) => outside.through(&proxy.url, &key, &proxy.direct),
            Err(error) => {
                tracing::warn!(%error, "the secret key of the proxy for pictures counts as not set");
                outside
            }
        }
    }

    /// True if the settings ask to count what callers send, or from which addresses.
    pub fn counts_callers(&self) -> bool {
        self.inner.settings.known().counts_callers()
    }

    /// Counts one request of this client from `network` for `path`, as the settings ask; `None` if they do not.
    pub fn count_by_settings(&self, network: Network, path: &str, asked: RequestTarget<'_>) -> Option<Counted> {
        let (known, client) = (self.inner.settings.known(), self.client());
        let is_spared = matches!(client, Client::User(user) if known.spared.contains(&user));
        known.rates.count(&CountedRequest { client, network, path, asked, is_spared })
    }

    /// The present moment in seconds since 1970, as headers have it.
    pub fn seconds_now(&self) -> i64 {
        self.now().timestamp()
    }

    /// Fails with 403 if this client is a user who has called from too many addresses lately.
    pub fn admit_address(&self, network: Network) -> Result<(), AppError> {
        match self.client() {
            Client::User(user) => self.admit_address_of(user, network),
            Client::Network(_) | Client::Application(_) | Client::Server => Ok(()),
        }
    }

    /// Fails with 403 if `user`, whose password was right, has called from too many addresses lately. A client that has
    /// proved a credential before was counted with its request.
    pub fn admit_sign_in(&self, user: UserId) -> Result<(), AppError> {
        match self.client() {
            Client::Network(network) => self.admit_address_of(user, network),
            Client::User(_) | Client::Application(_) | Client::Server => Ok(()),
        }
    }

    /// Counts an operation of Git over SSH; false if the settings allow the user no more of them on this repository now.
    pub(crate) fn admit_operation(&self, user: UserId, project: ProjectId) -> bool {
        self.inner.settings.known().operations.admit(user, project)
    }

    /// Notes that a user has downloaded a project, if the settings ask for it. Nothing is written.
    pub(crate) fn note_download(&self, user: Option<UserId>, project: ProjectId) {
        let kept = &self.inner.settings;
        if let (Some(user), Some(limit)) = (user, kept.known().settings.downloads.limit) {
            kept.downloads.note(user, project, limit);
        }
    }

    /// The users who have downloaded more projects than they may since the last call.
    pub(crate) fn take_downloaders(&self) -> Vec<UserId> {
        self.inner.settings.downloads.take_beyond()
    }

    /// As [`App::admit_address`], for this user.
    pub(crate) fn admit_address_of(&self, user: UserId, network: Network) -> Result<(), AppError> {
        let kept = &self.inner.settings;
        match kept.known().settings.unique_ips {
            Some(limit) if !kept.addresses.admit(user, network, limit) => Err(AppError::Forbidden),
            Some(_) | None => Ok(()),
        }
    }
}
