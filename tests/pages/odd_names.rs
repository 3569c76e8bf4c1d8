//! Files and branches with unusual names.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, first, followed, pattern};
use crate::project::{commit, project};
use crate::{PASSWORD, member};

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
    let _ = browser.get("/ada/tool/-/tree/main/d%FF").assert_status(200);
    let switched = browser.get("/ada/tool/refs/switch?id=main&destination=tree&path=d%FF").assert_status(302);
    assert_eq!(switched.reply.header("location"), "/ada/tool/tree/main/d%FF");
    for path in ["/%E9", "/ada/%E9", "/ada/tool?search=%E9", "/dashboard?path=%00"] {
        let status = browser.get(path).reply.status();
        assert!(matches!(status, 400 | 404), "{path}: {status}");
    }
}

#[both_databases]
fn the_choice_of_a_branch_keeps_the_bytes_of_a_path(server: &TestServer) {
    let _ = world(server);
    let browser = Browser::of(server);
    for (path, want) in [("/tree/main/d%FF", "d%FF"), ("/blob/main/d%FF/x%FE/deep.txt", "d%FF/x%FE/deep.txt")] {
        let page = browser.get(&format!("/ada/tool{path}")).assert_status(200).html;
        let field = format!("name=\"encoded_path\" value=\"/{want}\"");
        assert!(page.contains(&field), "{page}");
        let sent = want.replace('%', "%25").replace('/', "%2F");
        let switched = browser
            .get(&format!("/ada/tool/refs/switch?id=main&destination=tree&encoded_path=%2F{sent}"))
            .assert_status(302);
        assert_eq!(switched.reply.header("location"), format!("/ada/tool/tree/main/{want}"));
    }
    let plain = browser.get("/ada/tool/blob/main/a.txt").assert_status(200).html;
    assert!(plain.contains("name=\"path\" value=\"a.txt\"") && !plain.contains("encoded_path"), "{plain}");
}

#[both_databases]
fn a_merge_request_shows_one_file_by_the_bytes_of_its_name(server: &TestServer) {
    let id = world(server);
    let body = json!({"branch": "old", "ref": "main~1"});
    let _ = server.root().post(&format!("/projects/{id}/repository/branches"), body).assert_status(201);
    let offer = json!({"source_branch": "main", "target_branch": "old", "title": "Odd"});
    let _ = server.root().post(&format!("/projects/{id}/merge_requests"), offer).assert_status(201);
    server.run_jobs();
    let browser = Browser::of(server);
    let page = |query: &str| browser.get(&format!("/ada/tool/merge_requests/1/diffs{query}")).assert_status(200).html;
    let all = page("");
    assert!(all.contains("grave") && all.contains("acute"), "{all}");
    for (name, want, other) in [("caf%E8.txt", "grave", "acute"), ("caf%E9.txt", "acute", "grave")] {
        let one = page(&format!("?old_path={name}&new_path={name}"));
        assert!(one.contains(want) && !one.contains(other), "{name}: {one}");
        // The address stays in the links of the page.
        assert!(one.contains(&format!("new_path={}", name.replace(".txt", "%2Etxt"))), "{name}: {one}");
    }
    // As JSON shows it.
    let repaired = page("?new_path=d%EF%BF%BD%2FREADME%2Emd");
    assert!(repaired.contains("readme") && !repaired.contains("acute"), "{repaired}");
}

#[both_databases]
fn files_whose_names_look_alike_have_their_own_threads_and_marks(server: &TestServer) {
    let id = world(server);
    let body = json!({"branch": "old", "ref": "main~1"});
    let _ = server.root().post(&format!("/projects/{id}/repository/branches"), body).assert_status(201);
    let offer = json!({"source_branch": "main", "target_branch": "old", "title": "Odd"});
    let _ = server.root().post(&format!("/projects/{id}/merge_requests"), offer).assert_status(201);
    server.run_jobs();
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let diffs = "/ada/tool/merge_requests/1/diffs";
    let page = browser.get(diffs).assert_status(200);
    let viewed = followed(&browser, &page.press(&browser, "/ada/tool/merge_requests/1/viewed"));
    assert!(viewed.contains("1 of 4 viewed") && !viewed.contains("changed since you viewed it"), "{viewed}");
    // The first line of the second file.
    let mut lines: Vec<String> =
        pattern("comment=(f[0-9a-f]+_0_1)#").captures_iter(&viewed).map(|line| line[1].to_owned()).collect();
    lines.dedup();
    let open = browser.get(&format!("{diffs}?comment={}", lines[1])).assert_status(200);
    let form = first(&open.html, "action=\"([^\"]*/notes[?]diff_id=[0-9]+)\"");
    let said = followed(&browser, &open.submit(&browser, &form, &[("note[note]", "about acute")]));
    let after = said.split(&format!("id=\"{}\"", lines[1])).nth(1).unwrap();
    assert!(after.contains("about acute") && said.matches("about acute").count() == 1, "{said}");
    // Programs read the name as everywhere.
    let found = server.root().get(&format!("/projects/{id}/merge_requests/1/discussions")).assert_status(200).json();
    let position = found.as_array().unwrap().iter().map(|one| &one["notes"][0]["position"]).find(|at| at.is_object());
    assert_eq!(position.unwrap()["new_path"], "caf\u{fffd}.txt");
    let overview = browser.get("/ada/tool/merge_requests/1").assert_status(200).html;
    assert!(overview.contains("caf\u{fffd}.txt"), "{overview}");
}

