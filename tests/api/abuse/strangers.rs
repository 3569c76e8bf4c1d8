//! A user whose credential this process has not seen yet is no stranger: strangers from the same address take nothing
//! from them.

use serde_json::json;
use tenon_app::Limits;
use tenon_testkit::{Client, Reply, Strangers, TestServer, both_databases};

use crate::support::*;

/// A way to present a token in a request, and the status of its answer.
type Form = (&'static str, fn(&Client, &str) -> Reply, u16);

/// All ways in which a token comes, for reads of the database, files, archives and Git.
const FORMS: [Form; 12] = [
    ("private token", |client, token| client.header("Private-Token", token).get("/user"), 200),
    ("bearer", |client, token| client.header("Authorization", &format!("Bearer {token}")).get("/user"), 200),
    ("query", |client, token| client.get(&format!("/user?private_token={token}")), 200),
    ("access token in the query", |client, token| client.get(&format!("/user?access_token={token}")), 200),
    (
        "form",
        |client, token| client.form("POST", "/projects/ann%2Ftool/issues", &format!("title=t&private_token={token}")),
        201,
    ),
    (
        "JSON",
        |client, token| client.post("/projects/ann%2Ftool/issues", json!({"title": "t", "access_token": token})),
        201,
    ),
    ("search", |client, token| client.with_token(token).get("/projects/ann%2Ftool/issues?search=word"), 200),
    (
        "raw file",
        |client, token| client.with_token(token).get("/projects/ann%2Ftool/repository/files/README.md/raw?ref=main"),
        200,
    ),
    ("archive", |client, token| client.with_token(token).get("/projects/ann%2Ftool/repository/archive.tar.gz"), 200),
    (
        "archive at its public address",
        |client, token| client.get(&format!("//ann/tool/-/archive/main/tool-main.tar.gz?private_token={token}")),
        200,
    ),
    ("Git", |client, token| client.basic("x", token).get("//ann/tool.git/info/refs?service=git-upload-pack"), 200),
    (
        "Git, to push",
        |client, token| client.basic("x", token).get("//ann/tool.git/info/refs?service=git-receive-pack"),
        200,
    ),
];

/// A private project of a new user, and so many of the user's tokens.
fn owner(server: &TestServer, tokens: usize) -> Vec<String> {
    let ann = server.user("ann");
    let body = json!({"name": "tool", "visibility": "private", "initialize_with_readme": true});
    let _project = made(&ann, "/projects", body);
    (0..tokens).map(|_| server.token(ann.id, &["api"])).collect()
}

#[both_databases]
fn a_token_that_this_process_has_not_seen_is_none_of_a_stranger(server: &TestServer) {
    let tokens = owner(server, 20 + FORMS.len());
    // A process that has just started, as it were.
    let fresh = TestServer::beside(server);
    let _strangers = Strangers::fill(&fresh);
    let stranger = fresh.anonymous();
    assert_eq!(stranger.get("/projects").status(), 503);
    let (alike, each) = tokens.split_at(20);
    for token in alike {
        assert_eq!(fresh.client(token).get("/user").status(), 200);
    }
    for ((form, ask, want), token) in FORMS.iter().zip(each) {
        let reply = ask(&stranger, token);
        assert_eq!(reply.status(), *want, "{form}: {}", reply.text());
    }
    assert_eq!(fresh.client("proves nothing").get("/user").status(), 503, "as any stranger");
}

#[both_databases]
fn a_token_that_cannot_be_looked_up_is_counted_as_no_strangers(server: &TestServer) {
    let tokens = owner(server, 1);
    let mut limits = Limits::default();
    (limits.rates.anonymous_burst, limits.rates.anonymous_per_second) = (1, 1);
    let fresh = TestServer::beside_with(server, limits);
    let stranger = fresh.anonymous();
    assert_eq!([stranger.get("/projects").status(), stranger.get("/projects").status()], [200, 429]);
    server.database().execute("ALTER TABLE tokens RENAME TO tokens_elsewhere");
    assert_eq!(fresh.client(&tokens[0]).get("/user").status(), 500, "it may be a user's");
    assert_eq!(
        fresh.anonymous().basic("x", &tokens[0]).get("//ann/tool.git/info/refs?service=git-upload-pack").status(),
        500
    );
    server.database().execute("ALTER TABLE tokens_elsewhere RENAME TO tokens");
    assert_eq!(fresh.client(&tokens[0]).get("/user").status(), 200);
    assert_eq!(fresh.client("proves nothing").get("/user").status(), 429, "a stranger");
}

#[both_databases]
fn the_password_of_an_account_opens_git_beside_strangers(server: &TestServer) {
    let _tokens = owner(server, 1);
    let fresh = TestServer::beside(server);
    let _strangers = Strangers::fill(&fresh);
    let refs = |password| {
        fresh.anonymous().basic("ann", password).get("//ann/tool.git/info/refs?service=git-upload-pack").status()
    };
    assert_eq!([refs("correct horse"), refs("wrong")], [200, 401]);
}

#[both_databases]
fn a_token_that_is_dead_counts_as_a_strangers(server: &TestServer) {
    let tokens = owner(server, 1);
    let own = server.root().get("/users?username=ann").assert_status(200).json()[0]["id"].clone();
    let _blocked = server.root().post(&format!("/users/{own}/block"), json!({})).assert_status(201);
    let fresh = TestServer::beside(server);
    let _strangers = Strangers::fill(&fresh);
    assert_eq!(fresh.client(&tokens[0]).get("/user").status(), 503);
}
