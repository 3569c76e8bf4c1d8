//! From the texts of a request to the value of a setting: one parser for all front ends.

use std::collections::HashSet;

use super::kind::Kind;
use super::setting::Setting;
use super::value::Value;

/// Why a text is no value of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoValue {
    /// It cannot be read, such as a number with letters in it.
    Unreadable,
    /// It can be read, and is none of the values that are offered.
    NotOffered,
}

/// The most items of a list before it is checked.
const MAX_ITEMS: usize = 10_000;

/// Yes or no, as clients write it: `true`, `t`, `yes`, `y`, `on`, `1` and their opposites.
#[must_use]
pub fn parse_switch(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "t" | "yes" | "y" | "on" | "1" => Some(true),
        "false" | "f" | "no" | "n" | "off" | "0" => Some(false),
        _ => None,
    }
}

impl Kind {
    /// The value that a text stands for; `None` if the text says nothing. White space around a value is ignored, but in lines,
    /// texts and secrets.
    ///
    /// # Errors
    /// [`NoValue`] for a text that is no value of this kind.
    pub fn parse(self, text: &str) -> Result<Option<Value>, NoValue> {
        let word = text.trim();
        let value = match self {
            Self::Line(_) | Self::Text(_) | Self::Pattern(_) | Self::Secret | Self::Hidden if text.is_empty() => {
                return Ok(None);
            }
            Self::Line(_) | Self::Text(_) | Self::Pattern(_) | Self::Secret | Self::Hidden => {
                Value::Text(text.to_owned())
            }
            _ if word.is_empty() && !self.is_list() => return Ok(None),
            Self::Switch => Value::Switch(parse_switch(word).ok_or(NoValue::Unreadable)?),
            Self::Number { .. } | Self::OneOf(_) | Self::BranchProtection => {
                Value::Number(word.parse().map_err(|_no_number| NoValue::Unreadable)?)
            }
            Self::Factor => {
                let factor = word.parse::<f64>().ok().filter(|factor| factor.is_finite());
                // A sum with zero has no sign if it is zero.
                Value::Text(format!("{:?}", factor.ok_or(NoValue::Unreadable)? + 0.0))
            }
            Self::Word(_) if word == "nil" => return Ok(None),
            Self::Word(_)
            | Self::DomainLine
            | Self::Networks
            | Self::Url
            | Self::Email
            | Self::Duration
            | Self::Branch => Value::Text(word.to_owned()),
            Self::Words(_) | Self::Names | Self::Domains | Self::Switches(_) | Self::Ids | Self::Weights(_) => {
                return self.parse_list([text]).map(Some);
            }
        };
        if self.admits(&value) { Ok(Some(value)) } else { Err(NoValue::NotOffered) }
    }

    /// A list. Each text may hold several items, between commas, semicolons and white space; no item comes twice. Of switches,
    /// an item is a word that is on, or `word=true` or `word=false`.
    ///
    /// # Errors
    /// [`NoValue`] for a list that is too long, or has an item that is not offered.
    pub fn parse_list<'t>(self, texts: impl IntoIterator<Item = &'t str>) -> Result<Value, NoValue> {
        let (mut list, mut known) = (Vec::new(), HashSet::new());
        let is_between = |c: char| c.is_whitespace() || matches!(c, ',' | ';');
        for item in texts.into_iter().flat_map(|text| text.split(is_between)).filter(|item| !item.is_empty()) {
            let item = if matches!(self, Self::Switches(_)) { switched_on(item)? } else { Some(item) };
            if let Some(item) = item.filter(|item| known.insert(*item)) {
                list.push(item.to_owned());
            }
            if list.len() > MAX_ITEMS {
                return Err(NoValue::Unreadable);
            }
        }
        if let Self::Switches(words) = self {
            list.sort_by_key(|item| words.iter().position(|word| word == item));
        }
        let value = Value::List(list);
        if self.admits(&value) { Ok(value) } else { Err(NoValue::NotOffered) }
    }

    /// True if a request can send it as several texts.
    #[must_use]
    pub const fn is_list(self) -> bool {
        matches!(self, Self::Words(_) | Self::Names | Self::Domains | Self::Switches(_) | Self::Ids | Self::Weights(_))
    }

    const fn is_free_text(self) -> bool {
        matches!(self, Self::Line(_) | Self::Text(_) | Self::Duration)
    }
}

