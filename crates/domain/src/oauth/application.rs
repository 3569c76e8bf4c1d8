//! Applications.

use super::redirect::check_redirect_uris;
use crate::access::{Decision, Viewer};
use crate::field_errors::FieldErrors;
use crate::id::ApplicationId;
use crate::time::Timestamp;
use crate::token::{Scope, Scopes};

/// A registered application, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// Unique on the server.
    pub id: ApplicationId,
    /// The id under which it presents itself: public, and random.
    pub uid: String,
    /// What users know it as.
    pub name: String,
    /// The addresses that it may be redirected to, separated by white space, as they were registered.
    pub redirect_uri: String,
    /// What it may be granted at most.
    pub scopes: Scopes,
    /// Whether it can keep a secret.
    pub kind: ClientKind,
    /// Whether users are not asked for their consent.
    pub trusted: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Whether an application can keep a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientKind {
    /// It runs on a server, and proves itself by its secret.
    Confidential,
    /// It runs on its users' machines: its secret proves nothing, and its codes are bound to a challenge (PKCE).
    Public,
}

/// What can be done with applications.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplicationAction {
    /// List, register, delete, renew the secret.
    Administer,
}

impl Application {
    /// The scopes that are granted where `wanted` are asked for: these, or by default `api`, or else all of the
    /// application's. `None` where it asks for what it was not registered with.
    #[must_use]
    pub fn grantable(&self, wanted: Option<&Scopes>) -> Option<Scopes> {
        match wanted {
            Some(wanted) => wanted.is_within(&self.scopes).then(|| wanted.clone()),
            None if self.scopes.contains(Scope::Api) => Some(Scopes::new([Scope::Api])),
            None => Some(self.scopes.clone()),
        }
    }
}

/// Whether `viewer` may do `action`.
#[must_use]
pub fn decide(viewer: Viewer, action: ApplicationAction) -> Decision {
    match action {
        ApplicationAction::Administer => Decision::allow_if(viewer.is_admin()),
    }
}

/// Checks the fields of an application that is registered.
pub fn check_application(errors: &mut FieldErrors, name: &str, redirect_uri: &str) {
    errors.present("name", name);
    errors.at_most(255, "name", name);
    check_redirect_uris(errors, redirect_uri);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(scopes: &str) -> Application {
        Application {
            id: ApplicationId::new(1),
            uid: "u".to_owned(),
            name: "n".to_owned(),
            redirect_uri: "https://a.example/".to_owned(),
            scopes: Scopes::parse(scopes).unwrap(),
            kind: ClientKind::Public,
            trusted: false,
            created_at: Timestamp::default(),
            updated_at: Timestamp::default(),
        }
    }

    #[test]
    fn nothing_is_granted_beyond_what_was_registered() {
        for (registered, wanted, granted) in [
            ("api read_user", None, Some("api")),
            ("read_user openid", None, Some("read_user openid")),
            ("api read_user", Some("read_user"), Some("read_user")),
            ("read_user", Some("api"), None),
            ("api", Some("api sudo"), None),
            ("api", Some("read_user"), None),
            ("api", Some(""), None),
        ] {
            let wanted = wanted.map(|text| Scopes::parse(text).unwrap());
            let got = with(registered).grantable(wanted.as_ref()).map(|scopes| scopes.to_string());
            assert_eq!(got.as_deref(), granted, "{registered} {wanted:?}");
        }
    }
}
