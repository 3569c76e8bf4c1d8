//! Files.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use super::*;

/// The path of a file in an address.
fn file_at(project: i64, path: &str) -> String {
    let encoded: String = path
        .bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    format!("{}/files/{encoded}", at(project))
}

/// The parameters of a change on `main`.
fn change(more: &Value) -> Value {
    with(json!({"branch": "main", "commit_message": "Change"}), more)
}

/// A file of these bytes on `main`.
#[track_caller]
fn put(client: &Client, project: i64, path: &str, content: &str) {
    made(client, &file_at(project, path), change(&json!({"content": content})));
}

/// Removes a file with these parameters in the address.
fn remove(client: &Client, project: i64, path: &str, query: &str) -> Reply {
    client.delete(&format!("{}?commit_message=Remove&{query}", file_at(project, path)))
}

#[both_databases]
fn a_file_is_shown_whole(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let last = write(&alice, tool, "main", "src/hello.txt", "hi\n");
    let head = write(&alice, tool, "main", "other.txt", "o");
    let reply = server.anonymous().get(&format!("{}?ref=main", file_at(tool, "src/hello.txt"))).assert_status(200);
    assert_eq!(reply.header("content-type"), "application/json");
    let facts = json!({
        "file_name": "hello.txt", "file_path": "src/hello.txt", "size": 3, "encoding": "base64",
        "content_sha256": "98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4", "ref": "main",
        "blob_id": "45b983be36b73c0788dc9cbcb76cbb80fc7bb057", "commit_id": head, "last_commit_id": last, "execute_filemode": false,
    });
    assert_eq!(reply.json(), with(facts.clone(), &json!({"content": "aGkK"})));
    // HEAD and the bytes by themselves say the same in headers.
    let raw = alice.get(&format!("{}/raw?ref=main", file_at(tool, "src/hello.txt"))).assert_status(200);
    assert_eq!((raw.bytes(), raw.header("content-type").as_str()), (&b"hi\n"[..], "text/plain"));
    let head = alice.head(&format!("{}?ref=main", file_at(tool, "src/hello.txt"))).assert_status(200);
    assert!(head.bytes().is_empty());
    for (name, value) in facts.as_object().expect("an object") {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        for reply in [&reply, &raw, &head] {
            assert_eq!(reply.header(&format!("x-gitlab-{}", name.replace('_', "-"))), value, "{name}");
        }
    }
}

#[both_databases]
fn a_file_is_shown_as_it_was_at_any_revision(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let first = write(&alice, tool, "main", "a", "1");
    made(&alice, &format!("{}/tags", at(tool)), json!({"tag_name": "v1", "ref": "main", "message": "One"}));
    branch(&alice, tool, "x/y", "main");
    let update = json!([{"action": "update", "file_path": "a", "content": "2"}, {"action": "chmod", "file_path": "a", "execute_filemode": true}]);
    let second = commit(&alice, tool, "main", "Two", &update);
    for (revision, content, sha, mode) in [
        ("main", "Mg==", &second, true),
        ("HEAD", "Mg==", &second, true),
        ("v1", "MQ==", &first, false),
        ("x/y", "MQ==", &first, false),
        (&first, "MQ==", &first, false),
        (&second[..8], "Mg==", &second, true),
    ] {
        let file = alice.get(&format!("{}?ref={revision}", file_at(tool, "a"))).assert_status(200).json();
        assert_eq!(
            some(&file, &["content", "commit_id", "ref", "execute_filemode"]),
            json!([content, sha, revision, mode])
        );
    }
}

#[both_databases]
fn what_is_not_there_is_named(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    write(&alice, tool, "main", "dir/file", "f");
    for end in ["", "/raw", "/blame"] {
        let get = |path: &str, query: &str| alice.get(&format!("{}{end}{query}", file_at(tool, path)));
        if end != "/raw" {
            get("README.md", "").assert(400, parameter("ref is missing"));
            get("README.md", "?ref=").assert(400, parameter("ref is empty"));
        }
        get("README.md", "?ref=nowhere").assert(404, missing("Commit"));
        for path in [
            "nowhere",
            "dir",
            "dir/file/below",
            "../README.md",
            "dir/../README.md",
            "../../../etc/passwd",
            "./README.md",
        ] {
            get(path, "?ref=main").assert(404, missing("File"));
        }
        assert_eq!(alice.head(&format!("{}{end}?ref=main", file_at(tool, "nowhere"))).status(), 404);
    }
    // A path is one part of the address.
    assert_eq!(alice.get(&format!("{}/files/dir/file?ref=main", at(tool))).status(), 404);
}

