//! Servers with sign-in providers.

use std::sync::Arc;

use tenon_app::{Limits, Secret, SignInProvider};

use crate::application::repositories_in;
use crate::database::TestDatabase;
use crate::openid::{OpenIdKey, OpenIdProvider};
use crate::reusable::{Backend, Content};
use crate::server::{Extras, TestServer};

/// A provider of a server.
pub type TestProvider = OpenIdProvider;

impl TestServer {
    /// Starts a server with two providers: `corp`, whose unknown users get an account, and `other`, whose users do not.
    pub fn start_with_openid(backend: Backend) -> Self {
        let provider = |name: &str, allow_sign_up| {
            let answering = OpenIdProvider::start(&OpenIdKey::es256("unused"));
            let configured = SignInProvider {
                name: name.to_owned(),
                label: format!("{name} & sons"),
                issuer: answering.issuer.clone(),
                client_id: format!("tenon at {name}"),
                client_secret: allow_sign_up.then(|| Secret::given("secret:of us")),
                scopes: vec!["openid".to_owned(), "email".to_owned()],
                allow_sign_up,
            };
            (configured, answering)
        };
        let providers = vec![provider("corp", true), provider("other", false)];
        let limits = Limits::without_rates();
        let folder = Arc::new(tempfile::tempdir().expect("a folder"));
        let repositories = repositories_in(folder.path(), &limits);
        let database = Arc::new(TestDatabase::with(backend, Content::Root));
        let extras = Extras { providers, ..Extras::default() };
        Self::run(database, folder, Arc::default(), limits, repositories, &[], extras)
    }

    /// Its providers, in their order.
    pub fn providers(&self) -> &[TestProvider] {
        &self.openid
    }
}
