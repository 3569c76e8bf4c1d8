//! Which e-mail domains users may sign up with.

/// Which e-mail domains users may sign up with. Accounts that an administrator creates are not asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EmailDomains {
    /// The only domains, if there are any.
    pub allowed: Vec<String>,
    /// Domains that are refused if [`Self::allowed`] is empty.
    pub denied: Vec<String>,
}

/// Why an address is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DomainRefusal {
    /// Only other domains are allowed.
    NotAllowed,
    /// The domain is denied.
    Denied,
}

impl DomainRefusal {
    /// The message about the address.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::NotAllowed => "domain is not authorized for sign-up",
            Self::Denied => "is not from an allowed domain.",
        }
    }
}

impl EmailDomains {
    /// Decides whether an account may have this address. The domains that are allowed win over those that are denied.
    ///
    /// # Errors
    /// [`DomainRefusal::NotAllowed`] if domains are allowed and that of the address is none of them. If none are
    /// allowed, [`DomainRefusal::Denied`] for one that is denied.
    pub fn admit(&self, email: &str) -> Result<(), DomainRefusal> {
        let domain = email.rsplit_once('@').map_or("", |(_, domain)| domain).to_ascii_lowercase();
        let is_in = |list: &[String]| list.iter().any(|pattern| matches(&pattern.to_ascii_lowercase(), &domain));
        if !self.allowed.is_empty() {
            return if is_in(&self.allowed) { Ok(()) } else { Err(DomainRefusal::NotAllowed) };
        }
        if is_in(&self.denied) { Err(DomainRefusal::Denied) } else { Ok(()) }
    }
}

/// True if a text can be an entry of such a list.
pub(super) fn is_pattern(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '*'))
}

/// True if `text` is as `pattern` says. Each `*` of the pattern stands for any text. Each part is searched once, so
/// that the time grows with the product of the lengths at most.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some((_, behind)) = rest.split_once(part) else { return false };
        rest = behind;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, text, want) in [
            ("example.org", "example.org", true),
            ("example.org", "sub.example.org", false),
            ("*.example.org", "sub.example.org", true),
            ("*.example.org", "example.org", false),
            ("*", "anything.test", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches(pattern, text), want, "{pattern} {text}");
        }
        let long = format!("{}b", "*a".repeat(120));
        assert!(!matches(&long, &"a".repeat(255)));
    }

    #[test]
    fn allowed_domains_win_over_denied_ones() {
        let list = |items: &[&str]| items.iter().map(|item| (*item).to_owned()).collect::<Vec<_>>();
        let denied = EmailDomains { allowed: Vec::new(), denied: list(&["*.evil.test"]) };
        assert_eq!(denied.admit("a@X.Evil.Test"), Err(DomainRefusal::Denied));
        assert_eq!(denied.admit("a@good.test"), Ok(()));
        let both = EmailDomains { allowed: list(&["good.test"]), denied: list(&["good.test"]) };
        assert_eq!(both.admit("a@good.test"), Ok(()));
        assert_eq!(both.admit("a@other.test"), Err(DomainRefusal::NotAllowed));
        assert_eq!(both.admit("nonsense"), Err(DomainRefusal::NotAllowed));
    }

    #[test]
    fn entries_are_domains() {
        assert!(is_pattern("*.example.org") && is_pattern("müller.de"));
        for bad in ["", "a b", "a@b", "a/b", "a\nb", "(a+)+"] {
            assert!(!is_pattern(bad), "{bad}");
        }
    }
}
