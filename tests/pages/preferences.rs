//! The caller's profile and preferences.

use serde_json::json;
use tenon_testkit::{Multipart, TestServer, both_databases};

use crate::browser::Browser;
use crate::project::{commit, project};
use crate::{PASSWORD, member};

const PIXEL: &[u8] = b"GIF89a\x01\x00\x01\x00\x00\x00\x00;";

#[both_databases]
fn a_picture_is_uploaded_shown_and_removed(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get("/profile").assert_status(200);
    assert!(
        page.html.contains("/uploads/-/system/user/initials/") && !page.html.contains("/profile/avatar"),
        "{}",
        page.html
    );
    let form = |token: &str, file: &[u8]| {
        Multipart::default().text("authenticity_token", token).text("_method", "put").file(
            "user[avatar]",
            "me.gif",
            file,
        )
    };
    let refused = browser.upload("/profile", &form(&page.token(), b"<svg/>")).assert_status(422);
    assert!(refused.html.contains("Avatar file format is not supported"), "{}", refused.html);
    assert_eq!(browser.upload("/profile", &form("forged", PIXEL)).reply.status(), 422);
    assert_eq!(ada.get("/user").json()["name"], "ada");
    let saved = browser.upload("/profile", &form(&page.token(), PIXEL));
    assert_eq!((saved.reply.status(), saved.location().as_str()), (303, "/profile"));
    let address = format!("/uploads/-/system/user/avatar/{}/me.gif", ada.id);
    let page = browser.get("/profile").assert_status(200);
    assert_eq!(page.html.matches(&format!("src=\"{address}\"")).count(), 2, "{}", page.html);
    assert_eq!(browser.get(&address).reply.header("content-type"), "image/gif");
    assert_eq!(page.submit(&browser, "/profile/avatar", &[]).reply.status(), 303);
    assert!(!browser.get("/profile").html.contains(&address));
    assert!(Browser::of(server).get("/profile").location().starts_with("/users/sign_in"));
}

#[both_databases]
fn a_picture_and_fields_are_saved_together_or_not_at_all(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let token = browser.get("/profile").assert_status(200).token();
    let form = |name: &str, site: &str| {
        let fields = [
            ("authenticity_token", token.as_str()),
            ("_method", "put"),
            ("user[name]", name),
            ("user[website_url]", site),
            ("user[status][emoji]", "coffee"),
        ];
        fields.iter().fold(Multipart::default(), |form, (field, value)| form.text(field, value))
    };
    let stored = || {
        let (user, status) = (ada.get("/user").json(), ada.get("/user/status").json());
        (
            user["name"].as_str().unwrap().to_owned(),
            user["avatar_url"].to_string().contains("/me.gif"),
            status["emoji"] == "coffee",
        )
    };
    // A field that is refused takes the picture back, and a picture that is refused takes the fields back.
    let refused = browser
        .upload("/profile", &form("Lovelace", "no address").file("user[avatar]", "me.gif", PIXEL))
        .assert_status(422);
    assert!(
        refused.html.contains("problem-website_url") && refused.html.contains("value=\"Lovelace\""),
        "{}",
        refused.html
    );
    assert_eq!(stored(), ("ada".to_owned(), false, false));
    assert!(!browser.get("/profile").html.contains("/profile/avatar"));
    let _ = browser
        .upload("/profile", &form("Lovelace", "https://ada.example").file("user[avatar]", "me.gif", b"<svg/>"))
        .assert_status(422);
    assert_eq!(stored(), ("ada".to_owned(), false, false));
    assert_eq!(
        browser
            .upload("/profile", &form("Lovelace", "https://ada.example").file("user[avatar]", "me.gif", PIXEL))
            .reply
            .status(),
        303
    );
    assert_eq!(stored(), ("Lovelace".to_owned(), true, true));
    // A form without a picture leaves the one that there is.
    assert_eq!(browser.upload("/profile", &form("Ada", "")).reply.status(), 303);
    assert_eq!(stored(), ("Ada".to_owned(), true, true));
}

#[both_databases]
fn a_status_is_set_and_taken_away(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get("/profile");
    let hostile = "\"><b>x</b>";
    let fields = [("user[status][emoji]", ":coffee:"), ("user[status][message]", hostile)];
    assert_eq!(page.submit(&browser, "/profile", &fields).reply.status(), 303);
    assert_eq!(
        (&ada.get("/user/status").json()["emoji"], &ada.get("/user/status").json()["message"]),
        (&json!("coffee"), &json!(hostile))
    );
    let open = browser.get("/profile").assert_status(200);
    assert!(!open.html.contains("<b>x</b>"));
    // A value that was changed elsewhere since the page was made stays.
    let _ = ada.put("/user/status", json!({"emoji": "tada", "message": "elsewhere"})).assert_status(200);
    assert_eq!(open.send_with(&browser, "/profile", &[("user[status][emoji]", "tea")]).reply.status(), 303);
    assert_eq!(ada.get("/user/status").json()["message"], "elsewhere");
    let wrong = browser.get("/profile").submit(
        &browser,
        "/profile",
        &[("user[status][emoji]", "no emoji"), ("user[status][message]", "mine")],
    );
    assert!(wrong.assert_status(422).html.contains("value=\"no emoji\""));
    let gone = [("user[status][emoji]", ""), ("user[status][message]", "")];
    assert_eq!(browser.get("/profile").submit(&browser, "/profile", &gone).reply.status(), 303);
    assert_eq!(ada.get("/user/status").json()["message"], json!(null));
}

