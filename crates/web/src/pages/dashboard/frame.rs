//! The top of each page of the dashboard.

use tenon_app::Query;
use tenon_app::error::AppError;
use tenon_app::user::{self, Workload};

/// The top of each page of the dashboard.
pub(crate) struct DashboardFrame {
    here: &'static str,
    pub(crate) work: Workload,
}

impl DashboardFrame {
    pub(crate) fn read(query: &mut Query<'_>, here: &'static str) -> Result<Self, AppError> {
        Ok(Self { here, work: user::workload(query)? })
    }

    pub(crate) fn is_at(&self, tab: &str) -> bool {
        self.here == tab
    }
}
