//! The issues and merge requests of a milestone.

use tenon_app::error::AppError;
use tenon_app::issuable::{Detail, IssuableView, StateCounts};
use tenon_app::merge_request::{self, MergeRequestView};
use tenon_app::milestone::{self, MilestoneProgress, MilestoneView};
use tenon_app::{ContainerReference, PageRequest, Query, issue};
use tenon_domain::page::Page;
use tenon_domain::time::Date;

use crate::kit::error::permitted;
use crate::kit::words::{count, day};
use crate::parts::issuable::list::Row;

/// The contents of a milestone, as they are read.
pub(crate) struct Found {
    issues: Option<Page<IssuableView>>,
    requests: Option<Page<MergeRequestView>>,
    progress: MilestoneProgress,
}

/// Reads the first issues and merge requests of a milestone that the caller may see, and its progress.
pub(crate) fn read(
    query: &mut Query<'_>,
    of: &ContainerReference,
    milestone: &MilestoneView,
) -> Result<Found, AppError> {
    let (id, first) = (milestone.milestone.id, PageRequest::new(None, Some(PageRequest::MAX_PER_PAGE)));
    let detail = Detail { labels: true, ..Detail::default() };
    Ok(Found {
        issues: permitted(issue::of_milestone(query, of, id, first, detail))?,
        requests: permitted(merge_request::of_milestone(query, of, id, first, detail))?,
        progress: milestone::progress(query, of, id)?,
    })
}

/// The same, as a page shows it. A list is none if the caller may not see any of its kind.
pub(crate) struct Contents {
    pub(crate) issues: Option<Listed>,
    pub(crate) requests: Option<Listed>,
    /// As that of [`super::milestone::MilestoneRow`].
    pub(crate) done: Option<(i64, i64, i64)>,
    pub(crate) chart: Option<Chart>,
}

/// The first issues or merge requests, and their total.
pub(crate) struct Listed {
    pub(crate) rows: Vec<Row>,
    pub(crate) total: i64,
}

impl Listed {
    /// The number that is not shown.
    pub(crate) fn left_out(&self) -> i64 {
        self.total - i64::try_from(self.rows.len()).unwrap_or(i64::MAX)
    }
}

impl Contents {
    /// `row` presents an issue, or the issue part of a merge request. Its flag is true for a draft.
    pub(crate) fn new(found: Found, row: impl Fn(&IssuableView, bool) -> Row) -> Self {
        let Found { issues, requests, progress } = found;
        let MilestoneProgress { issues: of_issues, merge_requests, open_by_day } = progress;
        let all = of_issues.all + merge_requests.all;
        let open = |counts: StateCounts| counts.opened;
        let done = all - open(of_issues) - open(merge_requests);
        Self {
            issues: issues.map(|page| Listed {
                rows: page.items.iter().map(|view| row(view, false)).collect(),
                total: page.total,
            }),
            requests: requests.map(|page| Listed {
                rows: page.items.iter().map(|view| row(&view.of, view.request.draft)).collect(),
                total: page.total,
            }),
            done: (all > 0).then(|| (done, all, done * 100 / all)),
            chart: Chart::new(&open_by_day),
        }
    }
}

/// The width and height of the chart, in its own units.
const SIZE: (usize, usize) = (600, 120);

/// The number of open issues at the end of each day, as a line.
pub(crate) struct Chart {
    /// The corners of the line, as SVG writes them.
    pub(crate) points: String,
    /// The meaning of the line, in words.
    pub(crate) words: String,
    pub(crate) first: String,
    pub(crate) last: String,
    /// The most issues that were open on a day.
    pub(crate) most: usize,
    /// The days on which the number changed, and the number. Begins with the first day.
    pub(crate) changes: Vec<(String, usize)>,
}

impl Chart {
    /// None if no issue was open, or if there is only one day.
    fn new(days: &[(Date, usize)]) -> Option<Self> {
        let ((first, before), (last, after)) = (*days.first()?, *days.last()?);
        let most = days.iter().map(|(_, open)| *open).max().filter(|most| *most > 0)?;
        let steps = (days.len() - 1 > 0).then_some(days.len() - 1)?;
        let (width, height) = SIZE;
        let point = |(at, (_, open)): (usize, &(Date, usize))| {
            format!("{},{}", at * width / steps, height - open * height / most)
        };
        let points: Vec<String> = days.iter().enumerate().map(point).collect();
        let issues = |number: usize| count(i64::try_from(number).unwrap_or(i64::MAX), "open issue", "open issues");
        let mut changes: Vec<(Date, usize)> = days.to_vec();
        changes.dedup_by_key(|(_, open)| *open);
        Some(Self {
            points: points.join(" "),
            words: format!("{} on {}, {} on {}", issues(before), day(first), issues(after), day(last)),
            first: day(first),
            last: day(last),
            most,
            changes: changes.into_iter().map(|(date, open)| (day(date), open)).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_runs_from_the_first_day_to_the_last() {
        let day = |number| Date::from_ymd_opt(2026, 11, number).unwrap();
        let chart = Chart::new(&[(day(1), 4), (day(2), 4), (day(3), 1)]).unwrap();
        assert_eq!(chart.points, "0,0 300,0 600,90");
        assert_eq!((chart.most, chart.changes.len()), (4, 2));
        assert!(
            chart.words.starts_with("4 open issues on ") && chart.words.contains("1 open issue on "),
            "{}",
            chart.words
        );
        assert!(Chart::new(&[]).is_none() && Chart::new(&[(day(1), 1)]).is_none());
        assert!(Chart::new(&[(day(1), 0), (day(2), 0)]).is_none());
    }
}
