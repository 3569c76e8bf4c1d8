//! The rules for the fields of a project.

use crate::field_errors::{BLANK, FieldErrors};
use crate::path::{self, PathProblem, Place};
use crate::visibility::Visibility;

/// The message for a display name with characters that it must not have.
pub(crate) const NAME_FORMAT: &str =
    "can contain only letters, digits, emojis, '_', '.', dash, space. It must start with letter, digit, emoji or '_'.";

/// Notes what is wrong with a display name.
pub fn check_name(errors: &mut FieldErrors, name: &str) {
    errors.present("name", name);
    errors.at_most(255, "name", name);
    // Emoji are symbols beyond ASCII that are neither control nor white space; letters of every script are welcome.
    let is_pictograph = |c: char| !c.is_ascii() && !c.is_alphanumeric() && !c.is_whitespace() && !is_invisible(c);
    let starts_well = |c: char| c.is_alphanumeric() || c == '_' || is_pictograph(c);
    let allowed = |c: char| starts_well(c) || matches!(c, '.' | '-' | ' ');
    let well_formed = name.chars().next().is_none_or(starts_well) && name.chars().all(allowed);
    errors.require(well_formed, "name", NAME_FORMAT);
}

/// True for characters that change how a text looks without being seen: controls and direction marks.
#[must_use]
pub fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Notes what is wrong with a path.
pub fn check_path(errors: &mut FieldErrors, segment: &str) {
    let Err(problem) = path::check(segment, Place::Below) else {
        return;
    };
    errors.add(
        "path",
        match problem {
            PathProblem::Blank => BLANK.to_owned(),
            PathProblem::Reserved => format!("{segment} is a reserved name"),
            PathProblem::TooLong => format!("is too long (maximum is {} characters)", path::MAX_PATH),
            PathProblem::Format => "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in \
                                    '.git' or end in '.atom'"
                .to_owned(),
        },
    );
}

/// Notes what is wrong with a description.
pub fn check_description(errors: &mut FieldErrors, description: &str) {
    errors.at_most(2000, "description", description);
}

/// Notes what is wrong with the path of a CI configuration: it must stay inside the repository.
pub fn check_ci_config_path(errors: &mut FieldErrors, config_path: &str) {
    errors.at_most(255, "ci_config_path", config_path);
    let inside = !config_path.starts_with('/') && config_path.split('/').all(|segment| segment != "..");
    errors.require(inside, "ci_config_path", "cannot include leading slash or directory traversal.");
}

/// Tags as they are stored: trimmed, each once, sorted, blank ones left out.
#[must_use]
pub fn clean_tags(tags: Vec<String>) -> Vec<String> {
    let mut tags: Vec<String> =
        tags.into_iter().map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect();
    tags.sort_unstable();
    tags.dedup();
    tags
}

/// The most tags that a project may have.
const MAX_TAGS: usize = 100;

/// Notes what is wrong with tags that have been through [`clean_tags`].
pub fn check_tags(errors: &mut FieldErrors, tags: &[String]) {
    errors.require(tags.len() <= MAX_TAGS, "tag_list", "is too long (maximum is 100 tags)");
    for tag in tags {
        errors.at_most(255, "tag_list", tag);
    }
}

/// The message for a project more open than its group; `None` if that is not so.
#[must_use]
pub fn visibility_above_group(visibility: Visibility, group: Visibility) -> Option<String> {
    (visibility > group).then(|| format!("{} is not allowed in a {} group.", visibility.as_str(), group.as_str()))
}

/// The message for a fork more open than its source; `None` if that is not so.
#[must_use]
pub fn visibility_above_source(visibility: Visibility, source: Visibility) -> Option<String> {
    (visibility > source)
        .then(|| format!("{} is not allowed since the fork source project has lower visibility.", visibility.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_well(check: impl FnOnce(&mut FieldErrors)) -> bool {
        let mut errors = FieldErrors::default();
        check(&mut errors);
        errors.is_empty()
    }

    #[test]
    fn names_may_have_letters_and_emoji_but_nothing_invisible() {
        for (name, want) in [
            ("Tool", true),
            ("Größe 2.0 - neu", true),
            ("🚜 tractor", true),
            ("_x", true),
            ("-x", false),
            ("a/b", false),
            ("<script>", false),
            ("a\u{202e}b", false),
            ("a\nb", false),
            ("  ", false),
        ] {
            assert_eq!(is_well(|e| check_name(e, name)), want, "{name:?}");
        }
    }

    #[test]
    fn a_ci_configuration_stays_in_the_repository() {
        for (path, want) in [("ci/x.yml", true), ("/etc/x", false), ("../x", false), ("a/../x", false), ("a..b", true)]
        {
            assert_eq!(is_well(|e| check_ci_config_path(e, path)), want, "{path}");
        }
    }

    #[test]
    fn tags_are_sorted_and_unique() {
        let tags = ["b", " a ", "", "b"].map(str::to_owned).to_vec();
        assert_eq!(clean_tags(tags), ["a", "b"]);
    }
}
