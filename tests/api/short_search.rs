//! Searches of one and two characters: words of scripts without spaces, emoji, and short words, in titles, names and
//! texts.

use serde_json::json;
use tenon_testkit::{Client, TestServer, both_databases};

use crate::merge_request::{offer, work, write};
use crate::support::*;

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// The values of a field in a list, and that the total is their number.
#[track_caller]
fn found(client: &Client, list: &str, search: &str, field: &str) -> Vec<String> {
    let separator = if list.contains('?') { '&' } else { '?' };
    let reply = client.get(&format!("{list}{separator}search={}", encoded(search))).assert_status(200);
    let mut found = texts(&reply, field);
    assert_eq!(reply.header("x-total"), found.len().to_string(), "{list}: {search}");
    found.sort();
    found
}

#[both_databases]
fn short_words_are_found_in_issues(server: &TestServer) {
    let alice = server.user("alice");
    let home = project(&alice, "tool", "public");
    for (title, text) in [
        ("検索が遅い", ""),
        ("Slow", "日本語の検索です"),
        ("Ship it🚀now", ""),
        ("Love ❤️", ""),
        ("CI is red", "on go 1.22"),
        ("Science", "cargo"),
        ("Go言語", ""),
        ("A C# question", ""),
        ("서울 시", ""),
        ("Über d", "né à où"),
        ("“UI” (v2)", ""),
    ] {
        issue(&alice, home, json!({"title": title, "description": text}));
    }
    for list in [
        format!("/projects/{home}/issues"),
        format!("/projects/{home}/search?scope=issues"),
        "/search?scope=issues".to_owned(),
        "/issues?scope=all".to_owned(),
    ] {
        for (search, titles) in [
            ("検索", vec!["Slow", "検索が遅い"]),
            ("検", vec!["Slow", "検索が遅い"]),
            ("語", vec!["Go言語", "Slow"]),
            ("索検", vec![]),
            ("遅い", vec!["検索が遅い"]),
            ("日本 検索", vec!["Slow"]),
            ("検索 slow", vec![]),
            ("検索 です", vec!["Slow"]),
            ("言語 検索", vec![]),
            ("検索です", vec!["Slow"]),
            ("🚀", vec!["Ship it🚀now"]),
            ("❤", vec!["Love ❤️"]),
            ("❤️", vec!["Love ❤️"]),
            ("t🚀", vec!["Ship it🚀now"]),
            ("🚀n", vec!["Ship it🚀now"]),
            ("😀", vec![]),
            ("ci", vec!["CI is red"]),
            ("CI", vec!["CI is red"]),
            ("go", vec!["CI is red", "Go言語"]),
            ("it", vec!["Ship it🚀now"]),
            ("c#", vec!["A C# question"]),
            ("c", vec!["A C# question"]),
            ("is ci", vec!["CI is red"]),
            ("ci go", vec![]),
            ("22", vec!["CI is red"]),
            ("서", vec!["서울 시"]),
            ("시", vec!["서울 시"]),
            ("né", vec!["Über d"]),
            ("où à", vec!["Über d"]),
            ("b", vec![]),
            ("er", vec![]),
            ("ui", vec!["“UI” (v2)"]),
            ("v2", vec!["“UI” (v2)"]),
            ("“", vec!["“UI” (v2)"]),
        ] {
            assert_eq!(found(&alice, &list, search, "title"), titles, "{search} in {list}");
        }
    }
    // Together with other filters, and with the issues that they leave out.
    let list = format!("/projects/{home}/issues?state=opened");
    changed(&alice, &format!("/projects/{home}/issues/1"), json!({"state_event": "close"}));
    assert_eq!(found(&alice, &list, "検索", "title"), ["Slow"]);
    assert_eq!(alice.get(&format!("{list}&not[search]={}", encoded("検索"))).each("iid").len(), 9);
    // Changed texts are found as they are now.
    changed(&alice, &format!("/projects/{home}/issues/2"), json!({"title": "Fast go", "description": "速い"}));
    assert_eq!(found(&alice, &list, "検索", "title"), [""; 0]);
    assert_eq!(
        (found(&alice, &list, "速", "title"), found(&alice, &list, "go fa", "title")),
        (vec!["Fast go".to_owned()], vec![])
    );
    assert_eq!(found(&alice, &list, "go", "title"), ["CI is red", "Fast go", "Go言語"]);
}

