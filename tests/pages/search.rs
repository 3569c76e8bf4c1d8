//! The number of hits in the scopes of a search: the page shows it for its own scope, and the script asks for the
//! others.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, User, both_databases};

use crate::browser::{Browser, first};
use crate::project::{commit, project};
use crate::{PASSWORD, member};

const EVERYWHERE: [&str; 5] = ["projects", "issues", "merge_requests", "milestones", "users"];
const OF_PROJECT: [&str; 6] = ["blobs", "commits", "issues", "merge_requests", "milestones", "notes"];

/// A public project of `ada`'s and a private one, with things in them that are called `needle`; and the ids of the
/// projects.
fn needles(server: &TestServer) -> (User, i64, i64) {
    let ada = member(server, "ada");
    let _ = member(server, "bob");
    let ids = [("open-needle", "public"), ("closed-needle", "private")].map(|(name, visibility)| {
        let id = project(&ada, name, visibility);
        let below = format!("/projects/{id}");
        let _ = commit(&ada, &format!("ada/{name}"), "main", "First needle", &[("needle.txt", b"a needle\n")]);
        for title in ["A needle", "Another needle"] {
            let _ = ada.post(&format!("{below}/issues"), json!({"title": title})).assert_status(201);
        }
        let hidden = json!({"title": "A needle of mine", "confidential": true});
        let _ = ada.post(&format!("{below}/issues"), hidden).assert_status(201);
        let _ = ada.post(&format!("{below}/milestones"), json!({"title": "Needle 1.0"})).assert_status(201);
        let _ = ada.post(&format!("{below}/issues/1/notes"), json!({"body": "The needle."})).assert_status(201);
        id
    });
    (ada, ids[0], ids[1])
}

/// The number on the tab of the scope that a page shows; null if it has none, or if one has to sign in first.
fn on_tab(browser: &Browser, query: &str) -> Value {
    let page = browser.get(&format!("/search?{query}"));
    if page.reply.status() == 302 {
        assert!(page.location().starts_with("/users/sign_in"), "{}", page.location());
        return Value::Null;
    }
    let html = page.assert_status(200).html;
    let tabs = first(&html, "(?s)aria-label=\"Scopes\"><ul class=\"tabs\"(.*?)</ul>");
    let here = first(&tabs, "(?s)aria-current=\"true\">(.*?)</a>");
    assert_eq!(tabs.matches("class=\"count\"").count(), here.matches("class=\"count\"").count(), "{tabs}");
    here.split_once("<span class=\"count\">")
        .map_or(Value::Null, |(_, rest)| json!(rest.split('<').next().unwrap().parse::<i64>().unwrap()))
}

fn counts(browser: &Browser, query: &str) -> Value {
    let answer = browser.get(&format!("/search/count?{query}")).assert_status(200).reply;
    assert_eq!(
        (answer.header("content-type").as_str(), answer.header("cache-control").as_str()),
        ("application/json", "private, no-store")
    );
    answer.json()
}

#[both_databases]
fn the_script_gets_what_each_tab_says(server: &TestServer) {
    let (_ada, open, closed) = needles(server);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    let stranger = Browser::of(server);
    for (browser, place, scopes) in [
        (&own, String::new(), &EVERYWHERE[..]),
        (&bob, String::new(), &EVERYWHERE),
        (&stranger, String::new(), &EVERYWHERE[..4]),
        (&own, format!("&project_id={open}"), &OF_PROJECT),
        (&own, format!("&project_id={closed}"), &OF_PROJECT),
        (&bob, format!("&project_id={open}"), &OF_PROJECT),
        (&stranger, format!("&project_id={open}"), &OF_PROJECT),
    ] {
        let all = counts(browser, &format!("search=needle{place}"));
        for scope in scopes {
            let on_tab = on_tab(browser, &format!("scope={scope}&search=needle{place}"));
            assert_eq!((&all[scope], all.get(scope).is_some()), (&on_tab, !on_tab.is_null()), "{scope}{place}: {all}");
            let alone = counts(browser, &format!("scope[]={scope}&search=needle{place}"));
            assert_eq!(alone, if on_tab.is_null() { json!({}) } else { json!({*scope: on_tab}) }, "{scope}{place}");
        }
    }
    assert_eq!(
        counts(&own, "search=needle"),
        json!({"projects": 2, "issues": 6, "merge_requests": 0, "milestones": 2, "snippet_titles": 0, "users": 0})
    );
    assert_eq!(counts(&bob, "search=needle&scope[]=issues&scope[]=projects"), json!({"projects": 1, "issues": 2}));
    assert_eq!(counts(&own, "search=++"), json!({}));
}

