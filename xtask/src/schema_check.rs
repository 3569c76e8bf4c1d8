//! `cargo xtask schema-check`: holds a server against its own description, with schemathesis.
//!
//! The tool is Python's. It gets a virtual environment of its own in the folder of builds, and the server data of its
//! own in a temporary folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::run;
use crate::server::Server;

/// The installed version. Another version generates other requests: it is changed on purpose.
const TOOL: &str = "schemathesis==4.32.5";
const SCRIPT: &str = "tests/clients/schema_check.py";
const TOKEN: &str = "schema-check-token-of-root";

#[derive(Args)]
pub(crate) struct Arguments {
    /// How many requests to generate, over all operations
    #[arg(long, default_value_t = 20_000)]
    cases: u32,
    /// Which requests are generated: the same number, the same requests
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// A running server that may be changed at will, in place of a fresh one; `TENON_ROOT_TOKEN` holds its token
    #[arg(long)]
    url: Option<String>,
}

/// The short form for CI. Without Python or the package it says so and succeeds: `cargo test` does not need them.
pub(crate) fn briefly() -> Result<ExitCode> {
    match environment() {
        Ok(python) => check(&python, &Arguments { cases: 604, seed: 1, url: None }),
        Err(reason) => {
            println!("skipped: {reason:#}");
            Ok(ExitCode::SUCCESS)
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    check(&environment()?, arguments)
}

fn check(python: &Path, arguments: &Arguments) -> Result<ExitCode> {
    let folder = run::target().join("schema-check-run");
    let token = std::env::var("TENON_ROOT_TOKEN").unwrap_or_else(|_| TOKEN.to_owned());
    let server = match &arguments.url {
        Some(_) => None,
        None => Some(Server::start(&run::server()?, &folder, &token)?),
    };
    let url = arguments.url.as_deref().or(server.as_ref().map(|server| server.url.as_str())).unwrap_or_default();
    let mut command = run::other(python.as_os_str());
    command.arg(run::root().join(SCRIPT)).args([url, &token]);
    command.args([arguments.cases.to_string(), arguments.seed.to_string()]).arg(&folder);
    run::status(&mut command)
}

/// The Python of the virtual environment, which is made if it is not there yet.
fn environment() -> Result<PathBuf> {
    let folder = run::target().join("schema-check");
    let python = folder.join("bin/python");
    let installed = folder.join("installed");
    if fs::read_to_string(&installed).is_ok_and(|version| version == TOOL) {
        return Ok(python);
    }
    let mut make = run::other("python3".as_ref());
    let outcome = run::status(make.args(["-m", "venv"]).arg(&folder).stderr(Stdio::null()))?;
    ensure!(outcome == ExitCode::SUCCESS, "python3 cannot make a virtual environment: its module venv is missing");
    let mut install = run::other(python.as_os_str());
    let done = run::status(install.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--retries=1",
        "--timeout=10",
        TOOL,
    ]))?;
    ensure!(done == ExitCode::SUCCESS, "{TOOL} cannot be installed: the package index cannot be reached");
    fs::write(&installed, TOOL).context("the virtual environment cannot be written")?;
    Ok(python)
}
