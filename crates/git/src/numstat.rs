//! Lines added and removed, as `--numstat` of Git prints them.

/// Lines added and removed. Binary files count as none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Lines added.
    pub additions: u64,
    /// Lines removed.
    pub deletions: u64,
    /// Files changed.
    pub files: u64,
}

impl Stats {
    /// Counts a line of `--numstat`: `3\t1\tname`, or `-\t-\tname` for a binary file. False if the text is no such
    /// line.
    pub(crate) fn add(&mut self, line: &str) -> bool {
        let mut fields = line.split('\t');
        let (Some(added), Some(removed), Some(_name)) = (fields.next(), fields.next(), fields.next()) else {
            return false;
        };
        self.additions += added.parse().unwrap_or(0);
        self.deletions += removed.parse().unwrap_or(0);
        self.files += 1;
        true
    }
}
