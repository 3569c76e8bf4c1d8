//! The client of a request, which is counted and limited: a user, or the network that the request comes from.

use std::net::IpAddr;

use actix_web::http::header;
use actix_web::{HttpMessage as _, HttpRequest};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tenon_app::identity::{Credential, Guard, Identity};
use tenon_app::{Client, Network, Secret};
use tenon_domain::token::ScopeRule;

use crate::params::param_map::ParamMap;
use crate::state::Edge;
use crate::wire::credentials;

/// The credentials in the head of a request, and its address. A credential in the body is not known yet.
pub(crate) struct Presented {
    /// A credential of the API.
    credential: Option<Credential>,
    /// A password or token that a Git client sent.
    password: Option<Secret>,
    address: Option<IpAddr>,
}

impl Presented {
    pub(crate) fn by(edge: &Edge, request: &HttpRequest) -> Self {
        let headers = request.headers();
        let query = ParamMap::from_query(request.query_string().as_bytes()).unwrap_or_default();
        let presented = credentials::present(&query.values, headers, edge.app().base_url()).unwrap_or_default();
        Self {
            credential: presented.credential,
            password: basic_password(headers),
            address: edge.proxies().client(request.peer_addr().map(|address| address.ip()), headers),
        }
    }

    /// Whether there is anything that could prove a user.
    pub(crate) fn is_signed(&self) -> bool {
        self.credential.is_some() || self.password.is_some()
    }

    /// Where the request comes from.
    pub(crate) fn network(&self) -> Network {
        Network::of(self.address)
    }

    /// The user if the credential was verified recently, else the network.
    pub(crate) fn client(&self, edge: &Edge) -> Client {
        match (&self.credential, &self.password) {
            (None, Some(password)) => edge.app().client_of_git(Some(password), self.address),
            (credential, _) => edge.app().client_of(credential.as_ref(), self.address),
        }
    }

    /// The client of a request whose network has sent too many: the user if the credential is valid but was not
    /// verified recently. Other clients in the same network must not lock a user out.
    pub(crate) async fn proved_client(&self, edge: &Edge, client: Client) -> Client {
        // Git clients send their token as a password.
        let token = || self.password.as_ref().map(|password| Credential::Token(password.expose().to_owned()));
        let Some(credential) = self.credential.clone().or_else(token) else { return client };
        let identity = Identity {
            credential: Some(credential),
            sudo: None,
            guard: Guard::SignedIn,
            scopes: ScopeRule::Any,
            reads: true,
        };
        let _outcome = edge.app().used_by(client).admit(&identity).await;
        self.client(edge)
    }
}

/// The client of a request, as it was identified when the request was admitted.
pub fn client_of(edge: &Edge, request: &HttpRequest) -> Client {
    let admitted = request.extensions().get::<Client>().copied();
    admitted.unwrap_or_else(|| Presented::by(edge, request).client(edge))
}

/// The password of Basic authentication, in which Git clients send their token.
fn basic_password(headers: &header::HeaderMap) -> Option<Secret> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, encoded) = value.split_once(' ')?;
    let decoded = STANDARD.decode(encoded.trim()).ok().filter(|_| scheme.eq_ignore_ascii_case("basic"))?;
    let (_name, password) = std::str::from_utf8(&decoded).ok()?.split_once(':')?;
    Some(Secret::given(password))
}
