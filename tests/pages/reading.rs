//! Reading code: files with their tree, histories by days, one commit, blame, and branches beside the default branch.

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, User, both_databases};

use crate::browser::Browser;
use crate::project::{commit, project};
use crate::{PASSWORD, member};

/// A public project of `ada`'s with files at several depths.
fn world(server: &TestServer) -> (User, i64) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let files: [(&str, &[u8]); 5] = [
        ("README.md", b"# Tool\n"),
        ("src/main.rs", b"fn main() {}\n"),
        ("src/deep/inner/leaf.py", b"x = 1\ny = 2\n"),
        ("src/deep/other.rs", b"fn f() {}\n"),
        ("docs/guide.txt", b"Guide\n"),
    ];
    let _ = commit(&ada, "ada/tool", "main", "Add `main` and `leaf`\n\nBecause of it.", &files);
    (ada, id)
}

fn get(server: &TestServer, path: &str) -> String {
    Browser::of(server).get(path).assert_status(200).html
}

/// The part of a page between two texts.
fn between<'a>(page: &'a str, begins: &str, ends: &str) -> &'a str {
    let rest = page.split(begins).nth(1).unwrap_or_else(|| panic!("{begins} in {page}"));
    rest.split(ends).next().unwrap()
}

#[both_databases]
fn a_file_has_one_head_line_with_its_facts(server: &TestServer) {
    let _ = world(server);
    let page = get(server, "/ada/tool/blob/main/src/deep/inner/leaf.py");
    let top = between(&page, "<section class=\"box\" aria-label=", "</div>");
    for text in ["2 lines", "12 bytes", "Python", ">Code</a>", ">Blame</a>", ">History</a>", ">Raw</a>"] {
        assert!(top.contains(text), "{text}: {top}");
    }
    let raw = "href=\"/ada/tool/raw/main/src/deep/inner/leaf.py\"";
    assert!(top.contains(&format!("download=\"leaf.py\" {raw}")) && top.contains("data-copy-lines"), "{top}");
    // Buttons that only work with a script are hidden without one.
    let buttons: Vec<&str> = page.split("data-copy-").skip(1).filter_map(|rest| rest.split('>').next()).collect();
    assert!(buttons.len() == 2 && buttons.iter().all(|button| button.ends_with(" hidden")), "{buttons:?}");
    assert!(page.contains("data-copy-text=\"src/deep/inner/leaf.py\""), "{page}");
    let readme = get(server, "/ada/tool/blob/main/README.md");
    let top = between(&readme, "<section class=\"box\" aria-label=", "</div>");
    assert!(top.contains("Markdown") && top.contains("README.md?plain=1") && !top.contains("data-copy-lines"), "{top}");
}

