//! The messages of administrators to all users stand on each page.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, first};
use crate::{PASSWORD, member};

#[both_databases]
fn a_message_stands_on_each_page_while_it_is_active(server: &TestServer) {
    let _ada = member(server, "ada");
    let (stranger, ada) = (Browser::of(server), Browser::signed_in(server, "ada", PASSWORD));
    let shows = |browser: &Browser, path: &str| browser.get(path).assert_status(200).html.contains("class=\"banner ");
    assert!(!shows(&stranger, "/users/sign_in") && !shows(&ada, "/profile/keys"));
    let said = json!({
        "message": "# Update **tonight** <script>alert(1)</script> [more](https://example.org) [x](javascript:y)",
        "color": "#abc", "font": "#001122", "starts_at": (server.now() + TimeDelta::hours(1)).to_rfc3339(),
        "ends_at": (server.now() + TimeDelta::hours(2)).to_rfc3339(),
    });
    let root = server.root();
    let made = root.post("/broadcast_messages", said).assert_status(201).json();
    assert!(!shows(&stranger, "/users/sign_in"));
    server.advance(TimeDelta::hours(1));
    assert!(shows(&stranger, "/users/sign_in") && shows(&ada, "/profile/keys"));
    let page = stranger.get("/users/sign_in");
    let banner = first(&page.html, "(?s)<aside class=\"banner banner-abc-001122\"[^>]*>(.*?)</aside>");
    assert!(banner.contains("class=\"markdown\"") && banner.contains("Update <strong>tonight</strong>"), "{banner}");
    assert!(!banner.contains("<script") && !banner.contains("<h1") && !banner.contains("javascript:"), "{banner}");
    let styles = first(&page.html, "href=\"(/assets/banner-[^\"]*)\"");
    let css = stranger.get(&styles).assert_status(200).html;
    assert_eq!(css, ".banner-abc-001122 { background-color: #abc; color: #001122; }\n");
    server.advance(TimeDelta::minutes(61));
    assert!(!shows(&stranger, "/users/sign_in"));
    let path = format!("/broadcast_messages/{}", made["id"]);
    let later = json!({"ends_at": (server.now() + TimeDelta::hours(2)).to_rfc3339()});
    let _ = root.put(&path, later).assert_status(200);
    assert!(shows(&stranger, "/users/sign_in"));
    let _ = root.delete(&path).assert_status(204);
    assert!(!shows(&stranger, "/users/sign_in"));
}

#[both_databases]
fn a_message_for_some_pages_stands_on_these(server: &TestServer) {
    let root = server.root();
    let _ = root.post("/broadcast_messages", json!({"message": "x", "target_path": "/users/*_in"})).assert_status(201);
    let _ = root.post("/broadcast_messages", json!({"message": "y", "target_access_levels": [40]})).assert_status(201);
    let browser = Browser::of(server);
    let html = |path: &str| browser.get(path).assert_status(200).html;
    assert!(html("/users/sign_in").contains("class=\"banner "));
    assert_eq!(html("/users/sign_in").matches("class=\"banner ").count(), 1);
    assert!(!html("/users/sign_up").contains("class=\"banner "));
}