#[both_databases]
fn names_of_files_show_what_they_are_made_of(server: &TestServer) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let _ = commit(&ada, "ada/tool", "main", "First", &[("a.txt", b"a\n")]);
    let mut input = b"commit refs/heads/main\ncommitter Ann <ann@example.com> 1772450000 +0000\ndata 3\nOdd\n".to_vec();
    input.extend_from_slice(b"from refs/heads/main^0\n");
    for path in ["x\\033[31m.txt", "y\\012z.txt", "u\\342\\200\\256txt.exe", "d\\033/inner.txt"] {
        write!(input, "M 100644 inline \"{path}\"\ndata 2\nab\n").unwrap();
    }
    import(server, id, &input);
    let head = git(server, id, &["rev-parse", "main"], b"");
    let browser = Browser::of(server);
    for (path, names) in [
        ("/tree/main".to_owned(), &["x\\u{1b}[31m.txt", "y\\u{a}z.txt", "u\\u{202e}txt.exe", "d\\u{1b}"][..]),
        ("/tree/main/d%1B".to_owned(), &["d\\u{1b}"]),
        ("/blob/main/x%1B%5B31m.txt".to_owned(), &["x\\u{1b}[31m.txt"]),
        ("/blob/main/d%1B/inner.txt".to_owned(), &["d\\u{1b}"]),
        ("/blame/main/u%E2%80%AEtxt.exe".to_owned(), &["u\\u{202e}txt.exe"]),
        ("/commits/main/y%0Az.txt".to_owned(), &["y\\u{a}z.txt"]),
        ("/find_file/main?search=txt".to_owned(), &["x\\u{1b}[31m.txt", "u\\u{202e}txt.exe"]),
        (format!("/commit/{head}"), &["x\\u{1b}[31m.txt", "y\\u{a}z.txt", "u\\u{202e}txt.exe"]),
    ] {
        let html = browser.get(&format!("/ada/tool{path}")).assert_status(200).html;
        for name in names {
            assert!(html.contains(name), "{path}: {name}: {html}");
        }
        assert!(!html.contains(['\u{1b}', '\u{202e}']), "{path}: {html}");
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
    // A full name is understood as in the API, and the text behind it is a path.
    for path in [
        "/tree/refs/heads/main",
        "/blob/refs/heads/feature/x/a.txt",
        "/raw/refs/heads/main/a.txt",
        "/commits/refs/heads/feature/x",
        "/blame/refs/heads/main~1/a.txt",
        "/find_file/refs/heads/feature/x",
        "/tree/refs/heads/feature/x~1",
    ] {
        assert_eq!(browser.get(&format!("/ada/tool{path}")).reply.status(), 200, "{path}");
    }
    for path in
        ["/tree/refs/heads", "/tree/refs/heads/nowhere", "/tree/refs/tags/main", "/tree/refs/heads/main?ref_type=tags"]
    {
        assert_eq!(browser.get(&format!("/ada/tool{path}")).reply.status(), 404, "{path}");
    }
    // The links of such pages have all of the revision.
    for path in [
        "/blob/feature/x~1/a.txt",
        "/tree/feature/x~1",
        "/commits/feature/x~1",
        "/blame/feature/x~1/a.txt",
        "/tree/refs/heads/main~1",
    ] {
        let links = browser.get(&format!("/ada/tool{path}")).assert_status(200).links();
        let within = ["tree", "blob", "raw", "blame", "commits", "find_file", "archive"];
        let own: Vec<&String> = links
            .iter()
            .filter(|link| within.iter().any(|kind| link.starts_with(&format!("/ada/tool/{kind}/"))))
            .filter(|link| link.contains("~1") || link.contains("%7E1") || link.contains("feature"))
            .collect();
        assert!(!own.is_empty(), "{path}: {links:?}");
        for link in own {
            let status = browser.get(link).reply.status();
            assert!(matches!(status, 200 | 302), "{path}: {link}: {status}");
        }
    }
    // Steps back from a tag are not those from the branch of the same name.
    git(server, id, &["update-ref", "refs/tags/same", "refs/heads/main~1"], b"");
    git(server, id, &["update-ref", "refs/heads/same", "refs/heads/main"], b"");
    let tagged = browser.get("/ada/tool/blob/same~0/a.txt?ref_type=tags").assert_status(200);
    assert!(tagged.html.contains("/ada/tool/raw/same~0/a.txt?ref_type=tags"), "{}", tagged.html);
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
