//! How often projects were fetched, by day.

use std::collections::HashSet;

use chrono::NaiveDate;
use diesel::prelude::*;
use tenon_domain::id::ProjectId;

use crate::db::expressions::{IdList, in_id_list};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::{project_fetches, projects};

/// Counts fetches of projects. Projects that are gone are left out. Two statements for each day of a project.
pub fn count_fetches(tx: &mut WriteTx<'_>, fetches: &[(ProjectId, NaiveDate, i64)]) -> StoreResult<()> {
    let ids = IdList::new(fetches.iter().map(|(project, _, _)| project.get()).collect());
    let there: Vec<i64> = projects::table.filter(in_id_list(projects::id, &ids)).select(projects::id).load(tx.conn)?;
    let there: HashSet<i64> = there.into_iter().collect();
    for (project, day, count) in fetches.iter().filter(|(project, _, _)| there.contains(&project.get())) {
        let known = project_fetches::table.find((project.get(), *day));
        let more = project_fetches::count.eq(project_fetches::count + *count);
        if diesel::update(known).set(more).execute(tx.conn)? == 0 {
            diesel::insert_into(project_fetches::table)
                .values((
                    project_fetches::project_id.eq(project.get()),
                    project_fetches::day.eq(*day),
                    project_fetches::count.eq(*count),
                ))
                .execute(tx.conn)?;
        }
    }
    Ok(())
}

/// The fetches of a project from this day on, newest day first. Days without any are left out.
pub fn fetches_since(tx: &mut ReadTx<'_>, project: ProjectId, first: NaiveDate) -> StoreResult<Vec<(NaiveDate, i64)>> {
    Ok(project_fetches::table
        .filter(project_fetches::project_id.eq(project.get()))
        .filter(project_fetches::day.ge(first))
        .order(project_fetches::day.desc())
        .select((project_fetches::day, project_fetches::count))
        .load(tx.conn)?)
}

/// True if there are days before this one.
pub fn any_fetches_before(tx: &mut ReadTx<'_>, first: NaiveDate) -> StoreResult<bool> {
    let found: Option<NaiveDate> = project_fetches::table
        .filter(project_fetches::day.lt(first))
        .select(project_fetches::day)
        .first(tx.conn)
        .optional()?;
    Ok(found.is_some())
}

/// Removes the days before this one.
pub fn purge_fetches(tx: &mut WriteTx<'_>, first: NaiveDate) -> StoreResult<usize> {
    Ok(diesel::delete(project_fetches::table.filter(project_fetches::day.lt(first))).execute(tx.conn)?)
}
