//! Migrations that were released: they stay as they are, and new ones come after them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::{Finding, layout};
use crate::run;

/// The scripts of all released migrations.
pub(super) const FILE: &str = "migrations/released.txt";

const HEADER: &str = "# The scripts of released migrations, each after its object name in Git. `cargo xtask db release` writes this file.\n";

/// Records all migrations that there are as released. Fails if one that was released before has changed.
pub(crate) fn record(root: &Path) -> Result<()> {
    let path = root.join(FILE);
    let recorded = fs::read_to_string(&path).with_context(|| format!("cannot read {FILE}"))?;
    let scripts = object_names(root)?;
    ensure!(check(&recorded, &scripts).is_empty(), "a released migration has changed: see `cargo xtask tidy`");
    let lines = scripts.iter().map(|(place, name)| format!("{name} {place}\n"));
    fs::write(&path, HEADER.to_owned() + &lines.collect::<String>()).with_context(|| format!("cannot write {FILE}"))
}

/// Git's name of each script, by its place below `migrations/`.
pub(super) fn object_names(root: &Path) -> Result<BTreeMap<String, String>> {
    let places: Vec<String> = layout::scripts(root)?.iter().map(layout::Script::place).collect();
    let files = places.iter().map(|place| format!("migrations/{place}"));
    let output = run::git(["hash-object".to_owned(), "--".to_owned()].into_iter().chain(files)).output();
    let output = output.context("git did not start")?;
    ensure!(output.status.success(), "git hash-object: {}", String::from_utf8_lossy(&output.stderr).trim_end());
    let names = String::from_utf8(output.stdout).context("a name of an object is not UTF-8")?;
    Ok(places.into_iter().zip(names.lines().map(str::to_owned)).collect())
}

/// Compares the records in [`FILE`] with the scripts that there are.
pub(super) fn check(recorded: &str, scripts: &BTreeMap<String, String>) -> Vec<Finding> {
    let lines = recorded.lines().filter(|line| !line.starts_with('#'));
    let released: BTreeMap<&str, &str> =
        lines.filter_map(|line| line.split_once(' ')).map(|(name, place)| (place, name)).collect();
    let changed = released.iter().filter_map(|(place, name)| match scripts.get(*place) {
        Some(found) if found == name => None,
        Some(_) => Some(finding(place, "was changed")),
        None => Some(finding(place, "is gone")),
    });
    let last = released.keys().filter_map(|place| version(place)).max();
    let is_early = |place: &&String| !released.contains_key(place.as_str()) && version(place) <= last;
    let early = scripts.keys().filter(is_early).map(|place| finding(place, "comes before a released one"));
    changed.chain(early).collect()
}

fn version(place: &str) -> Option<&str> {
    place.split(['/', '_']).nth(1)
}

fn finding(place: &str, fault: &str) -> Finding {
    Finding {
        file: format!("migrations/{place}"),
        rule: "released migrations stay as they are, and new ones come after them",
        fault: fault.to_owned(),
        fix: "put the change into a migration of its own: `cargo xtask db new <name>`",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RELEASED: &str =
        "# What it is.\n1f sqlite/20260101000000_one/up.sql\n2f postgres/20260101000000_one/up.sql\n";

    fn faults(scripts: &[(&str, &str)]) -> Vec<String> {
        let scripts = scripts.iter().map(|(name, place)| ((*place).to_owned(), (*name).to_owned())).collect();
        check(RELEASED, &scripts).into_iter().map(|finding| format!("{} {}", finding.file, finding.fault)).collect()
    }

    #[test]
    fn migrations_are_added() {
        let one = [("1f", "sqlite/20260101000000_one/up.sql"), ("2f", "postgres/20260101000000_one/up.sql")];
        assert_eq!(faults(&one), [""; 0]);
        let two = [("3f", "sqlite/20260102000000_two/up.sql"), ("4f", "postgres/20260102000000_two/up.sql")];
        assert_eq!(faults(&[one, two].concat()), [""; 0]);
    }

    #[test]
    fn released_migrations_stay_as_they_are() {
        let scripts = [("5f", "sqlite/20260101000000_one/up.sql"), ("6f", "sqlite/20251231000000_early/up.sql")];
        assert_eq!(
            faults(&scripts),
            [
                "migrations/postgres/20260101000000_one/up.sql is gone",
                "migrations/sqlite/20260101000000_one/up.sql was changed",
                "migrations/sqlite/20251231000000_early/up.sql comes before a released one",
            ]
        );
    }
}
