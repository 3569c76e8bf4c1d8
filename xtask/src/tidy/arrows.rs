//! Which crate may depend on which.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::Finding;

/// The dependencies that a crate may have, beside crates from outside that are not forbidden.
struct Place {
    name: &'static str,
    /// Crates of this workspace.
    may_use: &'static [&'static str],
    /// Crates from outside, of any kind of dependency; a `*` at the end stands for anything.
    never: &'static [&'static str],
}

/// The picture in docs/ARCHITECTURE.md, as a table.
const PLACES: &[Place] = &[
    Place {
        name: "tenon-domain",
        may_use: &[],
        never: &["diesel*", "actix-*", "tokio", "serde", "serde_json", "rand"],
    },
    Place { name: "tenon-postgres-tls", may_use: &[], never: &["diesel*", "actix-*"] },
    Place { name: "tenon-storage", may_use: &["tenon-domain", "tenon-postgres-tls"], never: &["actix-*"] },
    Place { name: "tenon-git", may_use: &["tenon-domain"], never: &["actix-*"] },
    Place { name: "tenon-auth", may_use: &["tenon-domain"], never: &["actix-*"] },
    Place {
        name: "tenon-markdown",
        may_use: &[],
        never: &["diesel*", "actix-*", "tokio", "serde", "serde_json", "rand"],
    },
    Place {
        name: "tenon-highlight",
        may_use: &[],
        never: &["diesel*", "actix-*", "tokio", "serde", "serde_json", "rand", "onig*"],
    },
    Place { name: "tenon-outbound", may_use: &[], never: &["diesel*", "actix-*"] },
    Place {
        name: "tenon-app",
        may_use: &[
            "tenon-domain",
            "tenon-storage",
            "tenon-git",
            "tenon-auth",
            "tenon-highlight",
            "tenon-markdown",
            "tenon-outbound",
        ],
        never: &["actix-*", "diesel*"],
    },
    Place { name: "tenon-edge", may_use: &["tenon-app", "tenon-domain"], never: &["diesel*", "r2d2"] },
    Place { name: "tenon-http", may_use: &["tenon-edge", "tenon-app", "tenon-domain"], never: &["diesel*", "r2d2"] },
    Place {
        name: "tenon-web",
        may_use: &["tenon-edge", "tenon-app", "tenon-domain"],
        never: &["diesel*", "r2d2", "utoipa"],
    },
    Place { name: "tenon-ssh", may_use: &["tenon-app"], never: &["actix-*", "diesel*", "r2d2"] },
    Place {
        name: "tenon-backup",
        may_use: &["tenon-app", "tenon-domain", "tenon-git", "tenon-storage"],
        never: &["actix-*", "diesel*", "r2d2"],
    },
    Place {
        name: "tenon",
        may_use: &["tenon-edge", "tenon-http", "tenon-web", "tenon-ssh", "tenon-app", "tenon-backup", "tenon-domain"],
        never: &[],
    },
    Place {
        name: TESTKIT,
        may_use: &[
            "tenon",
            "tenon-app",
            "tenon-auth",
            "tenon-domain",
            "tenon-edge",
            "tenon-git",
            "tenon-http",
            "tenon-storage",
            "tenon-testkit-macros",
            "tenon-web",
        ],
        never: &[],
    },
    Place { name: "tenon-testkit-macros", may_use: &[], never: &["*"] },
    Place { name: "tenon-tests", may_use: &[TESTKIT, "tenon-app", "tenon-domain", "tenon-http"], never: &[] },
    // Nothing depends on it: it may use everything.
    Place {
        name: "tenon-bench",
        may_use: &["tenon-app", "tenon-auth", "tenon-domain", "tenon-git", "tenon-http", "tenon-storage", TESTKIT],
        never: &[],
    },
    Place { name: XTASK, may_use: &[], never: &[] },
];

/// Tests of any crate may use it.
const TESTKIT: &str = "tenon-testkit";
/// Even its tests use none of the other crates: it must build before them.
const XTASK: &str = "xtask";

