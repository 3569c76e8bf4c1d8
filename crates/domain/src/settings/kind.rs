//! The types of values of settings.

use validator::ValidateEmail as _;

use super::branch_protection::DefaultBranchProtection;
use super::duration;
use super::email_domains;
use super::value::Value;
use crate::network::Networks;

/// The type of a setting's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// On or off.
    Switch,
    /// A whole number within a range.
    Number {
        /// The smallest.
        least: i64,
        /// The largest.
        most: i64,
    },
    /// One of a few numbers.
    OneOf(&'static [i64]),
    /// A factor: a decimal that is not negative.
    Factor,
    /// One of a few words.
    Word(&'static [&'static str]),
    /// Some of a few words.
    Words(&'static [&'static str]),
    /// Names.
    Names,
    /// Domains of e-mail addresses; `*` stands for any text.
    Domains,
    /// Domains as [`Self::Domains`], as one text with commas between them.
    DomainLine,
    /// Addresses and ranges of addresses, as one text with commas between them.
    Networks,
    /// A text of one line, of at most so many characters.
    Line(usize),
    /// A text, of at most so many characters.
    Text(usize),
    /// A regular expression, of at most so many characters.
    Pattern(usize),
    /// An address of the web.
    Url,
    /// An e-mail address.
    Email,
    /// A time, such as `30 days`.
    Duration,
    /// The name of a branch.
    Branch,
    /// How default branches are protected: a number, or a text as [`DefaultBranchProtection::stored`] writes it.
    BranchProtection,
    /// A text that is sealed in the database.
    Secret,
    /// A secret that no answer shows.
    Hidden,
    /// A switch for each of a few words; the value is a list of those that are on.
    Switches(&'static [&'static str]),
    /// Numbers of users, as texts.
    Ids,
    /// A number for each of a few names: a list of `name=number`.
    Weights(&'static [&'static str]),
}

/// The most items of a list.
const MAX_ITEMS: usize = 1_000;
/// The most characters of an item of a list.
const MAX_ITEM: usize = 255;
/// The most bytes of an address. [`Kind::Url`] itself is parsed if there is a parser for it.
const MAX_URL: usize = 2_048;
/// The most characters of a secret.
const MAX_SECRET: usize = 1_000;
/// The most entries of a text with commas between them.
const MAX_ENTRIES: usize = 100;
/// The largest factor.
const MAX_FACTOR: f64 = 1_000_000.0;
/// The largest weight.
const MAX_WEIGHT: u32 = 100;
const INVALID: &str = "is invalid";

impl Kind {
    /// The largest number of a setting without a smaller limit: what clients keep in 32 bits.
    pub const MOST: i64 = 2_147_483_647;

