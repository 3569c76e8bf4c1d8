//! Settings about pictures that other servers make or fetch for texts.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use super::set;
use crate::support::*;

const TEXT: &str = "![a](http://example.com/test.png) ![b](https://good.example/b.png)";
const PROXIED: &str = "<img src=\"https://camo.example/08df250eeeef1a8cf2c761475ac74c5065105612/687474703a2f2f6578616d706c652e636f6d2f746573742e706e67\" alt=\"a\"";

#[both_databases]
fn texts_show_pictures_of_other_servers_through_the_proxy(server: &TestServer) {
    let ada = server.user("ada");
    let tool = project(&ada, "tool", "public");
    let label = json!({"name": "bug", "color": "#ff0000", "description": TEXT});
    let _ = made(&ada, &format!("/projects/{tool}/labels"), label);
    let labels = format!("/projects/{tool}/labels");
    let texts = || {
        let rendered = |gfm: bool| {
            made(&ada, "/markdown", json!({"text": TEXT, "gfm": gfm}))["html"].as_str().expect("a text").to_owned()
        };
        let label = ada.get(&labels).json()[0]["description_html"].as_str().expect("a text").to_owned();
        [rendered(false), rendered(true), label]
    };
    let are_links = |texts: &[String]| texts.iter().all(|html| html.contains(">a</a>") && !html.contains("<img"));
    assert!(are_links(&texts()));
    // Without a key there is no proxy.
    set(server, json!({"asset_proxy_enabled": true, "asset_proxy_url": "https://camo.example"}));
    assert!(are_links(&texts()));
    set(server, json!({"asset_proxy_secret_key": "shared-secret"}));
    for html in texts() {
        assert!(html.contains(PROXIED) && html.matches("https://camo.example/").count() == 2, "{html}");
        assert!(html.contains("data-canonical-src=\"http://example.com/test.png\""), "{html}");
        assert!(html.contains("<a href=\"http://example.com/test.png\""), "{html}");
    }
    for name in ["asset_proxy_allowlist", "asset_proxy_whitelist"] {
        set(server, json!({ name: ["good.example"] }));
        for html in texts() {
            assert!(html.contains(PROXIED) && html.contains("<img src=\"https://good.example/b.png\""), "{html}");
        }
        set(server, json!({ name: [] }));
    }
    set(server, json!({"asset_proxy_enabled": false}));
    assert!(are_links(&texts()));
}
