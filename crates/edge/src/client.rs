//! The client of a request, which is counted and limited: a user, or the network that the request comes from.

use std::net::IpAddr;
use std::sync::Arc;

use actix_web::http::header;
use actix_web::{HttpMessage as _, HttpRequest};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tenon_app::error::AppError;
use tenon_app::identity::Credential;
use tenon_app::{App, Client, Connection, Network, Secret};

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
        Self { credential: presented.credential, password: basic_password(headers), address: address_of(edge, request) }
    }

    /// True if there is anything that could prove a user.
    pub(crate) fn is_signed(&self) -> bool {
        self.credential.is_some() || self.password.is_some()
    }

    /// The network that the request comes from.
    pub(crate) fn network(&self) -> Network {
        Network::of(self.address)
    }

    /// The client of the request: the user whom a credential proves, or else the network. A credential that was not
    /// proved lately is looked up first, so that no budget of strangers is asked for a user. Fails if it cannot be
    /// looked up.
    pub(crate) async fn client(&self, edge: &Edge) -> Result<Client, AppError> {
        let client = edge.app().prove(self.credential.as_ref(), self.address).await?;
        match &self.password {
            // Git clients send their token as a password.
            Some(password) if client.is_anonymous() => edge.app().prove_git(password, self.address).await,
            Some(_) | None => Ok(client),
        }
    }

    /// As [`Presented::client`], without a look-up.
    pub(crate) fn known_client(&self, edge: &Edge) -> Client {
        edge.app().client_of(self.credential.as_ref(), self.address)
    }
}

/// The client of a request, and whether its head had a credential.
#[derive(Clone, Copy)]
pub(crate) struct Admitted {
    pub(crate) client: Client,
    pub(crate) is_signed: bool,
}

/// The client of a request, as it was identified when the request was admitted.
pub fn client_of(edge: &Edge, request: &HttpRequest) -> Client {
    let admitted = request.extensions().get::<Admitted>().copied();
    admitted.map_or_else(|| edge.app().client_of(None, address_of(edge, request)), |admitted| admitted.client)
}

/// The address that a request comes from.
fn address_of(edge: &Edge, request: &HttpRequest) -> Option<IpAddr> {
    edge.proxies().client(request.peer_addr().map(|address| address.ip()), request.headers())
}

/// The application as the client of a request uses it.
pub fn app_of(edge: &Edge, request: &HttpRequest) -> App {
    app_used_by(edge, request, client_of(edge, request))
}

/// As [`app_of`], if the request has turned out to be of this client.
pub fn app_used_by(edge: &Edge, request: &HttpRequest, client: Client) -> App {
    edge.app().used_by(client).with_origin(address_of(edge, request))
}

/// As [`client_of`], for a request whose body has brought this credential, which was not known before. Fails if it
/// cannot be looked up.
pub async fn client_with(
    edge: &Edge,
    request: &HttpRequest,
    credential: Option<&Credential>,
) -> Result<Client, AppError> {
    let client = client_of(edge, request);
    let was_tried = request.extensions().get::<Admitted>().is_some_and(|admitted| admitted.is_signed);
    if credential.is_none() || was_tried || !client.is_anonymous() {
        return Ok(client);
    }
    let client = edge.app().prove(credential, address_of(edge, request)).await?;
    request.extensions_mut().insert(Admitted { client, is_signed: true });
    note_proved(client, request.conn_data());
    Ok(client)
}

/// Counts a connection on which a user was proved among the connections of users.
pub(crate) fn note_proved(client: Client, connection: Option<&Arc<Connection>>) {
    if let Some(connection) = connection.filter(|_| !client.is_anonymous()) {
        // If there is no place there, it keeps the one among strangers.
        let _is_counted = connection.prove(client);
    }
}

/// The password of Basic authentication, in which Git clients send their token.
fn basic_password(headers: &header::HeaderMap) -> Option<Secret> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, encoded) = value.split_once(' ')?;
    let decoded = STANDARD.decode(encoded.trim()).ok().filter(|_| scheme.eq_ignore_ascii_case("basic"))?;
    let (_name, password) = std::str::from_utf8(&decoded).ok()?.split_once(':')?;
    Some(Secret::given(password))
}
