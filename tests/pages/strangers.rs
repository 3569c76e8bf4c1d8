//! Pages of a user whose session this process has not seen yet, beside strangers from the same address.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Strangers, TestServer, both_databases};

use crate::browser::Browser;
use crate::{PASSWORD, member};

const SESSION: &str = "_service_session";

#[both_databases]
fn a_session_that_this_process_has_not_seen_is_none_of_a_stranger(server: &TestServer) {
    let ann = member(server, "ann");
    let body = json!({"name": "tool", "visibility": "private", "initialize_with_readme": true});
    let _project = ann.post("/projects", body).assert_status(201);
    let pages = [
        "/",
        "/ann/tool",
        "/ann/tool/issues?search=word",
        "/ann/tool/commits/main",
        "/ann/tool/raw/main/README.md",
        "/ann/tool/-/archive/main/tool-main.tar.gz",
    ];
    let signed_in: Vec<Browser> = pages.iter().map(|_| Browser::signed_in(server, "ann", PASSWORD)).collect();
    let fresh = TestServer::beside(server);
    let _strangers = Strangers::fill(&fresh);
    assert_eq!(Browser::of(&fresh).get("/explore").reply.status(), 503);
    for (path, elsewhere) in pages.iter().zip(&signed_in) {
        let browser = Browser::of(&fresh);
        browser.set_cookie(SESSION, &elsewhere.cookie(SESSION));
        assert_eq!(browser.get(path).reply.status(), 200, "{path}");
    }
}

#[both_databases]
fn the_code_that_follows_a_right_password_is_none_of_a_stranger(server: &TestServer) {
    let ann = member(server, "ann");
    let authenticator = server.second_factor(&ann);
    server.advance(TimeDelta::minutes(1));
    let elsewhere = Browser::of(server);
    let _form = elsewhere.sign_in("ann", PASSWORD).location();
    let closed = TestServer::closed_to_strangers(server);
    assert_eq!(Browser::of(&closed).get("/users/sign_in").reply.status(), 503);
    let browser = Browser::of(&closed);
    browser.set_cookie(SESSION, &elsewhere.cookie(SESSION));
    let form = browser.get("/users/sign_in").assert_status(200);
    let form = form.submit(&browser, "/users/sign_in", &[("user[otp_attempt]", "000000")]).assert_status(422);
    let code = authenticator.code(server);
    assert_eq!(form.submit(&browser, "/users/sign_in", &[("user[otp_attempt]", &code)]).location(), "/");
    assert_ne!(browser.cookie(SESSION), elsewhere.cookie(SESSION));
}
