//! Scopes: what a token may be used for.

/// One permission of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Everything over the API, and Git over HTTP.
    Api,
    /// Reads of everything over the API.
    ReadApi,
    /// Reads of the user family and of events, nothing else.
    ReadUser,
    /// Acting as another user; administrators only.
    Sudo,
    /// Git over HTTP, fetch.
    ReadRepository,
    /// Git over HTTP, push.
    WriteRepository,
    /// `OpenID` Connect.
    OpenId,
    /// `OpenID` Connect: profile claims.
    Profile,
    /// `OpenID` Connect: e-mail claims.
    Email,
    /// Container registry, pull.
    ReadRegistry,
    /// Container registry, push.
    WriteRegistry,
    /// Registering a runner.
    CreateRunner,
    /// Rotating the token itself.
    SelfRotate,
    /// Administration if an administrator's mode must be switched on.
    AdminMode,
    /// Kubernetes access.
    K8sProxy,
}

impl Scope {
    /// All scopes.
    pub const ALL: [Self; 15] = [
        Self::Api,
        Self::ReadApi,
        Self::ReadUser,
        Self::Sudo,
        Self::ReadRepository,
        Self::WriteRepository,
        Self::OpenId,
        Self::Profile,
        Self::Email,
        Self::ReadRegistry,
        Self::WriteRegistry,
        Self::CreateRunner,
        Self::SelfRotate,
        Self::AdminMode,
        Self::K8sProxy,
    ];

    /// The scopes that the access token of a project or group may have.
    pub const OF_BOTS: [Self; 9] = [
        Self::Api,
        Self::ReadApi,
        Self::ReadRepository,
        Self::WriteRepository,
        Self::ReadRegistry,
        Self::WriteRegistry,
        Self::CreateRunner,
        Self::SelfRotate,
        Self::K8sProxy,
    ];

    /// True if it shows who a user is, and nothing else.
    #[must_use]
    pub const fn identifies_only(self) -> bool {
        match self {
            Self::ReadUser | Self::OpenId | Self::Profile | Self::Email => true,
            Self::Api
            | Self::ReadApi
            | Self::Sudo
            | Self::ReadRepository
            | Self::WriteRepository
            | Self::ReadRegistry
            | Self::WriteRegistry
            | Self::CreateRunner
            | Self::SelfRotate
            | Self::AdminMode
            | Self::K8sProxy => false,
        }
    }

    /// The name in the API and in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::ReadApi => "read_api",
            Self::ReadUser => "read_user",
            Self::Sudo => "sudo",
            Self::ReadRepository => "read_repository",
            Self::WriteRepository => "write_repository",
            Self::OpenId => "openid",
            Self::Profile => "profile",
            Self::Email => "email",
            Self::ReadRegistry => "read_registry",
            Self::WriteRegistry => "write_registry",
            Self::CreateRunner => "create_runner",
            Self::SelfRotate => "self_rotate",
            Self::AdminMode => "admin_mode",
            Self::K8sProxy => "k8s_proxy",
        }
    }

    /// The scope of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == text)
    }
}

/// The scopes of one token, each once, in the order of [`Scope::ALL`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scopes(Vec<Scope>);

impl Scopes {
    /// These scopes, sorted and without repetition.
    pub fn new(scopes: impl IntoIterator<Item = Scope>) -> Self {
        let mut scopes: Vec<Scope> = scopes.into_iter().collect();
        scopes.sort_unstable();
        scopes.dedup();
        Self(scopes)
    }

    /// Every scope there is.
    #[must_use]
    pub fn all() -> Self {
        Self::new(Scope::ALL)
    }

    /// Reads names separated by spaces or commas.
    ///
    /// # Errors
    /// The first name that is unknown.
    pub fn parse(text: &str) -> Result<Self, String> {
        text.split([' ', ','])
            .filter(|name| !name.is_empty())
            .map(|name| Scope::parse(name).ok_or_else(|| name.to_owned()))
            .collect::<Result<Vec<_>, _>>()
            .map(Self::new)
    }

    /// True if `scope` is among them. A token without any scope counts as `api`.
    #[must_use]
    pub fn contains(&self, scope: Scope) -> bool {
        self.0.contains(&scope) || (self.0.is_empty() && scope == Scope::Api)
    }

    /// True if at least one scope is named and all of them are named by `others`.
    #[must_use]
    pub fn is_within(&self, others: &Self) -> bool {
        !self.0.is_empty() && self.0.iter().all(|scope| others.0.contains(scope))
    }

    /// The scopes in order.
    pub fn iter(&self) -> impl Iterator<Item = Scope> {
        self.0.iter().copied()
    }

    /// True if none was named.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl std::fmt::Display for Scopes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, scope) in self.0.iter().enumerate() {
            write!(f, "{}{}", if index == 0 { "" } else { " " }, scope.as_str())?;
        }
        Ok(())
    }
}

/// Which scopes open a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeRule {
    /// `api`, and `read_api` for reads.
    Api,
    /// The user family and events: `read_user` suffices for reads as well.
    ReadUser,
    /// `OpenID` Connect: `openid` alone, whatever else the token has.
    OpenId,
    /// Any working token: a token may always read itself.
    Any,
}

impl ScopeRule {
    /// True if a token with `scopes` may use the route; `reads` is true for GET and HEAD.
    #[must_use]
    pub fn admits(self, scopes: &Scopes, reads: bool) -> bool {
        match self {
            Self::Any => true,
            Self::OpenId => scopes.contains(Scope::OpenId),
            Self::Api => scopes.contains(Scope::Api) || (reads && scopes.contains(Scope::ReadApi)),
            Self::ReadUser => Self::Api.admits(scopes, reads) || (reads && scopes.contains(Scope::ReadUser)),
        }
    }

    /// The scopes that would have been enough, as the 403 body names them.
    #[must_use]
    pub const fn wanted(self) -> &'static str {
        match self {
            Self::Api | Self::Any => "api",
            Self::ReadUser => "read_user api",
            Self::OpenId => "openid",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_admits_exactly_what_it_names() {
        let scopes = |text| Scopes::parse(text).unwrap();
        for (rule, text, read, write) in [
            (ScopeRule::Api, "api", true, true),
            (ScopeRule::Api, "read_api", true, false),
            (ScopeRule::Api, "read_user", false, false),
            (ScopeRule::Api, "sudo", false, false),
            (ScopeRule::Api, "read_repository write_repository", false, false),
            (ScopeRule::Api, "", true, true),
            (ScopeRule::ReadUser, "read_user", true, false),
            (ScopeRule::ReadUser, "api", true, true),
            (ScopeRule::OpenId, "openid", true, true),
            (ScopeRule::OpenId, "api", false, false),
            (ScopeRule::Any, "read_repository", true, true),
        ] {
            assert_eq!(rule.admits(&scopes(text), true), read, "{rule:?} read {text}");
            assert_eq!(rule.admits(&scopes(text), false), write, "{rule:?} write {text}");
        }
    }

    #[test]
    fn names_are_read_and_printed_alike() {
        assert_eq!(Scopes::parse("sudo,api api").unwrap().to_string(), "api sudo");
        assert_eq!(Scopes::parse("api,root"), Err("root".to_owned()));
    }
}
