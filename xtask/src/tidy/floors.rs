//! Which module of a crate may import which: the floors of `xtask/floors.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::Finding;
use super::imports::{self, Import};

/// From the top of the repository.
pub(super) const FILE: &str = "xtask/floors.toml";

/// Some modules of a crate that lie equally high. They may import the modules of every lower floor.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Floor {
    name: String,
    /// A top-level folder whose modules are the floor. They may import each other, but not in a circle.
    folder: Option<String>,
    /// Top-level modules that do not import each other.
    #[serde(default)]
    modules: Vec<String>,
}

/// The floors of each crate, by the name of its folder in `crates/`, the lowest one first.
pub(super) type Floors = BTreeMap<String, Vec<Floor>>;

pub(super) fn parse(text: &str) -> Result<Floors> {
    toml::from_str(text).with_context(|| format!("cannot read {FILE}"))
}

/// A source file of a crate.
#[derive(Debug)]
pub(super) struct Source {
    /// From the top of the repository.
    pub(super) file: String,
    pub(super) text: String,
}

/// Checks all crates that have floors. `sources` are those of all crates.
pub(super) fn check(floors: &Floors, sources: &[Source]) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for (name, floors) in floors {
        let folder = format!("crates/{name}/src");
        let mut files = Vec::new();
        for source in sources {
            if let Ok(inside) = Path::new(&source.file).strip_prefix(&folder) {
                let module = imports::module_of(inside);
                let imports = imports::of(&module, &source.text)
                    .with_context(|| format!("{} cannot be read as Rust", source.file))?;
                files.push(File { name: &source.file, module, imports });
            }
        }
        findings.extend(Crate::new(floors, &files).check(name, &files));
    }
    Ok(findings)
}

/// A source file, read.
struct File<'a> {
    name: &'a str,
    /// The path of its module from the crate's root, which itself is empty.
    module: Vec<String>,
    imports: Vec<Import>,
}

/// What is checked as one: a top-level module, or a module in the folder of a floor. The second word is empty for the rest of
/// that folder, its front.
type Unit = (String, String);

struct Crate<'a> {
    floors: &'a [Floor],
    /// The number of each floor by its top-level modules, and by its folder.
    heights: BTreeMap<&'a str, usize>,
    /// The modules that exist, by the first two words of their paths.
    units: BTreeSet<(&'a str, &'a str)>,
}