#[both_databases]
fn users_change_what_others_read_about_them(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = ada.post("/user/emails", json!({"email": "waits@second.example"})).assert_status(201);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get("/profile").assert_status(200);
    assert!(!page.html.contains("waits@second.example"), "only confirmed addresses are offered");
    let hostile = "\"><b>x</b>";
    let own = ada.get("/user").json()["email"].as_str().unwrap().to_owned();
    let fields = [
        ("user[name]", "Ada L."),
        ("user[pronouns]", "she"),
        ("user[job_title]", hostile),
        ("user[organization]", hostile),
        ("user[location]", hostile),
        ("user[website_url]", "https://ada.example/?x=\""),
        ("user[bio]", hostile),
        ("user[public_email]", own.as_str()),
        ("user[private_profile]", "1"),
    ];
    let saved = page.send_with(&browser, "/profile", &fields);
    assert_eq!((saved.reply.status(), saved.location().as_str()), (303, "/profile"));
    let user = ada.get("/user").json();
    for (field, want) in [
        ("name", "Ada L."),
        ("bio", hostile),
        ("job_title", hostile),
        ("organization", hostile),
        ("location", hostile),
        ("public_email", &own),
    ] {
        assert_eq!(user[field], want, "{field}");
    }
    assert_eq!(user["private_profile"], true);
    let shown = Browser::of(server).get("/ada").assert_status(200).html;
    assert!(shown.contains("Ada L.") && !shown.contains("<b>x</b>") && !shown.contains("javascript:"), "{shown}");
    // A value that was changed elsewhere since the page was made stays.
    let open = browser.get("/profile").assert_status(200);
    let _ = server
        .root()
        .put(&format!("/users/{}", ada.id), json!({"bio": "elsewhere", "private_profile": false}))
        .assert_status(200);
    assert_eq!(open.send_with(&browser, "/profile", &[("user[location]", "London")]).reply.status(), 303);
    let user = ada.get("/user").json();
    assert_eq!(
        (&user["bio"], &user["location"], &user["private_profile"]),
        (&json!("elsewhere"), &json!("London"), &json!(false))
    );
    let long = "x".repeat(256);
    for (field, value) in [
        ("user[name]", ""),
        ("user[name]", long.as_str()),
        ("user[bio]", &long),
        ("user[website_url]", "javascript:alert(1)"),
    ] {
        let refused = browser
            .get("/profile")
            .send_with(&browser, "/profile", &[(field, value), ("user[location]", "Paris")])
            .assert_status(422);
        assert!(
            refused.html.contains("value=\"Paris\"") && refused.html.contains("aria-invalid"),
            "{field}: {}",
            refused.html
        );
    }
    assert_eq!(ada.get("/user").json()["location"], "London");
}

