//! `cargo xtask test`: the whole test suite. Cargo runs test programs when all are built; here each runs as soon as it
//! is built. One runs at a time, because two at once take a fifth more processor time for the same tests. The next
//! begins when the last tests of a program leave threads idle.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use serde_json::Value;

use crate::memory::MemoryFolder;
use crate::run;

/// The programs that take longest, which begin first among those that wait. Wrong names here cost time and nothing
/// else.
const LONGEST: [&str; 8] = ["binary", "api", "pages", "contract", "storage", "engine", "operation", "app"];

/// How many tests of a program run at once.
const THREADS: &str = "RUST_TEST_THREADS";

/// The variable with the place of tests' folders. In memory no test waits for a disk that syncs: databases and
/// repositories are as durable there as anywhere, until the test ends.
const FOLDERS: &str = "TMPDIR";

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How many test programs run at once
    #[arg(long, default_value_t = 1)]
    programs: usize,
    /// The arguments of every test program: parts of test names, `--skip ::postgres`, `--nocapture`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// A program with tests, built.
#[derive(Debug, PartialEq, Eq)]
struct Program {
    /// The name of its target.
    name: String,
    executable: PathBuf,
    /// The folder of its package, in which Cargo would run it.
    folder: PathBuf,
    /// True if it needs the binary of its package.
    starts_binary: bool,
}

struct Ended {
    name: String,
    succeeded: bool,
    took: Duration,
    output: String,
}

/// All tests, each program with these variables in its environment.
pub(crate) fn all(environment: &[(&str, &str)]) -> Result<ExitCode> {
    run(&Arguments { programs: 1, arguments: Vec::new() }, environment)
}

pub(crate) fn run(arguments: &Arguments, environment: &[(&str, &str)]) -> Result<ExitCode> {
    let started = Instant::now();
    let processors = thread::available_parallelism().map_or(1, usize::from);
    // Tests also wait, for databases and other processes. The factor is measured (docs/TESTING.md).
    let threads = match std::env::var(THREADS) {
        Ok(text) => text.parse().with_context(|| format!("{THREADS}={text} is no number"))?,
        Err(_unset) => (3 * processors).div_ceil(2),
    };
    let threads_text = threads.to_string();
    let memory = MemoryFolder::below(Path::new("/dev/shm"));
    let mut environment = [environment, &[(THREADS, threads_text.as_str())]].concat();
    environment.extend(memory.as_ref().and_then(|folder| folder.path().to_str()).map(|path| (FOLDERS, path)));
    let programs = Programs::default();
    let (examples, failed) = thread::scope(|scope| {
        let building = scope.spawn(|| {
            build(&programs)?;
            println!("test programs: built after {:.1} s", started.elapsed().as_secs_f64());
            // Examples in comments are built by rustdoc, and have no programs that could be run with the others.
            let mut examples = run::cargo(["test", "--quiet", "--workspace", "--doc"]);
            run::status(examples.current_dir(run::root()))
        });
        let runner = Runner { threads, arguments: &arguments.arguments, environment: &environment };
        let failed = runner.run_all(&programs, arguments.programs);
        (building.join(), failed)
    });
    let examples = examples.map_err(|_panic| anyhow!("the thread that builds has panicked"))??;
    for program in &failed {
        println!("\n==> {} failed\n{}", program.name, program.output);
    }
    if examples != ExitCode::SUCCESS {
        println!("\n==> an example in a comment failed: cargo test --workspace --doc");
    }
    println!("test programs and examples: {:.1} s, {} programs failed", started.elapsed().as_secs_f64(), failed.len());
    Ok(if failed.is_empty() { examples } else { ExitCode::FAILURE })
}

/// The programs that are built and wait to be run.
#[derive(Default)]
struct Programs {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    programs: Vec<Program>,
    /// True if there will be no more.
    is_all: bool,
}

