//! Starting other programs.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};

/// The top of the repository.
pub(crate) fn root() -> PathBuf {
    // Cargo tells the running program; a program that is started by hand is started there.
    let own = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let own = own.and_then(|folder| folder.parent().map(Path::to_owned));
    own.or_else(|| std::env::current_dir().ok()).unwrap_or_else(|| PathBuf::from("."))
}

/// The cargo that started this program.
fn cargo_program() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"))
}

/// A program of the toolchain that is in use. Fails if `rustc` does not say where it is.
pub(crate) fn toolchain_program(name: &str) -> Result<PathBuf> {
    let asked = program(OsStr::new("rustc")).args(["--print", "sysroot"]).output().context("rustc did not start")?;
    ensure!(asked.status.success(), "rustc does not know where it is installed");
    let folder = String::from_utf8(asked.stdout).context("the folder of rustc is not UTF-8")?;
    Ok(Path::new(folder.trim_end()).join("bin").join(name))
}

/// The cargo that started this program, in the folder of the user.
pub(crate) fn cargo<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Command {
    let mut command = program(&cargo_program());
    command.args(arguments);
    // Build scripts of dependencies read the variables that Cargo has set for this program, above all its folder. They
    // would run again for each clone, and for each cargo that is started by hand, and so would all crates above them.
    for (name, _value) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")) {
            command.env_remove(name);
        }
    }
    command
}

/// Git, at the top of the repository.
pub(crate) fn git<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Command {
    let mut command = program(OsStr::new("git"));
    command.args(arguments).current_dir(root());
    command
}

/// Another program, by its name or its place.
pub(crate) fn other(program_name: &OsStr) -> Command {
    program(program_name)
}

/// Runs to the end and hands on the exit code.
pub(crate) fn status(command: &mut Command) -> Result<ExitCode> {
    let status = command.status().with_context(|| format!("{} did not start", command.get_program().display()))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// The folder of builds.
pub(crate) fn target() -> PathBuf {
    let folder = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    // Programs are started in other folders.
    std::path::absolute(&folder).unwrap_or(folder)
}

/// Builds the server's program, and returns its path. A program with tests is built along, since only then have all
/// dependencies the features that the tests need, and nothing is compiled twice.
pub(crate) fn server() -> Result<PathBuf> {
    let mut build = cargo(["build", "--quiet", "--workspace", "--bin", "tenon", "--test", "binary"]);
    ensure!(status(build.current_dir(root()))? == ExitCode::SUCCESS, "the server cannot be built");
    Ok(target().join("debug/tenon"))
}

/// Builds the server's program as it is released, and returns its path.
pub(crate) fn released_server() -> Result<PathBuf> {
    let mut build = cargo(["build", "--release", "--package", "tenon"]);
    ensure!(status(build.current_dir(root()))? == ExitCode::SUCCESS, "the server cannot be built");
    Ok(target().join("release/tenon"))
}

#[expect(clippy::disallowed_methods, reason = "the one place in this crate; nothing here is the server's code")]
fn program(name: &OsStr) -> Command {
    Command::new(name)
}
