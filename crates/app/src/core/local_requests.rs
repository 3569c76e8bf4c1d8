//! Which addresses of the local network may be called.

use std::net::IpAddr;

use tenon_domain::settings::LocalRequests;
use url::{Host, Url};

/// True if what the server calls at `address` for a user may be in the local network: all of it may be, or the host of the
/// address is allowed by its name or by the address that it is.
pub(crate) fn allows(local: &LocalRequests, address: &str) -> bool {
    local.from_hooks || (!local.allowed.is_empty() && is_listed(&local.allowed, address))
}

fn is_listed(allowed: &[String], address: &str) -> bool {
    let Ok(url) = Url::parse(address) else { return false };
    let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else { return false };
    let is_allowed = |entry: &str| match (&host, network(entry)) {
        (Host::Ipv4(host), Some((base, bits))) => is_within(IpAddr::V4(*host), base, bits),
        (Host::Ipv6(host), Some((base, bits))) => is_within(IpAddr::V6(*host), base, bits),
        _ => {
            let name = host.to_string();
            let of_port = entry.strip_suffix(&format!(":{port}")).unwrap_or(entry);
            of_port.eq_ignore_ascii_case(&name)
        }
    };
    allowed.iter().any(|entry| is_allowed(entry))
}

/// The base and the fixed bits of an address, or of a network such as `10.0.0.0/8`.
fn network(entry: &str) -> Option<(IpAddr, u32)> {
    let (base, bits) = entry.split_once('/').map_or((entry, None), |(base, bits)| (base, Some(bits)));
    let base: IpAddr = base.trim_start_matches('[').trim_end_matches(']').parse().ok()?;
    let most = if base.is_ipv4() { 32 } else { 128 };
    let bits = bits.map_or(Some(most), |bits| bits.parse().ok())?;
    (bits <= most).then_some((base, bits))
}

fn is_within(address: IpAddr, base: IpAddr, bits: u32) -> bool {
    let same = |one: u128, other: u128, width: u32| (one ^ other).checked_shr(width - bits).unwrap_or(0) == 0;
    match (address, base) {
        (IpAddr::V4(one), IpAddr::V4(other)) => same(one.to_bits().into(), other.to_bits().into(), 32),
        (IpAddr::V6(one), IpAddr::V6(other)) => same(one.to_bits(), other.to_bits(), 128),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_hosts_and_networks_are_allowed() {
        let allowed = ["ci.intranet", "build.intranet:8080", "10.1.0.0/16", "192.168.0.7", "fd00::/8", "0.0.0.0/0x"];
        let local = LocalRequests { allowed: allowed.map(str::to_owned).to_vec(), ..LocalRequests::default() };
        for (address, want) in [
            ("http://ci.intranet/x", true),
            ("http://CI.intranet:81/x", true),
            ("http://build.intranet:8080/", true),
            ("http://build.intranet/", false),
            ("http://10.1.2.3/", true),
            ("http://10.2.2.3/", false),
            ("https://192.168.0.7/", true),
            ("http://192.168.0.8/", false),
            ("http://[fd00::1]/", true),
            ("http://[fe80::1]/", false),
            // The host is the one that is called.
            ("http://127.0.0.1\\@ci.intranet/", false),
            ("http://ci.intranet@127.0.0.1/", false),
            ("nonsense", false),
        ] {
            assert_eq!(allows(&local, address), want, "{address}");
        }
        assert!(allows(&LocalRequests { from_hooks: true, ..LocalRequests::default() }, "http://127.0.0.1/"));
    }
}
