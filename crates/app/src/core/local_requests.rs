//! Which addresses of the local network may be called.

use std::net::IpAddr;

use tenon_domain::network::Networks;
use tenon_domain::settings::LocalRequests;
use url::{Host, Url};

/// True if an address that the server calls for a user may be in the local network: all of it may be, or the address is listed.
pub(crate) fn allows(local: &LocalRequests, address: &str) -> bool {
    local.from_hooks || is_listed(local, address)
}

/// True if an administrator has listed the host of an address: by its name, or by an address or range that it is in.
pub(crate) fn is_listed(local: &LocalRequests, address: &str) -> bool {
    let Ok(url) = Url::parse(address) else { return false };
    let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else { return false };
    let address = match host {
        Host::Ipv4(address) => Some(IpAddr::V4(address)),
        Host::Ipv6(address) => Some(IpAddr::V6(address).to_canonical()),
        Host::Domain(_) => None,
    };
    let name = host.to_string();
    local.allowed.iter().any(|entry| {
        let range = Networks::parse(&[entry.trim_start_matches('[').trim_end_matches(']')]);
        let of_port = entry.strip_suffix(&format!(":{port}")).unwrap_or(entry);
        match (range, address) {
            (Ok(range), Some(address)) => range.contain(address),
            _ => of_port.eq_ignore_ascii_case(&name),
        }
    })
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
            ("http://[::ffff:10.1.2.3]/", true),
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
