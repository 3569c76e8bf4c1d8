//! The progress of a command, on a terminal.

use std::cell::RefCell;
use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressStyle};
use tenon_backup::{Progress, Step};

/// A bar for each step, on a terminal.
pub(super) struct Bar {
    is_shown: bool,
    bar: RefCell<ProgressBar>,
}

impl Bar {
    pub(super) fn new(quiet: bool) -> Self {
        Self { is_shown: !quiet && std::io::stderr().is_terminal(), bar: RefCell::new(ProgressBar::hidden()) }
    }
}

impl Progress for Bar {
    fn begin(&self, step: Step, total: usize) {
        if !self.is_shown {
            return;
        }
        let (bar, form) = match total {
            0 => (ProgressBar::new_spinner(), "{msg:14} {pos} {per_sec} {elapsed}"),
            _ => (
                ProgressBar::new(u64::try_from(total).unwrap_or(u64::MAX)),
                "{msg:14} [{bar:30}] {pos}/{len} {per_sec} {eta} left",
            ),
        };
        if let Ok(style) = ProgressStyle::with_template(form) {
            bar.set_style(style);
        }
        bar.set_message(match step {
            Step::Rows => "rows",
            Step::Files => "uploads",
            Step::Repositories => "repositories",
            Step::Parts => "files",
            Step::Comparison => "comparing",
        });
        self.bar.replace(bar);
    }

    fn advance(&self, pieces: usize) {
        self.bar.borrow().inc(u64::try_from(pieces).unwrap_or(u64::MAX));
    }

    fn end(&self) {
        self.bar.borrow().finish_and_clear();
    }
}
