//! Single values: the texts that each type accepts.

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::Value;
use tenon_domain::contribution::{ContributionAction, ContributionTarget};
use tenon_domain::deploy_token::DeployScope;
use tenon_domain::file_path::FilePath;
use tenon_domain::hook::BranchFilterStrategy;
use tenon_domain::issuable::IssueType;
use tenon_domain::issuable::StateEvent;
use tenon_domain::issue::LinkKind;
use tenon_domain::merge_request::RuleKind;
use tenon_domain::milestone::MilestoneEvent;
use tenon_domain::release::LinkType;
use tenon_domain::settings::parse_switch;
use tenon_domain::variable::VariableKind;
use tenon_domain::visibility::Visibility;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};

use super::time::{parse_date, parse_moment};

/// The result of parsing a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reading<T> {
    /// Null, or the empty text if that means null.
    Empty,
    Is(T),
    Wrong,
}

impl<T> From<Option<T>> for Reading<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Wrong, Self::Is)
    }
}

/// A type that is parsed from one JSON or text value.
pub(crate) trait Scalar: Sized + 'static {
    /// The text of the problem with an invalid value.
    const COMPLAINT: &'static str = "is invalid";
    /// True if null is judged as other values are, even if the parameter is optional.
    const JUDGES_NULL: bool = false;

    fn scalar(value: &Value) -> Reading<Self>;

    /// The value of a required parameter that was sent empty; `None` refuses it.
    fn empty() -> Option<Self> {
        None
    }

    /// The schema in the API description.
    fn schema() -> Schema;
}

/// An enumeration. Names are matched exactly; a number is read as its digits, so that enumerations of integers
/// need no special case.
pub(crate) trait Choice: Sized + 'static {
    /// The member of that name.
    fn parse(text: &str) -> Option<Self>;

    /// All names, for the API description.
    fn names() -> Vec<&'static str>;
}

impl<T: Choice> Scalar for T {
    const COMPLAINT: &'static str = "does not have a valid value";

    fn scalar(value: &Value) -> Reading<Self> {
        read_text(value, T::parse)
    }

    fn schema() -> Schema {
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(T::names())).build().into()
    }
}

impl Choice for Visibility {
    fn parse(text: &str) -> Option<Self> {
        Self::parse(text)
    }

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).to_vec()
    }
}

/// Enumerations whose names are defined by the domain.
macro_rules! words_of_the_domain {
    ($($name:ident),*) => {$(
        impl Choice for $name {
            fn parse(text: &str) -> Option<Self> {
                Self::parse(text)
            }

            fn names() -> Vec<&'static str> {
                Self::ALL.iter().map(|word| word.as_str()).collect()
            }
        }
    )*};
}

words_of_the_domain!(
    BranchFilterStrategy,
    ContributionAction,
    ContributionTarget,
    DeployScope,
    IssueType,
    LinkKind,
    LinkType,
    MilestoneEvent,
    RuleKind,
    VariableKind,
    StateEvent
);

impl Scalar for String {
    fn scalar(value: &Value) -> Reading<Self> {
        match value {
            Value::Null => Reading::Empty,
            // PostgreSQL cannot store a NUL.
            Value::String(text) => Some(text).filter(|text| !text.contains('\0')).cloned().into(),
            Value::Number(number) => Reading::Is(number.to_string()),
            Value::Bool(flag) => Reading::Is(flag.to_string()),
            Value::Array(_) | Value::Object(_) => Reading::Wrong,
        }
    }

    fn empty() -> Option<Self> {
        Some(Self::new())
    }

    fn schema() -> Schema {
        of_type(Type::String, None)
    }
}

/// The path of a file in its kept form ([`tenon_domain::file_path`]): it need not be UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathText(pub(crate) String);

impl Scalar for PathText {
    fn scalar(value: &Value) -> Reading<Self> {
        match value {
            Value::String(text) => FilePath::from_kept(text).map(|path| Self(path.as_kept().to_owned())).into(),
            other => match String::scalar(other) {
                Reading::Is(text) => Reading::Is(Self(text)),
                Reading::Empty => Reading::Empty,
                Reading::Wrong => Reading::Wrong,
            },
        }
    }

    fn empty() -> Option<Self> {
        Some(Self(String::new()))
    }

    fn schema() -> Schema {
        String::schema()
    }
}

/// The path of a file that is not empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FilledPath(pub(crate) String);

impl Scalar for FilledPath {
    const COMPLAINT: &'static str = Filled::COMPLAINT;

    fn scalar(value: &Value) -> Reading<Self> {
        match PathText::scalar(value) {
            Reading::Is(PathText(text)) if text.trim().is_empty() => Reading::Empty,
            Reading::Is(PathText(text)) => Reading::Is(Self(text)),
            Reading::Empty => Reading::Empty,
            Reading::Wrong => Reading::Wrong,
        }
    }

    fn schema() -> Schema {
        String::schema()
    }
}

/// A text that is not empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Filled(pub(crate) String);

impl Scalar for Filled {
    const COMPLAINT: &'static str = "is empty";

    fn scalar(value: &Value) -> Reading<Self> {
        match String::scalar(value) {
            Reading::Is(text) if text.trim().is_empty() => Reading::Empty,
            Reading::Is(text) => Reading::Is(Self(text)),
            Reading::Empty => Reading::Empty,
            Reading::Wrong => Reading::Wrong,
        }
    }

