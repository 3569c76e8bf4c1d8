//! The settings of services: what is a valid one, and how they are stored.

use serde_json::{Map, Value};
use tenon_domain::field_errors::{BLANK, FieldErrors};
use tenon_domain::limits::ServiceLimits;
use tenon_domain::service::{Definition, Field, FieldKind, Properties, Property, Service, irc_targets, mailboxes};
use tenon_outbound::address::has_credentials;
use tenon_storage::service::StoredService;

use crate::core::app::App;
use crate::core::error::AppError;

/// Refuses settings of which a required one is missing, or one is not what it has to be. `may_call` says of a URL whether the
/// server may call it.
pub(super) fn check(
    definition: &Definition,
    properties: &Properties,
    may_call: &impl Fn(&str) -> bool,
    limits: &ServiceLimits,
) -> Result<(), AppError> {
    let mut errors = FieldErrors::default();
    for field in definition.fields {
        let value = properties.get(field.name);
        let is_blank = value.is_none_or(|value| matches!(value, Property::Text(text) if text.trim().is_empty()));
        if is_blank {
            errors.require(!field.required, field.name, BLANK);
        } else if let Some(Property::Text(text)) = value {
            check_text(&mut errors, field, text, properties, may_call, limits);
        } else if let Some(Property::Number(number)) = value {
            errors.require((1..=65_535).contains(number), field.name, INVALID);
        }
    }
    Ok(errors.into_result()?)
}

const INVALID: &str = "is invalid";

fn check_text(
    errors: &mut FieldErrors,
    field: &Field,
    text: &str,
    properties: &Properties,
    may_call: &impl Fn(&str) -> bool,
    limits: &ServiceLimits,
) {
    let is_long = matches!(field.kind, FieldKind::Text | FieldKind::Mailboxes | FieldKind::IrcTargets);
    let most = if is_long { limits.text } else { limits.line };
    if u64::try_from(text.len()).is_ok_and(|bytes| bytes > most) {
        errors.add(field.name, "is too long");
        return;
    }
    match field.kind {
        // A value in a header must not end it.
        FieldKind::Line => errors.require(!text.chars().any(char::is_control), field.name, INVALID),
        FieldKind::Url | FieldKind::Webhook => {
            let is_target = may_call(text) && !has_credentials(text);
            errors.require(is_target, field.name, "must be a valid URL of a public address");
        }
        FieldKind::Host => {
            let is_name = !text.contains(['/', '?', '#', '@', '\\']);
            let url = format!("http://{text}/");
            errors.require(is_name && may_call(&url), field.name, "must be a public address");
        }
        FieldKind::Mailboxes => match mailboxes(text) {
            Ok(found) => check_count(errors, field, found.len(), limits),
            Err(_part) => errors.add(field.name, INVALID),
        },
        FieldKind::IrcTargets => {
            let default = match properties.get("default_irc_uri") {
                Some(Property::Text(text)) => Some(text.as_str()),
                Some(Property::Flag(_) | Property::Number(_)) | None => None,
            };
            let found = irc_targets(text, default);
            errors.require(!found.is_empty(), field.name, "are all invalid");
            check_count(errors, field, found.len(), limits);
        }
        FieldKind::Text | FieldKind::Flag(_) | FieldKind::Port => {}
    }
}

fn check_count(errors: &mut FieldErrors, field: &Field, count: usize, limits: &ServiceLimits) {
    if count > limits.recipients {
        errors.add(field.name, format!("are too many (maximum is {})", limits.recipients));
    }
}

/// All settings of a stored service. Secrets that were encrypted with another `secret.key` count as not set, so that the
/// service can be shown and set again.
pub(super) fn open(app: &App, stored: &StoredService) -> Result<Properties, AppError> {
    let mut all = parse(&stored.properties)?;
    match stored.sealed_properties.as_ref().map(|sealed| app.vault().open(sealed)) {
        None => {}
        Some(Ok(opened)) => all.extend(parse(&opened)?),
        Some(Err(error)) => {
            tracing::warn!(%error, service = stored.service.id.get(), "the secrets of a service cannot be decrypted");
        }
    }
    Ok(all)
}

