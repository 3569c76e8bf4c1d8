//! The settings of the server.

use serde_json::{Map, Value as Json, json};
use tenon_testkit::{TestServer, both_databases};

use super::entries;

#[both_databases]
fn the_settings_of_the_server_stay_as_they_were_described(server: &TestServer) {
    let root = server.root();
    let path = "/application/settings";
    let fresh = root.get(path).assert_status(200).json();
    let mut sent = Map::new();
    let mut wrong = Vec::new();
    // One setting after the other, as a description grows. Each that was sent before stays.
    for (name, value) in [
        ("default_branch_name", json!("trunk")),
        ("default_project_visibility", json!("internal")),
        ("signup_enabled", json!(false)),
        ("max_attachment_size", json!(7)),
        ("restricted_visibility_levels", json!(["public"])),
        ("default_projects_limit", json!(5)),
        ("after_sign_out_path", json!("https://example.org/x")),
        ("domain_allowlist", json!(["example.org"])),
        ("session_expire_delay", json!(60)),
        ("user_oauth_applications", json!(false)),
        ("can_create_group", json!(false)),
        ("first_day_of_week", json!(0)),
        ("help_text", json!("Ask the operator.")),
        ("notes_create_limit", json!(11)),
    ] {
        sent.insert(name.to_owned(), value.clone());
        let changed = root.put(path, json!({ name: value })).assert_status(200).json();
        assert_eq!(root.get(path).assert_status(200).json(), changed, "{name}");
        for (field, is) in entries(&changed).filter(|(field, _)| *field != "updated_at") {
            let older = if field == "domain_whitelist" { "domain_allowlist" } else { field };
            if sent.get(older).unwrap_or(&fresh[field]) != is {
                wrong.push(format!("after {name}: {field} is {is}"));
            }
        }
        let again = root.put(path, Json::Object(sent.clone())).assert_status(200).json();
        wrong.extend(
            entries(&again)
                .filter(|(field, is)| *field != "updated_at" && changed[*field] != **is)
                .map(|(field, is)| format!("sent again after {name}: {field} is {is}")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
