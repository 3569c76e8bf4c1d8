//! Repositories that hold more than an answer does.

use serde_json::json;
use tenon_domain::limits::Limits;
use tenon_testkit::{Backend, TestServer, both_databases};

use super::*;

/// A server on which this is as much as there may be.
fn limited(change: impl Fn(&mut Limits)) -> impl Iterator<Item = TestServer> {
    let mut limits = Limits::without_rates();
    change(&mut limits);
    let backends = [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available());
    backends.map(move |backend| TestServer::start_with(backend, limits.clone()))
}

#[test]
fn a_long_message_is_cut_wherever_a_commit_is_listed() {
    for server in limited(|limits| limits.reads.message = 1000) {
        let alice = server.user("alice");
        let tool = repository(&alice, "tool", "public");
        let base = tip(&alice, tool, "main").expect("a commit");
        for (name, size) in [("a", 5_000), ("b", 300_000)] {
            let message = format!("Title\n\n{}", "x".repeat(size));
            let long = commit(&alice, tool, "main", &message, &json!([new_file(name, "1")]));
            made(&alice, &format!("{}/tags", at(tool)), json!({"tag_name": name, "ref": "main", "message": message}));
            let cut = json!(&message[..1000]);
            let get = |path: &str| alice.get(&format!("{}/{path}", at(tool))).assert_status(200).json();
            assert_eq!(get("branches")[0]["commit"]["message"], cut);
            assert_eq!(get("branches/main")["commit"]["message"], cut);
            let commits = get("commits");
            assert_eq!((&commits[0]["id"], &commits[0]["title"]), (&json!(long), &json!("Title")));
            assert_eq!(commits[0]["message"], cut);
            assert_eq!(get("commits/main")["message"], cut);
            assert_eq!(get(&format!("compare?from={base}&to=main"))["commit"]["message"], cut);
            let tag = get(&format!("tags/{name}"));
            assert_eq!((&tag["message"], &tag["commit"]["message"]), (&cut, &cut));
            assert_eq!(get("tags")[0]["message"], cut);
            // It is made again as it was.
            branch(&alice, tool, &format!("on-{name}"), &base);
            let again = made(
                &alice,
                &format!("{}/commits/{long}/cherry_pick", at(tool)),
                json!({"branch": format!("on-{name}")}),
            );
            assert_eq!(again["message"], cut);
        }
    }
}

#[test]
fn a_file_is_blamed_in_parts_where_it_is_long() {
    for server in limited(|limits| limits.reads.blame_lines = 3) {
        let alice = server.user("alice");
        let tool = repository(&alice, "tool", "public");
        write(&alice, tool, "main", "a", "1\n2\n3\n4\n");
        let blame = |query: &str| alice.get(&format!("{}/files/a/blame?ref=main{query}", at(tool)));
        let lines = |query: &str| blame(query).assert_status(200).each("lines");
        let text = "The file has more than 3 lines: ask for some of them with range[start] and range[end]";
        blame("").assert(400, message(text));
        assert_eq!(lines("&range[start]=2&range[end]=4"), [json!(["2", "3", "4"])]);
        assert_eq!(lines("&range[start]=4&range[end]=4"), [json!(["4"])]);
        assert_eq!(lines("&range%5Bstart%5D=4&range%5Bend%5D=6"), [json!(["4"])]);
        assert!(lines("&range[start]=5&range[end]=6").is_empty());
        blame("&range[start]=1&range[end]=4").assert(400, message("range must not have more than 3 lines"));
        for (query, text) in [
            ("&range[start]=1", "range[end] is missing"),
            ("&range[end]=1", "range[start] is missing"),
            ("&range[start]=0&range[end]=1", "range[start] is invalid"),
            ("&range[start]=1&range[end]=-1", "range[end] is invalid"),
            ("&range[start]=x&range[end]=1", "range[start] is invalid"),
            ("&range[start]=3&range[end]=2", "range[start] must be less than or equal to range[end]"),
            ("&range=1", "range is invalid"),
        ] {
            blame(query).assert(400, parameter(text));
        }
    }
}

