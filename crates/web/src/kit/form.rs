//! The fields of a form.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use tenon_app::Secret;
use tenon_domain::patch::Patch;
use tenon_domain::time::{Date, parse_day};
use tenon_edge::param_map::ParamMap;

use super::problems::Problems;

/// The fields of a form that was sent. A field is named as in `user[login]`. A field that was not sent is empty. The
/// object of `user[status][emoji]` is `user.status`.
#[derive(Clone, Copy)]
pub(crate) struct Form<'a> {
    params: &'a ParamMap,
    /// The values that the page had. A field that still has its value is left out.
    unchanged: Option<&'a OriginalValues>,
    /// The one field that counts. None if all do.
    only: Option<&'static str>,
}

impl<'a> Form<'a> {
    pub(crate) fn new(params: &'a ParamMap) -> Self {
        Self { params, unchanged: None, only: None }
    }

    /// The same form with this field only: [`Form::has`] is false for all others.
    pub(crate) fn only(self, field: &'static str) -> Self {
        Self { only: Some(field), ..self }
    }

    /// The same form without the fields that were sent as the page had them: [`Form::has`] is false for these. Changes
    /// that another user has made since then stay, unless the same field was changed here too.
    pub(crate) fn changed(self, shown: &'a OriginalValues) -> Self {
        Self { unchanged: Some(shown), ..self }
    }

    fn value(self, object: &str, field: &str) -> Option<&'a Value> {
        let all = &self.params.values;
        if object.is_empty() {
            return all.get(field);
        }
        let (first, below) = object.split_once('.').unwrap_or((object, ""));
        let object =
            below.split('.').filter(|name| !name.is_empty()).try_fold(all.get(first)?, |at, name| at.get(name));
        object?.get(field)
    }

    /// True if the form has this field. The field may be empty.
    pub(crate) fn has(self, object: &str, field: &str) -> bool {
        self.only.is_none_or(|only| only == field)
            && self.value(object, field).is_some()
            && self.unchanged.is_none_or(|shown| shown.differs(self, object, field))
    }

    /// A line or text of `object`. For a field of the form itself, `object` is `""`. Line ends are those of Unix.
    pub(crate) fn text(self, object: &str, field: &str) -> String {
        let text = self.value(object, field).and_then(Value::as_str).unwrap_or_default();
        text.replace("\r\n", "\n")
    }

    /// As [`Form::text`] without white space around it. `None` if nothing is left.
    pub(crate) fn filled(self, object: &str, field: &str) -> Option<String> {
        Some(self.text(object, field).trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// A password, exactly as it was typed.
    pub(crate) fn secret(self, object: &str, field: &str) -> Secret {
        Secret::given(self.value(object, field).and_then(Value::as_str).unwrap_or_default())
    }

    /// True if a box is ticked.
    pub(crate) fn ticked(self, object: &str, field: &str) -> bool {
        matches!(self.value(object, field).and_then(Value::as_str), Some("1" | "on" | "true"))
    }

    /// The difference of a list from that of its page. None if the form does not say which list the page had
    /// ([`Form::changed`]).
    pub(crate) fn list_change(self, object: &str, field: &str) -> Option<ListChange> {
        let shown = self.unchanged?.0.get(field)?.as_array()?;
        let shown: BTreeSet<&str> = shown.iter().filter_map(Value::as_str).collect();
        let sent: BTreeSet<&str> = self.list(object, field).into_iter().filter(|item| !item.is_empty()).collect();
        let without = |all: &BTreeSet<&str>, others: &BTreeSet<&str>| {
            all.difference(others).map(|item| (*item).to_owned()).collect()
        };
        Some(ListChange { added: without(&sent, &shown), removed: without(&shown, &sent) })
    }

    /// The texts of a list, such as the ticked boxes of several with one name.
    pub(crate) fn list(self, object: &str, field: &str) -> Vec<&'a str> {
        let list = self.value(object, field).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).collect()
    }
}

/// The entries that were added to a list and removed from it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ListChange {
    pub(crate) added: Vec<String>,
    pub(crate) removed: Vec<String>,
}

/// The name of the hidden field that holds the values of the page.
const SHOWN: &str = "shown";

/// The longest text, in bytes, that a page carries in its hidden field. A longer one is carried as its digest. A form
/// with a description of the greatest length has no room for it twice.
const LONGEST_SHOWN: usize = 100;

/// The fields of a form as they were when its page was made. The page carries them in a hidden field as a JSON object,
/// and sends them back with the form ([`Form::changed`]).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OriginalValues(Map<String, Value>);

impl OriginalValues {
    /// Fields with their values: texts, `true` or `false` for boxes, arrays for lists.
    pub(crate) fn of<const N: usize>(fields: [(&str, Value); N]) -> Self {
        fields.into_iter().fold(Self::default(), |shown, (field, value)| shown.with(field, value))
    }

    /// Adds this field.
    pub(crate) fn with(mut self, field: &str, value: Value) -> Self {
        let value = match value {
            Value::String(text) => Value::String(carried(&text)),
            value => value,
        };
        self.0.insert(field.to_owned(), value);
        self
    }

    /// Adds this field with the digest of its text in its place, whatever its length.
    pub(crate) fn with_secret(mut self, field: &str, text: &str) -> Self {
        self.0.insert(field.to_owned(), Value::String(digest_of(&plain(text))));
        self
    }

