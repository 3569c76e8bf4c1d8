//! The addresses of uploads in texts that are read outside of their project.

/// The digits of the secret in the address of an upload.
const SECRET: usize = 32;

/// `text` with the addresses of uploads that begin with a slash (`/uploads/<secret>/<file>`) behind `project`, the address of the
/// project that has them. Everything else, such as longer addresses that end like these, stays as it is.
pub(crate) fn led(text: &str, project: &str) -> String {
    let mut led = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("/uploads/") {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let (path, behind) = from.split_at_checked("/uploads/".len()).unwrap_or((from, ""));
        led.push_str(before);
        if begins(&led) && names_file(behind) {
            led.push_str(project);
        }
        led.push_str(path);
        rest = behind;
    }
    led.push_str(rest);
    led
}

/// True if an address begins behind this text.
fn begins(before: &str) -> bool {
    let last = before.chars().next_back();
    last.is_none_or(|last| last.is_whitespace() || matches!(last, '(' | '<' | '>' | '"' | '\'' | '=' | ':' | '|' | '*'))
}

/// True if this is a secret with the name of a file.
fn names_file(text: &str) -> bool {
    let Some((secret, name)) = text.split_once('/') else { return false };
    let is_secret = secret.len() == SECRET && secret.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_secret && name.chars().next().is_some_and(|first| !first.is_whitespace() && !matches!(first, ')' | '/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uploads_are_led_to_their_project() {
        let secret = "0123456789abcdef0123456789ABCDEF";
        for (text, want) in [
            ("![a](/uploads/S/a.png)", "![a](/-/project/7/uploads/S/a.png)"),
            (
                "[![a](/uploads/S/a.png)](/uploads/S/b.txt)",
                "[![a](/-/project/7/uploads/S/a.png)](/-/project/7/uploads/S/b.txt)",
            ),
            ("[a]: /uploads/S/a.png", "[a]: /-/project/7/uploads/S/a.png"),
            ("[a](</uploads/S/a b.png>)", "[a](</-/project/7/uploads/S/a b.png>)"),
            ("<img src=\"/uploads/S/a.png\">", "<img src=\"/-/project/7/uploads/S/a.png\">"),
            ("<img src=/uploads/S/a.png>", "<img src=/-/project/7/uploads/S/a.png>"),
            ("/uploads/S/a.png", "/-/project/7/uploads/S/a.png"),
            // Where the project is named already, and what is no upload.
            ("![a](/ada/tool/uploads/S/a.png)", "![a](/ada/tool/uploads/S/a.png)"),
            ("https://h.example/uploads/S/a.png", "https://h.example/uploads/S/a.png"),
            ("/uploads/short/a.png", "/uploads/short/a.png"),
            ("(/uploads/S/)", "(/uploads/S/)"),
            ("/uploads/S", "/uploads/S"),
            ("", ""),
        ] {
            let with = |text: &str| text.replace('S', secret);
            assert_eq!(led(&with(text), "/-/project/7"), with(want), "{text}");
            // An address that was rewritten is not rewritten again.
            assert_eq!(led(&with(want), "/-/project/7"), with(want), "{want}");
        }
    }
}