#[test]
fn a_large_file_is_sent_as_it_is_read_and_not_as_json() {
    for server in limited(|limits| limits.answers.json_file = 400_000) {
        let alice = server.user("alice");
        let tool = repository(&alice, "tool", "public");
        for (name, size) in [("small", 9), ("middle", 300_000), ("large", 500_000)] {
            write(&alice, tool, "main", name, &"0123456789".repeat(size / 10 + 1)[..size]);
            let file = format!("{}/files/{name}", at(tool));
            let raw = alice.get(&format!("{file}/raw?ref=main")).assert_status(200);
            assert_eq!((raw.bytes().len(), raw.header("content-length")), (size, size.to_string()));
            assert_eq!(raw.header("content-type"), "text/plain");
            let sha256 = raw.header("x-gitlab-content-sha256");
            let id = raw.header("x-gitlab-blob-id");
            let by_id = alice.get(&format!("{}/blobs/{id}/raw", at(tool))).assert_status(200);
            assert_eq!((by_id.bytes(), by_id.header("content-length")), (raw.bytes(), size.to_string()));
            for path in [format!("{file}/raw?ref=main"), format!("{file}?ref=main")] {
                let head = alice.head(&path).assert_status(200);
                assert_eq!(
                    (head.header("x-gitlab-size"), head.header("x-gitlab-content-sha256")),
                    (size.to_string(), sha256.clone())
                );
                assert!(head.bytes().is_empty());
            }
            assert_eq!(alice.head(&format!("{file}/raw?ref=main")).header("content-length"), size.to_string());
            let blob = format!("{}/blobs/{id}", at(tool));
            if size < 400_000 {
                assert_eq!(alice.get(&format!("{file}?ref=main")).assert_status(200).json()["content_sha256"], sha256);
                assert_eq!(alice.get(&blob).assert_status(200).json()["size"], size);
            } else {
                let text = message("The file has more than 400000 bytes; its raw form has no limit");
                alice.get(&format!("{file}?ref=main")).assert(413, text.clone());
                alice.get(&blob).assert(413, text);
            }
        }
    }
}

#[test]
fn statistics_count_the_first_files_of_a_commit() {
    for server in limited(|limits| limits.reads.stats_files = 2) {
        let alice = server.user("alice");
        let tool = repository(&alice, "tool", "public");
        commit(
            &alice,
            tool,
            "main",
            "Three",
            &json!([new_file("a", "1\n"), new_file("b", "1\n"), new_file("c", "1\n")]),
        );
        let want = json!({"additions": 2, "deletions": 0, "total": 2});
        let get = |path: &str| alice.get(&format!("{}/{path}", at(tool))).assert_status(200).json();
        for _ in 0..2 {
            assert_eq!(get("commits/main")["stats"], want);
            assert_eq!(get("commits?with_stats=true")[0]["stats"], want);
        }
    }
}

#[test]
fn a_repository_has_a_bounded_number_of_branches_and_tags() {
    for server in limited(|limits| limits.quotas.refs = 3) {
        let alice = server.user("alice");
        let tool = repository(&alice, "tool", "public");
        branch(&alice, tool, "x", "main");
        made(&alice, &format!("{}/tags", at(tool)), json!({"tag_name": "t", "ref": "main"}));
        let text = message("A repository cannot have more than 3 branches and tags");
        alice.post(&format!("{}/branches", at(tool)), json!({"branch": "y", "ref": "main"})).assert(400, text.clone());
        alice.post(&format!("{}/tags", at(tool)), json!({"tag_name": "u", "ref": "main"})).assert(400, text.clone());
        let body =
            json!({"branch": "y", "start_branch": "main", "commit_message": "x", "actions": [new_file("a", "1")]});
        alice.post(&format!("{}/commits", at(tool)), body).assert(400, text);
        // Existing branches can still be changed, and deleted ones make room.
        write(&alice, tool, "x", "a", "1");
        assert_eq!(alice.delete(&format!("{}/branches/x", at(tool))).status(), 204);
        branch(&alice, tool, "y", "main");
    }
}

#[both_databases]
fn names_that_turn_text_are_not_written(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    for c in ['\u{202e}', '\u{2066}'] {
        let name = format!("a{c}b");
        let body = json!({"branch": name, "ref": "main"});
        assert_eq!(alice.post(&format!("{}/branches", at(tool)), body).status(), 400);
        let body = json!({"tag_name": name, "ref": "main"});
        assert_eq!(alice.post(&format!("{}/tags", at(tool)), body).status(), 400);
        assert_eq!(try_commit(&alice, tool, "main", &json!([new_file(&name, "1")])).status(), 400);
        let body = json!({"branch": "main", "commit_message": "x", "author_name": name, "actions": [new_file(&format!("f{}", u32::from(c)), "1")]});
        assert_eq!(made(&alice, &format!("{}/commits", at(tool)), body)["author_name"], "ab");
    }
}
