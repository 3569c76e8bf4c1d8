//! The counts and marks at the top of each page of a project.

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::milestone::MilestoneState;
use tenon_domain::time::Timestamp;

use crate::db::row::utc;
use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::schema::{issuable_counts, milestones, releases, stars};

/// Counts of a project, and whether a user has starred it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    /// Its open merge requests.
    pub merge_requests: i64,
    /// Its own active milestones.
    pub milestones: i64,
    /// Its releases.
    pub releases: i64,
    /// The tag of the newest release, and when it was released.
    pub latest_release: Option<(String, Timestamp)>,
    /// True if the user has starred it.
    pub is_starred: bool,
}

/// The columns of the statement.
type Row = (Option<i64>, Option<i64>, Option<i64>, Option<String>, Option<NaiveDateTime>, bool);

/// Those of a project, for a user, in one statement.
pub fn marks(tx: &mut ReadTx<'_>, project: ProjectId, user: Option<UserId>) -> StoreResult<Marks> {
    let id = project.get();
    let merge_requests = issuable_counts::table
        .filter(issuable_counts::project_id.eq(id))
        .filter(issuable_counts::kind.eq(IssuableKind::MergeRequest.as_str()))
        .filter(issuable_counts::state.eq("opened"))
        .filter(issuable_counts::confidential.eq(false))
        .select(issuable_counts::count)
        .single_value();
    let of_milestones = milestones::table
        .filter(milestones::project_id.eq(id))
        .filter(milestones::state.eq(MilestoneState::Active.as_str()))
        .count()
        .single_value();
    let of_releases = releases::table.filter(releases::project_id.eq(id)).count().single_value();
    let newest = || {
        releases::table
            .filter(releases::project_id.eq(id))
            .order((releases::released_at.desc(), releases::tag_name.desc()))
            .limit(1)
    };
    let (tag, at) = (newest().select(releases::tag_name).single_value(), newest().select(releases::released_at));
    let star = stars::table.find((id, user.map_or(0, UserId::get))).select(stars::user_id);
    let row = (merge_requests, of_milestones, of_releases, tag, at.single_value(), diesel::dsl::exists(star));
    let (merge_requests, milestones, releases, tag, at, is_starred): Row = diesel::select(row).get_result(tx.conn)?;
    Ok(Marks {
        merge_requests: merge_requests.unwrap_or_default(),
        milestones: milestones.unwrap_or_default(),
        releases: releases.unwrap_or_default(),
        latest_release: tag.zip(at.map(utc)),
        is_starred,
    })
}
