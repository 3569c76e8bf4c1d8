//! `cargo xtask tidy`: the rules of the project that the compiler does not check. Each is a function from text to
//! [`Finding`]s.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::run;
use floors::Source;
use identifiers::Identifiers;
use links::Targets;
use sentences::Sentences;

mod arrows;
mod floors;
mod identifiers;
mod identity;
mod imports;
mod layout;
mod links;
mod manifest;
pub(crate) mod released;
mod sentences;
mod source;

/// A rule that does not hold somewhere.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    /// From the top of the repository.
    file: String,
    rule: &'static str,
    fault: String,
    fix: &'static str,
}

pub(crate) fn run() -> Result<ExitCode> {
    let root = run::root();
    let packages = arrows::packages(&metadata()?)?;
    let mut findings = arrows::between_crates(&packages);
    findings.extend(arrows::to_forbidden(&packages));
    for package in &packages {
        findings.extend(manifest::check(&package.manifest, &read(&root, &package.manifest)?)?);
    }
    let names = packages.iter().map(|package| package.name.as_str());
    findings.extend(manifest::optimized(names, &read(&root, "Cargo.toml")?)?);
    let mut sources = Vec::new();
    for folder in ["crates", "tests", "xtask"] {
        source::list(&root, folder, &mut sources)?;
    }
    let sources = sources.into_iter().map(|file| Ok(Source { text: read(&root, &file)?, file }));
    let sources = sources.collect::<Result<Vec<Source>>>()?;
    for source in &sources {
        findings.extend(source::check(&source.file, &source.text));
    }
    findings.extend(floors::check(&floors::parse(&read(&root, floors::FILE)?)?, &sources)?);
    findings.extend(identity::check(&sources)?);
    findings.extend(layout::top_level(&layout::entries(&root)?));
    let texts = layout::texts(&root)?;
    let (sentences, targets, identifiers) = (Sentences::new()?, Targets::new(&texts)?, Identifiers::new(&sources)?);
    for (file, text) in &texts {
        findings.extend(sentences.check(file, text));
        findings.extend(targets.check(file, text));
        findings.extend(identifiers.check(file, text));
    }
    findings.extend(layout::migrations(&layout::scripts(&root)?));
    findings.extend(released::check(&read(&root, released::FILE)?, &released::object_names(&root)?));

    for finding in &findings {
        println!("{}: {}\n    rule: {}\n    fix:  {}\n", finding.file, finding.fault, finding.rule, finding.fix);
    }
    let checked = format!("{} crates and {} source files", packages.len(), sources.len());
    if findings.is_empty() {
        println!("tidy: {checked}, nothing found");
        return Ok(ExitCode::SUCCESS);
    }
    println!("tidy: {checked}, {} found. The reasons are in docs/STYLE.md.", findings.len());
    Ok(ExitCode::FAILURE)
}

fn metadata() -> Result<Value> {
    let mut command = run::cargo(["metadata", "--format-version", "1", "--no-deps"]);
    let output = command.current_dir(run::root()).output().context("cargo did not start")?;
    ensure!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr).trim_end());
    serde_json::from_slice(&output.stdout).context("cargo metadata printed no JSON")
}

fn read(root: &Path, file: &str) -> Result<String> {
    fs::read_to_string(root.join(file)).with_context(|| format!("cannot read {file}"))
}
