//! Ticking the tasks of a text where a page shows it.

use tenon_auth::digest;
use tenon_markdown::TaskList;
pub use tenon_markdown::with_boxes;

use crate::core::app::Query;
use crate::core::error::AppError;

/// The tasks of a text that its reader may tick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownTasks {
    /// The digest of the text without its ticks. A change names it.
    pub seen: String,
    /// The numbers of the ticked ones, from 1.
    pub ticked: Vec<usize>,
}

/// A request to tick tasks of a text, and to remove ticks.
#[derive(Debug, Clone, Default)]
pub struct TaskChange {
    /// As [`ShownTasks::seen`]: the text that the caller has read.
    pub seen: String,
    /// The tasks to tick, from 1.
    pub on: Vec<usize>,
    /// The tasks that are no longer to be ticked.
    pub off: Vec<usize>,
}

/// The tasks of a text whose HTML is `html`; none if it has no boxes.
pub(crate) fn shown(query: &Query<'_>, text: &str, html: &str) -> Option<ShownTasks> {
    if !html.contains("<input ") {
        return None;
    }
    let list = query.within_budget(|ends| TaskList::of(text, ends))?;
    let is_shown = list.is_shown_in(html);
    is_shown.then(|| ShownTasks { seen: digest(&list.without_ticks()), ticked: list.numbers().collect() })
}

impl TaskChange {
    /// The text with this change. [`AppError::Stale`] if anything but its ticks is not as the caller has read it,
    /// [`AppError::TookTooLong`] if the budget for texts does not suffice to find that out.
    pub(crate) fn applied_to(&self, query: &Query<'_>, text: &str) -> Result<String, AppError> {
        let (list, is_over) = query.within_budget(|ends| (TaskList::of(text, ends), ends.is_now()));
        let failed = || if is_over { AppError::TookTooLong { retry_after: 10 } } else { AppError::Stale };
        let list = list.ok_or_else(failed)?;
        if digest(&list.without_ticks()) != self.seen {
            return Err(AppError::Stale);
        }
        list.ticked(&self.on, &self.off).ok_or(AppError::Stale)
    }
}
