//! The part of an object that a request asks for (RFC 9110, 14.2).

/// A part of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The position of its first byte.
    pub first: u64,
    /// Its bytes.
    pub length: u64,
}

/// The part that the header `Range` names of an object of this size. `Ok(None)` if the header is missing, names several parts or is
/// none that is understood: the whole is sent then.
///
/// # Errors
/// If the part begins behind the end.
pub(super) fn span(header: Option<&str>, size: u64) -> Result<Option<Span>, ()> {
    let Some((first, last)) = header.and_then(|text| text.strip_prefix("bytes=")?.split_once('-')) else {
        return Ok(None);
    };
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let first = match (first.trim(), number(last)) {
        ("", Some(0)) => return Err(()),
        ("", Some(count)) => size.saturating_sub(count),
        (first, _) => match number(first) {
            Some(first) => first,
            None => return Ok(None),
        },
    };
    let last = match (last.trim(), number(last)) {
        ("", _) => u64::MAX,
        (_, Some(last)) => last,
        (_, None) => return Ok(None),
    };
    let is_suffix = header.is_some_and(|text| text.starts_with("bytes=-"));
    let end = if is_suffix { size } else { last.saturating_add(1).min(size) };
    if first >= size {
        return Err(());
    }
    Ok((end > first).then(|| Span { first, length: end - first }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_within_the_object() {
        let of = |header| span(Some(header), 10).map(|span| span.map(|span| (span.first, span.length)));
        for (header, want) in [
            ("bytes=0-", Some((0, 10))),
            ("bytes=4-", Some((4, 6))),
            ("bytes=4-5", Some((4, 2))),
            ("bytes=4-999", Some((4, 6))),
            ("bytes=-3", Some((7, 3))),
            ("bytes=-30", Some((0, 10))),
            ("bytes=5-4", None),
            ("bytes=1-2,4-5", None),
            ("bytes=x-", None),
            ("items=0-1", None),
            ("bytes=-", None),
            ("", None),
        ] {
            assert_eq!(of(header), Ok(want), "{header}");
        }
        for header in ["bytes=10-", "bytes=99999999999-", "bytes=-0"] {
            assert_eq!(of(header), Err(()), "{header}");
        }
        assert_eq!((span(None, 10), span(Some("bytes=0-"), 0)), (Ok(None), Err(())));
    }
}
