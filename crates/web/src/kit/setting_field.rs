//! Fields of forms for settings, each made from its line in a table of settings.

use tenon_domain::settings::{Changes, DefaultBranchProtection, Effect, Kind, NoValue, Setting, Value, Values};

use super::choice::Choice;
use super::form::{Form, OriginalValues};
use super::problems::Problems;

/// The words of the settings of one table.
pub(crate) struct SettingWords {
    /// The name of the object in the form that has the fields.
    pub(crate) object: &'static str,
    /// The label and the hint of a setting.
    pub(crate) of: fn(&'static str) -> (&'static str, &'static str),
    /// The words of a value of a setting.
    pub(crate) of_value: fn(&str, &str) -> String,
}

/// The fields of a form for those settings of a table that the server acts on.
pub(crate) struct SettingForm {
    pub(crate) settings: &'static [Setting],
    pub(crate) words: SettingWords,
}

impl SettingForm {
    fn obeyed(&self) -> impl Iterator<Item = &'static Setting> + use<> {
        self.settings.iter().filter(|setting| is_obeyed(setting))
    }

    /// Adds the values as the page has them at first.
    pub(crate) fn shown(&self, shown: OriginalValues, values: &Values) -> OriginalValues {
        self.obeyed()
            .fold(shown, |shown, setting| shown.with(setting.name, Entry::stored(setting, &values.of(setting)).shown()))
    }

    /// The fields of these names, as they were sent or else stored.
    pub(crate) fn fields(&self, names: &[&str], values: &Values, sent: Form<'_>) -> Vec<SettingField> {
        let field = |setting: &Setting| {
            let entry = Entry::stored(setting, &values.of(setting)).sent(setting, sent, self.words.object);
            SettingField::new(&self.words, setting, entry)
        };
        let found = names.iter().filter_map(|name| self.settings.iter().find(|setting| setting.name == *name));
        found.map(field).collect()
    }

    /// The values that a form changes; notes those that cannot be read.
    pub(crate) fn changes(&self, form: Form<'_>, problems: &mut Problems) -> Changes {
        let mut changes = Changes::new();
        for setting in self.obeyed() {
            match sent(form, self.words.object, setting) {
                Ok(Some(value)) => changes.push((setting, value)),
                Ok(None) => {}
                Err(problem) => {
                    problems.add(setting.name, &format!("{} {problem}", (self.words.of)(setting.name).0));
                }
            }
        }
        changes
    }
}

/// A field of a form.
pub(crate) struct SettingField {
    pub(crate) object: &'static str,
    pub(crate) name: &'static str,
    pub(crate) label: &'static str,
    pub(crate) hint: &'static str,
    pub(crate) content: Content,
}

/// The kind of field for a setting.
pub(crate) enum Content {
    Switch(bool),
    Line(String),
    Text(String),
    /// A secret, which no page shows; true if there is one.
    Secret(bool),
    Choices(Vec<Choice>),
    /// Boxes, and the ticked words without a box: these have no effect, and stay ticked.
    Boxes(Vec<Choice>, Vec<String>),
}

/// The content of the field of a setting.
pub(crate) enum Entry {
    Box(bool),
    Text(String),
    Items(Vec<String>),
    /// True if there is a secret.
    Secret(bool),
}

impl Entry {
    /// A value as the page shows it at first.
    pub(crate) fn stored(setting: &Setting, value: &Value) -> Self {
        match (setting.kind, value) {
            (Kind::Secret | Kind::Hidden, value) => Self::Secret(*value != Value::Null),
            (Kind::Switch, _) => Self::Box(*value == Value::Switch(true)),
            (Kind::Words(_) | Kind::Switches(_), Value::List(items)) => Self::Items(items.clone()),
            (Kind::Words(_) | Kind::Switches(_), _) => Self::Items(Vec::new()),
            // Of a protection in parts, the number that comes closest. It stays as it is unless another one is chosen.
            (Kind::BranchProtection, value) => {
                Self::Text(value.branch_protection().unwrap_or_default().level().to_string())
            }
            (_, Value::Text(text)) => Self::Text(text.clone()),
            (_, Value::Number(number)) => Self::Text(number.to_string()),
            (_, Value::List(items)) => Self::Text(items.join("\n")),
            (_, Value::Switch(_) | Value::Null) => Self::Text(String::new()),
        }
    }

    /// The text that was typed. It need not be a value of the setting.
    pub(crate) fn sent(self, setting: &Setting, form: Form<'_>, object: &str) -> Self {
        match self {
            Self::Secret(_) => self,
            _ if !form.has(object, setting.name) => self,
            Self::Box(_) => Self::Box(form.ticked(object, setting.name)),
            Self::Text(_) => Self::Text(form.text(object, setting.name)),
            Self::Items(_) => Self::Items(items(form, object, setting)),
        }
    }

