//! The work of a user: projects, issues, merge requests, the to-do list; and the projects and groups to explore and
//! find.

use serde_json::json;
use tenon_testkit::{TestServer, User, both_databases};

use crate::browser::{Browser, safe};
use crate::project::{MARKER, commit, project};
use crate::{PASSWORD, member};

/// A private project of `ada`'s in which `bob` is a developer, with an issue and a merge request for him.
fn world(server: &TestServer) -> (User, User) {
    let ada = member(server, "ada");
    let bob = member(server, "bob");
    let id = project(&ada, "tool", "private");
    let _ =
        ada.post(&format!("/projects/{id}/members"), json!({"user_id": bob.id, "access_level": 30})).assert_status(201);
    let _ =
        commit(&ada, "ada/tool", "main", "First needle", &[("needle.txt", format!("a\nneedle {MARKER}\n").as_bytes())]);
    let _ = ada
        .post(&format!("/projects/{id}/repository/branches"), json!({"branch": "topic", "ref": "main"}))
        .assert_status(201);
    let _ = commit(&ada, "ada/tool", "topic", "Second", &[("b.txt", b"b\n")]);
    let body = json!({"title": format!("Needle {MARKER}"), "assignee_ids": [bob.id], "description": MARKER});
    let _ = ada.post(&format!("/projects/{id}/issues"), body).assert_status(201);
    let _ = ada
        .post(&format!("/projects/{id}/issues/1/notes"), json!({"body": format!("@bob needle {MARKER}")}))
        .assert_status(201);
    let body = json!({"source_branch": "topic", "target_branch": "main", "title": "Merge the needle", "reviewer_ids": [bob.id]});
    let _ = ada.post(&format!("/projects/{id}/merge_requests"), body).assert_status(201);
    let _ =
        ada.post(&format!("/projects/{id}/merge_requests/1/notes"), json!({"body": "@bob look"})).assert_status(201);
    (ada, bob)
}

const PAGES: [&str; 10] = [
    "/dashboard/milestones",
    "/dashboard/groups",
    "/dashboard/activity",
    "/dashboard",
    "/dashboard/projects",
    "/dashboard/projects/starred",
    "/dashboard/issues",
    "/dashboard/merge_requests",
    "/dashboard/todos",
    "/search?search=needle",
];

#[both_databases]
fn a_dashboard_is_for_those_who_have_signed_in(server: &TestServer) {
    let stranger = Browser::of(server);
    for page in PAGES.into_iter().filter(|page| !page.starts_with("/search")) {
        assert!(stranger.get(page).location().starts_with("/users/sign_in?return_to="), "{page}");
    }
    let _ = member(server, "ada");
    let ada = Browser::signed_in(server, "ada", PASSWORD);
    for page in PAGES {
        let _ = ada.get(page).assert_status(200);
        let joined = if page.contains('?') { '&' } else { '?' };
        for odd in [
            "page=99999999999999999999",
            "page=-1",
            "sort=%3Cb%3E&per_page=7",
            "state=none&scope=none&search=%22%3E%3Cb%3Ex%3C%2Fb%3E",
        ] {
            let _ = safe(&ada, &format!("{page}{joined}{odd}"));
        }
    }
}

#[both_databases]
fn milestones_of_groups_and_projects_are_listed_together(server: &TestServer) {
    let (ada, _bob) = world(server);
    let _ = ada
        .post("/projects/ada%2Ftool/milestones", json!({"title": format!("Tool {MARKER}"), "due_date": "2030-01-31"}))
        .assert_status(201);
    let group = ada.post("/groups", json!({"name": "Crew", "path": "crew"})).assert_status(201).json()["id"].clone();
    let closed =
        ada.post(&format!("/groups/{group}/milestones"), json!({"title": "Crew done"})).assert_status(201).json()["id"]
            .clone();
    let _ =
        ada.put(&format!("/groups/{group}/milestones/{closed}"), json!({"state_event": "close"})).assert_status(200);
    let _ = ada.post(&format!("/groups/{group}/milestones"), json!({"title": "Crew next"})).assert_status(201);
    let (own, bob) = (Browser::signed_in(server, "ada", PASSWORD), Browser::signed_in(server, "bob", PASSWORD));
    let page = safe(&own, "/dashboard/milestones");
    for part in [
        "href=\"/ada/tool/milestones/1\"",
        "<bdi>ada/tool</bdi>",
        "due 31 Jan 2030",
        "href=\"/groups/crew/-/milestones/2\"",
        "<bdi>crew</bdi>",
        "2 total",
    ] {
        assert!(page.contains(part) && !page.contains("Crew done"), "{part}: {page}");
    }
    assert!(
        safe(&own, "/dashboard/milestones?state=closed").contains("Crew done")
            && safe(&own, "/dashboard/milestones?state=all").contains("3 total")
    );
    let theirs = safe(&bob, "/dashboard/milestones");
    assert!(theirs.contains("/ada/tool/milestones/1\"") && !theirs.contains("Crew next"), "{theirs}");
}

