//! The clients for the application's requests to other servers.

use std::sync::OnceLock;
use std::time::Duration;

use tenon_outbound::address::is_target;
use tenon_outbound::http::{Bounds, Client};
use tenon_outbound::own::OwnAddresses;

use super::{App, Parts};
use crate::core::error::AppError;
use crate::core::spending::permits::{Permit, Permits};

/// How long a request for a call waits for others to end.
const PATIENCE: Duration = Duration::from_secs(1);

/// The client, and permits for calls that users wait for.
pub(super) struct Outbound {
    own: OwnAddresses,
    /// Made when it is first used: it reads the certificates of this machine.
    client: OnceLock<Client>,
    on_request: Permits,
}

impl Outbound {
    pub(super) fn new(parts: &Parts) -> Self {
        let own = OwnAddresses::new(&parts.base_url, &parts.own_addresses);
        Self { own, client: OnceLock::new(), on_request: Permits::new(parts.limits.hooks.tests_at_once) }
    }
}

impl App {
    /// The client for calls of hooks. Fails if the certificates of this machine cannot be read.
    pub(crate) fn outbound(&self) -> Result<&Client, AppError> {
        let lazy = &self.inner.outbound.client;
        if lazy.get().is_none() {
            let limits = &self.limits().hooks;
            let response = usize::try_from(limits.response).unwrap_or(usize::MAX);
            let made = Client::new(Bounds { time: limits.call, response }, self.inner.outbound.own.clone())
                .map_err(AppError::internal)?;
            // Another thread may have been faster: its client serves as well.
            let _same = lazy.set(made);
        }
        lazy.get().ok_or_else(|| AppError::internal("there is no client for requests to other servers"))
    }

    /// True if the server may call this URL on behalf of others. Addresses inside its own network, and its own, are
    /// called only if that is `local_allowed`. A host that is a name is checked again, resolved, when it is called.
    pub(crate) fn may_call(&self, text: &str, local_allowed: bool) -> bool {
        let is_own = || url::Url::parse(text).is_ok_and(|url| self.inner.outbound.own.is_named_by(&url));
        is_target(text, local_allowed) && (local_allowed || !is_own())
    }

    /// A permit for a call that the caller waits for; [`AppError::Busy`] if too many are under way.
    pub(crate) async fn permit_call(&self) -> Result<Permit, AppError> {
        self.inner.outbound.on_request.acquire(self.client, PATIENCE).await
    }
}
