//! Links that reset a password: what the pages for them call.

use tenon_app::error::AppError;
use tenon_app::identity::Identity;
use tenon_app::{Client, Network, Secret};
use tenon_testkit::{TestServer, both_databases};

use crate::wait;

fn ask(server: &TestServer, from: &str, address: &str) -> Result<(), AppError> {
    let client = Client::Network(Network::of(Some(from.parse().expect("an address"))));
    wait(server.app().used_by(client).request_password_reset(&Identity::anonymous(), address))
}

fn token(server: &TestServer, address: &str) -> Secret {
    ask(server, "192.0.2.1", address).expect("a link");
    server.run_jobs();
    let mails = server.mails(address);
    Secret::given(mails[0].after("reset_password_token="))
}

/// Gives the user of the token a new password, as a stranger from some network.
fn complete(server: &TestServer, token: &Secret, password: &str) -> Result<(), AppError> {
    let identity = Identity::anonymous();
    let client = Client::Network(Network::of(Some("192.0.2.1".parse().expect("an address"))));
    wait(server.app().used_by(client).complete_password_reset(&identity, token.clone(), Secret::given(password)))
}

#[both_databases(mail)]
fn one_of_many_requests_uses_a_token(server: &TestServer) {
    let _alice = server.user("alice");
    let token = token(server, "alice@example.org");
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..6)
            .map(|number| (server, token.clone(), format!("battery staple {number}")))
            .map(|(server, token, password)| scope.spawn(move || complete(server, &token, &password)))
            .collect();
        all.into_iter().map(|thread| thread.join().expect("an answer")).collect()
    });
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1, "{outcomes:?}");
    assert!(outcomes.iter().all(|outcome| matches!(outcome, Ok(()) | Err(AppError::NotFound(_)))), "{outcomes:?}");
    assert_eq!(server.database().count("SELECT COUNT(*) FROM events WHERE kind = 'password_changed'"), 1);
}

#[both_databases(mail)]
fn an_address_is_counted_wherever_the_requests_come_from(server: &TestServer) {
    let asked =
        |address: &str| (0..20).take_while(|number| ask(server, &format!("192.0.2.{number}"), address).is_ok()).count();
    assert_eq!(asked("none@example.org"), 5);
    assert_eq!(asked("NONE@example.org "), 0);
    server.advance(tenon_domain::time::TimeDelta::minutes(12));
    assert_eq!(asked("none@example.org"), 1);
}

#[both_databases(mail)]
fn the_token_of_a_link_is_none_of_a_stranger(server: &TestServer) {
    let _alice = server.user("alice");
    let token = token(server, "alice@example.org");
    let closed = TestServer::closed_to_strangers(server);
    assert!(matches!(ask(&closed, "192.0.2.1", "alice@example.org"), Err(AppError::Busy { .. })));
    complete(&closed, &token, "battery staple").expect("a new password");
}

#[both_databases(mail)]
fn a_wrong_token_costs_no_password(server: &TestServer) {
    for token in ["", "x", "\0"] {
        assert!(matches!(complete(server, &Secret::given(token), "short"), Err(AppError::NotFound(_))));
    }
    assert!(ask(server, "192.0.2.1", "a\0@example.org").is_ok());
}
