//! `cargo xtask ci`: the steps that CI runs.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::{browser_check, codegen, rehearse, run, schema_check, test, tidy};

/// One line of CI.
struct Step {
    environment: &'static [(&'static str, &'static str)],
    arguments: &'static [&'static str],
    sequence: Sequence,
}

/// Steps of one sequence run one after the other, and sequences side by side: the compiler uses one processor for most
/// of the time that the largest crates take.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sequence {
    /// The steps that take seconds, before all others.
    First,
    Checks,
    Tests,
}

const fn step(sequence: Sequence, arguments: &'static [&'static str]) -> Step {
    Step { environment: &[], arguments, sequence }
}

const STEPS: &[Step] = &[
    step(Sequence::First, &["fmt", "--all", "--check"]),
    step(Sequence::First, &["xtask", "tidy"]),
    step(Sequence::Checks, &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    Step {
        environment: &[("RUSTDOCFLAGS", "-D warnings")],
        ..step(Sequence::Checks, &["doc", "--workspace", "--no-deps"])
    },
    step(Sequence::Checks, &["xtask", "codegen", "--check"]),
    step(Sequence::Checks, &["xtask", "schema-check", "--cases", "604"]),
    step(Sequence::Checks, &["xtask", "browser-check"]),
    step(Sequence::Checks, &["xtask", "rehearse", "--short"]),
    Step { environment: &[("TENON_TEST_POSTGRES", "required")], ..step(Sequence::Tests, &["xtask", "test"]) },
];

/// How a step ended, and after what time.
#[derive(Clone, Copy)]
struct Ended {
    succeeded: bool,
    took: Duration,
}

pub(crate) fn run() -> ExitCode {
    let started = Instant::now();
    let ended: Vec<OnceLock<Ended>> = STEPS.iter().map(|_| OnceLock::new()).collect();
    let failed = AtomicBool::new(false);
    let run = |sequence: Sequence| {
        for (number, (step, place)) in (1..).zip(STEPS.iter().zip(&ended)) {
            if step.sequence != sequence || failed.load(Ordering::Relaxed) {
                continue;
            }
            println!("\n==> [{number}/{}] {}", STEPS.len(), step.line());
            let result = step.timed();
            println!("\n{}", result.line(step));
            failed.fetch_or(!result.succeeded, Ordering::Relaxed);
            _ = place.set(result);
        }
    };
    run(Sequence::First);
    thread::scope(|scope| {
        for sequence in [Sequence::Checks, Sequence::Tests] {
            scope.spawn(move || run(sequence));
        }
    });
    let ended: Vec<Option<Ended>> = ended.into_iter().map(OnceLock::into_inner).collect();
    println!("\n{}", summary(STEPS, &ended, started.elapsed()));
    let passed = ended.iter().all(|step| step.is_some_and(|step| step.succeeded));
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl Step {
    /// The command that runs this step alone.
    fn line(&self) -> String {
        let environment = self.environment.iter().map(|(name, value)| format!("{name}='{value}'"));
        let words = environment.chain(["cargo".to_owned()]).chain(self.arguments.iter().map(ToString::to_string));
        words.collect::<Vec<_>>().join(" ")
    }

    fn timed(&self) -> Ended {
        let started = Instant::now();
        let code = self.run().unwrap_or_else(|error| {
            println!("{error:#}");
            ExitCode::FAILURE
        });
        Ended { succeeded: code == ExitCode::SUCCESS, took: started.elapsed() }
    }

    fn run(&self) -> Result<ExitCode> {
        match self.arguments {
            // Another cargo would only wait to start this same program.
            ["xtask", "tidy"] => tidy::run(),
            ["xtask", "codegen", "--check"] => codegen::run(true),
            ["xtask", "test"] => test::all(self.environment),
            ["xtask", "schema-check", "--cases", _] => schema_check::briefly(),
            ["xtask", "browser-check"] => browser_check::where_possible(),
            ["xtask", "rehearse", arguments @ ..] => rehearse::run(arguments),
            arguments => {
                let mut command = run::cargo(arguments);
                command.envs(self.environment.iter().copied()).env("CARGO_TERM_PROGRESS_WHEN", "never");
                // Cargo locks the folder of builds: in the same one, lints and tests would wait for each other.
                command.env("CARGO_TARGET_DIR", run::target().join("checks"));
                // Only macros and build scripts run there, which are not optimized anyway: this is for the C code of
                // libraries.
                command.env("CARGO_PROFILE_DEV_OPT_LEVEL", "0");
                command.envs(as_clippy()?);
                run::status(command.current_dir(run::root()))
            }
        }
    }
}

/// The settings of `cargo clippy -- -D warnings` for the compiler. With them, documentation is made from the results of
/// clippy. Without them, all crates would be checked once more, because Cargo takes the two for different compilers.
fn as_clippy() -> Result<[(&'static str, PathBuf); 2]> {
    let driver = run::toolchain_program("clippy-driver")?;
    Ok([("RUSTC_WORKSPACE_WRAPPER", driver), ("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__".into())])
}

impl Ended {
    fn line(&self, step: &Step) -> String {
        let state = if self.succeeded { "ok    " } else { "FAILED" };
        format!("{state}  {:>7.1} s  {}", self.took.as_secs_f64(), step.line())
    }
}

fn summary(steps: &[Step], ended: &[Option<Ended>], took: Duration) -> String {
    let line = |(step, ended): (&Step, &Option<Ended>)| match ended {
        Some(ended) => ended.line(step),
        None => format!("not run            {}", step.line()),
    };
    let mut lines: Vec<String> = steps.iter().zip(ended).map(line).collect();
    lines.push(format!("in all  {:>7.1} s", took.as_secs_f64()));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_step_is_the_whole_test_suite_on_both_databases() {
        assert_eq!(STEPS.last().unwrap().line(), "TENON_TEST_POSTGRES='required' cargo xtask test");
    }

    #[test]
    fn the_summary_names_what_failed_and_what_was_not_run() {
        let ended = |succeeded| Some(Ended { succeeded, took: Duration::from_millis(1250) });
        let ended = [ended(true), ended(false), None];
        let want = "\
ok          1.2 s  cargo fmt --all --check
FAILED      1.2 s  cargo xtask tidy
not run            cargo clippy --workspace --all-targets -- -D warnings
in all      2.5 s";
        assert_eq!(summary(STEPS.get(..3).unwrap(), &ended, Duration::from_millis(2500)), want);
    }
}