#[both_databases]
fn a_dashboard_lists_what_is_to_be_done(server: &TestServer) {
    let (_ada, _bob) = world(server);
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    let projects = safe(&bob, "/dashboard/projects");
    assert!(
        projects.contains("/ada/tool\"") && projects.contains("Issues <span class=\"count\">1</span>"),
        "{projects}"
    );
    let issues = safe(&bob, "/dashboard/issues");
    assert_eq!(issues.matches("aria-current=\"page\"").count(), 1, "{issues}");
    assert!(issues.contains("ada/tool#1") && issues.contains("Open <span class=\"count\">1</span>"), "{issues}");
    assert!(safe(&bob, "/dashboard/issues?scope=created_by_me").contains("No issues"));
    assert!(safe(&bob, "/dashboard/issues?assignee_username=ada").contains("No issues"));
    assert!(safe(&bob, "/dashboard/issues?author_username=ada").contains("ada/tool#1"));
    assert!(safe(&bob, "/dashboard/merge_requests").contains("Merge the needle"));
    assert!(safe(&bob, "/dashboard/merge_requests?scope=assigned_to_me").contains("No merge requests"));
    let ada = Browser::signed_in(server, "ada", PASSWORD);
    assert!(safe(&ada, "/dashboard/merge_requests?scope=created_by_me").contains("ada/tool!1"));
    assert!(safe(&ada, "/dashboard/issues").contains("No issues"));
}

#[both_databases]
fn what_one_has_done_oneself_says_so(server: &TestServer) {
    let (ada, _bob) = world(server);
    let me = ada.get("/user").json()["id"].clone();
    let _ = ada.put("/projects/ada%2Ftool/issues/1", json!({"assignee_ids": [me]})).assert_status(200);
    let _ = ada.put("/projects/ada%2Ftool/merge_requests/1", json!({"assignee_ids": [me]})).assert_status(200);
    let page = safe(&Browser::signed_in(server, "ada", PASSWORD), "/dashboard/todos");
    for part in [">You assigned yourself to ada/tool#1,", ">You assigned yourself to ada/tool!1,"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("assigned you to") && !page.contains("href=\"/ada\"><bdi>ada</bdi></a> "), "{page}");
    // Of others it is said who they are, as before; and so it is in the API.
    let page = safe(&Browser::signed_in(server, "bob", PASSWORD), "/dashboard/todos");
    assert!(!page.contains("You assigned yourself"), "{page}");
    let entry = ada.get("/todos?action=assigned").json()[0].clone();
    assert_eq!((&entry["author"]["username"], &entry["action_name"]), (&json!("ada"), &json!("assigned")));
}

#[both_databases]
fn a_milestone_shows_the_labels_of_what_belongs_to_it(server: &TestServer) {
    let (ada, _bob) = world(server);
    let project = "/projects/ada%2Ftool";
    let _ = ada.post(&format!("{project}/labels"), json!({"name": "urgent", "color": "#ff0000"}));
    let milestone = ada.post(&format!("{project}/milestones"), json!({"title": "Labelled"})).assert_status(201).json();
    for target in ["issues/1", "merge_requests/1"] {
        let asked = json!({"milestone_id": milestone["id"], "labels": "urgent"});
        let _ = ada.put(&format!("{project}/{target}"), asked).assert_status(200);
    }
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = safe(&browser, &format!("/ada/tool/milestones/{}", milestone["iid"]));
    let badge = |page: &str| page.matches(">urgent<").count();
    assert_eq!(badge(&page), 2, "{page}");
    assert!(badge(&safe(&browser, "/ada/tool/issues")) >= 1);
}

