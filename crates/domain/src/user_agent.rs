//! Names for browsers, from what they say of themselves.

/// Browsers by the words that they send. Most also send the words of browsers that come later here.
const BROWSERS: [(&str, &str); 19] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("OPiOS/", "Opera"),
    ("Opera", "Opera"),
    ("Vivaldi/", "Vivaldi"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("YaBrowser/", "Yandex Browser"),
    ("DuckDuckGo/", "DuckDuckGo"),
    ("Ddg/", "DuckDuckGo"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("HeadlessChrome/", "Chromium"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("Trident/", "Internet Explorer"),
    ("MSIE ", "Internet Explorer"),
    ("curl/", "curl"),
];

/// Systems by the words that browsers send. Some also send the words of systems that come later here.
const SYSTEMS: [(&str, &str); 13] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Macintosh", "macOS"),
    ("Mac OS X", "macOS"),
    ("FreeBSD", "FreeBSD"),
    ("OpenBSD", "OpenBSD"),
    ("NetBSD", "NetBSD"),
    ("Linux", "Linux"),
    ("X11", "Linux"),
    ("Darwin", "macOS"),
];

/// The name of a browser and its system, such as `Firefox on Linux`. `None` if neither is known.
#[must_use]
pub fn browser_name(user_agent: &str) -> Option<String> {
    let known = |table: &[(&str, &'static str)]| {
        table.iter().find(|(word, _)| user_agent.contains(word)).map(|(_, name)| *name)
    };
    match (known(&BROWSERS), known(&SYSTEMS)) {
        (Some(browser), Some(system)) => Some(format!("{browser} on {system}")),
        (Some(browser), None) => Some(browser.to_owned()),
        (None, Some(system)) => Some(format!("Browser on {system}")),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn browsers_are_known_by_what_they_send() {
        const WEBKIT: &str = "AppleWebKit/537.36 (KHTML, like Gecko)";
        for (sent, want) in [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0", Some("Firefox on Linux")),
            (
                &format!("Mozilla/5.0 (Windows NT 10.0; Win64; x64) {WEBKIT} Chrome/142.0.0.0 Safari/537.36"),
                Some("Chrome on Windows"),
            ),
            (
                &format!(
                    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) {WEBKIT} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0"
                ),
                Some("Edge on Windows"),
            ),
            (
                &format!("Mozilla/5.0 (X11; Linux x86_64) {WEBKIT} HeadlessChrome/142.0.0.0 Safari/537.36"),
                Some("Chromium on Linux"),
            ),
            (
                &format!("Mozilla/5.0 (Linux; Android 10; K) {WEBKIT} Chrome/142.0.0.0 Mobile Safari/537.36"),
                Some("Chrome on Android"),
            ),
            (
                &format!("Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) {WEBKIT} Chrome/142.0.0.0 Safari/537.36"),
                Some("Chrome on ChromeOS"),
            ),
            (
                &format!("Mozilla/5.0 (X11; Linux x86_64) {WEBKIT} Chrome/142.0.0.0 Safari/537.36 OPR/124.0.0.0"),
                Some("Opera on Linux"),
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
                Some("Safari on macOS"),
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1",
                Some("Safari on iPhone"),
            ),
            (
                "Mozilla/5.0 (iPad; CPU OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/145.0 Mobile/15E148 Safari/605.1.15",
                Some("Firefox on iPad"),
            ),
            ("Mozilla/5.0 (Android 16; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0", Some("Firefox on Android")),
            ("curl/8.17.0", Some("curl")),
            ("Something new (Linux)", Some("Browser on Linux")),
            ("Something new", None),
            ("", None),
        ] {
            assert_eq!(browser_name(sent).as_deref(), want, "{sent}");
        }
    }

    proptest! {
        #[test]
        fn a_name_has_no_text_of_the_sender(sent in "\\PC{0,300}") {
            if let Some(name) = browser_name(&sent) {
                prop_assert!(name.len() < 40);
            }
        }
    }
}
