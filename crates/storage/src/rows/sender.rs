//! From where something was sent.

/// The address from which something was sent, for administrators who look for spam.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sender {
    /// The User-Agent header.
    pub user_agent: Option<String>,
    /// The address.
    pub ip_address: Option<String>,
}

impl Sender {
    /// The sender of a row with these columns; `None` if it has neither.
    pub(crate) fn of((user_agent, ip_address): (Option<String>, Option<String>)) -> Option<Self> {
        (user_agent.is_some() || ip_address.is_some()).then_some(Self { user_agent, ip_address })
    }
}