impl<'a> Crate<'a> {
    fn new(floors: &'a [Floor], files: &'a [File<'_>]) -> Self {
        let mut heights = BTreeMap::new();
        for (height, floor) in floors.iter().enumerate() {
            for module in floor.modules.iter().chain(&floor.folder) {
                heights.insert(module.as_str(), height);
            }
        }
        let words = files.iter().map(|file| {
            let word = |at: usize| file.module.get(at).map_or("", String::as_str);
            (word(0), word(1))
        });
        Self { floors, heights, units: words.collect() }
    }

    fn check(&self, name: &str, files: &[File<'_>]) -> Vec<Finding> {
        let mut findings = self.list_of_modules(name);
        let mut inside: BTreeMap<Unit, BTreeMap<Unit, String>> = BTreeMap::new();
        for file in files {
            // The root declares all modules, and what it exports comes from any of them.
            let Some((from, height)) = self.unit(&file.module) else { continue };
            for import in &file.imports {
                let Some((to, above)) = self.unit(&import.path).filter(|(to, _)| *to != from) else { continue };
                let place = format!("{}:{}", file.name, import.line);
                if above > height {
                    findings.push(self.upward(place, (height, &from), (above, &to)));
                } else if above == height && to.0 != from.0 {
                    findings.push(between_equals(place, &from, &to));
                } else if above == height && !to.1.is_empty() && !from.1.is_empty() {
                    inside.entry(from.clone()).or_default().entry(to).or_insert(place);
                }
            }
        }
        findings.extend(circles(&inside));
        findings
    }

    /// The table names each top-level module once, and nothing else.
    fn list_of_modules(&self, name: &str) -> Vec<Finding> {
        let exist: BTreeSet<&str> = self.units.iter().map(|(top, _)| *top).filter(|top| !top.is_empty()).collect();
        let missing = exist.iter().filter(|module| !self.heights.contains_key(**module));
        let missing = missing.map(|module| (format!("the module {module} of {name} is on no floor"), "add it to one"));
        let gone = self.heights.keys().filter(|module| !exist.contains(**module));
        let gone = gone.map(|module| (format!("{name} has no module {module}"), "remove the name"));
        let rule = "every module of a crate with floors is on one of them";
        missing.chain(gone).map(|(fault, fix)| Finding { file: FILE.to_owned(), rule, fault, fix }).collect()
    }

    /// The unit of a path and the number of its floor. `None` for the root of the crate, and for names that are no modules.
    fn unit(&self, path: &[String]) -> Option<(Unit, usize)> {
        let top = path.first()?;
        let height = *self.heights.get(top.as_str())?;
        let is_folder = self.floors.get(height).is_some_and(|floor| floor.folder.as_ref() == Some(top));
        let second = path.get(1).filter(|second| is_folder && self.units.contains(&(top, second)));
        Some(((top.clone(), second.cloned().unwrap_or_default()), height))
    }

    fn upward(&self, file: String, (low, from): (usize, &Unit), (high, to): (usize, &Unit)) -> Finding {
        let floor = |height: usize| self.floors.get(height).map_or("?", |floor| floor.name.as_str());
        Finding {
            file,
            rule: "a module imports from lower floors only",
            fault: format!("{} ({}) imports {} ({})", shown(from), floor(low), shown(to), floor(high)),
            fix: "move what both need to a lower floor, or the caller to a higher one",
        }
    }
}

fn between_equals(file: String, from: &Unit, to: &Unit) -> Finding {
    Finding {
        file,
        rule: "modules of one floor do not import each other",
        fault: format!("{} imports {}", shown(from), shown(to)),
        fix: "move what both need to a lower floor, or the caller to a higher one",
    }
}

/// One finding for each import between modules of a floor that a chain of imports leads back from.
fn circles(imports: &BTreeMap<Unit, BTreeMap<Unit, String>>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (from, targets) in imports {
        for (to, place) in targets {
            if leads_to(imports, to, from) {
                findings.push(Finding {
                    file: place.clone(),
                    rule: "modules of one floor import each other without circles",
                    fault: format!("{} imports {}, which leads back to it", shown(from), shown(to)),
                    fix: "move what both need into a third module",
                });
            }
        }
    }
    findings
}

fn leads_to(imports: &BTreeMap<Unit, BTreeMap<Unit, String>>, start: &Unit, end: &Unit) -> bool {
    let mut seen = BTreeSet::from([start]);
    let mut open = vec![start];
    while let Some(unit) = open.pop() {
        if unit == end {
            return true;
        }
        open.extend(imports.get(unit).into_iter().flat_map(BTreeMap::keys).filter(|next| seen.insert(next)));
    }
    false
}

fn shown((top, second): &Unit) -> String {
    if second.is_empty() { top.clone() } else { format!("{top}::{second}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOORS: &str = r#"
[[app]]
name = "core"
folder = "core"
[[app]]
name = "resources"
modules = ["issue", "project"]
[[app]]
name = "workflows"
folder = "workflows"
"#;

    const SOUND: &[(&str, &str)] = &[
        ("lib.rs", "mod core; mod issue; mod project; mod workflows; pub use crate::workflows::merge::merge;"),
        ("core/mod.rs", "mod app; mod error; pub use app::App; pub use self::error::Error;"),
        ("core/app.rs", "use super::error::Error; use crate::core::Other;"),
        ("core/error.rs", "use std::fmt;"),
        ("issue/mod.rs", "mod edit; use crate::core::App;"),
        ("issue/edit.rs", "use super::close; use crate::issue::show;"),
        ("project.rs", "use crate::core::{App, error::Error};"),
        ("workflows/merge.rs", "use crate::{issue, project}; fn f() { crate::workflows::push::g() }"),
        ("workflows/push.rs", ""),
    ];

    /// What is found when `more` is added to the sound crate.
    fn found(more: &[(&str, &str)]) -> Vec<String> {
        let files = SOUND.iter().filter(|(file, _)| more.iter().all(|(other, _)| other != file)).chain(more);
        let source =
            |(file, text): &(&str, &str)| Source { file: format!("crates/app/src/{file}"), text: (*text).into() };
        let sources: Vec<Source> = files.map(source).collect();
        let findings = check(&parse(FLOORS).unwrap(), &sources).unwrap();
        findings.into_iter().map(|found| format!("{}: {}", found.file, found.fault)).collect()
    }

    #[test]
    fn imports_of_lower_floors_and_of_neighbours_are_sound() {
        assert_eq!(found(&[]), [""; 0]);
    }

    #[test]
    fn an_upward_import_is_a_finding() {
        assert_eq!(
            found(&[("core/error.rs", "\nuse crate::issue::Issue;")]),
            ["crates/app/src/core/error.rs:2: core::error (core) imports issue (resources)"]
        );
        assert_eq!(
            found(&[("issue/edit.rs", "fn f() { vec![crate::workflows::merge::now()]; }")]),
            ["crates/app/src/issue/edit.rs:1: issue (resources) imports workflows::merge (workflows)"]
        );
    }

    #[test]
    fn a_circle_within_a_floor_is_a_finding_at_each_of_its_imports() {
        assert_eq!(
            found(&[("core/error.rs", "use super::app::App;")]),
            [
                "crates/app/src/core/app.rs:1: core::app imports core::error, which leads back to it",
                "crates/app/src/core/error.rs:1: core::error imports core::app, which leads back to it",
            ]
        );
    }

    #[test]
    fn resources_do_not_import_each_other() {
        assert_eq!(
            found(&[("project.rs", "mod inner { use super::super::issue; }")]),
            ["crates/app/src/project.rs:1: project imports issue"]
        );
    }

    #[test]
    fn every_module_is_on_a_floor_and_every_name_is_a_module() {
        assert_eq!(
            found(&[("project/mod.rs", ""), ("helpers.rs", ""), ("project.rs", "")]),
            ["xtask/floors.toml: the module helpers of app is on no floor"]
        );
        let floors = parse("[[app]]\nname = \"a\"\nmodules = [\"gone\"]").unwrap();
        let findings = check(&floors, &[]).unwrap();
        assert_eq!(findings.first().unwrap().fault, "app has no module gone");
        assert!(parse("[[app]]\nname = \"a\"\nfolders = \"b\"").is_err());
    }
}
