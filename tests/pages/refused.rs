//! The message if an action is refused or fails, and the typed text that a page keeps.

use std::fs;

use serde_json::json;
use tenon_domain::limits::Limits;
use tenon_testkit::{Answer, Backend, GIT_SCRIPT, Receiver, TestServer, both_databases};

use crate::browser::{Browser, Page, first, followed};
use crate::project::{commit, project};
use crate::{PASSWORD, member};

#[track_caller]
fn assert_says(page: &Page, texts: &[&str]) {
    assert_eq!(page.reply.status(), 422, "{}", page.html);
    for text in texts {
        assert!(page.html.contains(text), "{text}: {}", page.html);
    }
}

#[both_databases]
fn administrators_read_why_an_account_stays_as_it_is(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = ada.post("/groups", json!({"name": "Crew", "path": "crew"})).assert_status(201);
    let browser = Browser::signed_in(server, "root", "root password");
    let list = browser.get("/admin/users").assert_status(200);
    let address = format!("/admin/users/{}", ada.id);
    // Actions that cannot be taken back ask once more, and accounts in use are not deactivated.
    for (words, confirm) in [("Block ada", "Block user"), ("Ban ada", "Ban user")] {
        assert!(
            list.html.contains(&format!("<summary class=\"button\" aria-label=\"{words}\">"))
                && list.html.contains(confirm),
            "{}",
            list.html
        );
    }
    assert!(!list.html.contains(&format!("{address}/deactivate")), "{}", list.html);
    let sole = list.submit(&browser, &address, &[]);
    assert_says(
        &sole,
        &["only owner of a group", "href=\"/admin/users?filter=blocked\"", "action=\"/admin/users\" role=\"search\""],
    );
    let token = list.token();
    let used = browser.post(&format!("{address}/deactivate"), &[("_method", "put"), ("authenticity_token", &token)]);
    assert_says(&used, &["The account is in use and cannot be deactivated"]);
    let demoted = browser.get("/admin/users/1/edit").send_with(
        &browser,
        "/admin/users/1",
        &[("user[name]", "Kept"), ("user[admin]", "")],
    );
    assert_says(&demoted, &["The last administrator cannot be removed", "value=\"Kept\""]);
}

#[both_databases]
fn a_form_on_a_full_disk_gets_a_page_that_says_so(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let form = browser.get("/ada/tool/issues/new").assert_status(200);
    server.database().execute(match server.backend() {
        Backend::Sqlite => {
            "CREATE TRIGGER full_disk BEFORE INSERT ON issuables
                 BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
        }
        Backend::Postgres => {
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                     RAISE EXCEPTION 'could not extend file \"x\": No space left on device' USING ERRCODE = '53100';
                 END $$;
                 CREATE TRIGGER full_disk BEFORE INSERT ON issuables FOR EACH ROW EXECUTE FUNCTION full_disk()"
        }
    });
    let answer = form.submit(&browser, "/ada/tool/issues", &[("issue[title]", "t")]);
    assert_eq!(answer.reply.status(), 507, "{}", answer.html);
    for text in ["Server disk full", "Contact an administrator"] {
        assert!(answer.html.contains(text), "{text}: {}", answer.html);
    }
    let _ = browser.get("/ada/tool/issues").assert_status(200);
}

