//! The values that each crate's `Cargo.toml` takes from the workspace.

use anyhow::{Context, Result};
use toml::{Table, Value};

use super::Finding;

/// Lints and versions of dependencies are decided once, at the top. Fails if `text` is not TOML.
pub(super) fn check(file: &str, text: &str) -> Result<Vec<Finding>> {
    let manifest: Table = toml::from_str(text).with_context(|| format!("cannot read {file}"))?;
    let mut findings = Vec::new();
    if !manifest.get("lints").is_some_and(is_inherited) {
        findings.push(Finding {
            file: file.to_owned(),
            rule: "every crate obeys the workspace's lints",
            fault: "does not take them".to_owned(),
            fix: "add [lints] with workspace = true",
        });
    }
    for (name, _) in dependencies(&manifest).into_iter().filter(|(_, value)| !is_inherited(value)) {
        findings.push(Finding {
            file: file.to_owned(),
            rule: "versions of dependencies are chosen once, in the top-level Cargo.toml",
            fault: format!("chooses that of {name} itself"),
            fix: "put the version under [workspace.dependencies] and write `name = { workspace = true }` here",
        });
    }
    Ok(findings)
}

/// Development builds optimize every crate that the top-level manifest does not exempt. Fails if `text`, that manifest,
/// is not TOML.
pub(super) fn optimized<'a>(crates: impl Iterator<Item = &'a str>, text: &str) -> Result<Vec<Finding>> {
    let manifest: Table = toml::from_str(text).context("cannot read Cargo.toml")?;
    let profile = manifest.get("profile").and_then(|all| all.get("dev"));
    let exempt = profile.and_then(|profile| profile.get("package")).and_then(Value::as_table);
    let is_exempt = |name: &str| {
        let level = exempt.and_then(|packages| packages.get(name)).and_then(|package| package.get("opt-level"));
        level.and_then(Value::as_integer) == Some(0)
    };
    let optimized = crates.filter(|name| !is_exempt(name)).map(|name| Finding {
        file: "Cargo.toml".to_owned(),
        rule: "our own crates are not optimized in development builds, since they are compiled most often",
        fault: format!("optimizes {name}"),
        fix: "write `name.opt-level = 0` under [profile.dev.package]",
    });
    Ok(optimized.collect())
}

fn is_inherited(value: &Value) -> bool {
    value.get("workspace").and_then(Value::as_bool) == Some(true)
}

/// The dependencies of all kinds, for any target.
fn dependencies(manifest: &Table) -> Vec<(&String, &Value)> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let targets = targets.into_iter().flat_map(Table::values).filter_map(Value::as_table);
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    let tables = targets.chain([manifest]).flat_map(|table| kinds.map(|kind| table.get(kind)));
    tables.flatten().filter_map(Value::as_table).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> Vec<String> {
        check("crates/x/Cargo.toml", text).unwrap().into_iter().map(|finding| finding.fault).collect()
    }

    #[test]
    fn everything_from_the_workspace_is_fine() {
        let text = "\
[package]
name = \"x\"
version.workspace = true

[lints]
workspace = true

[dependencies]
# Why.
anyhow = { workspace = true }
clap.workspace = true
diesel = { workspace = true, features = [
    \"sqlite\", # one
    \"chrono\",
] }

[target.'cfg(unix)'.dev-dependencies]
tempfile = { workspace = true }
";
        assert_eq!(faults(text), [""; 0]);
    }

    #[test]
    fn missing_lints_are_a_finding() {
        assert_eq!(faults("[package]\nname = \"x\""), ["does not take them"]);
        assert_eq!(faults("[lints]\nworkspace = false"), ["does not take them"]);
        assert_eq!(faults("[lints.rust]\nunsafe_code = \"allow\""), ["does not take them"]);
    }

    #[test]
    fn own_versions_are_findings_in_every_kind_of_dependency() {
        let text = "\
[lints]
workspace = true
[dependencies]
anyhow = \"1\"
clap = { version = \"4\", features = [\"derive\"] }
[dev-dependencies]
tempfile = { path = \"../tempfile\" }
[build-dependencies.cc]
version = \"1\"
[target.'cfg(unix)'.dependencies]
libc = \"0.2\"
";
        assert_eq!(
            faults(text),
            [
                "chooses that of libc itself",
                "chooses that of anyhow itself",
                "chooses that of clap itself",
                "chooses that of tempfile itself",
                "chooses that of cc itself",
            ]
        );
    }

    #[test]
    fn own_crates_are_not_optimized() {
        let text = "[profile.dev]\nopt-level = 2\n[profile.dev.package]\na.opt-level = 0\nb.opt-level = 1\n";
        let found = optimized(["a", "b", "c"].into_iter(), text).unwrap();
        let faults: Vec<String> = found.into_iter().map(|finding| finding.fault).collect();
        assert_eq!(faults, ["optimizes b", "optimizes c"]);
    }
}
