//! Ranges of addresses, and where requests come from.

use std::net::IpAddr;

use ipnet::IpNet;

/// Ranges of addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Networks(Vec<IpNet>);

/// Text that names neither an address nor a range of addresses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is neither an IP address nor a range such as 10.0.0.0/8")]
pub struct NetworkError(String);

/// Where a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Origin {
    /// The server itself: jobs and the command line.
    #[default]
    Server,
    /// A client, with its address if that is known.
    Client(Option<IpAddr>),
}

impl Networks {
    /// These ranges.
    ///
    /// # Errors
    /// [`NetworkError`] for the first text that is neither an address nor a range.
    pub fn parse<T: AsRef<str>>(ranges: &[T]) -> Result<Self, NetworkError> {
        ranges.iter().map(|range| network(range.as_ref().trim())).collect::<Result<_, _>>().map(Self)
    }

    /// The ranges of a text, between commas.
    ///
    /// # Errors
    /// [`NetworkError`] for the first part that is neither an address nor a range.
    pub fn parse_list(text: &str) -> Result<Self, NetworkError> {
        Self::parse(&text.split(',').collect::<Vec<_>>())
    }

    /// True if an address is in one of them.
    #[must_use]
    pub fn contain(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }

    /// True if a request from there comes from one of them, or from the server itself. A client whose address is not known
    /// comes from none.
    #[must_use]
    pub fn admit(&self, origin: Origin) -> bool {
        match origin {
            Origin::Server => true,
            Origin::Client(address) => address.is_some_and(|address| self.contain(address.to_canonical())),
        }
    }
}

/// A range, or the range that is one address.
fn network(text: &str) -> Result<IpNet, NetworkError> {
    let address = || text.parse::<IpAddr>().ok().map(IpNet::from);
    text.parse().ok().or_else(address).ok_or_else(|| NetworkError(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_admits_what_is_in_a_range_and_the_server_itself() {
        let ranges = Networks::parse_list("192.0.2.0/24, 2001:db8::1").unwrap();
        for (origin, want) in [
            (Some("192.0.2.7"), true),
            (Some("::ffff:192.0.2.7"), true),
            (Some("192.0.3.7"), false),
            (Some("2001:db8::1"), true),
            (Some("2001:db8::2"), false),
            (None, false),
        ] {
            let address = origin.map(|text| text.parse().unwrap());
            assert_eq!(ranges.admit(Origin::Client(address)), want, "{origin:?}");
        }
        assert!(ranges.admit(Origin::Server));
        assert!(Networks::parse_list("192.0.2.0/24,").is_err());
    }
}
