//! Secrets of hooks that have a name: headers, and parts of the address.

/// The most headers, and the most variables, of one hook.
pub const MAX_NAMED: usize = 20;
/// The longest name, in bytes.
const MAX_KEY: usize = 255;
/// The longest value, in bytes.
const MAX_VALUE: usize = 2048;

/// A named secret of a hook. Its value is encrypted, and only deliveries open it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedValue {
    /// The name of the header or variable.
    pub key: String,
    /// The encrypted value.
    pub sealed: String,
}

/// True if a header or variable may be called so: letters first, then digits, and further letters and digits after single
/// `.`, `-` or `_`.
#[must_use]
pub fn is_key(key: &str) -> bool {
    let is_plain = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric());
    key.len() <= MAX_KEY
        && key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.split(['.', '-', '_']).all(is_plain)
}

/// True if a value can be kept: it is not empty, short, and can stand in a header.
#[must_use]
pub fn is_value(value: &str) -> bool {
    !value.is_empty() && value.len() <= MAX_VALUE && value.chars().all(|c| !c.is_control())
}

/// The headers that belong to the connection, to the body, or to the server itself. No hook can set them.
const RESERVED: [&str; 17] = [
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "idempotency-key",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "via",
];
/// Beginnings of further ones.
const RESERVED_PREFIXES: [&str; 3] = ["webhook-", "x-gitlab-", "sec-"];

/// True if no hook can set the header of this name.
#[must_use]
pub fn is_reserved_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    RESERVED.contains(&name.as_str()) || RESERVED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// An address with the values of its variables, pairs of key and value: `{key}` is replaced by the value of `key`.
///
/// # Errors
/// The first key that has no value.
pub fn address_of(template: &str, variables: &[(String, String)]) -> Result<String, String> {
    let mut address = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        address.push_str(before);
        match after.split_once('}') {
            Some((key, after)) if is_key(key) => {
                let variable = variables.iter().find(|(name, _)| name == key);
                address.push_str(variable.map(|(_, value)| value.as_str()).ok_or_else(|| key.to_owned())?);
                rest = after;
            }
            Some(_) | None => {
                address.push('{');
                rest = after;
            }
        }
    }
    address.push_str(rest);
    Ok(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_plain_words() {
        for good in ["a", "Authorization", "X-Api-Key", "a1_b.c-2"] {
            assert!(is_key(good), "{good}");
        }
        for bad in ["", "1a", "-a", "a-", "a--b", "a b", "a:b", "a\nb", "é", &"a".repeat(256)] {
            assert!(!is_key(bad), "{bad:?}");
        }
    }

    #[test]
    fn values_have_no_line_breaks() {
        assert!(is_value("a b") && is_value("é"));
        for bad in ["", "a\r\nX: 1", "a\nb", "\0", &"a".repeat(2049)] {
            assert!(!is_value(bad), "{bad:?}");
        }
    }

    #[test]
    fn headers_of_the_server_are_reserved_however_they_are_written() {
        for name in
            ["Host", "CONTENT-TYPE", "x-gitlab-token", "X-Gitlab-Anything", "Webhook-Signature", "idempotency-key"]
        {
            assert!(is_reserved_header(name), "{name}");
        }
        assert!(!is_reserved_header("Authorization") && !is_reserved_header("X-Api-Key"));
    }

    #[test]
    fn an_address_has_the_values_of_its_variables() {
        let variables =
            [("host", "a.example.com"), ("token", "{host}")].map(|(key, value)| (key.to_owned(), value.to_owned()));
        for (template, want) in [
            ("https://{host}/in", Ok("https://a.example.com/in")),
            ("https://{host}/{token}/{host}", Ok("https://a.example.com/{host}/a.example.com")),
            ("https://x/{token}", Ok("https://x/{host}")),
            ("https://x/{a b}/{", Ok("https://x/{a b}/{")),
            ("https://x/{none}", Err("none")),
        ] {
            assert_eq!(address_of(template, &variables), want.map(str::to_owned).map_err(str::to_owned), "{template}");
        }
    }
}
