//! The issue tracker of another program that a project uses.

use serde_json::{Map, Value};
use tenon_domain::project::setting::ISSUES;
use tenon_markdown::Target;
use tenon_storage::service;

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::authorization::AuthorizedProject;

/// The kinds of services that are trackers.
const KINDS: [&str; 5] = ["jira", "youtrack", "redmine", "bugzilla", "custom-issue-tracker"];

/// The targets of references.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IssueTracker {
    title: &'static str,
    /// An address with `:id`.
    address: String,
    ids: Ids,
}

/// The ids of an issue in an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ids {
    /// All of `ABC-12`.
    Whole,
    /// The number. If the project's own issues are off, also that of `#12`.
    Number { is_alone: bool },
}

/// The tracker that a project uses; of several, the one that was set first.
pub(crate) fn of(query: &mut Query<'_>, home: &AuthorizedProject) -> Result<Option<IssueTracker>, AppError> {
    let is_alone = !home.project.has(&ISSUES);
    let found = service::active(&mut query.tx, home.project.id)?;
    Ok(found.iter().filter(|stored| KINDS.contains(&stored.service.definition.slug)).find_map(|stored| {
        let settings: Map<String, Value> = serde_json::from_str(&stored.properties).ok()?;
        let text = |name: &str| settings.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let (address, ids) = match stored.service.definition.slug {
            "jira" => (format!("{}/browse/:id", text("url")?.trim_end_matches('/')), Ids::Whole),
            "youtrack" => (text("issues_url")?.to_owned(), Ids::Whole),
            _ => (text("issues_url")?.to_owned(), Ids::Number { is_alone }),
        };
        Some(IssueTracker { title: stored.service.definition.title, address, ids })
    }))
}

impl IssueTracker {
    /// The target of `ABC-12`.
    pub(crate) fn named(&self, reference: &str) -> Target {
        let id = match self.ids {
            Ids::Whole => reference,
            Ids::Number { .. } => reference.rsplit_once('-').map_or(reference, |(_, number)| number),
        };
        self.target(id, reference)
    }

    /// The target of `#12`, if not to an issue of this server.
    pub(crate) fn numbered(&self, iid: i64) -> Option<Target> {
        match self.ids {
            Ids::Number { is_alone: true } => Some(self.target(&iid.to_string(), &format!("#{iid}"))),
            Ids::Number { is_alone: false } | Ids::Whole => None,
        }
    }

    fn target(&self, id: &str, text: &str) -> Target {
        Target {
            href: self.address.replace(":id", id),
            title: format!("Issue in {}", self.title),
            text: text.to_owned(),
            color: String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tracker(ids: Ids) -> IssueTracker {
        IssueTracker { title: "T", address: "https://t.example/:id".to_owned(), ids }
    }

    #[test]
    fn the_kind_says_what_stands_in_the_address() {
        assert_eq!(tracker(Ids::Whole).named("AB-12").href, "https://t.example/AB-12");
        assert_eq!(tracker(Ids::Whole).numbered(12), None);
        let number = |is_alone| tracker(Ids::Number { is_alone });
        assert_eq!(number(false).named("AB-12").href, "https://t.example/12");
        assert_eq!(number(false).numbered(12), None);
        assert_eq!(number(true).numbered(12).map(|target| target.href), Some("https://t.example/12".to_owned()));
    }
}
