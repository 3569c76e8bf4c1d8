//! What each crate's `Cargo.toml` takes from the workspace.

use super::Finding;

/// Lints and versions of dependencies are decided once, at the top.
pub(super) fn check(file: &str, text: &str) -> Vec<Finding> {
    let entries = entries(text);
    let mut findings = Vec::new();
    let inherits = |entry: &Entry| {
        matches!((entry.table.as_str(), entry.key.as_str()), ("lints", "workspace") | ("", "lints.workspace"))
    };
    if !entries.iter().any(|entry| inherits(entry) && entry.value == "true") {
        findings.push(Finding {
            file: file.to_owned(),
            rule: "every crate obeys the workspace's lints",
            fault: "does not take them".to_owned(),
            fix: "add [lints] with workspace = true",
        });
    }
    for entry in entries.iter().filter(|entry| is_dependency(entry)) {
        let dotted = entry.key.ends_with(".workspace") && entry.value == "true";
        if !dotted && !entry.value.replace(' ', "").contains("workspace=true") {
            findings.push(Finding {
                file: file.to_owned(),
                rule: "versions of dependencies are chosen once, in the top-level Cargo.toml",
                fault: format!("chooses for itself: {} = {}", entry.key, entry.value),
                fix: "put the version under [workspace.dependencies] and write `name = { workspace = true }` here",
            });
        }
    }
    findings
}

/// `key = value` under `[table]`.
struct Entry {
    table: String,
    key: String,
    value: String,
}

/// As much TOML as manifests have. A value may go on over several lines until its brackets are closed.
fn entries(text: &str) -> Vec<Entry> {
    let mut table = String::new();
    let mut entries: Vec<Entry> = Vec::new();
    let mut open = false;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if open && let Some(entry) = entries.last_mut() {
            entry.value.push_str(line);
        } else if let Some(header) = line.strip_prefix('[') {
            header.trim_end_matches(']').trim_matches('[').clone_into(&mut table);
            continue;
        } else if let Some((key, value)) = line.split_once('=') {
            entries.push(Entry { table: table.clone(), key: key.trim().to_owned(), value: value.trim().to_owned() });
        }
        let value = entries.last().map_or("", |entry| &entry.value);
        open = value.matches(['[', '{']).count() > value.matches([']', '}']).count();
    }
    entries
}

/// In `[dependencies]` and its relatives. An entry of a table like `[dependencies.name]` counts as well: it is a second
/// way to write the same thing, and one is enough.
fn is_dependency(entry: &Entry) -> bool {
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    entry.table.split('.').any(|part| kinds.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> Vec<String> {
        check("crates/x/Cargo.toml", text).into_iter().map(|finding| finding.fault).collect()
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
                "chooses for itself: anyhow = \"1\"",
                "chooses for itself: clap = { version = \"4\", features = [\"derive\"] }",
                "chooses for itself: tempfile = { path = \"../tempfile\" }",
                "chooses for itself: version = \"1\"",
                "chooses for itself: libc = \"0.2\"",
            ]
        );
    }
}
