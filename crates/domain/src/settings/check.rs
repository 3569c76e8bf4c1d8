//! The rules over several settings.

use super::keys;
use super::setting::Setting;
use super::table;
use super::value::Value;
use super::values::Values;
use crate::field_errors::{BLANK, FieldErrors};

/// The problems of these changes, if `after` are all values with them. Addresses and names of branches are checked by
/// the crates that have a parser for them.
#[must_use]
pub fn check(changes: &[(&Setting, Value)], after: &Values) -> FieldErrors {
    let mut errors = FieldErrors::default();
    for (setting, value) in changes {
        if value.is_blank() && is_needed(setting.name) {
            errors.add(setting.name, BLANK);
        } else if let Some(problem) = setting.kind.problem(value) {
            errors.add(setting.name, problem);
        }
    }
    for switch in table::all().filter(|setting| after.switch(setting.name)) {
        for name in switch.fills {
            if after.named(name).is_blank() {
                errors.add(name, unfilled(name));
            }
        }
    }
    check_order(&mut errors, after);
    let prefix = after.text("personal_access_token_prefix").unwrap_or_default();
    let is_plain = prefix.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    errors.require(is_plain, "personal_access_token_prefix", "can contain only letters, digits, '-', '_' and '.'");
    if keys::restrictions(after).accepted().is_empty() {
        errors.add("allowed_key_types", BLANK);
    }
    errors
}

/// True if the setting is never without a value.
fn is_needed(name: &str) -> bool {
    matches!(name, "repository_storages" | "metrics_host")
}

/// The message about a companion without a value.
fn unfilled(name: &str) -> &'static str {
    match name {
        "terms" => "You need to set terms to be enforced",
        "domain_blacklist" => "Domain blacklist cannot be empty if Blacklist is enabled.",
        _ => BLANK,
    }
}

/// Numbers of which one is not to be below another.
fn check_order(errors: &mut FieldErrors, after: &Values) {
    for (low, high) in [
        ("housekeeping_incremental_repack_period", "housekeeping_full_repack_period"),
        ("housekeeping_full_repack_period", "housekeeping_gc_period"),
    ] {
        let least = after.number(low);
        errors.require(after.number(high) >= least, high, &format!("must be greater than or equal to {least}"));
    }
    for (low, high) in [
        ("storagesvc_timeout_fast", "storagesvc_timeout_medium"),
        ("storagesvc_timeout_medium", "storagesvc_timeout_default"),
    ] {
        let most = after.number(high);
        // 0 is no limit.
        let fits = most == 0 || after.number(low) <= most;
        errors.require(fits, low, &format!("must be less than or equal to {most}"));
    }
    for name in after.list("repository_storages").unwrap_or_default() {
        if name != "default" {
            errors.add("repository_storages", format!("can't include: {name}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Changes, find};

    fn problems(changes: &[(&str, Value)]) -> Vec<(String, String)> {
        let changes: Changes = changes.iter().map(|(name, value)| (find(name).unwrap(), value.clone())).collect();
        let mut after = Values::default();
        for (setting, value) in &changes {
            after.set(setting, value.clone());
        }
        let errors = check(&changes, &after);
        errors.iter().map(|(name, texts)| (name.to_owned(), texts.join("; "))).collect()
    }

    #[test]
    fn defaults_break_no_rule() {
        assert!(check(&[], &Values::default()).is_empty());
    }

    #[test]
    fn rules_over_several_settings() {
        let on = || Value::Switch(true);
        let text = |text: &str| Value::Text(text.to_owned());
        let list = |items: &[&str]| Value::List(items.iter().map(|item| (*item).to_owned()).collect());
        let no_key = ["rsa", "dsa", "ecdsa", "ed25519"].map(|name| format!("{name}_key_restriction"));
        let no_key: Vec<(&str, Value)> = no_key.iter().map(|name| (name.as_str(), Value::Number(-1))).collect();
        for (changes, want) in [
            (vec![("terms", text("T")), ("enforce_terms", on())], vec![]),
            (vec![("enforce_terms", on())], vec![("terms", "You need to set terms to be enforced")]),
            (vec![("diagram_enabled", on()), ("diagram_url", text(" "))], vec![("diagram_url", BLANK)]),
            (
                vec![("domain_blacklist_enabled", on()), ("domain_blacklist", list(&[]))],
                vec![("domain_blacklist", "Domain blacklist cannot be empty if Blacklist is enabled.")],
            ),
            (
                vec![("housekeeping_full_repack_period", Value::Number(5))],
                vec![("housekeeping_full_repack_period", "must be greater than or equal to 10")],
            ),
            (
                vec![("storagesvc_timeout_medium", Value::Number(56))],
                vec![("storagesvc_timeout_medium", "must be less than or equal to 55")],
            ),
            (vec![("storagesvc_timeout_default", Value::Number(0))], vec![]),
            (
                vec![("repository_storages", list(&["default", "foo"]))],
                vec![("repository_storages", "can't include: foo")],
            ),
            (vec![("repository_storages", list(&[]))], vec![("repository_storages", BLANK)]),
            (no_key, vec![("allowed_key_types", BLANK)]),
            (
                vec![("max_attachment_size", Value::Number(0)), ("session_expire_delay", Value::Number(-1))],
                vec![
                    ("max_attachment_size", "must be greater than 0"),
                    ("session_expire_delay", "must be greater than or equal to 0"),
                ],
            ),
        ] {
            let want: Vec<_> = want.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
            assert_eq!(problems(&changes), want, "{changes:?}");
        }
    }
}
