//! `cargo xtask ci`: what CI runs.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::{browser_check, codegen, run, schema_check, test, tidy};

/// One line of CI.
struct Step {
    environment: &'static [(&'static str, &'static str)],
    arguments: &'static [&'static str],
}

/// Cheap steps first: what fails, fails soon.
const STEPS: &[Step] = &[
    Step { environment: &[], arguments: &["fmt", "--all", "--check"] },
    Step { environment: &[], arguments: &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"] },
    Step { environment: &[], arguments: &["xtask", "tidy"] },
    Step { environment: &[("RUSTDOCFLAGS", "-D warnings")], arguments: &["doc", "--workspace", "--no-deps"] },
    Step { environment: &[], arguments: &["xtask", "codegen", "--check"] },
    Step { environment: &[], arguments: &["xtask", "schema-check", "--cases", "604"] },
    Step { environment: &[], arguments: &["xtask", "browser-check"] },
    Step { environment: &[("TENON_TEST_POSTGRES", "required")], arguments: &["xtask", "test"] },
];

/// How a step ended, and after what time.
struct Ended {
    succeeded: bool,
    took: Duration,
}

pub(crate) fn run() -> ExitCode {
    let mut ended = Vec::new();
    for (number, step) in (1..).zip(STEPS) {
        println!("\n==> [{number}/{}] {}", STEPS.len(), step.line());
        let started = Instant::now();
        let succeeded = step.run().unwrap_or_else(|error| {
            println!("{error:#}");
            ExitCode::FAILURE
        }) == ExitCode::SUCCESS;
        ended.push(Ended { succeeded, took: started.elapsed() });
        if !succeeded {
            break;
        }
    }
    println!("\n{}", summary(STEPS, &ended));
    let passed = ended.len() == STEPS.len() && ended.iter().all(|step| step.succeeded);
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl Step {
    /// What to type to run this step alone.
    fn line(&self) -> String {
        let environment = self.environment.iter().map(|(name, value)| format!("{name}='{value}'"));
        let words = environment.chain(["cargo".to_owned()]).chain(self.arguments.iter().map(ToString::to_string));
        words.collect::<Vec<_>>().join(" ")
    }

    fn run(&self) -> Result<ExitCode> {
        match self.arguments {
            // Another cargo would wait for nothing but to start this same program.
            ["xtask", "tidy"] => tidy::run(),
            ["xtask", "codegen", "--check"] => codegen::run(true),
            ["xtask", "test"] => test::all(self.environment),
            ["xtask", "schema-check", "--cases", _] => schema_check::briefly(),
            ["xtask", "browser-check"] => browser_check::where_possible(),
            arguments => {
                let mut command = run::cargo(arguments);
                run::status(command.envs(self.environment.iter().copied()).current_dir(run::root()))
            }
        }
    }
}

fn summary(steps: &[Step], ended: &[Ended]) -> String {
    let mut lines = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        lines.push(match ended.get(at) {
            Some(Ended { succeeded: true, took }) => format!("ok      {:>7.1} s  {}", took.as_secs_f64(), step.line()),
            Some(Ended { succeeded: false, took }) => format!("FAILED  {:>7.1} s  {}", took.as_secs_f64(), step.line()),
            None => format!("not run            {}", step.line()),
        });
    }
    let took: Duration = ended.iter().map(|step| step.took).sum();
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
    fn the_summary_names_what_failed_and_what_was_not_reached() {
        let took = Duration::from_millis(1250);
        let ended = [Ended { succeeded: true, took }, Ended { succeeded: false, took }];
        let steps = STEPS.get(..3).unwrap();
        let want = "\
ok          1.2 s  cargo fmt --all --check
FAILED      1.2 s  cargo clippy --workspace --all-targets -- -D warnings
not run            cargo xtask tidy
in all      2.5 s";
        assert_eq!(summary(steps, &ended), want);
    }
}
