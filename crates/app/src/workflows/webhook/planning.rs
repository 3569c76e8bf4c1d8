//! The bodies of reactions, milestones, releases, deployments and feature flags.

use serde_json::{Map, Value, json};
use tenon_domain::issuable::IssuableKind;
use tenon_git::commit::Commit;

use super::payload::{Scene, hook_commit};
use crate::core::app::Query;
use crate::core::error::AppError;
use crate::shared::hook_event::captured::{DeploymentCapture, IssuableCapture, ReleaseCapture};

/// The forms in which a tag can be downloaded.
const FORMATS: [&str; 4] = ["zip", "tar.gz", "tar.bz2", "tar"];

impl Scene {
    /// The body of a reaction.
    pub(super) fn award(
        &self,
        query: &mut Query<'_>,
        attributes: &Map<String, Value>,
        note: Option<&Map<String, Value>>,
        on: &IssuableCapture,
    ) -> Result<Value, AppError> {
        let kind = IssuableKind::parse(&on.kind).unwrap_or(IssuableKind::Issue);
        let about = self.attributes(query, kind, on)?;
        let page = about.get("url").and_then(Value::as_str).unwrap_or_default().to_owned();
        let id = note.and_then(|note| note.get("id")).and_then(Value::as_i64);
        let page = id.map_or(page.clone(), |id| format!("{page}#note_{id}"));
        let mut attributes = attributes.clone();
        attributes.insert("awarded_on_url".to_owned(), json!(page));
        let mut body = json!({
            "object_kind": "emoji",
            "event_type": attributes.get("action"),
            "user": self.user(),
            "project_id": self.project_id(),
            "project": self.project(),
            "object_attributes": attributes,
        });
        if let Value::Object(body) = &mut body {
            if let Some(note) = note {
                let mut note = note.clone();
                note.insert("url".to_owned(), json!(page));
                body.insert("note".to_owned(), Value::Object(note));
            }
            body.insert(on.kind.clone(), Value::Object(about));
        }
        Ok(body)
    }

    /// The body of a deployment. The title of its commit is null if the commit is gone.
    pub(super) fn deployment(&self, of: &DeploymentCapture, commit: Option<&Commit>) -> Value {
        json!({
            "object_kind": "deployment",
            "status": of.status,
            "status_changed_at": of.changed_at,
            "deployment_id": of.id,
            "deployable_id": null,
            "deployable_url": null,
            "environment": of.environment,
            "environment_tier": of.tier,
            "environment_slug": of.slug,
            "environment_external_url": of.external_url,
            "project": self.project(),
            "ref": of.ref_name,
            "short_sha": of.sha.get(..8),
            "user": self.user(),
            "user_url": self.user_page(),
            "commit_url": self.page(&format!("commit/{}", of.sha)),
            "commit_title": commit.map(Commit::title),
        })
    }

    /// The body of a feature flag.
    pub(super) fn feature_flag(&self, attributes: &Map<String, Value>) -> Value {
        json!({
            "object_kind": "feature_flag",
            "project": self.project(),
            "user": self.user(),
            "user_url": self.user_page(),
            "object_attributes": attributes,
        })
    }

    /// The body of a page of the wiki.
    pub(super) fn wiki_page(&self, attributes: &Map<String, Value>, branch: &str) -> Value {
        let slug = attributes.get("slug").and_then(Value::as_str).unwrap_or_default();
        let (wiki, page) = self.wiki(slug, branch);
        let mut attributes = attributes.clone();
        attributes.insert("url".to_owned(), json!(page));
        json!({
            "object_kind": "wiki_page",
            "user": self.user(),
            "project": self.project(),
            "wiki": wiki,
            "object_attributes": attributes,
        })
    }

    /// The body of a milestone.
    pub(super) fn milestone(&self, attributes: &Map<String, Value>, action: &str) -> Value {
        json!({
            "object_kind": "milestone",
            "event_type": "milestone",
            "project": self.project(),
            "object_attributes": attributes,
            "action": action,
        })
    }

    /// The body of a release. Its commit is null if the tag is gone.
    pub(super) fn release(&self, of: &ReleaseCapture, commit: Option<&Commit>) -> Value {
        let sources: Vec<Value> =
            FORMATS.iter().map(|format| json!({ "format": format, "url": self.archive(&of.tag, format) })).collect();
        let mut body = of.attributes.clone();
        body.insert("object_kind".to_owned(), json!("release"));
        body.insert("project".to_owned(), self.project());
        body.insert("url".to_owned(), json!(self.release_page(&of.tag)));
        body.insert("action".to_owned(), json!(of.action));
        body.insert(
            "assets".to_owned(),
            json!({ "count": of.links.len() + sources.len(), "links": of.links, "sources": sources }),
        );
        body.insert("commit".to_owned(), commit.map_or(Value::Null, |commit| hook_commit(self, commit)));
        Value::Object(body)
    }
}
