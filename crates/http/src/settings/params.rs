//! Settings as parameters, read as the table of settings says.

use tenon_domain::settings::{Changes, Setting, Value, all, find};

use crate::params::setting::{described, read};
use crate::params::{FieldDoc, FromParams, Reader};

/// The settings of a request, in the order of the table.
#[derive(Debug)]
pub(crate) struct SettingsParams(pub(crate) Changes);

impl FromParams for SettingsParams {
    fn from_params(reader: &mut Reader<'_>) -> Option<Self> {
        let mut changes = Changes::new();
        for setting in all() {
            if let Some(value) = read(reader, setting) {
                changes.push((setting, value));
            }
        }
        for (switch, value) in &changes {
            if *value == Value::Switch(true) {
                needs(reader, switch);
            }
        }
        if !all().flat_map(Setting::sent_names).any(|name| reader.is_given(name)) {
            reader.at_least_one_of(&all().map(|setting| setting.name).collect::<Vec<_>>());
        }
        let given = |name| changes.iter().find(|(setting, _)| setting.name == name).map(|(_, value)| value);
        let is_cleared = given("performance_bar_enabled") == Some(&Value::Switch(false)) && given(GROUP).is_none();
        if let Some(group) = find(GROUP).filter(|_| is_cleared) {
            changes.push((group, Value::Null));
        }
        Some(Self(changes))
    }

    fn fields() -> Vec<FieldDoc> {
        all().flat_map(|setting| setting.sent_names().map(move |name| described(setting, name))).collect()
    }
}

/// The group that switching the performance bar off clears.
const GROUP: &str = "performance_bar_allowed_group_path";

/// The settings that have to come with a switch that is switched on.
fn needs(reader: &mut Reader<'_>, switch: &Setting) {
    for companion in switch.needs.iter().filter_map(|name| find(name)) {
        if !companion.sent_names().any(|name| reader.is_given(name)) {
            reader.complain(companion.name, "is missing");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};
    use tenon_edge::param_map::ParamMap;
    use tenon_edge::raw::RawParams;

    use super::*;
    use crate::params::ReadParams as _;

    fn read(body: &Json) -> Result<Vec<(&'static str, Value)>, String> {
        let map = ParamMap::from_json(body.to_string().as_bytes()).unwrap();
        let read = RawParams::without_files(map).read::<SettingsParams>();
        let changes = read.map_err(|error| error.body()["error"].as_str().unwrap_or_default().to_owned())?.0;
        Ok(changes.into_iter().map(|(setting, value)| (setting.name, value)).collect())
    }

    fn list(items: &[&str]) -> Value {
        Value::List(items.iter().map(|item| (*item).to_owned()).collect())
    }

    #[test]
    fn values_are_read_as_the_table_says() {
        let text = |text: &str| Value::Text(text.to_owned());
        for (name, sent, want) in [
            ("signup_enabled", json!("off"), Some(Value::Switch(false))),
            ("signup_enabled", json!(null), None),
            ("max_attachment_size", json!("20"), Some(Value::Number(20))),
            ("polling_interval_multiplier", json!(2), Some(text("2.0"))),
            ("polling_interval_multiplier", json!("-0"), Some(text("0.0"))),
            ("enabled_git_access_protocol", json!("nil"), Some(Value::Null)),
            ("enabled_git_access_protocol", json!(""), Some(Value::Null)),
            ("default_group_visibility", json!(""), None),
            ("sign_in_text", json!(""), Some(Value::Null)),
            ("metrics_host", json!(""), Some(text(""))),
            ("domain_whitelist", json!("a.test; b.test\nc.test, a.test"), Some(list(&["a.test", "b.test", "c.test"]))),
            ("domain_whitelist", json!(["a.test"]), Some(list(&["a.test"]))),
            ("domain_whitelist", json!([]), Some(list(&[]))),
            ("domain_whitelist", json!(null), Some(Value::Null)),
            ("import_sources", json!("git,github"), Some(list(&["git", "github"]))),
        ] {
            let mut want: Vec<_> = want.map(|value| (name, value)).into_iter().collect();
            // Without another parameter, none would have been sent in some cases.
            want.push(("version_check_enabled", Value::Switch(true)));
            assert_eq!(read(&json!({name: sent, "version_check_enabled": true})), Ok(want), "{name} {sent}");
        }
    }

    #[test]
    fn each_problem_is_named() {
        for (body, problem) in [
            (json!({"signup_enabled": "perhaps"}), "signup_enabled is invalid"),
            (json!({"max_attachment_size": u64::MAX}), "max_attachment_size is invalid"),
            (json!({"default_branch_protection": 3}), "default_branch_protection does not have a valid value"),
            (json!({"rsa_key_restriction": 5}), "rsa_key_restriction does not have a valid value"),
            (json!({"import_sources": ["git", "x"]}), "import_sources does not have a valid value"),
            (json!({"terms": {"a": 1}}), "terms is invalid"),
            (json!({"diagram_enabled": true}), "diagram_url is missing"),
            (json!({"recaptcha_enabled": true}), "captcha_site_key is missing, captcha_private_key is missing"),
            (
                json!({"signin_enabled": false, "password_authentication_enabled_for_web": true}),
                "password_authentication_enabled_for_web, signin_enabled are mutually exclusive",
            ),
        ] {
            assert_eq!(read(&body), Err(problem.to_owned()), "{body}");
        }
        let nothing = read(&json!({"unknown": 1})).unwrap_err();
        assert!(nothing.ends_with(" are missing, at least one parameter must be provided"), "{nothing}");
        let many = read(&json!({"terms": ["a"], "max_pages_size": "x"})).unwrap_err();
        assert_eq!(many, "terms is invalid, max_pages_size is invalid");
    }

    #[test]
    fn the_same_value_under_two_names_is_one_value() {
        let body = json!({"domain_allowlist": ["a.test"], "domain_whitelist": ["a.test"]});
        assert_eq!(read(&body), Ok(vec![("domain_whitelist", list(&["a.test"]))]));
    }

    #[test]
    fn switching_the_performance_bar_off_clears_its_group() {
        let off = read(&json!({"performance_bar_enabled": false})).unwrap();
        assert_eq!(off, [("performance_bar_enabled", Value::Switch(false)), (GROUP, Value::Null)]);
        let kept = read(&json!({"performance_bar_enabled": false, GROUP: "g"})).unwrap();
        assert_eq!(kept.last(), Some(&(GROUP, Value::Text("g".to_owned()))));
    }
}
