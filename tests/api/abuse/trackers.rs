//! Attacks of hostile callers on issues and on objects that belong to them.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

/// The number of callers that open issues at once. Each of them opens `EACH`.
const WRITERS: usize = 16;
const EACH: usize = 10;

#[both_databases]
fn issues_opened_at_once_are_numbered_without_gaps(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let issues = format!("/projects/{tool}/issues");
    let start = std::sync::Barrier::new(WRITERS);
    let mut given: Vec<i64> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (start, alice, issues) = (&start, &alice, &issues);
                scope.spawn(move || {
                    start.wait();
                    let open = |number| {
                        made(alice, issues, json!({"title": format!("{writer} {number}"), "labels": "same,new"}))
                    };
                    (0..EACH).map(|number| open(number)["iid"].as_i64().expect("a number")).collect::<Vec<_>>()
                })
            })
            .collect();
        running.into_iter().flat_map(|thread| thread.join().expect("issues")).collect()
    });
    given.sort_unstable();
    let all = i64::try_from(WRITERS * EACH).expect("a number");
    assert_eq!(given, (1..=all).collect::<Vec<_>>());
    assert_eq!(alice.get(&issues).header("x-total"), all.to_string());
    assert_eq!(names(&alice.get(&format!("/projects/{tool}/labels"))), ["new", "same"]);
    assert_eq!(alice.get(&format!("/projects/{tool}")).json()["open_issues_count"], all);
    assert_eq!(alice.get(&format!("/projects/{tool}/labels/same")).json()["open_issues_count"], all);
}

/// Of those who want the same thing once, one gets it.
#[both_databases]
fn what_can_be_had_once_is_had_once(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let path = titled(&alice, tool, "t");
    titled(&alice, tool, "other");
    let target = project(&alice, "target", "public");
    let at = format!("/projects/{tool}");
    let cases: [(String, Value, &[u16], &[u16]); 6] = [
        (format!("{path}/todo"), json!({}), &[200], &[304]),
        (format!("{path}/award_emoji"), json!({"name": "heart"}), &[201], &[404]),
        (format!("{path}/links"), json!({"target_project_id": tool, "target_issue_iid": 2}), &[201], &[409]),
        (format!("{at}/labels"), json!({"name": "bug", "color": "red"}), &[201], &[409]),
        (format!("{at}/milestones"), json!({"title": "v1"}), &[201], &[400]),
        (format!("{path}/move"), json!({"to_project_id": target}), &[200], &[400]),
    ];
    for (path, body, success, refusal) in cases {
        let start = std::sync::Barrier::new(8);
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let running: Vec<_> = (0..8)
                .map(|_| {
                    let (start, alice, path, body) = (&start, &alice, &path, &body);
                    scope.spawn(move || {
                        start.wait();
                        alice.post(path, body.clone()).status()
                    })
                })
                .collect();
            running.into_iter().map(|thread| thread.join().expect("an answer")).collect()
        });
        assert_eq!(statuses.iter().filter(|status| success.contains(status)).count(), 1, "{path}: {statuses:?}");
        assert!(
            statuses.iter().all(|status| success.contains(status) || refusal.contains(status)),
            "{path}: {statuses:?}"
        );
    }
    assert_eq!(alice.get(&format!("/projects/{target}/issues")).header("x-total"), "1");
}

/// Counters are counted, not overwritten.
#[both_databases]
fn what_happens_at_once_is_all_counted(server: &TestServer) {
    let fans: Vec<_> = (0..12).map(|number| server.user(&format!("fan{number}"))).collect();
    let root = server.root();
    let path = titled(&root, project(&root, "tool", "public"), "t");
    std::thread::scope(|scope| {
        for fan in &fans {
            let path = &path;
            scope.spawn(move || {
                made(fan, &format!("{path}/award_emoji"), json!({"name": "thumbsup"}));
                comment(fan, path, "me too");
            });
        }
        scope.spawn(|| {
            for _ in 0..12 {
                let _ = root.post(&format!("{path}/add_spent_time"), json!({"duration": "1h"})).assert_status(200);
            }
        });
    });
    let now = root.get(&path).json();
    let got = (&now["upvotes"], &now["user_notes_count"], &now["time_stats"]["total_time_spent"]);
    assert_eq!(got, (&json!(12), &json!(12), &json!(43_200)));
}

/// A chosen number is given once.
#[both_databases]
fn of_many_who_choose_one_number_one_gets_it(server: &TestServer) {
    let alice = server.user("alice");
    let issues = format!("/projects/{}/issues", project(&alice, "tool", "public"));
    let mut statuses: Vec<u16> = std::thread::scope(|scope| {
        let running: Vec<_> =
            (0..8).map(|_| scope.spawn(|| alice.post(&issues, json!({"title": "t", "iid": 5})).status())).collect();
        running.into_iter().map(|thread| thread.join().expect("an answer")).collect()
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409, 409, 409, 409, 409, 409, 409]);
}