#[both_databases]
fn raw_without_a_ref_is_of_the_default_branch(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    branch(&alice, tool, "topic", "main");
    write(&alice, tool, "topic", "file", "topic");
    write(&alice, tool, "main", "file", "main");
    let raw = |query: &str| alice.get(&format!("{}/raw{query}", file_at(tool, "file"))).assert_status(200);
    for query in ["", "?ref=", "?ref=HEAD", "?ref=main"] {
        assert_eq!(raw(query).text(), "main", "{query}");
    }
    assert_eq!(raw("?ref=topic").text(), "topic");
    assert_eq!(raw("").header("x-gitlab-ref"), "HEAD");
    changed(&alice, &format!("/projects/{tool}"), json!({"default_branch": "topic"}));
    server.run_jobs();
    assert_eq!(raw("").text(), "topic");
    let empty = project(&alice, "empty", "public");
    alice.get(&format!("{}/raw", file_at(empty, "file"))).assert(404, missing("Commit"));
}

#[both_databases]
fn odd_names_are_names_like_others(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let names = [
        ".gitignore",
        "with space.txt",
        "ä/日本.txt",
        "100%.txt",
        "a+b&c=d",
        "what?#x",
        "-rf",
        "*",
        ":(glob)**",
        "\"quoted\"",
        "a;b",
        "raw",
        "blame",
        "x.json",
        "%2e%2e",
        "a\u{1f600}",
    ];
    for name in names {
        put(&alice, tool, name, name);
    }
    for name in names {
        let file = alice.get(&format!("{}?ref=main", file_at(tool, name))).assert_status(200).json();
        assert_eq!((&file["file_path"], &file["size"]), (&json!(name), &json!(name.len())));
        let raw = alice.get(&format!("{}/raw?ref=main", file_at(tool, name))).assert_status(200);
        assert_eq!(raw.bytes(), name.as_bytes());
        assert_eq!(remove(&alice, tool, name, "branch=main").status(), 204, "{name}");
    }
}

#[both_databases]
fn a_page_in_a_repository_is_no_page_here(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    put(&alice, tool, "evil.html", "<script>alert(1)</script>");
    let raw = alice.get(&format!("{}/raw?ref=main", file_at(tool, "evil.html"))).assert_status(200);
    assert_eq!(
        (raw.header("content-type").as_str(), raw.header("x-content-type-options").as_str()),
        ("text/plain", "nosniff")
    );
    assert!(raw.header("content-security-policy").contains("sandbox"), "{:?}", raw.headers());
}

#[both_databases]
fn blame_tells_where_lines_come_from(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let first = write(&alice, tool, "main", "a", "1\n2\n3\n");
    let second = commit(
        &alice,
        tool,
        "main",
        "Two",
        &json!([{"action": "update", "file_path": "a", "content": "1\ntwo\n3\n4"}]),
    );
    let blame = alice.get(&format!("{}/blame?ref=main", file_at(tool, "a"))).assert_status(200).json();
    let (first, second) = (listed(&alice, tool, &first), listed(&alice, tool, &second));
    let want = json!([
        {"commit": first, "lines": ["1"]}, {"commit": second, "lines": ["two"]}, {"commit": first, "lines": ["3"]}, {"commit": second, "lines": ["4"]},
    ]);
    assert_eq!(blame, want);
}

#[both_databases]
fn a_file_is_made_changed_and_removed(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = file_at(tool, "dir/a.txt");
    let answer = json!({"file_path": "dir/a.txt", "branch": "main"});
    assert_eq!(made(&alice, &path, change(&json!({"content": "1"}))), answer);
    assert_eq!(
        changed(
            &alice,
            &path,
            change(&json!({"content": "2", "author_name": "Ann", "author_email": "ann@else.example"}))
        ),
        answer
    );
    let last = listed(&alice, tool, "main");
    assert_eq!(
        some(&last, &["title", "author_name", "author_email", "committer_name"]),
        json!(["Change", "Ann", "ann@else.example", "alice"])
    );
    assert_eq!(content(&alice, tool, "main", "dir%2Fa.txt").as_deref(), Some("2"));
    let gone = remove(&alice, tool, "dir/a.txt", "branch=main").assert_status(204);
    assert!(gone.bytes().is_empty());
    assert_eq!(
        (content(&alice, tool, "main", "dir%2Fa.txt"), listed(&alice, tool, "main")["title"].clone()),
        (None, json!("Remove"))
    );
    // A DELETE may have a body.
    put(&alice, tool, "b", "b");
    let body = change(&json!({})).to_string().into_bytes();
    let _ = alice.send("DELETE", &file_at(tool, "b"), Some("application/json"), body).assert_status(204);
}

