//! The cursor stands in the first field of a form, or in the field that was refused. Pages to read have no focus.

use serde_json::json;
use tenon_testkit::{TestServer, User, both_databases};

use crate::browser::{Browser, pattern};
use crate::project::{commit, project};
use crate::{PASSWORD, member};

/// The ids of the fields of a page that ask for the focus.
fn focused(html: &str) -> Vec<String> {
    let tags = pattern("<(?:input|textarea|select) [^>]*>").find_iter(html);
    let tags = tags.map(|tag| tag.as_str()).filter(|tag| tag.contains(" autofocus"));
    tags.map(|tag| crate::browser::first(tag, " id=\"([^\"]*)\"")).collect()
}

fn world(server: &TestServer) -> User {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "private");
    let _ = commit(&ada, "ada/tool", "main", "Begin", &[("a.txt", b"a\n")]);
    let body = json!({"branch": "topic", "ref": "main"});
    let _ = ada.post(&format!("/projects/{id}/repository/branches"), body).assert_status(201);
    let _ = commit(&ada, "ada/tool", "topic", "More", &[("b.txt", b"b\n")]);
    let body = json!({"source_branch": "topic", "target_branch": "main", "title": "More"});
    let _ = ada.post(&format!("/projects/{id}/merge_requests"), body).assert_status(201);
    let _ = ada.post(&format!("/projects/{id}/issues"), json!({"title": "One"})).assert_status(201);
    let _ = ada.post(&format!("/projects/{id}/wikis"), json!({"title": "home", "content": "c"})).assert_status(201);
    let snippet = json!({"title": "t", "file_name": "a", "code": "c", "visibility": "private"});
    let _ = ada.post(&format!("/projects/{id}/snippets"), snippet).assert_status(201);
    let _ = ada.post(&format!("/projects/{id}/issues/1/notes"), json!({"body": "Two"})).assert_status(201);
    ada
}

#[both_databases]
fn the_cursor_stands_in_the_first_field_of_a_form(server: &TestServer) {
    let ada = world(server);
    let note = ada.get("/projects/ada%2Ftool/issues/1/notes").json()[0]["id"].clone();
    let (stranger, own) = (Browser::of(server), Browser::signed_in(server, "ada", PASSWORD));
    let edited = format!("/ada/tool/issues/1?edit_note={note}");
    for (browser, path, field) in [
        (&stranger, "/users/sign_in", "user_login"),
        (&stranger, "/users/sign_up", "new_user_name"),
        (&own, "/profile/password/edit", "user_current_password"),
        (&own, "/profile/personal_access_tokens", "token_name"),
        (&own, "/profile/keys", "key_key"),
        (&own, "/profile/gpg_keys", "gpg_key_key"),
        (&own, "/profile/emails", "email_email"),
        (&own, "/oauth/applications/new", "application_name"),
        (&own, "/oauth/device", "user_code"),
        (&own, "/projects/new", "name"),
        (&own, "/groups/new", "name"),
        (&own, "/search", "search"),
        (&own, "/ada/tool/issues/new", "title"),
        (&own, "/ada/tool/issues/1/edit", "title"),
        (&own, &edited, &format!("edited_{note}")),
        (&own, "/ada/tool/merge_requests/new", "source_branch"),
        (&own, "/ada/tool/merge_requests/new?merge_request[source_branch]=topic", "title"),
        (&own, "/ada/tool/merge_requests/1/edit", "title"),
        (&own, "/ada/tool/wiki_pages/new", "title"),
        (&own, "/ada/tool/wiki_pages/edit/home", "content"),
        (&own, "/ada/tool/snippets/new", "title"),
        (&own, "/ada/tool/snippets/1/edit", "title"),
        (&own, "/snippets/new", "title"),
        (&own, "/ada/tool/labels/new", "title"),
        (&own, "/ada/tool/milestones/new", "title"),
        (&own, "/ada/tool/environments/new", "environment-name"),
        (&own, "/ada/tool/feature_flags/new", "feature_flag-name"),
        (&own, "/ada/tool/branches/new", "name"),
        (&own, "/ada/tool/tags/new", "name"),
        (&own, "/ada/tool/new/main", "path"),
        (&own, "/ada/tool/commit/main/revert", "branch"),
        (&own, "/ada/tool/edit/main/a.txt", "content"),
        (&own, "/ada/tool/edit/main/a.txt?delete=1", "message"),
        (&own, "/ada/tool/compare", "from"),
        (&own, "/ada/tool/find_file/main", "search"),
        (&own, "/ada/tool/uploads/new", "file"),
    ] {
        let page = browser.get(path).assert_status(200);
        assert_eq!(focused(&page.html), [field], "{path}");
    }
    let changes = own.get("/ada/tool/merge_requests/1/diffs").assert_status(200).html;
    let line = crate::browser::first(&changes, "href=\"([^\"]*/diffs[?][^\"]*comment=[^\"]*)\"");
    let line = line.replace("&amp;", "&").replace("&#38;", "&");
    let page = own.get(line.split('#').next().unwrap()).assert_status(200);
    let field = format!("line-comment{}", line.rsplit('#').next().unwrap());
    assert_eq!(focused(&page.html), [field], "{line}");
}

#[both_databases]
fn pages_to_read_take_no_focus(server: &TestServer) {
    let _ada = world(server);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    for path in [
        "/",
        "/dashboard/projects",
        "/ada/tool",
        "/ada/tool/issues",
        "/ada/tool/issues/1",
        "/ada/tool/merge_requests",
        "/ada/tool/merge_requests/1",
        "/ada/tool/merge_requests/1/diffs",
        "/ada/tool/wikis/home",
        "/ada/tool/snippets",
        "/ada/tool/snippets/1",
        "/dashboard/snippets",
        "/ada/tool/branches",
        "/ada/tool/blob/main/a.txt",
        "/ada/tool/commits/main",
        "/ada/tool/edit",
        "/ada/tool/project_members",
        "/ada/tool/compare/main...topic",
        "/search?search=one",
        "/profile",
    ] {
        let page = own.get(path).assert_status(200);
        assert!(focused(&page.html).is_empty(), "{path}: {:?}", focused(&page.html));
    }
}

#[both_databases]
fn a_refused_field_gets_the_focus(server: &TestServer) {
    let _ada = world(server);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    for (form, to, fields, field) in [
        ("/ada/tool/issues/new", "/ada/tool/issues", &[("issue[title]", ""), ("issue[description]", "x")][..], "title"),
        (
            "/ada/tool/milestones/new",
            "/ada/tool/milestones",
            &[("milestone[title]", "1"), ("milestone[due_date]", "never")][..],
            "due_date",
        ),
        (
            "/ada/tool/labels/new",
            "/ada/tool/labels",
            &[("label[title]", "bug"), ("label[color]", "no colour")][..],
            "color",
        ),
        ("/groups/new", "/groups", &[("group[name]", "Crew"), ("group[path]", "a b")][..], "path"),
    ] {
        let refused = own.get(form).submit(&own, to, fields).assert_status(422);
        assert_eq!(focused(&refused.html), [field], "{form}");
    }
    let stranger = Browser::of(server);
    let refused = stranger.get("/users/sign_in").submit(
        &stranger,
        "/users/sign_in",
        &[("user[login]", "ada"), ("user[password]", "wrong")],
    );
    assert_eq!(focused(&refused.html), ["user_password"]);
}
