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

/// What is wrong with a form, in sentences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Problems(Vec<Problem>);

/// One sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The field that it is the first sentence about, by which the field refers to it.
    pub(crate) field: Option<String>,
    pub(crate) text: String,
}

impl Problems {
    /// What is wrong with the fields of a form; another failure is passed on.
    pub(crate) fn of(error: AppError) -> Result<Self, PageError> {
        let sentences =
            |texts: Vec<String>| Self(texts.into_iter().map(|text| Problem { field: None, text }).collect());
        match error {
            AppError::Invalid(fields) | AppError::ConflictingFields(fields) | AppError::Rejected(_, fields) => {
                Ok(Self::of_fields(&fields))
            }
            AppError::Refused(text)
            | AppError::Conflict(text)
            | AppError::Unprocessable(text)
            | AppError::OverLimit(text) => Ok(sentences(vec![text])),
            AppError::Unprocessables(texts) => Ok(sentences(texts)),
            error => Err(error.into()),
        }
    }

    /// One sentence about one field.
    pub(crate) fn with(field: &str, text: &str) -> Self {
        Self(vec![Problem { field: Some(field.to_owned()), text: text.to_owned() }])
    }

    /// Adds a sentence about a field.
    pub(crate) fn add(&mut self, field: &str, text: &str) {
        let field = Some(field.to_owned()).filter(|field| !self.has(field));
        self.0.push(Problem { field, text: text.to_owned() });
    }

    /// `Name can't be blank`, as the API says it by field.
    fn of_fields(fields: &FieldErrors) -> Self {
        let of_field = |(field, texts): (&str, &[String])| {
            let named = |at: usize| (at == 0 && field != "base").then(|| field.to_owned());
            let problem = |(at, text): (usize, &String)| Problem { field: named(at), text: sentence(field, text) };
            texts.iter().enumerate().map(problem).collect::<Vec<_>>()
        };
        Self(fields.iter().flat_map(of_field).collect())
    }

    /// One sentence about everything.
    pub(crate) fn plain(text: &str) -> Self {
        Self(vec![Problem { field: None, text: text.to_owned() }])
    }

    /// Whether nothing is wrong.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a sentence is about this field.
    pub(crate) fn has(&self, field: &str) -> bool {
        self.0.iter().any(|problem| problem.field.as_deref() == Some(field))
    }

    /// The sentences in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.0.iter()
    }
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
        fields.add("email_confirmation", "is too long");
        let problems = Problems::of_fields(&fields);
        let texts: Vec<&str> = problems.iter().map(|problem| problem.text.as_str()).collect();
        assert_eq!(texts, ["Email confirmation doesn't match", "Email confirmation is too long", "Too many."]);
        assert_eq!(problems.iter().filter(|problem| problem.field.is_some()).count(), 1, "ids are unique");
        assert!(problems.has("email_confirmation") && !problems.has("base") && !problems.is_empty());
    }
}
