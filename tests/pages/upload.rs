//! Files for use in texts, which a form takes, and the script.

use serde_json::json;
use tenon_testkit::{Multipart, TestServer, both_databases};

use crate::browser::{Browser, first};
use crate::project::project;
use crate::{PASSWORD, member};

const UPLOADS: &str = "/ada/tool/uploads";
const JSON: (&str, &str) = ("Accept", "application/json");

/// A form with a file, and a token as the page to attach a file has it.
fn form(token: &str, name: &str, bytes: &[u8]) -> Multipart {
    Multipart::default().text("authenticity_token", token).file("file", name, bytes)
}

#[both_databases]
fn a_file_becomes_a_line_of_a_text(server: &TestServer) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let _ = ada.post(&format!("/projects/{id}/issues"), json!({"title": "x"})).assert_status(201);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    for below in ["issues/1", "issues/new", "issues/1/edit", "milestones/new", "tags/new"] {
        let page = own.get(&format!("/ada/tool/{below}")).assert_status(200);
        assert!(page.links().contains(&format!("{UPLOADS}/new")), "{below}");
    }
    let page = own.get(&format!("{UPLOADS}/new")).assert_status(200);
    let token = page.token();
    let stored = own.upload(UPLOADS, &form(&token, "a.png", b"png")).assert_status(201);
    let line = first(&stored.html, "data-copy value=\"([^\"]+)\"");
    let url = line.strip_prefix("![a](").and_then(|rest| rest.strip_suffix(')')).unwrap().to_owned();
    assert_eq!(server.anonymous().get(&format!("//ada/tool{url}")).assert_status(200).bytes(), b"png");
    // The script sends the token in a header, and gets an answer for programs.
    let alone = Multipart::default().file("file", "notes.txt", b"text");
    let made = own.upload_with(UPLOADS, &alone, &[JSON, ("X-CSRF-Token", &token)]).assert_status(200).reply.json();
    let url = made["link"]["url"].as_str().unwrap().to_owned();
    assert_eq!(made, json!({"link": {"alt": "notes.txt", "url": url, "markdown": format!("[notes.txt]({url})")}}));
    assert_eq!(server.anonymous().get(&format!("//ada/tool{url}")).assert_status(200).bytes(), b"text");
    // Names that lie become names.
    for (name, want) in [
        ("../../x.txt", "x.txt"),
        ("e<img src=x onerror=alert(1)>.txt", "e_img_src_x_onerror_alert_1__.txt"),
        ("a](javascript:alert(1)).txt", "a__javascript_alert_1__.txt"),
    ] {
        let page = own.upload(UPLOADS, &form(&token, name, b"text")).assert_status(201);
        assert!(
            page.html.contains(&format!("value=\"[{want}](/uploads/")) && !page.html.contains("<img src=x"),
            "{name}: {}",
            page.html
        );
    }
}

#[both_databases]
fn who_may_upload_is_decided_before_a_file_is_received(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = member(server, "bob");
    let id = project(&ada, "tool", "public");
    let large = vec![b'x'; 4 * 1024 * 1024];
    let stranger = Browser::of(server);
    let token = stranger.get("/users/sign_in").token();
    assert_eq!(
        stranger.get(&format!("{UPLOADS}/new")).location(),
        "/users/sign_in?return_to=%2Fada%2Ftool%2Fuploads%2Fnew"
    );
    let _ = stranger.upload(UPLOADS, &form(&token, "a.txt", b"text")).assert_status(401);
    // Users who may see a project may upload a little.
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    let token = bob.get(&format!("{UPLOADS}/new")).assert_status(200).token();
    let _ = bob.upload(UPLOADS, &form(&token, "a.txt", &large)).assert_status(201);
    let _ = bob.upload("/ada/tool/-/uploads", &form(&token, "a.txt", b"text")).assert_status(201);
    // Forged ones.
    let _ = bob.upload(UPLOADS, &Multipart::default().file("file", "a.txt", b"text")).assert_status(422);
    for headers in [("X-CSRF-Token", "x"), ("Sec-Fetch-Site", "cross-site"), ("Origin", "https://evil.example")] {
        let _ = bob.upload_with(UPLOADS, &form(&token, "a.txt", b"text"), &[headers]).assert_status(422);
    }
    // No other form takes as much.
    let _ = bob.upload("/ada/tool/issues", &form(&token, "a.txt", &large)).assert_status(413);
    let _ = ada.post(&format!("/projects/{id}/archive"), json!({})).assert_status(200);
    let _ = bob.upload(UPLOADS, &form(&token, "a.txt", b"text")).assert_status(403);
    let _ = ada.post(&format!("/projects/{id}/unarchive"), json!({})).assert_status(200);
    // Hidden and missing files look the same.
    let _ = ada.put(&format!("/projects/{id}"), json!({"visibility": "private"})).assert_status(200);
    let missing = bob.get("/no/such/page").assert_status(404).html;
    assert_eq!(bob.get(&format!("{UPLOADS}/new")).assert_status(404).html, missing);
    for path in [UPLOADS, "/no/such/uploads", "/ada/tool/-/uploads"] {
        let page = bob.upload(path, &form(&token, "a.txt", b"text")).assert_status(404);
        assert_eq!(page.html, missing, "{path}");
    }
}

