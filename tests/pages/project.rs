//! The pages of a project: its front, directories, files and commits.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, User, both_databases};

use crate::browser::{Browser, Page};
use crate::{PASSWORD, member};

/// The text that may never arrive as it is: in a name, a text or a message.
pub(crate) const MARKER: &str = "\"><img src=x onerror=alert(1)>";

/// A commit on `branch` of files with these contents.
pub(crate) fn commit(client: &Client, project: &str, branch: &str, message: &str, files: &[(&str, &[u8])]) -> String {
    let actions: Vec<Value> = files
        .iter()
        .map(|(path, content)| {
            json!({"action": "create", "file_path": path, "content": STANDARD.encode(content), "encoding": "base64"})
        })
        .collect();
    let body = json!({"branch": branch, "commit_message": message, "actions": actions});
    let path = format!("/projects/{}/repository/commits", project.replace('/', "%2F"));
    client.post(&path, body).assert_status(201).json()["id"].as_str().unwrap().to_owned()
}

/// A project of this visibility in the namespace of its maker.
pub(crate) fn project(owner: &User, name: &str, visibility: &str) -> i64 {
    let body = json!({"name": name, "visibility": visibility, "description": format!("About {name} {MARKER}")});
    owner.post("/projects", body).assert_status(201).json()["id"].as_i64().unwrap()
}

/// A repository in which every text is hostile. The last commit of `main` is returned.
pub(crate) fn fill(owner: &User, path: &str) -> String {
    let readme = format!(
        "# Title\n\n## Title\n\n{MARKER} <script>alert(1)</script> [x](javascript:alert(1)) [guide](doc/guide.md#part) \
         [folder](doc) [top](/) ![own](pic.png) ![other](https://elsewhere.example/x.png) [here](#title)\n"
    );
    let _ = commit(
        owner,
        path,
        "main",
        &format!("First {MARKER}\n\nBody {MARKER}"),
        &[
            ("README.md", readme.as_bytes()),
            ("doc/guide.md", b"# Part\n\n[up](../README.md) [code](../src/a b#c.rs#L2)\n"),
            ("src/a b#c.rs", format!("fn main() {{}}\n// {MARKER}\n").as_bytes()),
            ("pic.png", b"\x89PNG\0"),
            ("page.html", b"<script>alert(1)</script>"),
            ("data.bin", b"a\0b"),
            ("empty.txt", b""),
        ],
    );
    let hostile = format!("{MARKER}/{MARKER}.txt").replace("src=x ", "");
    let head = commit(owner, path, "main", "Hostile names", &[(&hostile, b"x"), ("uploads/2026/a.txt", b"up")]);
    let id = path.replace('/', "%2F");
    for (kind, name) in [("branches", "feature/x"), ("branches", "\"><b>x</b>"), ("branches", "both")] {
        let body = json!({"branch": name, "ref": "main"});
        let _ = owner.post(&format!("/projects/{id}/repository/{kind}"), body).assert_status(201);
    }
    for name in ["v1.0", "both"] {
        let body = json!({"tag_name": name, "ref": "main", "message": MARKER});
        let _ = owner.post(&format!("/projects/{id}/repository/tags"), body).assert_status(201);
    }
    head
}

pub(crate) fn get(server: &TestServer, path: &str) -> Page {
    Browser::of(server).get(path)
}

/// All addresses of pages below a project with [`fill`] in it.
fn pages(path: &str, head: &str) -> Vec<String> {
    [
        "",
        "/tree/main",
        "/tree/main/doc",
        "/tree/feature/x/doc",
        "/blob/main/README.md",
        "/blob/main/README.md?plain=1",
        "/blob/main/src/a%20b%23c.rs",
        "/blob/main/pic.png",
        "/blob/main/data.bin",
        "/blob/main/empty.txt",
        "/commits/main",
        "/commits/main/doc",
        "/commit/{head}",
        "/branches",
        "/tags",
        "/raw/main/README.md",
    ]
    .map(|below| format!("/{path}{}", below.replace("{head}", head)))
    .to_vec()
}

