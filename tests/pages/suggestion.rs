//! Suggestions on pages: shown as a small difference, applied by a button or several together, and begun by one.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, User, both_databases};

use crate::PASSWORD;
use crate::browser::{Browser, first, followed, safe};
use crate::merge_request::offer;
use crate::project::MARKER;

const ONE: &str = "/ada/tool/merge_requests/1";

fn suggest(user: &User, id: i64, line: i64, new: &str) -> Value {
    let one = format!("/projects/{id}/merge_requests/1");
    let refs = user.get(&one).json()["diff_refs"].clone();
    let position = json!({
        "base_sha": refs["base_sha"], "start_sha": refs["start_sha"], "head_sha": refs["head_sha"],
        "new_path": "a.txt", "new_line": line,
    });
    let body =
        json!({"body": format!("So {MARKER}\n\n```suggestion:-0+0\n{new}\n```\n\nbehind"), "position": position});
    user.post(&format!("{one}/discussions"), body).assert_status(201).json()["notes"][0].clone()
}

#[both_databases]
fn a_suggestion_is_a_difference_with_a_button(server: &TestServer) {
    let (ada, id) = offer(server);
    let note = suggest(&ada, id, 2, &format!("Two {MARKER}"));
    let suggestion = note["suggestions"][0]["id"].as_i64().unwrap();
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let target = format!("formaction=\"{ONE}/suggestions/{suggestion}/apply");
    for path in [ONE.to_owned(), format!("{ONE}/diffs")] {
        let page = safe(&browser, &path);
        let text = page.split(&format!("id=\"note_{}\"", note["id"])).nth(1).expect("the note");
        let text = text.split("</article>").next().unwrap();
        assert!(text.contains("<tr class=\"removed\">") && text.contains("<tr class=\"added\">"), "{text}");
        assert!(text.contains(&target) && text.contains("<p>behind</p>"), "{text}");
        // One alone needs no ticks.
        assert!(!page.contains("id=\"suggestions\""), "{page}");
        let stranger = safe(&Browser::of(server), &path);
        assert!(stranger.contains("<tr class=\"removed\">") && !stranger.contains("/apply\""), "{stranger}");
    }
    let page = browser.get(ONE).assert_status(200);
    let token = first(&page.html, "name=\"authenticity_token\" value=\"([^\"]+)\"");
    let pressed = browser.post(&format!("{ONE}/suggestions/{suggestion}/apply"), &[("authenticity_token", &token)]);
    let after = followed(&browser, &pressed);
    assert!(after.contains("Suggestions applied.") && after.contains(">Applied</span>"), "{after}");
    let file = ada.get(&format!("/projects/{id}/repository/files/a.txt/raw?ref=topic")).assert_status(200).text();
    assert!(file.starts_with("one\nTwo "), "{file}");
    // Again: nothing more happens.
    let again = browser.post(&format!("{ONE}/suggestions/{suggestion}/apply"), &[("authenticity_token", &token)]);
    assert_eq!(again.reply.status(), 303);
    for missing in ["99999", "x"] {
        let path = format!("{ONE}/suggestions/{missing}/apply");
        assert_eq!(browser.post(&path, &[("authenticity_token", &token)]).reply.status(), 404, "{missing}");
    }
}

#[both_databases]
fn ticked_suggestions_are_one_commit(server: &TestServer) {
    let (ada, id) = offer(server);
    let ids = [(1, "eins"), (3, "drei"), (3, "three!")]
        .map(|(line, new)| suggest(&ada, id, line, new)["suggestions"][0]["id"].as_i64().unwrap().to_string());
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get(&format!("{ONE}/diffs")).assert_status(200);
    for id in &ids {
        assert!(page.html.contains(&format!("value=\"{id}\" form=\"suggestions\"")), "{}", page.html);
    }
    let form = format!("{ONE}/suggestions/apply");
    let send = |ids: &[&String]| {
        let mut fields: Vec<(&str, &str)> = ids.iter().map(|id| ("suggestions[]", id.as_str())).collect();
        fields.push(("commit_message", "Both"));
        page.submit(&browser, &form, &fields)
    };
    let none = send(&[]).assert_status(422);
    assert!(none.html.contains("Select at least one suggestion"), "{}", none.html);
    let clash = send(&[&ids[0], &ids[1], &ids[2]]).assert_status(422);
    assert!(clash.html.contains("their lines cannot overlap"), "{}", clash.html);
    let applied = send(&[&ids[0], &ids[1]]);
    assert!(applied.location().starts_with(&format!("{ONE}/diffs")), "{}", applied.location());
    let after = followed(&browser, &applied);
    assert_eq!(after.matches(">Applied</span>").count(), 2, "{after}");
    assert!(after.contains("Outdated: the lines have changed"), "{after}");
    let commits = ada.get(&format!("/projects/{id}/repository/commits?ref_name=topic")).json();
    assert_eq!(commits[0]["message"].as_str().map(str::trim), Some("Both"), "{commits}");
}

#[both_databases]
fn a_button_begins_a_suggestion_of_the_line(server: &TestServer) {
    let _ = offer(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let line = first(&safe(&browser, &format!("{ONE}/diffs")), "comment=(f[0-9a-f]+_0_4)#");
    let open = browser.get(&format!("{ONE}/diffs?comment={line}")).assert_status(200);
    let form = first(&open.html, "action=\"([^\"]*/notes[?]diff_id=[0-9]+)\"");
    let begun = open.submit(&browser, &form, &[("note[note]", "So"), ("action", "suggest")]).assert_status(200);
    let text = first(&begun.html, "(?s)<textarea id=\"line-commentf[^>]*>(.*?)</textarea>");
    assert_eq!(text, "So\n```suggestion:-0+0\n&#60;b&#62;x&#60;/b&#62;\n```\n", "{text}");
    let sent = begun.submit(&browser, &form, &[("note[note]", "```suggestion:-0+0\nx\n```")]);
    assert!(followed(&browser, &sent).contains("Apply suggestion"));
    // A removed line cannot be replaced.
    let line = first(&safe(&browser, &format!("{ONE}/diffs")), "comment=(f[0-9a-f]+_[1-9]_0)#");
    let open = safe(&browser, &format!("{ONE}/diffs?comment={line}"));
    // The form that the script copies has the button, which the script takes away.
    let form = open.split("<textarea id=\"line-commentf").nth(1).expect("the form of the line");
    assert!(!form.split("</form>").next().unwrap().contains("value=\"suggest\""), "{form}");
}