#[both_databases]
fn entries_of_the_list_are_marked_as_done(server: &TestServer) {
    let (ada, bob) = world(server);
    let browser = Browser::signed_in(server, "bob", PASSWORD);
    let page = browser.get("/dashboard/todos").assert_status(200);
    let total = bob.get("/todos").json().as_array().unwrap().len();
    assert!(total >= 2 && page.html.contains(&format!("To-do <span class=\"count\">{total}</span>")), "{}", page.html);
    assert!(page.html.contains("ada/tool#1") && page.html.contains("#note_"));
    let entry = crate::browser::first(&page.html, "action=\"(/dashboard/todos/[0-9]+)\"");
    // An object on the list shows that it is there.
    let _ = ada.post("/projects/ada%2Ftool/issues/1/todo", json!({})).assert_status(200);
    let own = safe(&Browser::signed_in(server, "ada", PASSWORD), "/dashboard/todos");
    assert!(own.contains(">You added ada/tool#1 to your to-do list"), "{own}");
    // Of others it is missing.
    let other = Browser::signed_in(server, "ada", PASSWORD);
    let token = other.get("/").token();
    let _ = other.post(&entry, &[("_method", "delete"), ("authenticity_token", &token)]).assert_status(404);
    let done = page.submit(&browser, &entry, &[]);
    assert_eq!((done.reply.status(), done.location().as_str()), (303, "/dashboard/todos"));
    assert!(safe(&browser, "/dashboard/todos?state=done").contains("<ul class=\"rows\">"));
    assert_eq!(bob.get("/todos").json().as_array().unwrap().len(), total - 1);
    let _ = ada.post("/projects/ada%2Ftool/merge_requests/1/notes", json!({"body": "@bob again"})).assert_status(201);
    // A list that is narrowed to one kind marks that kind only as done.
    let one = browser.get("/dashboard/todos?type=Issue").assert_status(200);
    assert!(one.html.contains("Mark all issues as done"), "{}", one.html);
    let requests = || bob.get("/todos?type=MergeRequest").json().as_array().unwrap().len();
    let before = requests();
    let done = browser.get("/dashboard/todos?type=Issue").submit(&browser, "/dashboard/todos/destroy_all", &[]);
    assert_eq!((done.reply.status(), done.location().as_str()), (303, "/dashboard/todos?type=Issue"));
    assert_eq!(bob.get("/todos?type=Issue").json(), json!([]));
    assert!(before > 0 && requests() == before);
    let all = browser.get("/dashboard/todos").submit(&browser, "/dashboard/todos/destroy_all", &[]);
    assert_eq!(all.reply.status(), 303);
    let page = safe(&browser, "/dashboard/todos");
    assert!(page.contains("Nothing to do") && !page.contains("destroy_all"), "{page}");
    // Hidden objects are no longer counted.
    let _ = ada.post("/projects/ada%2Ftool/issues/1/notes", json!({"body": "@bob again"})).assert_status(201);
    assert!(safe(&browser, "/").contains("<span class=\"count dot\">1</span>"));
    let _ = ada.delete(&format!("/projects/ada%2Ftool/members/{}", bob.id)).assert_status(204);
    assert!(!safe(&browser, "/").contains("<span class=\"count dot\">1</span>"));
}

