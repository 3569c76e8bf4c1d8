//! Emoji by their names.

use std::borrow::Cow;

/// The name under which the API knows the emoji called `name`, which comes without colons. It is the first of its
/// names, except for `thumbsup` and `thumbsdown`. `None` if there is no such emoji.
pub fn emoji_name(name: &str) -> Option<&'static str> {
    match emojis::get_by_shortcode(name)?.shortcode()? {
        "+1" => Some("thumbsup"),
        "-1" => Some("thumbsdown"),
        first => Some(first),
    }
}

/// `text` with the emoji in place of their names between colons. A name that touches a letter or digit is part of
/// something else, such as a time of day.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(':') {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    // True if a name may begin here.
    let mut free = true;
    while let Some((before, behind)) = rest.split_once(':') {
        shown.push_str(before);
        free = before.chars().next_back().map_or(free, |c| !c.is_alphanumeric());
        let named = behind.split_once(':').and_then(|(name, after)| Some((emojis::get_by_shortcode(name)?, after)));
        match named {
            Some((emoji, after)) if free && !after.starts_with(char::is_alphanumeric) => {
                shown.push_str(emoji.as_str());
                rest = after;
            }
            _ => {
                shown.push(':');
                rest = behind;
                free = true;
            }
        }
    }
    shown.push_str(rest);
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_emoji_are_one_name() {
        let cases = [
            ("thumbsup", Some("thumbsup")),
            ("+1", Some("thumbsup")),
            ("-1", Some("thumbsdown")),
            ("thumbsdown", Some("thumbsdown")),
            ("speech_balloon", Some("speech_balloon")),
            ("tada", Some("tada")),
            ("100", Some("100")),
            ("shit", Some("hankey")),
            ("no_such_emoji", None),
            (":tada:", None),
            ("", None),
        ];
        for (name, expected) in cases {
            assert_eq!(emoji_name(name), expected, "{name}");
        }
    }
}
