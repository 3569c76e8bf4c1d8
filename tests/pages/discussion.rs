//! Discussions that are shown in parts: a long thread, and comments on earlier pages.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::PASSWORD;
use crate::browser::{Browser, first, followed, safe};
use crate::issue::tracker;

#[both_databases]
fn a_long_discussion_is_shown_in_parts(server: &TestServer) {
    let (ada, id) = tracker(server);
    let path = format!("/projects/{id}/issues/3/discussions");
    let thread =
        ada.post(&path, json!({"body": "say 0."})).assert_status(201).json()["id"].as_str().unwrap().to_owned();
    let reply = |number: usize| {
        ada.post(&format!("{path}/{thread}/notes"), json!({"body": format!("say {number}.")})).assert_status(201).json()
    };
    let ids: Vec<i64> = (1..60).map(|number| reply(number)["id"].as_i64().unwrap()).collect();
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let said = |html: &str| (0..60).filter(|number| html.contains(&format!("say {number}."))).collect::<Vec<_>>();
    let page = safe(&own, "/ada/tool/issues/3");
    assert_eq!(said(&page), (0..10).chain(20..60).collect::<Vec<_>>());
    assert!(page.contains("Show 10 comments between</a>") && page.contains("<summary>Reply</summary>"), "{page}");
    let link =
        first(&page, "href=\"(/ada/tool/issues/3[?]discussion=[^\"#]*)").replace("&#38;", "&").replace("&amp;", "&");
    let middle = safe(&own, &link);
    assert_eq!(said(&middle), (10..60).collect::<Vec<_>>());
    assert!(middle.contains("Show 10 comments before</a>") && !middle.contains("Show 0"), "{middle}");
    // The form of a comment in the middle is there.
    let note = first(&middle, "edit_note=([0-9]+)");
    let edit = safe(&own, &format!("/ada/tool/issues/3?edit_note={note}"));
    assert!(edit.contains("say 10.</textarea>"), "{edit}");
    for odd in ["?discussion=x&from=1", "?discussion=%22%3E%3Cb%3Ex&from=99999999999999999999", "?from=3"] {
        let _ = safe(&own, &format!("/ada/tool/issues/3{odd}"));
    }
    assert_eq!(said(&safe(&own, &format!("/ada/tool/issues/3?discussion={thread}&from=9999"))).len(), 50);
    // Links to a comment lead to the part that has it.
    let id = ids[14];
    let edit = own.get(&format!("/ada/tool/issues/3?edit_note={id}")).assert_status(200);
    let saved = edit.submit(&own, &format!("/ada/tool/issues/3/notes/{id}"), &[("note[note]", "say 15. Anew.")]);
    assert_eq!(saved.location(), format!("/ada/tool/issues/3?note={id}#note_{id}"));
    let html = followed(&own, &saved);
    assert!(html.contains("say 15. Anew.") && html.contains(&format!("id=\"note_{id}\"")), "{html}");
    for odd in ["x", "0", "99999999", "-1"] {
        assert_eq!(said(&safe(&own, &format!("/ada/tool/issues/3?note={odd}"))).len(), 50, "{odd}");
    }
}

#[both_databases]
fn a_comment_on_an_earlier_page_is_found(server: &TestServer) {
    let (ada, id) = tracker(server);
    let say = |text: &str| {
        ada.post(&format!("/projects/{id}/issues/3/notes"), json!({"body": text})).assert_status(201).json()["id"]
            .as_i64()
            .unwrap()
    };
    let early: Vec<i64> = (0..3).map(|number| say(&format!("early {number}."))).collect();
    for number in 0..101 {
        let _ = say(&format!("late {number}."));
    }
    let own = Browser::signed_in(server, "ada", PASSWORD);
    assert!(!safe(&own, "/ada/tool/issues/3").contains("early"));
    for (number, id) in early.iter().enumerate() {
        let html = safe(&own, &format!("/ada/tool/issues/3?note={id}"));
        assert!(html.contains(&format!("early {number}.")) && !html.contains("late 100."), "{html}");
    }
    // Its form is on that page, too, and keeps the typed text.
    let path = format!("/ada/tool/issues/3?edit_note={}", early[0]);
    let page = own.get(&path).assert_status(200);
    assert!(page.html.contains("early 0.</textarea>"), "{}", page.html);
    let notes = format!("/ada/tool/issues/3/notes/{}?page=1", early[0]);
    let seen =
        page.submit(&own, &notes, &[("note[note]", "Earlier *still*"), ("action", "preview")]).assert_status(200);
    assert!(seen.html.contains("Earlier *still*</textarea>") && seen.html.contains("<em>still</em>"), "{}", seen.html);
    let blank = page.submit(&own, &notes, &[("note[note]", " ")]).assert_status(422);
    assert!(blank.html.contains("early 1.") && blank.html.contains("can&#39;t be blank"), "{}", blank.html);
}
