//! Pages of a user whose session this process has not seen yet, beside strangers from the same address.

use serde_json::json;
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
