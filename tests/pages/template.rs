//! Templates of descriptions, which come with a project, and of files, which come with the program.

use serde_json::json;
use tenon_testkit::{TestServer, User, both_databases};

use crate::browser::{Browser, first, plain, safe};
use crate::project::{MARKER, commit, project};
use crate::{PASSWORD, member};

fn world(server: &TestServer, files: &[(&str, &[u8])]) -> (User, Browser) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let _ = commit(&ada, "ada/tool", "main", "First", files);
    (ada, Browser::signed_in(server, "ada", PASSWORD))
}

/// The text of the field for a description, or for a file.
fn text(html: &str, id: &str) -> String {
    // Browsers leave the first end of a line out.
    plain(&first(html, &format!("(?s)<textarea id=\"{id}\"[^>]*>\n?(.*?)</textarea>")))
}

#[both_databases]
fn a_description_begins_with_the_usual_template_or_a_chosen_one(server: &TestServer) {
    let long = vec![b'x'; 1_000_001];
    let files: [(&str, &[u8]); 8] = [
        (".gitlab/issue_templates/default.md", b"## Usual\n"),
        (".gitlab/issue_templates/Bug report.md", b"## Steps\n"),
        (".gitlab/issue_templates/Long.md", &long),
        (".gitlab/issue_templates/Both.md", b"of gitlab"),
        (".tenon/issue_templates/Both.md", b"of tenon"),
        (".tenon/issue_templates/Marked.md", MARKER.as_bytes()),
        (".tenon/merge_request_templates/Default.md", b"## What\n"),
        ("a.txt", b"a"),
    ];
    let (ada, browser) = world(server, &files);
    let new = "/ada/tool/issues/new";
    let page = browser.get(new).assert_status(200).html;
    assert_eq!(text(&page, "description"), "## Usual\n");
    assert!(page.contains("<option value=\"default\" selected>") && page.contains("<option value=\"Bug report\">"));
    assert_eq!(page.matches("<option value=\"Both\">").count(), 1);
    for (query, want) in [
        ("?issuable_template=Bug+report", "## Steps\n"),
        ("?issuable_template=Both", "of tenon"),
        ("?issuable_template=", ""),
        ("?issuable_template=Missing", ""),
        ("?issuable_template=Long", ""),
        ("?issuable_template=..%2Fmerge_request_templates%2FDefault", ""),
        ("?issue[description]=Typed", "Typed"),
        ("?issuable_template=Bug+report&issue[description]=Typed", "Typed"),
    ] {
        let page = browser.get(&format!("{new}{query}")).assert_status(200).html;
        assert_eq!(text(&page, "description"), want, "{query}");
    }
    let _ = safe(&browser, &format!("{new}?issuable_template=Marked"));
    let named: String = MARKER.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let _ = safe(&browser, &format!("{new}?issuable_template={named}"));
    let request = browser.get("/ada/tool/merge_requests/new").assert_status(200).html;
    assert_eq!(text(&request, "description"), "## What\n");
    // A form that is shown again has what was typed.
    let form = browser.get(new);
    let again = form.send_with(&browser, "/ada/tool/issues", &[("issue[title]", ""), ("issue[description]", "")]);
    assert_eq!(text(&again.assert_status(422).html, "description"), "");
    // A merge request into another project begins with a template of that one.
    let _ = member(server, "bob");
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    let token = bob.get("/ada/tool/forks/new").token();
    let fields = [("authenticity_token", token.as_str()), ("own", "1")];
    assert_eq!(bob.post("/ada/tool/forks", &fields).location(), "/bob/tool");
    let _ = server.run_jobs();
    let _ = commit(&ada, "ada/tool", "main", "Later", &[(".tenon/merge_request_templates/Later.md", b"later")]);
    let request = bob.get("/bob/tool/merge_requests/new?issuable_template=Later").assert_status(200).html;
    assert_eq!(text(&request, "description"), "later");
    // Who may not read the code sees no templates.
    let _ = ada.put("/projects/ada%2Ftool", json!({"visibility": "private"})).assert_status(200);
    let request = bob.get("/bob/tool/merge_requests/new?issuable_template=Later").assert_status(200).html;
    assert_eq!(text(&request, "description"), "");
}

#[both_databases]
fn a_new_file_begins_with_a_template(server: &TestServer) {
    let (ada, browser) = world(server, &[("doc/a.txt", b"a")]);
    let page = browser.get("/ada/tool/new/main/doc").assert_status(200).html;
    for choice in ["license/mit", "gitignore/Rust", "ci/Ruby", "dockerfile/Golang"] {
        assert!(page.contains(&format!("<option value=\"{choice}\">")), "{choice}");
    }
    assert_eq!(text(&page, "content"), "");
    for (named, path, part) in [
        ("license/mit", "doc/LICENSE", "MIT License"),
        ("gitignore/Rust", "doc/.gitignore", "target"),
        ("ci/Ruby", "doc/.gitlab-ci.yml", "bundle"),
        ("dockerfile/Golang", "doc/Dockerfile", "FROM golang"),
    ] {
        let page = browser.get(&format!("/ada/tool/new/main/doc?file_template={named}")).assert_status(200);
        assert!(page.html.contains(&format!("name=\"file[path]\" value=\"{path}\"")), "{}", page.html);
        assert!(page.html.contains(&format!("<option value=\"{named}\" selected>")), "{named}");
        assert!(text(&page.html, "content").contains(part), "{named}");
        assert!(page.send_with(&browser, "/ada/tool/create/main", &[]).location().ends_with(path));
    }
    let license = ada.get("/projects/ada%2Ftool/repository/files/doc%2FLICENSE/raw?ref=main").text();
    assert!(license.contains("Copyright (c) 20") && !license.contains("[fullname]"), "{license}");
    for nothing in ["license/none", "none/mit", "mit", "license/", "%22%3E%3Cb%3Ex%3C/b%3E/x"] {
        let path = format!("/ada/tool/new/main?file_template={nothing}");
        assert_eq!(text(&safe(&browser, &path), "content"), "", "{nothing}");
    }
}