impl Programs {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, program: Program) {
        self.lock().programs.push(program);
        self.changed.notify_one();
    }

    fn close(&self) {
        self.lock().is_all = true;
        self.changed.notify_all();
    }

    /// The next one to run: of those that take longest, else the one that was built first. Waits for one to be built.
    fn next(&self) -> Option<Program> {
        let mut waiting = self.lock();
        loop {
            let place =
                |program: &Program| LONGEST.iter().position(|name| *name == program.name).unwrap_or(LONGEST.len());
            let next = waiting.programs.iter().enumerate().min_by_key(|(_, program)| place(program));
            match next.map(|(at, _)| at) {
                Some(at) => return Some(waiting.programs.remove(at)),
                None if waiting.is_all => return None,
                None => waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// Builds all test programs, and adds each when it is built. If one cannot be built, those that wait do not run.
fn build(programs: &Programs) -> Result<()> {
    let built = build_each(|program| programs.add(program));
    if built.is_err() {
        programs.lock().programs.clear();
    }
    programs.close();
    built
}

fn build_each(mut add: impl FnMut(Program)) -> Result<()> {
    let mut command = run::cargo(["test", "--workspace", "--no-run", "--message-format", "json-render-diagnostics"]);
    let mut cargo = command.current_dir(run::root()).stdout(Stdio::piped()).spawn().context("cargo did not start")?;
    // Programs that start a binary of their package which is not built yet.
    let (mut waiting, mut built) = (Vec::<Program>::new(), Vec::new());
    for message in BufReader::new(cargo.stdout.take().context("no pipe from cargo")?).lines() {
        match artifact(&message.context("cargo printed something that is not UTF-8")?)? {
            Some(Artifact::Program(program)) if program.starts_binary && !built.contains(&program.folder) => {
                waiting.push(program);
            }
            Some(Artifact::Program(program)) => add(program),
            Some(Artifact::Binary(folder)) => {
                waiting.extract_if(.., |program| program.folder == folder).for_each(&mut add);
                built.push(folder);
            }
            None => {}
        }
    }
    ensure!(cargo.wait()?.success(), "the tests cannot be built");
    waiting.into_iter().for_each(add);
    Ok(())
}

/// The product of a build by Cargo.
#[derive(Debug, PartialEq, Eq)]
enum Artifact {
    /// A program with tests.
    Program(Program),
    /// A binary of the package in this folder.
    Binary(PathBuf),
}

/// The artifact that a message of Cargo names, if it names one that can be run.
fn artifact(message: &str) -> Result<Option<Artifact>> {
    let message: Value = serde_json::from_str(message).context("cargo printed no JSON")?;
    let text = |path: &str| message.pointer(path).and_then(Value::as_str);
    let (Some(name), Some(executable), Some(manifest)) =
        (text("/target/name"), text("/executable"), text("/manifest_path"))
    else {
        return Ok(None);
    };
    let folder = PathBuf::from(manifest).parent().context("a manifest lies in a folder")?.to_owned();
    let kind = text("/target/kind/0");
    if message.pointer("/profile/test").and_then(Value::as_bool) != Some(true) {
        return Ok((kind == Some("bin")).then_some(Artifact::Binary(folder)));
    }
    // Integration tests of a package with a binary start it.
    let starts_binary = kind == Some("test") && folder.join("src/main.rs").exists();
    Ok(Some(Artifact::Program(Program { name: name.to_owned(), executable: executable.into(), folder, starts_binary })))
}

/// How programs are run.
struct Runner<'a> {
    /// How many tests of a program run at once.
    threads: usize,
    arguments: &'a [OsString],
    environment: &'a [(&'a str, &'a str)],
}

impl Runner<'_> {
    /// Runs all programs, prints a line for each, and returns those that failed.
    fn run_all(&self, programs: &Programs, at_once: usize) -> Vec<Ended> {
        let failed = Mutex::new(Vec::new());
        let (release, permits) = mpsc::channel();
        (0..at_once.max(1)).for_each(|_| _ = release.send(()));
        thread::scope(|scope| {
            while let Ok(()) = permits.recv()
                && let Some(program) = programs.next()
            {
                let (release, failed) = (release.clone(), &failed);
                scope.spawn(move || {
                    let ended = self.run_one(program, || _ = release.send(()));
                    let state = if ended.succeeded { "ok     " } else { "FAILED " };
                    let tests = summary(&ended.output);
                    println!("{state} {:>7.1} s  {:<16} {tests}", ended.took.as_secs_f64(), ended.name);
                    // The exit code says the same to a caller that does not read the lines.
                    _ = std::io::stdout().flush();
                    if !ended.succeeded {
                        failed.lock().unwrap_or_else(PoisonError::into_inner).push(ended);
                    }
                });
            }
        });
        failed.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs one program. `release` is called once: when its last tests leave threads idle, or in the end.
    fn run_one(&self, program: Program, release: impl FnOnce()) -> Ended {
        let started = Instant::now();
        let mut command = run::other(program.executable.as_os_str());
        command.args(self.arguments).current_dir(&program.folder).env("CARGO_MANIFEST_DIR", &program.folder);
        command.envs(self.environment.iter().copied());
        // Otherwise insta compares with the snapshots of the clone in which the program was compiled.
        command.env("INSTA_WORKSPACE_ROOT", run::root());
        let mut release = Some(release);
        let mut left = None;
        let outcome = output_of(command, |line| {
            left = tests_left(line, left);
            if left.is_some_and(|number| number < self.threads)
                && let Some(release) = release.take()
            {
                release();
            }
        });
        if let Some(release) = release {
            release();
        }
        let (succeeded, output) =
            outcome.unwrap_or_else(|error| (false, format!("{} did not start: {error}", program.executable.display())));
        Ended { name: program.name, succeeded, took: started.elapsed(), output }
    }
}

/// True if a program succeeded, and all that it printed; `each` sees each line at once.
fn output_of(mut command: Command, mut each: impl FnMut(&str)) -> std::io::Result<(bool, String)> {
    let (reader, writer) = std::io::pipe()?;
    let mut child = command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer).spawn()?;
    // It has ends of the pipe, which would stay open.
    drop(command);
    let mut output = String::new();
    for line in BufReader::new(reader).split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        each(&line);
        output.push_str(&line);
        output.push('\n');
    }
    Ok((child.wait()?.success(), output))
}

