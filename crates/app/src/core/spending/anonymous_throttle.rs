//! Throttles of what begins without a session: signing up, devices, sign-ins in several steps, links that reset a password. And
//! of invitations, which strangers get.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use tenon_domain::id::UserId;
use tenon_domain::limits::RateLimits;

use crate::core::clock::Clock;
use crate::core::spending::client::Client;
use crate::core::spending::throttle::{Buckets, Throttled, Ticks};

/// Counts what clients begin without an account, by client.
pub(crate) struct AnonymousThrottle {
    sign_ups: Option<Buckets<Client>>,
    devices: Option<Buckets<Client>>,
    challenges: Option<Buckets<Client>>,
    password_resets: Option<Buckets<Client>>,
    /// By e-mail address, whether or not an account has it.
    reset_addresses: Option<Buckets<u64>>,
    invitations: Option<Buckets<UserId>>,
    /// By e-mail address.
    invited_addresses: Option<Buckets<u64>>,
    hasher: RandomState,
}

impl AnonymousThrottle {
    /// A throttle as `limits` say; without one if they are zero.
    pub(crate) fn new(limits: &RateLimits, clock: &Arc<dyn Clock>) -> Self {
        let ticks = || Ticks::of(Arc::clone(clock));
        let (of_address, of_account) = (limits.password_resets_per_address, limits.password_resets_per_account);
        Self {
            sign_ups: Buckets::new(limits.sign_ups_per_address, limits.sign_up_pause, ticks()),
            devices: Buckets::new(limits.devices_per_address, limits.device_pause, ticks()),
            challenges: Buckets::new(limits.challenges_per_address, limits.challenge_pause, ticks()),
            password_resets: Buckets::new(of_address, limits.password_reset_pause, ticks()),
            reset_addresses: Buckets::new(of_account, limits.password_reset_pause, ticks()),
            invitations: Buckets::new(limits.invitations_per_user, limits.invitation_pause, ticks()),
            invited_addresses: Buckets::new(limits.invitations_per_address, limits.invitation_address_pause, ticks()),
            hasher: RandomState::new(),
        }
    }

    /// Counts one attempt to sign up.
    pub(crate) fn count_sign_up(&self, client: Client) -> Result<(), Throttled> {
        self.sign_ups.as_ref().map_or(Ok(()), |buckets| buckets.take(&client).map(drop))
    }

    /// Counts one device that asks for its codes.
    pub(crate) fn count_device(&self, client: Client) -> Result<(), Throttled> {
        self.devices.as_ref().map_or(Ok(()), |buckets| buckets.take(&client).map(drop))
    }

    /// Counts one browser that begins to sign in with a passkey or at a provider.
    pub(crate) fn count_challenge(&self, client: Client) -> Result<(), Throttled> {
        self.challenges.as_ref().map_or(Ok(()), |buckets| buckets.take(&client).map(drop))
    }

    /// Counts one request for a link that resets the password of the account with this address, which is normalised.
    /// The answer does not depend on whether there is such an account.
    pub(crate) fn count_password_reset(&self, client: Client, address: &str) -> Result<(), Throttled> {
        self.password_resets.as_ref().map_or(Ok(()), |buckets| buckets.take(&client).map(drop))?;
        let address = self.hasher.hash_one(address);
        self.reset_addresses.as_ref().map_or(Ok(()), |buckets| buckets.take(&address).map(drop))
    }

    /// Counts one invitation that `by` sends to this address, which is normalised.
    pub(crate) fn count_invitation(&self, by: UserId, address: &str) -> Result<(), Throttled> {
        self.invitations.as_ref().map_or(Ok(()), |buckets| buckets.take(&by).map(drop))?;
        let address = self.hasher.hash_one(address);
        self.invited_addresses.as_ref().map_or(Ok(()), |buckets| buckets.take(&address).map(drop))
    }
}