#[both_databases]
fn a_project_is_shown_to_those_who_may_see_it(server: &TestServer) {
    let ada = member(server, "ada");
    for name in ["guest", "dev", "other"] {
        let _ = member(server, name);
    }
    let browser = |name: &str| match name {
        "" => Browser::of(server),
        "root" => Browser::signed_in(server, "root", "root password"),
        name => Browser::signed_in(server, name, PASSWORD),
    };
    let missing = get(server, "/ada/none").assert_status(404).html;
    for visibility in ["private", "internal", "public"] {
        let id = project(&ada, visibility, visibility);
        let path = format!("ada/{visibility}");
        let head = fill(&ada, &path);
        for (name, level) in [("guest", 10), ("dev", 30)] {
            let user = ada.get(&format!("/users?username={name}")).json()[0]["id"].clone();
            let body = json!({"user_id": user, "access_level": level});
            let _ = ada.post(&format!("/projects/{id}/members"), body).assert_status(201);
        }
        for name in ["", "other", "guest", "dev", "ada", "root"] {
            let browser = browser(name);
            let status = match (visibility, name) {
                ("private" | "internal", "") | ("private", "other") => 404,
                ("private", "guest") => 403,
                _ => 200,
            };
            for page in pages(&path, &head) {
                let is_front = page == format!("/{path}");
                let want = if status == 403 && is_front { 200 } else { status };
                let found = browser.get(&page);
                assert_eq!(found.reply.status(), want, "{visibility} {name} {page}: {}", found.html);
                if want == 404 {
                    assert_eq!(found.html, missing, "{visibility} {name} {page}");
                }
                if want == 200 && !page.contains("/raw/") {
                    assert!(!found.html.contains("<img src=x") && !found.html.contains("<b>x</b>"), "{page}");
                    assert!(!found.html.contains("<script>alert"), "{page}: {}", found.html);
                }
                if status == 403 && is_front {
                    assert!(found.html.contains("You don't have permission to view this project"), "{}", found.html);
                    assert!(!found.html.contains("README") && !found.html.contains("Clone over"));
                }
            }
        }
    }
}

#[both_databases]
fn the_front_has_the_files_and_the_readme(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let head = fill(&ada, "ada/tool");
    let front = get(server, "/ada/tool").assert_status(200).html;
    let base = server.base();
    for text in [
        "<h1 class=\"hidden\" dir=\"auto\">tool</h1>",
        "Public",
        "<a href=\"/ada/tool/starrers\">0 stars</a>",
        "<a href=\"/ada/tool/forks\">0 forks</a>",
        "Hostile names",
        &format!("value=\"{base}/ada/tool.git\""),
        "Clone over SSH",
        "<a href=\"/ada/tool/tree/main/doc\"><bdi>doc</bdi></a></td>",
        &format!("rel=\"nofollow\" href=\"/ada/tool/commit/{head}\">"),
        "<h3 id=\"user-content-title\" class=\"level-1\">Title</h3>",
        "<h4 id=\"user-content-title-1\" class=\"level-2\"><a class=\"anchor\" id=\"title-1\"></a>Title</h4>",
        "href=\"/ada/tool/blob/main/doc/guide.md#user-content-part\"",
        "href=\"/ada/tool/blob/main/doc\"",
        "<img src=\"/ada/tool/raw/main/pic.png\" alt=\"own\"",
        "href=\"#user-content-title\"",
        "href=\"https://elsewhere.example/x.png\" rel=\"nofollow noreferrer noopener\"",
        "<a href=\"/ada/tool/tree/main\" aria-current=\"true\"><bdi>main</bdi></a>",
        "<a href=\"/ada/tool/tree/feature/x\"><bdi>feature/x</bdi></a>",
        "<link rel=\"alternate\" type=\"application/json\" href=\"/api/v4/projects/1\">",
    ] {
        assert!(front.contains(text), "{text} in {front}");
    }
    assert!(!front.contains("javascript:") && !front.contains("Loading…"));
    // The directory that only the first commit changed shows that one.
    let doc = front.split("<bdi>doc</bdi>").nth(1).unwrap().split("</tr>").next().unwrap();
    assert!(doc.contains("First ") && !doc.contains("Hostile names"), "{doc}");
    // The API's addresses of the pages of the project, of a branch, of the readme and of a commit lead there.
    let id = "/projects/ada%2Ftool";
    server.run_jobs();
    let api = ada.get(id).json();
    let branch = ada.get(&format!("{id}/repository/branches/feature%2Fx")).json();
    let last = ada.get(&format!("{id}/repository/commits/main")).json();
    for address in [&api["web_url"], &api["readme_url"], &branch["web_url"], &last["web_url"]] {
        let address = address.as_str().unwrap().strip_prefix(base).unwrap();
        let _ = get(server, address).assert_status(200);
    }
}

