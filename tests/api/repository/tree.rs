//! Directories, blobs, archives and the differences between commits.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use super::*;

/// A project with `README.md` and, below `src`, a program and a directory with one file.
fn with_folders(client: &Client) -> i64 {
    let tool = repository(client, "tool", "public");
    let actions = json!([
        new_file("src/deep/a.txt", "hi\n"), {"action": "create", "file_path": "src/run", "content": "r", "execute_filemode": true},
        new_file("Z.txt", "z"), new_file("src.txt", "s"),
    ]);
    commit(client, tool, "main", "Folders", &actions);
    tool
}

/// The paths and the total of a tree.
#[track_caller]
fn paths(client: &Client, project: i64, query: &str) -> (Vec<String>, String) {
    found(client, &format!("{}/tree?{query}", at(project)), "path")
}

/// A commit on a branch of its own: `main` and `topic` both went on from the same one. Yields the three.
fn fork_in_history(client: &Client) -> (i64, [String; 3]) {
    let tool = repository(client, "tool", "public");
    let base = tip(client, tool, "main").expect("a commit");
    let topic = work(client, tool, "topic");
    let main = write(client, tool, "main", "main.txt", "m\n");
    (tool, [base, main, topic])
}

#[both_databases]
fn directories_come_before_files(server: &TestServer) {
    let alice = server.user("alice");
    let tool = with_folders(&alice);
    let tree = alice.get(&format!("{}/tree", at(tool))).assert_status(200);
    assert_eq!(
        (tree.each("name"), tree.header("x-total")),
        (vec![json!("src"), json!("README.md"), json!("Z.txt"), json!("src.txt")], "4".to_owned())
    );
    let inside = server.anonymous().get(&format!("{}/tree?path=src&ref=main", at(tool))).assert_status(200).json();
    let deep = inside[0]["id"].clone();
    assert_eq!(
        inside,
        json!([
            {"id": deep, "name": "deep", "type": "tree", "path": "src/deep", "mode": "040000"},
            {"id": "1d2f01491f783c8c7f0917cc68526c6307d80e39", "name": "run", "type": "blob", "path": "src/run", "mode": "100755"},
        ])
    );
    let file = alice.get(&format!("{}/tree?path=src/deep/", at(tool))).json();
    let id = "45b983be36b73c0788dc9cbcb76cbb80fc7bb057";
    assert_eq!(file, json!([{"id": id, "name": "a.txt", "type": "blob", "path": "src/deep/a.txt", "mode": "100644"}]));
}

#[both_databases]
fn a_tree_is_shown_with_everything_below_and_in_pages(server: &TestServer) {
    let alice = server.user("alice");
    let tool = with_folders(&alice);
    let (all, total) = paths(&alice, tool, "recursive=true");
    assert_eq!(
        (&all[..], total.as_str()),
        (
            &["src", "src/deep", "README.md", "Z.txt", "src.txt", "src/deep/a.txt", "src/run"].map(str::to_owned)[..],
            "7"
        )
    );
    assert_eq!(paths(&alice, tool, "recursive=true&path=src").0, ["src/deep", "src/deep/a.txt", "src/run"]);
    let pages: Vec<String> =
        (1..=4).flat_map(|page| paths(&alice, tool, &format!("recursive=true&per_page=2&page={page}")).0).collect();
    assert_eq!(pages, all);
    assert_eq!(paths(&alice, tool, "per_page=3&page=2"), (vec!["src.txt".to_owned()], "4".to_owned()));
}

#[both_databases]
fn a_tree_of_any_revision(server: &TestServer) {
    let alice = server.user("alice");
    let tool = with_folders(&alice);
    let sha = work(&alice, tool, "topic");
    assert_eq!(paths(&alice, tool, "ref=topic").1, "5");
    assert_eq!(paths(&alice, tool, &format!("ref={}", &sha[..8])).1, "5");
    assert_eq!(paths(&alice, tool, "ref=main").1, "4");
    alice.get(&format!("{}/tree?ref=nowhere", at(tool))).assert(404, missing("Tree"));
    for path in ["nowhere", "README.md", "../..", "src/../src"] {
        assert_eq!(paths(&alice, tool, &format!("path={path}")), (vec![], "0".to_owned()), "{path}");
    }
    let empty = project(&alice, "empty", "public");
    alice.get(&format!("{}/tree", at(empty))).assert(404, missing("Tree"));
}

