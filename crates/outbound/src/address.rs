//! The addresses that the server may call on behalf of others.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The longest address, in bytes.
const MAX_URL: usize = 2048;

/// True if `text` is an address that the server may call. A host that is a number is checked here. A host that is a name is
/// resolved and checked again at each delivery.
pub fn is_target(text: &str, local_allowed: bool) -> bool {
    if text.len() > MAX_URL || text.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return false;
    }
    let Ok(url) = url::Url::parse(text) else { return false };
    if !matches!(url.scheme(), "http" | "https") {
        return false;
    }
    match url.host() {
        None => false,
        Some(_) if local_allowed => true,
        Some(url::Host::Domain(name)) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            !(name == "localhost" || name.ends_with(".localhost") || name == "localhost.localdomain")
        }
        Some(url::Host::Ipv4(address)) => is_public(IpAddr::V4(address)),
        Some(url::Host::Ipv6(address)) => is_public(IpAddr::V6(address)),
    }
}

/// True if an address is reached over the internet, and not inside the server's own network.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, c, _] = v4.octets();
            !(v4.is_private()
                || v4.is_loopback()
                || v4.is_link_local()
                || v4.is_broadcast()
                || v4.is_documentation()
                || v4.is_multicast()
                || v4 == Ipv4Addr::UNSPECIFIED
                || a == 0
                || a >= 240
                || (a == 100 && (64..128).contains(&b))
                || (a == 192 && b == 0 && c == 0)
                || (a == 198 && (18..20).contains(&b)))
        }
        IpAddr::V6(v6) => {
            let [first, second, ..] = v6.segments();
            if let Some(v4) = v6.to_ipv4_mapped().or_else(|| nat64(v6)) {
                return is_public(IpAddr::V4(v4));
            }
            // Global unicast, without addresses that wrap others or document them.
            let is_global = first & 0xe000 == 0x2000;
            let is_special = first == 0x2002 || (first == 0x2001 && (second < 0x0200 || second == 0x0db8));
            is_global && !is_special
        }
    }
}

/// The IPv4 address behind a NAT64 one.
fn nat64(address: Ipv6Addr) -> Option<Ipv4Addr> {
    match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low))),
        _ => None,
    }
}

/// True if an address has a user name or password.
pub fn has_credentials(text: &str) -> bool {
    url::Url::parse(text).is_ok_and(|url| !url.username().is_empty() || url.password().is_some())
}

/// True if two URLs name the same receiver: scheme, host and port.
pub fn is_same_receiver(one: &str, other: &str) -> bool {
    match (url::Url::parse(one), url::Url::parse(other)) {
        (Ok(one), Ok(other)) => one.origin() == other.origin(),
        _invalid => false,
    }
}

/// The one address to connect to for a URL: the first of its host, if all of them are permitted. The caller connects to this
/// address and does not resolve the name again, because a second answer could name another host. Blocks.
pub fn resolve(text: &str, local_allowed: bool) -> Option<IpAddr> {
    let url = url::Url::parse(text).ok()?;
    let found: Vec<IpAddr> = url.socket_addrs(|| None).ok()?.into_iter().map(|address| address.ip()).collect();
    let permitted = local_allowed || found.iter().all(|address| is_public(*address));
    found.first().copied().filter(|_| permitted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_http_addresses_are_targets() {
        for good in ["http://example.org/hook", "https://example.org:8443/x?y=z", "http://[2606:4700::1111]/"] {
            assert!(is_target(good, false), "{good}");
        }
        for bad in [
            "",
            "example.org",
            "ftp://example.org",
            "gopher://example.org",
            "file:///etc/passwd",
            "http://",
            "http://example.org/\r\nX-Evil: 1",
            "http://localhost/",
            "http://localhost./",
            "http://x.localhost/",
            "http://127.0.0.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://0.0.0.0/",
            "http://10.1.2.3/",
            "http://172.16.0.1/",
            "http://192.168.1.1/",
            "http://169.254.169.254/",
            "http://100.64.0.1/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[fc00::1]/",
            "http://[fe80::1]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[64:ff9b:1::7f00:1]/",
            "http://[::7f00:1]/",
            "http://[fec0::1]/",
            "http://[2001:0:7f00:1::]/",
            "http://localhost.localdomain/",
        ] {
            assert!(!is_target(bad, false), "{bad}");
        }
        assert!(has_credentials("http://user:pw@example.org/") && !has_credentials("http://example.org/"));
        assert_eq!(resolve("http://127.0.0.1/", false), None);
        assert_eq!(resolve("http://127.0.0.1/", true), Some(IpAddr::from([127, 0, 0, 1])));
        assert!(is_target("http://127.0.0.1:9000/", true));
        assert!(!is_target("file:///etc/passwd", true));
    }
}