#[both_databases]
fn everything_that_one_may_see_is_explored(server: &TestServer) {
    let (ada, _bob) = world(server);
    let _ = project(&ada, "open", "public");
    let _ = project(&ada, "shared", "internal");
    let _ = ada.post("/groups", json!({"name": "Crew", "path": "crew", "visibility": "public"})).assert_status(201);
    let _ = ada.post("/groups", json!({"name": "Hidden", "path": "hidden"})).assert_status(201);
    let stranger = Browser::of(server);
    let page = safe(&stranger, "/explore");
    assert!(page.contains("/ada/open\"") && !page.contains("/ada/tool") && !page.contains("/ada/shared"), "{page}");
    let groups = safe(&stranger, "/explore/groups");
    assert!(groups.contains("/groups/crew\"") && !groups.contains("/hidden"), "{groups}");
    let _ = member(server, "eve");
    let eve = Browser::signed_in(server, "eve", PASSWORD);
    let page = safe(&eve, "/explore/projects?sort=name_asc");
    assert!(page.contains("/ada/shared\"") && !page.contains("/ada/tool"), "{page}");
    assert!(safe(&eve, "/explore/projects?search=shar").contains("1 total"));
    let past = safe(&eve, "/explore/projects?page=9999&sort=name_asc");
    assert!(past.contains("The last page is 1.") && !past.contains("No projects"), "{past}");
    assert!(past.contains("href=\"?sort=name_asc&#38;page=1\""), "{past}");
    assert_eq!(stranger.get("/groups").location(), "/explore/groups");
    assert_eq!(stranger.get("/public").location(), "/explore");
    let _ = server
        .root()
        .put("/application/settings", json!({"restricted_visibility_levels": ["public"]}))
        .assert_status(200);
    assert!(stranger.get("/explore").location().starts_with("/users/sign_in"));
    // A cookie of no session opens nothing.
    let forged = Browser::of(server);
    forged.set_cookie("_service_session", "x");
    assert!(forged.get("/explore/groups").location().starts_with("/users/sign_in"));
    assert!(safe(&eve, "/explore").contains("/ada/open\""));
}

#[both_databases]
fn a_search_has_scopes(server: &TestServer) {
    let (ada, _bob) = world(server);
    let id = ada.get("/projects/ada%2Ftool").json()["id"].as_i64().unwrap();
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    for (query, want) in [
        ("search=tool", "/ada/tool\""),
        ("scope=issues&search=needle", "ada/tool#1"),
        ("scope=issues&search=%231", "ada/tool#1"),
        ("scope=merge_requests&search=needle", "ada/tool!1"),
        ("scope=users&search=ada", "@ada"),
        (&format!("search=needle&project_id={id}"), "/ada/tool/blob/main/needle.txt#L2"),
        (&format!("scope=commits&search=needle&project_id={id}"), "/ada/tool/commit/"),
        (&format!("scope=notes&search=needle&project_id={id}"), "/ada/tool/issues/1?note="),
        (&format!("scope=issues&search=needle&project_id={id}"), "ada/tool#1"),
    ] {
        let page = safe(&bob, &format!("/search?{query}"));
        assert!(page.contains(want), "{query}: {page}");
    }
    assert!(safe(&bob, "/search").contains("Enter a search term."));
    assert!(safe(&bob, "/search?search=nothing+at+all").contains("No results"));
    let _ = member(server, "eve");
    let eve = Browser::signed_in(server, "eve", PASSWORD);
    for scope in ["projects", "issues", "merge_requests", "milestones", "users"] {
        let page = safe(&eve, &format!("/search?scope={scope}&search=needle"));
        assert!(!page.contains("ada/tool"), "{scope}: {page}");
    }
    let missing = eve.get("/no/page").assert_status(404).html;
    for query in [
        format!("search=needle&project_id={id}"),
        "search=x&project_id=999999".to_owned(),
        "search=x&group_id=999999".to_owned(),
    ] {
        assert_eq!(eve.get(&format!("/search?{query}")).assert_status(404).html, missing, "{query}");
    }
    let _ = eve.get("/search?search=a%00b").assert_status(400);
}

#[both_databases]
fn archived_projects_are_neither_counted_nor_listed_as_work(server: &TestServer) {
    let (ada, _bob) = world(server);
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    let _ = ada.post("/projects/ada%2Ftool/archive", json!({}));
    for path in ["/dashboard/issues", "/dashboard/merge_requests"] {
        let page = safe(&bob, path);
        assert!(page.contains("<span class=\"count\">0</span>") && !page.contains("ada/tool"), "{path}: {page}");
    }
}

