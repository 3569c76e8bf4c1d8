//! The milestones of releases.

use diesel::prelude::*;
use tenon_domain::id::{MilestoneId, ProjectId};

use crate::db::expressions::in_texts;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::release_milestones;

/// The milestones of the releases of these tags, each with its tag, by id.
pub fn milestones(tx: &mut ReadTx<'_>, project: ProjectId, tags: &[String]) -> StoreResult<Vec<(String, MilestoneId)>> {
    if tags.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<(String, i64)> = release_milestones::table
        .filter(release_milestones::project_id.eq(project.get()))
        .filter(in_texts(release_milestones::tag_name, tags))
        .order(release_milestones::milestone_id)
        .select((release_milestones::tag_name, release_milestones::milestone_id))
        .load(tx.conn)?;
    Ok(rows.into_iter().map(|(tag, id)| (tag, MilestoneId::new(id))).collect())
}

/// Gives a release these milestones, each once, and no others.
pub fn set_milestones(
    tx: &mut WriteTx<'_>,
    project: ProjectId,
    tag: &str,
    milestones: &[MilestoneId],
) -> StoreResult<()> {
    let known = release_milestones::table
        .filter(release_milestones::project_id.eq(project.get()))
        .filter(release_milestones::tag_name.eq(tag));
    diesel::delete(known).execute(tx.conn)?;
    for milestone in milestones {
        diesel::insert_into(release_milestones::table)
            .values((
                release_milestones::project_id.eq(project.get()),
                release_milestones::tag_name.eq(tag),
                release_milestones::milestone_id.eq(milestone.get()),
            ))
            .execute(tx.conn)?;
    }
    Ok(())
}
