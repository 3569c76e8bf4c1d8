//! The fields of a form, and what is wrong with them.

use serde_json::Value;
use tenon_app::Secret;
use tenon_app::error::AppError;
use tenon_domain::field_errors::FieldErrors;
use tenon_edge::param_map::ParamMap;

use crate::error::PageError;

/// The fields of a form that was sent. A field is named as in `user[login]`; one that is not there is empty.
#[derive(Clone, Copy)]
pub(crate) struct Form<'a>(&'a ParamMap);

impl<'a> Form<'a> {
    pub(crate) fn new(params: &'a ParamMap) -> Self {
        Self(params)
    }

    fn value(self, object: &str, field: &str) -> Option<&'a Value> {
        let all = &self.0.values;
        if object.is_empty() { all.get(field) } else { all.get(object)?.get(field) }
    }

    /// Whether the form has this field, be it empty.
    pub(crate) fn has(self, object: &str, field: &str) -> bool {
        self.value(object, field).is_some()
    }

    /// A line or text of `object`; `""` as object for a field of the form itself. Line ends are those of Unix.
    pub(crate) fn text(self, object: &str, field: &str) -> String {
        let text = self.value(object, field).and_then(Value::as_str).unwrap_or_default();
        text.replace("\r\n", "\n")
    }

    /// As [`Form::text`] without white space around it; `None` where nothing is left.
    pub(crate) fn filled(self, object: &str, field: &str) -> Option<String> {
        Some(self.text(object, field).trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// A password, exactly as it was typed.
    pub(crate) fn secret(self, object: &str, field: &str) -> Secret {
        Secret::given(self.value(object, field).and_then(Value::as_str).unwrap_or_default())
    }

    /// Whether a box is ticked.
    pub(crate) fn ticked(self, object: &str, field: &str) -> bool {
        matches!(self.value(object, field).and_then(Value::as_str), Some("1" | "on" | "true"))
    }

    /// The texts of a list, such as the boxes ticked of several with one name.
    pub(crate) fn list(self, object: &str, field: &str) -> Vec<&'a str> {
        let list = self.value(object, field).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).collect()
    }
}

/// What is wrong with the fields of a form, in sentences; another failure is passed on.
pub(crate) fn problems(error: AppError) -> Result<Vec<String>, PageError> {
    match error {
        AppError::Invalid(fields) | AppError::ConflictingFields(fields) => Ok(sentences(&fields)),
        AppError::Refused(text)
        | AppError::Conflict(text)
        | AppError::Unprocessable(text)
        | AppError::OverLimit(text) => Ok(vec![text]),
        AppError::Unprocessables(texts) => Ok(texts),
        error => Err(error.into()),
    }
}

/// `Name can't be blank`, as the API says it by field.
fn sentences(fields: &FieldErrors) -> Vec<String> {
    let all = fields.iter().flat_map(|(field, texts)| texts.iter().map(move |text| sentence(field, text)));
    all.collect()
}

fn sentence(field: &str, text: &str) -> String {
    if field == "base" {
        return text.to_owned();
    }
    let mut name = field.replace('_', " ");
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    format!("{name} {text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_by_object_and_name() {
        let params =
            ParamMap::from_query(b"a=+x+&user[login]=ada&user[remember_me]=1&t[scopes][]=api&t[scopes][]=sudo");
        let params = params.unwrap();
        let form = Form::new(&params);
        assert_eq!(form.text("", "a"), " x ");
        assert_eq!(form.filled("", "a").as_deref(), Some("x"));
        assert_eq!(form.text("user", "login"), "ada");
        assert!(form.ticked("user", "remember_me") && !form.ticked("user", "login"));
        assert_eq!(form.list("t", "scopes"), ["api", "sudo"]);
        assert_eq!((form.text("t", "scopes"), form.text("none", "b")), (String::new(), String::new()));
        assert!(form.list("user", "login").is_empty());
    }

    #[test]
    fn problems_are_sentences() {
        let mut fields = FieldErrors::of("email_confirmation", "doesn't match");
        fields.add("base", "Too many.");
        assert_eq!(sentences(&fields), ["Email confirmation doesn't match", "Too many."]);
    }
}
