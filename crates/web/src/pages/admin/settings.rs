//! The settings of the application, in the areas of the table of settings.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::settings::{self, SettingsView};
use tenon_domain::settings::{AREAS, Area, Changes, Setting};

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::{Form, OriginalValues};
use crate::kit::problems::Problems;
use crate::kit::setting_field::{self, Content, Entry, SettingField, SettingWords, is_obeyed};
use crate::kit::words::Moment;

use super::setting_words;

const FORM: &str = "application_setting";
const WORDS: SettingWords = SettingWords { object: FORM, of: setting_words::of, of_value: setting_words::of_value };

#[derive(Template)]
#[template(path = "admin/settings.html")]
struct SettingsPage {
    frame: Frame,
    problems: Problems,
    tabs: Vec<Tab>,
    area: usize,
    title: &'static str,
    fields: Vec<SettingField>,
    search: String,
    /// The settings that the search finds, in all areas.
    found: Vec<FoundSetting>,
    changed: Moment,
    /// The fields as the page had them at first ([`OriginalValues::field`]).
    shown: String,
}

struct FoundSetting {
    name: &'static str,
    label: &'static str,
    hint: &'static str,
    area: usize,
    title: &'static str,
}

/// The settings of the page that have all words of `search` in their name, label or hint.
fn found(search: &str) -> Vec<FoundSetting> {
    let words: Vec<String> = search.split_whitespace().map(str::to_lowercase).collect();
    let shown = AREAS.iter().enumerate().flat_map(|(at, area)| {
        area.settings.iter().filter(|setting| is_obeyed(setting)).map(move |setting| (at, area, setting))
    });
    let all = shown.map(|(area, Area { title, .. }, setting)| {
        let (label, hint) = setting_words::of(setting.name);
        FoundSetting { name: setting.name, label, hint, area, title }
    });
    let has = |one: &FoundSetting| {
        let text = format!("{} {} {} {}", one.name, one.label, one.hint, one.title).to_lowercase();
        !words.is_empty() && words.iter().all(|word| text.contains(word.as_str()))
    };
    all.filter(has).collect()
}

struct Tab {
    words: &'static str,
    number: usize,
    is_here: bool,
}

/// True if the page shows a setting of this area: one that the server acts on. The API has the others.
fn has_any(area: &Area) -> bool {
    area.settings.iter().any(is_obeyed)
}

/// The area that an address or a form names by its number. If that has no settings, it is the first area that has some.
fn area(named: Option<&str>) -> Result<(usize, &'static Area), PageError> {
    let asked = named.and_then(|number| number.parse::<usize>().ok());
    let found = asked.and_then(|number| Some((number, AREAS.get(number)?))).filter(|(_, area)| has_any(area));
    found.or_else(|| AREAS.iter().enumerate().find(|(_, area)| has_any(area))).ok_or(PageError::NotFound)
}

pub(super) async fn show(context: RequestContext) -> Result<Answer, PageError> {
    let named = context.query("area").map(str::to_owned);
    let search = context.parameters().words("search").unwrap_or_default();
    let (frame, view) = context.read(settings::show).await?;
    present(frame, &view, named.as_deref(), &search, None, Problems::default())
}

fn present(
    frame: Frame,
    view: &SettingsView,
    named: Option<&str>,
    search: &str,
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
            .filter(|setting| is_obeyed(setting))
            .fold(OriginalValues::default(), |shown, setting| shown.with(setting.name, stored(setting).shown())),
    };
    let field = |setting: &'static Setting| {
        let entry = stored(setting);
        SettingField::new(
            &WORDS,
            setting,
            match sent {
                Some(form) => entry.sent(setting, form, FORM),
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
        fields: area.settings.iter().filter(|setting| is_obeyed(setting)).map(field).collect(),
        found: found(search),
        search: search.to_owned(),
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
    for setting in area.settings.iter().filter(|setting| is_obeyed(setting)) {
        match setting_field::sent(form, FORM, setting) {
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
    Ok(present(frame, &view, named.as_deref(), "", Some(context.form()), problems)?
        .status(StatusCode::UNPROCESSABLE_ENTITY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_of_the_page_has_a_name_in_words() {
        let shown = AREAS.iter().flat_map(|area| area.settings).filter(|setting| is_obeyed(setting));
        let bare: Vec<&str> =
            shown.map(|setting| setting.name).filter(|name| setting_words::of(name).0 == *name).collect();
        assert!(bare.is_empty(), "{bare:?}");
    }
}
