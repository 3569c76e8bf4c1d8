//! The graph of commits, and the users behind their authors.

use serde_json::json;
use tenon_testkit::{TestServer, User, both_databases};

use crate::browser::{Browser, pattern, safe};
use crate::project::{MARKER, commit, project};
use crate::{PASSWORD, member};

/// A public project of `ada`'s with a branch that was merged, one that was not, and a tag.
fn world(server: &TestServer) -> (User, i64) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let _ = commit(&ada, "ada/tool", "main", "First", &[("a.txt", b"a\n")]);
    let path = format!("/projects/{id}");
    for branch in ["merged", "open/one"] {
        let body = json!({"branch": branch, "ref": "main"});
        let _ = ada.post(&format!("{path}/repository/branches"), body).assert_status(201);
        let title = format!("On {branch} {MARKER}");
        let _ = commit(&ada, "ada/tool", branch, &title, &[(&branch.replace('/', "-"), b"x\n")]);
    }
    let _ = commit(&ada, "ada/tool", "main", "Second", &[("b.txt", b"b\n")]);
    let body = json!({"source_branch": "merged", "target_branch": "main", "title": "Merge it"});
    let _ = ada.post(&format!("{path}/merge_requests"), body).assert_status(201);
    let _ = ada.put(&format!("{path}/merge_requests/1/merge"), json!({})).assert_status(200);
    let body = json!({"tag_name": "v1", "ref": "main", "message": "One"});
    let _ = ada.post(&format!("{path}/repository/tags"), body).assert_status(201);
    (ada, id)
}

/// The rows of a graph, without the lines.
fn rows(page: &str) -> Vec<String> {
    let list = page.split("<ul class=\"rows graph\">").nth(1).unwrap_or_else(|| panic!("{page}"));
    let lines = pattern("(?s)<svg.*?</svg>");
    let list = list.split("</ul>").next().unwrap();
    list.split("<li>").skip(1).map(|row| lines.replace_all(row, "").into_owned()).collect()
}

#[both_databases]
fn the_graph_names_branches_and_tags_and_shows_merges(server: &TestServer) {
    let _ = world(server);
    let stranger = Browser::of(server);
    let page = safe(&stranger, "/ada/tool/network/main");
    let found = rows(&page);
    assert_eq!(found.len(), 4, "{found:?}");
    let merge = &found[0];
    for text in [
        "href=\"/ada/tool/tree/main\"",
        "href=\"/ada/tool/tags/v1\"",
        "<span class=\"hidden\">Merge:</span> ",
        "<span class=\"hidden\">Branch</span>",
    ] {
        assert!(merge.contains(text), "{text}: {merge}");
    }
    assert!(found.iter().skip(1).all(|row| !row.contains("Merge:")), "{found:?}");
    assert!(!page.contains("On open/one") && found.iter().any(|row| row.contains("/tree/merged\"")), "{found:?}");
    // The merge leads to two parents, in two colours.
    let lines =
        pattern("(?s)<svg.*?</svg>").find(page.split("rows graph").nth(1).unwrap()).unwrap().as_str().to_owned();
    assert!(lines.contains("var(--accent)") && lines.contains("var(--good)") && lines.contains("var(--bg)"), "{lines}");
    let all = safe(&stranger, "/ada/tool/network");
    let found = rows(&all);
    assert!(found.len() == 5 && found.iter().any(|row| row.contains("/tree/open/one\"")), "{found:?}");
    // It leads to the list and back, and the branch can be chosen.
    let list = safe(&stranger, "/ada/tool/commits/main");
    assert!(list.contains("href=\"/ada/tool/network/main\""), "{list}");
    assert!(page.contains("href=\"/ada/tool/commits/main\"") && page.contains("href=\"/ada/tool/network\""));
    assert!(page.contains("<a href=\"/ada/tool/branches\">All branches</a>"), "{page}");
    let there = stranger.get("/ada/tool/refs/switch?destination=network&id=open/one").location();
    assert_eq!(there, "/ada/tool/network/open/one");
    let _ = stranger.get("/ada/tool/-/network/main").assert_status(200);
}

