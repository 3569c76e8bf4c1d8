//! The mirror of a project: its settings, its state, and the line on the first page.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, followed, safe};
use crate::merge_request::offer;
use crate::{PASSWORD, member};

const SETTINGS: &str = "/ada/tool/settings/repository";

#[both_databases]
fn a_mirror_is_set_up_updated_and_ended(server: &TestServer) {
    server.set("allow_local_requests_from_hooks_and_services", &json!(true));
    let (ada, id) = offer(server);
    let bob = member(server, "bob");
    let source = json!({"name": "source", "visibility": "public", "initialize_with_readme": true});
    let _ = bob.post("/projects", source).assert_status(201);
    let url = format!("{}/bob/source.git", server.base());
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let save = |fields: &[(&str, &str)]| {
        let page = browser.get(SETTINGS).assert_status(200);
        page.submit(&browser, "/ada/tool/settings/mirror", fields)
    };
    let page = browser.get(SETTINGS).assert_status(200);
    assert!(page.html.contains("id=\"mirror\"") && !page.html.contains("Update now"), "{}", page.html);
    let refused = save(&[("mirror[enabled]", "1"), ("mirror[url]", "")]);
    assert!(refused.reply.status() == 422 && refused.html.contains("problem-import_url"), "{}", refused.html);
    let refused = save(&[("mirror[enabled]", "1"), ("mirror[url]", &url), ("mirror[regex]", "(")]);
    assert!(refused.reply.status() == 422 && refused.html.contains("problem-mirror_branch_regex"), "{}", refused.html);
    assert!(refused.html.contains(&format!("value=\"{url}\"")));
    let with_secret = url.replace("http://", "http://bob:swordfish@");
    let saved = save(&[("mirror[enabled]", "1"), ("mirror[url]", &with_secret), ("mirror[overwrites]", "1")]);
    let page = followed(&browser, &saved);
    assert!(page.contains("Waits for its update") && page.contains(&url) && !page.contains("swordfish"), "{page}");
    // The user name and the password are wrong.
    server.run_jobs();
    assert!(safe(&browser, SETTINGS).contains("Update failed"));
    let saved = save(&[("mirror[enabled]", "1"), ("mirror[url]", &url), ("mirror[overwrites]", "1")]);
    assert_eq!(saved.location(), SETTINGS);
    let page = browser.get(SETTINGS).assert_status(200);
    let asked = page.submit(&browser, "/ada/tool/mirror/pull", &[]);
    assert!(followed(&browser, &asked).contains("The mirror will be updated soon."));
    // The address is the same without them: they are kept until the mirror is ended.
    let ended = save(&[("mirror[url]", &url)]);
    assert!(!followed(&browser, &ended).contains("Update now"));
    let _ = save(&[("mirror[enabled]", "1"), ("mirror[url]", &url), ("mirror[overwrites]", "1")]);
    server.run_jobs();
    let page = safe(&browser, SETTINGS);
    assert!(page.contains("Updated <time") && page.contains("mirror[overwrites]\" value=\"1\" checked"), "{page}");
    let home = safe(&browser, "/ada/tool");
    assert!(home.contains("Mirrored from") && home.contains(&url), "{home}");
    assert_eq!(ada.get(&format!("/projects/{id}")).json()["mirror"], true);
    // The address is for those who may change it.
    let other = Browser::signed_in(server, "bob", PASSWORD);
    assert!(!safe(&other, "/ada/tool").contains("Mirrored from"));
}
