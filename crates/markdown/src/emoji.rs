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

/// Names of emoji that have `search` in them, each with its emoji: those that begin with it first, at most `most`.
pub fn emoji_named(search: &str, most: usize) -> Vec<(&'static str, &'static str)> {
    let search = search.to_lowercase();
    let named = emojis::iter().flat_map(|emoji| emoji.shortcodes().map(|name| (name, emoji.as_str())));
    let (mut found, others): (Vec<_>, Vec<_>) =
        named.filter(|(name, _)| name.contains(&search)).partition(|(name, _)| name.starts_with(&search));
    found.extend(others);
    found.truncate(most);
    found
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
    fn names_that_begin_as_typed_come_first() {
        let found = emoji_named("Tad", 3);
        assert_eq!(found.first(), Some(&("tada", "🎉")));
        let of_hearts = emoji_named("heart", 100);
        let first_other = of_hearts.iter().position(|(name, _)| !name.starts_with("heart")).unwrap();
        assert!(first_other > 1 && of_hearts[first_other..].iter().all(|(name, _)| !name.starts_with("heart")));
        assert_eq!((emoji_named("", 7).len(), emoji_named("no such", 7).len()), (7, 0));
    }

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