#[both_databases]
fn an_empty_project_says_what_to_do(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "fresh", "public");
    let own = Browser::signed_in(server, "ada", PASSWORD).get("/ada/fresh").assert_status(200).html;
    assert!(
        own.contains("git push -u origin HEAD") && own.contains(&format!("git clone {}/ada/fresh.git", server.base()))
    );
    let strange = get(server, "/ada/fresh").assert_status(200).html;
    assert!(strange.contains("Nothing has been pushed") && !strange.contains("git push"));
    for below in ["tree/main", "blob/main/a", "raw/main/a", "commits/main", "commit/main"] {
        let _ = get(server, &format!("/ada/fresh/{below}")).assert_status(404);
    }
    for below in ["branches", "tags"] {
        let _ = get(server, &format!("/ada/fresh/{below}")).assert_status(200);
    }
    assert_eq!(ada.post("/projects/ada%2Ffresh/archive", json!({})).json()["archived"], true);
    let own = Browser::signed_in(server, "ada", PASSWORD).get("/ada/fresh").assert_status(200).html;
    assert!(own.contains("This project is archived") && !own.contains("git push"));
}

#[both_databases]
fn what_names_nothing_is_missing(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let head = fill(&ada, "ada/tool");
    let missing = get(server, "/no/page").assert_status(404).html;
    for below in [
        "tree/none",
        "tree/main/none",
        "tree/main/none/deeper",
        "tree/main/README.md/x",
        "blob/main/none",
        "blob/none/README.md",
        "raw/main",
        "raw/main/doc",
        "raw/none/README.md",
        "commits/none",
        "commit/none",
        "commit/0000000000000000000000000000000000000000",
        "tree/main%00",
        "tree/%ff",
        "tree/main/%2e%2e/x",
        "blob/main/..%2Fx",
        "tree/--upload-pack=x",
        "tree/refs/keep-around/x",
        "nothing",
        "tree//x",
        "refs/switch",
        "-/nothing",
        "-",
        "commit",
        "issues/1/2/3",
    ] {
        let page = get(server, &format!("/ada/tool/{below}"));
        assert_eq!((page.reply.status(), page.html == missing), (404, true), "{below}");
    }
    for (from, to) in [
        ("blob/main/doc", "tree/main/doc"),
        ("blob/main", "tree/main"),
        ("tree/main/README.md", "blob/main/README.md"),
        ("tree", ""),
        ("refs/switch?id=feature%2Fx&path=doc&destination=tree", "tree/feature/x/doc"),
        ("refs/switch?id=tags:both&destination=commits", "commits/both?ref_type=tags"),
        ("refs/switch?id=//evil.example&destination=https:", "tree///evil.example"),
    ] {
        let to = format!("/ada/tool/{to}");
        assert_eq!(get(server, &format!("/ada/tool/{from}")).location(), to.trim_end_matches('/'), "{from}");
    }
    for at in ["HEAD", &head, head.get(..8).unwrap(), "feature%2Fx", "v1.0", "both?ref_type=tags"] {
        let _ = get(server, &format!("/ada/tool/tree/{at}")).assert_status(200);
    }
}

