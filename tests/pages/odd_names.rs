//! Files and branches with unusual names.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::Browser;
use crate::member;
use crate::project::{commit, project};

/// Hands this to `git fast-import` in the repository of a project.
fn import(server: &TestServer, project: i64, input: &[u8]) {
    git(server, project, &["fast-import", "--quiet"], input);
}

fn git(server: &TestServer, project: i64, arguments: &[&str], input: &[u8]) -> String {
    let repository = server.data().join(format!("repositories/{:03}/{project}.git", project % 1000));
    #[expect(clippy::disallowed_methods, reason = "the test needs a Git that is not the one under test")]
    let mut git = Command::new("git");
    let git = git.arg("--git-dir").arg(repository).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = git.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// A public project of `ada`'s, with files whose names are no UTF-8.
fn world(server: &TestServer) -> i64 {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let _ = commit(&ada, "ada/tool", "main", "First", &[("a.txt", b"a\n")]);
    let mut input = b"commit refs/heads/main\ncommitter Ann <ann@example.com> 1772450000 +0000\ndata 3\nOdd\n".to_vec();
    input.extend_from_slice(b"from refs/heads/main^0\n");
    for (path, content) in [
        (&b"caf\\350.txt"[..], "grave"),
        (b"caf\\351.txt", "acute"),
        (b"d\\377/x\\376/deep.txt", "deep"),
        (b"d\\377/README.md", "readme [deep](x%FE/deep.txt)"),
    ] {
        input.extend_from_slice(&[b"M 100644 inline \"", path, b"\"\n"].concat());
        write!(input, "data {}\n{content}\n", content.len()).unwrap();
    }
    import(server, id, &input);
    id
}

#[both_databases]
fn files_have_addresses_with_the_bytes_of_their_names(server: &TestServer) {
    let id = world(server);
    let browser = Browser::of(server);
    let page = |path: &str| browser.get(&format!("/ada/tool{path}")).assert_status(200).html;
    let top = page("/tree/main");
    for link in ["/ada/tool/blob/main/caf%E8.txt\"", "/ada/tool/blob/main/caf%E9.txt\"", "/ada/tool/tree/main/d%FF\""] {
        assert!(top.contains(link), "{link}: {top}");
    }
    for (path, want) in [
        ("/blob/main/caf%E8.txt", "grave"),
        ("/blob/main/caf%E9.txt", "acute"),
        ("/raw/main/caf%E9.txt", "acute"),
        ("/blame/main/caf%E9.txt", "acute"),
        ("/commits/main/caf%E9.txt", "Odd"),
        ("/tree/main/d%FF", "readme"),
        ("/tree/main/d%FF/x%FE", "/ada/tool/blob/main/d%FF/x%FE/deep.txt\""),
        ("/blob/main/d%FF/x%FE/deep.txt", "/ada/tool/raw/main/d%FF/x%FE/deep.txt"),
        // As pages show it.
        ("/blob/main/d%EF%BF%BD/x%EF%BF%BD/deep.txt", "deep"),
        ("/find_file/main?search=deep", "/ada/tool/blob/main/d%FF/x%FE/deep.txt\""),
        ("/refs/main/logs_tree/d%FF", "Odd"),
    ] {
        let html = page(path);
        assert!(html.contains(want), "{path}: {html}");
        assert!(!html.contains('\0'), "{path}");
    }
    let head = git(server, id, &["rev-parse", "main"], b"");
    let shown = page(&format!("/commit/{head}"));
    assert!(shown.contains(&format!("/blob/{head}/caf%E9.txt\"")), "{shown}");
    // Each link of these pages answers.
    for path in [
        "/tree/main",
        "/tree/main/d%FF",
        "/blob/main/d%FF/x%FE/deep.txt",
        "/commits/main/d%FF",
        "/blame/main/caf%E9.txt",
    ] {
        let links = browser.get(&format!("/ada/tool{path}")).links();
        for link in links.iter().filter(|link| link.contains('%')) {
            let status = browser.get(link).reply.status();
            assert!(matches!(status, 200 | 302), "{path}: {link}: {status}");
        }
    }
    for path in
        ["/blob/main/caf%E7.txt", "/blob/main/caf%00%C3%A9.txt", "/tree/main/d%FE", "/tags/%E9", "/branches/%E9"]
    {
        assert_eq!(browser.get(&format!("/ada/tool{path}")).reply.status(), 404, "{path}");
    }
    let moved = browser.get("/ada/tool/-/tree/main/d%FF").assert_status(302);
    assert_eq!(moved.reply.header("location"), "/ada/tool/tree/main/d%FF");
    let switched = browser.get("/ada/tool/refs/switch?id=main&destination=tree&path=d%FF").assert_status(302);
    assert_eq!(switched.reply.header("location"), "/ada/tool/tree/main/d%FF");
    for path in ["/%E9", "/ada/%E9", "/ada/tool?search=%E9", "/dashboard?path=%00"] {
        let status = browser.get(path).reply.status();
        assert!(matches!(status, 400 | 404), "{path}: {status}");
    }
}

#[both_databases]
fn branches_that_are_called_like_feeds_have_their_pages(server: &TestServer) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let _ = commit(&ada, "ada/tool", "main", "First", &[("a.txt", b"a\n"), ("b.atom", b"b\n")]);
    let names = ["a.atom", "x.git", "x.keys", "x.gpg", "x.patch", "x.diff", "x.json", "v.zip", "dir/a.atom"];
    for name in names {
        let body = json!({"branch": name, "ref": "main"});
        let _ = ada.post(&format!("/projects/{id}/repository/branches"), body).assert_status(201);
    }
    let browser = Browser::of(server);
    for name in names {
        for kind in ["tree", "commits", "find_file", "commit"] {
            if kind == "commit" && name.contains('/') {
                continue;
            }
            let page = browser.get(&format!("/ada/tool/{kind}/{name}"));
            assert_eq!(page.reply.status(), 200, "{kind}/{name}");
            let kind_of = page.reply.header("content-type");
            assert!(kind_of.starts_with("text/html"), "{kind}/{name}: {kind_of}");
        }
        let there = format!("/ada/tool/blob/{name}/a.txt");
        assert_eq!(browser.get(&there).reply.status(), 200, "{there}");
        let compared = format!("/ada/tool/compare/main...{name}");
        assert_eq!(browser.get(&compared).reply.status(), 200, "{compared}");
    }
    let kind_of = |path: &str| browser.get(path).assert_status(200).reply.header("content-type");
    let feed = "application/atom+xml; charset=utf-8";
    // The exact name is first, then the ending; the parameter always asks for the feed.
    for path in [
        "/ada/tool/commits/main.atom",
        "/ada/tool/commits/a.atom.atom",
        "/ada/tool/commits/a.atom?format=atom",
        "/ada/tool/commits/main?format=atom",
        "/ada/tool/commits/main/a.txt?format=atom",
        "/ada/tool/commits/main/a.txt.atom",
        "/ada/tool/tags?format=atom",
    ] {
        assert_eq!(kind_of(path), feed, "{path}");
    }
    assert!(kind_of("/ada/tool/commits/main/b.atom").starts_with("text/html"));
    for path in ["/ada/tool?format=atom", "/ada/tool/activity?format=atom"] {
        let moved = browser.get(path).assert_status(302);
        assert_eq!(moved.reply.header("location"), "/ada/tool.atom", "{path}");
    }
}

