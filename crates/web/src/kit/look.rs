//! The settings of display of this browser, which a cookie holds and no account stores.

pub(crate) const COOKIE: &str = "_service_look";

/// The columns of a tab that readers can choose.
pub(crate) const TABS: [u8; 3] = [4, 2, 8];

/// The settings of display of this browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Look {
    pub(crate) theme: Theme,
    /// True if differences show both sides beside each other.
    pub(crate) is_parallel: bool,
    /// True if long lines of code are not wrapped.
    pub(crate) keeps_lines: bool,
    /// The index into [`TABS`].
    tab: usize,
    /// True if keys do nothing.
    pub(crate) has_no_keys: bool,
}

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Theme {
    /// The theme of the system.
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    pub(crate) const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    pub(crate) fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|theme| theme.name() == name).unwrap_or_default()
    }
}

impl Look {
    pub(crate) fn tab(&self) -> u8 {
        TABS.get(self.tab).copied().unwrap_or(TABS[0])
    }

    /// The same with this many columns of a tab. Unchanged if readers cannot choose that number.
    pub(crate) fn with_tab(self, columns: &str) -> Self {
        let chosen = TABS.iter().position(|known| known.to_string() == columns);
        Self { tab: chosen.unwrap_or(self.tab), ..self }
    }

    /// The settings in a cookie. An unknown word is ignored.
    pub(crate) fn parse(cookie: &str) -> Self {
        cookie.split('.').fold(Self::default(), |look, word| match word {
            "parallel" => Self { is_parallel: true, ..look },
            "lines" => Self { keeps_lines: true, ..look },
            "keyless" => Self { has_no_keys: true, ..look },
            "light" | "dark" => Self { theme: Theme::named(word), ..look },
            columns => look.with_tab(columns),
        })
    }

    /// The value of the cookie.
    pub(crate) fn words(&self) -> String {
        let words = [
            (self.theme != Theme::System, self.theme.name()),
            (self.is_parallel, "parallel"),
            (self.keeps_lines, "lines"),
            (self.has_no_keys, "keyless"),
        ];
        let said = words.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word.to_owned());
        said.chain(std::iter::once(self.tab().to_string())).collect::<Vec<_>>().join(".")
    }

    /// Attributes of the page, which the styles and the script read. They have only names of ours, and no text that a
    /// person has typed.
    pub(crate) fn attributes(&self) -> String {
        let parts = [
            (self.theme != Theme::System, format!(" data-theme=\"{}\"", self.theme.name())),
            (self.keeps_lines, " data-lines=\"kept\"".to_owned()),
            (self.tab != 0, format!(" data-tab=\"{}\"", self.tab())),
            (self.has_no_keys, " data-keys=\"none\"".to_owned()),
        ];
        parts.into_iter().filter(|(holds, _)| *holds).map(|(_, attribute)| attribute).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_says_what_was_chosen_and_nothing_else() {
        let chosen = Look { theme: Theme::Dark, is_parallel: true, keeps_lines: true, tab: 2, has_no_keys: true };
        assert_eq!(Look::parse(&chosen.words()), chosen);
        assert_eq!(Look::parse(&Look::default().words()), Look::default());
        assert_eq!(chosen.tab(), 8);
        for odd in ["", "....", "\"><b>", "9", "dark\u{202e}"] {
            assert_eq!(Look::parse(odd), Look::default(), "{odd}");
        }
        assert_eq!(Look::parse("x.dark"), Look { theme: Theme::Dark, ..Look::default() });
        assert_eq!(Look::default().attributes(), "");
        assert_eq!(chosen.attributes(), " data-theme=\"dark\" data-lines=\"kept\" data-tab=\"8\" data-keys=\"none\"");
    }
}
