//! Characters that turn the direction of text, and others that do not show as themselves.

/// True if a character is invisible and overrides the direction in which text is shown: with it, a name can look like
/// another one. The marks U+061C, U+200E and U+200F override nothing, and names in Arabic and Hebrew have them.
#[must_use]
pub fn turns_text(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with control characters, and what turns its direction, written out: `\u{1b}` for the character that begins a command
/// of a terminal.
#[must_use]
pub fn written_out(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if turns_text(c) || c.is_control() {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_show_as_itself_is_written_out() {
        for (text, want) in [
            ("caf\u{e9} \u{5d0}\u{200f} \u{1f600}", "caf\u{e9} \u{5d0}\u{200f} \u{1f600}"),
            ("a\u{1b}[31m\n", "a\\u{1b}[31m\\u{a}"),
            ("x\u{202e}y\u{7f}\u{85}", "x\\u{202e}y\\u{7f}\\u{85}"),
        ] {
            assert_eq!(written_out(text), want);
        }
    }
}
