//! Stars.

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::search::Search;
use tenon_domain::time::Timestamp;

use crate::db::connection::{Backend, on_each};
use crate::db::paging::page;
use crate::db::predicate::{matches, tested};
use crate::db::row::{naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::{projects, stars, users};

/// Stars a project and counts it; yields whether that changed anything.
pub fn add_star(tx: &mut WriteTx<'_>, project: ProjectId, user: UserId, at: Timestamp) -> StoreResult<bool> {
    let row = (stars::project_id.eq(project.get()), stars::user_id.eq(user.get()), stars::created_at.eq(naive(at)));
    let added =
        on_each!(tx.conn, c => diesel::insert_into(stars::table).values(row).on_conflict_do_nothing().execute(c))?;
    count_stars(tx, project, added, 1)
}

/// One page of those who have starred a project, the newest star first: users whose accounts can be used and whose profiles
/// are not private.
pub fn starrers(
    tx: &mut ReadTx<'_>,
    project: ProjectId,
    search: Option<&Search>,
    request: PageRequest,
) -> StoreResult<Page<(UserId, Timestamp)>> {
    let all = || {
        let people = stars::table
            .inner_join(users::table)
            .filter(stars::project_id.eq(project.get()))
            .filter(users::state.eq("active"))
            .filter(users::deleting_at.is_null())
            .filter(diesel::dsl::not(users::private_profile))
            .into_boxed::<Backend>();
        match search.and_then(|it| matches(it, &[tested!(users::name), tested!(users::username)])) {
            Some(condition) => people.filter(condition),
            None => people,
        }
    };
    let total = all().count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let rows: Vec<(i64, NaiveDateTime)> = all()
            .order((stars::created_at.desc(), stars::user_id.desc()))
            .limit(limit)
            .offset(offset)
            .select((stars::user_id, stars::created_at))
            .load(tx.conn)?;
        Ok(rows.into_iter().map(|(user, at)| (UserId::new(user), utc(at))).collect())
    })
}

/// Takes a star back and counts it; yields whether that changed anything.
pub fn remove_star(tx: &mut WriteTx<'_>, project: ProjectId, user: UserId) -> StoreResult<bool> {
    let removed = diesel::delete(stars::table.find((project.get(), user.get()))).execute(tx.conn)?;
    count_stars(tx, project, removed, -1)
}

fn count_stars(tx: &mut WriteTx<'_>, project: ProjectId, changed: usize, by: i64) -> StoreResult<bool> {
    if changed == 0 {
        return Ok(false);
    }
    diesel::update(projects::table.find(project.get()))
        .set(projects::star_count.eq(projects::star_count + by))
        .execute(tx.conn)?;
    Ok(true)
}