    fn schema() -> Schema {
        String::schema()
    }
}

impl Scalar for i64 {
    fn scalar(value: &Value) -> Reading<Self> {
        match value {
            Value::Number(number) => number.as_i64().into(),
            Value::String(_) | Value::Null => read_text(value, |text| text.parse().ok()),
            _ => Reading::Wrong,
        }
    }

    fn schema() -> Schema {
        of_type(Type::Integer, Some(KnownFormat::Int64))
    }
}

impl Scalar for bool {
    fn scalar(value: &Value) -> Reading<Self> {
        read_text(value, parse_switch)
    }

    fn schema() -> Schema {
        of_type(Type::Boolean, None)
    }
}

/// Decimals. Infinity and NaN are refused.
impl Scalar for f64 {
    fn scalar(value: &Value) -> Reading<Self> {
        match value {
            Value::Bool(_) => Reading::Wrong,
            _ => read_text(value, |text| text.parse().ok().filter(|number: &Self| number.is_finite())),
        }
    }

    fn schema() -> Schema {
        of_type(Type::Number, Some(KnownFormat::Double))
    }
}

impl Scalar for NaiveDate {
    fn scalar(value: &Value) -> Reading<Self> {
        read_text(value, |text| parse_date(text).or_else(|| parse_moment(text).map(|moment| moment.date_naive())))
    }

    fn schema() -> Schema {
        of_type(Type::String, Some(KnownFormat::Date))
    }
}

impl Scalar for DateTime<Utc> {
    fn scalar(value: &Value) -> Reading<Self> {
        read_text(value, parse_moment)
    }

    fn schema() -> Schema {
        of_type(Type::String, Some(KnownFormat::DateTime))
    }
}

/// Parses a scalar from its text; null and the empty text are empty.
fn read_text<T>(value: &Value, parse: impl FnOnce(&str) -> Option<T>) -> Reading<T> {
    match String::scalar(value) {
        Reading::Is(text) if text.is_empty() => Reading::Empty,
        Reading::Is(text) => parse(&text).into(),
        Reading::Empty => Reading::Empty,
        Reading::Wrong => Reading::Wrong,
    }
}

fn of_type(kind: Type, format: Option<KnownFormat>) -> Schema {
    ObjectBuilder::new().schema_type(kind).format(format.map(SchemaFormat::KnownFormat)).build().into()
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use serde_json::json;

    use super::Reading::{Empty, Is, Wrong};
    use super::*;

    fn check<T: Scalar + PartialEq + Debug>(table: Vec<(Value, Reading<T>)>) {
        for (value, want) in table {
            assert_eq!(T::scalar(&value), want, "{value}");
        }
    }

    #[test]
    fn booleans() {
        for yes in [json!(true), json!(1), json!("1"), json!("True"), json!("t"), json!("YES"), json!("y"), json!("on")]
        {
            assert_eq!(bool::scalar(&yes), Is(true), "{yes}");
        }
        for no in
            [json!(false), json!(0), json!("0"), json!("False"), json!("F"), json!("no"), json!("N"), json!("off")]
        {
            assert_eq!(bool::scalar(&no), Is(false), "{no}");
        }
        check(vec![(json!(""), Empty), (json!(null), Empty), (json!("2"), Wrong::<bool>), (json!([true]), Wrong)]);
    }

    #[test]
    fn integers() {
        check(vec![
            (json!(7), Is(7_i64)),
            (json!("-7"), Is(-7)),
            (json!("+7"), Is(7)),
            (json!("9223372036854775807"), Is(i64::MAX)),
            (json!("9223372036854775808"), Wrong),
            (json!(9_223_372_036_854_775_808_u64), Wrong),
            (json!(1.5), Wrong),
            (json!("1.0"), Wrong),
            (json!(" 1"), Wrong),
            (json!("1e3"), Wrong),
            (json!(true), Wrong),
            (json!({}), Wrong),
            (json!(""), Empty),
            (json!(null), Empty),
        ]);
    }

    #[test]
    fn texts() {
        let is = |text: &str| Is(text.to_owned());
        check(vec![
            (json!("a"), is("a")),
            (json!(""), is("")),
            (json!(4), is("4")),
            (json!(1.5), is("1.5")),
            (json!(true), is("true")),
            (json!(null), Empty),
            (json!("a\0b"), Wrong),
            (json!(["a"]), Wrong),
            (json!({"a": 1}), Wrong),
        ]);
    }

    #[test]
    fn a_filled_text_is_never_blank() {
        let is = |text: &str| Is(Filled(text.to_owned()));
        check(vec![
            (json!(" a "), is(" a ")),
            (json!(4), is("4")),
            (json!(""), Empty),
            (json!(" \t"), Empty),
            (json!(null), Empty),
            (json!(["a"]), Wrong),
        ]);
        assert_eq!(Filled::empty(), None);
    }

    #[test]
    fn decimals() {
        check(vec![(json!("0.5"), Is(0.5)), (json!(2), Is(2.0)), (json!("inf"), Wrong), (json!("1e999"), Wrong)]);
    }

    #[test]
    fn enumerations_are_case_sensitive() {
        check(vec![
            (json!("public"), Is(Visibility::Public)),
            (json!("Public"), Wrong),
            (json!(""), Empty),
            (json!("id;drop"), Wrong),
        ]);
        assert_eq!(Visibility::COMPLAINT, "does not have a valid value");
    }
}
