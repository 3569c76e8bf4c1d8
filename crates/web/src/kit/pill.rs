//! Labels that texts name: the renderer of Markdown writes links with a colour, and this module makes them look like labels.
//!
//! A policy without inline styles allows colours only as attributes of drawings.

/// The end of the start tag of such a link, up to the colour. No text of a user has it outside of a tag.
const OPENS: &str = " class=\"gfm gfm-label\" data-color=\"";
const CLOSES: &str = "</a>";

/// The page with its labels. `None` if it has none.
pub(crate) fn labels(html: &str) -> Option<String> {
    let mut parts = html.split(OPENS);
    let mut page = String::with_capacity(html.len().saturating_add(1024));
    page.push_str(parts.next()?);
    let mut is_changed = false;
    for part in parts {
        if let Some((color, text, rest)) = taken_apart(part) {
            is_changed = true;
            page.push_str(&format!(
                " class=\"gfm gfm-label label\"><svg aria-hidden=\"true\" focusable=\"false\" width=\"100%\" \
                 height=\"100%\"><rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"{color}\"/></svg><bdi \
                 class=\"{}\">{text}</bdi>{CLOSES}{rest}",
                ink(color)
            ));
        } else {
            page.push_str(OPENS);
            page.push_str(part);
        }
    }
    is_changed.then_some(page)
}

/// The colour, the text, and what follows the link. `None` if the renderer did not write it.
fn taken_apart(part: &str) -> Option<(&str, &str, &str)> {
    let (color, rest) = part.split_once("\">")?;
    let (text, rest) = rest.split_once(CLOSES)?;
    let digits = color.strip_prefix('#')?;
    let is_color = matches!(digits.len(), 3 | 6) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    (is_color && !text.contains('<')).then_some((color, text, rest))
}

/// The class of the letters on a background of this colour. They are white wherever that gives the contrast that WCAG 2.2
/// (1.4.3) asks for, and black elsewhere: white is easier to read on red and green (APCA, Lc 60). On lighter grounds than
/// these, such as `#d9534f`, APCA prefers white too, and WCAG forbids it.
pub(crate) fn ink(color: &str) -> &'static str {
    let digits = color.trim_start_matches('#');
    let wide: String =
        if digits.len() == 3 { digits.chars().flat_map(|c| [c, c]).collect() } else { digits.to_owned() };
    let part = |at: usize| wide.get(at..at + 2).and_then(|part| u8::from_str_radix(part, 16).ok()).unwrap_or(0);
    let linear = |part: u8| {
        let share = f64::from(part) / 255.0;
        if share <= 0.040_45 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    };
    let luminance = 0.2126 * linear(part(0)) + 0.7152 * linear(part(2)) + 0.0722 * linear(part(4));
    // The contrast of white, 1.05 / (l + 0.05), is 4.5 here.
    if luminance > 0.1833 { "on-light" } else { "on-dark" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_on_labels_can_be_read() {
        for (color, want) in [
            ("#fff", "on-light"),
            ("#000000", "on-dark"),
            ("#428BCA", "on-light"),
            ("#FFFF00", "on-light"),
            ("#0033CC", "on-dark"),
            ("#AD1F1A", "on-dark"),
            ("#D10069", "on-dark"),
            ("#1f7a4d", "on-dark"),
            // White has 4.53 here, and black 4.64.
            ("#a26b00", "on-dark"),
            ("#d9534f", "on-light"),
            ("nonsense", "on-dark"),
        ] {
            assert_eq!(ink(color), want, "{color}");
        }
    }

    #[test]
    fn a_link_with_a_colour_is_a_label() {
        let page =
            labels("a <a href=\"/x\" title=\"t\" class=\"gfm gfm-label\" data-color=\"#AD1F1A\">b &amp; c</a> d")
                .unwrap();
        assert!(page.starts_with("a <a href=\"/x\" title=\"t\" class=\"gfm gfm-label label\"><svg "), "{page}");
        assert!(page.ends_with("fill=\"#AD1F1A\"/></svg><bdi class=\"on-dark\">b &amp; c</bdi></a> d"), "{page}");
        for other in [
            "<a href=\"/x\" class=\"gfm gfm-label\">b</a>",
            "<a class=\"gfm gfm-label\" data-color=\"red\">b</a>",
            "<a class=\"gfm gfm-label\" data-color=\"#123\"><b>b</b></a>",
            "<a class=\"gfm gfm-label\" data-color=\"#123\">b",
            "plain",
        ] {
            assert_eq!(labels(other), None, "{other}");
        }
    }
}
