//! The bodies for hooks about feature flags.

use serde_json::json;
use tenon_domain::feature_flag::FeatureFlag;
use tenon_domain::hook::Trigger;
use tenon_domain::id::ProjectId;
use tenon_storage::feature_flag;

use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::shared::hook_event::captured::{Captured, fields};
use crate::shared::hook_event::record::record;

/// Records that a feature flag was switched on or off.
pub(crate) fn record_feature_flag(command: &mut Command<'_>, of: &FeatureFlag) -> Result<(), AppError> {
    let actor = command.actor();
    record(command, Some(of.project), Trigger::FeatureFlag, actor, |_command| Ok(captured(of)))
}

/// The newest feature flag of a project, as an event has it, for a test of a hook.
pub(crate) fn sample_feature_flag(query: &mut Query<'_>, project: ProjectId) -> Result<Option<Captured>, AppError> {
    Ok(feature_flag::newest(&mut query.tx, project)?.map(|flag| captured(&flag)))
}

fn captured(of: &FeatureFlag) -> Captured {
    let attributes = json!({ "id": of.id.get(), "name": of.name, "description": of.description, "active": of.active });
    Captured::FeatureFlag { attributes: fields(attributes) }
}