/// How many tests of a program have not ended after this line of its output; `None` before it says how many it runs.
fn tests_left(line: &str, before: Option<usize>) -> Option<usize> {
    if let Some(text) = line.strip_prefix("running ") {
        return text.split(' ').next().and_then(|number| number.parse().ok());
    }
    let has_ended = line.starts_with("test ") && line.contains(" ... ");
    before.map(|number| number.saturating_sub(usize::from(has_ended)))
}

/// The number of passed tests, which the test harness says in the end.
fn summary(output: &str) -> &str {
    let line = output.lines().rev().find_map(|line| line.strip_prefix("test result: "));
    line.and_then(|line| line.split("; finished").next()).unwrap_or("no result")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_with_tests_and_binaries_are_found_in_what_cargo_prints() {
        let message = |executable: &str, kind: &str, test: bool| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/t/tests/Cargo.toml","target":{{"name":"api","kind":["{kind}"]}},"profile":{{"test":{test}}},"executable":{executable}}}"#
            )
        };
        let program = Program {
            name: "api".into(),
            executable: "/target/api-1".into(),
            folder: "/t/tests".into(),
            starts_binary: false,
        };
        let found = |executable: &str, kind: &str, test: bool| artifact(&message(executable, kind, test)).unwrap();
        assert_eq!(found("\"/target/api-1\"", "test", true), Some(Artifact::Program(program)));
        assert_eq!(found("null", "lib", true), None);
        assert_eq!(found("\"/target/tenon\"", "bin", false), Some(Artifact::Binary("/t/tests".into())));
        assert_eq!(found("\"/target/example\"", "example", false), None);
        assert_eq!(artifact(r#"{"reason":"build-finished","success":true}"#).unwrap(), None);
        assert!(artifact("warning: x").is_err());
    }

    #[test]
    fn tests_of_a_package_with_a_binary_wait_for_it() {
        let server = run::root().join("crates/server/Cargo.toml");
        let message = format!(
            r#"{{"manifest_path":{server:?},"target":{{"name":"binary","kind":["test"]}},"profile":{{"test":true}},"executable":"/b"}}"#
        );
        let Some(Artifact::Program(program)) = artifact(&message).unwrap() else { panic!("no program") };
        assert!(program.starts_binary);
    }

    /// A program that is not there.
    fn named(name: &str) -> Program {
        Program { name: name.into(), executable: format!("/{name}").into(), folder: "/".into(), starts_binary: false }
    }

    #[test]
    fn what_takes_longest_begins_first_and_the_rest_in_the_order_of_their_building() {
        let programs = Programs::default();
        for name in ["first", "second", "api", "binary"] {
            programs.add(named(name));
        }
        programs.close();
        let order: Vec<String> = std::iter::from_fn(|| programs.next()).map(|program| program.name).collect();
        assert_eq!(order, ["binary", "api", "first", "second"]);
    }

    #[test]
    fn the_summary_is_the_last_line_of_results() {
        let output = "running 2 tests\n\ntest result: ok. 2 passed; 0 failed; finished in 0.01s\n\n";
        assert_eq!(summary(output), "ok. 2 passed; 0 failed");
        assert_eq!(summary("killed"), "no result");
    }

    #[test]
    fn a_program_that_does_not_start_has_failed() {
        let programs = Programs::default();
        programs.add(named("gone"));
        programs.close();
        let failed = Runner { threads: 4, arguments: &[], environment: &[] }.run_all(&programs, 2);
        assert!(failed.first().unwrap().output.contains("did not start"));
    }

    #[test]
    fn all_that_a_program_prints_is_kept_and_lines_are_seen_at_once() {
        let mut lines = Vec::new();
        let mut command = run::other("sh".as_ref());
        command.args(["-c", "echo one; echo two >&2; printf three; exit 3"]);
        let (succeeded, output) = output_of(command, |line| lines.push(line.to_owned())).unwrap();
        assert_eq!((succeeded, output.as_str()), (false, "one\ntwo\nthree\n"));
        assert_eq!(lines, ["one", "two", "three"]);
    }

    #[test]
    fn tests_that_are_left_are_counted() {
        assert_eq!(tests_left("test early ... ok", None), None);
        assert_eq!(tests_left("running 2 tests", None), Some(2));
        assert_eq!(tests_left("test a::b ... ok", Some(2)), Some(1));
        assert_eq!(tests_left("test says what it likes", Some(1)), Some(1));
        assert_eq!(tests_left("test c - should panic ... FAILED", Some(1)), Some(0));
        assert_eq!(tests_left("test d ... ok", Some(0)), Some(0));
    }
}
