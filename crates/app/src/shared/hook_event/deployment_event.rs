//! The bodies for hooks about deployments.

use tenon_domain::deployment::Deployment;
use tenon_domain::environment::Environment;
use tenon_domain::hook::Trigger;
use tenon_domain::id::ProjectId;
use tenon_domain::page::PageRequest;
use tenon_storage::deployment::{self, DeploymentFilter, DeploymentOrder};
use tenon_storage::environment;

use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::shared::hook_event::captured::{Captured, DeploymentCapture, moment};
use crate::shared::hook_event::record::record;

/// Records that a deployment came into its state.
pub(crate) fn record_deployment(command: &mut Command<'_>, of: &Deployment) -> Result<(), AppError> {
    let Some(environment) = environment::find(&mut command.tx, of.project, of.environment)? else { return Ok(()) };
    let actor = command.actor();
    record(command, Some(of.project), Trigger::Deployment, actor, |_command| Ok(captured(of, environment)))
}

/// The newest deployment of a project, as an event has it, for a test of a hook.
pub(crate) fn sample_deployment(query: &mut Query<'_>, project: ProjectId) -> Result<Option<Captured>, AppError> {
    let (filter, first) = (DeploymentFilter::of(project), PageRequest::new(Some(1), Some(1)));
    let newest = deployment::list(&mut query.tx, &filter, DeploymentOrder::Id, true, first)?.items.pop();
    let Some(newest) = newest else { return Ok(None) };
    let environment = environment::find(&mut query.tx, project, newest.environment)?;
    Ok(environment.map(|environment| captured(&newest, environment)))
}

fn captured(of: &Deployment, environment: Environment) -> Captured {
    Captured::Deployment(DeploymentCapture {
        id: of.id.get(),
        status: of.status.as_str().to_owned(),
        changed_at: moment(of.updated_at),
        environment: environment.name,
        slug: environment.slug,
        tier: environment.tier.as_str().to_owned(),
        external_url: environment.external_url,
        ref_name: of.ref_name.clone(),
        sha: of.sha.clone(),
    })
}
