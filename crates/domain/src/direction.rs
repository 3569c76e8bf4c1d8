//! Characters that turn the direction of text.

/// Whether a character is invisible and overrides the direction in which text is shown: with it, a name can look like
/// another one. The marks U+061C, U+200E and U+200F override nothing, and names in Arabic and Hebrew have them.
#[must_use]
pub fn turns_text(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
