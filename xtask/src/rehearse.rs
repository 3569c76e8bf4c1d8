//! `cargo xtask rehearse`: backups under writers and kills. The work is done by `rehearse` of tenon-bench.

use std::ffi::OsStr;
use std::process::ExitCode;

use anyhow::{Result, ensure};

use crate::run;

/// Builds the server's program and `bench` for tests, and rehearses with these arguments.
pub(crate) fn run<A: AsRef<OsStr>>(arguments: &[A]) -> Result<ExitCode> {
    // A program with tests is built along: see `run::server`.
    let words = ["build", "--quiet", "--workspace", "--bin", "tenon", "--bin", "bench", "--test", "binary"];
    let built = run::status(run::cargo(words).current_dir(run::root()))?;
    ensure!(built == ExitCode::SUCCESS, "the server cannot be built");
    let program = run::target().join("debug/bench");
    run::status(run::other(program.as_os_str()).arg("rehearse").args(arguments))
}
