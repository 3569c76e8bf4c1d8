//! The rows of a list of branches: the default branch apart, then active and stale ones.

use std::collections::HashMap;

use tenon_app::Query;
use tenon_app::merge_request;
use tenon_app::repository::{BranchView, BranchesPage, Divergence};
use tenon_domain::issuable::{Issuable, State};
use tenon_domain::time::{Days, Timestamp};

use super::ref_row::{Apart, Group, RequestLink, Row};
use crate::context::project::ProjectContext;
use crate::kit::address::{in_path, new_request};
use crate::kit::error::{PageError, permitted};

/// Steps of the width of a bar.
const STEPS: i64 = 25;

/// The facts about the branches of a list that the database has.
struct Known {
    now: Timestamp,
    requests: HashMap<String, Issuable>,
}

/// The groups of a list. The default branch is shown if it is in the list, or if `shows_default`.
pub(super) async fn groups(
    context: &ProjectContext,
    found: BranchesPage,
    shows_default: bool,
) -> Result<Vec<Group>, PageError> {
    let BranchesPage { branches, default, divergences, ages: _ } = found;
    let Known { now, requests } = known(context, &branches.items).await?;
    let limit = stale_before(now);
    let shown = Shown { may_request: may_request(context), most: most(&divergences), divergences, requests };
    let (listed, others): (Vec<_>, Vec<_>) = branches.items.into_iter().partition(|branch| branch.default);
    let default = listed.into_iter().next().or_else(|| default.filter(|_| shows_default));
    let (active, stale): (Vec<_>, Vec<_>) = others.into_iter().partition(|branch| branch.commit.committer.at >= limit);
    let rows = |branches: Vec<BranchView>| branches.into_iter().map(|branch| shown.row(branch)).collect::<Vec<_>>();
    let groups = [
        Group { title: "Default", note: "", rows: rows(default.into_iter().collect()) },
        Group { title: "Active", note: "", rows: rows(active) },
        Group { title: "Stale", note: "no commits in the last 3 months", rows: rows(stale) },
    ];
    Ok(groups.into_iter().filter(|group| !group.rows.is_empty()).collect())
}

/// Days without a commit after which a branch is stale: three months.
const FRESH: Days = Days::new(90);

/// Branches whose last commit is older than this are stale.
pub(super) fn stale_before(now: Timestamp) -> Timestamp {
    now.checked_sub_days(FRESH).unwrap_or(now)
}

/// The time, and the newest merge requests of these branches, if the caller may see them.
async fn known(context: &ProjectContext, branches: &[BranchView]) -> Result<Known, PageError> {
    let (of, names) = (context.project(), branches.iter().map(|branch| branch.name.clone()).collect::<Vec<_>>());
    let may_read = context.page.may.read_merge_requests;
    let read = move |query: &mut Query<'_>| {
        let found = if may_read { permitted(merge_request::of_branches(query, &of, &names))? } else { None };
        Ok(Known { now: query.now, requests: found.unwrap_or_default() })
    };
    context.request.ask(read).await
}

fn may_request(context: &ProjectContext) -> bool {
    context.page.may_push && context.page.may.read_merge_requests && context.frame.user.is_some()
}

/// The largest number, for which a bar is widest.
fn most(divergences: &HashMap<String, Divergence>) -> i64 {
    divergences.values().map(|apart| apart.behind.max(apart.ahead)).max().unwrap_or_default().max(1)
}

/// The facts that rows need beside their branch.
struct Shown {
    may_request: bool,
    most: i64,
    divergences: HashMap<String, Divergence>,
    requests: HashMap<String, Issuable>,
}

impl Shown {
    fn row(&self, branch: BranchView) -> Row {
        let apart = self.divergences.get(&branch.commit.id).filter(|_| !branch.default);
        let request = self.requests.get(&branch.name).filter(|_| !branch.default);
        let is_ahead = apart.is_none_or(|apart| apart.ahead > 0);
        let may_request = self.may_request && request.is_none() && is_ahead && !branch.default;
        let says_so = request.is_some_and(|request| request.state == State::Merged);
        let notes =
            [(branch.default, "Default"), (branch.protected, "Protected"), (branch.merged && !says_so, "Merged")];
        Row {
            address: in_path(&branch.name),
            notes: notes.into_iter().filter(|(holds, _)| *holds).map(|(_, note)| note).collect(),
            message: String::new(),
            may_release: false,
            may_delete: branch.can_push && !branch.default,
            new_request: may_request.then(|| new_request(&branch.name, None)),
            apart: apart.map(|apart| Apart {
                behind: apart.behind,
                ahead: apart.ahead,
                behind_width: width(apart.behind, self.most),
                ahead_width: width(apart.ahead, self.most),
            }),
            request: request.map(link),
            last: Some(branch.commit.into()),
            name: branch.name,
        }
    }
}

fn link(request: &Issuable) -> RequestLink {
    let (state, class) = match request.state {
        State::Opened => ("Open", "open"),
        State::Closed { .. } | State::Locked => ("Closed", "closed"),
        State::Merged => ("Merged", "merged"),
    };
    RequestLink { iid: request.iid.get(), state, class }
}

/// The width of a bar in percent, by steps. It grows with the square root of the number.
fn width(number: i64, most: i64) -> i64 {
    let wanted = i128::from(number) * i128::from(STEPS * STEPS);
    let fits = |step: &i64| i128::from(*step) * i128::from(*step) * i128::from(most) >= wanted;
    (0..=STEPS).find(fits).unwrap_or(STEPS) * 100 / STEPS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_grow_with_the_square_root() {
        for (number, most, want) in
            [(0, 1, 0), (1, 1, 100), (1, 100, 12), (25, 100, 52), (100, 100, 100), (1, 1 << 40, 4)]
        {
            assert_eq!(width(number, most), want, "{number} of {most}");
        }
    }
}