#[both_databases]
fn what_happened_is_listed_for_members_and_for_starred_projects(server: &TestServer) {
    let (ada, bob) = world(server);
    let browser = Browser::signed_in(server, "bob", PASSWORD);
    let page = safe(&browser, "/dashboard/activity");
    assert!(
        page.contains("in <a href=\"/ada/tool\"><bdi>ada/tool</bdi></a>") && page.contains("opened issue #1"),
        "{page}"
    );
    assert!(safe(&browser, "/dashboard/activity?filter=starred").contains("No activity"));
    let _ = bob.post("/projects/ada%2Ftool/star", json!({}));
    assert!(
        safe(&browser, "/dashboard/activity?filter=starred&event_filter=comments").contains("commented on issue #1")
    );
    let _ = ada.delete(&format!("/projects/ada%2Ftool/members/{}", bob.id)).assert_status(204);
    for path in ["/dashboard/activity", "/dashboard/activity?filter=starred"] {
        assert!(safe(&browser, path).contains("No activity"), "{path}");
    }
}

#[both_databases]
fn a_list_is_narrowed_to_a_topic_and_a_language(server: &TestServer) {
    let ada = member(server, "ada");
    let eve = member(server, "eve");
    for (name, visibility, file) in [
        ("open", "public", "a.rs"),
        ("closed", "private", "b.rs"),
        ("hidden", "private", "c.rs"),
        ("other", "public", "d.py"),
    ] {
        let body = json!({"name": name, "visibility": visibility, "tag_list": if name == "other" { "brass" } else { "steam" }});
        let _ = ada.post("/projects", body).assert_status(201);
        let _ = commit(&ada, &format!("ada/{name}"), "main", "First", &[(file, b"fn main() {}\n".as_slice())]);
    }
    // Guests may see a private project, and not its code.
    let _ =
        ada.post("/projects/ada%2Fclosed/members", json!({"user_id": eve.id, "access_level": 10})).assert_status(201);
    server.run_jobs();
    let stranger = Browser::of(server);
    let page = safe(&stranger, "/explore?topic=steam");
    assert!(
        page.contains("/ada/open\"")
            && !page.contains("/ada/closed\"")
            && !page.contains("/ada/other\"")
            && !page.contains("/ada/hidden"),
        "{page}"
    );
    assert!(safe(&stranger, "/ada/open").contains("href=\"/explore/projects?topic=steam\""));
    let rust = safe(&stranger, "/explore/projects?language=Rust");
    assert!(rust.contains("/ada/open\"") && !rust.contains("/ada/other\"") && !rust.contains("/ada/hidden"), "{rust}");
    // The language says something about code that the visitor may not read.
    let guest = Browser::signed_in(server, "eve", PASSWORD);
    assert!(safe(&guest, "/explore/projects?topic=steam").contains("/ada/closed\""));
    assert!(!safe(&guest, "/explore/projects?language=Rust").contains("/ada/closed\""));
    assert!(
        safe(&Browser::signed_in(server, "ada", PASSWORD), "/explore/projects?language=rust").contains("/ada/closed\"")
    );
    for odd in ["language=%22%3E%3Cb%3Ex%3C%2Fb%3E&topic=%25", "topic=%27&page=9999", "language=%00x"] {
        assert!(matches!(stranger.get(&format!("/explore/projects?{odd}")).reply.status(), 200 | 400), "{odd}");
    }
}

#[both_databases]
fn a_language_is_named_whole(server: &TestServer) {
    let ada = member(server, "ada");
    for (name, file) in [("crank", "a.lisp"), ("gear", "a.el")] {
        let _ = project(&ada, name, "public");
        let _ = commit(
            &ada,
            &format!("ada/{name}"),
            "main",
            "First",
            &[(file, b"(defun turn (crank) crank)\n".as_slice())],
        );
    }
    server.run_jobs();
    let browser = Browser::of(server);
    for (language, crank, gear) in [
        ("common%20lisp", true, false),
        ("Emacs%20Lisp", false, true),
        ("lisp", false, false),
        ("%25lisp", false, false),
    ] {
        let page = safe(&browser, &format!("/explore/projects?language={language}"));
        assert_eq!((page.contains("/ada/crank\""), page.contains("/ada/gear\"")), (crank, gear), "{language}: {page}");
    }
}