    /// The fields that the page had, as the form says. Empty if they cannot be read: all fields then count as changed.
    pub(crate) fn sent(form: Form<'_>) -> Self {
        Self(serde_json::from_str(&form.text("", SHOWN)).unwrap_or_default())
    }

    /// True if a form has another value than the page. A field that the page did not have differs.
    fn differs(&self, form: Form<'_>, object: &str, field: &str) -> bool {
        match self.0.get(field) {
            Some(Value::Bool(ticked)) => form.ticked(object, field) != *ticked,
            Some(Value::String(shown)) => {
                let text = plain(&form.text(object, field));
                text != *shown && digest_of(&text) != *shown
            }
            Some(Value::Array(items)) => {
                let shown: BTreeSet<&str> = items.iter().filter_map(Value::as_str).collect();
                form.list(object, field).into_iter().filter(|item| !item.is_empty()).collect::<BTreeSet<_>>() != shown
            }
            Some(Value::Null | Value::Number(_) | Value::Object(_)) | None => true,
        }
    }

    /// The value of the hidden field. Empty if the page shows nothing that exists.
    pub(crate) fn field(&self) -> String {
        if self.0.is_empty() { String::new() } else { Value::Object(self.0.clone()).to_string() }
    }
}

/// A text as it is compared: with the line ends of Unix, and without the first one. Browsers leave the first one of a
/// text area out.
fn plain(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    text.strip_prefix('\n').unwrap_or(&text).to_owned()
}

/// A text as a page carries it.
fn carried(text: &str) -> String {
    let text = plain(text);
    if text.len() <= LONGEST_SHOWN { text } else { digest_of(&text) }
}

fn digest_of(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}

/// A day that was typed. None if the text is empty.
pub(crate) fn day(text: &str, field: &str, wrong: &str) -> Result<Option<Date>, Problems> {
    match text {
        "" => Ok(None),
        text => parse_day(text).map(Some).ok_or_else(|| Problems::with(field, wrong)),
    }
}

/// A whole number that was typed. None if the text is empty.
pub(crate) fn number(text: &str, field: &str, wrong: &str) -> Result<Option<i64>, Problems> {
    match text.trim() {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_no_number| Problems::with(field, wrong)),
    }
}

/// The change that a field asks for: unchanged if the form does not have the field, cleared if it is empty.
pub(crate) fn patch<T>(is_there: bool, value: Option<T>) -> Patch<T> {
    match value {
        _ if !is_there => Patch::Absent,
        None => Patch::Clear,
        Some(value) => Patch::Set(value),
    }
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
    fn what_was_sent_as_it_was_shown_is_not_there() {
        let long = "long ".repeat(100);
        let shown = OriginalValues::of([
            ("title", "A & \"B\"".into()),
            ("text", format!("\r\n{long}\r\n").into()),
            ("on", true.into()),
            ("off", false.into()),
            ("labels", vec!["x", "y"].into()),
            ("none", Value::Array(Vec::new())),
        ]);
        let field: String = url::form_urlencoded::byte_serialize(shown.field().as_bytes()).collect();
        let has = |sent: &str, field_of_page: &str| {
            let params = ParamMap::from_query(format!("shown={field_of_page}&{sent}").as_bytes()).unwrap();
            let form = Form::new(&params);
            let shown = OriginalValues::sent(form);
            let names = ["title", "text", "on", "off", "labels", "none", "new"];
            names.into_iter().filter(|name| form.changed(&shown).has("o", name)).collect::<Vec<_>>()
        };
        let text = long.replace(' ', "+");
        let same = format!(
            "o[title]=A+%26+%22B%22&o[text]={text}%0D%0A&o[on]=0&o[on]=1&o[off]=0&o[labels][]=&o[labels][]=y&o[labels][]=x&o[none][]="
        );
        assert!(has(&same, &field).is_empty(), "{:?}", has(&same, &field));
        assert!(has("", &field).is_empty());
        let other = format!("o[title]=A&o[text]={text}&o[on]=0&o[off]=1&o[labels][]=x&o[none][]=z&o[new]=");
        let all = ["title", "text", "on", "off", "labels", "none", "new"];
        assert_eq!(has(&other, &field), all);
        for unreadable in ["", "%7B", "[]", "7", "%7B%22title%22:null,%22on%22:7%7D"] {
            assert_eq!(has(&same, unreadable), all[..6], "{unreadable}");
        }
        let params = ParamMap::from_query(format!("shown={field}&{other}").as_bytes()).unwrap();
        let (form, change) = (Form::new(&params), |added: &[&str], removed: &[&str]| {
            let texts = |all: &[&str]| all.iter().map(ToString::to_string).collect();
            Some(ListChange { added: texts(added), removed: texts(removed) })
        });
        let form = form.changed(&shown);
        assert_eq!(form.list_change("o", "labels"), change(&[], &["y"]));
        assert_eq!((form.list_change("o", "none"), form.list_change("o", "new")), (change(&["z"], &[]), None));
        assert!(form.only("title").has("o", "title") && !form.only("title").has("o", "labels"));
        assert!(field.len() < 600 && OriginalValues::default().field().is_empty());
    }
}
