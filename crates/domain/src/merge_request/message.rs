//! The default message of a merge commit.

/// The facts from which the message is made.
#[derive(Debug, Clone, Copy)]
pub struct MessageFacts<'a> {
    /// The branch that is merged.
    pub source_branch: &'a str,
    /// The branch that gets it.
    pub target_branch: &'a str,
    /// The title of the merge request.
    pub title: &'a str,
    /// The issues that it closes, as the target project names them: `#1`.
    pub closes: &'a [String],
    /// The merge request, as others name it: `group/project!1`.
    pub reference: &'a str,
}

/// The message, in paragraphs.
#[must_use]
pub fn merge_message(facts: &MessageFacts<'_>) -> String {
    let mut paragraphs =
        vec![format!("Merge branch '{}' into '{}'", facts.source_branch, facts.target_branch), facts.title.to_owned()];
    paragraphs.extend(Some(closing_sentence(facts.closes)).filter(|sentence| !sentence.is_empty()));
    paragraphs.push(format!("See merge request {}", facts.reference));
    paragraphs.join("\n\n")
}

/// `Closes #1, #2, and #3`; empty without an issue.
#[must_use]
pub fn closing_sentence(issues: &[String]) -> String {
    match issues {
        [] => String::new(),
        [one] => format!("Closes {one}"),
        [one, other] => format!("Closes {one} and {other}"),
        [first @ .., last] => format!("Closes {}, and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_names_branches_title_issues_and_the_merge_request() {
        let message = |closes: &[&str]| {
            let closes: Vec<String> = closes.iter().map(|one| (*one).to_owned()).collect();
            merge_message(&MessageFacts {
                source_branch: "fix",
                target_branch: "main",
                title: "Repair it",
                closes: &closes,
                reference: "a/p!1",
            })
        };
        let plain = "Merge branch 'fix' into 'main'\n\nRepair it\n\nSee merge request a/p!1";
        assert_eq!(message(&[]), plain);
        assert!(message(&["#1"]).contains("\n\nCloses #1\n\n"));
        assert!(message(&["#1", "b/q#2"]).contains("\n\nCloses #1 and b/q#2\n\n"));
        assert!(message(&["#1", "#2", "#3"]).contains("\n\nCloses #1, #2, and #3\n\n"));
    }
}
