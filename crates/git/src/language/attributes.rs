//! The attributes of files that say how they count for the languages of a project (gitattributes(5)).

use std::collections::HashMap;

use tenon_domain::file_path::bytes_of;

use crate::command::budget::Budget;
use crate::command::lossy;
use crate::error::GitError;
use crate::oid::Oid;
use crate::repository::Repository;
use crate::tree::TreeEntry;

/// The name of the files that give attributes.
const FILE: &str = ".gitattributes";
/// The start of the names of the attributes that are meant.
const PREFIX: &str = "linguist-";
/// Bytes that Git may print; if it would print more, no attribute is obeyed.
const OUTPUT: usize = 32 << 20;

/// The attributes of one file. `None` if nothing is said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Attributes {
    pub(super) vendored: Option<bool>,
    pub(super) generated: Option<bool>,
    pub(super) documentation: Option<bool>,
    pub(super) detectable: Option<bool>,
    /// The name of a language, or another name that it has.
    pub(super) language: Option<String>,
}

impl Attributes {
    fn set(&mut self, name: &str, value: &str) {
        let state = Some(!matches!(value, "unset" | "false"));
        match name {
            "vendored" => self.vendored = state,
            "generated" => self.generated = state,
            "documentation" => self.documentation = state,
            "detectable" => self.detectable = state,
            "language" if !matches!(value, "set" | "unset") => self.language = Some(value.to_owned()),
            _ => {}
        }
    }
}

impl Repository {
    /// The attributes of those of these files that have some, by path, as `commit` gives them. One process of Git
    /// answers for all files. None if it takes too long, or prints too much.
    pub(super) fn language_attributes(
        &self,
        commit: Oid,
        files: &[TreeEntry],
    ) -> Result<HashMap<Vec<u8>, Attributes>, GitError> {
        if !files.iter().any(|file| file.kept_name() == FILE) {
            return Ok(HashMap::new());
        }
        let mut input = Vec::new();
        for file in files {
            let Some(path) = bytes_of(file.path.as_kept()) else { continue };
            input.extend_from_slice(&path);
            input.push(0);
        }
        let command = self.git("check-attr").args(["--stdin", "-z", "--all"]).arg(format!("--source={commit}"));
        let output = match command.input(input).budget(Budget::Long).output(OUTPUT).bytes() {
            Err(GitError::TooLarge(_) | GitError::Timeout(_)) => return Ok(HashMap::new()),
            output => output?,
        };
        let mut found: HashMap<Vec<u8>, Attributes> = HashMap::new();
        let mut fields = output.split(|byte| *byte == 0);
        while let (Some(path), Some(name), Some(value)) = (fields.next(), fields.next(), fields.next()) {
            if let Some(name) = lossy(name).strip_prefix(PREFIX) {
                found.entry(path.to_owned()).or_default().set(name, &lossy(value));
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribute_is_set_unset_or_has_a_value() {
        let mut read = Attributes::default();
        for (name, value) in [
            ("vendored", "set"),
            ("generated", "unset"),
            ("documentation", "false"),
            ("detectable", "true"),
            ("language", "Common-Lisp"),
            ("language", "set"),
            ("other", "set"),
        ] {
            read.set(name, value);
        }
        let language = Some("Common-Lisp".to_owned());
        let [yes, no] = [true, false].map(Some);
        assert_eq!(read, Attributes { vendored: yes, generated: no, documentation: no, detectable: yes, language });
    }
}
