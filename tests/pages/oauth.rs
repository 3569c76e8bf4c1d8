//! Authorizing applications.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, first};
use crate::{PASSWORD, member};

const CALLBACK: &str = "https://app.example/callback";

fn application(server: &TestServer) -> Value {
    let new = json!({"name": "App <b>", "redirect_uri": CALLBACK, "scopes": "api read_user", "confidential": true});
    server.root().post("/applications", new).assert_status(201).json()
}

fn asked(application: &Value, more: &str) -> String {
    let id = application["application_id"].as_str().unwrap();
    format!(
        "/oauth/authorize?client_id={id}&redirect_uri=https%3A%2F%2Fapp.example%2Fcallback&response_type=code&state=s%26t{more}"
    )
}

fn tokens(server: &TestServer, application: &Value, code: &str) -> Value {
    let body = json!({
        "grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK,
        "client_id": application["application_id"], "client_secret": application["secret"],
    });
    server.anonymous().post("//oauth/token", body).json()
}

fn code(address: &str) -> String {
    first(address, "[?&]code=([^&]+)").replace("%2D", "-").replace("%5F", "_")
}

#[both_databases]
fn a_user_authorizes_an_application_and_takes_that_back(server: &TestServer) {
    let _ada = member(server, "ada");
    let application = application(server);
    let browser = Browser::of(server);
    let sign_in = browser.get(&asked(&application, "&scope=read_user")).location();
    let page = browser.get(&sign_in).assert_status(200);
    let policy = page.reply.header("content-security-policy");
    assert!(
        policy.ends_with("form-action 'self' https://app.example"),
        "the redirection follows from this form: {policy}"
    );
    let back =
        page.submit(&browser, "/users/sign_in", &[("user[login]", "ada"), ("user[password]", PASSWORD)]).location();

    let consent = browser.get(&back).assert_status(200);
    assert!(consent.html.contains("App &#60;b&#62;") && consent.html.contains("Read your profile"), "{}", consent.html);
    assert!(consent.reply.header("content-security-policy").ends_with("form-action 'self' https://app.example"));
    let sent = consent.submit(&browser, "/oauth/authorize", &[]).location();
    assert!(sent.starts_with(CALLBACK) && sent.contains("state=s%26t"), "{sent}");
    let issued = tokens(server, &application, &code(&sent));
    let by_token =
        server.anonymous().header("Authorization", &format!("Bearer {}", issued["access_token"].as_str().unwrap()));
    assert_eq!(by_token.get("/user").assert_status(200).json()["username"], "ada");

    let again = browser.get(&asked(&application, "&scope=read_user")).location();
    assert!(again.starts_with(CALLBACK), "what was granted before is not asked again: {again}");
    let _ = browser.get(&asked(&application, "&scope=api")).assert_status(200);

    let list = browser.get("/oauth/authorized_applications").assert_status(200);
    let form = first(&list.html, r#"action="(/oauth/authorized_applications/[0-9]+)""#);
    assert_eq!(list.submit(&browser, &form, &[]).location(), "/oauth/authorized_applications");
    let _ = by_token.get("/user").assert_status(401);
    assert!(!browser.get("/oauth/authorized_applications").html.contains("App &#60;b&#62;"));
    let _ = browser.get(&asked(&application, "&scope=read_user")).assert_status(200);
}

#[both_databases]
fn a_user_may_refuse(server: &TestServer) {
    let _ada = member(server, "ada");
    let application = application(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let consent = browser.get(&asked(&application, "")).assert_status(200);
    let token = consent.token();
    let id = application["application_id"].as_str().unwrap();
    let fields = [
        ("authenticity_token", token.as_str()),
        ("_method", "delete"),
        ("client_id", id),
        ("redirect_uri", CALLBACK),
        ("response_type", "code"),
        ("state", "s&t"),
    ];
    let sent = browser.post("/oauth/authorize", &fields).location();
    assert!(sent.starts_with(CALLBACK) && sent.contains("error=access%5Fdenied") && !sent.contains("code="), "{sent}");
}

#[both_databases]
fn an_authorization_takes_its_parameters_from_the_address_too(server: &TestServer) {
    let _ada = member(server, "ada");
    let application = application(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let token = browser.get(&asked(&application, "")).assert_status(200).token();
    let sent = browser
        .post(&asked(&application, "&scope=api"), &[("authenticity_token", &token), ("scope", "read_user")])
        .location();
    assert!(sent.starts_with(CALLBACK) && sent.contains("state=s%26t"), "{sent}");
    assert_eq!(tokens(server, &application, &code(&sent))["scope"], "read_user", "the form decides");
    let refused =
        browser.post(&asked(&application, ""), &[("authenticity_token", &token), ("_method", "delete")]).location();
    assert!(refused.contains("error=access%5Fdenied"), "{refused}");
    let _ = browser.post(&asked(&application, ""), &[]).assert_status(422);
}

#[both_databases]
fn a_request_that_names_another_address_leads_nowhere(server: &TestServer) {
    let _ada = member(server, "ada");
    let application = application(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let evil = asked(&application, "").replace("app.example", "evil.example");
    let page = browser.get(&evil).assert_status(400);
    assert!(page.html.contains("cannot be completed"), "{}", page.html);
    let _ =
        browser.get("/oauth/authorize?client_id=unknown&redirect_uri=https%3A%2F%2Fevil.example").assert_status(401);
    let wide = browser.get(&asked(&application, "&scope=sudo")).location();
    assert!(wide.starts_with(CALLBACK) && wide.contains("error=invalid%5Fscope"), "{wide}");
}

#[both_databases]
fn a_token_authorizes_nothing(server: &TestServer) {
    let ada = member(server, "ada");
    let application = application(server);
    let page = ada.get(&format!("/{}", asked(&application, ""))).assert_status(302);
    assert!(page.header("location").starts_with("/users/sign_in"));
}
