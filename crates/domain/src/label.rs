//! Labels.

use crate::container::Container;
use crate::field_errors::FieldErrors;
use crate::id::LabelId;

/// The colour of labels that are made by naming them.
pub const DEFAULT_COLOR: &str = "#428BCA";
/// The longest name, in characters.
pub const MAX_NAME: usize = 255;

/// A label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The label's id.
    pub id: LabelId,
    /// The project or group that it belongs to.
    pub container: Container,
    /// Unique there, and case-sensitive.
    pub name: String,
    /// `#RRGGBB`.
    pub color: String,
    /// Its description.
    pub description: Option<String>,
    /// True if it is not offered any more. It is still shown where it is.
    pub archived: bool,
}

/// A label's name as it is stored: without tags and without blanks around it.
#[must_use]
pub fn clean_name(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('<') {
        text.push_str(before);
        let opens_a_tag = after.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
        rest = match after.split_once('>') {
            Some((_tag, after_tag)) if opens_a_tag => after_tag,
            Some(_) | None => {
                text.push('<');
                after
            }
        };
    }
    text.push_str(rest);
    text.trim().to_owned()
}

/// Notes what is wrong with a cleaned name.
pub fn check_name(errors: &mut FieldErrors, name: &str) {
    errors.require(!name.is_empty() && !name.contains(','), "title", "is invalid");
    errors.at_most(MAX_NAME, "title", name);
}

/// A colour as it is stored, from `#rgb`, `#rrggbb` or a CSS name; `None` if it is none of them.
#[must_use]
pub fn parse_color(text: &str) -> Option<String> {
    let text = text.trim();
    let is_hex = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    match text.strip_prefix('#') {
        Some(digits) => (matches!(digits.len(), 3 | 6) && is_hex(digits)).then(|| text.to_owned()),
        None if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphabetic()) => {
            let [red, green, blue, alpha] = csscolorparser::parse(text).ok()?.to_rgba8();
            // `transparent` is a colour in style sheets, and of no use on a label.
            (alpha == u8::MAX).then(|| format!("#{red:02X}{green:02X}{blue:02X}"))
        }
        None => None,
    }
}

/// The names in lists with commas, trimmed, empty ones dropped: no name contains a comma.
pub fn split_names<'a>(lists: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let names = lists.into_iter().flat_map(|list| list.split(',')).map(str::trim);
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Black or white: what can be read on this colour.
#[must_use]
pub fn text_color(color: &str) -> &'static str {
    let digits = color.trim_start_matches('#');
    let wide: String =
        if digits.len() == 3 { digits.chars().flat_map(|c| [c, c]).collect() } else { digits.to_owned() };
    let bright = |at: usize| wide.get(at..at + 2).and_then(|part| u32::from_str_radix(part, 16).ok()).unwrap_or(0);
    if bright(0) + bright(2) + bright(4) > 500 { "#333333" } else { "#FFFFFF" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_hex_or_css_names() {
        for (text, want) in [
            ("#428BCA", Some("#428BCA")),
            ("#fff", Some("#fff")),
            ("red", Some("#FF0000")),
            ("RebeccaPurple", Some("#663399")),
            ("#ffff", None),
            ("#ggg", None),
            ("rgb(1,2,3)", None),
            ("transparent", None),
            ("nocolour", None),
            ("", None),
        ] {
            assert_eq!(parse_color(text).as_deref(), want, "{text}");
        }
    }

    #[test]
    fn names_lose_tags_and_blanks() {
        for (text, want) in [
            (" bug ", "bug"),
            ("<b>bug</b>", "bug"),
            ("a < b > c", "a < b > c"),
            ("<script>alert(1)</script>", "alert(1)"),
            ("<3", "<3"),
        ] {
            assert_eq!(clean_name(text), want);
        }
        let refused = |name: &str| {
            let mut errors = FieldErrors::default();
            check_name(&mut errors, name);
            !errors.is_empty()
        };
        assert_eq!(["bug", "a,b", "", &"x".repeat(256)].map(refused), [false, true, true, true]);
    }

    #[test]
    fn lists_of_names_drop_blanks() {
        assert_eq!(split_names(["bug, , feature", "ui", ""]), ["bug", "feature", "ui"]);
    }

    #[test]
    fn texts_on_labels_can_be_read() {
        assert_eq!(
            ["#fff", "#000000", "#428BCA", "#FFFF00"].map(text_color),
            ["#333333", "#FFFFFF", "#FFFFFF", "#333333"]
        );
    }
}