#[both_databases]
fn a_blob_is_found_by_its_name(server: &TestServer) {
    let alice = server.user("alice");
    let tool = with_folders(&alice);
    let path = format!("{}/blobs/45b983be36b73c0788dc9cbcb76cbb80fc7bb057", at(tool));
    let want =
        json!({"size": 3, "encoding": "base64", "content": "aGkK", "sha": "45b983be36b73c0788dc9cbcb76cbb80fc7bb057"});
    assert_eq!(alice.get(&path).assert_status(200).json(), want);
    let raw = server.anonymous().get(&format!("{path}/raw")).assert_status(200);
    assert_eq!((raw.bytes(), raw.header("content-type").as_str()), (&b"hi\n"[..], "text/plain"));
    let head = tip(&alice, tool, "main").expect("a commit");
    for sha in ["0".repeat(40), head, "main".to_owned(), "x".to_owned()] {
        for end in ["", "/raw"] {
            alice.get(&format!("{}/blobs/{sha}{end}", at(tool))).assert(404, missing("Blob"));
        }
    }
    // It is one of this repository only.
    let other = repository(&alice, "other", "public");
    alice.get(&path.replace(&at(tool), &at(other))).assert(404, missing("Blob"));
}

#[both_databases]
fn an_archive_comes_in_every_format(server: &TestServer) {
    let alice = server.user("alice");
    let tool = with_folders(&alice);
    branch(&alice, tool, "a/b", "main");
    let sha = tip(&alice, tool, "main").expect("a commit");
    let (gz, bz, zip) = (&b"\x1f\x8b"[..], &b"BZh"[..], &b"PK\x03\x04"[..]);
    let folder = format!("tool-main-{sha}");
    for (end, suffix, magic) in [
        ("", "tar.gz", gz),
        (".tar.gz", "tar.gz", gz),
        (".tgz", "tar.gz", gz),
        (".gz", "tar.gz", gz),
        (".tar.bz2", "tar.bz2", bz),
        (".tbz", "tar.bz2", bz),
        (".tbz2", "tar.bz2", bz),
        (".tb2", "tar.bz2", bz),
        (".bz2", "tar.bz2", bz),
        (".tar", "tar", b""),
        (".zip", "zip", zip),
    ] {
        let reply = server.anonymous().get(&format!("{}/archive{end}", at(tool))).assert_status(200);
        let kind = if suffix == "zip" { "application/zip" } else { "application/octet-stream" };
        assert_eq!(reply.header("content-disposition"), format!("attachment; filename=\"{folder}.{suffix}\""), "{end}");
        assert_eq!(
            ["content-type", "content-transfer-encoding", "cache-control"].map(|name| reply.header(name)),
            [kind, "binary", "private"]
        );
        assert!(reply.bytes().starts_with(magic), "{end}");
        if suffix == "tar" || suffix == "zip" {
            assert!(reply.text().contains(&format!("{folder}/src/deep/a.txt")), "{end}");
        }
    }
    let named = alice.get(&format!("{}/archive.tar?sha=a/b", at(tool))).assert_status(200);
    assert_eq!(named.header("content-disposition"), format!("attachment; filename=\"tool-a-b-{sha}.tar\""));
    let part = alice.get(&format!("{}/archive.tar?path=src/deep", at(tool))).assert_status(200).text();
    assert!(part.contains("src/deep/a.txt") && !part.contains("README.md"));
    // The address of the pages, which stands beside the API.
    let part = alice.get("//alice/tool/-/archive/main/tool-main.tar?path=src%2Fdeep").assert_status(200).text();
    assert!(part.contains("src/deep/a.txt") && !part.contains("README.md"));
}

