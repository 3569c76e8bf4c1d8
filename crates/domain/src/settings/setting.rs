//! One row of the table of settings.

use super::kind::Kind;
use super::value::Value;

/// A part of the table.
#[derive(Debug, Clone, Copy)]
pub struct Area {
    /// Its title in the documentation.
    pub title: &'static str,
    /// Its settings.
    pub settings: &'static [Setting],
}

/// One setting.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Its name in the API and in the database.
    pub name: &'static str,
    /// Other names that clients may send. Those that are `true` are in answers as well.
    pub aliases: &'static [(&'static str, bool)],
    /// A name under which clients send and read the contrary of this switch, if there is one.
    pub opposite: Option<&'static str>,
    /// Switches that stand for a word: on is the last one, off the first. Answers show the first of these names.
    pub short: &'static [&'static str],
    /// A name under which clients send and read this list as a text with an item in each line.
    pub lines: Option<&'static str>,
    /// The type of its values.
    pub kind: Kind,
    /// Its value on a new server.
    pub default: DefaultValue,
    /// The settings that have to be sent together with this switch when it is switched on.
    pub needs: &'static [&'static str],
    /// The settings that have to have a value while this switch is on.
    pub fills: &'static [&'static str],
    /// The part of this server that acts on it, if any.
    pub effect: Effect,
    /// Its effect, as one sentence.
    pub meaning: &'static str,
}

/// The part of the server that acts on a setting, if any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The server does as it says.
    Obeyed,
    /// It is stored, checked and returned. The text says why nothing follows from it.
    Stored(&'static str),
}

/// The value of a setting until it is changed.
#[derive(Debug, Clone, Copy)]
pub enum DefaultValue {
    /// No value.
    Null,
    /// On or off.
    Switch(bool),
    /// A number.
    Number(i64),
    /// A text.
    Text(&'static str),
    /// A list.
    List(&'static [&'static str]),
}

impl DefaultValue {
    /// The same as a value.
    #[must_use]
    pub fn value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Switch(on) => Value::Switch(on),
            Self::Number(number) => Value::Number(number),
            Self::Text(text) => Value::Text(text.to_owned()),
            Self::List(items) => Value::List(items.iter().map(|item| (*item).to_owned()).collect()),
        }
    }
}

impl Setting {
    pub(crate) const fn new(
        name: &'static str,
        kind: Kind,
        default: DefaultValue,
        effect: Effect,
        meaning: &'static str,
    ) -> Self {
        Self {
            name,
            aliases: &[],
            opposite: None,
            short: &[],
            lines: None,
            kind,
            default,
            needs: &[],
            fills: &[],
            effect,
            meaning,
        }
    }

    /// A switch.
    pub(crate) const fn switch(name: &'static str, on: bool, effect: Effect, meaning: &'static str) -> Self {
        Self::new(name, Kind::Switch, DefaultValue::Switch(on), effect, meaning)
    }

    /// A whole number of at least `least`.
    pub(crate) const fn number(
        name: &'static str,
        least: i64,
        default: i64,
        effect: Effect,
        meaning: &'static str,
    ) -> Self {
        Self::new(name, Kind::Number { least, most: Kind::MOST }, DefaultValue::Number(default), effect, meaning)
    }

    /// A text that is not set on a new server.
    pub(crate) const fn text(name: &'static str, kind: Kind, effect: Effect, meaning: &'static str) -> Self {
        Self::new(name, kind, DefaultValue::Null, effect, meaning)
    }

    pub(super) const fn aliases(self, aliases: &'static [(&'static str, bool)]) -> Self {
        Self { aliases, ..self }
    }

    pub(crate) const fn opposite(self, name: &'static str) -> Self {
        Self { opposite: Some(name), ..self }
    }

    pub(crate) const fn short(self, names: &'static [&'static str]) -> Self {
        Self { short: names, ..self }
    }

    pub(super) const fn lines(self, name: &'static str) -> Self {
        Self { lines: Some(name), ..self }
    }

    pub(super) const fn needs(self, needs: &'static [&'static str]) -> Self {
        Self { needs, ..self }
    }

    pub(super) const fn fills(self, fills: &'static [&'static str]) -> Self {
        Self { fills, ..self }
    }

    /// True if it can have no value.
    #[must_use]
    pub const fn is_nullable(&self) -> bool {
        matches!(self.default, DefaultValue::Null)
    }

    /// True if its value is sealed in the database, and kept out of logs.
    #[must_use]
    pub const fn is_secret(&self) -> bool {
        matches!(self.kind, Kind::Secret | Kind::Hidden)
    }

    /// True if answers show it.
    #[must_use]
    pub const fn is_answered(&self) -> bool {
        !matches!(self.kind, Kind::Hidden)
    }

    /// All names under which clients may send it in any form, its own first.
    pub fn sent_names(&self) -> impl Iterator<Item = &'static str> + use<> {
        let forms = self.opposite.into_iter().chain(self.lines).chain(self.short.iter().copied());
        self.names().into_iter().chain(forms)
    }

    /// The word that its short switches are when they are off; `None` if it has none.
    #[must_use]
    pub const fn off(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Word([first, ..]) => Some(*first),
            _ => None,
        }
    }

    /// The word that its short switches stand for when they are on; `None` if it has none.
    #[must_use]
    pub const fn on(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Word([.., last]) => Some(*last),
            _ => None,
        }
    }

    /// All names that clients may send, its own first.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().map(|(alias, _)| *alias)).collect()
    }

    /// The names under which answers show its value, its own first.
    pub fn shown_names(&self) -> impl Iterator<Item = &'static str> + use<> {
        let shown = self.aliases.iter().filter(|(_, is_shown)| *is_shown).map(|(alias, _)| *alias);
        std::iter::once(self.name).chain(shown)
    }
}
