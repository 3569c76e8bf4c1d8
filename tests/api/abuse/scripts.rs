//! Rendered text has nothing that would run in a browser, and rendering is quick.

use std::time::{Duration, Instant};

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

/// Texts that were used against such servers.
const ATTACKS: [&str; 28] = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//x.example/a.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<img src=\"x\" OnErRoR = \"alert(1)\">",
    "<svg/onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
    "<iframe src=javascript:alert(1)></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=javascript:alert(1)></object>",
    "<a href=\"javascript:alert(1)\">x</a>",
    "<a href=\"jAvAsCrIpT&#58;alert(1)\">x</a>",
    "<a href=\"java\nscript:alert(1)\">x</a>",
    "<a href=\" &#14; javascript:alert(1)\">x</a>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java&#10;script:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](vbscript:msgbox(1))",
    "![x](javascript:alert(1))",
    "![\" onerror=\"alert(1)](x)",
    "<javascript:alert(1)>",
    "[x]: javascript:alert(1)\n\n[x]",
    "<form action=javascript:alert(1)><input type=submit></form>",
    "<style>@import 'javascript:alert(1)';</style>",
    "<p style=\"background:url(javascript:alert(1))\">x</p>",
    "```mermaid\"onmouseover=\"alert(1)\ngraph\n```",
];

#[both_databases]
fn rendered_text_runs_nothing(server: &TestServer) {
    let alice = server.user("alice");
    project(&alice, "tool", "public");
    for attack in ATTACKS {
        for body in [
            json!({"text": attack}),
            json!({"text": attack, "gfm": true}),
            json!({"text": attack, "gfm": true, "project": "alice/tool"}),
        ] {
            let reply = alice.post("/markdown", body).assert_status(201);
            let html = reply.json()["html"].as_str().expect("a text").to_lowercase();
            let tags: Vec<&str> =
                html.split('<').skip(1).map(|tag| tag.split('>').next().unwrap_or_default()).collect();
            for tag in tags {
                let name = tag.trim_start_matches('/').split([' ', '/', '\n']).next().unwrap_or_default();
                assert!(
                    !["script", "iframe", "object", "embed", "form", "style", "svg", "math", "base", "meta", "link"]
                        .contains(&name),
                    "{attack}: {html}"
                );
                let attributes: String = tag.chars().filter(|character| !character.is_whitespace()).collect();
                for bad in [
                    "href=\"javascript",
                    "src=\"javascript",
                    "href=\"vbscript",
                    "href=\"data:text",
                    "src=\"data:text",
                    "srcdoc=",
                    "url(javascript",
                ] {
                    assert!(!attributes.contains(bad), "{attack}: {html}");
                }
                let names = tag.split('"').step_by(2).flat_map(str::split_whitespace);
                assert!(!names.clone().any(|name| name.starts_with("on") && name.contains('=')), "{attack}: {html}");
            }
        }
    }
}

/// Titles and names come out of references escaped.
#[both_databases]
fn titles_and_names_are_escaped_where_they_are_shown(server: &TestServer) {
    let alice = server.user_with("alice", &json!({"name": "\"><img src=x onerror=alert(1)>"}));
    let tool = project(&alice, "tool", "public");
    titled(&alice, tool, "\"><script>alert(1)</script>");
    made(&alice, &format!("/projects/{tool}/milestones"), json!({"title": "<svg/onload=alert(1)>"}));
    let _ = alice
        .post(&format!("/projects/{tool}/labels"), json!({"name": "'\"><img src=x onerror=alert(1)>", "color": "red"}));
    let text = "#1 @alice %\"<svg/onload=alert(1)>\" ~1 %1";
    let reply = alice.post("/markdown", json!({"text": text, "gfm": true, "project": "alice/tool"})).assert_status(201);
    let html = reply.json()["html"].as_str().expect("a text").to_owned();
    for bad in ["<script", "<img", "<svg"] {
        assert!(!html.contains(bad), "{html}");
    }
}

/// Answers are never taken for pages.
#[both_databases]
fn answers_are_json_and_say_so(server: &TestServer) {
    let alice = server.user("alice");
    let path = issue(
        &alice,
        project(&alice, "tool", "public"),
        json!({"title": "<script>alert(1)</script>", "description": "<script>alert(1)</script>"}),
    );
    for reply in [alice.get(&path), alice.get("/issues"), alice.post("/markdown", json!({"text": "x"}))] {
        assert!(reply.header("content-type").starts_with("application/json"), "{}", reply.header("content-type"));
        assert_eq!(reply.header("x-content-type-options"), "nosniff");
    }
}

/// The bound is generous, for machines that do much else: time that grows with the square takes longer.
#[both_databases]
fn texts_that_are_hard_to_read_are_read_quickly(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    let size = 64 << 10;
    for seed in [
        "[", "![", "[x](", "> ", "*", "_a", "`", "<", "<a ", "&", "(((", "- ", "#1 ", "@a ", "~\"", "[a][", "|a", "\\",
        "/label ~", "<!--", "**a *", "1. > ",
    ] {
        let text = seed.repeat(size / seed.len());
        let start = Instant::now();
        for body in [json!({"text": text}), json!({"text": text, "gfm": true, "project": "alice/tool"})] {
            let status = alice.post("/markdown", body).status();
            assert!(matches!(status, 201 | 400 | 413), "{seed}: {status}");
        }
        let status = alice.post(&format!("{path}/notes"), json!({"body": text})).status();
        assert!(matches!(status, 201 | 202 | 400), "{seed}: {status}");
        assert!(start.elapsed() < Duration::from_mins(1), "{seed}: {:?}", start.elapsed());
    }
}