#[both_databases]
fn bytes_are_kept_as_they_are(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let bytes =
        |path: &str| alice.get(&format!("{}/raw?ref=main", file_at(tool, path))).assert_status(200).bytes().to_vec();
    for (name, content, want) in [("a", "/wAN\nCg==\n", &b"\xff\0\r\n"[..]), ("b", "aGk", b"hi"), ("c", "", b"")] {
        made(&alice, &file_at(tool, name), change(&json!({"content": content, "encoding": "base64"})));
        assert_eq!(bytes(name), want);
    }
    put(&alice, tool, "d", "ä\r\nno end");
    assert_eq!(bytes("d"), "ä\r\nno end".as_bytes());
    put(&alice, tool, "e", "aGk=");
    assert_eq!(bytes("e"), b"aGk=");
    // Foreign characters are passed over, as MIME has it.
    made(&alice, &file_at(tool, "f"), change(&json!({"content": "a-G k=", "encoding": "base64"})));
    assert_eq!(bytes("f"), b"hi");
}

#[both_databases]
fn missing_fields_of_a_change_are_named(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = file_at(tool, "README.md");
    for reply in [alice.post(&path, json!({})), alice.put(&path, json!({})), alice.delete(&path)] {
        reply.assert(400, parameter("branch is missing, commit_message is missing"));
    }
    alice
        .put(&path, change(&json!({"commit_message": "", "content": "x"})))
        .assert(400, parameter("commit_message is empty"));
    for reply in [alice.post(&file_at(tool, "new"), change(&json!({}))), alice.put(&path, change(&json!({})))] {
        reply.assert(400, message("You must provide content"));
    }
}

#[both_databases]
fn a_change_that_cannot_be_made_is_refused_in_known_words(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    put(&alice, tool, "a", "1");
    let before = tip(&alice, tool, "main");
    let body = change(&json!({"content": "1"}));
    alice.post(&file_at(tool, "a"), body.clone()).assert(400, message("A file with this name already exists"));
    alice.put(&file_at(tool, "b"), body.clone()).assert(400, message("A file with this name doesn't exist"));
    remove(&alice, tool, "b", "branch=main").assert(400, message("A file with this name doesn't exist"));
    for path in ["../b", "a/../../b", ".."] {
        alice.post(&file_at(tool, path), body.clone()).assert(400, message("Path cannot include directory traversal"));
    }
    for path in [".git/config", "x/.Git/hooks/y", "/b", "b/", "a/below"] {
        let _ = alice.post(&file_at(tool, path), body.clone()).assert_status(400);
    }
    let none = "You can only create or edit files when you are on a branch";
    alice.post(&file_at(tool, "b"), change(&json!({"content": "1", "branch": "nowhere"}))).assert(400, message(none));
    assert_eq!(tip(&alice, tool, "main"), before);
}

#[both_databases]
fn a_file_that_has_changed_since_is_left_alone(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let seen = write(&alice, tool, "main", "a", "1");
    write(&alice, tool, "main", "b", "b");
    let update =
        |content: &str| alice.put(&file_at(tool, "a"), change(&json!({"content": content, "last_commit_id": seen})));
    let _ = update("2").assert_status(200);
    update("3")
        .assert(400, message("You are attempting to update a file that has changed since you started editing it."));
    let text = "You are attempting to delete a file that has been previously updated.";
    remove(&alice, tool, "a", &format!("branch=main&last_commit_id={seen}")).assert(400, message(text));
    assert_eq!(content(&alice, tool, "main", "a").as_deref(), Some("2"));
    let now = tip(&alice, tool, "main").expect("a commit");
    let _ = remove(&alice, tool, "a", &format!("branch=main&last_commit_id={now}")).assert_status(204);
}

#[both_databases]
fn a_branch_is_made_with_a_change_of_a_file(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let start = tip(&alice, tool, "main").expect("a commit");
    let body = change(&json!({"content": "1", "branch": "topic", "start_branch": "main"}));
    assert_eq!(made(&alice, &file_at(tool, "a"), body.clone()), json!({"file_path": "a", "branch": "topic"}));
    assert_eq!(listed(&alice, tool, "topic")["parent_ids"], json!([start]));
    assert_eq!(content(&alice, tool, "main", "a"), None);
    let text = "A branch called 'topic' already exists. Switch to that branch in order to make changes";
    alice.put(&file_at(tool, "a"), body).assert(400, message(text));
}

#[both_databases]
fn a_file_on_a_protected_branch_is_a_bad_request(server: &TestServer) {
    let cast = cast(server, "public");
    let text = message("You are not allowed to push into this branch");
    let body = change(&json!({"content": "1"}));
    cast.developer.post(&file_at(cast.project, "a"), body.clone()).assert(400, text.clone());
    cast.developer.put(&file_at(cast.project, "README.md"), body.clone()).assert(400, text.clone());
    remove(&cast.developer, cast.project, "README.md", "branch=main").assert(400, text);
    assert_eq!(made(&cast.maintainer, &file_at(cast.project, "a"), body)["branch"], "main");
}

