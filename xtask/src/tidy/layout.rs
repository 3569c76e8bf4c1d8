//! The places of files: the top level, and the migrations of both dialects.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::Finding;
use crate::migrations::{DIALECTS, FILES, is_name};
use crate::run;

const TOP_LEVEL: &[&str] = &[
    ".cargo",
    ".ci",
    ".github",
    ".gitignore",
    "CHANGELOG.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "clippy.toml",
    "crates",
    "deny.toml",
    "docs",
    "migrations",
    "rustfmt.toml",
    "tests",
    "xtask",
];

/// The top-level names of the files that Git holds or would add.
pub(super) fn entries(root: &Path) -> Result<BTreeSet<String>> {
    let files = files(root)?;
    Ok(files.iter().filter_map(|name| name.split('/').next()).map(str::to_owned).collect())
}

/// All files that Git holds or would add, by their names from `root`. Files that are not UTF-8 have no text here.
pub(super) fn texts(root: &Path) -> Result<BTreeMap<String, String>> {
    let files = files(root)?.into_iter().map(|file| {
        let bytes = fs::read(root.join(&file)).with_context(|| format!("cannot read {file}"))?;
        Ok((file, String::from_utf8(bytes).unwrap_or_default()))
    });
    files.collect()
}

fn files(root: &Path) -> Result<Vec<String>> {
    let mut command = run::git(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let output = command.output().context("git did not start")?;
    ensure!(output.status.success(), "git ls-files: {}", String::from_utf8_lossy(&output.stderr).trim_end());
    let names = String::from_utf8(output.stdout).context("a file's name is not UTF-8")?;
    // A file that was deleted but not yet committed is still listed.
    Ok(names.split_terminator('\0').filter(|name| root.join(name).is_file()).map(str::to_owned).collect())
}

/// The top level is the table of contents: a file that is not in the plan has another place.
pub(super) fn top_level(entries: &BTreeSet<String>) -> Vec<Finding> {
    let unexpected = entries.iter().filter(|name| !TOP_LEVEL.contains(&name.as_str()));
    unexpected
        .map(|name| Finding {
            file: name.clone(),
            rule: "the top level holds only what the architecture names",
            fault: "is not named there".to_owned(),
            fix: "move it under docs, crates, tests, xtask, .ci or .github, or let .gitignore name it",
        })
        .collect()
}

/// A migration's script.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Script {
    dialect: String,
    /// `<version>_<name>`
    migration: String,
    /// `up.sql` or `down.sql`
    file: String,
    is_blank: bool,
}

impl Script {
    /// Its path below `migrations/`.
    pub(super) fn place(&self) -> String {
        format!("{}/{}/{}", self.dialect, self.migration, self.file)
    }
}

/// Everything under `migrations/`.
pub(super) fn scripts(root: &Path) -> Result<Vec<Script>> {
    let mut scripts = Vec::new();
    for dialect in DIALECTS {
        let folder = root.join("migrations").join(dialect);
        for migration in names(&folder)? {
            let folder = folder.join(&migration);
            ensure!(folder.is_dir(), "{} is no folder", folder.display());
            for file in names(&folder)? {
                let text = fs::read_to_string(folder.join(&file))
                    .with_context(|| format!("cannot read {migration}/{file}"))?;
                let is_blank = text.trim().is_empty();
                scripts.push(Script { dialect: dialect.to_owned(), migration: migration.clone(), file, is_blank });
            }
        }
    }
    Ok(scripts)
}

fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// Both dialects have the same migrations, each with its way back.
pub(super) fn migrations(scripts: &[Script]) -> Vec<Finding> {
    let all: BTreeSet<&str> = scripts.iter().map(|script| script.migration.as_str()).collect();
    let mut findings = Vec::new();
    for migration in &all {
        if !is_versioned(migration) {
            findings.push(Finding {
                file: format!("migrations/*/{migration}"),
                rule: "a migration is named yyyymmddhhmmss_what_it_does",
                fault: "is named otherwise".to_owned(),
                fix: "make migrations with `cargo xtask db new <name>`",
            });
        }
        for (dialect, file) in DIALECTS.iter().flat_map(|dialect| FILES.map(|file| (*dialect, file))) {
            let is_it =
                |script: &&Script| (&*script.dialect, &*script.migration, &*script.file) == (dialect, *migration, file);
            let fault = match scripts.iter().find(is_it) {
                Some(script) if script.is_blank => "is blank",
                Some(_) => continue,
                None => "is missing",
            };
            findings.push(Finding {
                file: format!("migrations/{dialect}/{migration}/{file}"),
                rule: "SQLite and PostgreSQL have the same migrations, each with up.sql and down.sql",
                fault: fault.to_owned(),
                fix: "write the script, then run `cargo xtask db check`",
            });
        }
    }
    findings
}

fn is_versioned(migration: &str) -> bool {
    migration.split_once('_').is_some_and(|(version, name)| {
        version.len() == 14 && version.chars().all(|c| c.is_ascii_digit()) && is_name(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scripts(paths: &[&str]) -> Vec<Script> {
        let script = |path: &&str| {
            let parts: Vec<&str> = path.split('/').collect();
            let [dialect, migration, file] = parts[..] else { panic!("{path}") };
            let (file, is_blank) = file.strip_suffix(" (blank)").map_or((file, false), |file| (file, true));
            Script { dialect: dialect.to_owned(), migration: migration.to_owned(), file: file.to_owned(), is_blank }
        };
        paths.iter().map(script).collect()
    }

    fn faults(findings: &[Finding]) -> Vec<String> {
        findings.iter().map(|finding| format!("{} {}", finding.file, finding.fault)).collect()
    }

    #[test]
    fn the_same_migrations_in_both_dialects_are_fine() {
        assert_eq!(migrations(&[]), []);
        let both = scripts(&[
            "sqlite/20260101000000_one/up.sql",
            "sqlite/20260101000000_one/down.sql",
            "postgres/20260101000000_one/up.sql",
            "postgres/20260101000000_one/down.sql",
        ]);
        assert_eq!(migrations(&both), []);
    }

    #[test]
    fn missing_and_blank_scripts_are_findings() {
        let some = scripts(&[
            "sqlite/20260101000000_one/up.sql",
            "sqlite/20260101000000_one/down.sql (blank)",
            "postgres/20260101000000_one/up.sql",
            "postgres/20260101000000_two/up.sql",
            "postgres/20260101000000_two/down.sql",
        ]);
        assert_eq!(
            faults(&migrations(&some)),
            [
                "migrations/sqlite/20260101000000_one/down.sql is blank",
                "migrations/postgres/20260101000000_one/down.sql is missing",
                "migrations/sqlite/20260101000000_two/up.sql is missing",
                "migrations/sqlite/20260101000000_two/down.sql is missing",
            ]
        );
    }

    #[test]
    fn a_migration_begins_with_its_time() {
        assert!(is_versioned("20260101000000_add_weight"));
        for name in ["0001_add_weight", "20260101000000", "20260101000000_", "20260101000000_Add", "2026-01-01_add"] {
            assert!(!is_versioned(name), "{name}");
        }
    }

    #[test]
    fn what_the_plan_does_not_name_is_a_finding() {
        let entries = ["Cargo.toml", "crates", "helpers.sh", "src"].map(str::to_owned).into();
        assert_eq!(faults(&top_level(&entries)), ["helpers.sh is not named there", "src is not named there"]);
    }
}
