//! Titles that say "not ready yet".

/// The beginnings of a title that mark a draft, in lower case.
const MARKS: [&str; 6] = ["[wip]", "wip:", "wip ", "[draft]", "draft:", "(draft)"];

/// True if a title says that a merge request is not ready.
#[must_use]
pub fn is_draft(title: &str) -> bool {
    MARKS.iter().any(|mark| begins_with(title.trim_start(), mark))
}

/// The title with or without the mark. All marks go; none is added to a title that has one.
#[must_use]
pub fn marked_as_draft(title: &str, draft: bool) -> String {
    if draft {
        return if is_draft(title) { title.to_owned() } else { format!("Draft: {title}") };
    }
    let mut rest = title.trim_start();
    while let Some(shorter) = MARKS.iter().find_map(|mark| rest.get(mark.len()..).filter(|_| begins_with(rest, mark))) {
        rest = shorter.trim_start();
    }
    rest.to_owned()
}

/// True if the title of a commit says that work goes on: a merge request that gets such a commit becomes a draft.
#[must_use]
pub fn says_work_in_progress(commit_title: &str) -> bool {
    is_draft(commit_title)
        || commit_title.trim().eq_ignore_ascii_case("wip")
        || ["fixup!", "squash!"].iter().any(|mark| begins_with(commit_title, mark))
}

fn begins_with(text: &str, mark: &str) -> bool {
    text.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_draft_begins_with() {
        for (title, want) in [
            ("WIP: a", true),
            ("  wip: a", true),
            ("[WIP] a", true),
            ("WIP a", true),
            ("Draft: a", true),
            ("[draft] a", true),
            ("(Draft) a", true),
            ("Wipwap a", false),
            ("a WIP: b", false),
            ("Drafting", false),
            ("", false),
            ("ẞWIP:", false),
        ] {
            assert_eq!(is_draft(title), want, "{title}");
        }
    }

    #[test]
    fn marks_come_and_go() {
        assert_eq!(marked_as_draft("a", true), "Draft: a");
        assert_eq!(marked_as_draft("WIP: a", true), "WIP: a");
        assert_eq!(marked_as_draft("WIP: [draft] Draft: a", false), "a");
        assert_eq!(marked_as_draft("a", false), "a");
    }

    #[test]
    fn commits_that_say_work_goes_on() {
        for (title, want) in [("WIP", true), ("wip: x", true), ("fixup! x", true), ("squash! x", true), ("fix", false)]
        {
            assert_eq!(says_work_in_progress(title), want, "{title}");
        }
    }
}
