//! The settings of the application, area by area, as the table of settings says.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::settings::{self, SettingsView};
use tenon_domain::settings::{AREAS, Area, Changes, Effect, Kind, Setting, Value};

use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Form, Problems};
use crate::frame::Frame;
use crate::issuable::list::Choice;
use crate::visit::Visit;
use crate::words::Moment;

const FORM: &str = "application_setting";
const NOT_VALID: &str = "does not have a valid value";

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
}

/// An area as a tab.
struct Tab {
    words: &'static str,
    number: usize,
    is_here: bool,
}

/// A setting as a field.
struct Field {
    name: &'static str,
    meaning: &'static str,
    /// Why nothing follows from it; none where the server acts on it.
    unheeded: Option<&'static str>,
    values: String,
    content: Content,
}

/// What a setting is typed into.
enum Content {
    Switch(bool),
    Line(String),
    Text(String),
    Choices(Vec<Choice>),
    Boxes(Vec<Choice>),
    /// Whether there is one.
    Secret(bool),
}

impl Field {
    fn new(setting: &'static Setting, value: &Value) -> Self {
        let choices = |words: &[&str], chosen: &[String]| -> Vec<Choice> {
            words.iter().map(|word| Choice::new(word, word, chosen.iter().any(|known| known == word))).collect()
        };
        let text = || match value {
            Value::Text(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::List(items) => items.join("\n"),
            Value::Switch(_) | Value::Null => String::new(),
        };
        let items = || match value {
            Value::List(items) => items.clone(),
            Value::Text(text) => vec![text.clone()],
            Value::Number(number) => vec![number.to_string()],
            Value::Switch(_) | Value::Null => Vec::new(),
        };
        let content = match setting.kind {
            Kind::Switch => Content::Switch(*value == Value::Switch(true)),
            Kind::OneOf(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
                let words: Vec<&str> = numbers.iter().map(String::as_str).collect();
                Content::Choices(choices(&words, &items()))
            }
            Kind::Word(words) => {
                let none = setting.is_nullable().then(|| Choice::new("", "None", value.is_blank()));
                Content::Choices(none.into_iter().chain(choices(words, &items())).collect())
            }
            Kind::Words(words) => Content::Boxes(choices(words, &items())),
            Kind::Names | Kind::Domains | Kind::Text(_) => Content::Text(text()),
            Kind::Secret => Content::Secret(!value.is_blank()),
            Kind::Number { .. }
            | Kind::Factor
            | Kind::Line(_)
            | Kind::Url
            | Kind::Email
            | Kind::Duration
            | Kind::Branch => Content::Line(text()),
        };
        Self {
            name: setting.name,
            meaning: setting.meaning,
            unheeded: match setting.effect {
                Effect::Obeyed => None,
                Effect::Stored(reason) => Some(reason),
            },
            values: setting.kind.describe().replace('`', ""),
            content,
        }
    }
}

/// The value that a form gives a setting; none where it does not have it. An error where it is no value of this kind.
fn sent(form: Form<'_>, setting: &Setting) -> Result<Option<Value>, &'static str> {
    if !form.has(FORM, setting.name) {
        return Ok(None);
    }
    let text = form.text(FORM, setting.name);
    let value = match setting.kind {
        Kind::Switch => Value::Switch(form.ticked(FORM, setting.name)),
        Kind::Number { .. } | Kind::OneOf(_) => match text.trim() {
            "" if setting.is_nullable() => Value::Null,
            "" => return Ok(None),
            number => Value::Number(number.parse().map_err(|_no_number| "is not a number")?),
        },
        Kind::Words(_) => {
            let items = form.list(FORM, setting.name).into_iter().filter(|item| !item.is_empty());
            Value::List(items.map(str::to_owned).collect())
        }
        Kind::Names | Kind::Domains => {
            let items = text.split([',', '\n']).map(str::trim).filter(|item| !item.is_empty());
            Value::List(items.map(str::to_owned).collect())
        }
        Kind::Secret if text.is_empty() => return Ok(None),
        Kind::Factor => match text.trim().parse::<f64>() {
            Ok(factor) => Value::Text(format!("{:?}", factor + 0.0)),
            Err(_) => return Err("is not a number"),
        },
        Kind::Word(_) | Kind::Url | Kind::Email | Kind::Branch | Kind::Duration if text.trim().is_empty() => {
            if setting.is_nullable() { Value::Null } else { return Ok(None) }
        }
        Kind::Line(_) | Kind::Text(_) if text.is_empty() && setting.is_nullable() => Value::Null,
        Kind::Text(_) | Kind::Secret => Value::Text(text),
        Kind::Word(_) | Kind::Line(_) | Kind::Url | Kind::Email | Kind::Duration | Kind::Branch => {
            Value::Text(text.trim().to_owned())
        }
    };
    if value != Value::Null && !setting.kind.admits(&value) {
        return Err(NOT_VALID);
    }
    Ok(Some(value))
}

/// The area that an address or a form names by its number; the first one where it names none.
fn area(named: Option<&str>) -> Result<(usize, &'static Area), PageError> {
    let asked = named.and_then(|number| number.parse::<usize>().ok());
    let found = asked.and_then(|number| Some((number, AREAS.get(number)?)));
    found.or_else(|| Some((0, AREAS.first()?))).ok_or(PageError::NotFound)
}

pub(super) async fn show(visit: Visit) -> Result<Answer, PageError> {
    let named = visit.query("area").map(str::to_owned);
    let (frame, view) = visit.read(settings::show).await?;
    present(frame, &view, named.as_deref(), &Changes::new(), Problems::default())
}

fn present(
    frame: Frame,
    view: &SettingsView,
    named: Option<&str>,
    typed: &Changes,
    problems: Problems,
) -> Result<Answer, PageError> {
    let (number, area) = area(named)?;
    let field = |setting: &'static Setting| {
        let typed = typed.iter().find(|(known, _)| known.name == setting.name).map(|(_, value)| value.clone());
        Field::new(setting, &typed.unwrap_or_else(|| view.values.of(setting)))
    };
    let tab = |(at, area): (usize, &Area)| Tab { words: area.title, number: at, is_here: at == number };
    Answer::page(&SettingsPage {
        frame,
        problems,
        tabs: AREAS.iter().enumerate().map(tab).collect(),
        area: number,
        title: area.title,
        fields: area.settings.iter().map(field).collect(),
        changed: view.updated_at.into(),
    })
}

/// Changes the settings that the form has: all of them, or none.
pub(super) async fn change(visit: Visit) -> Result<Answer, PageError> {
    let form = visit.form();
    let named = form.filled("", "area");
    let (number, area) = area(named.as_deref())?;
    let (mut changes, mut problems) = (Changes::new(), Problems::default());
    for setting in area.settings {
        match sent(form, setting) {
            Ok(Some(value)) => changes.push((setting, value)),
            Ok(None) => {}
            Err(problem) => problems.add(setting.name, &format!("{} {problem}", setting.name)),
        }
    }
    if problems.is_empty() {
        match settings::change(visit.app(), visit.identity(), changes.clone()).await {
            Ok(_) => {
                let there = visit.own(&format!("/admin/application_settings?area={number}"));
                return Ok(Answer::done(&there).cookie(cookie::of_flash(Flash::SettingsSaved)));
            }
            Err(error) => problems = Problems::of(error)?,
        }
    }
    let (frame, view) = visit.read(settings::show).await?;
    Ok(present(frame, &view, named.as_deref(), &changes, problems)?.status(StatusCode::UNPROCESSABLE_ENTITY))
}
