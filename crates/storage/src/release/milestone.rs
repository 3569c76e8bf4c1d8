//! The milestones of releases.

use diesel::prelude::*;
use tenon_domain::id::{MilestoneId, ProjectId};

use crate::any_of::any_text_of;
use crate::connection::on_each;
use crate::error::StoreResult;
use crate::schema::release_milestones;
use crate::unit_of_work::{ReadTx, WriteTx};

/// The milestones of the releases of these tags, each with its tag, by id.
pub fn milestones(tx: &mut ReadTx<'_>, project: ProjectId, tags: &[String]) -> StoreResult<Vec<(String, MilestoneId)>> {
    if tags.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<(String, i64)> = on_each!(tx.conn, c => release_milestones::table
        .filter(release_milestones::project_id.eq(project.get()))
        .filter(any_text_of(release_milestones::tag_name, tags))
        .order(release_milestones::milestone_id)
        .select((release_milestones::tag_name, release_milestones::milestone_id))
        .load(c))?;
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

/// Puts the milestone `into` where `from` stood; a release that has both keeps both.
pub(crate) fn merge_milestones(tx: &mut WriteTx<'_>, from: MilestoneId, into: MilestoneId) -> StoreResult<()> {
    let having =
        |milestone: MilestoneId| release_milestones::table.filter(release_milestones::milestone_id.eq(milestone.get()));
    let columns = (release_milestones::project_id, release_milestones::tag_name);
    let replaced: Vec<(i64, String)> = having(from).select(columns).load(tx.conn)?;
    let present: Vec<(i64, String)> = having(into).select(columns).load(tx.conn)?;
    for (project, tag) in replaced.into_iter().filter(|release| !present.contains(release)) {
        diesel::update(release_milestones::table.find((project, tag, from.get())))
            .set(release_milestones::milestone_id.eq(into.get()))
            .execute(tx.conn)?;
    }
    Ok(())
}
