//! Clients: the callers that share a budget.

use std::hash::{BuildHasher as _, RandomState};
use std::net::{IpAddr, Ipv6Addr};

use quick_cache::sync::Cache;
use tenon_domain::id::{ApplicationId, UserId};
use tenon_domain::oauth::Application;

use crate::core::identity::Credential;

/// A caller as budgets count it. The spending of one client takes nothing from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Client {
    /// A user who has proved a credential, from any address.
    User(UserId),
    /// An application of the server itself that has proved its secret, and acts for no user.
    Application(ApplicationId),
    /// All callers from one network that have not.
    Network(Network),
    /// The server itself: jobs and the command line.
    #[default]
    Server,
}

impl Client {
    /// True if the caller has proved nothing.
    #[must_use]
    pub const fn is_anonymous(self) -> bool {
        match self {
            Self::Network(_) => true,
            Self::User(_) | Self::Application(_) | Self::Server => false,
        }
    }

    /// Who is charged for what an application does for itself: the user who has registered it, or else the application.
    pub(crate) fn of_application(application: &Application) -> Self {
        application.owner.map_or(Self::Application(application.id), Self::User)
    }
}

/// The addresses that count as one: an IPv4 address, or an IPv6 network of 64 bits, which is what one customer of an
/// access provider gets. Callers whose address is not known are one network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Network(Option<IpAddr>);

impl Network {
    /// The network of an address.
    #[must_use]
    pub fn of(address: Option<IpAddr>) -> Self {
        const PREFIX: u128 = u128::MAX << 64;
        Self(address.map(|address| match address.to_canonical() {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & PREFIX)),
        }))
    }
}

/// Credentials remembered at once. One that is forgotten is proved again by its next request.
const REMEMBERED: usize = 16 * 1024;

/// Which users lately proved which credentials. It decides only which budget a request is counted against before it is
/// authenticated, never what the request may do.
pub(crate) struct ProvedCredentials {
    users: Cache<u64, UserId>,
    // Seeded at random: no caller can make a credential that collides with another one.
    hasher: RandomState,
}

impl Default for ProvedCredentials {
    fn default() -> Self {
        Self { users: Cache::new(REMEMBERED), hasher: RandomState::new() }
    }
}

impl ProvedCredentials {
    /// The client of a request that presents `credential`.
    pub(crate) fn client(&self, credential: Option<&Credential>, address: Option<IpAddr>) -> Client {
        match credential {
            Some(Credential::User(user) | Credential::SignIn(user)) => Client::User(*user),
            credential => self.client_by_secret(credential.and_then(secret), address),
        }
    }

    /// The client of a request of Git, which presents a token as its password.
    pub(crate) fn client_by_secret(&self, secret: Option<&str>, address: Option<IpAddr>) -> Client {
        let user = secret.and_then(|secret| self.users.get(&self.key(secret)));
        user.map_or_else(|| Client::Network(Network::of(address)), Client::User)
    }

    /// Remembers that `user` proved this secret.
    pub(crate) fn remember(&self, secret: &str, user: UserId) {
        let key = self.key(secret);
        if self.users.get(&key) != Some(user) {
            self.users.insert(key, user);
        }
    }

    /// Forgets a secret that proves nothing any more.
    pub(crate) fn forget(&self, secret: &str) {
        self.users.remove(&self.key(secret));
    }

    fn key(&self, secret: &str) -> u64 {
        self.hasher.hash_one(secret)
    }
}

/// The part of a credential that proves who calls; none if the calling program vouches for the user.
pub(crate) fn secret(credential: &Credential) -> Option<&str> {
    match credential {
        Credential::Token(token) | Credential::FeedToken(token) => Some(token),
        Credential::Session { id, .. } => Some(id),
        Credential::User(_) | Credential::SignIn(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(address: &str) -> Network {
        Network::of(Some(address.parse().unwrap()))
    }

    #[test]
    fn ipv6_counts_by_64_bits_and_mapped_ipv4_as_ipv4() {
        assert_eq!(network("2001:db8:1:2::1"), network("2001:db8:1:2:ffff:ffff:ffff:ffff"));
        assert_ne!(network("2001:db8:1:2::1"), network("2001:db8:1:3::1"));
        assert_eq!(network("::ffff:192.0.2.1"), network("192.0.2.1"));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
    }

    #[test]
    fn a_credential_counts_for_its_user_once_it_is_proved_and_until_it_is_forgotten() {
        let proved = ProvedCredentials::default();
        let address = Some("192.0.2.1".parse().unwrap());
        let anonymous = Client::Network(network("192.0.2.1"));
        let credential = Credential::Token("t".to_owned());
        assert_eq!(proved.client(Some(&credential), address), anonymous);
        proved.remember("t", UserId::new(7));
        assert_eq!(proved.client(Some(&credential), address), Client::User(UserId::new(7)));
        assert_eq!(proved.client(None, address), anonymous);
        proved.forget("t");
        assert_eq!(proved.client(Some(&credential), address), anonymous);
    }
}
