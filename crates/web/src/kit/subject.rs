//! The first lines of messages of commits, in which people put code between backticks.

/// A part of a subject.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SubjectPart<'a> {
    pub(crate) text: &'a str,
    /// True if it stood between backticks, which it has no more.
    pub(crate) is_code: bool,
}

/// The parts of a subject. A backtick without its counterpart stays text.
pub(crate) fn parts(subject: &str) -> Vec<SubjectPart<'_>> {
    let mut parts = Vec::new();
    let mut rest = subject;
    while let Some((before, code, behind)) = first_code(rest) {
        if !before.is_empty() {
            parts.push(SubjectPart { text: before, is_code: false });
        }
        parts.push(SubjectPart { text: code, is_code: true });
        rest = behind;
    }
    if !rest.is_empty() {
        parts.push(SubjectPart { text: rest, is_code: false });
    }
    parts
}

/// The text before the first code, the code, and the rest.
fn first_code(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (code, behind) = rest.split_once('`')?;
    // Two backticks next to each other begin another kind of quotation, which is left as it is.
    (!code.trim().is_empty()).then_some((before, code, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_between_backticks() {
        let text = |text| SubjectPart { text, is_code: false };
        let code = |text| SubjectPart { text, is_code: true };
        for (subject, want) in [
            ("Fix it", vec![text("Fix it")]),
            ("Fix `--list` hang", vec![text("Fix "), code("--list"), text(" hang")]),
            ("`a``b`", vec![code("a"), code("b")]),
            ("one ` alone", vec![text("one ` alone")]),
            ("``double``", vec![text("``double``")]),
            ("", vec![]),
        ] {
            assert_eq!(parts(subject), want, "{subject}");
        }
    }
}
