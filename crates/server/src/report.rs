//! The result of a command, as `--json` prints it.

use std::process::ExitCode;

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::terminal::{note, say};

/// The code of a command that is done, with findings.
pub(crate) const FINDINGS: u8 = 2;
/// The niceness of a command with low priority.
const NICENESS: i32 = 10;

/// How a command prints what it did, and how much of the machine it takes.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Output {
    /// Print the result as a line of JSON, and no progress
    #[arg(long)]
    pub(crate) json: bool,
    /// Give way to other processes that need the processor
    #[arg(long)]
    low_priority: bool,
}

impl Output {
    /// Takes the priority that was asked for. A system that refuses it is no failure.
    pub(crate) fn begin(self) {
        if self.low_priority {
            let _ = rustix::process::nice(NICENESS);
        }
    }
}

/// What a command did.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Report {
    /// In a sentence.
    pub(crate) summary: String,
    /// What is damaged.
    #[serde(default)]
    pub(crate) findings: Vec<String>,
    /// The name of the backup.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) backup: Option<String>,
    /// The bytes of all files that the backup needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) size: Option<u64>,
    /// The bytes that it has written itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) written: Option<u64>,
}

impl Report {
    /// Prints it: for people, or as a line of JSON. Yields the code of the command.
    pub(crate) fn print(&self, output: Output) -> anyhow::Result<ExitCode> {
        if output.json {
            say(&serde_json::to_string(self)?);
        } else {
            for finding in &self.findings {
                note(&format!("!!  {finding}"));
            }
            say(&self.summary);
        }
        Ok(if self.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FINDINGS) })
    }
}
