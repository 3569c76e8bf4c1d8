//! The description of the API against the table of routes.

use std::collections::BTreeSet;

use serde_json::Value;
use tenon_testkit::{Backend, TestServer};

#[test]
fn the_served_description_lists_exactly_the_served_routes() {
    let server = TestServer::start(Backend::Sqlite);
    let reply = server.anonymous().get("/openapi.json").assert_status(200);
    assert_eq!(reply.header("content-type"), "application/json");
    let document: Value = reply.json();
    let mut described = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            described.insert((method.to_ascii_uppercase(), path.clone()));
            assert!(operation["summary"].as_str().is_some_and(|text| !text.is_empty()), "{method} {path}");
            let mut statuses = operation["responses"].as_object().expect("responses").keys();
            let succeeds = statuses.any(|status| status.starts_with('2') || status == "302");
            assert!(succeeds, "{method} {path} describes no success");
        }
    }
    let listed: BTreeSet<_> =
        tenon_http::listing().expect("routes").into_iter().map(|route| (route.method, route.path)).collect();
    assert_eq!(described, listed);
    assert_eq!(document["servers"][0]["url"], format!("{}/api/v4", server.base()));
}