#[both_databases]
fn members_read_why_a_membership_stays_as_it_is(server: &TestServer) {
    let ada = member(server, "ada");
    let group = ada.post("/groups", json!({"name": "Crew", "path": "crew"})).assert_status(201).json()["id"].clone();
    for number in 0..21 {
        let user = server.user(&format!("user{number}"));
        let _ = ada
            .post(&format!("/groups/{group}/members"), json!({"user_id": user.id, "access_level": 30}))
            .assert_status(201);
    }
    let _ = project(&ada, "tool", "public");
    let other = server.user("other");
    let _ = ada
        .post(&format!("/groups/{group}/members"), json!({"user_id": other.id, "access_level": 50}))
        .assert_status(201);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get("/groups/crew/-/group_members?search=ada").assert_status(200);
    // The other owner is gone before the form is sent; a new page has no such form.
    let _ = ada.put(&format!("/groups/{group}/members/{}", other.id), json!({"access_level": 30})).assert_status(200);
    let row = format!("/groups/crew/-/group_members/{}", ada.id);
    let last = "A group must have at least one owner.";
    let lowered = page.send_with(&browser, &row, &[("group_member[access_level]", "30")]);
    assert_says(&lowered, &[last]);
    // The links of the answer lead to the list.
    assert!(lowered.html.contains("href=\"/groups/crew/-/group_members?page=2\""), "{}", lowered.html);
    assert!(lowered.html.contains("action=\"/groups/crew/-/group_members\" role=\"search\""), "{}", lowered.html);
    assert_says(&page.submit(&browser, "/groups/crew/-/group_members/leave", &[]), &[last]);
    let unknown =
        page.submit(&browser, "/groups/crew/-/group_members", &[("user_ids", "none"), ("access_level", "30")]);
    assert_says(&unknown, &["Usernames include none, which does not exist", "href=\"#user_ids\""]);
    let page = browser.get("/ada/tool/project_members").assert_status(200);
    // The page does not offer it.
    let leave = [("_method", "delete"), ("authenticity_token", &*page.token())];
    let owner = browser.post("/ada/tool/project_members/leave", &leave);
    assert_says(&owner, &["The owner of a personal project can"]);
}

#[both_databases]
fn a_hook_keeps_its_secret_or_says_so(server: &TestServer) {
    server.set("allow_local_requests_from_hooks_and_services", &json!(true));
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let receiver = Receiver::start();
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let list = browser.get("/ada/tool/hooks").assert_status(200);
    let secret = ("hook[token]", "a secret");
    let wrong = list.send_with(&browser, "/ada/tool/hooks", &[("hook[url]", "no address"), secret]);
    assert_says(&wrong, &["Enter the secret again", "href=\"#hook-token\""]);
    assert!(!wrong.html.contains("a secret"), "{}", wrong.html);
    let url = receiver.url("/in");
    let made =
        wrong.send_with(&browser, "/ada/tool/hooks", &[("hook[url]", &url), secret, ("hook[issues_events]", "1")]);
    let edit = first(&followed(&browser, &made), "href=\"(/ada/tool/hooks/[0-9]+/edit)\"");
    let address = edit.trim_end_matches("/edit").to_owned();
    let sent = || {
        let _ = ada.post(&format!("/projects/{id}/issues"), json!({"title": "One"})).assert_status(201);
        server.run_jobs();
        receiver.take().last().unwrap().header("x-gitlab-token").map(str::to_owned)
    };
    assert_eq!(sent().as_deref(), Some("a secret"));
    let open = browser.get(&edit).assert_status(200);
    let _ = followed(&browser, &open.send_with(&browser, &address, &[("hook[push_events]", "")]));
    assert_eq!(sent().as_deref(), Some("a secret"));
    let _ = followed(&browser, &browser.get(&edit).send_with(&browser, &address, &[("hook[remove_token]", "1")]));
    assert_eq!(sent(), None);
    // An event that is sent again is refused again, and the page says so.
    receiver.answer([Answer::Status(500, Vec::new(), String::new()), Answer::HangUp]);
    let page = browser.get(&edit).assert_status(200);
    let again = first(&page.html, "action=\"([^\"]+/retry)\"");
    let failed = page.submit(&browser, &again, &[]);
    assert_says(&failed, &["Delivery failed</h2>", "did not accept the event: HTTP 500", "HTTP 500</p>"]);
    assert_says(&page.submit(&browser, &again, &[]), &["did not accept the event: no response", ", no response: "]);
    assert!(followed(&browser, &page.submit(&browser, &again, &[])).contains("Event redelivered."));
    receiver.answer([Answer::Status(500, Vec::new(), String::new())]);
    for _ in 0..21 {
        let _ = ada.post(&format!("/projects/{id}/issues"), json!({"title": "One"})).assert_status(201);
    }
    server.run_jobs();
    let tested = browser.get(&edit).submit(&browser, &format!("{address}/test"), &[("trigger", "issues_events")]);
    if tested.reply.status() == 422 {
        assert_says(&tested, &["Delivery failed</h2>", &format!("href=\"{edit}?page=2\"")]);
    }
}

