//! HTML tags, as Markdown knows them (the section "Raw HTML" of the `CommonMark` specification), and nothing else, so
//! that no two readers disagree.

/// A start or end tag.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    /// In lower case.
    pub(crate) name: String,
    pub(crate) is_end: bool,
    /// Names in lower case, and values as they are written, entities included.
    pub(crate) attributes: Vec<(String, String)>,
}

/// The tag that `text` starts with, and how many bytes it takes.
pub(crate) fn leading_tag(text: &str) -> Option<(Tag, usize)> {
    let (is_end, rest) = match text.strip_prefix("</") {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('<')?),
    };
    if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let (name, mut rest) = split(rest, |c| c.is_ascii_alphanumeric() || c == '-');
    let mut attributes = Vec::new();
    loop {
        let behind = rest.trim_start_matches(SPACE);
        let end = if is_end { behind } else { behind.strip_prefix('/').unwrap_or(behind) };
        if let Some(after) = end.strip_prefix('>') {
            let tag = Tag { name: name.to_ascii_lowercase(), is_end, attributes };
            return Some((tag, text.len() - after.len()));
        }
        if is_end || behind.len() == rest.len() {
            return None;
        }
        let (attribute, after) = leading_attribute(behind)?;
        attributes.push(attribute);
        rest = after;
    }
}

const SPACE: [char; 5] = [' ', '\t', '\n', '\r', '\u{C}'];

/// The name and value that `text` starts with, and the rest of it.
fn leading_attribute(text: &str) -> Option<((String, String), &str)> {
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | ':')) {
        return None;
    }
    let (name, rest) = split(text, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '.' | '-'));
    let name = name.to_ascii_lowercase();
    let Some(value) = rest.trim_start_matches(SPACE).strip_prefix('=') else {
        return Some(((name, String::new()), rest));
    };
    let value = value.trim_start_matches(SPACE);
    let (value, rest) = match value.chars().next()? {
        quote @ ('"' | '\'') => value.get(1..)?.split_once(quote)?,
        '=' | '<' | '>' | '`' => return None,
        _ => split(value, |c| !SPACE.contains(&c) && !matches!(c, '"' | '\'' | '=' | '<' | '>' | '`')),
    };

    Some(((name, value.to_owned()), rest))
}

/// The start of `text` whose characters are all such, and the rest.
fn split(text: &str, such: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|c| !such(c)).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_read_up_to_its_end() {
        let read = |text| leading_tag(text).map(|(tag, length)| (tag.name, tag.is_end, tag.attributes, length));
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(read("<b>x"), Some(("b".into(), false, vec![], 3)));
        assert_eq!(read("</B >x"), Some(("b".into(), true, vec![], 5)));
        assert_eq!(read("<br/>"), Some(("br".into(), false, vec![], 5)));
        assert_eq!(
            read("<a HREF = 'x\"y' b c=d\n>e"),
            Some(("a".into(), false, vec![pair("href", "x\"y"), pair("b", ""), pair("c", "d")], 23))
        );
    }

    #[test]
    fn what_is_not_quite_a_tag_is_none() {
        for text in [
            "",
            "<",
            "b>",
            "<>",
            "< b>",
            "<1>",
            "<b",
            "<b a='>",
            "<b a=>",
            "</b a>",
            "<a=b>",
            "<b a='x'c>",
            "<b <>",
            "<!-- -->",
        ] {
            assert_eq!(leading_tag(text), None, "{text:?}");
        }
    }
}
