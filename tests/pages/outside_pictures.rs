//! Pictures that other servers fetch or make for texts, and the policy that lets pages load them.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use crate::browser::Browser;
use crate::member;
use crate::project::project;

fn set(server: &TestServer, settings: Value) {
    let _ = server.root().put("/application/settings", settings).assert_status(200);
}

/// The sources of pictures of a page, and its policy without them.
fn policy(server: &TestServer, path: &str) -> (String, String) {
    let policy = Browser::of(server).get(path).reply.header("content-security-policy");
    let (before, rest) = policy.split_once("; img-src ").expect("sources of pictures");
    let (sources, behind) = rest.split_once("; ").expect("other directives");
    (sources.to_owned(), format!("{before}; {behind}"))
}

#[both_databases]
fn pages_load_pictures_from_the_proxy_and_from_its_exceptions_while_it_is_on(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let text = "![a](http://example.com/test.png)";
    let body = json!({"title": "One", "description": text});
    let _ = ada.post("/projects/ada%2Ftool/issues", body).assert_status(201);
    let (path, signed) = ("/ada/tool/issues/1", "https://camo.example/a/08df250eeeef1a8cf2c761475ac74c5065105612/");
    let (own, others) = policy(server, path);
    assert_eq!(own, "'self'");
    set(server, json!({"asset_proxy_enabled": true, "asset_proxy_url": "https://camo.example/a?b='self'"}));
    assert_eq!(policy(server, path), (own.clone(), others.clone()), "there is no key");
    let hosts = ["good.example", "*.cdn.example", "*", "self", "*.*"];
    set(
        server,
        json!({
            "asset_proxy_url": "https://camo.example/a/", "asset_proxy_secret_key": "shared-secret",
            "asset_proxy_allowlist": hosts,
        }),
    );
    let want = "'self' https://camo.example good.example *.cdn.example self".to_owned();
    for page in [path, "/users/sign_in", "/nothing/here"] {
        assert_eq!(policy(server, page).0, want, "{page}");
    }
    assert_eq!(policy(server, path), (want, others.clone()));
    let page = Browser::of(server).get(path).assert_status(200);
    assert!(page.html.contains(&format!("<img src=\"{signed}")), "{}", page.html);
    // A host cannot name a directive.
    for url in ["https://a;script-src.example", "https://a,b.example"] {
        set(server, json!({ "asset_proxy_url": url }));
        assert_eq!(policy(server, path), (own.clone(), others.clone()), "{url}");
    }
    set(server, json!({"asset_proxy_url": "https://camo.example", "asset_proxy_enabled": false}));
    assert_eq!(policy(server, path), (own, others));
    assert!(!Browser::of(server).get(path).assert_status(200).html.contains("camo"));
}

#[both_databases]
fn pages_load_diagrams_from_the_servers_that_draw_them(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let body = json!({"title": "One", "description": "```plantuml\na -> b\n```\n\n```dot\na\n```\n"});
    let _ = ada.post("/projects/ada%2Ftool/issues", body).assert_status(201);
    let path = "/ada/tool/issues/1";
    let (own, others) = policy(server, path);
    set(
        server,
        json!({
            "plantuml_enabled": true, "plantuml_url": "https://uml.example:8443/a;b",
            "kroki_enabled": true, "kroki_url": "http://kroki.example",
        }),
    );
    let want = format!("{own} https://uml.example:8443 http://kroki.example");
    assert_eq!(policy(server, path), (want, others.clone()));
    let html = Browser::of(server).get(path).assert_status(200).html;
    for part in
        ["src=\"https://uml.example:8443/a;b/png/", "src=\"http://kroki.example/graphviz/svg/", "<summary>Source"]
    {
        assert!(html.contains(part), "{part}: {html}");
    }
    set(server, json!({"plantuml_enabled": false, "kroki_url": "https://k;script-src.example"}));
    assert_eq!(policy(server, path), (own, others));
}
