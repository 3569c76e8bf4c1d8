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

const SECRET: &str = "asset_proxy_secret_key";

#[both_databases]
fn a_secret_is_set_and_removed_on_the_page_and_never_shown(server: &TestServer) {
    let browser = root(server);
    let area = AREAS.iter().position(|area| area.settings.iter().any(|setting| setting.name == SECRET)).unwrap();
    let address = format!("/admin/application_settings?area={area}");
    let on = json!({"asset_proxy_enabled": true, "asset_proxy_url": "https://camo.example"});
    let _ = server.root().put("/application/settings", on).assert_status(200);
    // The proxy is used while there is a key.
    let is_set = || {
        let page = browser.get(&address).assert_status(200);
        assert!(!page.html.contains("shared-secret"), "{}", page.html);
        let removable = page.html.contains(&format!("[{SECRET}_removed]"));
        assert_eq!(page.reply.header("content-security-policy").contains("https://camo.example"), removable);
        removable
    };
    let field = format!("application_setting[{SECRET}]");
    let send = |fields: &[(&str, &str)]| {
        let page = browser.get(&address);
        assert_eq!(page.send_with(&browser, "/admin/application_settings", fields).reply.status(), 303);
        is_set()
    };
    assert!(!is_set() && !send(&[(&field, "")]));
    assert!(send(&[(&field, "shared-secret")]));
    assert!(send(&[(&field, "")]), "an empty field changes nothing");
    // A form that is refused does not show it either.
    let page = browser.get(&address);
    let wrong = [(field.as_str(), "shared-secret"), ("application_setting[asset_proxy_url]", "x")];
    let refused = page.send_with(&browser, "/admin/application_settings", &wrong).assert_status(422);
    assert!(!refused.html.contains("shared-secret"), "{}", refused.html);
    let removal = format!("application_setting[{SECRET}_removed]");
    assert!(!send(&[(&removal, "1")]));
}