#[both_databases]
fn a_tree_of_files_is_beside_a_file_and_a_directory(server: &TestServer) {
    let (ada, _) = world(server);
    let tree = |path: &str| {
        let page = get(server, path);
        between(&page, "<nav aria-label=\"File tree\">", "</nav>").to_owned()
    };
    let file = tree("/ada/tool/blob/main/src/deep/inner/leaf.py");
    let names = ["docs", "src", "deep", "inner", "leaf.py", "other.rs", "main.rs", "README.md"];
    let mut last = 0;
    for name in names {
        let at = file.find(&format!(">{name}</bdi>")).unwrap_or_else(|| panic!("{name}: {file}"));
        assert!(at > last, "{name}: {file}");
        last = at;
    }
    assert_eq!((file.matches("<details open>").count(), file.matches("aria-current").count()), (3, 1), "{file}");
    assert!(file.contains("/ada/tool/blob/main/src/deep/inner/leaf.py\" aria-current=\"page\""), "{file}");
    assert!(file.contains("href=\"/ada/tool/tree/main/docs\"") && !file.contains("guide.txt"), "{file}");
    // Beside a directory are those above it. The top has none above it.
    let folder = tree("/ada/tool/tree/main/src/deep");
    assert!(folder.contains("/ada/tool/tree/main/src/deep\" aria-current=\"page\""), "{folder}");
    assert!(!folder.contains("other.rs") && folder.contains("main.rs"), "{folder}");
    assert!(!get(server, "/ada/tool/tree/main").contains("File tree"));
    // A wide directory is shown in part, with the file of the page.
    let names: Vec<String> = (0..250).map(|number| format!("wide/f{number:03}.txt")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
    let _ = commit(&ada, "ada/tool", "main", "Wide", &files);
    let wide = tree("/ada/tool/blob/main/wide/f240.txt");
    assert_eq!(wide.matches("/blob/main/wide/").count(), 201, "{wide}");
    assert!(wide.contains("f240.txt\" aria-current") && wide.contains("49 more</a>"), "{wide}");
}

#[both_databases]
fn a_history_is_by_days_and_found_by_text_author_and_path(server: &TestServer) {
    let (ada, id) = world(server);
    let first = get(server, "/ada/tool/commits/main");
    server.advance(TimeDelta::days(1));
    let body = json!({"branch": "main", "commit_message": "Fix 50% of _it_", "author_name": "Grace Hopper",
        "author_email": "grace@example.com", "actions": [
        {"action": "update", "file_path": "src/main.rs", "content": "fn main() { run() }\n"}]});
    let _ = ada.post(&format!("/projects/{id}/repository/commits"), body).assert_status(201);
    let days = |page: &str| page.matches("commit</span></h2>").count();
    let page = get(server, "/ada/tool/commits/main");
    assert_eq!((days(&first), days(&page)), (1, 2), "{page}");
    assert!(page.contains("Add <code>main</code> and <code>leaf</code>"), "{page}");
    let found = |query: &str| {
        let page = get(server, &format!("/ada/tool/commits/main{query}"));
        [page.contains("Fix 50%"), page.contains("Add <code>main")]
    };
    for (query, want) in [
        ("?search=fix", [true, false]),
        ("?search=50%25", [true, false]),
        ("?search=Because", [false, true]),
        ("?search=.*", [false, false]),
        ("?author=hopper", [true, false]),
        ("?author=grace%40example", [true, false]),
        ("?author=hopper&search=Add", [false, false]),
        ("/src/main.rs?search=add", [false, true]),
        ("/docs?author=hopper", [false, false]),
        ("?search=&author=", [true, true]),
    ] {
        assert_eq!(found(query), want, "{query}");
    }
    // The authors of the page are links that keep the text.
    let page = get(server, "/ada/tool/commits/main?search=Fix");
    let author =
        crate::browser::first(&page, "class=\"item\" rel=\"nofollow\" href=\"([^\"]*)\"").replace("&#38;", "&");
    assert!(author.starts_with("/ada/tool/commits/main?search=Fix&author="), "{author}");
    let page = get(server, &author);
    assert!(page.contains("Fix 50%") && page.contains("All authors"), "{page}");
    let none = get(server, "/ada/tool/commits/main?search=nothing%20such");
    assert!(none.contains("No commits match your search") && none.contains("value=\"nothing such\""), "{none}");
    // The form names a path, which becomes part of the address.
    let browser = Browser::of(server);
    let went = browser.get("/ada/tool/commits/main?search=add&author=&path=src%2Fmain.rs");
    assert_eq!(went.location(), "/ada/tool/commits/main/src/main.rs?search=add");
    assert_eq!(browser.get("/ada/tool/commits/main?path=%2Fdocs%2F").location(), "/ada/tool/commits/main/docs");
    let _ = browser.get("/ada/tool/commits/main/..%2Fx?search=a").assert_status(404);
}

#[both_databases]
fn a_page_of_commits_keeps_what_was_searched_for(server: &TestServer) {
    let (ada, id) = world(server);
    for number in 0..51 {
        let body = json!({"branch": "main", "commit_message": format!("Step {number}"), "actions": [
            {"action": "create", "file_path": format!("steps/{number}"), "content": "x"}]});
        let _ = ada.post(&format!("/projects/{id}/repository/commits"), body).assert_status(201);
    }
    let page = get(server, "/ada/tool/commits/main?search=step%20&author=");
    assert!(page.contains("?search=step&page=2\"") || page.contains("?search=step&#38;page=2\""), "{page}");
    // The number of a day's commits is there if all of them are.
    assert!(!page.contains("</span></h2>"), "{page}");
    assert!(get(server, "/ada/tool/commits/main?search=step%205").contains("2 commits</span></h2>"));
}

#[both_databases]
fn commits_show_the_states_of_their_pipelines(server: &TestServer) {
    let (ada, id) = world(server);
    let head = ada.get(&format!("/projects/{id}/repository/commits/main")).json()["id"].as_str().unwrap().to_owned();
    let path = format!("/projects/{id}/statuses/{head}");
    let _ = ada.post(&path, json!({"state": "failed", "name": "build", "ref": "main"})).assert_status(201);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let page = own.get("/ada/tool/commits/main").assert_status(200).html;
    assert!(page.contains("Pipeline failed: "), "{page}");
    let _ = ada.put(&format!("/projects/{id}"), json!({"public_jobs": false, "public_builds": false}));
    assert!(!get(server, "/ada/tool/commits/main").contains("Pipeline failed: "));
}

#[both_databases]
fn a_commit_counts_its_lines_and_lists_its_files(server: &TestServer) {
    let (ada, id) = world(server);
    let body = json!({"branch": "main", "commit_message": "Use `run`", "actions": [
        {"action": "update", "file_path": "src/main.rs", "content": "fn main() {\n    run()\n}\n"},
        {"action": "delete", "file_path": "docs/guide.txt"},
        {"action": "create", "file_path": "a.bin", "content": "AAEC", "encoding": "base64"}]});
    let made: Value = ada.post(&format!("/projects/{id}/repository/commits"), body).assert_status(201).json();
    let sha = made["id"].as_str().unwrap();
    let page = get(server, &format!("/ada/tool/commit/{sha}"));
    assert!(page.contains(">Use <code>run</code></h1>"), "{page}");
    assert!(page.contains("3 files changed <span class=\"plus\">+3</span> <span class=\"minus\">−2</span>"), "{page}");
    for (path, counts) in [("src/main.rs", "+3</span> <span class=\"minus\">−1"), ("docs/guide.txt", "−1")] {
        let row = between(&page, &format!("dir=\"auto\">{path}</a> <span class=\"end\">"), "</li>");
        assert!(row.contains(counts), "{path}: {row}");
    }
    // Each entry of the list leads to its file.
    for number in 1..=3 {
        let anchor = format!("file-{number}\"");
        assert_eq!(page.matches(&format!("href=\"#{anchor}")).count(), 1, "{page}");
        assert_eq!(page.matches(&format!(" id=\"{anchor}")).count(), 1, "{page}");
    }
    let parent = made["parent_ids"][0].as_str().unwrap();
    assert!(
        page.contains("Parent <a class=\"sha\"") && page.contains(&format!("/ada/tool/commit/{parent}\"")),
        "{page}"
    );
}

#[both_databases]
fn blame_says_in_one_line_where_lines_come_from(server: &TestServer) {
    let (ada, id) = world(server);
    server.advance(TimeDelta::days(400));
    let body = json!({"branch": "main", "commit_message": "Change `y`", "actions": [
        {"action": "update", "file_path": "src/deep/inner/leaf.py", "content": "x = 1\ny = 3\n"}]});
    let _ = ada.post(&format!("/projects/{id}/repository/commits"), body).assert_status(201);
    let page = get(server, "/ada/tool/blame/main/src/deep/inner/leaf.py");
    let old = between(&page, "<tr id=\"L1\"", "</tr>");
    let new = between(&page, "<tr id=\"L2\"", "</tr>");
    assert!(old.contains("class=\"age-6\"") && new.contains("class=\"age-1\""), "{old}{new}");
    assert!(old.contains("1 year ago") && new.contains("Change <code>y</code>"), "{old}{new}");
    assert!(
        new.contains("View blame prior to this change") && !old.contains("View blame prior to this change"),
        "{old}{new}"
    );
    assert!(page.contains("2 lines") && page.contains("Python"), "{page}");
}

#[both_databases]
fn branches_say_how_far_they_are_from_the_default_branch(server: &TestServer) {
    let (ada, id) = world(server);
    let branch = |name: &str| {
        let body = json!({"branch": name, "ref": "main"});
        let _ = ada.post(&format!("/projects/{id}/repository/branches"), body).assert_status(201);
    };
    branch("old");
    server.advance(TimeDelta::days(100));
    branch("topic");
    branch("caf\u{e9}");
    for (name, file) in [("topic", "one.txt"), ("topic", "two.txt"), ("main", "three.txt")] {
        let _ = commit(&ada, "ada/tool", name, &format!("Add `{file}`"), &[(file, b"x\n")]);
    }
    let body = json!({"source_branch": "topic", "target_branch": "main", "title": "Take it"});
    let _ = ada.post(&format!("/projects/{id}/merge_requests"), body).assert_status(201);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let page = own.get("/ada/tool/branches").assert_status(200).html;
    let places = [
        "Default</h2>",
        "/tree/main\"",
        ">Active</h2>",
        "/tree/topic\"",
        "Stale",
        "no commits in the last 3 months",
        "/tree/old\"",
    ];
    let mut rest = page.split_once("</form>").unwrap().1;
    for place in places {
        rest = rest.split_once(place).unwrap_or_else(|| panic!("{place}: {page}")).1;
    }
    let row = |name: &str| {
        between(&page, &format!("<h3 class=\"cut\"><a href=\"/ada/tool/tree/{name}\">"), "</li>").to_owned()
    };
    let topic = row("topic");
    assert!(
        topic.contains("<span>1<span class=\"hidden\"> commits behind") && topic.contains("<span>2<span"),
        "{topic}"
    );
    assert!(topic.contains("<rect width=\"72%\"") && topic.contains("<rect width=\"100%\""), "{topic}");
    assert!(
        topic.contains("/ada/tool/merge_requests/1\"><span class=\"state small open\">Open</span> !1</a>"),
        "{topic}"
    );
    assert!(topic.contains("Add <code>two.txt</code>") && topic.contains(">Compare</a>"), "{topic}");
    assert!(!topic.contains("New merge request"), "{topic}");
    // A branch without commits of its own has nothing to request. The default branch is not compared with itself.
    assert!(!row("old").contains("New merge request") && !row("main").contains("commits behind"), "{page}");
    let _ = ada.put(&format!("/projects/{id}/merge_requests/1"), json!({"state_event": "close"})).assert_status(200);
    assert!(get(server, "/ada/tool/branches").contains("state small closed\">Closed</span> !1"));
    // Without merge requests there is no state of one.
    let hidden = json!({"merge_requests_enabled": false});
    let _ = ada.put(&format!("/projects/{id}"), hidden).assert_status(200);
    assert!(!get(server, "/ada/tool/branches").contains("Closed</span> !1"));
}

#[both_databases]
fn a_file_of_values_is_shown_as_a_table(server: &TestServer) {
    let (ada, _) = world(server);
    let files: [(&str, &[u8]); 2] =
        [("a.csv", b"name,\"what\"\"s\"\n<b>x</b>,\"1,5\"\n"), ("odd.csv", b"\"open,\n1,2\n")];
    let _ = commit(&ada, "ada/tool", "main", "Tables", &files);
    let page = get(server, "/ada/tool/blob/main/a.csv");
    assert!(page.contains("<th scope=\"col\" dir=\"auto\">what&#34;s</th>"), "{page}");
    assert!(page.contains("&#60;b&#62;x&#60;/b&#62;</td><td dir=\"auto\">1,5</td>"), "{page}");
    assert!(page.contains("a.csv?plain=1\"") && page.contains(" aria-current=\"page\">Rendered</a>"), "{page}");
    let source = get(server, "/ada/tool/blob/main/a.csv?plain=1");
    assert!(source.contains("id=\"L2\"") && source.contains(" aria-current=\"page\">Source</a>"), "{source}");
    // A file with a quotation that does not end is shown as text.
    let odd = get(server, "/ada/tool/blob/main/odd.csv");
    assert!(odd.contains("id=\"L2\"") && !odd.contains("plain=1"), "{odd}");
}

#[both_databases]
fn a_notebook_is_shown_as_text_and_code(server: &TestServer) {
    let (ada, _) = world(server);
    let notebook = json!({"cells": [
        {"cell_type": "markdown", "source": ["# Wind\n", "<script>alert(1)</script>"]},
        {"cell_type": "code", "source": "x = 1", "outputs": [
            {"output_type": "stream", "text": "done"},
            {"output_type": "display_data", "data": {"text/html": "<script>alert(2)</script>"}}]}]});
    let text = notebook.to_string();
    let _ = commit(&ada, "ada/tool", "main", "Book", &[("a.ipynb", text.as_bytes()), ("b.ipynb", b"{}\n")]);
    let page = get(server, "/ada/tool/blob/main/a.ipynb");
    assert!(page.contains("Wind</h") && page.contains("done") && page.contains("a.ipynb?plain=1\""), "{page}");
    assert!(!page.contains("<script>alert") && !page.contains("alert(2)"), "{page}");
    assert!(get(server, "/ada/tool/blob/main/a.ipynb?plain=1").contains("id=\"L1\""));
    assert!(get(server, "/ada/tool/blob/main/b.ipynb").contains("id=\"L1\""));
}

#[both_databases]
fn contributors_are_listed_with_their_share(server: &TestServer) {
    let (ada, id) = world(server);
    let bob = member(server, "bob");
    let body = json!({"user_id": bob.id, "access_level": 40});
    let _ = ada.post(&format!("/projects/{id}/members"), body).assert_status(201);
    for number in 0..3 {
        let _ = commit(&bob, "ada/tool", "main", "More", &[(&format!("n{number}"), b"n\n")]);
    }
    let list = get(server, "/ada/tool/commits/main");
    assert!(list.contains("href=\"/ada/tool/contributors\""), "{list}");
    let page = get(server, "/ada/tool/contributors");
    assert!(page.contains("<rect width=\"75\"") && page.contains("<rect width=\"25\""), "{page}");
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}: {page}"));
    assert!(place(">3 commits<") < place(">1 commit<"), "{page}");
    let past = get(server, "/ada/tool/contributors?page=2");
    assert!(!past.contains(">3 commits<") && !past.contains("No contributors"), "{past}");
    let _ = ada.put(&format!("/projects/{id}"), json!({"visibility": "private"})).assert_status(200);
    let stranger = Browser::of(server);
    let missing = stranger.get("/no/page").assert_status(404).html;
    assert_eq!(stranger.get("/ada/tool/contributors").assert_status(404).html, missing);
    let _ = project(&ada, "empty", "public");
    let _ = stranger.get("/ada/empty/contributors").assert_status(404);
}
