//! Settings about the server as a whole: maintenance, differences, pushes, addresses.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use super::set;
use crate::support::*;

const PATH: &str = "/application/settings";

#[both_databases]
fn nothing_is_changed_in_maintenance(server: &TestServer) {
    let alice = server.user("alice");
    let own = project(&alice, "tool", "public");
    set(server, json!({"maintenance_mode": true}));
    let refused = alice.post("/projects", json!({"name": "other"})).assert_status(503);
    assert_eq!(refused.json(), json!({"message": "The server is in maintenance. Nothing can be changed."}));
    set(server, json!({"maintenance_mode_message": "Back at <noon>."}));
    let path = format!("/projects/{own}");
    let closed = json!({"message": "Back at <noon>."});
    for client in [&alice, &server.root()] {
        client.put(&path, json!({"description": "d"})).assert(503, closed.clone());
        client.delete(&path).assert(503, closed.clone());
    }
    server.anonymous().post(&format!("{path}/issues"), json!({"title": "t"})).assert(503, closed);
    let page = server.anonymous().header("Accept", "text/html").form("POST", "//projects", "").assert_status(503);
    assert!(page.text().contains("<h1>Maintenance</h1>\n<p>Back at &lt;noon&gt;.</p>"), "{}", page.text());
    // Everything can be read, also by Git, which is told why it cannot push.
    let _ = alice.get(&path).assert_status(200);
    let git = server.anonymous().basic("alice", &alice.token);
    let refs = |service: &str| git.get(&format!("//alice/tool.git/info/refs?service={service}"));
    let _ = refs("git-upload-pack").assert_status(200);
    assert_eq!(refs("git-receive-pack").assert_status(503).text(), "Back at <noon>.\n");
    // Only administrators end it.
    alice.put(PATH, json!({"maintenance_mode": false})).assert(403, forbidden());
    set(server, json!({"maintenance_mode": false}));
    let _ = alice.put(&path, json!({"description": "d"})).assert_status(200);
    let _ = refs("git-receive-pack").assert_status(200);
}

#[both_databases]
fn differences_are_as_large_as_the_settings_say(server: &TestServer) {
    let alice = server.user("alice");
    let made = made(&alice, "/projects", json!({"name": "tool", "initialize_with_readme": true}));
    let commits = format!("/projects/{}/repository/commits", id(&made));
    let file =
        |name: &str, lines: usize| json!({"action": "create", "file_path": name, "content": "line\n".repeat(lines)});
    let actions = json!([file("a", 3), file("b", 50), file("c", 3)]);
    let body = json!({"branch": "main", "commit_message": "m", "actions": actions});
    let sha = alice.post(&commits, body).assert_status(201).json()["id"].as_str().expect("a commit").to_owned();
    let shown = || {
        let files = alice.get(&format!("{commits}/{sha}/diff")).assert_status(200).json();
        let has_text = |file: &Value| !file["diff"].as_str().unwrap_or_default().is_empty();
        files.as_array().expect("files").iter().map(has_text).collect::<Vec<_>>()
    };
    assert_eq!(shown(), [true; 3]);
    set(server, json!({"diff_max_files": 2}));
    assert_eq!(shown(), [true; 2]);
    set(server, json!({"diff_max_files": 1_000, "diff_max_patch_bytes": 100}));
    assert_eq!(shown(), [true, false, true]);
    set(server, json!({"diff_max_patch_bytes": 102_400, "diff_max_lines": 20}));
    assert_eq!(shown(), [true, true, false]);
}

#[both_databases]
fn addresses_for_git_and_contacts_are_those_of_the_settings(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/projects/{}", project(&alice, "tool", "public"));
    let clone = || alice.get(&path).json()["http_url_to_repo"].clone();
    assert_eq!(clone(), json!(format!("{}/alice/tool.git", server.base())));
    set(server, json!({"custom_http_clone_url_root": "https://git.example.org/code/"}));
    assert_eq!(clone(), json!("https://git.example.org/code/alice/tool.git"));
    let contact = || server.anonymous().get("//.well-known/security.txt");
    let _ = contact().assert_status(404);
    set(server, json!({"security_txt_content": "Contact: mailto:security@example.org"}));
    assert_eq!(contact().assert_status(200).text(), "Contact: mailto:security@example.org");
}
