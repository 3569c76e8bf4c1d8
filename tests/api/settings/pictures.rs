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

#[both_databases]
fn diagrams_are_drawn_by_other_servers(server: &TestServer) {
    let text = "```plantuml\nBob -> Alice : hello\n```\n\n```seqdiag\na\n```\n\n```svgbob\n-->\n```\n";
    let shown = || {
        let html = made(&server.anonymous(), "/markdown", json!({ "text": text }))["html"].clone();
        let html = html.as_str().expect("a text").to_owned();
        assert!(html.contains("Bob -&gt; Alice : hello"), "{html}");
        let drawn = [
            "//uml.example/png/SyfFKj2rKt3CoKnELR1Io4ZDoSdd0W00",
            "//k.example/plantuml/svg/",
            "//k.example/seqdiag/svg/",
        ];
        let svgbob = html.contains("//k.example/svgbob/svg/");
        (drawn.map(|address| html.contains(&format!("<img src=\"https:{address}"))), svgbob)
    };
    assert_eq!(shown(), ([false; 3], false));
    set(server, json!({"kroki_enabled": true, "kroki_url": "https://k.example"}));
    assert_eq!(shown(), ([false, true, false], true));
    set(server, json!({"plantuml_enabled": true, "plantuml_url": "https://uml.example"}));
    assert_eq!(shown(), ([true, false, false], true));
    set(server, json!({"kroki_formats": {"blockdiag": true}}));
    assert_eq!(shown(), ([true, false, true], true));
    set(server, json!({"kroki_enabled": false, "plantuml_enabled": false}));
    assert_eq!(shown(), ([false; 3], false));
}