#[both_databases]
fn settings_show_what_was_typed(server: &TestServer) {
    let browser = Browser::signed_in(server, "root", "root password");
    let address = "/admin/application_settings";
    let field = "application_setting[max_attachment_size]";
    let pages = (0..9).map(|area| browser.get(&format!("{address}?area={area}")).assert_status(200));
    let page = pages.into_iter().find(|page| page.html.contains(field)).unwrap();
    let wrong = page.send_with(&browser, address, &[(field, "many")]);
    assert_says(
        &wrong,
        &["name=\"application_setting[max_attachment_size]\" value=\"many\"", "href=\"#max_attachment_size\""],
    );
}

#[both_databases]
fn forms_of_the_repository_keep_what_was_typed(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let _ = commit(&ada, "ada/tool", "main", "First", &[("a.txt", b"a\n")]);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let address = "/ada/tool/settings/repository";
    let page = browser.get(address).assert_status(200);
    let wrong = page.send_with(
        &browser,
        "/ada/tool/protected_branches",
        &[
            ("protected_branch[name]", ""),
            ("protected_branch[push_access_level]", "0"),
            ("protected_branch[merge_access_level]", "30"),
        ],
    );
    assert_says(
        &wrong,
        &[
            "value=\"0\" selected>No one",
            "value=\"30\" selected>Developers and Maintainers",
            "href=\"#protected_branch-name\"",
        ],
    );
    let key = [("deploy_key[title]", "CI"), ("deploy_key[key]", "no key"), ("deploy_key[can_push]", "1")];
    assert_says(
        &page.send_with(&browser, "/ada/tool/deploy_keys", &key),
        &["name=\"deploy_key[can_push]\" value=\"1\" checked", "href=\"#deploy_key-key\""],
    );
    let key = |can_push: &str| {
        let fields = [
            ("deploy_key[title]", "CI"),
            ("deploy_key[key]", tenon_testkit::keys::ED25519),
            ("deploy_key[can_push]", can_push),
        ];
        page.send_with(&browser, "/ada/tool/deploy_keys", &fields)
    };
    let _ = followed(&browser, &key(""));
    assert_says(&key("1"), &["Key is already added with read-only access"]);
    let page = browser.get(address).html;
    assert!(page.contains("<summary class=\"button\" aria-label=\"Remove CI\">"), "{page}");
}

#[both_databases]
fn a_project_goes_where_it_was_asked_for(server: &TestServer) {
    let ada = member(server, "ada");
    let bob = member(server, "bob");
    let _ = project(&bob, "tool", "public");
    let _ = commit(&bob, "bob/tool", "main", "First", &[("a.txt", b"a\n")]);
    let make = |name: &str, visibility: &str| {
        let body = json!({"name": name, "path": name, "visibility": visibility});
        ada.post("/groups", body).assert_status(201).json()["id"].to_string()
    };
    let (crew, open) = (make("crew", "private"), make("open", "public"));
    let _ = server
        .root()
        .put(
            "/application/settings",
            json!({"default_project_visibility": "public", "default_group_visibility": "public"}),
        )
        .assert_status(200);
    let root = Browser::signed_in(server, "root", "root password");
    // An administrator who is no member, and a group that is not public.
    let page = root.get(&format!("/projects/new?namespace_id={crew}")).assert_status(200);
    assert!(page.html.contains(&format!("value=\"{crew}\" selected>crew")), "{}", page.html);
    assert!(page.html.contains("value=\"0\" checked"), "{}", page.html);
    assert_eq!(page.send_with(&root, "/projects", &[("project[name]", "One")]).location(), "/crew/one");
    let copy = root.get(&format!("/bob/tool/forks/new?namespace_id={crew}")).assert_status(200);
    assert_eq!(copy.send_with(&root, "/bob/tool/forks", &[]).location(), "/crew/tool");
    let taken = copy.send_with(&root, "/bob/tool/forks", &[]);
    assert_says(&taken, &["taken", "name=\"path\" value=\"tool\""]);
    let other = taken.send_with(&root, "/bob/tool/forks", &[("name", "Other"), ("path", "other")]);
    assert_eq!(other.location(), "/crew/other");
    // A developer is offered no group in which only maintainers make projects, and is not sent elsewhere.
    let _ =
        ada.post(&format!("/groups/{open}/members"), json!({"user_id": bob.id, "access_level": 30})).assert_status(201);
    let of_bob = Browser::signed_in(server, "bob", PASSWORD);
    let form = of_bob.get(&format!("/projects/new?namespace_id={open}")).assert_status(200);
    assert!(
        !form.html.contains(&format!("value=\"{open}\"")) && form.html.contains("<option value=\"\" selected>"),
        "{}",
        form.html
    );
    assert_says(
        &form.send_with(&of_bob, "/projects", &[("project[name]", "Two")]),
        &["Select a namespace in which you can create projects"],
    );
    let _ = ada.put(&format!("/groups/{open}"), json!({"project_creation_level": "developer"})).assert_status(200);
    let form = of_bob.get(&format!("/projects/new?namespace_id={open}")).assert_status(200);
    assert!(form.html.contains(&format!("value=\"{open}\" selected>open")), "{}", form.html);
    // Moving.
    let page = of_bob.get("/bob/tool/edit").assert_status(200);
    assert!(page.html.contains("<option value=\"open\">") && page.html.contains("Transfer project"), "{}", page.html);
    assert_says(
        &page.submit(&of_bob, "/bob/tool/transfer", &[("new_namespace_id", "crew")]),
        &["Select a namespace", "value=\"crew\" list"],
    );
    let _ =
        ada.post("/projects", json!({"name": "tool", "namespace_id": open.parse::<i64>().unwrap()})).assert_status(201);
    let wrong = page.submit(&of_bob, "/bob/tool/transfer", &[("new_namespace_id", "open")]);
    assert_says(&wrong, &["id=\"problem-new_namespace_id\"", "aria-describedby=\"problem-new_namespace_id\""]);
    assert!(!wrong.html.contains("New namespace "), "{}", wrong.html);
}