#[both_databases]
fn an_archive_of_what_is_not_there_is_not_found(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    for query in ["archive?sha=nowhere", "archive.zip?sha=main~9", "archive?path=nowhere", "archive?path=../.."] {
        alice.get(&format!("{}/{query}", at(tool))).assert(404, missing("File"));
    }
    for end in ["rar", "tar.xz", "exe", ""] {
        assert_eq!(alice.get(&format!("{}/archive.{end}", at(tool))).status(), 404, "{end}");
    }
    let empty = project(&alice, "empty", "public");
    alice.get(&format!("{}/archive", at(empty))).assert(404, missing("File"));
}

#[both_databases]
fn a_comparison_shows_what_one_side_has_done_since(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, [base, main, topic]) = fork_in_history(&alice);
    let second = write(&alice, tool, "topic", "second.txt", "2\n");
    let compare = |query: &str| alice.get(&format!("{}/compare?{query}", at(tool))).assert_status(200).json();
    let there = compare("from=main&to=topic");
    let commits = [listed(&alice, tool, &topic), listed(&alice, tool, &second)];
    let diff = |file: &str, lines: &str| {
        json!({
            "old_path": file, "new_path": file, "a_mode": "0", "b_mode": "100644", "new_file": true, "renamed_file": false, "deleted_file": false, "diff": lines,
        })
    };
    let diffs = [diff("second.txt", "@@ -0,0 +1 @@\n+2\n"), diff("topic.txt", "@@ -0,0 +1,2 @@\n+one\n+two\n")];
    assert_eq!(
        there,
        json!({"commit": commits[1], "commits": commits, "diffs": diffs, "compare_timeout": false, "compare_same_ref": false})
    );
    let back = compare("from=topic&to=main");
    assert_eq!((&back["commit"]["id"], back["commits"].as_array().map(Vec::len)), (&json!(main), Some(1)));
    assert_eq!(back["diffs"], json!([diff("main.txt", "@@ -0,0 +1 @@\n+m\n")]));
    // In a straight comparison, the changes of the other side are reverted.
    let straight = compare("from=main&to=topic&straight=true");
    let files: Vec<Value> = straight["diffs"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|file| some(file, &["new_path", "deleted_file"]))
        .collect();
    assert_eq!(files, [json!(["main.txt", true]), json!(["second.txt", false]), json!(["topic.txt", false])]);
    assert_eq!(straight["commits"], there["commits"]);
    let nothing = |same: bool| json!({"commit": null, "commits": [], "diffs": [], "compare_timeout": false, "compare_same_ref": same});
    assert_eq!(compare("from=main&to=main"), nothing(true));
    assert_eq!(compare(&format!("from=main&to={main}")), nothing(true));
    assert_eq!(compare(&format!("from=main&to={}", &base[..8])), nothing(false));
}

#[both_databases]
fn a_comparison_needs_two_sides(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let compare = |query: &str| alice.get(&format!("{}/compare?{query}", at(tool)));
    compare("").assert(400, parameter("from is missing, to is missing"));
    compare("from=main&to=").assert(400, parameter("to is empty"));
    for query in ["from=main&to=nowhere", "from=nowhere&to=main", "from=main&to=main~9"] {
        compare(query).assert(404, missing("Ref"));
    }
}

#[both_databases]
fn a_merge_base_is_the_last_commit_that_all_have(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, [base, main, _]) = fork_in_history(&alice);
    branch(&alice, tool, "later", &main);
    let of = |refs: &[&str]| {
        let query: Vec<String> = refs.iter().map(|name| format!("refs[]={name}")).collect();
        alice.get(&format!("{}/merge_base?{}", at(tool), query.join("&").replace('[', "%5B").replace(']', "%5D")))
    };
    assert_eq!(of(&["main", "topic"]).assert_status(200).json(), listed(&alice, tool, &base));
    assert_eq!(of(&["main", "later"]).assert_status(200).json()["id"], main);
    assert_eq!(of(&["main", "later", "topic"]).assert_status(200).json()["id"], base);
    of(&["main"]).assert(400, message("Provide at least 2 refs"));
    of(&["main", "x"]).assert(400, message("Could not find ref: x"));
    of(&["x", "main", "y"]).assert(400, message("Could not find refs: x, y"));
}

