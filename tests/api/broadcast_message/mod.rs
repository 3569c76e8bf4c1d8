//! Messages of administrators to all users.

use serde_json::{Value, json};
use tenon_domain::time::{TimeDelta, Timestamp};
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

const PATH: &str = "/broadcast_messages";

#[both_databases]
fn a_message_is_shown_for_an_hour_where_nothing_else_is_said(server: &TestServer) {
    let root = server.root();
    let made = made(&root, PATH, json!({"message": "Update tonight"}));
    let want = json!({
        "id": id(&made), "message": "Update tonight", "starts_at": made["starts_at"],
        "ends_at": made["ends_at"], "color": "#E75E40", "font": "#FFFFFF", "active": true,
        "target_access_levels": [], "target_path": "", "broadcast_type": "banner", "dismissable": false,
        "theme": "indigo",
    });
    assert_eq!(made, want);
    let moment = |field: &str| made[field].as_str().and_then(|text| text.parse::<Timestamp>().ok()).expect("a moment");
    assert_eq!(moment("ends_at") - moment("starts_at"), TimeDelta::hours(1));
    assert_eq!(root.get(&format!("{PATH}/{}", id(&made))).assert_status(200).json(), want);
    server.advance(TimeDelta::minutes(59));
    let active = |path: &str| root.get(path).json();
    assert_eq!(active(&format!("{PATH}/{}", id(&made)))["active"], true);
    server.advance(TimeDelta::minutes(1));
    assert_eq!(active(&format!("{PATH}/{}", id(&made)))["active"], false, "it ends without a change");
    assert_eq!(active(PATH)[0]["active"], false);
}

#[both_databases]
fn everything_can_be_said(server: &TestServer) {
    let root = server.root();
    let said = json!({
        "message": "Soon", "starts_at": "2030-01-01T00:00:00.000Z", "ends_at": "2029-01-01T00:00:00.000Z",
        "color": "#abc", "font": "#001122", "target_access_levels": [30, 40], "target_path": "group/*",
        "broadcast_type": "notification", "dismissable": true, "theme": "light-red",
    });
    let made = made(&root, PATH, said.clone());
    for (name, value) in said.as_object().into_iter().flatten() {
        assert_eq!(made[name], *value, "{name}");
    }
    assert_eq!(made["active"], false);
    let path = format!("{PATH}/{}", id(&made));
    let edited = changed(&root, &path, json!({"message": "Later"}));
    assert_eq!((&edited["message"], &edited["color"]), (&json!("Later"), &json!("#abc")));
    assert_eq!(changed(&root, &path, json!({}))["message"], "Later");
}

#[both_databases]
fn every_rule_has_its_text(server: &TestServer) {
    let root = server.root();
    let refused = |body: Value, want: Value| root.post(PATH, body).assert(400, want);
    refused(json!({}), parameter("message is missing"));
    refused(json!({"message": " "}), field("message", "can't be blank"));
    for color in ["red", "#12", "#12345g", "", "#fff;background:url(x)"] {
        refused(json!({"message": "x", "color": color}), field("color", "must be a valid color code"));
        refused(json!({"message": "x", "font": color}), field("font", "must be a valid color code"));
    }
    refused(json!({"message": "x", "starts_at": "soon"}), parameter("starts_at is invalid"));
    refused(json!({"message": "x", "theme": "pink"}), parameter("theme does not have a valid value"));
    let path = format!("{PATH}/{}", id(&made(&root, PATH, json!({"message": "x"}))));
    root.put(&path, json!({"message": ""})).assert(400, field("message", "can't be blank"));
    root.put(&path, json!({"color": "red"})).assert(400, field("color", "must be a valid color code"));
}

#[both_databases]
fn the_newest_comes_first(server: &TestServer) {
    let root = server.root();
    for text in ["one", "two", "three"] {
        made(&root, PATH, json!({"message": text}));
    }
    let page = root.get(&format!("{PATH}?per_page=2"));
    assert_eq!(texts(&page, "message"), ["three", "two"]);
    assert_eq!(page.header("x-total"), "3");
}

#[both_databases]
fn only_administrators_have_them(server: &TestServer) {
    let (alice, root) = (server.user("alice"), server.root());
    let path = format!("{PATH}/{}", id(&made(&root, PATH, json!({"message": "x"}))));
    for path in [PATH, path.as_str()] {
        alice.get(path).assert(403, forbidden());
        server.anonymous().get(path).assert(401, unauthorized());
    }
    alice.post(PATH, json!({})).assert(403, forbidden());
    alice.put(&path, json!({"color": "red"})).assert(403, forbidden());
    alice.delete(&path).assert(403, forbidden());
}

#[both_databases]
fn a_removed_one_is_missing(server: &TestServer) {
    let root = server.root();
    let path = format!("{PATH}/{}", id(&made(&root, PATH, json!({"message": "x"}))));
    let early = root.header("If-Unmodified-Since", "Mon, 02 Mar 2026 11:00:00 GMT");
    early.delete(&path).assert(412, json!({"message": "412 Precondition Failed"}));
    let _ = root.delete(&path).assert_status(204);
    let gone = json!({"message": "404 Not found"});
    root.get(&path).assert(404, gone.clone());
    root.put(&path, json!({"message": "y"})).assert(404, gone.clone());
    root.delete(&path).assert(404, gone);
}
