//! A commit with its files in one process. `fast-import` checks no path: only [`crate::TreePath`]s come here.

use std::collections::BTreeMap;
use std::time::Duration;

use tenon_domain::file_path::bytes_of;

use crate::command::budget::Budget;
use crate::command::lossy;
use crate::crash_report;
use crate::error::GitError;
use crate::oid::Oid;
use crate::repository::Repository;
use crate::signature::Signature;
use crate::write::actions::{CommitRequest, Content, File};
use crate::write::object::without_nul;

const TIME: Duration = Duration::from_mins(2);
/// It is dropped before the process ends, so that it never is a ref.
const DRAFT: &str = "refs/tmp/draft";

impl Repository {
    /// Writes the objects of a commit and gives its name. No ref names it yet.
    pub(super) fn import_commit(
        &self,
        request: &CommitRequest,
        changes: &BTreeMap<String, Option<File>>,
    ) -> Result<Oid, GitError> {
        let mut input = Vec::new();
        let message = without_nul(&request.message);
        input.extend_from_slice(format!("feature done\ncommit {DRAFT}\nmark :1\n").as_bytes());
        for (role, Signature { name, email, .. }, date) in [
            ("author", &request.author, request.author.date()),
            ("committer", &request.committer, request.committer.date()),
        ] {
            input.extend_from_slice(format!("{role} {name} <{email}> {date}\n").as_bytes());
        }
        input.extend_from_slice(format!("data {}\n{message}\n", message.len()).as_bytes());
        if let Some(start) = request.start {
            input.extend_from_slice(format!("from {start}\n").as_bytes());
        }
        // Deletions come first: a file may become a directory.
        let gone = changes.iter().filter(|(_, file)| file.is_none());
        gone.for_each(|(path, _)| input.extend_from_slice(&[b"D ", &*quoted(path), b"\n"].concat()));
        for (path, file) in changes {
            let Some(File { mode, content }) = file else { continue };
            let (path, mode) = (quoted(path), mode.digits());
            match content {
                Content::Old(oid) => {
                    input.extend_from_slice(&[format!("M {mode} {oid} ").as_bytes(), &path, b"\n"].concat());
                }
                Content::New(bytes) => {
                    input.extend_from_slice(&[format!("M {mode} inline ").as_bytes(), &path, b"\n"].concat());
                    input.extend_from_slice(format!("data {}\n", bytes.len()).as_bytes());
                    input.extend_from_slice(bytes);
                    input.push(b'\n');
                }
            }
        }
        input.extend_from_slice(format!("\nget-mark :1\nreset {DRAFT}\nfrom {}\n\ndone\n", Oid::ZERO).as_bytes());
        let output = self
            .git("fast-import")
            .args(["--quiet", "--force"])
            .input(input)
            .time(TIME)
            .budget(Budget::Transfer)
            .bytes()
            .inspect_err(|_| {
                crash_report::remove_all(self.path());
            })?;
        lossy(&output).trim().parse().map_err(|_error| GitError::Unexpected("fast-import"))
    }
}

/// A path as `fast-import` reads it, from its kept form.
fn quoted(path: &str) -> Vec<u8> {
    let mut text = vec![b'"'];
    for byte in bytes_of(path).unwrap_or_default().iter() {
        match byte {
            b'"' | b'\\' => text.extend([b'\\', *byte]),
            0..0x20 | 0x7f => text.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
            _ => text.push(*byte),
        }
    }
    text.push(b'"');
    text
}