#[both_databases]
fn preferences_hold_in_this_browser_and_some_in_all(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get("/profile/preferences").assert_status(200);
    let root = |look: &str| format!("<html lang=\"en\" data-user=\"{}\"{look}>", ada.id);
    assert!(page.html.contains(&root("")));
    let fields = [
        ("user[theme]", "dark"),
        ("user[tab_width]", "8"),
        ("user[keep_long_lines]", "1"),
        ("user[diff_view_parallel]", "1"),
    ];
    let saved = page.submit(&browser, "/profile/preferences", &fields);
    assert_eq!((saved.reply.status(), saved.location().as_str()), (303, "/profile/preferences"));
    let page = browser.get("/profile/preferences").assert_status(200);
    assert!(
        page.html.contains(&root(r#" data-theme="dark" data-lines="kept" data-tab="8" data-keys="none""#)),
        "{}",
        page.html
    );
    assert!(
        page.html.contains(r#"<option value="dark" selected>"#) && page.html.contains(r#"<option value="8" selected>"#)
    );
    assert_eq!(ada.get("/user/preferences").json()["show_whitespace_in_diffs"], false);
    assert_eq!(Browser::signed_in(server, "ada", PASSWORD).get("/").html.matches("data-theme").count(), 0);
    // A value that is none of the choices changes nothing.
    let odd = [
        ("user[theme]", "\"><b>"),
        ("user[tab_width]", "9"),
        ("user[keyboard_shortcuts_enabled]", "1"),
        ("user[show_whitespace_in_diffs]", "1"),
    ];
    assert_eq!(page.submit(&browser, "/profile/preferences", &odd).reply.status(), 303);
    assert!(browser.get("/").html.contains(&root(r#" data-tab="8""#)));
    browser.set_cookie("_service_look", "%22%3E%3Cb%3Ex");
    assert!(browser.get("/").html.contains(&root("")));
}

#[both_databases]
fn differences_are_shown_as_preferred(server: &TestServer) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "private");
    let _ = commit(&ada, "ada/tool", "main", "First", &[("a.txt", b"one\ntwo\n")]);
    let head = commit(&ada, "ada/tool", "main", "Second", &[("b.txt", b"one\n")]);
    let change = json!({"branch": "topic", "start_branch": "main", "commit_message": "Indent", "actions": [
        {"action": "update", "file_path": "a.txt", "content": "one\n  two\n"},
    ]});
    let head = ada.post(&format!("/projects/{id}/repository/commits"), change).json()["id"]
        .as_str()
        .map_or(head, str::to_owned);
    let body = json!({"source_branch": "topic", "target_branch": "main", "title": "Indent"});
    let _ = ada.post(&format!("/projects/{id}/merge_requests"), body).assert_status(201);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let diffs = "/ada/tool/merge_requests/1/diffs";
    assert!(!browser.get(diffs).assert_status(200).html.contains("class=\"code parallel\""));
    let shown = |path: &str| browser.get(path).assert_status(200).html.contains("Hide whitespace changes");
    let commit = format!("/ada/tool/commit/{head}");
    assert!(shown(&commit) && shown(diffs) && !shown(&format!("{commit}?w=1")));
    let fields = [("user[diff_view_parallel]", "1"), ("user[keyboard_shortcuts_enabled]", "1")];
    assert_eq!(
        browser.get("/profile/preferences").submit(&browser, "/profile/preferences", &fields).reply.status(),
        303
    );
    assert!(!shown(&commit) && !shown(diffs) && shown(&format!("{commit}?w=0")) && shown(&format!("{diffs}?w=0")));
    let inline = browser.get(&format!("{diffs}?view=inline&w=0")).assert_status(200).html;
    let beside = browser.get(&format!("{diffs}?w=0")).assert_status(200).html;
    assert!(beside.contains("parallel\"") && !inline.contains("class=\"code parallel\""), "{beside}");
    assert!(inline.contains("?view=parallel&#38;w=0") && beside.contains("?view=inline&#38;w=0"), "{beside}");
}

#[both_databases]
fn changes_are_shown_one_file_at_a_time(server: &TestServer) {
    const DIFFS: &str = "/ada/tool/merge_requests/1/diffs";
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let files = ["a.txt", "b.txt", "c.txt"];
    let _ = commit(&ada, "ada/tool", "main", "First", &files.map(|name| (name, b"old\n".as_slice())));
    let actions = files.map(|name| json!({"action": "update", "file_path": name, "content": format!("new {name}\n")}));
    let body = json!({"branch": "topic", "start_branch": "main", "commit_message": "Change", "actions": actions});
    let _ = ada.post(&format!("/projects/{id}/repository/commits"), body).assert_status(201);
    let body = json!({"source_branch": "topic", "target_branch": "main", "title": "Topic"});
    let _ = ada.post(&format!("/projects/{id}/merge_requests"), body).assert_status(201);
    server.run_jobs();
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let shown = |address: &str| {
        let page = browser.get(address).assert_status(200).html;
        files.map(|name| page.contains(&format!("Changes in {name}")))
    };
    assert_eq!(shown(DIFFS), [true; 3]);
    let form = browser.get("/profile/preferences").assert_status(200);
    let _ = form.submit(
        &browser,
        "/profile/preferences",
        &[("user[view_diffs_file_by_file]", "1"), ("user[show_whitespace_in_diffs]", "1")],
    );
    assert_eq!(ada.get("/user/preferences").json()["view_diffs_file_by_file"], true);
    assert_eq!(shown(DIFFS), [true, false, false]);
    let first = browser.get(DIFFS).html;
    assert!(first.contains("File 1 of 3") && first.contains("3 files") && !first.contains("rel=\"prev\""), "{first}");
    assert!(first.contains(&format!("rel=\"next\" data-key=\"n\" href=\"{DIFFS}?file=2\"")), "{first}");
    assert_eq!(shown(&format!("{DIFFS}?file=2")), [false, true, false]);
    let last = browser.get(&format!("{DIFFS}?file=3")).html;
    assert!(last.contains(&format!("href=\"{DIFFS}?file=2\"")) && !last.contains("rel=\"next\""), "{last}");
    // Numbers of files that are not there lead to one that is, and an address of one file shows that one.
    assert_eq!(shown(&format!("{DIFFS}?file=99")), [false, false, true]);
    assert_eq!(shown(&format!("{DIFFS}?file=-1")), [true, false, false]);
    assert_eq!(shown(&format!("{DIFFS}?old_path=b%2Etxt&new_path=b%2Etxt")), [false, true, false]);
    // A form that a line opens is shown, in whatever file it is.
    let second = browser.get(&format!("{DIFFS}?file=2")).html;
    let line = crate::browser::first(&second, "comment=(f[0-9a-f]+_0_1)#");
    let open = browser.get(&format!("{DIFFS}?comment={line}")).html;
    assert!(open.contains("Comment on this line") && open.contains("Changes in b.txt"), "{open}");
    // Others see all files.
    let stranger = Browser::of(server).get(DIFFS).assert_status(200).html;
    assert!(files.iter().all(|name| stranger.contains(&format!("Changes in {name}"))));
}