#[both_databases]
fn files_are_read_with_the_code_and_written_by_who_may_push(server: &TestServer) {
    let cast = cast(server, "private");
    branch(&cast.owner, cast.project, "open", "main");
    let path = file_at(cast.project, "README.md");
    for end in ["", "/raw", "/blame"] {
        let get = |client: &Client| client.get(&format!("{path}{end}?ref=main"));
        assert_eq!(cast.statuses(get), [404, 403, 200, 200, 200, 200, 200], "{end}");
        get(&server.anonymous()).assert(404, missing("Project"));
    }
    let body = change(&json!({"content": "x", "branch": "open"}));
    assert_eq!(cast.statuses(|client| client.post(&path, body.clone())), [404, 403, 403, 400, 400, 400, 400]);
    let nowhere = file_at(cast.project, "nowhere");
    assert_eq!(cast.statuses(|client| client.put(&nowhere, body.clone())), [404, 403, 403, 400, 400, 400, 400]);
    assert_eq!(
        cast.statuses(|client| remove(client, cast.project, "nowhere", "branch=open")),
        [404, 403, 403, 400, 400, 400, 400]
    );
    server.anonymous().put(&path, body.clone()).assert(401, unauthorized());
    cast.reporter.put(&path, body.clone()).assert(403, forbidden());
    archive(&cast.owner, cast.project);
    for client in [&*cast.owner, &cast.admin] {
        assert_eq!(client.put(&path, body.clone()).status(), 403);
        assert_eq!(remove(client, cast.project, "README.md", "branch=open").status(), 403);
    }
    assert_eq!(cast.reporter.get(&format!("{path}?ref=open")).assert_status(200).json()["content"], "dG9vbA==");
}

#[both_databases]
fn the_first_file_makes_the_default_branch(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    alice.get(&format!("{}?ref=main", file_at(tool, "a"))).assert(404, missing("Commit"));
    made(&alice, &file_at(tool, "a"), change(&json!({"content": "1", "branch": "trunk"})));
    assert_eq!(alice.get(&format!("/projects/{tool}")).json()["default_branch"], "trunk");
    assert_eq!(content(&alice, tool, "trunk", "a").as_deref(), Some("1"));
}

#[both_databases]
fn an_update_with_the_bytes_that_a_file_has_makes_a_commit(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    put(&alice, tool, "a", "1");
    let before = tip(&alice, tool, "main");
    let _ = alice.put(&file_at(tool, "a"), change(&json!({"content": "1"}))).assert_status(200);
    let after = tip(&alice, tool, "main").unwrap_or_default();
    assert_ne!(Some(&after), before.as_ref());
    assert_eq!(alice.get(&format!("{}/commits/{after}", at(tool))).json()["parent_ids"], json!([before]));
    assert_eq!(alice.get(&format!("{}/commits/{after}/diff", at(tool))).json(), json!([]));
    let same = json!([{"action": "update", "file_path": "a", "content": "1"}]);
    let _ = try_commit(&alice, tool, "main", &same).assert_status(201);
    // A commit without any action is an oversight.
    let _ = try_commit(&alice, tool, "main", &json!([])).assert_status(400);
}

/// Clients that compare what they have set with what they read must find no difference.
#[both_databases]
fn a_file_reads_as_it_was_written(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = file_at(tool, "dir/a.txt");
    let mut wanted = json!({
        "branch": "main", "content": "QQ==", "encoding": "base64", "commit_message": "Add", "author_name": "Ann",
        "author_email": "ann@example.org",
    });
    let assert_reads = |content: &Value, executable: bool| {
        let read = alice.get(&format!("{path}?ref=main")).assert_status(200).json();
        assert_eq!((&read["content"], &read["encoding"]), (content, &json!("base64")));
        assert_eq!(
            (&read["file_path"], &read["file_name"], &read["ref"]),
            (&json!("dir/a.txt"), &json!("a.txt"), &json!("main"))
        );
        assert_eq!(read["execute_filemode"], executable);
        let commit = alice.get(&format!("{}/commits/{}", at(tool), text(&read["last_commit_id"]))).json();
        assert_eq!((&commit["author_name"], &commit["author_email"]), (&json!("Ann"), &json!("ann@example.org")));
    };
    let _ = alice.post(&path, wanted.clone()).assert_status(201);
    assert_reads(&wanted["content"], false);
    for (content, executable) in [("Qg==", false), ("Qg==", true), ("Qg==", true), ("", true), ("QQ==", false)] {
        wanted["content"] = json!(content);
        wanted["execute_filemode"] = json!(executable);
        let _ = alice.put(&path, wanted.clone()).assert_status(200);
        assert_reads(&wanted["content"], executable);
    }
}