#[both_databases]
fn a_search_opens_the_first_scope_that_has_hits(server: &TestServer) {
    let (ada, open, _) = needles(server);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let here = |query: &str| {
        let html = own.get(&format!("/search?{query}")).assert_status(200).html;
        let tabs = first(&html, "(?s)aria-label=\"Scopes\"><ul class=\"tabs\"(.*?)</ul>");
        let words = first(&tabs, "aria-current=\"true\">([^<]*?) ?<").trim().to_owned();
        (words, html)
    };
    for (query, want) in [
        ("search=needle", "Projects"),
        ("search=Another", "Issues"),
        ("search=%231", "Issues"),
        ("search=1.0", "Milestones"),
        ("search=bob", "Users"),
        ("search=nothing-at-all", "Projects"),
        ("search=Another&scope=projects", "Projects"),
        ("search=", "Projects"),
        ("", "Projects"),
    ] {
        assert_eq!(here(query).0, want, "{query}");
    }
    // Which one is shown says how much all have; the form does not hold on to it.
    let (_, html) = here("search=Another");
    for (scope, total) in [("projects", 0), ("issues", 2), ("merge_requests", 0), ("milestones", 0), ("users", 0)] {
        let tab = first(&html, &format!("(?s)href=\"\\?scope={scope}&#38;search=Another\"(.*?)</a>"));
        assert!(tab.contains(&format!("<span class=\"count\">{total}</span>")), "{scope}: {tab}");
    }
    assert!(!html.contains("data-counts") && !html.contains("name=\"scope\""), "{html}");
    assert!(here("search=needle&scope=issues").1.contains("name=\"scope\" value=\"issues\""));
    // In a project the code is first, and the header searches the project.
    let place = format!("&project_id={open}");
    for (text, want) in [
        ("needle.txt", "Code"),
        ("a+needle", "Code"),
        ("First+needle", "Commits"),
        ("Another", "Issues"),
        ("1.0", "Milestones"),
        ("The+needle.", "Comments"),
        ("nothing-at-all", "Code"),
    ] {
        assert_eq!(here(&format!("search={text}{place}")).0, want, "{text}");
    }
    let field = format!("<input type=\"hidden\" name=\"project_id\" value=\"{open}\">");
    for path in [
        "/ada/open-needle",
        "/ada/open-needle/issues/1",
        "/ada/open-needle/tree/main",
        &format!("/search?search=x{place}"),
    ] {
        let html = own.get(path).assert_status(200).html;
        let header = first(&html, "(?s)<header class=\"site\">(.*?)</header>");
        assert!(header.contains(&field) && header.contains("Search this project"), "{path}: {header}");
    }
    let link = format!("href=\"/search?project_id={open}\"");
    assert!(Browser::of(server).get("/ada/open-needle").assert_status(200).html.contains(&link));
    let group = ada.post("/groups", json!({"name": "Crew", "path": "crew"})).assert_status(201).json()["id"].clone();
    let html = own.get("/groups/crew").assert_status(200).html;
    assert!(html.contains(&format!("<input type=\"hidden\" name=\"group_id\" value=\"{group}\">")), "{html}");
}

#[both_databases]
fn a_page_names_the_scopes_that_the_script_counts(server: &TestServer) {
    let (_ada, open, _) = needles(server);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let html = own.get(&format!("/search?scope=issues&search=a+%26needle&project_id={open}")).assert_status(200).html;
    let asked = first(&html, "data-counts=\"([^\"]*)\"").replace("&#38;", "&");
    let want = format!(
        "/search/count?scope[]=merge_requests&scope[]=milestones&scope[]=notes&search=a%20%26needle&project_id={open}"
    );
    assert_eq!(asked, want);
    assert_eq!(html.matches("data-scope=").count(), 3, "{html}");
    assert_eq!(
        own.get(&asked).assert_status(200).reply.json(),
        json!({"merge_requests": 0, "milestones": 0, "notes": 0})
    );
    assert!(!own.get("/search").assert_status(200).html.contains("data-counts"));
}

#[both_databases]
fn what_is_hidden_is_not_counted(server: &TestServer) {
    let (_ada, _, closed) = needles(server);
    let stranger = Browser::of(server);
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    assert_eq!(
        counts(&stranger, "search=needle"),
        json!({"projects": 1, "issues": 2, "merge_requests": 0, "milestones": 1, "snippet_titles": 0})
    );
    for browser in [&stranger, &bob] {
        let missing = browser.get("/no/such/page").assert_status(404).html;
        for query in [
            format!("search=needle&project_id={closed}"),
            "search=x&project_id=999999".to_owned(),
            "search=x&group_id=999999".to_owned(),
            "scope[]=none&search=x".to_owned(),
            "scope[]=issues&scope[]=notes&search=x".to_owned(),
            "scope=%3Cb%3E&search=x".to_owned(),
        ] {
            assert_eq!(browser.get(&format!("/search/count?{query}")).assert_status(404).html, missing, "{query}");
        }
        let _ = browser.get("/search/count?search=a%00b").assert_status(400);
    }
    // Strangers find no accounts.
    let _ = stranger.get("/search/count?scope[]=users&search=ada").assert_status(404);
    let _ = server
        .root()
        .put("/application/settings", json!({"restricted_visibility_levels": ["public"]}))
        .assert_status(200);
    assert!(stranger.get("/search/count?search=needle").location().starts_with("/users/sign_in"));
    assert_eq!(counts(&bob, "search=needle&scope[]=projects"), json!({"projects": 1}));
}

