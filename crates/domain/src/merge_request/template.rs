//! Texts of commits that a project presets, with placeholders such as `%{title}`.

/// The text of a template. `value` returns the value of a placeholder by its name, `None` if there is no such
/// placeholder: it stays as it is written. A line with nothing but a placeholder without a value is left out, with the
/// empty lines before it (the rule of the reference).
#[must_use]
pub fn expand(template: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in template.lines() {
        let line = line.trim_end();
        let is_alone = alone(line).and_then(&value).is_some_and(|value| value.is_empty());
        if is_alone {
            while lines.last().is_some_and(String::is_empty) {
                lines.pop();
            }
        } else {
            lines.push(filled(line, &value));
        }
    }
    lines.join("\n").trim().to_owned()
}

/// The name of the placeholder that is the whole line.
fn alone(line: &str) -> Option<&str> {
    line.trim().strip_prefix("%{")?.strip_suffix('}').filter(|name| !name.contains('}'))
}

fn filled(line: &str, value: &impl Fn(&str) -> Option<String>) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("%{") {
        text += before;
        let named = after.split_once('}').and_then(|(name, behind)| Some((value(name)?, behind)));
        rest = if let Some((value, behind)) = named {
            text += &value;
            behind
        } else {
            text += "%{";
            after
        };
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_once_and_lines_without_a_value_are_left_out() {
        let value = |name: &str| match name {
            "title" => Some("Repair %{description}".to_owned()),
            "description" => Some("Two\nlines".to_owned()),
            "issues" => Some(String::new()),
            _ => None,
        };
        for (template, want) in [
            ("%{title}", "Repair %{description}"),
            ("a %{title} b %{unknown} %{", "a Repair %{description} b %{unknown} %{"),
            ("Merge\r\n\r\n%{issues}\r\n\r\n%{description}", "Merge\n\nTwo\nlines"),
            ("Merge\n\n%{issues}", "Merge"),
            ("Merge (%{issues})", "Merge ()"),
            ("%{issues}", ""),
            ("%{%{title}}", "%{Repair %{description}}"),
        ] {
            assert_eq!(expand(template, value), want, "{template:?}");
        }
    }
}
