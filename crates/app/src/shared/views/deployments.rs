//! Deployments with what answers show of them.

use tenon_domain::deployment::Deployment;
use tenon_domain::environment::Environment;
use tenon_domain::id::EnvironmentId;
use tenon_storage::environment;

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::shared::views::user_ref::UserRef;

/// A deployment as answers show it.
#[derive(Debug, Clone)]
pub struct DeploymentView {
    /// The deployment.
    pub deployment: Deployment,
    /// Its environment.
    pub environment: Environment,
    /// Who has reported it.
    pub user: Option<UserRef>,
}

/// The views of deployments, in their order.
pub(crate) fn views(query: &mut Query<'_>, deployments: Vec<Deployment>) -> Result<Vec<DeploymentView>, AppError> {
    let people = UserRef::of(query, deployments.iter().filter_map(|deployment| deployment.user).collect())?;
    let ids: Vec<EnvironmentId> = deployments.iter().map(|deployment| deployment.environment).collect();
    let environments = environment::by_ids(&mut query.tx, &ids)?;
    Ok(deployments
        .into_iter()
        .filter_map(|deployment| {
            Some(DeploymentView {
                environment: environments.get(&deployment.environment)?.clone(),
                user: deployment.user.and_then(|user| people.get(&user).cloned()),
                deployment,
            })
        })
        .collect())
}
