//! The words of the buttons in templates: each begins with a verb of the list in `docs/design/pages.md`.

use crate::kit::templates;

/// The beginning of a line of the list.
const LISTED: &str = "> ";

/// The verbs that a button may begin with.
fn verbs() -> Vec<String> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/design/pages.md");
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix(LISTED));
    lines.flat_map(|line| line.split(',')).map(|verb| verb.trim().to_owned()).filter(|verb| !verb.is_empty()).collect()
}

/// The texts of all buttons of a template, with their tags of HTML and of the template. A button with `aria-pressed` is
/// a switch, and one with `type="button"` belongs to the script: neither sends a form with a verb.
fn buttons(template: &str) -> Vec<&str> {
    let texts = template.split("<button").skip(1).filter_map(|rest| rest.split_once("</button>"));
    let texts = texts.filter_map(|(button, _)| {
        let (attributes, text) = opened(button)?;
        let is_switch = attributes.contains("aria-pressed") || attributes.contains("type=\"button\"");
        (!is_switch).then_some(text)
    });
    texts.collect()
}

/// The attributes of an element and the text behind them. A `>` in an expression of the template ends no attributes.
fn opened(element: &str) -> Option<(&str, &str)> {
    let mut depth = 0_i32;
    for (at, char) in element.char_indices() {
        match char {
            '{' => depth += 1,
            '}' => depth -= 1,
            '>' if depth == 0 => return Some((&element[..at], &element[at + 1..])),
            _ => {}
        }
    }
    None
}

/// The words that a text may begin with: one for each branch of a condition at its beginning. Expressions are not known
/// here.
fn beginnings(text: &str) -> Vec<String> {
    let (mut found, mut rest, mut words, mut has_branches) = (Vec::new(), text, String::new(), false);
    while let Some(at) = rest.find(['{', '<']) {
        words.push_str(&rest[..at]);
        let is_markup = rest[at..].starts_with('<');
        let Some((tag, after)) = rest[at..].split_once(if is_markup { ">" } else { "}" }) else { break };
        rest = after.strip_prefix('}').unwrap_or(after);
        if is_markup || tag.contains(".icon(") {
            continue;
        }
        let is_expression = tag.starts_with("{{");
        if words.trim().is_empty() {
            if is_expression && !has_branches {
                return found;
            }
            has_branches |= !is_expression;
            continue;
        }
        found.push(std::mem::take(&mut words).trim().to_owned());
        if !has_branches || tag.contains("endif") {
            return found;
        }
    }
    words.push_str(rest);
    found.extend(Some(words.trim().to_owned()).filter(|words| !words.is_empty()));
    found
}

/// True if a text begins with a verb, or has no letter at all.
fn is_sound(text: &str, verbs: &[String]) -> bool {
    let follows =
        |verb: &String| text.strip_prefix(verb.as_str()).is_some_and(|rest| !rest.starts_with(char::is_alphabetic));
    !text.contains(char::is_alphabetic) || verbs.iter().any(follows)
}

#[test]
fn every_button_begins_with_a_verb_of_the_list() {
    let (templates, verbs) = (templates(), verbs());
    assert!(verbs.contains(&"Create".to_owned()) && verbs.contains(&"Set up".to_owned()), "{verbs:?}");
    let texts: Vec<String> = buttons(&templates).into_iter().flat_map(beginnings).collect();
    assert!(texts.len() > 150, "{}", texts.len());
    let odd: Vec<&String> = texts.iter().filter(|text| !is_sound(text, &verbs)).collect();
    assert!(odd.is_empty(), "{odd:?}");
}

#[test]
fn the_beginnings_of_buttons_are_found() {
    let icon = "{{ frame.icon(\"plus\") }}";
    for (button, want) in [
        (" class=\"main\">Make the token", &["Make the token"][..]),
        (">{% if iid.is_some() %}Save{% else %}Build{% endif %}", &["Save", "Build"]),
        (">{% if a > 1 %}Save{% endif %} it", &["Save"]),
        (&format!(" value=\"{{% if a > 1 %}}x{{% endif %}}\">{icon}Add"), &["Add"]),
        (">Mark all{% if a %} issues{% endif %} as done", &["Mark all"]),
        (
            &format!(">{icon}<span>{{% if a %}}Unstar{{% else %}}Star{{% endif %}}</span><b>{{{{ n }}}}</b>"),
            &["Unstar", "Star"],
        ),
        (">{{ action.words }}", &[]),
        (" type=\"button\">Make", &[]),
    ] {
        let template = format!("<p><button{button}</button></p>");
        let found: Vec<String> = buttons(&template).into_iter().flat_map(beginnings).collect();
        assert_eq!(found, want, "{button}");
    }
}

#[test]
fn a_verb_ends_with_its_word() {
    let verbs = ["Add".to_owned(), "Set up".to_owned()];
    for (text, want) in
        [("Add", true), ("Add key", true), ("Addition", false), ("Set up it", true), ("Set", false), ("🎉", true)]
    {
        assert_eq!(is_sound(text, &verbs), want, "{text}");
    }
}
