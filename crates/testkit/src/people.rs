//! The users of a test server. Most are made without requests: hundreds of tests begin with them.

use serde_json::{Value, json};
use tenon_app::user::{self, CreateUser, NewPassword, Password};
use tenon_app::{Command, Scopes, Secret, token};
use tenon_domain::id::UserId;

use crate::client::Client;
use crate::server::TestServer;

/// The password of each user of a test server.
const PASSWORD: &str = "correct horse";

/// A user of a test server, with a client that has signed in.
pub struct User {
    /// The id.
    pub id: i64,
    /// The user name.
    pub username: String,
    /// A token of scope `api`.
    pub token: String,
    client: Client,
}

impl std::ops::Deref for User {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl TestServer {
    /// A new user with a token of scope `api`.
    pub fn user(&self, username: &str) -> User {
        let [user] = self.users([username]);
        user
    }

    /// New users, each with a token of scope `api`, in one transaction.
    pub fn users<const N: usize>(&self, names: [&str; N]) -> [User; N] {
        let password = self.app().new_password_now(Password::Given(Some(Secret::given(PASSWORD)))).expect("a password");
        let made = self.app().administer(|command| {
            Ok(names.map(|name| {
                let made = user::create(command, account(name, password.clone())).expect("a user");
                let id = made.user.id;
                (id.get(), name, new_token(command, id, Scopes::parse("api").expect("a scope")))
            }))
        });
        self.skip_welcome(&names.map(address));
        made.expect("users").map(|(id, name, token)| self.known(id, name, token))
    }

    /// As [`TestServer::user`], created with more parameters of the request.
    pub fn user_with(&self, username: &str, more: &Value) -> User {
        let mut body = json!({
            "username": username,
            "name": username,
            "email": address(username),
            "password": PASSWORD,
            "skip_confirmation": true,
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            body.as_object_mut().expect("an object").insert(name.clone(), value.clone());
        }
        let email = body["email"].as_str().unwrap_or_default().to_owned();
        let id = self.root().post("/users", body).assert_status(201).json()["id"].as_i64().expect("an id");
        self.skip_welcome(&[email]);
        self.known(id, username, self.token(id, &["api"]))
    }

    /// The secret of a new personal token for the user of that id.
    pub fn token(&self, user: i64, scopes: &[&str]) -> String {
        let scopes = Scopes::parse(&scopes.join(" ")).expect("scopes");
        let made = self.app().administer(|command| Ok(new_token(command, UserId::new(user), scopes)));
        made.expect("a token")
    }

    /// Sends the mails that welcome new users, and removes them: they are the subject of few tests.
    fn skip_welcome(&self, addresses: &[String]) {
        if self.app().sends_mail() {
            self.run_jobs();
            for address in addresses {
                let _welcome = self.mails(address);
            }
        }
    }

    fn known(&self, id: i64, username: &str, token: String) -> User {
        User { id, username: username.to_owned(), client: self.client(&token), token }
    }
}

fn address(username: &str) -> String {
    format!("{username}@example.org")
}

fn account(username: &str, password: NewPassword) -> CreateUser {
    CreateUser::new(username.to_owned(), username.to_owned(), address(username), password)
}

fn new_token(command: &mut Command<'_>, user: UserId, scopes: Scopes) -> String {
    let made = token::create_personal(command, user, "test".to_owned(), None, scopes, None).expect("a token");
    made.secret.expect("a new token has its secret").expose().to_owned()
}