#[both_databases]
fn a_page_asks_the_database_for_its_scope_only(server: &TestServer) {
    let (ada, _, _) = needles(server);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let page = |path: &str| {
        let _ = own.get(path).assert_status(200);
        server.count_statements(|| drop(own.get(path)))
    };
    let bare = page("/search");
    let others = page("/search/count?search=needle");
    for scope in EVERYWHERE {
        let path = format!("/search?scope={scope}&search=needle");
        let _ = ada.get(&path).assert_status(200);
        let of_api = server.count_statements(|| drop(ada.get(&path)));
        let of_page = page(&path);
        // The page asks for the colours of labels too.
        assert!(
            of_page <= bare + of_api + 1,
            "{scope}: {of_page} statements, {bare} without a text, {of_api} by the API, {others} for all counts"
        );
    }
}

#[both_databases]
fn issues_and_merge_requests_are_found_with_their_labels(server: &TestServer) {
    let (ada, id, _) = needles(server);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let label = |name: &str| {
        let body = json!({"name": name, "color": "#cc0033"});
        let _ = ada.post(&format!("/projects/{id}/labels"), body).assert_status(201);
    };
    let open = |number: usize| {
        label(&format!("kind {number}"));
        let body = json!({"title": format!("Thread {number}"), "labels": format!("kind {number}")});
        let _ = ada.post(&format!("/projects/{id}/issues"), body).assert_status(201);
    };
    let statements = || {
        let path = "/search?scope=issues&search=thread";
        let _ = own.get(path).assert_status(200);
        server.count_statements(|| drop(own.get(path)))
    };
    open(1);
    let one = statements();
    (2..12).for_each(open);
    let many = statements();
    assert!(many <= one + 2, "{one} statements for one row, {many} for eleven");
    label("bug");
    let branch = json!({"branch": "topic", "ref": "main"});
    let _ = ada.post(&format!("/projects/{id}/repository/branches"), branch).assert_status(201);
    let request = json!({"source_branch": "topic", "target_branch": "main", "title": "Thread it", "labels": "bug"});
    let _ = ada.post(&format!("/projects/{id}/merge_requests"), request).assert_status(201);
    for (scope, list, name) in [("issues", "issues", "kind%201"), ("merge_requests", "merge_requests", "bug")] {
        let page = own.get(&format!("/search?scope={scope}&search=thread")).assert_status(200).html;
        let href = format!("href=\"/ada/open-needle/{list}?label_name[]={name}\"");
        assert!(page.contains(&href), "{href}: {page}");
    }
    // The API has the names alone, as before.
    let found = ada.get("/search?scope=merge_requests&search=thread").assert_status(200).json();
    assert_eq!(found[0]["labels"], json!(["bug"]));
}

#[both_databases]
fn a_search_in_a_project_keeps_its_tabs_and_marks_what_it_has_found(server: &TestServer) {
    let (ada, open, closed) = needles(server);
    let body = json!({"body": "<b>x</b> NEEDLE & <needle>"});
    let _ = ada.post(&format!("/projects/{open}/issues/2/notes"), body).assert_status(201);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    for (scope, want) in [
        ("blobs", "<td>a <mark>needle</mark></td>"),
        ("commits", "First <mark>needle</mark>"),
        ("milestones", "<mark>Needle</mark> 1.0"),
        ("notes", "The <mark>needle</mark>."),
        ("notes", "&#60;b&#62;x&#60;/b&#62; <mark>NEEDLE</mark> &#38; &#60;<mark>needle</mark>&#62;"),
    ] {
        let page = own.get(&format!("/search?project_id={open}&scope={scope}&search=Needle")).assert_status(200).html;
        assert!(page.contains(want), "{scope}: {page}");
        assert!(page.contains("<nav aria-label=\"Project\">") && page.contains("href=\"/ada/open-needle/issues\""));
        assert!(!page.contains("<b>x</b>") && page.matches("<h1").count() == 1, "{page}");
    }
    let everywhere = own.get("/search?search=needle").assert_status(200).html;
    assert!(!everywhere.contains("<nav aria-label=\"Project\">"));
    // Each word of a search is marked, wherever it stands.
    let words = own.get(&format!("/search?project_id={open}&scope=notes&search=needle+the")).assert_status(200).html;
    assert!(words.contains("<mark>The</mark> <mark>needle</mark>."), "{words}");
    let _ = Browser::of(server).get(&format!("/search?project_id={closed}&search=needle")).assert_status(404);
}

#[both_databases]
fn strangers_search_unless_the_setting_forbids_it(server: &TestServer) {
    let (_ada, open, _) = needles(server);
    let (stranger, own) = (Browser::of(server), Browser::signed_in(server, "ada", PASSWORD));
    let paths = ["/search?search=needle".to_owned(), format!("/search?search=needle&scope=issues&project_id={open}")];
    for path in &paths {
        let _ = stranger.get(path).assert_status(200);
    }
    server.set("anonymous_searches_allowed", &json!(false));
    for path in &paths {
        assert!(stranger.get(path).location().starts_with("/users/sign_in"), "{path}");
        let _ = own.get(path).assert_status(200);
    }
}
