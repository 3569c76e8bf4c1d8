//! Licences: the common ones, and how their texts are recognised.

/// A licence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct License {
    /// Its identifier, in lower case.
    pub key: &'static str,
    /// The licence's name in full.
    pub name: &'static str,
    /// A shorter name that is in use.
    pub nickname: Option<&'static str>,
    /// The address at which its author publishes it.
    pub source_url: Option<&'static str>,
    /// The phrases that its text has and no other one here does: all of these, in lower case, with single blanks.
    phrases: &'static [&'static str],
}

/// The licence of a text that is none of those known here.
const OTHER: License = License { key: "other", name: "Other", nickname: None, source_url: None, phrases: &[] };

impl License {
    /// The licence of that identifier; the licence `other` if it is not known.
    #[must_use]
    pub fn of_key(key: &str) -> Self {
        KNOWN.iter().find(|license| license.key == key).copied().unwrap_or(OTHER)
    }

    /// The licence that has this text; the licence `other` if it is none of the known ones.
    #[must_use]
    pub fn recognise(text: &str) -> Self {
        let text = plain(text);
        let says = |license: &&Self| license.phrases.iter().all(|phrase| text.contains(phrase));
        KNOWN.iter().find(says).copied().unwrap_or(OTHER)
    }

    /// A page that explains it.
    #[must_use]
    pub fn page(&self) -> Option<String> {
        (self.key != OTHER.key).then(|| format!("https://choosealicense.com/licenses/{}/", self.key))
    }
}