/// A service and its settings as they are stored, the secret ones encrypted.
pub(super) fn seal(app: &App, service: Service, properties: &Properties) -> Result<StoredService, AppError> {
    let (mut plain, mut secret) = (Map::new(), Map::new());
    for (name, value) in properties {
        let is_sealed = service.definition.field(name).is_none_or(Field::is_sealed);
        let object = if is_sealed { &mut secret } else { &mut plain };
        object.insert(name.clone(), json(value));
    }
    let sealed = |secret: Map<String, Value>| app.vault().seal(app.entropy(), &Value::Object(secret).to_string());
    let sealed_properties =
        Some(secret).filter(|secret| !secret.is_empty()).map(sealed).transpose().map_err(AppError::internal)?;
    Ok(StoredService { service, properties: Value::Object(plain).to_string(), sealed_properties })
}

fn json(value: &Property) -> Value {
    match value {
        Property::Text(text) => Value::from(text.as_str()),
        Property::Flag(flag) => Value::from(*flag),
        Property::Number(number) => Value::from(*number),
    }
}

/// The settings of a stored object. A value that is neither text, number nor flag was written by a newer version.
fn parse(text: &str) -> Result<Properties, AppError> {
    let object: Map<String, Value> = serde_json::from_str(text).map_err(AppError::internal)?;
    let known = object.into_iter().filter_map(|(name, value)| {
        let value = match value {
            Value::String(text) => Property::Text(text),
            Value::Bool(flag) => Property::Flag(flag),
            Value::Number(number) => Property::Number(number.as_i64()?),
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
        };
        Some((name, value))
    });
    Ok(known.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(slug: &str, given: &[(&str, &str)]) -> Vec<String> {
        let properties =
            given.iter().map(|(name, is)| ((*name).to_owned(), Property::Text((*is).to_owned()))).collect();
        let may_call = |url: &str| tenon_outbound::address::is_target(url, false);
        match check(Definition::find(slug).unwrap(), &properties, &may_call, &ServiceLimits::default()) {
            Ok(()) => Vec::new(),
            Err(AppError::Invalid(errors)) => errors.iter().map(|(field, _)| field.to_owned()).collect(),
            Err(other) => vec![other.to_string()],
        }
    }

    #[test]
    fn settings_are_checked_by_their_kind() {
        let none: [&str; 0] = [];
        assert_eq!(problems("slack", &[("webhook", "https://hooks.example.com/1")]), none);
        assert_eq!(problems("slack", &[]), ["webhook"]);
        assert_eq!(problems("slack", &[("webhook", " ")]), ["webhook"]);
        assert_eq!(problems("flowdock", &[("token", "a\r\nb")]), ["token"]);
        assert_eq!(problems("flowdock", &[("token", &"a".repeat(2049))]), ["token"]);
        assert_eq!(problems("emails-on-push", &[("recipients", "a@example.com\nb@example.com")]), none);
        assert_eq!(problems("emails-on-push", &[("recipients", "a@example.com b")]), ["recipients"]);
        let many = vec!["a@example.com"; 101].join(" ");
        assert_eq!(problems("pipelines-email", &[("recipients", &many)]), ["recipients"]);
        assert_eq!(problems("irker", &[("recipients", "#a")]), ["recipients"]);
        assert_eq!(problems("irker", &[("recipients", "#a"), ("default_irc_uri", "irc://irc.example.org/")]), none);
        for (host, want) in [("irker.example.org", true), ("localhost", false), ("10.0.0.1", false), ("a/b", false)] {
            let found = problems("irker", &[("recipients", "irc://x.example/#a"), ("server_host", host)]);
            assert_eq!(found.is_empty(), want, "{host}");
        }
    }
}
