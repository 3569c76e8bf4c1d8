//! How far a command is.

/// A part of the work of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Rows of the database.
    Rows,
    /// Uploads and pictures.
    Files,
    /// Repositories.
    Repositories,
    /// Files of a backup that are read and compared with its manifest.
    Parts,
    /// The index of words is made, and the rows are compared with the backup.
    Comparison,
}

/// Is told how far a command is.
pub trait Progress {
    /// A part of the work begins, which has `total` pieces; 0 if that is not known.
    fn begin(&self, step: Step, total: usize);
    /// This many pieces more are done.
    fn advance(&self, pieces: usize);
    /// The part that began last has ended.
    fn end(&self);
}

/// Nobody wants to know.
impl Progress for () {
    fn begin(&self, _step: Step, _total: usize) {}
    fn advance(&self, _pieces: usize) {}
    fn end(&self) {}
}