/// The text in lower case, without line ends, marks of headings and of quotations.
fn plain(text: &str) -> String {
    let is_between = |c: char| c.is_whitespace() || matches!(c, '#' | '*' | '>' | '=' | '`');
    let words = text.split(is_between).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

const SOURCE_FORM: &str = "redistributions of source code must retain the above copyright notice";
const ANY_PURPOSE: &str = "permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted";

/// The first that says what it must is the one: what has more conditions comes first.
const KNOWN: &[License] = &[
    License {
        key: "agpl-3.0",
        name: "GNU Affero General Public License v3.0",
        nickname: Some("GNU AGPLv3"),
        source_url: Some("https://www.gnu.org/licenses/agpl-3.0.txt"),
        phrases: &["gnu affero general public license version 3, 19 november 2007"],
    },
    License {
        key: "gpl-3.0",
        name: "GNU General Public License v3.0",
        nickname: Some("GNU GPLv3"),
        source_url: Some("https://www.gnu.org/licenses/gpl-3.0.txt"),
        phrases: &["gnu general public license version 3, 29 june 2007"],
    },
    License {
        key: "gpl-2.0",
        name: "GNU General Public License v2.0",
        nickname: Some("GNU GPLv2"),
        source_url: Some("https://www.gnu.org/licenses/gpl-2.0.txt"),
        phrases: &["gnu general public license version 2, june 1991"],
    },
    License {
        key: "lgpl-3.0",
        name: "GNU Lesser General Public License v3.0",
        nickname: Some("GNU LGPLv3"),
        source_url: Some("https://www.gnu.org/licenses/lgpl-3.0.txt"),
        phrases: &["gnu lesser general public license version 3, 29 june 2007"],
    },
    License {
        key: "lgpl-2.1",
        name: "GNU Lesser General Public License v2.1",
        nickname: Some("GNU LGPLv2.1"),
        source_url: Some("https://www.gnu.org/licenses/lgpl-2.1.txt"),
        phrases: &["gnu lesser general public license version 2.1, february 1999"],
    },
    License {
        key: "apache-2.0",
        name: "Apache License 2.0",
        nickname: None,
        source_url: Some("https://www.apache.org/licenses/LICENSE-2.0"),
        phrases: &["apache license version 2.0, january 2004"],
    },
    License {
        key: "mpl-2.0",
        name: "Mozilla Public License 2.0",
        nickname: None,
        source_url: Some("https://www.mozilla.org/MPL/2.0/"),
        phrases: &["creates, contributes to the creation of, or owns covered software"],
    },
    License {
        key: "epl-2.0",
        name: "Eclipse Public License 2.0",
        nickname: None,
        source_url: Some("https://www.eclipse.org/legal/epl-2.0/"),
        phrases: &["eclipse public license - v 2.0"],
    },
    License {
        key: "epl-1.0",
        name: "Eclipse Public License 1.0",
        nickname: None,
        source_url: Some("https://www.eclipse.org/legal/epl-v10.html"),
        phrases: &["eclipse public license - v 1.0"],
    },
    License {
        key: "bsl-1.0",
        name: "Boost Software License 1.0",
        nickname: None,
        source_url: Some("https://www.boost.org/users/license.html"),
        phrases: &["boost software license - version 1.0"],
    },
    License {
        key: "cc0-1.0",
        name: "Creative Commons Zero v1.0 Universal",
        nickname: None,
        source_url: Some("https://creativecommons.org/publicdomain/zero/1.0/"),
        phrases: &["cc0 1.0 universal"],
    },
    License {
        key: "unlicense",
        name: "The Unlicense",
        nickname: None,
        source_url: Some("https://unlicense.org/UNLICENSE"),
        phrases: &["this is free and unencumbered software released into the public domain"],
    },
    License {
        key: "mit",
        name: "MIT License",
        nickname: None,
        source_url: Some("https://opensource.org/licenses/MIT"),
        phrases: &[
            "permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files",
            "the above copyright notice and this permission notice shall be included",
        ],
    },
    License {
        key: "isc",
        name: "ISC License",
        nickname: None,
        source_url: Some("https://opensource.org/licenses/ISC"),
        phrases: &[ANY_PURPOSE, "provided that the above copyright notice"],
    },
    License {
        key: "0bsd",
        name: "BSD Zero Clause License",
        nickname: None,
        source_url: Some("https://opensource.org/licenses/0BSD"),
        phrases: &[ANY_PURPOSE],
    },
    License {
        key: "bsd-4-clause",
        name: "BSD 4-Clause \"Original\" or \"Old\" License",
        nickname: None,
        source_url: Some("https://spdx.org/licenses/BSD-4-Clause.html"),
        phrases: &[SOURCE_FORM, "all advertising materials mentioning features"],
    },
    License {
        key: "bsd-3-clause",
        name: "BSD 3-Clause \"New\" or \"Revised\" License",
        nickname: None,
        source_url: Some("https://opensource.org/licenses/BSD-3-Clause"),
        phrases: &[SOURCE_FORM, "may be used to endorse or promote products"],
    },
    License {
        key: "bsd-2-clause",
        name: "BSD 2-Clause \"Simplified\" License",
        nickname: None,
        source_url: Some("https://opensource.org/licenses/BSD-2-Clause"),
        phrases: &[SOURCE_FORM],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_recognised_however_they_are_set() {
        let mit = "# MIT License\n\nCopyright (c) 2026 Alice\n\nPermission is hereby granted, free of charge, to any person\n\
                   obtaining a copy of this software and associated documentation files (the \"Software\")...\n\
                   The above copyright notice and this permission notice (including...) shall be included";
        let whole = mit.replace(" (including...)", "");
        let bsd = "Redistributions of source code must\n    retain the above copyright notice, this list of conditions";
        for (text, key) in [
            (whole.as_str(), "mit"),
            (mit, "other"),
            ("        GNU GENERAL PUBLIC LICENSE\n           Version 3, 29 June 2007\n", "gpl-3.0"),
            ("GNU LESSER GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007\nGNU General Public License", "lgpl-3.0"),
            ("   Apache License\n   Version 2.0, January 2004\n", "apache-2.0"),
            (bsd, "bsd-2-clause"),
            (&format!("{bsd} ... may be used to endorse or promote products"), "bsd-3-clause"),
            ("All rights reserved.", "other"),
            ("", "other"),
        ] {
            assert_eq!(License::recognise(text).key, key, "{text}");
        }
    }

    #[test]
    fn every_licence_is_found_by_its_key_and_its_own_phrases() {
        for license in KNOWN {
            assert_eq!(License::of_key(license.key), *license);
            assert_eq!(License::recognise(&license.phrases.join(". ")).key, license.key);
            assert_eq!(
                plain(&license.phrases.join(" ")),
                license.phrases.join(" "),
                "phrases are written as they are found"
            );
        }
        assert_eq!(License::of_key("nothing"), OTHER);
        assert_eq!(OTHER.page(), None);
    }
}