/// A member of the workspace.
#[derive(Debug)]
pub(super) struct Package {
    pub(super) name: String,
    /// From the top of the repository.
    pub(super) manifest: String,
    dependencies: Vec<Dependency>,
}

#[derive(Debug)]
struct Dependency {
    name: String,
    for_tests: bool,
}

/// Reads the output of `cargo metadata --no-deps`.
pub(super) fn packages(metadata: &Value) -> Result<Vec<Package>> {
    let text = |value: &Value, key: &str| {
        let found = value.get(key).and_then(Value::as_str).map(str::to_owned);
        found.with_context(|| format!("cargo metadata has no text {key:?} where expected"))
    };
    let list = |value: &Value, key: &str| {
        let found = value.get(key).and_then(Value::as_array).cloned();
        found.with_context(|| format!("cargo metadata has no list {key:?} where expected"))
    };
    let root = text(metadata, "workspace_root")?;
    let package = |package: &Value| {
        let manifest = text(package, "manifest_path")?;
        let dependencies = list(package, "dependencies")?.into_iter().map(|dependency| {
            let for_tests = dependency.get("kind").and_then(Value::as_str) == Some("dev");
            Ok(Dependency { name: text(&dependency, "name")?, for_tests })
        });
        Ok(Package {
            name: text(package, "name")?,
            manifest: Path::new(&manifest).strip_prefix(&root).map_or(manifest.clone(), |it| it.display().to_string()),
            dependencies: dependencies.collect::<Result<_>>()?,
        })
    };
    list(metadata, "packages")?.iter().map(package).collect()
}

/// Dependencies between crates of the workspace that the picture does not have.
pub(super) fn between_crates(packages: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages {
        let Some(place) = place(package) else {
            findings.push(Finding {
                file: package.manifest.clone(),
                rule: "every crate has its place in the architecture",
                fault: format!("{} has none", package.name),
                fix: "give it one in docs/ARCHITECTURE.md and in xtask/src/tidy/arrows.rs, or put the code into an \
                      existing crate",
            });
            continue;
        };
        let own = |dependency: &&Dependency| packages.iter().any(|package| package.name == dependency.name);
        for dependency in package.dependencies.iter().filter(own) {
            let for_tests = dependency.for_tests && dependency.name == TESTKIT && package.name != XTASK;
            if for_tests || place.may_use.contains(&dependency.name.as_str()) {
                continue;
            }
            findings.push(Finding {
                file: package.manifest.clone(),
                rule: "dependencies between crates follow the arrows in docs/ARCHITECTURE.md",
                fault: format!("{} must not depend on {}", package.name, dependency.name),
                fix: "move the code to the side of the boundary where it belongs, or pass what it needs as a value",
            });
        }
    }
    findings
}

/// Dependencies on crates from outside that a layer must not know.
pub(super) fn to_forbidden(packages: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages {
        let never = place(package).map_or(&[][..], |place| place.never);
        for dependency in &package.dependencies {
            if never.iter().any(|pattern| matches(pattern, &dependency.name)) {
                findings.push(Finding {
                    file: package.manifest.clone(),
                    rule: "each layer knows only its own libraries",
                    fault: format!("{} must not know {}", package.name, dependency.name),
                    fix: "do this work in the layer that owns the library and hand over a type of your own",
                });
            }
        }
    }
    findings
}

fn place(package: &Package) -> Option<&'static Place> {
    PLACES.iter().find(|place| place.name == package.name)
}