#[both_databases]
fn short_words_are_found_in_everything_that_has_a_name_or_a_text(server: &TestServer) {
    let alice = server.user("alice");
    let yamada = server.user_with("yamada", &json!({"name": "山田 太郎"}));
    server.user_with("li", &json!({"name": "Bo Li 🚀"}));
    let team = id(&made(
        &alice,
        "/groups",
        json!({"name": "開発チーム", "path": "dev", "visibility": "public", "description": "x"}),
    ));
    let home = id(&made(
        &alice,
        "/projects",
        json!({"name": "日本ツール", "path": "tool", "visibility": "public", "description": "in go, with ❤", "namespace_id": team}),
    ));
    let tool = format!("/projects/{home}");
    made(&alice, &format!("{tool}/members"), json!({"user_id": yamada.id, "access_level": 30}));
    made(&alice, &format!("{tool}/milestones"), json!({"title": "第二版", "description": "v2 🚀"}));
    write(&alice, home, "main", "README.md", "tool");
    work(&alice, home, "topic");
    offer(&alice, home, "topic", "main", &json!({"title": "修正 ci", "description": "🚀"}));
    let one = titled(&alice, home, "One");
    comment(&alice, &one, "直りました🎉 by go");
    for (list, field, cases) in [
        (
            "/projects".to_owned(),
            "path",
            vec![("日本", "tool"), ("本", "tool"), ("❤", "tool"), ("go", "tool"), ("in go", "tool"), ("oo", "")],
        ),
        ("/search?scope=projects".to_owned(), "path", vec![("日", "tool"), ("go", "tool"), ("to", "")]),
        (format!("/groups/{team}/projects"), "path", vec![("日本", "tool"), ("x", "")]),
        ("/groups".to_owned(), "path", vec![("開発", "dev"), ("開", "dev"), ("ev", "")]),
        (
            "/users".to_owned(),
            "username",
            vec![
                ("山田", "yamada"),
                ("郎", "yamada"),
                ("li", "li"),
                ("Bo", "li"),
                ("🚀", "li"),
                ("ya", ""),
                ("太郎 山", "yamada"),
            ],
        ),
        ("/search?scope=users".to_owned(), "username", vec![("山", "yamada"), ("bo li", "li")]),
        (
            format!("{tool}/milestones"),
            "title",
            vec![("第二", "第二版"), ("版", "第二版"), ("v2", "第二版"), ("🚀", "第二版"), ("v", "")],
        ),
        (format!("{tool}/search?scope=milestones"), "title", vec![("二", "第二版")]),
        (
            format!("{tool}/merge_requests"),
            "title",
            vec![("修正", "修正 ci"), ("ci", "修正 ci"), ("🚀", "修正 ci"), ("c", "")],
        ),
        ("/search?scope=merge_requests".to_owned(), "title", vec![("修", "修正 ci")]),
        (
            format!("{tool}/search?scope=notes"),
            "body",
            vec![("直り", "直りました🎉 by go"), ("🎉", "直りました🎉 by go"), ("by", "直りました🎉 by go"), ("o", "")],
        ),
        ("/namespaces".to_owned(), "path", vec![("開発", "dev")]),
    ] {
        for (search, expected) in cases {
            let expected: Vec<&str> = Some(expected).filter(|text| !text.is_empty()).into_iter().collect();
            assert_eq!(found(&alice, &list, search, field), expected, "{search} in {list}");
        }
    }
    let members = alice.get(&format!("{tool}/members?query={}", encoded("山田"))).assert_status(200);
    assert_eq!(texts(&members, "username"), ["yamada"]);
}
