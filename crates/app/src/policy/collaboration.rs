//! Pushing to the source branch of an open merge request that allows collaboration.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use tenon_domain::access::{Standing, Viewer};
use tenon_domain::id::ProjectId;
use tenon_domain::merge_request::{MergeRequest, may_merge_into};
use tenon_domain::project::Project;
use tenon_domain::repository::{ProtectionKind, Protections, RefRules};
use tenon_domain::time::Date;
use tenon_domain::visibility::Visibility;
use tenon_storage::{ReadTx, merge_request, project as projects, repository};

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::authorization::{AuthorizedProject, standing_of};
use crate::policy::protection::ref_rules;

/// Decides whether pushes of others to the source branch can be allowed: both projects are public or internal, and no
/// rule protects the branch.
pub(crate) fn may_collaborate(
    query: &mut Query<'_>,
    target: &AuthorizedProject,
    request: &MergeRequest,
) -> Result<bool, AppError> {
    let Some(source) = request.source_project.filter(|source| *source != target.project.id) else { return Ok(false) };
    let Some(project) = projects::find(&mut query.tx, source)? else { return Ok(false) };
    let rules = repository::rules(&mut query.tx, source)?;
    let protected = Protections::covering(&rules, ProtectionKind::Branch, &request.source_branch).is_protected();
    Ok(is_open(&project) && is_open(&target.project) && !protected)
}

/// The branches of a fork that a user may push to because the user may merge a merge request from them. Computed anew
/// each time: a user who has lost the right to merge has lost this right, too.
pub(crate) fn branches_open_to(
    tx: &mut ReadTx<'_>,
    viewer: Viewer,
    fork: &Project,
    today: Date,
) -> Result<Vec<String>, AppError> {
    if !is_open(fork) || fork.archived {
        return Ok(Vec::new());
    }
    let mut targets = HashMap::new();
    let mut branches = Vec::new();
    for offer in merge_request::open_to_others(tx, fork.id)? {
        let target = match targets.entry(offer.target) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(Target::load(tx, viewer, offer.target, today)?),
        };
        let admits = target.as_ref().is_some_and(|target| target.admits(&offer.into));
        if admits && !branches.contains(&offer.branch) {
            branches.push(offer.branch);
        }
    }
    Ok(branches)
}

fn is_open(project: &Project) -> bool {
    project.visibility != Visibility::Private
}

/// The target project of a merge request, with one user's standing in it.
struct Target {
    project: Project,
    standing: Standing,
    rules: RefRules,
}

impl Target {
    fn load(tx: &mut ReadTx<'_>, viewer: Viewer, id: ProjectId, today: Date) -> Result<Option<Self>, AppError> {
        let Some(placed) = projects::find_placed(tx, id)? else { return Ok(None) };
        let standing = standing_of(tx, viewer, &placed, today)?;
        let rules = ref_rules(tx, standing.viewer, &placed.project, today)?;
        Ok(Some(Self { standing, rules, project: placed.project }))
    }

    fn admits(&self, branch: &str) -> bool {
        let rules = self.rules.covering(ProtectionKind::Branch, branch);
        is_open(&self.project) && may_merge_into(&self.standing, self.project.archived, &rules)
    }
}