#[both_databases]
fn contributors_are_counted_by_address(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let authors = [
        ("Zoe", "a@x.example"),
        ("zoe later", "a@x.example"),
        ("Bob", "z@x.example"),
        ("Zoe", "m@x.example"),
        ("Bob", "z@x.example"),
        ("Bob", "z@x.example"),
    ];
    for (n, (name, email)) in authors.into_iter().enumerate() {
        let body = json!({"branch": "main", "commit_message": "m", "author_name": name, "author_email": email});
        made(
            &alice,
            &format!("{}/commits", at(tool)),
            with(body, &json!({"actions": [new_file(&format!("f{n}"), "x")]})),
        );
    }
    // A merge counts for no one, and neither does another branch.
    merge(&alice, &simple(&alice, tool, "topic"), json!({"merge_commit_message": "merged"}));
    work(&alice, tool, "else");
    let path = format!("{}/contributors", at(tool));
    for (query, order) in [("", "order_by=commits"), ("?order_by=name&sort=desc", "order_by=name")] {
        let link = alice.get(&format!("{path}{query}")).header("link");
        let sort = if query.is_empty() { "sort=asc" } else { "sort=desc" };
        assert!(link.contains(&format!("?{order}&page=1&per_page=20&{sort}>; rel=\"first\"")), "{link}");
    }
    let list = |query: &str| alice.get(&format!("{path}?{query}")).assert_status(200).each("email");
    let person = |name: &str, email: &str, commits: i64| json!({"name": name, "email": email, "commits": commits, "additions": 0, "deletions": 0});
    let by_name = server.anonymous().get(&format!("{path}?order_by=name")).assert_status(200);
    assert_eq!(
        by_name.json(),
        json!([
            person("alice", "alice@example.org", 2),
            person("Bob", "z@x.example", 3),
            person("Zoe", "m@x.example", 1),
            person("zoe later", "a@x.example", 2),
        ])
    );
    assert_eq!((list("")[0].clone(), list("")[3].clone()), (json!("m@x.example"), json!("z@x.example")));
    assert_eq!(list("sort=desc")[0], "z@x.example");
    assert_eq!(list("order_by=commits&sort=asc"), list(""));
    let emails = ["a@x.example", "alice@example.org", "m@x.example", "z@x.example"];
    assert_eq!(list("order_by=email"), emails);
    assert_eq!(list("order_by=email&sort=desc"), emails.into_iter().rev().collect::<Vec<_>>());
    let page = alice.get(&format!("{path}?order_by=email&per_page=3&page=2"));
    assert_eq!((page.each("email"), page.header("x-total")), (vec![json!("z@x.example")], "4".to_owned()));
    alice.get(&format!("{path}?order_by=age")).assert(400, parameter("order_by does not have a valid value"));
    let empty = project(&alice, "empty", "public");
    assert_eq!(alice.get(&format!("{}/contributors", at(empty))).status(), 404);
}

#[both_databases]
fn the_repository_is_for_who_may_read_the_code(server: &TestServer) {
    let cast = cast(server, "private");
    write(&cast.owner, cast.project, "main", "a.txt", "hi\n");
    let paths = [
        "tree",
        "blobs/45b983be36b73c0788dc9cbcb76cbb80fc7bb057",
        "blobs/45b983be36b73c0788dc9cbcb76cbb80fc7bb057/raw",
        "archive",
        "archive.zip",
        "compare?from=main&to=main",
        "merge_base?refs%5B%5D=main&refs%5B%5D=main",
        "contributors",
    ];
    for archived in [false, true] {
        for path in paths {
            let get = |client: &Client| client.get(&format!("{}/{path}", at(cast.project)));
            assert_eq!(cast.statuses(get), [404, 403, 200, 200, 200, 200, 200], "{path}");
            get(&server.anonymous()).assert(404, missing("Project"));
            get(&cast.guest).assert(403, forbidden());
        }
        if !archived {
            archive(&cast.owner, cast.project);
        }
    }
}
