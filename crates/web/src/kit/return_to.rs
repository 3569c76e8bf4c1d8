//! The address to which a page leads after its action: signing in, or another demand that comes before other pages.

use std::fmt;

use url::Url;

use super::address;

/// The page on which users authorize applications.
pub(crate) const AUTHORIZE: &str = "/oauth/authorize";

/// A path of this server to which the browser returns, or none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ReturnTo(String);

impl ReturnTo {
    /// The address that a query or a form names. None if it is not one of this server.
    pub(crate) fn parse(address: Option<&str>) -> Self {
        Self(address.filter(|address| address::is_own(address)).unwrap_or_default().to_owned())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The address, or `otherwise` if there is none.
    pub(crate) fn or(&self, otherwise: String) -> String {
        if self.is_empty() { otherwise } else { self.0.clone() }
    }

    /// The address of a page that leads back to this one.
    pub(crate) fn through(&self, page: &str) -> String {
        address::with_return(page, &self.0)
    }

    /// True if it is a request for authorization.
    pub(crate) fn is_authorization(&self) -> bool {
        self.url().is_some_and(|url| url.path().ends_with(AUTHORIZE))
    }

    /// The origin to which the browser may finally be redirected, if an application has asked for authorization. The
    /// policy of a page covers all redirects that follow from its forms.
    pub(crate) fn form_target(&self) -> Option<String> {
        let url = self.url().filter(|_| self.is_authorization())?;
        let target = url.query_pairs().find(|(name, _)| name == "redirect_uri")?.1;
        address::form_source(&target)
    }

    fn url(&self) -> Option<Url> {
        Url::parse("http://here.invalid").ok()?.join(&self.0).ok()
    }
}

impl fmt::Display for ReturnTo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_request_for_authorization_opens_the_policy() {
        let asked =
            ReturnTo::parse(Some("/oauth/authorize?client_id=a&redirect_uri=http%3A%2F%2Flocalhost%3A7171%2Fcb"));
        assert_eq!(asked.form_target().as_deref(), Some("http://localhost:7171"));
        let other = ReturnTo::parse(Some("/profile?redirect_uri=https%3A%2F%2Fevil.example"));
        assert_eq!((other.form_target(), other.is_authorization()), (None, false));
        assert_eq!(ReturnTo::default().form_target(), None);
    }

    #[test]
    fn other_servers_are_not_returned_to() {
        assert!(ReturnTo::parse(Some("//evil.example")).is_empty() && ReturnTo::parse(None).is_empty());
        let own = ReturnTo::parse(Some("/profile"));
        assert_eq!((own.to_string(), own.or("/".to_owned())), ("/profile".to_owned(), "/profile".to_owned()));
        assert_eq!(own.through("/users/sign_in"), "/users/sign_in?return_to=%2Fprofile");
        assert_eq!(ReturnTo::default().through("/users/sign_in"), "/users/sign_in");
    }
}
