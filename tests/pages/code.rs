//! Comparisons, the commits of lines, names of files, archives.

use serde_json::json;
use tenon_testkit::{TestServer, User, both_databases};

use crate::browser::{Browser, safe};
use crate::project::{MARKER, commit, fill, project};
use crate::{PASSWORD, member};

/// A public project of `ada`'s with a branch that changes a file, and only white space of another one.
fn world(server: &TestServer) -> User {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let _ = commit(
        &ada,
        "ada/tool",
        "main",
        &format!("First {MARKER}"),
        &[("a.txt", b"one\ntwo\nthree\n"), ("doc/b.txt", b"x\ny\n"), ("gone.txt", b"g\n")],
    );
    let body = json!({"branch": "feature/x", "ref": "main"});
    let _ = ada.post(&format!("/projects/{id}/repository/branches"), body).assert_status(201);
    let body = json!({"branch": "feature/x", "commit_message": format!("Second {MARKER}"), "actions": [
        {"action": "update", "file_path": "a.txt", "content": "one\nTWO\nthree\n"},
        {"action": "update", "file_path": "doc/b.txt", "content": "  x\ny\n"},
        {"action": "move", "file_path": "\u{e4} z.txt", "previous_path": "gone.txt", "content": "g\nh\n"},
    ]});
    let _ = ada.post(&format!("/projects/{id}/repository/commits"), body).assert_status(201);
    ada
}

#[both_databases]
fn a_picture_that_is_a_text_is_shown_and_has_a_source(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let svg: &[u8] = b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n";
    let _ = commit(&ada, "ada/tool", "main", "First", &[("a.svg", svg)]);
    let browser = Browser::of(server);
    let page = browser.get("/ada/tool/blob/main/a.svg").assert_status(200).html;
    assert!(page.contains("src=\"/ada/tool/raw/main/a.svg\"") && page.contains("/blob/main/a.svg?plain=1\""), "{page}");
    let source = browser.get("/ada/tool/blob/main/a.svg?plain=1").assert_status(200).html;
    assert!(source.contains("id=\"L1\"") && source.contains(">Rendered</a>"), "{source}");
}

