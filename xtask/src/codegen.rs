//! `cargo xtask codegen`: files that are made from the code, committed so that a change to them shows in review.

use std::fs;
use std::process::{ExitCode, Stdio};

use anyhow::{Context, Result, ensure};

use crate::run;

const OPENAPI: &str = "docs/openapi.json";

pub(crate) fn run(check: bool) -> Result<ExitCode> {
    let fresh = openapi()?;
    let path = run::root().join(OPENAPI);
    let committed = fs::read_to_string(&path).unwrap_or_default();
    if fresh == committed {
        println!("{OPENAPI} is fresh");
    } else if check {
        println!(
            "{}\nFix: run `cargo xtask codegen`, look at the difference and commit it.",
            stale(&committed, &fresh)
        );
        return Ok(ExitCode::FAILURE);
    } else {
        fs::write(&path, fresh).with_context(|| format!("cannot write {}", path.display()))?;
        println!("{OPENAPI} is written");
    }
    Ok(ExitCode::SUCCESS)
}

/// The document as the server's code describes itself, ending with one newline.
fn openapi() -> Result<String> {
    let mut command = run::cargo(["run", "--quiet", "--package", "tenon", "--", "openapi"]);
    let output = command.current_dir(run::root()).stderr(Stdio::inherit()).output().context("cargo did not start")?;
    ensure!(output.status.success(), "`tenon openapi` failed");
    let text = String::from_utf8(output.stdout).context("`tenon openapi` printed no UTF-8")?;
    serde_json::from_str::<serde_json::Value>(&text).context("`tenon openapi` printed no JSON")?;
    Ok(format!("{}\n", text.trim_end()))
}

/// Where the committed document first differs.
fn stale(committed: &str, fresh: &str) -> String {
    let mut lines = (1..).zip(committed.lines().zip(fresh.lines()));
    match lines.find(|(_, (committed, fresh))| committed != fresh) {
        Some((line, (committed, fresh))) => format!(
            "{OPENAPI} does not describe the code, first at line {line}:\n  committed: {}\n  code:      {}",
            committed.trim(),
            fresh.trim()
        ),
        None if committed.is_empty() => format!("{OPENAPI} is missing or empty"),
        None => format!("{OPENAPI} does not describe the code: it ends at another place"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_shown() {
        let told = stale("{\n  \"a\": 1\n}\n", "{\n  \"a\": 2\n}\n");
        assert!(told.ends_with("first at line 2:\n  committed: \"a\": 1\n  code:      \"a\": 2"), "{told}");
        assert!(stale("", "{}\n").contains("missing"));
        assert!(stale("{}\n", "{}\n\n").contains("ends"));
    }
}
