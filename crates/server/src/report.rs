//! The result of a command, as `--json` prints it.

use std::process::ExitCode;

use clap::Args;
use serde::{Deserialize, Serialize};
use tenon_domain::server_task::first_findings;

use crate::terminal::{note, say};

/// The code of a command that is done, with findings.
pub(crate) const FINDINGS: u8 = 2;
/// The variable that is set for a process that a server has started.
pub(crate) const CHILD: &str = "TENON_STARTED_BY_SERVER";
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
    pub(crate) low_priority: bool,
}

impl Output {
    /// Takes the priority that was asked for, and ends with the server that has started the process. A system that refuses either
    /// is no failure.
    pub(crate) fn begin(self) {
        if self.low_priority {
            let _ = rustix::process::nice(NICENESS);
        }
        #[cfg(target_os = "linux")]
        if std::env::var_os(CHILD).is_some() {
            let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM));
        }
    }
}

/// The result of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Report {
    /// In a sentence.
    pub(crate) summary: String,
    /// The things that are damaged.
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
            let findings = first_findings(self.findings.clone());
            say(&serde_json::to_string(&Self { findings, ..self.clone() })?);
        } else {
            for finding in &self.findings {
                note(&format!("!!  {finding}"));
            }
            say(&self.summary);
        }
        Ok(if self.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FINDINGS) })
    }
}