#[both_databases]
fn branches_are_compared(server: &TestServer) {
    let ada = world(server);
    let stranger = Browser::of(server);
    let page = safe(&stranger, "/ada/tool/compare/main...feature/x");
    for text in [
        "Commits <span class=\"count\">1</span>",
        "Changed files <span class=\"count\">3</span>",
        "Second &#34;",
        "<td>TWO</td>",
        "?w=1\"",
        "/compare/feature/x...main\"",
        "\u{e4} z.txt",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(!page.contains("merge_requests/new"));
    // Without white space only the other files have lines.
    let without = safe(&stranger, "/ada/tool/compare/main...feature/x?w=1");
    assert!(
        without.contains("TWO") && without.contains("No content changes.") && without.contains("<td>h</td>"),
        "{without}"
    );
    assert!(!without.contains("<td>  x</td>"));
    let head = ada.get("/projects/ada%2Ftool/repository/commits/feature%2Fx").json()["id"].as_str().unwrap().to_owned();
    let shown = safe(&stranger, &format!("/ada/tool/commit/{head}?w=1"));
    assert!(shown.contains("Show whitespace changes") && !shown.contains("<td>  x</td>"), "{shown}");
    assert!(safe(&stranger, &format!("/ada/tool/commit/{head}")).contains("class=\"differs\">  <"));
    // The other way around main has no commits since then; all the differences are there.
    assert!(safe(&stranger, "/ada/tool/compare/feature/x...main").contains("There are no differences"));
    assert!(
        safe(&stranger, "/ada/tool/compare/feature/x..main").contains("Changed files <span class=\"count\">3</span>")
    );
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let page = safe(&own, "/ada/tool/compare/main...feature/x");
    let new =
        "/ada/tool/merge_requests/new?merge_request[source_branch]=feature%2Fx&#38;merge_request[target_branch]=main";
    assert!(page.contains(new), "{page}");
    // `HEAD` is another name of the default branch.
    let new = "[source_branch]=feature%2Fx&#38;merge_request[target_branch]=main";
    assert!(safe(&own, "/ada/tool/compare/HEAD...feature/x").contains(new));
}

#[both_databases]
fn the_form_of_a_comparison_leads_to_its_address(server: &TestServer) {
    let _ada = world(server);
    for browser in [Browser::of(server), Browser::signed_in(server, "ada", PASSWORD)] {
        let form = browser.get("/ada/tool/compare?to=feature%2Fx").assert_status(200);
        assert!(
            form.html.contains("value=\"feature/x\"") && form.html.contains("name=\"from\" value=\"main\""),
            "{}",
            form.html
        );
        let went = form.submit(&browser, "/ada/tool/compare", &[("from", "main"), ("to", "feature/x")]);
        assert_eq!((went.reply.status(), went.location().as_str()), (303, "/ada/tool/compare/main...feature/x"));
        let straight =
            form.submit(&browser, "/ada/tool/compare", &[("from", "main"), ("to", "feature/x"), ("straight", "1")]);
        assert_eq!(straight.location(), "/ada/tool/compare/main..feature/x");
        let wrong = form.submit(&browser, "/ada/tool/compare", &[("from", ""), ("to", MARKER)]).assert_status(422);
        assert!(
            wrong.html.contains("Comparison failed</h2>") && wrong.html.contains("<a href=\"#from\">"),
            "{}",
            wrong.html
        );
        assert!(
            wrong.html.contains("problem-from")
                && wrong.html.contains("problem-to")
                && wrong.html.contains("&#34;&#62;&#60;img"),
            "{}",
            wrong.html
        );
        let _ = browser.post("/ada/tool/compare", &[("from", "main"), ("to", "main")]).assert_status(422);
    }
    assert_eq!(Browser::of(server).get("/ada/tool/compare/feature/x").location(), "/ada/tool/compare?to=feature%2Fx");
}

#[both_databases]
fn lines_say_where_they_come_from(server: &TestServer) {
    let _ada = world(server);
    let browser = Browser::of(server);
    let page = safe(&browser, "/ada/tool/blame/feature/x/a.txt");
    assert_eq!(page.matches("rowspan=").count(), 3, "{page}");
    assert!(page.contains("<tr id=\"L3\"") && page.contains("TWO</td>"));
    // The last commit of the file stands above, and who may push has a button to edit it.
    let edit = "href=\"/ada/tool/edit/feature/x/a.txt\" aria-label=\"Edit\"";
    let above = page.split("<section class=\"box\"").next().unwrap();
    assert!(above.contains("class=\"sha\"") && !page.contains(edit), "{page}");
    assert!(safe(&Browser::signed_in(server, "ada", PASSWORD), "/ada/tool/blame/feature/x/a.txt").contains(edit));
    let before = crate::browser::first(&page, "href=\"(/ada/tool/blame/[0-9a-f]{40}/a.txt)\" title");
    let page = safe(&browser, &before);
    assert!(page.contains("two</td>") && !page.contains("View blame prior to this change"), "{page}");
    // A file that was renamed has its old name before.
    let page = safe(&browser, "/ada/tool/blame/feature/x/%C3%A4%20z.txt");
    let before = crate::browser::first(&page, "href=\"(/ada/tool/blame/[0-9a-f]{40}/[^\"]*)\" title");
    assert!(before.ends_with("/gone.txt"), "{before}");
    let _ = browser.get(&before).assert_status(200);
    let missing = browser.get("/no/page").assert_status(404).html;
    for below in ["blame/main/none", "blame/none/a.txt", "blame/main%00/a.txt", "blame/main/..%2Fx"] {
        assert_eq!(browser.get(&format!("/ada/tool/{below}")).assert_status(404).html, missing, "{below}");
    }
    for (from, to) in [("blame/main/doc", "tree/main/doc"), ("blame/main", "tree/main")] {
        assert_eq!(browser.get(&format!("/ada/tool/{from}")).location(), format!("/ada/tool/{to}"));
    }
}

#[both_databases]
fn a_commit_is_a_difference_and_a_mail(server: &TestServer) {
    let ada = world(server);
    let head = ada.get("/projects/ada%2Ftool/repository/commits/feature%2Fx").json()["id"].as_str().unwrap().to_owned();
    let browser = Browser::of(server);
    let page = browser.get(&format!("/ada/tool/commit/{head}")).assert_status(200);
    for (ending, begins, says) in [
        ("diff", "diff --git a/a.txt b/a.txt\n", "\n+TWO\n"),
        ("patch", &format!("From {head} "), "\nSubject: [PATCH] Second \"><img src=x"),
    ] {
        let address = format!("/ada/tool/commit/{head}.{ending}");
        assert!(page.links().contains(&address), "{ending}");
        let text = browser.get(&address).assert_status(200);
        assert!(text.html.starts_with(begins) && text.html.contains(says), "{ending}: {}", text.html);
        let header = |name: &str| text.reply.header(name);
        assert_eq!(
            (header("content-type").as_str(), header("cache-control").as_str()),
            ("text/plain; charset=utf-8", "private, no-cache")
        );
        assert_eq!(header("content-security-policy"), "sandbox; default-src 'none'");
    }
    let missing = browser.get("/no/page").assert_status(404).html;
    for odd in ["none.diff", "none.patch", ".diff", "0000000000000000000000000000000000000000.patch"] {
        assert_eq!(browser.get(&format!("/ada/tool/commit/{odd}")).assert_status(404).html, missing, "{odd}");
    }
    let _ = ada.put("/projects/ada%2Ftool", json!({"visibility": "private"})).assert_status(200);
    for ending in ["diff", "patch"] {
        assert_eq!(
            browser.get(&format!("/ada/tool/commit/{head}.{ending}")).assert_status(404).html,
            missing,
            "{ending}"
        );
    }
}

#[both_databases]
fn entries_of_a_directory_have_their_last_commits(server: &TestServer) {
    let ada = world(server);
    let browser = Browser::of(server);
    let page = safe(&browser, "/ada/tool/refs/feature/x/logs_tree");
    assert!(
        page.contains("/ada/tool/tree/feature/x/doc\"")
            && page.contains("Second &#34;")
            && page.contains("<table class=\"files\">"),
        "{page}"
    );
    let below =
        browser.send("GET", "/ada/tool/refs/main/logs_tree/doc", &[], &[("X-Fragment", "1")]).assert_status(200);
    assert!(
        below.html.trim_start().starts_with("<tr>")
            && below.html.contains("/ada/tool/blob/main/doc/b.txt\"")
            && below.html.contains("First &#34;")
            && !below.html.contains("<html"),
        "{}",
        below.html
    );
    // A branch may be called so.
    let _ = ada
        .post("/projects/ada%2Ftool/repository/branches", json!({"branch": "a/logs_tree/b", "ref": "main"}))
        .assert_status(201);
    assert!(
        safe(&browser, "/ada/tool/refs/a/logs_tree/b/logs_tree/doc")
            .contains("/ada/tool/blob/a/logs_tree/b/doc/b.txt\"")
    );
    let missing = browser.get("/no/page").assert_status(404).html;
    for odd in [
        "main",
        "none/logs_tree",
        "main/logs_tree/none",
        "main/logs_tree/a.txt",
        "logs_tree/main",
        "main/logs_tree/..%2Fx",
    ] {
        assert_eq!(browser.get(&format!("/ada/tool/refs/{odd}")).assert_status(404).html, missing, "{odd}");
    }
    let _ = ada.put("/projects/ada%2Ftool", json!({"visibility": "private"})).assert_status(200);
    assert_eq!(browser.get("/ada/tool/refs/main/logs_tree").assert_status(404).html, missing);
}

#[both_databases]
fn lines_cost_a_bounded_number_of_elements(server: &TestServer) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let write = |action: &str, word: &str| {
        let lines: String =
            (0..100).map(|line| if line % 2 == 0 { format!("{line}\n") } else { format!("{word}\n") }).collect();
        let body = json!({"branch": "main", "commit_message": "Write", "actions": [{"action": action, "file_path": "a.txt", "content": lines}]});
        ada.post(&format!("/projects/{id}/repository/commits"), body).assert_status(201).json()["id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let _ = commit(&ada, "ada/tool", "main", "First", &[("b.txt", b"b\n")]);
    let frame = Browser::of(server).get("/ada/tool/blame/main/b.txt").assert_status(200).elements();
    let _ = write("create", "crank");
    let last = write("update", "0123456789");
    let browser = Browser::of(server);
    let blame = browser.get("/ada/tool/blame/main/a.txt").assert_status(200);
    assert!(blame.html.matches("rowspan=").count() == 100, "each line comes from another commit than the one before");
    assert!(blame.elements() <= frame + 100 * 13, "{} {frame}", blame.elements());
    // 50 lines went, 50 came, and none of their words is the same.
    let changes = browser.get(&format!("/ada/tool/commit/{last}")).assert_status(200);
    let lines = changes.html.matches("<tr").count();
    assert!(lines > 100 && changes.elements() <= 120 + lines * 6, "{} {lines}", changes.elements());
    let file = browser.get("/ada/tool/blob/main/a.txt").assert_status(200);
    assert!(file.elements() <= 170 + 100 * 4, "{}", file.elements());
}

#[both_databases]
fn blame_has_parts(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let long = "line\n".repeat(2_001);
    let _ =
        commit(&ada, "ada/tool", "main", "Long", &[("long.txt", long.as_bytes()), ("bin", b"a\0b"), ("empty", b"")]);
    let browser = Browser::of(server);
    let first = safe(&browser, "/ada/tool/blame/main/long.txt");
    assert!(
        first.contains("id=\"L1000\"") && !first.contains("id=\"L1001\"") && first.contains("Page 1 of 3"),
        "{}",
        first.len()
    );
    let last = safe(&browser, "/ada/tool/blame/main/long.txt?page=3");
    assert!(last.contains("id=\"L2001\"") && !last.contains("id=\"L2000\""));
    for odd in ["?page=4", "?page=99999999999999999999", "?page=-1", "?page=9223372036854775807"] {
        let _ = safe(&browser, &format!("/ada/tool/blame/main/long.txt{odd}"));
    }
    assert!(safe(&browser, "/ada/tool/blame/main/bin").contains("is binary or too large"));
    assert!(safe(&browser, "/ada/tool/blame/main/empty").contains("Empty file."));
}

#[both_databases]
fn files_are_found_by_a_part_of_their_path(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let _ = fill(&ada, "ada/tool");
    let browser = Browser::of(server);
    let all = safe(&browser, "/ada/tool/find_file/main");
    assert!(all.contains("/ada/tool/blob/main/doc/guide.md\"") && all.contains("9 files"), "{all}");
    let found = safe(&browser, "/ada/tool/find_file/feature/x?search=GUIDE");
    assert!(found.contains("1 file found") && found.contains("/ada/tool/blob/feature/x/doc/guide.md"), "{found}");
    assert!(safe(&browser, "/ada/tool/find_file/main?search=%3Cb%3Ex%3C%2Fb%3E").contains("0 files found"));
    let list = browser.get("/ada/tool/files/main?search=guide").assert_status(200);
    assert_eq!(list.reply.header("x-total"), "1");
    assert_eq!(
        (list.html.as_str(), list.reply.header("content-type").as_str()),
        ("[\"doc/guide.md\"]", "application/json")
    );
    for below in ["find_file/none", "find_file/main/doc", "files/none", "find_file/%00"] {
        let _ = browser.get(&format!("/ada/tool/{below}")).assert_status(404);
    }
}

#[both_databases]
fn archives_are_saved(server: &TestServer) {
    let ada = world(server);
    let browser = Browser::of(server);
    let page = safe(&browser, "/ada/tool/tree/feature/x");
    for (suffix, kind, magic) in [
        ("zip", "application/zip", &b"PK"[..]),
        ("tar.gz", "application/octet-stream", b"\x1f\x8b"),
        ("tar", "application/octet-stream", b""),
    ] {
        let address = format!("/ada/tool/-/archive/feature/x/tool-feature-x.{suffix}");
        assert!(page.contains(&format!("href=\"{address}\"")), "{page}");
        let archive = browser.get(&address).assert_status(200);
        assert_eq!(archive.reply.header("content-type"), kind);
        assert!(archive.reply.header("content-disposition").starts_with("attachment;"));
        assert!(archive.reply.bytes().starts_with(magic), "{suffix}");
    }
    assert_eq!(browser.get("/ada/tool/-/archive/main.zip").location(), "/ada/tool/-/archive/main/tool-main.zip");
    for (from, to) in [
        ("repository/archive.zip?ref=feature%2Fx", "feature/x/tool-feature-x.zip"),
        ("repository/main/archive.tar.gz", "main/tool-main.tar.gz"),
        ("repository/archive.tar", "main/tool-main.tar"),
    ] {
        assert_eq!(browser.get(&format!("/ada/tool/{from}")).location(), format!("/ada/tool/-/archive/{to}"));
    }
    for below in [
        "-/archive/none/x.zip",
        "-/archive/main/tool.exe",
        "-/archive/main",
        "repository/none",
        "repository/archive.exe",
    ] {
        let _ = browser.get(&format!("/ada/tool/{below}")).assert_status(404);
    }
    let _ = ada.put("/projects/ada%2Ftool", json!({"visibility": "private"})).assert_status(200);
    let missing = browser.get("/no/page").html;
    let _ = browser.get("/ada/tool/-/archive/main/tool-main.zip").assert_status(404);
    for below in [
        "-/archive/main.zip",
        "blame/main/a.txt",
        "find_file/main",
        "files/main",
        "compare",
        "compare/main...feature/x",
        "repository/archive.zip",
    ] {
        assert_eq!(browser.get(&format!("/ada/tool/{below}")).assert_status(404).html, missing, "{below}");
    }
    assert_eq!(
        browser
            .post(
                "/ada/tool/compare",
                &[("authenticity_token", &browser.get("/users/sign_in").token()), ("from", "a"), ("to", "b")]
            )
            .assert_status(404)
            .html,
        missing
    );
    // Those who may not read the code are refused.
    let guest = member(server, "guest");
    let _ =
        ada.post("/projects/ada%2Ftool/members", json!({"user_id": guest.id, "access_level": 10})).assert_status(201);
    let guest = Browser::signed_in(server, "guest", PASSWORD);
    for below in [
        "-/archive/main/tool-main.zip",
        "blame/main/a.txt",
        "find_file/main",
        "files/main",
        "compare",
        "compare/main...feature/x",
    ] {
        let _ = guest.get(&format!("/ada/tool/{below}")).assert_status(403);
    }
}
