//! The address of the client. `X-Forwarded-For` is trusted only if it comes from a configured proxy. Other headers of a
//! proxy are ignored: links are built from the configured base URL.

use std::net::IpAddr;

use actix_web::http::header::HeaderMap;
use tenon_domain::network::{NetworkError, Networks};

/// The proxies whose `X-Forwarded-For` is trusted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedProxies(Networks);

impl TrustedProxies {
    /// The proxies in these ranges.
    pub fn parse<T: AsRef<str>>(ranges: &[T]) -> Result<Self, NetworkError> {
        Networks::parse(ranges).map(Self)
    }

    /// The address of the client if it is certain. `None` if an unknown proxy has forwarded the request: the address is
    /// then that of the proxy.
    pub fn certain_client(&self, peer: Option<IpAddr>, headers: &HeaderMap) -> Option<IpAddr> {
        let passed_on = ["x-forwarded-for", "forwarded", "x-real-ip"].iter().any(|name| headers.contains_key(*name));
        let is_ours = self.trusts(peer?.to_canonical());
        if passed_on && !is_ours { None } else { self.client(peer, headers) }
    }

    /// The address of the client: the last in the chain of forwarders that is not one of these proxies.
    pub fn client(&self, peer: Option<IpAddr>, headers: &HeaderMap) -> Option<IpAddr> {
        let mut client = peer?.to_canonical();
        let lines: Vec<&str> = headers.get_all("x-forwarded-for").filter_map(|value| value.to_str().ok()).collect();
        for hop in lines.iter().flat_map(|line| line.split(',')).rev() {
            if !self.trusts(client) {
                break;
            }
            let Ok(address) = hop.trim().parse::<IpAddr>() else {
                break;
            };
            client = address.to_canonical();
        }
        Some(client)
    }

    /// True if an address belongs to one of these proxies.
    pub fn trusts(&self, address: IpAddr) -> bool {
        self.0.contain(address)
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderName, HeaderValue};

    use super::*;

    fn client(peer: &str, forwarded: &[&'static str]) -> String {
        let proxies = TrustedProxies::parse(&["10.0.0.0/8", "::1", "fd00::/8"]).unwrap();
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append(HeaderName::from_static("x-forwarded-for"), HeaderValue::from_static(line));
        }
        proxies.client(Some(peer.parse().unwrap()), &headers).unwrap().to_string()
    }

    #[test]
    fn only_our_proxies_are_believed() {
        for (peer, forwarded, want) in [
            ("203.0.113.9", &["198.51.100.1"][..], "203.0.113.9"),
            ("10.1.2.3", &["198.51.100.1"], "198.51.100.1"),
            ("::ffff:10.1.2.3", &["198.51.100.1"], "198.51.100.1"),
            ("10.1.2.3", &["6.6.6.6, 198.51.100.1, 10.9.9.9"], "198.51.100.1"),
            ("10.1.2.3", &["6.6.6.6", "198.51.100.1"], "198.51.100.1"),
            ("10.1.2.3", &["10.0.0.7"], "10.0.0.7"),
            ("10.1.2.3", &["198.51.100.1, unknown"], "10.1.2.3"),
            ("10.1.2.3", &[], "10.1.2.3"),
            ("::1", &["2001:db8::1"], "2001:db8::1"),
            ("fd12::1", &["2001:db8::1"], "2001:db8::1"),
            ("::2", &["2001:db8::1"], "::2"),
        ] {
            assert_eq!(client(peer, forwarded), want, "{peer} {forwarded:?}");
        }
    }

    #[test]
    fn ranges_are_read_strictly() {
        for bad in ["", "10.0.0.0/33", "10.0.0.0/-1", "localhost", "10.0.0.0/8/8", "::/129"] {
            assert!(TrustedProxies::parse(&[bad]).is_err(), "{bad}");
        }
        let all = TrustedProxies::parse(&["0.0.0.0/0", " ::/0 "]).unwrap();
        assert!(all.trusts("203.0.113.9".parse().unwrap()) && all.trusts("2001:db8::1".parse().unwrap()));
    }
}
