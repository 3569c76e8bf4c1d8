//! The settings of the application, in the areas of the table of settings.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::settings::{self, SettingsView};
use tenon_domain::settings::{AREAS, Area, Changes, Effect, Kind, NoValue, Setting, Value};

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::choice::Choice;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::{Form, OriginalValues, Problems};
use crate::kit::words::Moment;

use super::setting_words;

const FORM: &str = "application_setting";

#[derive(Template)]
#[template(path = "admin/settings.html")]
struct SettingsPage {
    frame: Frame,
    problems: Problems,
    tabs: Vec<Tab>,
    area: usize,
    title: &'static str,
    fields: Vec<Field>,
    changed: Moment,
    /// The fields as the page had them at first ([`OriginalValues::field`]).
    shown: String,
}

struct Tab {
    words: &'static str,
    number: usize,
    is_here: bool,
}

struct Field {
    name: &'static str,
    label: &'static str,
    hint: &'static str,
    content: Content,
}

/// The kind of field for a setting.
enum Content {
    Switch(bool),
    Line(String),
    Text(String),
    Choices(Vec<Choice>),
    /// Boxes, and the ticked words without a box: these have no effect, and stay ticked.
    Boxes(Vec<Choice>, Vec<String>),
}

/// The content of the field of a setting.
enum Entry {
    Box(bool),
    Text(String),
    Items(Vec<String>),
}

impl Entry {
    /// A value as the page shows it at first.
    fn stored(setting: &Setting, value: &Value) -> Self {
        match (setting.kind, value) {
            (Kind::Switch, _) => Self::Box(*value == Value::Switch(true)),
            (Kind::Words(_), Value::List(items)) => Self::Items(items.clone()),
            (Kind::Words(_), _) => Self::Items(Vec::new()),
            (_, Value::Text(text)) => Self::Text(text.clone()),
            (_, Value::Number(number)) => Self::Text(number.to_string()),
            (_, Value::List(items)) => Self::Text(items.join("\n")),
            (_, Value::Switch(_) | Value::Null) => Self::Text(String::new()),
        }
    }

    /// The text that was typed. It need not be a value of the setting.
    fn sent(self, setting: &Setting, form: Form<'_>) -> Self {
        match self {
            _ if !form.has(FORM, setting.name) => self,
            Self::Box(_) => Self::Box(form.ticked(FORM, setting.name)),
            Self::Text(_) => Self::Text(form.text(FORM, setting.name)),
            Self::Items(_) => Self::Items(items(form, setting)),
        }
    }

    /// The same for [`OriginalValues`].
    fn shown(&self) -> serde_json::Value {
        match self {
            Self::Box(ticked) => (*ticked).into(),
            Self::Text(text) => text.as_str().into(),
            Self::Items(items) => items.clone().into(),
        }
    }