#[both_databases]
fn a_lower_role_shows_at_once(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let path =
        issue(&cast.owner, cast.project, json!({"title": "secret", "confidential": true, "description": "@developer"}));
    let _ = cast.developer.post(&format!("{path}/subscribe"), json!({})).status();
    assert_eq!(cast.developer.get("/todos").header("x-total"), "1");
    changed(&cast.owner, &format!("{}/members/{}", cast.path(), cast.developer.id), json!({"access_level": 10}));
    cast.developer.get(&path).assert(404, not_found());
    assert_eq!(iids(&cast.developer, "/issues?scope=all"), [0; 0]);
    assert_eq!(cast.developer.get("/todos").json(), json!([]));
    assert_eq!(cast.developer.get("/todos").header("x-total"), "0");
    assert!(!cast.owner.get(&format!("{path}/participants")).text().contains("\"developer\""));
}

#[both_databases]
fn what_means_something_to_sql_is_only_text(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    issue(&alice, tool, json!({"title": "one_two", "description": "50% \\ '", "labels": "a_b,a%b"}));
    let at = format!("/projects/{tool}");
    let odd = "x'%20OR%20'1'%3D'1";
    for name in ["search", "labels", "milestone", "author_username", "assignee_username", "my_reaction_emoji"] {
        assert_eq!(iids(&alice, &format!("{at}/issues?{name}={odd}")), [0; 0], "{name}");
    }
    for nothing in ["one%25two", "oneXtwo", "%5c%5c%5c", "___", "%25%25%25", "';--"] {
        assert_eq!(iids(&alice, &format!("{at}/issues?search={nothing}")), [0; 0], "{nothing}");
    }
    assert_eq!(iids(&alice, &format!("{at}/issues?search=one_two")), [1]);
    for name in ["a_b", "a%25b"] {
        assert_eq!(iids(&alice, &format!("{at}/issues?labels={name}")), [1]);
        let _ = alice.get(&format!("{at}/labels/{name}")).assert_status(200);
    }
    for nothing in ["a%25", "_", "axb"] {
        assert_eq!(iids(&alice, &format!("{at}/issues?labels={nothing}")), [0; 0], "{nothing}");
    }
    assert_eq!(alice.get(&format!("{at}/labels?search=_")).each("name"), [json!("a_b")]);
    for name in ["title", "search"] {
        assert_eq!(alice.get(&format!("{at}/milestones?{name}={odd}")).assert_status(200).json(), json!([]));
    }
    for name in ["search", "milestone", "labels"] {
        let reply = alice.get(&format!("{at}/issues?{name}=a%00b"));
        assert!(matches!(reply.status(), 200 | 400), "{name}: {}", reply.status());
    }
    for (path, body) in [
        (format!("{at}/issues"), json!({"title": "a\u{0}b"})),
        (format!("{at}/labels"), json!({"name": "a\u{0}b", "color": "red"})),
        (format!("{at}/issues/1/notes"), json!({"body": "a\u{0}b"})),
        (format!("{at}/milestones"), json!({"title": "a\u{0}b"})),
    ] {
        let status = alice.post(&path, body).status();
        assert!(matches!(status, 201 | 400), "{path}: {status}");
    }
}

#[both_databases]
fn no_page_is_too_far_or_too_long(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let path = titled(&alice, tool, "t");
    comment(&alice, &path, "n");
    label(&alice, &format!("/projects/{tool}"), "bug");
    milestone(&alice, &format!("/projects/{tool}"), "v1");
    let at = format!("/projects/{tool}");
    for list in [
        "/issues".to_owned(),
        "/todos".to_owned(),
        "/events".to_owned(),
        format!("{at}/issues"),
        format!("{at}/labels"),
        format!("{at}/milestones"),
        format!("{at}/events"),
        format!("{path}/notes"),
        format!("{path}/discussions"),
        format!("{path}/award_emoji"),
        format!("{path}/participants"),
        format!("{path}/links"),
        format!("{path}/resource_label_events"),
        format!("{path}/closed_by"),
    ] {
        assert_eq!(
            alice.get(&format!("{list}?per_page=100000")).assert_status(200).header("x-per-page"),
            "100",
            "{list}"
        );
        assert_eq!(
            alice.get(&format!("{list}?per_page=-1&page=-1")).assert_status(200).header("x-per-page"),
            "20",
            "{list}"
        );
        for page in ["1000000000000000000", "9223372036854775807"] {
            assert_eq!(
                alice.get(&format!("{list}?page={page}&per_page=100")).assert_status(200).json(),
                json!([]),
                "{list}"
            );
        }
        alice
            .get(&format!("{list}?page=x&per_page=1.5"))
            .assert(400, parameter("page is invalid, per_page is invalid"));
        let _ = alice.get(&format!("{list}?page=99999999999999999999")).assert_status(400);
    }
}