    /// True if a value is of this type at all. A stored value always is.
    #[must_use]
    pub fn admits(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Switch, Value::Switch(_))
            | (Self::Number { .. }, Value::Number(_))
            | (Self::Names | Self::Domains, Value::List(_))
            | (
                Self::Line(_)
                | Self::Text(_)
                | Self::DomainLine
                | Self::Networks
                | Self::Pattern(_)
                | Self::Url
                | Self::Email
                | Self::Duration
                | Self::Branch
                | Self::Secret
                | Self::Hidden,
                Value::Text(_),
            ) => true,
            (Self::OneOf(numbers), Value::Number(number)) => numbers.contains(number),
            (Self::BranchProtection, value) => value.branch_protection().is_some(),
            (Self::Factor, Value::Text(text)) => text.parse::<f64>().is_ok_and(f64::is_finite),
            (Self::Word(words), Value::Text(text)) => words.contains(&text.as_str()),
            (Self::Words(words) | Self::Switches(words), Value::List(items)) => {
                items.iter().all(|item| words.contains(&item.as_str()))
            }
            (Self::Ids, Value::List(items)) => items.iter().all(|item| item.parse::<i64>().is_ok_and(|id| id > 0)),
            (Self::Weights(names), Value::List(items)) => items.iter().all(|item| {
                item.split_once('=').is_some_and(|(name, weight)| names.contains(&name) && is_weight(weight))
            }),
            _ => false,
        }
    }

    /// The problem of a value of this type; `None` if there is none.
    #[must_use]
    pub fn problem(self, value: &Value) -> Option<String> {
        match (self, value) {
            (Self::Number { least, most }, Value::Number(number)) => out_of_range(*number, least, most),
            (Self::Factor, Value::Text(text)) => factor_problem(text),
            (Self::Domains, Value::List(items)) if !items.iter().all(|item| email_domains::is_pattern(item)) => {
                Some(INVALID.to_owned())
            }
            (Self::Names | Self::Domains | Self::Words(_) | Self::Ids, Value::List(items)) => list_problem(items),
            (Self::DomainLine, Value::Text(text)) => {
                entries_problem(text, |entry| entry.chars().count() <= MAX_ITEM && email_domains::is_pattern(entry))
            }
            (Self::Networks, Value::Text(text)) => entries_problem(text, |entry| Networks::parse(&[entry]).is_ok()),
            (Self::Line(most) | Self::Pattern(most), Value::Text(text)) => {
                too_long(text, most).or_else(|| control_character(text, &[]))
            }
            (Self::Text(most), Value::Text(text)) => {
                too_long(text, most).or_else(|| control_character(text, &['\n', '\r', '\t']))
            }
            (Self::Secret | Self::Hidden, Value::Text(text)) => {
                too_long(text, MAX_SECRET).or_else(|| control_character(text, &[]))
            }
            (Self::Url, Value::Text(text)) => too_long(text, MAX_URL),
            (Self::Branch, Value::Text(text)) => too_long(text, MAX_ITEM),
            (Self::Email, Value::Text(text)) => {
                too_long(text, MAX_ITEM).or_else(|| (!text.validate_email()).then(|| INVALID.to_owned()))
            }
            (Self::Duration, Value::Text(text)) => {
                (!duration::is_duration(text)).then(|| "is not a correct duration".to_owned())
            }
            _ => None,
        }
    }

    /// Its name in the documentation.
    #[must_use]
    pub fn describe(self) -> String {
        match self {
            Self::Switch => "boolean".to_owned(),
            Self::Number { least, most: Self::MOST } => format!("integer, {least} or more"),
            Self::Number { least, most } => format!("integer, {least} to {most}"),
            Self::OneOf(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(|number| format!("`{number}`")).collect();
                format!("one of {}", numbers.join(" "))
            }
            Self::BranchProtection => Self::OneOf(DefaultBranchProtection::LEVELS).describe(),
            Self::Factor => "decimal, as a string".to_owned(),
            Self::Word(words) => format!("one of `{}`", words.join("` `")),
            Self::Words(words) => format!("list of `{}`", words.join("` `")),
            Self::Names => "list of names".to_owned(),
            Self::Domains => "list of domains, with `*`".to_owned(),
            Self::DomainLine => format!("domains, with `*`, separated by commas, {MAX_ENTRIES} at most"),
            Self::Networks => format!("IP addresses and ranges (CIDR), separated by commas, {MAX_ENTRIES} at most"),
            Self::Line(most) => format!("one line, {most} characters"),
            Self::Text(most) => format!("text, {most} characters"),
            Self::Pattern(most) => format!("regular expression, {most} characters"),
            Self::Url => "http(s) URL".to_owned(),
            Self::Email => "e-mail address".to_owned(),
            Self::Duration => "duration".to_owned(),
            Self::Branch => "name of a branch".to_owned(),
            Self::Secret => "secret".to_owned(),
            Self::Hidden => "secret, not answered".to_owned(),
            Self::Switches(words) => format!("object of switches `{}`", words.join("` `")),
            Self::Ids => "list of numbers of users".to_owned(),
            Self::Weights(names) => format!("object of weights 0 to {MAX_WEIGHT} of `{}`", names.join("` `")),
        }
    }
}

fn is_weight(text: &str) -> bool {
    text.parse::<u32>().is_ok_and(|weight| weight <= MAX_WEIGHT)
}

fn out_of_range(number: i64, least: i64, most: i64) -> Option<String> {
    if number < least {
        return Some(match least {
            1 => "must be greater than 0".to_owned(),
            least => format!("must be greater than or equal to {least}"),
        });
    }
    (number > most).then(|| format!("must be less than or equal to {most}"))
}

