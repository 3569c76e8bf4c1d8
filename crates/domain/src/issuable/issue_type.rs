//! The facts that only issues have: type and weight.

use crate::words::words;

words! {
    /// The type of an issue. All types behave alike.
    pub enum IssueType {
        /// Something to do, the usual one.
        Issue = "issue",
        /// Something that has failed.
        Incident = "incident",
        /// Something to test.
        TestCase = "test_case",
        /// A part of something else.
        Task = "task",
    }
}

impl IssueType {
    /// The same in capitals, as newer clients read it.
    #[must_use]
    pub const fn upper_case(self) -> &'static str {
        match self {
            Self::Issue => "ISSUE",
            Self::Incident => "INCIDENT",
            Self::TestCase => "TEST_CASE",
            Self::Task => "TASK",
        }
    }
}

/// The largest weight of an issue.
pub const MAX_WEIGHT: i64 = 1_000_000;
