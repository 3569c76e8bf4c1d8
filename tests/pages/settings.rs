//! The pages and the API read a setting from the same text in the same way.

use serde_json::{Value, json};
use tenon_domain::settings::AREAS;
use tenon_testkit::{TestServer, both_databases};

use crate::admin::root;

/// For one setting of each kind that is typed as a text: texts, of which some are no value.
const TEXTS: [(&str, &[&str]); 8] = [
    ("max_attachment_size", &["20", " 21 ", "0", "x", "2.5", "99999999999999999999", ""]),
    ("default_branch_protection", &["1", " 0 ", "4", "5", "x", ""]),
    ("default_project_visibility", &["internal", " public ", "secret", ""]),
    ("domain_whitelist", &["a.test b.test; c.test", "a.test, b.test, a.test", "a.test\nb.test", "a@b", ""]),
    ("domain_blacklist", &["a.test b.test", ""]),
    ("sign_in_text", &["a\nb", " a ", "\u{7}", ""]),
    ("after_sign_out_path", &["https://example.org/a", " https://example.org/b ", "javascript:alert(1)", ""]),
    ("default_branch_name", &["trunk", " next ", "a..b", ""]),
];

#[both_databases]
fn a_text_is_the_same_value_on_a_page_and_in_the_api(server: &TestServer) {
    let (administrator, browser) = (server.root(), root(server));
    let token = browser.get("/admin/application_settings").token();
    let stored = |name: &str| administrator.get("/application/settings").json()[name].clone();
    for (name, texts) in TEXTS {
        let area =
            AREAS.iter().position(|area| area.settings.iter().any(|setting| setting.name == name)).unwrap().to_string();
        let before = stored(name);
        let field = format!("application_setting[{name}]");
        for text in texts {
            let by_api = administrator.put("/application/settings", json!({name: text})).status() == 200;
            let by_api: (bool, Value) = (by_api, stored(name));
            let _ = administrator.put("/application/settings", json!({name: before})).assert_status(200);
            let fields = [
                ("_method", "put"),
                ("authenticity_token", token.as_str()),
                ("area", area.as_str()),
                (field.as_str(), *text),
            ];
            let by_page = browser.post("/admin/application_settings", &fields).reply.status() == 303;
            assert_eq!((by_page, stored(name)), by_api, "{name} {text:?}");
            let _ = administrator.put("/application/settings", json!({name: before})).assert_status(200);
        }
    }
}
