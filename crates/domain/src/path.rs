//! Paths of users, groups and projects: one case-insensitive space.

/// The longest path segment, name and full path, in characters.
pub const MAX_PATH: usize = 255;

/// How many of its former paths a group or project is found under: the newest ones.
pub const FORMER_PATHS: i64 = 20;

/// Names that no user and no top-level group may have, because the server answers there itself.
const RESERVED_AT_TOP: &[&str] = &[
    "-",
    ".well-known",
    "404.html",
    "422.html",
    "500.html",
    "502.html",
    "503.html",
    "abuse_reports",
    "admin",
    "api",
    "apple-touch-icon-precomposed.png",
    "apple-touch-icon.png",
    "assets",
    "autocomplete",
    "ci",
    "dashboard",
    "deploy.html",
    "explore",
    "favicon.ico",
    "favicon.png",
    "files",
    "groups",
    "health_check",
    "help",
    "import",
    "invites",
    "jwt",
    "login",
    "notification_settings",
    "oauth",
    "profile",
    "projects",
    "public",
    "robots.txt",
    "s",
    "search",
    "sent_notifications",
    "slash-command-logo.png",
    "snippets",
    "u",
    "unsubscribes",
    "uploads",
    "users",
];

/// Names that no subgroup and no project may have: they are pages of a project.
const RESERVED_BELOW: &[&str] = &[
    "-",
    "badges",
    "blame",
    "blob",
    "builds",
    "commits",
    "create",
    "create_dir",
    "edit",
    "environments",
    "files",
    "find_file",
    "info",
    "new",
    "preview",
    "raw",
    "refs",
    "tree",
    "update",
    "uploads",
    "wikis",
];

/// Why a path segment cannot be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathProblem {
    /// Empty or only white space.
    Blank,
    /// A character or an ending that is not allowed.
    Format,
    /// A name that the server keeps for itself.
    Reserved,
    /// More than [`MAX_PATH`] characters.
    TooLong,
}

/// The place of a path segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A user name or the path of a group without a parent.
    Top,
    /// The path of a subgroup or of a project.
    Below,
}

/// Checks one path segment.
///
/// # Errors
/// The first problem that is found.
pub fn check(segment: &str, place: Place) -> Result<(), PathProblem> {
    if segment.trim().is_empty() {
        return Err(PathProblem::Blank);
    }
    if segment.chars().count() > MAX_PATH {
        return Err(PathProblem::TooLong);
    }
    let key = segment.to_ascii_lowercase();
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let reserved = match place {
        Place::Top => RESERVED_AT_TOP,
        Place::Below => RESERVED_BELOW,
    };
    if reserved.contains(&key.as_str()) {
        return Err(PathProblem::Reserved);
    }
    let well_formed = segment.chars().all(allowed)
        && !segment.starts_with(['-', '.'])
        && !segment.ends_with('.')
        && !has_ending(&key, ".git")
        && !has_ending(&key, ".atom");
    if well_formed { Ok(()) } else { Err(PathProblem::Format) }
}

/// True if no subgroup and no project has this name: the next segment is a page of the project before it.
#[must_use]
pub fn is_page(segment: &str) -> bool {
    RESERVED_BELOW.contains(&segment.to_ascii_lowercase().as_str())
}

fn has_ending(key: &str, ending: &str) -> bool {
    key.ends_with(ending)
}

/// The form in which paths are compared: two paths that differ only by case are one.
#[must_use]
pub fn key(path: &str) -> String {
    path.to_lowercase()
}

/// A project path made from a display name: ASCII, lower case, every run of other characters one dash. May come out
/// empty.
#[must_use]
pub fn slug(name: &str) -> String {
    let ascii = deunicode::deunicode(name).to_ascii_lowercase();
    let mut slug = String::with_capacity(ascii.len());
    for c in ascii.chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            slug.push(c);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_lie_are_refused() {
        use PathProblem::{Blank, Format, Reserved, TooLong};
        let long = "a".repeat(256);
        for (segment, want) in [
            ("", Err(Blank)),
            ("..", Err(Format)),
            (".", Err(Format)),
            (".git", Err(Format)),
            ("-x", Err(Format)),
            ("a/b", Err(Format)),
            ("a\0b", Err(Format)),
            ("tool.git", Err(Format)),
            ("tool.GIT", Err(Format)),
            ("feed.atom", Err(Format)),
            ("dot.", Err(Format)),
            ("a b", Err(Format)),
            ("\u{202e}abc", Err(Format)),
            ("zero\u{200b}width", Err(Format)),
            ("раypal", Err(Format)),
            (long.as_str(), Err(TooLong)),
            ("api", Err(Reserved)),
            ("ADMIN", Err(Reserved)),
            ("uploads", Err(Reserved)),
            ("group.v2", Ok(())),
            ("A_b-c.9", Ok(())),
        ] {
            assert_eq!(check(segment, Place::Top), want, "{segment:?}");
        }
        assert_eq!(check("tree", Place::Below), Err(Reserved));
        assert_eq!(check("api", Place::Below), Ok(()));
    }

    #[test]
    fn a_slug_is_a_path_or_empty() {
        for (name, want) in [
            ("Foo Project", "foo-project"),
            ("  Größe & Länge! ", "grosse-lange"),
            ("a..b", "a-b"),
            ("---", ""),
            ("日本", "ri-ben"),
        ] {
            assert_eq!(slug(name), want);
        }
    }

    proptest::proptest! {
        #[test]
        fn every_slug_that_is_not_empty_is_well_formed(name in ".{0,40}") {
            let slug = slug(&name);
            proptest::prop_assert!(slug.is_empty() || matches!(check(&slug, Place::Below), Ok(()) | Err(PathProblem::Reserved)));
        }
    }
}
