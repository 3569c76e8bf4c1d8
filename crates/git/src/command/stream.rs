//! The output of a command as a stream.

use std::fmt;
use std::io::{self, Read};
use std::path::PathBuf;
use std::time::Instant;

use super::failure;
use super::pump::Pump;
use crate::error::GitError;

/// What a command prints, as it prints it. Reading fails when the command does, so that what was cut short is not taken
/// for whole. Dropping it kills the command.
pub struct GitStream {
    pump: Pump,
    name: &'static str,
    repository: Option<PathBuf>,
    is_finished: bool,
    /// When the last part was read. How long its reader takes is not the command's time.
    read_at: Instant,
}

impl GitStream {
    pub(crate) fn new(pump: Pump, name: &'static str, repository: Option<PathBuf>) -> Self {
        Self { pump, name, repository, is_finished: false, read_at: Instant::now() }
    }

    /// Reads the next bytes; 0 at the end of a command that has succeeded.
    pub fn read_part(&mut self, into: &mut [u8]) -> Result<usize, GitError> {
        if self.is_finished || into.is_empty() {
            return Ok(0);
        }
        self.pump.give(self.read_at.elapsed());
        let count = self.pump.read(into)?;
        self.read_at = Instant::now();
        if count == 0 {
            self.is_finished = true;
            let (code, log) = self.pump.finish()?;
            if code != Some(0) {
                return Err(failure(self.name, self.repository.as_deref(), code, log));
            }
        }
        Ok(count)
    }
}

impl GitStream {
    /// Hands over one record after the other, as they come, until one is answered with something: the rest is not read. No
    /// record is kept, so that how many there are costs time only.
    pub(crate) fn find_record<T>(
        mut self,
        separator: u8,
        mut look: impl FnMut(&[u8]) -> Option<T>,
    ) -> Result<Option<T>, GitError> {
        let (mut part, mut rest) = (vec![0; 64 << 10], Vec::new());
        loop {
            let count = self.read_part(&mut part)?;
            if count == 0 {
                return Ok(if rest.is_empty() { None } else { look(&rest) });
            }
            rest.extend_from_slice(part.get(..count).unwrap_or_default());
            let mut seen = 0;
            for record in rest.split_inclusive(|byte| *byte == separator) {
                let Some(record) = record.strip_suffix(&[separator]) else { break };
                seen += record.len() + 1;
                if let Some(found) = look(record) {
                    return Ok(Some(found));
                }
            }
            rest.drain(..seen);
        }
    }
}

impl Read for GitStream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.read_part(into).map_err(io::Error::other)
    }
}

impl fmt::Debug for GitStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GitStream").field("command", &self.name).finish_non_exhaustive()
    }
}
