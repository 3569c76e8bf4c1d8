//! The addresses of this server itself, which it does not call on behalf of others.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use url::{Host, Url};

/// The host of the public URL, and the addresses on which the server listens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnAddresses {
    host: Option<String>,
    addresses: Vec<IpAddr>,
}

impl OwnAddresses {
    /// The addresses of a server with this public URL that listens on these addresses.
    #[must_use]
    pub fn new(base_url: &str, listening: &[IpAddr]) -> Self {
        let host = Url::parse(base_url).ok().and_then(|url| url.host_str().map(normalised));
        Self { host, addresses: listening.iter().map(IpAddr::to_canonical).collect() }
    }

    /// True if a URL names this server: by its name, or by one of its addresses.
    #[must_use]
    pub fn is_named_by(&self, url: &Url) -> bool {
        let is_address = match url.host() {
            Some(Host::Ipv4(address)) => self.contains(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => self.contains(IpAddr::V6(address)),
            Some(Host::Domain(_)) | None => false,
        };
        is_address || url.host_str().map(normalised).is_some_and(|host| Some(host) == self.host)
    }

    /// True if this is one of its addresses.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        self.addresses.contains(&address.to_canonical())
    }
}

fn normalised(host: &str) -> String {
    host.trim_end_matches('.').to_ascii_lowercase()
}

/// The addresses by which others call a server that listens on these. If one of these stands for all of the machine, the result
/// has the addresses from which the machine would call others. Nothing is sent.
#[must_use]
pub fn addresses_of(listening: &[SocketAddr]) -> Vec<IpAddr> {
    let mut found = Vec::new();
    for address in listening.iter().map(SocketAddr::ip) {
        if address.is_unspecified() {
            found.extend(routed());
        } else {
            found.push(address);
        }
    }
    found
}

/// The addresses from which packets to the documentation networks (RFC 5737, RFC 3849) would leave this machine.
fn routed() -> Vec<IpAddr> {
    let v4 = (IpAddr::V4(Ipv4Addr::UNSPECIFIED), IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)));
    let v6 = (IpAddr::V6(Ipv6Addr::UNSPECIFIED), IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1)));
    let own = |(from, to): (IpAddr, IpAddr)| {
        let socket = UdpSocket::bind((from, 0)).ok()?;
        socket.connect((to, 9)).ok()?;
        Some(socket.local_addr().ok()?.ip())
    };
    [v4, v6].into_iter().filter_map(own).filter(|address| !address.is_unspecified()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_knows_its_own_name_and_addresses() {
        let listening = ["203.0.113.5".parse().unwrap(), "::ffff:198.51.100.7".parse().unwrap()];
        let own = OwnAddresses::new("https://Git.Example.org:8443/code", &listening);
        let named = |text: &str| own.is_named_by(&Url::parse(text).unwrap());
        for url in [
            "https://git.example.org/",
            "http://git.example.org./hook",
            "http://GIT.example.org:9000/",
            "http://203.0.113.5/",
            "http://198.51.100.7:3000/",
            "http://[::ffff:203.0.113.5]/",
            "http://3405803781/",
        ] {
            assert!(named(url), "{url}");
        }
        for url in ["https://example.org/", "https://git.example.org.evil.com/", "http://203.0.113.6/"] {
            assert!(!named(url), "{url}");
        }
        assert!(!OwnAddresses::default().is_named_by(&Url::parse("https://git.example.org/").unwrap()));
    }

    #[test]
    fn what_listens_on_all_addresses_is_called_by_those_of_the_machine() {
        let found = addresses_of(&["203.0.113.5:80".parse().unwrap(), "0.0.0.0:80".parse().unwrap()]);
        assert_eq!(found.first(), Some(&"203.0.113.5".parse().unwrap()));
        assert!(found.iter().all(|address| !address.is_unspecified()));
    }
}