#[both_databases]
fn strangers_find_what_is_public(server: &TestServer) {
    let (ada, _bob) = world(server);
    let id = project(&ada, "open", "public");
    let _ = ada
        .post(&format!("/projects/{id}/issues"), json!({"title": format!("Needle in public {MARKER}")}))
        .assert_status(201);
    let _ = ada
        .post(&format!("/projects/{id}/issues"), json!({"title": "Needle kept", "confidential": true}))
        .assert_status(201);
    let stranger = Browser::of(server);
    assert!(
        safe(&stranger, "/help").contains("href=\"/search\"")
            && safe(&stranger, "/search").contains("Enter a search term.")
    );
    let page = safe(&stranger, "/search?search=open");
    assert!(
        page.contains("/ada/open\"")
            && page.contains("Projects <span class=\"count\">1</span>")
            && !page.contains("scope=users"),
        "{page}"
    );
    for query in
        ["search=tool", "scope=users&search=ada", "scope=issues&search=kept", "scope=merge_requests&search=needle"]
    {
        let page = safe(&stranger, &format!("/search?{query}"));
        assert!(
            !page.contains("ada/tool") && !page.contains("Needle kept") && !page.contains("@ada"),
            "{query}: {page}"
        );
    }
    let missing = stranger.get("/no/page").assert_status(404).html;
    let secret = ada.get("/projects/ada%2Ftool").json()["id"].clone();
    assert_eq!(stranger.get(&format!("/search?search=x&project_id={secret}")).assert_status(404).html, missing);
    assert!(safe(&stranger, "/ada/open").contains(&format!("/search?project_id={id}")));
    assert!(matches!(stranger.get(&format!("/search?search=x&project_id={id}")).reply.status(), 200 | 302));
    let _ = server
        .root()
        .put("/application/settings", json!({"restricted_visibility_levels": ["public"]}))
        .assert_status(200);
    assert!(stranger.get("/search?search=open").location().starts_with("/users/sign_in"));
}

#[both_databases]
fn a_dashboard_costs_a_bounded_number_of_statements(server: &TestServer) {
    let (ada, bob) = world(server);
    let browser = Browser::signed_in(server, "bob", PASSWORD);
    let count = |path: &str| {
        let _ = browser.get(path).assert_status(200);
        server.count_statements(|| drop(browser.get(path)))
    };
    let paths: Vec<&str> = PAGES.into_iter().chain(["/explore", "/search?scope=issues&search=needle"]).collect();
    let before: Vec<_> = paths.iter().map(|path| count(path)).collect();
    for number in 0..15 {
        let body = json!({"title": format!("Needle {number}"), "assignee_ids": [bob.id]});
        let _ = ada.post("/projects/ada%2Ftool/issues", body).assert_status(201);
    }
    let after: Vec<_> = paths.iter().map(|path| count(path)).collect();
    // The first page has the lists of several others, and a search counts what each of its tabs has.
    let most = |path: &str| if path == "/dashboard" { 80 } else { 66 };
    for (at, path) in paths.iter().enumerate() {
        assert!(after[at] <= before[at] + 3 && after[at] <= most(path), "{path}: {} {}", before[at], after[at]);
    }
}

#[both_databases]
fn a_push_of_many_branches_is_one_line_of_the_activity(server: &TestServer) {
    let (ada, _bob) = world(server);
    let browser = Browser::signed_in(server, "bob", PASSWORD);
    let _ = server.root().put("/application/settings", json!({"push_event_activities_limit": 0})).assert_status(200);
    let file = json!({"branch": "side", "start_branch": "main", "commit_message": "m", "content": "x"});
    let _ = ada.post("/projects/ada%2Ftool/repository/files/new", file).assert_status(201);
    assert!(safe(&browser, "/dashboard/activity").contains("created 1 branch"));
    let feed = browser.get("/ada/tool.atom").assert_status(200).html;
    assert!(feed.contains("created 1 branch"), "{feed}");
}