#[both_databases]
fn groups_are_made_by_those_who_may(server: &TestServer) {
    let ada = member(server, "ada");
    let crew =
        ada.post("/groups", json!({"name": "Crew", "path": "crew", "visibility": "private"})).assert_status(201).json()
            ["id"]
            .to_string();
    let _ =
        server.root().put("/application/settings", json!({"default_group_visibility": "public"})).assert_status(200);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let nested = browser.get(&format!("/groups/new?parent_id={crew}")).assert_status(200);
    assert_eq!(
        nested.send_with(&browser, "/groups", &[("group[name]", "Deck"), ("group[path]", "deck")]).location(),
        "/groups/crew/deck"
    );
    assert!(browser.get("/").html.contains("/groups/new\""));
    let _ = server.root().put(&format!("/users/{}", ada.id), json!({"can_create_group": false})).assert_status(200);
    assert!(!browser.get("/").html.contains("/groups/new\""));
    let _ = browser.get("/groups/new").assert_status(403);
    let _ = browser.get(&format!("/groups/new?parent_id={crew}")).assert_status(200);
}

#[both_databases]
fn a_failed_import_says_why(server: &TestServer) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    server
        .database()
        .execute(&format!("UPDATE projects SET import_status = 'failed', import_error = 'Gone away' WHERE id = {id}"));
    let own = Browser::signed_in(server, "ada", PASSWORD).get("/ada/tool").assert_status(200).html;
    assert!(own.contains("Gone away"), "{own}");
    assert!(!Browser::of(server).get("/ada/tool").assert_status(200).html.contains("Gone away"));
}

#[test]
fn a_project_whose_readme_cannot_be_made_is_led_to() {
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        // Git fails if it is to write and the file is there.
        let script =
            "#!/bin/sh\nif [ -e \"$0.full\" ]; then case \"$*\" in *init*) ;; *) exit 1;; esac; fi\nexec git \"$@\"\n";
        let server = TestServer::start_with_git(backend, Limits::without_rates(), script);
        let ada = member(&server, "ada");
        let browser = Browser::signed_in(&server, "ada", PASSWORD);
        let form = browser.get("/projects/new").assert_status(200);
        let full = server.data().join(format!("{GIT_SCRIPT}.full"));
        fs::write(&full, "").unwrap();
        let made = form.send_with(
            &browser,
            "/projects",
            &[("project[name]", "Tool"), ("project[initialize_with_readme]", "1")],
        );
        fs::remove_file(&full).unwrap();
        assert_eq!(made.location(), "/ada/tool");
        assert!(followed(&browser, &made).contains("its README could not be added"));
        assert_eq!(ada.get("/projects/ada%2Ftool").assert_status(200).json()["empty_repo"], true);
    }
}
