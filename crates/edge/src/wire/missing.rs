//! The texts of answers about missing things. Clients of the compatible API compare them.

use tenon_app::error::Missing;

/// How an answer says what is missing.
enum Words {
    /// By the name of its kind.
    Name(&'static str),
    /// By this text.
    Text(String),
}

/// The text of the answer.
pub(super) fn text(what: &Missing) -> String {
    match words(what) {
        Words::Name(name) => format!("404 {name} Not Found"),
        Words::Text(text) => text,
    }
}

/// The name of the kind of what is missing. `None` if answers do not name it.
#[must_use]
pub fn name(what: &Missing) -> Option<&'static str> {
    match words(what) {
        Words::Name(name) => Some(name),
        Words::Text(_) => None,
    }
}

fn words(what: &Missing) -> Words {
    match what {
        Missing::Application => Words::Name("Application"),
        Missing::AwardEmoji => Words::Name("Award Emoji"),
        Missing::Blob => Words::Name("Blob"),
        Missing::Branch => Words::Name("Branch"),
        Missing::CiTemplate => Words::Name("gitlab_ci_yml"),
        Missing::Commit => Words::Name("Commit"),
        Missing::DeployKey => Words::Name("Deploy Key"),
        Missing::Discussion => Words::Name("Discussion"),
        Missing::Dockerfile => Words::Name("dockerfile"),
        Missing::Email => Words::Name("Email"),
        Missing::File => Words::Name("File"),
        Missing::Gitignore => Words::Name("gitignore"),
        Missing::GpgKey => Words::Name("GPG Key"),
        Missing::Group => Words::Name("Group"),
        Missing::GroupLink => Words::Name("Group Link"),
        Missing::Identity => Words::Name("Identity"),
        Missing::ImpersonationToken => Words::Name("Impersonation Token"),
        Missing::Issue => Words::Name("Issue"),
        Missing::Label => Words::Name("Label"),
        Missing::License => Words::Name("License"),
        Missing::MergeBase => Words::Name("Merge Base"),
        Missing::Namespace => Words::Name("Namespace"),
        Missing::Project => Words::Name("Project"),
        Missing::Ref => Words::Name("Ref"),
        Missing::RefOfCommit => Words::Name("References for commit"),
        Missing::Repository => Words::Name("Repository"),
        Missing::Sender => Words::Name("UserAgentDetail"),
        Missing::Service => Words::Name("Integration"),
        Missing::Signature => Words::Name("Signature"),
        Missing::Snippet => Words::Name("Snippet"),
        Missing::SshKey => Words::Name("Key"),
        Missing::SystemHook => Words::Name("System hook"),
        Missing::Tag => Words::Name("Tag"),
        Missing::TargetNamespace => Words::Name("Target Namespace"),
        Missing::Template => Words::Name("Template"),
        Missing::Tree => Words::Name("Tree"),
        Missing::User | Missing::UserNamed(_) => Words::Name("User"),
        Missing::Variable => Words::Name("Variable"),
        Missing::GroupVariable => Words::Name("GroupVariable"),
        Missing::InstanceVariable => Words::Name("InstanceVariable"),
        Missing::WikiPage => Words::Name("Wiki Page"),
        // The API distinguishes these two.
        Missing::Record => Words::Text("404 Not found".to_owned()),
        Missing::Plain => Words::Text("404 Not Found".to_owned()),
        Missing::Release => Words::Text("Release does not exist".to_owned()),
        Missing::TagOfRelease => Words::Text("Tag does not exist".to_owned()),
        Missing::SudoUser(asked) => Words::Text(format!("404 User with ID or username '{asked}' Not Found")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_called_as_clients_expect() {
        for (what, want) in [
            (Missing::Project, "404 Project Not Found"),
            (Missing::UserNamed("ann".into()), "404 User Not Found"),
            (Missing::Sender, "404 UserAgentDetail Not Found"),
            (Missing::Service, "404 Integration Not Found"),
            (Missing::SshKey, "404 Key Not Found"),
            (Missing::SystemHook, "404 System hook Not Found"),
            (Missing::RefOfCommit, "404 References for commit Not Found"),
            (Missing::Record, "404 Not found"),
            (Missing::Plain, "404 Not Found"),
            (Missing::TagOfRelease, "Tag does not exist"),
            (Missing::SudoUser("123".into()), "404 User with ID or username '123' Not Found"),
        ] {
            assert_eq!(text(&what), want);
        }
        assert_eq!((name(&Missing::DeployKey), name(&Missing::Plain)), (Some("Deploy Key"), None));
    }
}