#[both_databases]
fn a_tag_of_a_file_is_where_its_event_leads(server: &TestServer) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let _ = commit(&ada, "ada/tool", "main", "First", &[("a.txt", b"a\n")]);
    let body = json!({"tag_name": "of-a-file", "ref": "main"});
    let _ = ada.post(&format!("/projects/{id}/repository/tags"), body).assert_status(201);
    let blob = git(server, id, &["rev-parse", "main:a.txt"], b"");
    git(server, id, &["update-ref", "refs/tags/of-a-file", &blob], b"");
    server.run_jobs();
    let browser = Browser::of(server);
    for path in ["/ada/tool/tags", "/ada/tool/tags/of-a-file", "/ada/tool/activity", "/ada/tool/tags.atom"] {
        let links = browser.get(path).assert_status(200).links();
        for link in links.iter().filter(|link| link.contains("of-a-file")) {
            assert_eq!(browser.get(link).reply.status(), 200, "{path}: {link}");
        }
    }
    let activity = browser.get("/ada/tool/activity");
    assert!(activity.html.contains("/ada/tool/tags/of-a-file\""), "{}", activity.html);
}

#[both_databases]
fn pages_know_the_steps_back_of_revisions(server: &TestServer) {
    let id = world(server);
    let browser = Browser::of(server);
    let body = json!({"branch": "feature/x", "ref": "main"});
    let _ = server.root().post(&format!("/projects/{id}/repository/branches"), body).assert_status(201);
    for path in [
        "/tree/main~1",
        "/blob/main~1/a.txt",
        "/blob/feature/x~1/a.txt",
        "/raw/HEAD^/a.txt",
        "/commits/main~1",
        "/commits/feature/x%5E/a.txt",
        "/blame/main~1/a.txt",
        "/commit/main~1",
        "/compare/main~1...main",
        "/find_file/main~1",
    ] {
        assert_eq!(browser.get(&format!("/ada/tool{path}")).reply.status(), 200, "{path}");
    }
    let range = browser.get("/ada/tool/commits/main~1..main").assert_status(302);
    assert_eq!(range.reply.header("location"), "/ada/tool/compare/main~1..main");
    for path in [
        "/tree/main~5",
        "/tree/main%5E2",
        "/tree/HEAD@%7B1%7D",
        "/tree/main%3Aa.txt",
        "/commits/main~x",
        "/commits/nowhere..main",
        "/commit/main%5E%7Btree%7D",
        "/compare/main...main~9",
        "/blob/main~1/caf%E9.txt",
        "/tree/-x",
        "/commits/main..main..main",
    ] {
        assert_eq!(browser.get(&format!("/ada/tool{path}")).reply.status(), 404, "{path}");
    }
}