    fn content(self, setting: &Setting) -> Content {
        let words = |word: &str| setting_words::of_value(setting.name, word);
        let choice = |word: &str, text: &str| Choice::new(word, &words(word), word == text);
        match (self, setting.kind) {
            (Self::Box(ticked), _) => Content::Switch(ticked),
            (Self::Items(items), Kind::Words(known)) => {
                let is_ticked = |word: &str| items.iter().any(|item| item == word);
                let shown = known.iter().filter(|word| is_obeyed(setting, word));
                let boxes = shown.map(|word| Choice::new(word, &words(word), is_ticked(word))).collect();
                Content::Boxes(boxes, items.iter().filter(|item| !is_obeyed(setting, item)).cloned().collect())
            }
            (Self::Items(items), _) => Content::Text(items.join("\n")),
            (Self::Text(text), Kind::OneOf(numbers)) => {
                Content::Choices(numbers.iter().map(|number| choice(&number.to_string(), &text)).collect())
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

/// True if the server acts on a setting. The page shows no other one, but the API has them all. No secret is shown: the
/// server acts on none.
const fn is_shown(setting: &Setting) -> bool {
    matches!(setting.effect, Effect::Obeyed) && !setting.is_secret()
}

/// True if a word of a list has an effect. Of the sources of imports, only an address that Git reads has one.
fn is_obeyed(setting: &Setting, word: &str) -> bool {
    setting.name != "import_sources" || word == "git"
}

/// The boxes that are ticked of a setting with several.
fn items(form: Form<'_>, setting: &Setting) -> Vec<String> {
    form.list(FORM, setting.name).into_iter().filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

impl Field {
    fn new(setting: &'static Setting, entry: Entry) -> Self {
        let (label, hint) = setting_words::of(setting.name);
        Self { name: setting.name, label, hint, content: entry.content(setting) }
    }
}

/// The value that a form gives a setting. None if the form does not have the setting, or has it unchanged. An error if
/// it is no value of this kind.
fn sent(form: Form<'_>, setting: &Setting) -> Result<Option<Value>, &'static str> {
    if !form.has(FORM, setting.name) {
        return Ok(None);
    }
    let text = form.text(FORM, setting.name);
    let read = match setting.kind {
        Kind::Switch => Ok(Some(Value::Switch(form.ticked(FORM, setting.name)))),
        Kind::Words(_) => setting.kind.parse_list(items(form, setting).iter().map(String::as_str)).map(Some),
        _ => setting.parse(&text),
    };
    read.map_err(|problem| match (problem, setting.kind) {
        (NoValue::Unreadable, Kind::Number { .. } | Kind::OneOf(_) | Kind::Factor) => "must be a number",
        (NoValue::Unreadable, _) => "is invalid",
        (NoValue::NotOffered, _) => "is not a valid choice",
    })
}

/// True if the page shows a setting of this area.
fn has_any(area: &Area) -> bool {
    area.settings.iter().any(is_shown)
}

/// The area that an address or a form names by its number. If that has no settings, it is the first area that has some.
fn area(named: Option<&str>) -> Result<(usize, &'static Area), PageError> {
    let asked = named.and_then(|number| number.parse::<usize>().ok());
    let found = asked.and_then(|number| Some((number, AREAS.get(number)?))).filter(|(_, area)| has_any(area));
    found.or_else(|| AREAS.iter().enumerate().find(|(_, area)| has_any(area))).ok_or(PageError::NotFound)
}

pub(super) async fn show(context: RequestContext) -> Result<Answer, PageError> {
    let named = context.query("area").map(str::to_owned);
    let (frame, view) = context.read(settings::show).await?;
    present(frame, &view, named.as_deref(), None, Problems::default())
}

fn present(
    frame: Frame,
    view: &SettingsView,
    named: Option<&str>,
    sent: Option<Form<'_>>,
    problems: Problems,
) -> Result<Answer, PageError> {
    let (number, area) = area(named)?;
    let stored = |setting: &Setting| Entry::stored(setting, &view.values.of(setting));
    let shown = match sent {
        Some(form) => OriginalValues::sent(form),
        None => area
            .settings
            .iter()
            .filter(|setting| is_shown(setting))
            .fold(OriginalValues::default(), |shown, setting| shown.with(setting.name, stored(setting).shown())),
    };
    let field = |setting: &'static Setting| {
        let entry = stored(setting);
        Field::new(
            setting,
            match sent {
                Some(form) => entry.sent(setting, form),
                None => entry,
            },
        )
    };
    let tab = |(at, area): (usize, &Area)| Tab { words: area.title, number: at, is_here: at == number };
    Answer::page(&SettingsPage {
        frame,
        problems,
        tabs: AREAS.iter().enumerate().filter(|(_, area)| has_any(area)).map(tab).collect(),
        area: number,
        title: area.title,
        fields: area.settings.iter().filter(|setting| is_shown(setting)).map(field).collect(),
        changed: view.updated_at.into(),
        shown: shown.field(),
    })
}

/// Changes the settings that were changed in the form: all of them, or none.
pub(super) async fn change(context: RequestContext) -> Result<Answer, PageError> {
    let shown = OriginalValues::sent(context.form());
    let form = context.form().changed(&shown);
    let named = form.filled("", "area");
    let (number, area) = area(named.as_deref())?;
    let (mut changes, mut problems) = (Changes::new(), Problems::default());
    for setting in area.settings.iter().filter(|setting| is_shown(setting)) {
        match sent(form, setting) {
            Ok(Some(value)) => changes.push((setting, value)),
            Ok(None) => {}
            Err(problem) => problems.add(setting.name, &format!("{} {problem}", setting_words::of(setting.name).0)),
        }
    }
    if problems.is_empty() {
        match settings::change(context.app(), context.identity(), changes).await {
            Ok(_) => {
                let there = context.own(&format!("/admin/application_settings?area={number}"));
                return Ok(Answer::done(&there).cookie(cookie::of_flash(Flash::SettingsSaved)));
            }
            Err(error) => problems = Problems::of(error)?,
        }
    }
    let (frame, view) = context.read(settings::show).await?;
    Ok(present(frame, &view, named.as_deref(), Some(context.form()), problems)?
        .status(StatusCode::UNPROCESSABLE_ENTITY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_setting_that_the_server_acts_on() {
        let all = AREAS.iter().flat_map(|area| area.settings);
        let left_out: Vec<&str> = all
            .filter(|setting| matches!(setting.effect, Effect::Obeyed) && !is_shown(setting))
            .map(|setting| setting.name)
            .collect();
        // A secret that the server acts on needs a field that does not show it.
        assert!(left_out.is_empty(), "{left_out:?}");
    }

    #[test]
    fn every_setting_of_the_page_has_a_name_in_words() {
        let shown = AREAS.iter().flat_map(|area| area.settings).filter(|setting| is_shown(setting));
        let bare: Vec<&str> =
            shown.map(|setting| setting.name).filter(|name| setting_words::of(name).0 == *name).collect();
        assert!(bare.is_empty(), "{bare:?}");
    }
}