    /// The same for [`super::form::OriginalValues`].
    pub(crate) fn shown(&self) -> serde_json::Value {
        match self {
            Self::Box(ticked) => (*ticked).into(),
            Self::Text(text) => text.as_str().into(),
            Self::Items(items) => items.clone().into(),
            Self::Secret(_) => "".into(),
        }
    }

    fn content(self, setting: &Setting, of_value: fn(&str, &str) -> String) -> Content {
        let words = |word: &str| of_value(setting.name, word);
        let choice = |word: &str, text: &str| Choice::new(word, &words(word), word == text);
        match (self, setting.kind) {
            (Self::Box(ticked), _) => Content::Switch(ticked),
            (Self::Secret(is_set), _) => Content::Secret(is_set),
            (Self::Items(items), Kind::Words(known) | Kind::Switches(known)) => {
                let is_ticked = |word: &str| items.iter().any(|item| item == word);
                let shown = known.iter().filter(|word| has_effect(setting, word));
                let boxes = shown.map(|word| Choice::new(word, &words(word), is_ticked(word))).collect();
                Content::Boxes(boxes, items.iter().filter(|item| !has_effect(setting, item)).cloned().collect())
            }
            (Self::Items(items), _) => Content::Text(items.join("\n")),
            (Self::Text(text), Kind::OneOf(numbers)) => {
                Content::Choices(numbers.iter().map(|number| choice(&number.to_string(), &text)).collect())
            }
            (Self::Text(text), Kind::BranchProtection) => {
                let levels = DefaultBranchProtection::LEVELS.iter();
                Content::Choices(levels.map(|level| choice(&level.to_string(), &text)).collect())
            }
            (Self::Text(text), Kind::Word(known)) => {
                let none = setting.is_nullable().then(|| choice("", &text));
                Content::Choices(none.into_iter().chain(known.iter().map(|word| choice(word, &text))).collect())
            }
            (Self::Text(text), Kind::Names | Kind::Domains | Kind::Text(_)) => Content::Text(text),
            (Self::Text(text), _) => Content::Line(text),
        }
    }
}

/// True if the server acts on a setting.
pub(crate) const fn is_obeyed(setting: &Setting) -> bool {
    matches!(setting.effect, Effect::Obeyed)
}

/// True if a word of a list has an effect. Of the sources of imports, only an address that Git reads has one.
fn has_effect(setting: &Setting, word: &str) -> bool {
    setting.name != "import_sources" || word == "git"
}

/// The boxes that are ticked of a setting with several.
fn items(form: Form<'_>, object: &str, setting: &Setting) -> Vec<String> {
    form.list(object, setting.name).into_iter().filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

impl SettingField {
    pub(crate) fn new(words: &SettingWords, setting: &Setting, entry: Entry) -> Self {
        let (label, hint) = (words.of)(setting.name);
        let content = entry.content(setting, words.of_value);
        Self { object: words.object, name: setting.name, label, hint, content }
    }
}

/// The value that a form gives a setting. None if the form does not have the setting, or has it unchanged. An error if
/// it is no value of this kind.
pub(crate) fn sent(form: Form<'_>, object: &str, setting: &Setting) -> Result<Option<Value>, &'static str> {
    if setting.is_secret() {
        return sent_secret(form, object, setting);
    }
    if !form.has(object, setting.name) {
        return Ok(None);
    }
    let text = form.text(object, setting.name);
    let read = match setting.kind {
        Kind::Switch => Ok(Some(Value::Switch(form.ticked(object, setting.name)))),
        Kind::Words(_) | Kind::Switches(_) => {
            setting.kind.parse_list(items(form, object, setting).iter().map(String::as_str)).map(Some)
        }
        _ => setting.parse(&text),
    };
    read.map_err(|problem| match (problem, setting.kind) {
        (NoValue::Unreadable, Kind::Number { .. } | Kind::OneOf(_) | Kind::BranchProtection | Kind::Factor) => {
            "must be a number"
        }
        (NoValue::Unreadable, _) => "is invalid",
        (NoValue::NotOffered, _) => "is not a valid choice",
    })
}

/// The secret that a form gives a setting. An empty field leaves the present one, unless the box to remove it is ticked.
fn sent_secret(form: Form<'_>, object: &str, setting: &Setting) -> Result<Option<Value>, &'static str> {
    if form.ticked(object, &format!("{}_removed", setting.name)) {
        return Ok(Some(Value::Null));
    }
    match form.secret(object, setting.name).expose() {
        "" => Ok(None),
        text => setting.parse(text).map_err(|_problem| "is invalid"),
    }
}