#[both_databases]
fn a_graph_has_pages_and_names_what_is_there(server: &TestServer) {
    let (ada, id) = world(server);
    for number in 0..60 {
        let _ = commit(&ada, "ada/tool", "main", &format!("Line {number}"), &[(&format!("n/{number}"), b"n")]);
    }
    let stranger = Browser::of(server);
    let first = safe(&stranger, "/ada/tool/network/main");
    assert!(rows(&first).len() == 50 && first.contains("?page=2\"") && !first.contains("rel=\"prev\""), "{first}");
    let second = safe(&stranger, "/ada/tool/network/main?page=2");
    assert!(rows(&second).len() == 14 && second.contains("?page=1\"") && !second.contains("rel=\"next\""), "{second}");
    // The lines of the second page go on from the first one.
    assert!(second.contains("M9 -1V20"), "{second}");
    assert!(safe(&stranger, "/ada/tool/network/main?page=9").contains("The last page is 2."));
    for missing in ["none", "main/a.txt", "%22"] {
        let _ = stranger.get(&format!("/ada/tool/network/{missing}")).assert_status(404);
    }
    let empty = project(&ada, "empty", "public");
    assert!(empty > id);
    let _ = stranger.get("/ada/empty/network").assert_status(404);
    let _ = project(&ada, "hidden", "private");
    let _ = commit(&ada, "ada/hidden", "main", "First", &[("a.txt", b"a\n")]);
    let hidden = stranger.get("/ada/hidden/network/main").assert_status(404);
    assert_eq!(hidden.html, stranger.get("/ada/none/network/main").assert_status(404).html);
    let _ = ada.post(&format!("/projects/{id}/archive"), json!({})).assert_status(200);
    assert_eq!(rows(&safe(&stranger, "/ada/tool/network/main")).len(), 50);
}

/// Commits as this author to a branch of `ada/tool`.
fn commit_as(ada: &User, id: i64, name: &str, email: &str) {
    let body = json!({"branch": "main", "commit_message": format!("By {email}"), "author_name": name,
        "author_email": email, "actions": [{"action": "create", "file_path": email, "content": "x\n"}]});
    let _ = ada.post(&format!("/projects/{id}/repository/commits"), body).assert_status(201);
}

#[both_databases]
fn authors_are_users_if_they_show_their_address(server: &TestServer) {
    let ada = member(server, "ada");
    let [bob, eve] = ["bob", "eve"].map(|name| member(server, name));
    let id = project(&ada, "tool", "public");
    let _ = commit(&ada, "ada/tool", "main", "First", &[("a.txt", b"a\n")]);
    let email = |user: &User| user.get("/user").json()["email"].as_str().unwrap().to_owned();
    let (bob_email, eve_email) = (email(&bob), email(&eve));
    // Bob shows his address, whatever its case in the commit, and Eve does not.
    let body = json!({"public_email": bob_email});
    let _ = server.root().put(&format!("/users/{}", bob.id), body).assert_status(200);
    commit_as(&ada, id, "Robert", &bob_email.to_uppercase());
    commit_as(&ada, id, "Evelyn", &eve_email);
    commit_as(&ada, id, "Nobody", "nobody@elsewhere.example");
    // An address that waits to be confirmed is nobody's.
    let _ = bob.post("/user/emails", json!({"email": "late@elsewhere.example"}));
    commit_as(&ada, id, "Late", "late@elsewhere.example");
    let pages = ["/ada/tool/commits/main", "/ada/tool/network/main"];
    let (stranger, viewer) = (Browser::of(server), Browser::signed_in(server, "eve", PASSWORD));
    let root = Browser::signed_in(server, "root", "root password");
    let has = |browser: &Browser, path: &str, user: &str, name: &str| {
        let page = safe(browser, path);
        let link = format!("<a href=\"/{user}\" title=\"@{user}\"><bdi>{name}</bdi></a>");
        page.contains(&link) && page.contains(&format!("<bdi>{name}</bdi>"))
    };
    for path in pages {
        assert!(has(&stranger, path, "bob", "Robert") && !has(&stranger, path, "eve", "Evelyn"), "{path}");
        assert!(!safe(&stranger, path).contains("href=\"/eve\""), "{path}");
        // Each user knows the own address, and administrators know all.
        assert!(has(&viewer, path, "eve", "Evelyn") && has(&root, path, "eve", "Evelyn"), "{path}");
        assert!(!has(&root, path, "bob", "Late"), "{path}");
    }
    for path in ["commits/main".to_owned(), format!("blame/main/{}", bob_email.to_uppercase())] {
        assert!(safe(&stranger, &format!("/ada/tool/{path}")).contains("/uploads/-/system/user/initials/"), "{path}");
    }
    // The commit, and the heads of lists of files.
    commit_as(&ada, id, "Bob", &bob_email);
    let head = ada.get(&format!("/projects/{id}/repository/commits/main")).json()["id"].as_str().unwrap().to_owned();
    for path in [
        "/ada/tool".to_owned(),
        "/ada/tool/tree/main".to_owned(),
        format!("/ada/tool/commit/{head}"),
        "/ada/tool/branches".to_owned(),
    ] {
        assert!(
            has(&stranger, &path, "bob", "Bob") && safe(&stranger, &path).contains("/uploads/-/system/user/initials/"),
            "{path}"
        );
    }
    // Nobody is shown to strangers if the server shows no user to them.
    let body = json!({"restricted_visibility_levels": ["public"]});
    let _ = server.root().put("/application/settings", body).assert_status(200);
    assert!(has(&viewer, "/ada/tool/commits/main", "bob", "Robert"));
}
