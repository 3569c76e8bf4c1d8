//! The settings of a service, and the events that they leave out.

use serde_json::Value;
use tenon_domain::id::{ProjectId, ServiceId};
use tenon_domain::service::{Definition, Properties, Property};

use super::message::text_at;

/// The settings of one service.
pub(super) struct Settings {
    pub(super) id: ServiceId,
    pub(super) project: ProjectId,
    pub(super) definition: &'static Definition,
    pub(super) properties: Properties,
}

/// On which branches a service is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Branches {
    All,
    Default,
    Protected,
    DefaultAndProtected,
}

impl Settings {
    /// A text; `None` if it is not set or empty.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        match self.properties.get(name) {
            Some(Property::Text(text)) => Some(text.trim()).filter(|text| !text.is_empty()),
            Some(Property::Flag(_) | Property::Number(_)) | None => None,
        }
    }

    /// True if a flag is set.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.properties.get(name) == Some(&Property::Flag(true))
    }

    fn branches(&self) -> Branches {
        match self.text("branches_to_be_notified") {
            Some("all") => Branches::All,
            Some("default") => Branches::Default,
            Some("protected") => Branches::Protected,
            Some("default_and_protected") => Branches::DefaultAndProtected,
            _ if self.flag("notify_only_default_branch") => Branches::Default,
            _ => Branches::All,
        }
    }

    /// Decides whether the service is called for this event. `is_protected` is asked if the settings depend on it.
    pub(super) fn wants<E>(
        &self,
        event: &Value,
        is_protected: impl FnOnce(&str) -> Result<bool, E>,
    ) -> Result<bool, E> {
        let branch = match text_at(event, "/object_kind") {
            "push" => text_at(event, "/ref").strip_prefix("refs/heads/"),
            "pipeline" => {
                match text_at(event, "/object_attributes/status") {
                    "failed" => {}
                    "success" if !self.flag("notify_only_broken_pipelines") => {}
                    _ => return Ok(false),
                }
                let is_tag = event.pointer("/object_attributes/tag").and_then(Value::as_bool) == Some(true);
                Some(text_at(event, "/object_attributes/ref")).filter(|_| !is_tag)
            }
            _ => None,
        };
        let Some(branch) = branch else { return Ok(true) };
        let is_default = text_at(event, "/project/default_branch") == branch;
        match self.branches() {
            Branches::All => Ok(true),
            Branches::Default => Ok(is_default),
            Branches::Protected => is_protected(branch),
            Branches::DefaultAndProtected => Ok(is_default || is_protected(branch)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use serde_json::json;

    use super::*;

    fn wants(given: &[(&str, Property)], event: &Value) -> bool {
        let properties = given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let settings = Settings {
            id: ServiceId::new(1),
            project: ProjectId::new(1),
            definition: Definition::find("slack").unwrap(),
            properties,
        };
        let Ok(wanted) = settings.wants(event, |branch| Ok::<_, Infallible>(branch == "stable"));
        wanted
    }

    #[test]
    fn branches_are_left_out_as_the_settings_say() {
        let push = |branch: &str| json!({"object_kind": "push", "ref": format!("refs/heads/{branch}"), "project": {"default_branch": "main"}});
        let to = |which: &str| [("branches_to_be_notified", Property::Text(which.to_owned()))];
        let only_default = [("notify_only_default_branch", Property::Flag(true))];
        for (settings, want) in [
            (vec![], [true, true, true]),
            (only_default.to_vec(), [true, false, false]),
            (to("default").to_vec(), [true, false, false]),
            (to("protected").to_vec(), [false, true, false]),
            (to("default_and_protected").to_vec(), [true, true, false]),
            ([&only_default[..], &to("all")[..]].concat(), [true, true, true]),
        ] {
            let found = ["main", "stable", "side"].map(|branch| wants(&settings, &push(branch)));
            assert_eq!(found, want, "{settings:?}");
        }
        let tag = json!({"object_kind": "tag_push", "ref": "refs/tags/v1", "project": {"default_branch": "main"}});
        assert!(wants(&only_default, &tag));
    }

    #[test]
    fn pipelines_are_left_out_unless_they_failed_where_that_is_asked() {
        let pipeline = |status: &str| json!({"object_kind": "pipeline", "object_attributes": {"status": status, "ref": "main", "tag": false}, "project": {"default_branch": "main"}});
        let only_broken = [("notify_only_broken_pipelines", Property::Flag(true))];
        for (status, any, broken) in [("failed", true, true), ("success", true, false), ("running", false, false)] {
            assert_eq!((wants(&[], &pipeline(status)), wants(&only_broken, &pipeline(status))), (any, broken));
        }
    }
}
