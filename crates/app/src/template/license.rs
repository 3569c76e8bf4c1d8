//! Licences, and the names that are filled in.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde::Deserialize;

use super::TemplateName;

/// A licence.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct License {
    /// The SPDX identifier in lower case.
    pub key: String,
    /// The full name.
    pub name: String,
    /// A short name, if it has one.
    pub nickname: Option<String>,
    /// True if it is one of the few that most projects take.
    pub popular: bool,
    /// The address at which its text is published.
    pub source_url: String,
    /// Its summary, in a few sentences.
    pub description: String,
    /// The duties of a user of the work.
    pub conditions: Vec<String>,
    /// The permissions of a user of the work.
    pub permissions: Vec<String>,
    /// The limits of the author's liability to a user of the work.
    pub limitations: Vec<String>,
    /// The text.
    #[serde(skip)]
    pub content: String,
}

impl License {
    /// The page that explains it.
    #[must_use]
    pub fn html_url(&self) -> String {
        format!("https://choosealicense.com/licenses/{}/", self.key)
    }

    pub(super) fn named(&'static self) -> TemplateName {
        TemplateName { key: &self.key, name: &self.name }
    }

    /// The licence with its placeholders replaced.
    pub(super) fn filled_in(&self, names: &Names<'_>) -> Self {
        Self { content: fill_in(&self.content, names).into_owned(), ..self.clone() }
    }
}

/// The values of placeholders. Those of an absent name stay.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names<'a> {
    /// The year of the copyright.
    pub(super) year: i32,
    /// The holder of the copyright.
    pub(super) fullname: Option<&'a str>,
    /// The work.
    pub(super) project: Option<&'a str>,
}

macro_rules! texts {
    ($($key:literal)*) => {
        BTreeMap::from([$(($key, include_str!(concat!("../../templates/licenses/", $key, ".txt")))),*])
    };
}

#[expect(clippy::expect_used, reason = "part of the program, and read by a test")]
static LICENSES: LazyLock<Vec<License>> = LazyLock::new(|| {
    let texts: BTreeMap<&str, &str> = texts!(
        "agpl-3.0" "apache-2.0" "bsd-2-clause" "bsd-3-clause" "epl-1.0" "gpl-2.0" "gpl-3.0" "lgpl-2.1" "lgpl-3.0" "mit"
        "mpl-2.0" "unlicense"
    );
    let terms = include_str!("../../templates/licenses/licenses.json");
    let mut licenses: Vec<License> = serde_json::from_str(terms).expect("the terms of the licences");
    for license in &mut licenses {
        license.content = texts.get(license.key.as_str()).copied().unwrap_or_default().to_owned();
    }
    licenses
});

/// All licences, by key.
pub(super) fn all() -> &'static [License] {
    &LICENSES
}

/// Placeholders in square brackets, braces or angle brackets, in any case.
#[expect(clippy::expect_used, reason = "a constant pattern, which a test compiles")]
static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    let (year, fullname) = ("year|yyyy", "fullname|name of author|name of copyright owner");
    let project = r"project|description|one line .+ what it does\.?";
    let pattern = format!(r"(?i)[\[{{<](?:(?<year>{year})|(?<fullname>{fullname})|(?<project>{project}))[\]}}>]");
    Regex::new(&pattern).expect("the pattern of placeholders")
});

/// Replaces all placeholders in one pass, so that no name is searched for placeholders itself.
fn fill_in<'a>(text: &'a str, names: &Names<'_>) -> Cow<'a, str> {
    PLACEHOLDER.replace_all(text, |found: &Captures<'_>| {
        if found.name("year").is_some() {
            return names.year.to_string();
        }
        let name = if found.name("fullname").is_some() { names.fullname } else { names.project };
        name.unwrap_or(&found[0]).to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_licence_has_a_text_and_terms() {
        let keys: Vec<&str> = all().iter().map(|license| license.key.as_str()).collect();
        assert_eq!(keys.len(), 12);
        assert!(keys.is_sorted());
        for license in all() {
            assert!(license.content.len() > 1_000, "{}", license.key);
            assert!(!license.permissions.is_empty() && !license.description.is_empty(), "{}", license.key);
        }
        let popular: Vec<&str> = all().iter().filter(|one| one.popular).map(|one| one.key.as_str()).collect();
        assert_eq!(popular, ["apache-2.0", "gpl-3.0", "mit"]);
    }

    #[test]
    fn placeholders_are_replaced_in_all_brackets_and_cases() {
        let names = Names { year: 2026, fullname: Some("Ada"), project: Some("Engine") };
        for (text, filled) in [
            ("Copyright (c) [year] [fullname]", "Copyright (c) 2026 Ada"),
            ("{yyyy} {name of copyright owner} <Name of Author>", "2026 Ada Ada"),
            ("<one line to give the program's name and a brief idea of what it does.>", "Engine"),
            ("[project]: {DESCRIPTION}", "Engine: Engine"),
            ("<program> [years] year", "<program> [years] year"),
        ] {
            assert_eq!(fill_in(text, &names), filled);
        }
    }

    #[test]
    fn a_name_is_taken_as_it_is() {
        let names = Names { year: 2026, fullname: Some("$0 [project]"), project: Some("[year]") };
        assert_eq!(fill_in("[fullname] [project]", &names), "$0 [project] [year]");
        let nameless = Names { year: 2026, fullname: None, project: None };
        assert_eq!(fill_in("[year] [fullname] <description>", &nameless), "2026 [fullname] <description>");
    }

    #[test]
    fn licences_that_have_placeholders_have_all_of_them_replaced() {
        let names = Names { year: 2026, fullname: Some("Ada"), project: Some("Engine") };
        for license in all() {
            let filled = license.filled_in(&names);
            assert!(!PLACEHOLDER.is_match(&filled.content), "{}", license.key);
        }
    }
}
