//! The sources of the parameters of `/oauth/...`: the query, and a body of any kind.

use serde_json::json;
use tenon_testkit::{Multipart, TestServer, both_databases};

use super::*;

/// A query, or a form, of these pairs.
fn pairs(form: &[(&str, &str)]) -> String {
    form.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect::<Vec<_>>().join("&")
}

#[both_databases]
fn tokens_are_asked_for_in_the_query_and_in_the_body_together(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api", true));
    let anonymous = server.anonymous();
    let refresh = || app.tokens(server, &alice, "api").refresh;
    for ways in 0..4 {
        let token = refresh();
        let all = app.form(true, &[("grant_type", "refresh_token"), ("refresh_token", token.as_str())]);
        let (query, body) = all.split_at(2);
        let path = format!("//oauth/token?{}", pairs(query));
        let reply = match ways {
            0 => anonymous.form("POST", &path, &pairs(body)),
            1 => anonymous
                .post(&path, body.iter().copied().collect::<std::collections::BTreeMap<_, _>>().into_iter().collect()),
            2 => anonymous.multipart(
                "POST",
                &path,
                &body.iter().fold(Multipart::default(), |form, (name, value)| form.text(name, value)),
            ),
            _ => anonymous.send("POST", &format!("//oauth/token?{}", pairs(&all)), None, Vec::new()),
        };
        assert_eq!(status(server, &Tokens::of(&reply).access), 200, "way {ways}");
    }
}

#[both_databases]
fn the_body_decides_where_query_and_body_disagree(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api", true));
    let token = app.tokens(server, &alice, "api").refresh;
    let body = app.form(true, &[("grant_type", "refresh_token"), ("refresh_token", token.as_str())]);
    let over = server.anonymous().form(
        "POST",
        "//oauth/token?grant_type=password&refresh_token=x&refresh_token=y",
        &pairs(&body),
    );
    assert_eq!(over.status(), 200, "{}", over.text());
    let twice =
        server.anonymous().send("POST", "//oauth/token?grant_type=password&grant_type=password", None, Vec::new());
    assert_refused(&twice, 400, "invalid_request");
    let odd = server.anonymous().send("POST", "//oauth/token?grant_type=%ff", None, Vec::new());
    assert_refused(&odd, 400, "invalid_request");
    let long =
        server.anonymous().send("POST", &format!("//oauth/token?grant_type={}", "a".repeat(9_000)), None, Vec::new());
    assert_refused(&long, 400, "invalid_request");
}

#[both_databases]
fn tokens_are_withdrawn_and_asked_about_by_query_too(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api openid", true));
    let anonymous = server.anonymous();
    let send = |endpoint: &str, form: &[(&str, &str)]| {
        anonymous.send("POST", &format!("//oauth/{endpoint}?{}", pairs(form)), None, Vec::new())
    };
    let tokens = app.tokens(server, &alice, "api openid");
    let token = [("token", tokens.access.as_str())];
    assert_eq!(send("introspect", &app.form(true, &token)).assert_status(200).json()["active"], json!(true));
    let shown = anonymous.send("POST", &format!("//oauth/userinfo?access_token={}", tokens.access), None, Vec::new());
    assert_eq!(shown.assert_status(200).json()["nickname"], "alice");
    let device =
        anonymous.send("POST", &format!("//oauth/authorize_device?client_id={}&scope=api", app.uid), None, Vec::new());
    assert_refused(&device, 401, "invalid_client");
    send("revoke", &app.form(true, &token)).assert(200, json!({}));
    assert_eq!(status(server, &tokens.access), 401);
}

#[both_databases]
fn a_token_shows_what_it_is_however_it_is_passed(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api", true));
    let access = app.tokens(server, &alice, "api").access;
    let anonymous = server.anonymous();
    let by_header = bearer(server, &access).get("//oauth/token/info").assert_status(200).json();
    for name in ["access_token", "bearer_token", "private_token"] {
        let shown = anonymous.get(&format!("//oauth/token/info?{name}={access}"));
        assert_eq!(shown.assert_status(200).json(), by_header, "{name}");
    }
    assert_eq!(anonymous.with_token(&access).get("//oauth/token/info").assert_status(200).json(), by_header);
    let in_form = anonymous.form("GET", "//oauth/token/info", &format!("access_token={access}"));
    assert_eq!(in_form.assert_status(200).json(), by_header);
    let both = bearer(server, &access).get(&format!("//oauth/token/info?access_token={access}"));
    assert_refused_alike(&both, 400, "invalid_request");
    let differ = anonymous.with_token(&alice.token).get(&format!("//oauth/token/info?access_token={access}"));
    assert_refused(&differ, 401, "invalid_token");
    for other in [alice.token.as_str(), "unknown"] {
        assert_refused(&anonymous.get(&format!("//oauth/token/info?access_token={other}")), 401, "invalid_token");
        assert_refused(&anonymous.with_token(other).get("//oauth/token/info"), 401, "invalid_token");
    }
    assert_refused(&anonymous.get("//oauth/token/info?access_token="), 401, "invalid_token");
}

/// As [`assert_refused`], with the body of the API.
#[track_caller]
fn assert_refused_alike(reply: &Reply, status: u16, error: &str) {
    assert_eq!((reply.status(), &reply.json()["error"]), (status, &json!(error)), "{}", reply.text());
}
