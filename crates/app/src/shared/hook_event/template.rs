//! Templates of what hooks send: JSON in which `{{project.name}}` stands for a field of the event.

use serde_json::Value;

/// The longest template, in characters.
pub(crate) const MAX_TEMPLATE: usize = 4096;

/// A part of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part<'a> {
    /// Sent as it is.
    Plain(&'a str),
    /// The text of a field, within a string of the template.
    Text(&'a str),
    /// A field as a JSON value.
    Json(&'a str),
}

/// A template: valid JSON, whatever its placeholders stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template<'a>(Vec<Part<'a>>);

/// Why a text is no template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InvalidTemplate {
    #[error("is too long (maximum is {MAX_TEMPLATE} characters)")]
    TooLong,
    #[error("must be valid JSON, in which {{{{field.path}}}} stands for a field of the event")]
    NotJson,
    #[error("has a placeholder that names no field: names of letters, digits and _ with dots between them")]
    Placeholder,
}

/// What is made of a template is longer than the bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong;

impl<'a> Template<'a> {
    /// Reads a template.
    ///
    /// # Errors
    /// If it is too long, no JSON, or has a placeholder that can name no field.
    pub(crate) fn parse(text: &'a str) -> Result<Self, InvalidTemplate> {
        if text.chars().count() > MAX_TEMPLATE {
            return Err(InvalidTemplate::TooLong);
        }
        let (mut parts, mut rest, mut in_string) = (Vec::new(), text, false);
        while let Some((before, after)) = rest.split_once("{{") {
            in_string = ends_in_string(before, in_string);
            let Some((path, after)) = after.split_once("}}") else { break };
            // A value behind a backslash would become an escape, or none.
            if in_string && before.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1 {
                return Err(InvalidTemplate::NotJson);
            }
            let path = path.trim();
            let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            if !path.split('.').all(is_name) {
                return Err(if is_json(text) { InvalidTemplate::Placeholder } else { InvalidTemplate::NotJson });
            }
            parts.push(Part::Plain(before));
            parts.push(if in_string { Part::Text(path) } else { Part::Json(path) });
            rest = after;
        }
        parts.push(Part::Plain(rest));
        let template = Self(parts);
        // Placeholders outside of strings stand for whole values: what is JSON with one value is so with any.
        let sample = template.render(&Value::Null, usize::MAX).map_err(|_long| InvalidTemplate::TooLong)?;
        if is_json(&sample) { Ok(template) } else { Err(InvalidTemplate::NotJson) }
    }

    /// The JSON that is sent for an event. A field that the event does not have is `null`, also within a string.
    ///
    /// # Errors
    /// If that has more than `most` bytes.
    pub(crate) fn render(&self, event: &Value, most: usize) -> Result<String, TooLong> {
        let mut made = String::new();
        for part in &self.0 {
            match part {
                Part::Plain(text) => made.push_str(text),
                Part::Json(path) => made.push_str(&found(event, path).to_string()),
                Part::Text(path) => {
                    let value = found(event, path);
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    let quoted = Value::String(text).to_string();
                    made.push_str(quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default());
                }
            }
            if made.len() > most {
                return Err(TooLong);
            }
        }
        Ok(made)
    }
}

/// The value at a path: names of fields, and numbers of elements.
fn found<'v>(event: &'v Value, path: &str) -> &'v Value {
    path.split('.').fold(event, |value, name| match value {
        Value::Object(fields) => fields.get(name).unwrap_or(&Value::Null),
        Value::Array(items) => name.parse::<usize>().ok().and_then(|at| items.get(at)).unwrap_or(&Value::Null),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => &Value::Null,
    })
}

/// True if a piece of JSON ends within a string, if it begins in one or not.
fn ends_in_string(piece: &str, mut in_string: bool) -> bool {
    let mut escaped = false;
    for c in piece.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            _ => {}
        }
    }
    in_string
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rendered(template: &str) -> Result<Value, InvalidTemplate> {
        let event = json!({
            "object_kind": "push", "project": {"id": 7, "name": "a \"b\"\\\n"}, "commits": [{"id": "c0"}, {"id": "c1"}], "tag": false,
        });
        let made = Template::parse(template)?.render(&event, 1 << 20).expect("short");
        Ok(serde_json::from_str(&made).unwrap_or_else(|error| panic!("{made}: {error}")))
    }

    #[test]
    fn placeholders_stand_for_fields_and_the_result_is_json() {
        for (template, want) in [
            (r#"{"a": "{{object_kind}}"}"#, json!({"a": "push"})),
            (r#"{"a": {{object_kind}}, "n": {{ project.id }}}"#, json!({"a": "push", "n": 7})),
            (r#"{"a": "<{{project.name}}>"}"#, json!({"a": "<a \"b\"\\\n>"})),
            (r#"{"{{object_kind}}": [{{commits.1.id}}, {{commits.2.id}}]}"#, json!({"push": ["c1", null]})),
            (r#"{"a": "{{project.id}}, {{tag}}, {{none.at.all}}"}"#, json!({"a": "7, false, null"})),
            (r#"{"a": "{{commits}}"}"#, json!({"a": r#"[{"id":"c0"},{"id":"c1"}]"#})),
            (r#"{"a": {{commits}}}"#, json!({"a": [{"id": "c0"}, {"id": "c1"}]})),
            (r#"{"quote": "\"", "a": "{{object_kind}}"}"#, json!({"quote": "\"", "a": "push"})),
            (r#"{"a": "{{ open"}"#, json!({"a": "{{ open"})),
            ("{{project}}", json!({"id": 7, "name": "a \"b\"\\\n"})),
            ("[]", json!([])),
        ] {
            assert_eq!(rendered(template), Ok(want), "{template}");
        }
    }

    #[test]
    fn texts_that_are_no_templates_are_refused() {
        let long = format!(r#"{{"a": "{}"}}"#, "x".repeat(MAX_TEMPLATE));
        for (template, want) in [
            ("", InvalidTemplate::NotJson),
            ("{", InvalidTemplate::NotJson),
            (r#"{"a": }"#, InvalidTemplate::NotJson),
            ("{{a}} {{b}}", InvalidTemplate::NotJson),
            ("{{a b}}", InvalidTemplate::NotJson),
            (r#"{"a": "\{{a}}"}"#, InvalidTemplate::NotJson),
            (r#"{"a": "{{}}"}"#, InvalidTemplate::Placeholder),
            (r#"{"a": "{{a..b}}"}"#, InvalidTemplate::Placeholder),
            (r#"{"a": "{{a'b}}"}"#, InvalidTemplate::Placeholder),
            (long.as_str(), InvalidTemplate::TooLong),
        ] {
            assert_eq!(Template::parse(template), Err(want), "{template}");
        }
    }

    #[test]
    fn what_is_made_of_a_template_is_bounded() {
        let text = format!("[{}]", vec!["{{a}}"; 500].join(","));
        let template = Template::parse(&text).expect("a template");
        let event = json!({ "a": "x".repeat(10_000) });
        assert_eq!(template.render(&event, 100_000), Err(TooLong));
        assert!(template.render(&event, 6_000_000).is_ok());
    }
}