fn factor_problem(text: &str) -> Option<String> {
    let Ok(factor) = text.parse::<f64>() else { return Some("is not a number".to_owned()) };
    if factor < 0.0 {
        return Some("must be greater than or equal to 0".to_owned());
    }
    (factor > MAX_FACTOR).then(|| format!("must be less than or equal to {MAX_FACTOR}"))
}

/// The problem of a text with entries between commas, each of which has to be `valid`.
fn entries_problem(text: &str, valid: impl Fn(&str) -> bool) -> Option<String> {
    let mut entries = text.split(',').map(str::trim);
    if entries.clone().count() > MAX_ENTRIES {
        return Some(format!("has too many items (maximum is {MAX_ENTRIES})"));
    }
    entries.find(|entry| !valid(entry)).map(|_| INVALID.to_owned())
}

fn list_problem(items: &[String]) -> Option<String> {
    if items.len() > MAX_ITEMS {
        return Some(format!("has too many items (maximum is {MAX_ITEMS})"));
    }
    items.iter().find_map(|item| too_long(item, MAX_ITEM).or_else(|| control_character(item, &[])))
}

fn too_long(text: &str, most: usize) -> Option<String> {
    (text.chars().count() > most).then(|| format!("is too long (maximum is {most} characters)"))
}

/// The problem of a text with control characters other than `allowed`.
fn control_character(text: &str, allowed: &[char]) -> Option<String> {
    text.chars().any(|c| c.is_control() && !allowed.contains(&c)).then(|| INVALID.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    #[test]
    fn each_type_says_what_is_wrong() {
        let number = Kind::Number { least: 1, most: 10 };
        let list = |items: &[&str]| Value::List(items.iter().map(|item| (*item).to_owned()).collect());
        for (kind, value, want) in [
            (number, Value::Number(0), Some("must be greater than 0")),
            (number, Value::Number(10), None),
            (number, Value::Number(11), Some("must be less than or equal to 10")),
            (Kind::Number { least: 0, most: 1 }, Value::Number(-1), Some("must be greater than or equal to 0")),
            (Kind::Factor, text("0.5"), None),
            (Kind::Factor, text("-1"), Some("must be greater than or equal to 0")),
            (Kind::Factor, text("1e7"), Some("must be less than or equal to 1000000")),
            (Kind::Line(3), text("äöü"), None),
            (Kind::Line(3), text("abcd"), Some("is too long (maximum is 3 characters)")),
            (Kind::Line(3), text("a\n"), Some("is invalid")),
            (Kind::Text(3), text("a\n"), None),
            (Kind::Text(3), text("a\u{7}"), Some("is invalid")),
            (Kind::Email, text("a@example.org"), None),
            (Kind::Email, text("a@b@c"), Some("is invalid")),
            (Kind::Duration, text("30 days"), None),
            (Kind::Duration, text("soon"), Some("is not a correct duration")),
            (Kind::Names, list(&["a\r"]), Some("is invalid")),
            (Kind::Domains, list(&["*.example.org"]), None),
            (Kind::Domains, list(&["a b"]), Some("is invalid")),
            (Kind::DomainLine, text("example.org, *.example.com"), None),
            (Kind::DomainLine, text("example.org,,"), Some("is invalid")),
            (Kind::Networks, text("10.0.0.0/8,2001:db8::1"), None),
            (Kind::Networks, text("10.0.0.0/33"), Some("is invalid")),
            (Kind::Networks, text(&"::1,".repeat(100)), Some("has too many items (maximum is 100)")),
        ] {
            assert_eq!(kind.problem(&value).as_deref(), want, "{kind:?} {value:?}");
        }
        let many = Value::List(vec!["a".to_owned(); MAX_ITEMS + 1]);
        assert_eq!(Kind::Names.problem(&many).as_deref(), Some("has too many items (maximum is 1000)"));
    }

    #[test]
    fn a_value_of_another_type_is_not_admitted() {
        assert!(Kind::Switch.admits(&Value::Switch(true)) && !Kind::Switch.admits(&text("true")));
        assert!(Kind::OneOf(&[0, 1]).admits(&Value::Number(1)) && !Kind::OneOf(&[0, 1]).admits(&Value::Number(2)));
        assert!(Kind::Word(&["a"]).admits(&text("a")) && !Kind::Word(&["a"]).admits(&text("b")));
        assert!(!Kind::Factor.admits(&text("inf")) && !Kind::Names.admits(&Value::Null));
    }
}
