//! `cargo xtask test`: the whole test suite. Cargo runs test programs one after the other, and the last test of each leaves
//! processors idle; here several programs run at once.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::{ExitCode, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::run;

/// The programs that take longest, which begin first. Wrong names here cost time and nothing else.
const LONGEST: [&str; 7] = ["binary", "api", "contract", "storage", "engine", "operation", "app"];

/// How many tests of a program run at once.
const THREADS: &str = "RUST_TEST_THREADS";

/// What the command takes.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How many test programs run at once [default: as many as there are processors]
    #[arg(long)]
    programs: Option<usize>,
    /// What every test program gets: parts of test names, `--skip ::postgres`, `--nocapture`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// A program with tests, built.
#[derive(Debug, PartialEq, Eq)]
struct Program {
    /// The name of its target.
    name: String,
    executable: PathBuf,
    /// The folder of its package, where Cargo would run it.
    folder: PathBuf,
}

/// How a program ended.
struct Ended {
    name: String,
    succeeded: bool,
    took: Duration,
    output: String,
}

/// All tests, each program with these variables in its environment.
pub(crate) fn all(environment: &[(&str, &str)]) -> Result<ExitCode> {
    run(&Arguments { programs: None, arguments: Vec::new() }, environment)
}

pub(crate) fn run(arguments: &Arguments, environment: &[(&str, &str)]) -> Result<ExitCode> {
    let started = Instant::now();
    let programs = build()?;
    println!("{} test programs are built, after {:.1} s", programs.len(), started.elapsed().as_secs_f64());
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let at_once = arguments.programs.unwrap_or(processors);
    // Tests wait for sockets, databases and other processes for about half of their time.
    let threads = std::env::var(THREADS).unwrap_or_else(|_unset| (2 * processors).to_string());
    let environment = [environment, &[(THREADS, threads.as_str())]].concat();
    let failed = run_all(programs, at_once, &arguments.arguments, &environment);
    for program in &failed {
        println!("\n==> {} failed\n{}", program.name, program.output);
    }
    println!("test programs: {:.1} s, {} failed", started.elapsed().as_secs_f64(), failed.len());
    // Examples in comments are built by rustdoc, and have no programs that could be run above.
    let mut examples = run::cargo(["test", "--quiet", "--workspace", "--doc"]);
    let examples = run::status(examples.current_dir(run::root()))?;
    Ok(if failed.is_empty() { examples } else { ExitCode::FAILURE })
}

fn build() -> Result<VecDeque<Program>> {
    let mut command = run::cargo(["test", "--workspace", "--no-run", "--message-format", "json-render-diagnostics"]);
    let output = command.current_dir(run::root()).stderr(Stdio::inherit()).output().context("cargo did not start")?;
    ensure!(output.status.success(), "the tests cannot be built");
    let messages = String::from_utf8(output.stdout).context("cargo printed something that is not UTF-8")?;
    let mut programs: Vec<Program> =
        messages.lines().map(program).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    let place = |program: &Program| LONGEST.iter().position(|name| *name == program.name).unwrap_or(LONGEST.len());
    programs.sort_by(|a, b| (place(a), &a.name).cmp(&(place(b), &b.name)));
    Ok(programs.into())
}

/// The program that a message of Cargo names, if it names one with tests.
fn program(message: &str) -> Result<Option<Program>> {
    let message: Value = serde_json::from_str(message).context("cargo printed no JSON")?;
    let is_test = message.pointer("/profile/test").and_then(Value::as_bool) == Some(true);
    let text = |path: &str| message.pointer(path).and_then(Value::as_str);
    let (Some(name), Some(executable), Some(manifest), true) =
        (text("/target/name"), text("/executable"), text("/manifest_path"), is_test)
    else {
        return Ok(None);
    };
    let folder = PathBuf::from(manifest).parent().context("a manifest lies in a folder")?.to_owned();
    Ok(Some(Program { name: name.to_owned(), executable: executable.into(), folder }))
}

/// Runs all programs, prints a line for each, and returns those that failed.
fn run_all(
    programs: VecDeque<Program>,
    at_once: usize,
    arguments: &[OsString],
    environment: &[(&str, &str)],
) -> Vec<Ended> {
    let (waiting, failed) = (Mutex::new(programs), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..at_once.max(1) {
            scope.spawn(|| {
                while let Some(program) = next(&waiting) {
                    let ended = run_one(program, arguments, environment);
                    let state = if ended.succeeded { "ok     " } else { "FAILED " };
                    let tests = summary(&ended.output);
                    println!("{state} {:>7.1} s  {:<16} {tests}", ended.took.as_secs_f64(), ended.name);
                    // The exit code says the same to a caller that does not read the lines.
                    _ = std::io::stdout().flush();
                    if !ended.succeeded {
                        failed.lock().unwrap_or_else(PoisonError::into_inner).push(ended);
                    }
                }
            });
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn next(waiting: &Mutex<VecDeque<Program>>) -> Option<Program> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
}

fn run_one(program: Program, arguments: &[OsString], environment: &[(&str, &str)]) -> Ended {
    let started = Instant::now();
    let mut command = run::other(program.executable.as_os_str());
    command.args(arguments).current_dir(&program.folder).env("CARGO_MANIFEST_DIR", &program.folder);
    command.envs(environment.iter().copied());
    let (succeeded, output) = match command.stdin(Stdio::null()).output() {
        Ok(output) => {
            let text = [output.stdout, output.stderr].concat();
            (output.status.success(), String::from_utf8_lossy(&text).into_owned())
        }
        Err(error) => (false, format!("{} did not start: {error}", program.executable.display())),
    };
    Ended { name: program.name, succeeded, took: started.elapsed(), output }
}

/// What the test harness says in the end: how many tests passed.
fn summary(output: &str) -> &str {
    let line = output.lines().rev().find_map(|line| line.strip_prefix("test result: "));
    line.and_then(|line| line.split("; finished").next()).unwrap_or("no result")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_with_tests_are_found_in_what_cargo_prints() {
        let message = |executable: &str, test: bool| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/t/tests/Cargo.toml","target":{{"name":"api"}},"profile":{{"test":{test}}},"executable":{executable}}}"#
            )
        };
        let found = program(&message("\"/target/api-1\"", true)).unwrap().unwrap();
        assert_eq!(
            found,
            Program { name: "api".into(), executable: "/target/api-1".into(), folder: "/t/tests".into() }
        );
        assert_eq!(program(&message("null", true)).unwrap(), None);
        assert_eq!(program(&message("\"/target/tenon\"", false)).unwrap(), None);
        assert_eq!(program(r#"{"reason":"build-finished","success":true}"#).unwrap(), None);
        assert!(program("warning: x").is_err());
    }

    #[test]
    fn the_summary_is_the_last_line_of_results() {
        let output = "running 2 tests\n\ntest result: ok. 2 passed; 0 failed; finished in 0.01s\n\n";
        assert_eq!(summary(output), "ok. 2 passed; 0 failed");
        assert_eq!(summary("killed"), "no result");
    }

    #[test]
    fn a_program_that_does_not_start_has_failed() {
        let gone = Program { name: "gone".into(), executable: "/gone".into(), folder: "/".into() };
        let failed = run_all([gone].into(), 2, &[], &[]);
        assert!(failed.first().unwrap().output.contains("did not start"));
    }
}