fn matches(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == name, |start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A workspace from lines such as `tenon-app: tenon-domain, dev tenon-testkit`.
    fn workspace(lines: &[&str]) -> Vec<Package> {
        let package = |line: &&str| {
            let (name, dependencies) = line.split_once(':').unwrap();
            let dependencies: Vec<Value> = dependencies
                .split(',')
                .map(str::trim)
                .filter(|it| !it.is_empty())
                .map(|it| match it.split_once(' ') {
                    Some((kind, name)) => json!({ "name": name, "kind": kind }),
                    None => json!({ "name": it, "kind": null }),
                })
                .collect();
            json!({ "name": name, "manifest_path": format!("/w/crates/{name}/Cargo.toml"), "dependencies": dependencies })
        };
        let packages: Vec<Value> = lines.iter().map(package).collect();
        super::packages(&json!({ "workspace_root": "/w", "packages": packages })).unwrap()
    }

    fn faults(findings: &[Finding]) -> Vec<&str> {
        findings.iter().map(|finding| finding.fault.as_str()).collect()
    }

    #[test]
    fn the_drawn_arrows_are_allowed() {
        let packages = workspace(&[
            "tenon-domain: chrono, dev tenon-testkit",
            "tenon-storage: tenon-domain, diesel",
            "tenon-git: tenon-domain",
            "tenon-auth: tenon-domain",
            "tenon-markdown: comrak",
            "tenon-app: tenon-storage, tenon-git, tenon-auth, tenon-markdown, tenon-domain, tokio",
            "tenon-http: tenon-app, tenon-domain, actix-web, dev tenon-testkit",
            "tenon: tenon-http, tenon-app, actix-web",
            "tenon-testkit: tenon-storage, tenon-http, actix-web, diesel",
            "tenon-tests: dev tenon-testkit, dev tenon-http, dev tenon-app, dev tenon-domain",
            "tenon-bench: tenon-testkit, tenon-storage, tenon-app, tenon-auth, tenon-domain, actix-web, diesel",
            "xtask: anyhow",
        ]);
        assert_eq!(between_crates(&packages), []);
        assert_eq!(to_forbidden(&packages), []);
    }

    #[test]
    fn every_other_arrow_is_a_finding() {
        let packages = workspace(&[
            "tenon-domain: tenon-storage",
            "tenon-storage: tenon-auth, tenon-testkit",
            "tenon-http: build tenon-storage",
            "tenon: tenon-markdown",
            "tenon-auth: dev tenon-storage",
            "tenon-markdown: tenon-domain",
            "tenon-testkit:",
            "tenon-tests: tenon-storage",
            "tenon-bench: xtask",
            "xtask: dev tenon-testkit",
        ]);
        let findings = between_crates(&packages);
        assert_eq!(
            faults(&findings),
            [
                "tenon-domain must not depend on tenon-storage",
                "tenon-storage must not depend on tenon-auth",
                "tenon-storage must not depend on tenon-testkit",
                "tenon-http must not depend on tenon-storage",
                "tenon must not depend on tenon-markdown",
                "tenon-auth must not depend on tenon-storage",
                "tenon-markdown must not depend on tenon-domain",
                "tenon-tests must not depend on tenon-storage",
                "tenon-bench must not depend on xtask",
                "xtask must not depend on tenon-testkit",
            ]
        );
        assert_eq!(findings.first().unwrap().file, "crates/tenon-domain/Cargo.toml");
    }

    #[test]
    fn a_crate_without_a_place_is_a_finding() {
        assert_eq!(faults(&between_crates(&workspace(&["tenon-common:"]))), ["tenon-common has none"]);
    }

    #[test]
    fn forbidden_libraries_are_findings_in_tests_too() {
        let packages = workspace(&[
            "tenon-domain: serde, dev serde_json, serde_with",
            "tenon-storage: actix-rt",
            "tenon-app: diesel_migrations, actix",
            "tenon-http: r2d2, dev diesel",
        ]);
        assert_eq!(
            faults(&to_forbidden(&packages)),
            [
                "tenon-domain must not know serde",
                "tenon-domain must not know serde_json",
                "tenon-storage must not know actix-rt",
                "tenon-app must not know diesel_migrations",
                "tenon-http must not know r2d2",
                "tenon-http must not know diesel",
            ]
        );
    }
}