#[both_databases]
fn a_number_that_is_too_large_does_not_use_numbers_up(server: &TestServer) {
    let alice = server.user("alice");
    let issues = format!("/projects/{}/issues", project(&alice, "tool", "public"));
    for iid in [9_223_372_036_854_775_807_i64, 9_223_372_036_854_775_806, 2_147_483_648] {
        let status = alice.post(&issues, json!({"title": "t", "iid": iid})).status();
        assert!(matches!(status, 201 | 400), "{iid}: {status}");
        let next = made(&alice, &issues, json!({"title": "next"}));
        assert!(next["iid"].as_i64().is_some_and(|next| next > 0), "{next}");
    }
}

#[both_databases]
fn a_list_is_narrowed_to_so_many_names(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let group = group(&alice, "friends", "public");
    let many: Vec<String> = (0..50).map(|number| format!("l{number}")).collect();
    issue(&alice, tool, json!({"title": "t", "labels": many}));
    let (same, fits, excess) = (vec!["l1"; 2_000].join(","), many.join(","), format!("{},x", many.join(",")));
    for kind in ["issues", "merge_requests"] {
        for (base, want) in
            [(format!("/projects/{tool}/{kind}"), 1), (format!("/{kind}"), 1), (format!("/groups/{group}/{kind}"), 0)]
        {
            let want = if kind == "issues" { want } else { 0 };
            for names in [&same, &fits] {
                let reply = alice.get(&format!("{base}?labels={names}"));
                assert_eq!((reply.status(), reply.header("x-total")), (200, want.to_string()), "{base}");
            }
            alice.get(&format!("{base}?labels={excess}")).assert(400, field("labels", "are too many (maximum is 50)"));
            alice
                .get(&format!("{base}?assignee_username={excess}"))
                .assert(400, field("assignee_username", "are too many (maximum is 50)"));
        }
    }
}

#[both_databases]
fn quick_actions_with_too_much_are_done_in_part(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    label(&alice, &format!("/projects/{tool}"), "a");
    let path = titled(&alice, tool, "t");
    for (sign, commands) in [('~', ["label", "unlabel", "relabel"]), ('@', ["assign", "unassign", "reassign"])] {
        let (same, different): (String, String) =
            (format!(" {sign}a").repeat(40_000), (0..40_000).map(|number| format!(" {sign}n{number}")).collect());
        for command in commands {
            for names in [&same, &different] {
                let status =
                    alice.post(&format!("{path}/notes"), json!({"body": format!("/{command}{names}")})).status();
                assert_eq!(status, 202, "{command}");
            }
        }
    }
    let rest = made(&alice, &format!("{path}/notes"), json!({"body": "/label ~a\n".repeat(20_000)}))["body"].clone();
    assert_eq!(rest.as_str().map(|text| text.lines().count()), Some(19_900));
    assert_eq!(alice.get(&path).json()["labels"], json!(["a"]));
}

#[both_databases]
fn requests_that_ask_for_too_much_are_refused_or_done(server: &TestServer) {
    let alice = server.user("alice");
    let issues = format!("/projects/{}/issues", project(&alice, "tool", "public"));
    let many: Vec<String> = (0..10_000).map(|number| format!("l{number}")).collect();
    let ids: Vec<usize> = (0..10_000).collect();
    let people: String = (0..20_000).map(|number| format!("@u{number} ")).collect();
    let named: String = (1..20_000).map(|number| format!("#{number} ")).collect();
    let commands = "/label ~x\n".repeat(20_000);
    for body in [
        json!({"title": "t", "labels": many}),
        json!({"title": "t", "labels": many.join(",")}),
        json!({"title": "t", "assignee_ids": ids}),
        json!({"title": "t", "description": people}),
        json!({"title": "t", "description": named}),
        json!({"title": "t", "description": commands}),
        json!({"title": "t".repeat(3_000_000)}),
        json!({"title": ["t"]}),
        json!({"title": {"a": "b"}}),
        json!({"title": 1e300}),
        json!({"title": "t", "milestone_id": 9_223_372_036_854_775_807_i64}),
        json!({"title": "t", "assignee_ids": [-1, 9_223_372_036_854_775_807_i64]}),
    ] {
        let reply = alice.post(&issues, body.clone());
        let shown = body.to_string().chars().take(80).collect::<String>();
        assert!(matches!(reply.status(), 201 | 400 | 413), "{shown}: {}", reply.status());
    }
    for odd in [
        "[".repeat(10_000),
        format!("{{\"title\":{}1{}}}", "[".repeat(10_000), "]".repeat(10_000)),
        "{\"title\":\"t\",\"milestone_id\":1e999}".to_owned(),
        "{\"title\":".to_owned(),
        "\u{feff}{}".to_owned(),
        "null".to_owned(),
        "[]".to_owned(),
    ] {
        let status = alice.send("POST", &issues, Some("application/json"), odd.into_bytes()).status();
        assert!(matches!(status, 400 | 413), "{status}");
    }
    // The server still counts on.
    let next = made(&alice, &issues, json!({"title": "t"}));
    assert!(next["iid"].as_i64().is_some_and(|iid| iid > 0), "{next}");
}