#[both_databases]
fn what_is_too_large_is_refused_with_a_reason(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = member(server, "bob");
    let _ = project(&ada, "tool", "public");
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let token = own.get(&format!("{UPLOADS}/new")).token();
    let large = vec![b'x'; 10 * 1024 * 1024 + 1];
    let page = own.upload(UPLOADS, &form(&token, "a.bin", &large)).assert_status(413);
    let reason = "The file is too large. The maximum size is 10 MiB.";
    assert!(page.html.contains("Upload failed") && page.html.contains(reason), "{}", page.html);
    let answer = own.upload_with(UPLOADS, &form(&token, "a.bin", &large), &[JSON]).assert_status(413);
    assert_eq!(answer.reply.json(), json!({"message": reason}));
    let _ = own.upload(UPLOADS, &form(&token, "a.bin", &large[1..])).assert_status(201);
    for nothing in [
        Multipart::default().text("authenticity_token", &token),
        Multipart::default().text("authenticity_token", &token).text("file", "x"),
    ] {
        let page = own.upload(UPLOADS, &nothing).assert_status(422);
        assert!(page.html.contains("File is missing"), "{}", page.html);
    }
    // Someone who is no member has less room.
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    let token = bob.get(&format!("{UPLOADS}/new")).token();
    for _ in 0..2 {
        let _ = bob.upload(UPLOADS, &form(&token, "a.bin", &large[1..])).assert_status(201);
    }
    let full = bob.upload_with(UPLOADS, &form(&token, "a.txt", b"x"), &[JSON]).assert_status(413);
    assert!(full.reply.json()["message"].as_str().unwrap().contains("quotas.uploads_of_outsider"), "{}", full.html);
}

#[both_databases]
fn every_attached_file_is_found_from_each_page_that_shows_it(server: &TestServer) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let file = |name: &str| Multipart::default().file("file", name, b"bytes");
    let attach =
        |name: &str| ada.multipart("POST", &format!("/projects/{id}/uploads"), &file(name)).assert_status(201).json();
    let (picture, notes) = (attach("shot.png"), attach("notes.txt"));
    let line = |made: &serde_json::Value| made["markdown"].as_str().unwrap_or_default().to_owned();
    let url = picture["url"].as_str().unwrap_or_default();
    let text = format!(
        "{} and {}\n\n<img src=\"{url}\" alt=\"again\">\n\n[{}]({url})",
        line(&picture),
        line(&notes),
        line(&picture)
    );
    let at = |path: &str| format!("/projects/{id}/{path}");
    let _ = ada.post(&at("issues"), json!({"title": "x", "description": text})).assert_status(201);
    let _ = ada.post(&at("issues/1/notes"), json!({"body": text})).assert_status(201);
    let _ = ada.post(&at("milestones"), json!({"title": "m", "description": text})).assert_status(201);
    let rendered =
        ada.post("/markdown", json!({"text": text, "gfm": true, "project": "ada/tool"})).assert_status(201).json();
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let preview = browser.get("/ada/tool/issues/new").submit(
        &browser,
        "/ada/tool/issues",
        &[("issue[title]", "x"), ("issue[description]", &text), ("action", "preview")],
    );
    let shown = [
        (browser.get("/ada/tool/issues/1").assert_status(200).html, 10),
        (browser.get("/ada/tool/milestones/1").assert_status(200).html, 5),
        (preview.html, 5),
        (rendered["html"].as_str().unwrap_or_default().to_owned(), 5),
    ];
    for (html, least) in shown {
        let addresses = crate::browser::pattern("(?:src|href)=\"([^\"]*/uploads/[0-9a-f][^\"]*)\"");
        let found: Vec<&str> =
            addresses.captures_iter(&html).filter_map(|found| found.get(1)).map(|it| it.as_str()).collect();
        assert!(found.len() >= least, "{found:?} in {html}");
        for address in found {
            let path = address.strip_prefix(server.base()).unwrap_or(address);
            assert_eq!(server.anonymous().get(&format!("/{path}")).status(), 200, "{address}");
        }
    }
}
