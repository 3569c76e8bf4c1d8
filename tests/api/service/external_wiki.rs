//! The wiki of another program.

use serde_json::json;
use tenon_app::identity::Identity;
use tenon_app::{Reference, project as projects};
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn a_project_with_an_external_wiki_has_a_wiki(server: &TestServer) {
    let alice = server.user("alice");
    let id = project(&alice, "Tool", "public");
    let path = format!("/projects/{id}");
    let _ = alice.put(&path, json!({"wiki_enabled": false})).assert_status(200);
    let wiki = || {
        let one = alice.get(&path).json()["wiki_enabled"].clone();
        let listed = alice.get("/projects?owned=true").json()[0]["wiki_enabled"].clone();
        assert_eq!(one, listed);
        let page = server.app().read_now(&Identity::anonymous(), |query| projects::page(query, &Reference::Id(id)));
        (one, page.expect("a page").external_wiki)
    };
    assert_eq!(wiki(), (json!(false), None));
    let service = format!("{path}/services/external-wiki");
    for refused in ["javascript:alert(1)", "https://a:b@wiki.example.com/", "http://127.0.0.1/", ""] {
        let _ = alice.put(&service, json!({"external_wiki_url": refused})).assert_status(400);
    }
    let address = "https://wiki.example.com/tool";
    let _ = alice.put(&service, json!({"external_wiki_url": address})).assert_status(200);
    assert_eq!(wiki(), (json!(true), Some(address.to_owned())));
    let _ = alice.put(&path, json!({"wiki_enabled": true})).assert_status(200);
    assert_eq!(wiki(), (json!(true), Some(address.to_owned())));
    let _ = alice.put(&path, json!({"wiki_enabled": false})).assert_status(200);
    let _ = alice.delete(&service).assert_status(204);
    assert_eq!(wiki(), (json!(false), None));
}
