//! Applications.

use super::redirect::{PlainHttp, check_redirect_uris};
use crate::access::{Decision, Viewer};
use crate::field_errors::FieldErrors;
use crate::id::{ApplicationId, UserId};
use crate::time::Timestamp;
use crate::token::{Scope, Scopes};

/// A registered application, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// Unique on the server.
    pub id: ApplicationId,
    /// The id under which it presents itself: public, and random.
    pub uid: String,
    /// Who has registered it for themselves; `None` for an application of the server.
    pub owner: Option<UserId>,
    /// Its name for users.
    pub name: String,
    /// The addresses that it may be redirected to, separated by white space, as they were registered.
    pub redirect_uri: String,
    /// The most scopes that it may be granted.
    pub scopes: Scopes,
    /// Confidential if it can keep a secret.
    pub kind: ClientKind,
    /// True if users are not asked for their consent.
    pub trusted: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// The ability of an application to keep a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientKind {
    /// It runs on a server, and proves itself by its secret.
    Confidential,
    /// It runs on its users' machines: its secret proves nothing, and its codes are bound to a challenge (PKCE).
    Public,
}

/// The actions that are possible with applications.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplicationAction {
    /// List all, and register applications of the server.
    Administer,
    /// Register one's own, and list them.
    Own(Registration),
    /// See one of this owner, change it, renew its secret, delete it.
    Manage(Registration, Option<UserId>),
}

/// The permission of the settings for users to have applications of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registration {
    /// They do.
    Open,
    /// Only administrators may have any.
    Closed,
}

impl Application {
    /// The scopes that are granted if `wanted` are asked for: these, or by default `api`, or else all of the
    /// application's. `None` if it asks for what it was not registered with.
    #[must_use]
    pub fn grantable(&self, wanted: Option<&Scopes>) -> Option<Scopes> {
        match wanted {
            Some(wanted) => wanted.is_within(&self.scopes).then(|| wanted.clone()),
            None if self.scopes.contains(Scope::Api) => Some(Scopes::new([Scope::Api])),
            None => Some(self.scopes.clone()),
        }
    }
}

/// Decides whether `viewer` may do `action`.
#[must_use]
pub fn decide(viewer: Viewer, action: ApplicationAction) -> Decision {
    match action {
        ApplicationAction::Administer => Decision::allow_if(viewer.is_admin()),
        ApplicationAction::Own(_) | ApplicationAction::Manage(..) if viewer.is_admin() => Decision::Allow,
        ApplicationAction::Own(Registration::Open) => Decision::allow_if(viewer.user().is_some()),
        ApplicationAction::Manage(Registration::Open, Some(owner)) if viewer.user() == Some(owner) => Decision::Allow,
        ApplicationAction::Own(Registration::Closed) | ApplicationAction::Manage(..) => Decision::Hide,
    }
}

/// Checks the fields of an application that is registered.
pub fn check_application(errors: &mut FieldErrors, name: &str, redirect_uri: &str, http: PlainHttp) {
    errors.present("name", name);
    errors.at_most(255, "name", name);
    check_redirect_uris(errors, redirect_uri, http);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(scopes: &str) -> Application {
        Application {
            id: ApplicationId::new(1),
            uid: "u".to_owned(),
            owner: None,
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
    fn an_application_is_for_its_owner_and_for_administrators() {
        let (ann, bob) = (UserId::new(1), UserId::new(2));
        let user = |id| Viewer::User { id, admin: false, external: false };
        let root = Viewer::User { id: UserId::new(3), admin: true, external: false };
        for registration in [Registration::Open, Registration::Closed] {
            for owner in [None, Some(ann)] {
                let manage = ApplicationAction::Manage(registration, owner);
                assert_eq!(decide(root, manage), Decision::Allow);
                assert_eq!(decide(user(bob), manage), Decision::Hide);
                assert_eq!(decide(Viewer::Anonymous, manage), Decision::Hide);
                let is_open = registration == Registration::Open && owner == Some(ann);
                let want = if is_open { Decision::Allow } else { Decision::Hide };
                assert_eq!(decide(user(ann), manage), want, "{manage:?}");
            }
        }
        assert_eq!(decide(user(ann), ApplicationAction::Own(Registration::Open)), Decision::Allow);
        assert_eq!(decide(user(ann), ApplicationAction::Own(Registration::Closed)), Decision::Hide);
        assert_eq!(decide(root, ApplicationAction::Own(Registration::Closed)), Decision::Allow);
        assert_eq!(decide(Viewer::Anonymous, ApplicationAction::Own(Registration::Open)), Decision::Deny);
        assert_eq!(decide(user(ann), ApplicationAction::Administer), Decision::Deny);
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
