//! Reads the output of `diff-tree --raw --patch` while it is printed: a line for each file, then the texts in the same
//! order.

use std::collections::HashSet;

use crate::command::lossy;
use crate::command::stream::GitStream;
use crate::diff::quoted::unquoted;
use crate::diff::{Diff, DiffLimits, FileDiff};
use crate::error::GitError;
use crate::oid::Oid;

pub(super) fn read(stream: GitStream, limits: DiffLimits) -> Result<Diff, GitError> {
    let mut lines = Lines { stream, buffer: Vec::new(), start: 0 };
    let mut reader = Reader::new(limits);
    loop {
        // The longest line that says something is that of a file with two long names.
        match lines.next(limits.file_bytes.max(64 << 10)) {
            Ok(Some(line)) => {
                if !reader.take(line) {
                    reader.cut_off();
                    break;
                }
            }
            Ok(None) => break,
            Err(GitError::Timeout(_)) => {
                reader.cut_off();
                break;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(reader.finish())
}

/// The output of `diff-tree --stdin`: differences, each below a line with its commit. Past the limits, the differences behind are left
/// out.
pub(super) fn read_each(
    stream: GitStream,
    limits: DiffLimits,
    commits: &HashSet<Oid>,
) -> Result<Vec<(Oid, Diff)>, GitError> {
    let mut lines = Lines { stream, buffer: Vec::new(), start: 0 };
    let mut readers: Vec<(Oid, Reader)> = Vec::new();
    loop {
        let line = match lines.next(limits.file_bytes) {
            Ok(Some(line)) => line,
            Ok(None) => break,
            Err(GitError::Timeout(_)) => {
                for (_, reader) in &mut readers {
                    reader.cut_off();
                }
                break;
            }
            Err(error) => return Err(error),
        };
        let commit = line.strip_suffix(b"\n").and_then(Oid::from_bytes).filter(|id| commits.contains(id));
        if let Some(id) = commit {
            let total = readers.last().map_or(0, |(_, reader)| reader.total);
            readers.push((id, Reader { total, ..Reader::new(limits) }));
        } else if let Some((_, reader)) = readers.last_mut()
            && !reader.take(line)
        {
            reader.cut_off();
            break;
        }
    }
    Ok(readers.into_iter().map(|(id, reader)| (id, reader.finish())).collect())
}

struct Reader {
    limits: DiffLimits,
    diff: Diff,
    /// For each text that will come: the file it belongs to. A file that becomes a link has two texts.
    parts: Vec<usize>,
    /// For each of these texts its first line, because some texts may not come.
    heads: Vec<Vec<u8>>,
    current: Option<Current>,
    total: usize,
    /// Lines of text that were read.
    total_lines: usize,
    cut: bool,
}

struct Current {
    /// Which of the parts it is.
    part: usize,
    /// True if the header is over.
    in_body: bool,
    text: Vec<u8>,
    too_large: bool,
}

impl Reader {
    fn new(limits: DiffLimits) -> Self {
        Self {
            limits,
            diff: Diff::default(),
            parts: Vec::new(),
            heads: Vec::new(),
            current: None,
            total: 0,
            total_lines: 0,
            cut: false,
        }
    }

    /// Nothing more is read.
    fn cut_off(&mut self) {
        self.diff.overflow = true;
        self.cut = true;
    }

    /// Parses a line with its end. `false` if nothing more is wanted.
    fn take(&mut self, line: &[u8]) -> bool {
        if self.current.is_none() && line.starts_with(b":") {
            return self.take_file(line);
        }
        if line.starts_with(b"diff --git ") {
            self.close();
            let next = self.current.take().map_or(0, |current| current.part + 1);
            let part = self.part_of(line, next);
            if part >= self.parts.len() && self.diff.files.len() < self.limits.files {
                // The text of a file that was not named: which text belongs to which of the others is not known.
                self.leave_out(next);
            }
            self.current = Some(Current { part, in_body: false, text: Vec::new(), too_large: false });
            let has_room = self.total < self.limits.total_bytes && self.total_lines < self.limits.total_lines;
            return part < self.parts.len() && has_room;
        }
        let Some(current) = &mut self.current else { return true };
        if !current.in_body {
            current.in_body = line.starts_with(b"@@ ") || line.starts_with(b"Binary files ");
        }
        if current.in_body && !current.too_large {
            self.total += line.len();
            self.total_lines += 1;
            current.text.extend_from_slice(line);
            current.too_large = current.text.len() > self.limits.file_bytes;
        }
        true
    }

    /// Parses `:100644 100755 <old> <new> M\tname`. Files past the limit are skipped: their texts come last.
    fn take_file(&mut self, line: &[u8]) -> bool {
        if self.diff.files.len() >= self.limits.files {
            self.diff.overflow = true;
            return true;
        }
        if let Some((file, texts)) = file(line) {
            if self.limits.ignore_space {
                self.heads.extend(std::iter::repeat_n(head(line).unwrap_or_default(), texts));
            }
            self.parts.extend(std::iter::repeat_n(self.diff.files.len(), texts));
            self.diff.files.push(file);
        }
        true
    }

    /// Which part begins with this line. Without white space Git prints no text of a file in which nothing else
    /// differs.
    fn part_of(&self, line: &[u8], next: usize) -> usize {
        if !self.limits.ignore_space {
            return next;
        }
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let found = self.heads.iter().skip(next).position(|head| head == line);
        found.map_or(self.parts.len(), |after| next + after)
    }

    /// Gives the text that has been read to its file.
    fn close(&mut self) {
        let Some(current) = &mut self.current else { return };
        let file = self.parts.get(current.part).and_then(|file| self.diff.files.get_mut(*file));
        let Some(file) = file else { return };
        if current.too_large {
            file.diff.clear();
            file.too_large = true;
        } else if !file.too_large {
            file.diff.push_str(&lossy(&current.text));
        }
    }

    fn finish(mut self) -> Diff {
        if self.cut {
            // The text that was being read is not whole, and the others have not been read.
            self.leave_out(self.current.as_ref().map_or(0, |current| current.part));
        }
        self.close();
        self.diff
    }

    /// Shows the files of this part and of all after it without their texts.
    fn leave_out(&mut self, from: usize) {
        for file in self.parts.get(from..).unwrap_or_default() {
            if let Some(file) = self.diff.files.get_mut(*file) {
                file.diff.clear();
                file.too_large = true;
            }
        }
    }
}

/// The file of a line, and how many texts it has.
fn file(line: &[u8]) -> Option<(FileDiff, usize)> {
    let line = line.strip_suffix(b"\n").unwrap_or(line).strip_prefix(b":")?;
    let mut fields = line.split(|byte| *byte == b'\t');
    let head = lossy(fields.next()?);
    let old_path = unquoted(fields.next()?);
    let new_path = fields.next().map_or_else(|| old_path.clone(), unquoted);
    let mut words = head.split(' ');
    let mut mode = || words.next().map(|mode| if mode == "000000" { "0".to_owned() } else { mode.to_owned() });
    let (a_mode, b_mode) = (mode()?, mode()?);
    let status = words.nth(2)?;
    // A change of kind is reported as a removal and an addition.
    let texts = if status.starts_with('T') { 2 } else { 1 };
    let file = FileDiff {
        new_file: status.starts_with('A'),
        deleted_file: status.starts_with('D'),
        renamed_file: status.starts_with('R'),
        old_path,
        new_path,
        a_mode,
        b_mode,
        ..FileDiff::default()
    };
    Some((file, texts))
}

/// The line with which the text of a file begins. Names that Git quotes are quoted together with their prefix.
fn head(line: &[u8]) -> Option<Vec<u8>> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let mut names = line.split(|byte| *byte == b'\t').skip(1);
    let old = names.next()?;
    let new = names.next().unwrap_or(old);
    let prefixed = |prefix: &[u8], name: &[u8]| match name.strip_prefix(b"\"") {
        Some(rest) => [b"\"", prefix, rest].concat(),
        None => [prefix, name].concat(),
    };
    Some([&b"diff --git "[..], &prefixed(b"a/", old), b" ", &prefixed(b"b/", new)].concat())
}

/// The lines of a stream.
struct Lines {
    stream: GitStream,
    buffer: Vec<u8>,
    start: usize,
}

impl Lines {
    /// The next line with its end. Of a line longer than `most`, the beginning comes first, and the rest as if it were
    /// lines.
    fn next(&mut self, most: usize) -> Result<Option<&[u8]>, GitError> {
        let mut checked = self.start;
        loop {
            let fresh = self.buffer.get(checked..).unwrap_or_default();
            let found = fresh.iter().position(|byte| *byte == b'\n').map(|end| checked + end + 1);
            let length = self.buffer.len() - self.start;
            if let Some(end) = found.or((length > most).then_some(self.buffer.len())) {
                let line = self.start..end;
                self.start = end;
                return Ok(self.buffer.get(line));
            }
            self.buffer.drain(..self.start);
            self.start = 0;
            checked = self.buffer.len();
            let mut part = [0; 16 << 10];
            let count = self.stream.read_part(&mut part)?;
            if count == 0 {
                let rest = 0..self.buffer.len();
                self.start = rest.end;
                return Ok(self.buffer.get(rest).filter(|rest| !rest.is_empty()));
            }
            self.buffer.extend_from_slice(part.get(..count).unwrap_or_default());
        }
    }
}
