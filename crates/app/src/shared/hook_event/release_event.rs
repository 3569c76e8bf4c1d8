//! The bodies for hooks about releases.

use serde_json::{Value, json};
use tenon_domain::hook::Trigger;
use tenon_domain::id::ProjectId;
use tenon_domain::page::PageRequest;
use tenon_domain::release::{Release, ReleaseLink};
use tenon_storage::release::{self, ReleaseOrder};

use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::shared::hook_event::captured::{Captured, ReleaseCapture, fields, moment};
use crate::shared::hook_event::record::record;

/// Records that a release was made or changed, or is to be removed (`create`, `update`, `delete`).
pub(crate) fn record_release(command: &mut Command<'_>, of: &Release, action: &'static str) -> Result<(), AppError> {
    let actor = command.actor();
    record(command, Some(of.project), Trigger::Release, actor, |command| captured(&mut command.query(), of, action))
}

/// The newest release of a project, as an event has it, for a test of a hook.
pub(crate) fn sample_release(query: &mut Query<'_>, project: ProjectId) -> Result<Option<Captured>, AppError> {
    let first = PageRequest::new(Some(1), Some(1));
    let newest = release::list(&mut query.tx, project, ReleaseOrder::ReleasedAt, false, first)?.items.pop();
    newest.map(|release| captured(query, &release, "create")).transpose()
}

fn captured(query: &mut Query<'_>, of: &Release, action: &str) -> Result<Captured, AppError> {
    let tag = of.tag_name.clone();
    let links = release::links(&mut query.tx, of.project, std::slice::from_ref(&tag))?.remove(&tag);
    let attributes = json!({
        "created_at": moment(of.created_at),
        "description": of.description,
        "name": of.name(),
        "released_at": moment(of.released_at),
        "tag": of.tag_name,
    });
    Ok(Captured::Release(ReleaseCapture {
        attributes: fields(attributes),
        tag,
        links: links.unwrap_or_default().iter().map(link_part).collect(),
        action: action.to_owned(),
    }))
}

fn link_part(link: &ReleaseLink) -> Value {
    json!({ "id": link.id.get(), "link_type": link.link_type.as_str(), "name": link.name, "url": link.url })
}
