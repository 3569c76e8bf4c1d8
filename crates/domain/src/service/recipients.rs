//! To whom services send: addresses of mail, and channels on IRC.

use crate::field_errors::FieldErrors;
use crate::user::check_email;

/// The addresses in `text`, which are separated by blanks, line breaks or commas.
///
/// # Errors
/// The first part that is no address.
pub fn mailboxes(text: &str) -> Result<Vec<&str>, &str> {
    let parts = text.split(|c: char| c.is_whitespace() || c == ',').filter(|part| !part.is_empty());
    parts.map(|part| if is_mailbox(part) { Ok(part) } else { Err(part) }).collect()
}

fn is_mailbox(text: &str) -> bool {
    let mut errors = FieldErrors::default();
    check_email(&mut errors, "email", text);
    errors.is_empty()
}

/// The addresses on IRC in `text`: whole ones (`irc://irc.example.org/#tool`), and names that are joined to `default`.
/// Parts that are neither are left out.
#[must_use]
pub fn irc_targets(text: &str, default: Option<&str>) -> Vec<String> {
    let base = default.filter(|base| is_irc(base)).map(|base| base.trim_end_matches('/'));
    let target = |part: &str| {
        if is_irc(part) {
            return Some(part.to_owned());
        }
        let is_name = !part.contains("://") && !part.contains('/');
        base.filter(|_| is_name).map(|base| format!("{base}/{part}"))
    };
    text.split_whitespace().filter_map(target).collect()
}

/// True if a text is an address on IRC, with a host.
fn is_irc(text: &str) -> bool {
    let rest = text.strip_prefix("irc://").or_else(|| text.strip_prefix("ircs://"));
    rest.is_some_and(|rest| {
        let host = rest.split('/').next().unwrap_or_default();
        !host.is_empty() && rest.chars().all(|c| !c.is_control() && !c.is_whitespace() && c != '"')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_separated_by_blanks_line_breaks_and_commas() {
        assert_eq!(mailboxes("a@example.com b@example.com\n c@example.com, d@example.com").unwrap().len(), 4);
        assert_eq!(mailboxes(" \n "), Ok(vec![]));
        assert_eq!(mailboxes("a@example.com someone"), Err("someone"));
    }

    #[test]
    fn names_on_irc_are_joined_to_the_default() {
        let default = Some("irc://irc.example.org:6697/");
        for (text, default, want) in [
            ("irc://chat.example.com/#a", None, vec!["irc://chat.example.com/#a"]),
            ("#a b", default, vec!["irc://irc.example.org:6697/#a", "irc://irc.example.org:6697/b"]),
            ("#a ircs://x/#b", None, vec!["ircs://x/#b"]),
            ("#a", Some("http://example.org"), vec![]),
            ("http://example.org/ irc:///#a", default, vec![]),
            ("", default, vec![]),
        ] {
            assert_eq!(irc_targets(text, default), want, "{text:?} {default:?}");
        }
    }
}