/// The word of `word=true` or `word`; `None` for `word=false`.
fn switched_on(item: &str) -> Result<Option<&str>, NoValue> {
    let Some((word, on)) = item.split_once('=') else { return Ok(Some(item)) };
    Ok(parse_switch(on).ok_or(NoValue::Unreadable)?.then_some(word))
}

impl Setting {
    /// The value that a request gives this setting; `None` if it leaves the setting as it is.
    ///
    /// # Errors
    /// [`NoValue`] for a text that is no value of this setting.
    pub fn parse(&self, text: &str) -> Result<Option<Value>, NoValue> {
        Ok(self.kind.parse(text)?.or_else(|| self.emptied()))
    }

    /// The value of this setting if a request empties it; `None` if that leaves it as it is.
    #[must_use]
    pub fn emptied(&self) -> Option<Value> {
        if self.is_nullable() {
            return Some(Value::Null);
        }
        // A text that was emptied is judged with the others; a number or a word stays as it is.
        self.kind.is_free_text().then(|| Value::Text(String::new()))
    }

    /// True if null empties it.
    #[must_use]
    pub const fn takes_null(&self) -> bool {
        self.is_nullable() || self.kind.is_free_text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_reads_texts() {
        let text = |text: &str| Ok(Some(Value::Text(text.to_owned())));
        let list = |items: &[&str]| Ok(Some(Value::List(items.iter().map(|item| (*item).to_owned()).collect())));
        let number = Kind::Number { least: 0, most: 10 };
        for (kind, given, want) in [
            (Kind::Switch, "off", Ok(Some(Value::Switch(false)))),
            (Kind::Switch, "perhaps", Err(NoValue::Unreadable)),
            (number, " 20 ", Ok(Some(Value::Number(20)))),
            (number, "", Ok(None)),
            (number, "x", Err(NoValue::Unreadable)),
            (Kind::OneOf(&[0, 1]), "2", Err(NoValue::NotOffered)),
            (Kind::Factor, "-0", text("0.0")),
            (Kind::Factor, "inf", Err(NoValue::Unreadable)),
            (Kind::Word(&["ssh"]), "nil", Ok(None)),
            (Kind::Word(&["ssh"]), "ssh", text("ssh")),
            (Kind::Word(&["ssh"]), "ftp", Err(NoValue::NotOffered)),
            (Kind::Words(&["git", "hub"]), "git,hub", list(&["git", "hub"])),
            (Kind::Words(&["git"]), "git x", Err(NoValue::NotOffered)),
            (Kind::Switches(&["a", "b"]), "b=true a a=1", list(&["a", "b"])),
            (Kind::Switches(&["a", "b"]), "a=false", list(&[])),
            (Kind::Switches(&["a"]), "a=x", Err(NoValue::Unreadable)),
            (Kind::Switches(&["a"]), "c", Err(NoValue::NotOffered)),
            (Kind::Ids, "1,2", list(&["1", "2"])),
            (Kind::Ids, "1,x", Err(NoValue::NotOffered)),
            (Kind::Weights(&["default"]), "default=50", list(&["default=50"])),
            (Kind::Weights(&["default"]), "default=101", Err(NoValue::NotOffered)),
            (Kind::Weights(&["default"]), "other=1", Err(NoValue::NotOffered)),
            (Kind::Domains, "a.test; b.test\nc.test, a.test", list(&["a.test", "b.test", "c.test"])),
            (Kind::Names, "", list(&[])),
            (Kind::Line(9), " a ", text(" a ")),
            (Kind::Text(9), "", Ok(None)),
            (Kind::Url, " https://example.org ", text("https://example.org")),
        ] {
            assert_eq!(kind.parse(given), want, "{kind:?} {given:?}");
        }
        let many = (0..=MAX_ITEMS).map(|item| item.to_string()).collect::<Vec<_>>().join(" ");
        assert_eq!(Kind::Names.parse(&many), Err(NoValue::Unreadable));
    }
}
