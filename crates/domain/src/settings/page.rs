//! The tables of docs/settings.md.

use super::setting::{DefaultValue, Effect, Setting};
use super::table::AREAS;

/// All settings as Markdown tables, one for each area.
#[must_use]
pub fn page() -> String {
    let areas = AREAS.iter().map(|area| format!("### {}\n\n{}", area.title, markdown_table(area.settings)));
    areas.collect::<Vec<_>>().join("\n\n")
}

/// A Markdown table of settings.
#[must_use]
pub fn markdown_table(settings: &[Setting]) -> String {
    let head = "| setting | values | default | obeyed | meaning |\n|---|---|---|---|---|".to_owned();
    settings.iter().fold(head, |text, setting| text + "\n" + &row(setting))
}

fn row(setting: &Setting) -> String {
    let Setting { name, kind, .. } = setting;
    let obeyed = match setting.effect {
        Effect::Obeyed => "yes".to_owned(),
        Effect::Stored(reason) => format!("no: {reason}"),
    };
    let mut meaning = setting.meaning.to_owned();
    for (what, names) in [
        ("To switch it on, send with it", setting.needs),
        ("While it is on, there has to be", if setting.needs.is_empty() { setting.fills } else { &[] }),
    ] {
        if !names.is_empty() {
            meaning += &format!(" {what} {}.", quoted(names));
        }
    }
    let aliases: Vec<&str> = setting.aliases.iter().map(|(alias, _)| *alias).collect();
    if let Some(opposite) = setting.opposite {
        meaning += &format!(" The contrary is also sent and answered as `{opposite}`.");
    }
    if let Some(lines) = setting.lines {
        meaning += &format!(" Also sent and answered as a text with an item in each line, `{lines}`.");
    }
    if !setting.short.is_empty() {
        meaning += &format!(" Also as a switch, {}.", quoted(setting.short));
    }
    if !aliases.is_empty() {
        meaning += &format!(" Also sent as {}.", quoted(&aliases));
    }
    format!("| `{name}` | {} | {} | {obeyed} | {meaning} |", kind.describe(), default_of(setting))
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn default_of(setting: &Setting) -> String {
    match setting.default {
        DefaultValue::Null => "null".to_owned(),
        DefaultValue::Switch(on) => on.to_string(),
        DefaultValue::Number(number) => number.to_string(),
        DefaultValue::Text(text) => format!("`{text}`"),
        DefaultValue::List([]) => "none".to_owned(),
        DefaultValue::List(items) => quoted(items),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_a_line() {
        let page = page();
        for setting in AREAS.iter().flat_map(|area| area.settings) {
            assert!(page.contains(&format!("\n| `{}` | ", setting.name)), "{}", setting.name);
            assert!(setting.meaning.ends_with('.'), "{}", setting.name);
        }
        assert!(page.contains("| `metrics_enabled` | boolean | false | no: "));
        assert!(page.contains("To switch it on, send with it `diagram_url`."));
    }
}