#[both_databases]
fn files_are_shown_as_what_they_are(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let head = fill(&ada, "ada/tool");
    let long = "x".repeat(200_000) + "\n" + &"y\n".repeat(10_050);
    let huge = "z".repeat(600 * 1024);
    let turned = "a\u{202e}b\n";
    let id = commit(
        &ada,
        "ada/tool",
        "main",
        "Large",
        &[
            ("long.txt", long.as_bytes()),
            ("huge.txt", huge.as_bytes()),
            ("turned.rs", turned.as_bytes()),
            ("latin.txt", b"caf\xe9\r\n"),
            ("BIG.md", huge.as_bytes()),
        ],
    );
    let html = |below: &str| get(server, &format!("/ada/tool/blob/main/{below}")).assert_status(200).html;
    let source = html("src/a%20b%23c.rs");
    assert!(
        source.contains(r##"<tr id="L2"><td><a href="#L2">2</a></td><td>// &#34;&#62;&#60;img src=x"##),
        "{source}"
    );
    assert!(source.contains("2 lines") && source.contains("/ada/tool/raw/main/src/a%20b%23c.rs"));
    let guide = html("doc/guide.md");
    assert!(guide.contains("href=\"/ada/tool/blob/main/README.md\"") && guide.contains("?plain=1"), "{guide}");
    assert!(html("doc/guide.md?plain=1").contains("# Part</td>"));
    assert!(html("pic.png").contains("src=\"/ada/tool/raw/main/pic.png\" alt=\"pic.png\""));
    assert!(html("data.bin").contains("Binary file not shown") && html("empty.txt").contains("Empty file"));
    assert!(html("huge.txt").contains("larger than 512 KiB are not shown") && html("BIG.md").contains("512 KiB"));
    assert!(html("turned.rs").contains("bidirectional Unicode text"));
    assert!(html("latin.txt").contains("<td>caf\u{fffd}</td>"));
    let cut = html("long.txt");
    assert!(
        cut.contains("51 more lines are not shown") && cut.contains("id=\"L10000\"") && !cut.contains("id=\"L10001\"")
    );
    // A readme that is too large, and one of a directory.
    assert!(get(server, "/ada/tool/tree/main/doc").html.contains("guide.md"));
    // At an older commit the file is not there, and the others have addresses that stay.
    let _ = get(server, &format!("/ada/tool/blob/{head}/long.txt")).assert_status(404);
    assert!(get(server, &format!("/ada/tool/commit/{id}")).html.contains("This diff is too large"));
}

#[both_databases]
fn bytes_of_files_never_act(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let _ = project(&ada, "own", "private");
    let head = fill(&ada, "ada/tool");
    let hidden = fill(&ada, "ada/own");
    let large = "line\n".repeat(100_000);
    let mut packed = vec![0_u8; 400_000];
    packed[0] = 1;
    let _ = commit(
        &ada,
        "ada/tool",
        "main",
        "Large",
        &[("large.txt", large.as_bytes()), ("large.bin", &packed), ("a.svg", b"<svg onload='alert(1)'/>")],
    );
    let raw = |below: &str| get(server, &format!("/ada/tool/raw/{below}")).assert_status(200);
    for (below, kind, how) in [
        ("main/page.html", "text/plain; charset=utf-8", "inline"),
        ("main/a.svg", "image/svg+xml", "inline"),
        ("main/README.md", "text/plain; charset=utf-8", "inline"),
        ("main/large.txt", "text/plain; charset=utf-8", "inline"),
        ("main/pic.png", "image/png", "inline"),
        ("main/data.bin", "application/octet-stream", "attachment; filename*=UTF-8''data%2Ebin"),
        ("main/large.bin", "application/octet-stream", "attachment; filename*=UTF-8''large%2Ebin"),
        ("main/uploads/2026/a.txt", "text/plain; charset=utf-8", "inline"),
    ] {
        let page = raw(below);
        let header = |name: &str| page.reply.header(name);
        assert_eq!((header("content-type").as_str(), header("content-disposition").as_str()), (kind, how), "{below}");
        let styles = if std::path::Path::new(below).extension().is_some_and(|ending| ending == "svg") {
            "; style-src 'unsafe-inline'"
        } else {
            ""
        };
        assert_eq!(header("content-security-policy"), format!("sandbox; default-src 'none'{styles}"), "{below}");
        assert_eq!(header("x-content-type-options"), "nosniff", "{below}");
        assert_eq!(header("cache-control"), "private, no-cache", "{below}");
    }
    assert_eq!(raw("main/large.txt").html, large);
    assert_eq!(raw("main/large.bin").reply.bytes(), packed);
    assert_eq!(raw(&format!("{head}/page.html")).reply.header("cache-control"), "public, max-age=31536000, immutable");
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let page = own.get(&format!("/ada/own/raw/{hidden}/page.html")).assert_status(200);
    // Pages that strangers may not see are gone when the user has signed out: texts are not kept, pictures are asked
    // for again.
    assert_eq!(page.reply.header("cache-control"), "private, no-store");
    for (below, want) in [("main/page.html", "no-store"), ("main/data.bin", "no-store"), ("main/pic.png", "no-cache")] {
        let page = own.get(&format!("/ada/own/raw/{below}")).assert_status(200);
        assert_eq!(page.reply.header("cache-control"), format!("private, {want}"), "{below}");
    }
    assert_eq!(own.get(&format!("/ada/own/raw/{hidden}/pic.png")).reply.header("cache-control"), "private, no-cache");
    let tag = page.reply.header("etag");
    let again = own.send("GET", "/ada/own/raw/main/page.html", &[], &[("If-None-Match", &tag)]);
    assert_eq!((again.reply.status(), again.html.as_str()), (304, ""));
    let stranger = Browser::of(server).send("GET", "/ada/own/raw/main/page.html", &[], &[("If-None-Match", &tag)]);
    assert_eq!(stranger.reply.status(), 404);
    let of_large = own.send("HEAD", "/ada/tool/raw/main/large.txt", &[], &[]);
    assert_eq!((of_large.reply.status(), of_large.html.as_str()), (200, ""));
    // Nothing is public if strangers have to sign in.
    let _ = server
        .root()
        .put("/application/settings", json!({"restricted_visibility_levels": ["public"]}))
        .assert_status(200);
    assert_eq!(
        own.get(&format!("/ada/tool/raw/{head}/page.html")).assert_status(200).reply.header("cache-control"),
        "private, no-store"
    );
}

#[both_databases]
fn a_wide_directory_has_pages(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "wide", "public");
    let names: Vec<String> = (0..230).map(|number| format!("f{number:03}.txt")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
    let _ = commit(&ada, "ada/wide", "main", "All", &files);
    let first = get(server, "/ada/wide/tree/main").assert_status(200).html;
    assert!(
        first.contains("Showing 100 of 230 entries") && first.contains("Page 1 of 3") && !first.contains("f100.txt")
    );
    let last = get(server, "/ada/wide/tree/main?page=3").assert_status(200).html;
    assert!(last.contains("f229.txt") && !last.contains("f199.txt"));
    let _ = get(server, "/ada/wide?page=99999999999999999999").assert_status(200);
}

#[both_databases]
fn a_commit_shows_what_it_changes(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let first = fill(&ada, "ada/tool");
    let body = json!({"branch": "main", "commit_message": "Second line\n\nWhy: <b>", "actions": [
        {"action": "update", "file_path": "src/a b#c.rs", "content": "fn main() { run() }\n// end\n"},
        {"action": "delete", "file_path": "empty.txt"},
        {"action": "move", "previous_path": "page.html", "file_path": "site.html", "content": "<script>alert(1)</script>"},
    ]});
    let second = ada.post("/projects/ada%2Ftool/repository/commits", body).assert_status(201).json();
    let second = second["id"].as_str().unwrap();
    let page = get(server, &format!("/ada/tool/commit/{second}")).assert_status(200).html;
    let marked = "<span class=\"differs\">";
    assert!(page.contains(marked), "the words that were added");
    let page = page.replace(marked, "").replace("</span>", "");
    for text in [
        "dir=\"auto\">Second line</h1>",
        "Why: &#60;b&#62;",
        "3 files changed",
        "<tr class=\"removed\"><td>1</td><td></td><td>fn main() {}</td></tr>",
        "<tr class=\"added\"><td></td><td>1</td><td>fn main() { run() }</td></tr>",
        "renamed from page.html",
        &format!("/ada/tool/commit/{first}"),
        &format!("/ada/tool/tree/{second}"),
    ] {
        assert!(page.contains(text), "{text} in {page}");
    }
    let list = get(server, "/ada/tool/commits/main").assert_status(200).html;
    assert!(list.contains("Second line") && list.contains("Hostile names"));
    let list = get(server, "/ada/tool/commits/main/doc").assert_status(200).html;
    assert!(list.contains("First ") && !list.contains("Second line"));
}

#[both_databases]
fn a_page_costs_a_bounded_number_of_statements(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let head = fill(&ada, "ada/tool");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    for path in pages("ada/tool", &head) {
        let _ = browser.get(&path).assert_status(200);
        let count = server.count_statements(|| drop(browser.get(&path)));
        // The reads of a page of the account, and those of a project: its place, itself, rules of branches, a readme's
        // references, the star, the level of notifications. The comments on a commit, and the user behind the address in
        // it, are read when Git has named it, by one more read of a signed-in caller. So is the state of its pipeline.
        // Branches: the merge request of each, and what was just pushed.
        // Tags: which of them have a release.
        let most = if path.ends_with("/branches") || path.ends_with("/tags") { 43 } else { 41 };
        assert!(count <= most, "{path}: {count} statements");
    }
}
