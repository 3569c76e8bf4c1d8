//! The wiki of another program that a project uses.

use std::collections::HashMap;

use serde_json::Value;
use tenon_domain::id::ProjectId;
use tenon_domain::service::Definition;
use tenon_storage::service;

use crate::core::app::Query;
use crate::core::error::AppError;

/// The addresses of the wikis of these projects, of those whose service `external-wiki` is in use.
pub(crate) fn of(query: &mut Query<'_>, projects: &[ProjectId]) -> Result<HashMap<ProjectId, String>, AppError> {
    let Some(kind) = Definition::find("external-wiki").filter(|_| !projects.is_empty()) else {
        return Ok(HashMap::new());
    };
    let found = service::active_of_kind(&mut query.tx, projects, kind)?;
    Ok(found
        .into_iter()
        .filter_map(|stored| {
            let settings: Value = serde_json::from_str(&stored.properties).ok()?;
            let address = settings.get("external_wiki_url")?.as_str()?.trim();
            (!address.is_empty()).then(|| (stored.service.project, address.to_owned()))
        })
        .collect())
}
