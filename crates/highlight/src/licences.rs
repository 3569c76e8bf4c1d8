//! The licences of the syntaxes.

use two_face::acknowledgement::{LicenseType, listing};

/// A licence of one or more syntaxes whose text has to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Licence {
    /// The syntaxes under this licence, by their names at their source.
    pub syntaxes: String,
    /// The name of the licence.
    pub name: &'static str,
    /// Its text, with the names of those who hold the rights.
    pub text: String,
}

/// The licences of the syntaxes that ask for their text to be shown, in the order of the syntaxes. Unpacked at each call.
#[must_use]
pub fn licences() -> Vec<Licence> {
    let licence = |license: &two_face::acknowledgement::License| Licence {
        syntaxes: syntaxes_of(&license.rel_path),
        name: name(license.ty),
        text: license.text.clone(),
    };
    let mut all: Vec<Licence> = listing().for_syntaxes().iter().map(licence).collect();
    all.sort_by_key(|licence| licence.syntaxes.to_lowercase());
    all
}

/// `syntaxes/02_Extra/Assembly (x86_64)/LICENSE` is for `Assembly (x86_64)`.
fn syntaxes_of(path: &std::path::Path) -> String {
    let folder = path.parent().and_then(std::path::Path::file_name);
    folder.unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn name(kind: LicenseType) -> &'static str {
    match kind {
        LicenseType::Mit => "MIT",
        LicenseType::Bsd2Clause | LicenseType::Bsd2ClauseFreeBsd => "BSD-2-Clause",
        LicenseType::Bsd3Clause => "BSD-3-Clause",
        LicenseType::Apache2 => "Apache-2.0",
        LicenseType::Unlicense => "Unlicense",
        LicenseType::Wtfpl => "WTFPL",
        LicenseType::Sublime => "Sublime Text packages",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_licence_has_a_syntax_a_name_and_a_text() {
        let all = licences();
        assert!(all.len() > 20, "{}", all.len());
        for licence in &all {
            assert!(!licence.syntaxes.is_empty() && licence.text.len() > 100, "{licence:?}");
            // For another licence it must be decided whether it may be used.
            assert!(["Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "MIT"].contains(&licence.name), "{licence:?}");
        }
    }
}
