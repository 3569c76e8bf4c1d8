//! The pages that help.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::Browser;
use crate::project::project;
use crate::{PASSWORD, member};

#[both_databases]
fn help_is_for_everyone_and_shows_what_the_server_does(server: &TestServer) {
    let stranger = Browser::of(server);
    let index = stranger.get("/help").assert_status(200);
    for page in ["/help/markdown", "/help/quick_actions", "/help/shortcuts", "/help/licences"] {
        assert!(index.html.contains(&format!("href=\"{page}\"")), "{page}");
        let page = stranger.get(page).assert_status(200).html;
        assert!(page.contains("href=\"/help\"") && page.contains("href=\"/help/shortcuts\" data-key=\"?\""), "{page}");
    }
    let markdown = stranger.get("/help/markdown").html;
    for part in ["<pre>*italic*, **bold**", "<em>italic</em>, <strong>bold</strong>", "🎉", "<td>crank</td>"] {
        assert!(markdown.contains(part), "{part}: {markdown}");
    }
    let _ = stranger.get("/help/none").assert_status(404);
    let _ = stranger.post("/help", &[]).assert_status(405);
}

#[both_databases]
fn help_has_the_texts_of_the_administrators_and_their_page_of_support(server: &TestServer) {
    let help = || Browser::of(server).get("/help").assert_status(200).html;
    assert!(!help().contains(">Support</a>"));
    let texts = json!({
        "help_page_text": "Ask **us** first. <script>alert(1)</script>", "help_text": "*Office* hours: 9 to 5.",
        "help_page_support_url": "https://support.example.org/?a=1&b=2",
    });
    let _ = server.root().put("/application/settings", texts).assert_status(200);
    let page = help();
    let places =
        ["Ask <strong>us</strong> first.", "<em>Office</em> hours", "?a=1&#38;b=2\">Support</a>", "/help/markdown\">"];
    let places = places.map(|part| page.find(part).unwrap_or_else(|| panic!("{part}: {page}")));
    assert!(places.is_sorted() && !page.contains("alert(1)</script>"), "{page}");
    let none = json!({"help_page_text": "", "help_text": null, "help_page_support_url": null});
    let _ = server.root().put("/application/settings", none).assert_status(200);
    assert!(!help().contains("Office") && !help().contains(">Support</a>"));
}

#[both_databases]
fn each_command_that_is_shown_is_carried_out_or_is_at_least_no_text(server: &TestServer) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "private");
    let _ = ada.post(&format!("/projects/{id}/issues"), json!({"title": "One"})).assert_status(201);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get("/help/quick_actions").assert_status(200).html;
    let lines: Vec<&str> =
        page.split("<tr><td><code>").skip(1).filter_map(|rest| rest.split("</code>").next()).collect();
    assert!(lines.len() > 20, "{lines:?}");
    for line in lines.into_iter().filter(|line| !line.starts_with("/move")) {
        let line = line.replace("&#34;", "\"");
        let form = browser.get("/ada/tool/issues/1").assert_status(200);
        let said = form.submit(&browser, "/ada/tool/issues/1/notes", &[("note[note]", &line)]);
        assert_eq!((said.reply.status(), said.location().as_str()), (303, "/ada/tool/issues/1"), "{line}");
    }
}

#[both_databases]
fn pages_have_what_keys_lead_to(server: &TestServer) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "private");
    let _ = ada.post(&format!("/projects/{id}/issues"), json!({"title": "One"})).assert_status(201);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let keys = |path: &str| {
        let html = browser.get(path).assert_status(200).html;
        html.split("data-key=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let issues = keys("/ada/tool/issues");
    for key in ["/", "?", "c", "go", "gi", "gm", "gt", "gp"] {
        assert!(issues.iter().any(|known| known == key), "{key}: {issues:?}");
    }
    let issue = keys("/ada/tool/issues/1");
    for key in ["c", "e", "l"] {
        assert!(issue.iter().any(|known| known == key), "{key}: {issue:?}");
    }
    assert!(!keys("/").iter().any(|key| key == "gi"));
}
