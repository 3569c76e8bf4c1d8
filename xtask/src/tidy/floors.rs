//! Which module of a crate may import which: the floors of `xtask/floors.toml`, and no circles anywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::Finding;
use super::imports::{self, Named};

/// From the top of the repository.
pub(super) const FILE: &str = "xtask/floors.toml";

/// The fix of an import that does not go to a lower floor.
const GO_DOWN: &str = "move what both need to a lower floor, or the caller to a higher one; docs/ARCHITECTURE.md has the \
                       floors";

/// Some top-level modules of a crate that lie equally high. They import modules of every lower floor, and not each
/// other.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Floor {
    name: String,
    /// The folder of the one module that is the floor.
    folder: Option<String>,
    /// The modules, if they are several.
    #[serde(default)]
    modules: Vec<String>,
}

/// The floors of each crate, by the name of its folder, the lowest one first.
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

/// Checks all crates. `sources` are their files.
pub(super) fn check(floors: &Floors, sources: &[Source]) -> Result<Vec<Finding>> {
    let mut crates: BTreeMap<&str, Vec<File<'_>>> = floors.keys().map(|name| (name.as_str(), Vec::new())).collect();
    for source in sources {
        let Some((name, inside)) = crate_of(&source.file) else { continue };
        let module = imports::module_of(inside);
        let named =
            imports::of(&module, &source.text).with_context(|| format!("{} cannot be read as Rust", source.file))?;
        crates.entry(name).or_default().push(File { name: &source.file, module, named });
    }
    let findings = crates.iter().flat_map(|(name, files)| match floors.get(*name) {
        Some(floors) => Crate::new(floors, files).check(name),
        None => Crate::new(&[], files).check_without_floors(name),
    });
    Ok(findings.collect())
}

/// The name of the crate that a file belongs to, and its place in the crate. A folder in `bin` is a program, which is a
/// crate of its own: its name is its path. `None` for tests outside of `src`, and for programs of one file.
fn crate_of(file: &str) -> Option<(&str, &Path)> {
    let (name, inside) = match file.strip_prefix("xtask/src/") {
        Some(inside) => ("xtask", inside),
        None => file.strip_prefix("crates/")?.split_once("/src/")?,
    };
    let Some(program) = inside.strip_prefix("bin/") else {
        return (!name.contains('/')).then_some((name, Path::new(inside)));
    };
    let (_, inside) = program.split_once('/')?;
    Some((file.strip_suffix(inside)?, Path::new(inside)))
}

/// The path of a module from the crate's root, which itself is empty.
type Module = Vec<String>;

/// A source file, read.
struct File<'a> {
    name: &'a str,
    module: Module,
    named: Named,
}

struct Crate<'a> {
    files: &'a [File<'a>],
    floors: &'a [Floor],
    /// The number of each floor by its modules.
    heights: BTreeMap<&'a str, usize>,
    /// All modules that have a file, or lie above one that has.
    modules: BTreeSet<&'a [String]>,
    /// The paths that the `use` items of each module stand for.
    aliases: BTreeMap<&'a [String], &'a BTreeMap<String, Module>>,
}

/// The imports between the modules inside one module, with the place of the first one.
type Neighbours<'a> = BTreeMap<&'a str, BTreeMap<String, String>>;

impl<'a> Crate<'a> {
    fn new(floors: &'a [Floor], files: &'a [File<'_>]) -> Self {
        let mut heights = BTreeMap::new();
        for (height, floor) in floors.iter().enumerate() {
            for module in floor.modules.iter().chain(&floor.folder) {
                heights.insert(module.as_str(), height);
            }
        }
        let upto = |file: &'a File<'_>| (0..=file.module.len()).filter_map(move |length| file.module.get(..length));
        let modules = files.iter().flat_map(upto).collect();
        let aliases = files.iter().map(|file| (file.module.as_slice(), &file.named.aliases)).collect();
        Self { files, floors, heights, modules, aliases }
    }

    fn check(&self, name: &str) -> Vec<Finding> {
        let mut findings = self.list_of_modules(name);
        for (file, place, to) in self.imports() {
            let from = &file.module;
            let (Some(height), Some(above)) = (self.height(from), self.height(&to)) else { continue };
            if above > height {
                findings.push(self.upward(place, (height, from), (above, &to)));
            } else if above == height && from.first() != to.first() {
                findings.push(between_equals(place, from, &to));
            }
        }
        // Floors leave no circle between the modules at the top.
        findings.extend(self.circles().into_iter().filter(|(inside, _)| !inside.is_empty()).map(|(_, found)| found));
        findings
    }

    /// Programs, and crates of one module, need no floors.
    fn check_without_floors(&self, name: &str) -> Vec<Finding> {
        let missing = (!name.contains('/') && self.modules.iter().any(|module| !module.is_empty())).then(|| Finding {
            file: FILE.to_owned(),
            rule: "every crate has floors",
            fault: format!("the crate {name} has none"),
            fix: "list its modules, the lowest ones first",
        });
        missing.into_iter().chain(self.circles().into_iter().map(|(_, found)| found)).collect()
    }

    /// All imports of modules: the file, the place in it, and the module.
    fn imports(&self) -> impl Iterator<Item = (&'a File<'a>, String, Module)> {
        self.files.iter().flat_map(move |file| {
            let place = move |line: usize| format!("{}:{line}", file.name);
            file.named.imports.iter().map(move |import| (file, place(import.line), self.target(&import.path)))
        })
    }

    /// The module that a path leads to. A name that a module has by a `use` item is followed to its origin: that others
    /// reach it through that module makes no module independent of it.
    fn target(&self, path: &[String]) -> Module {
        let mut path = path.to_vec();
        let mut seen = BTreeSet::new();
        loop {
            let length =
                (0..=path.len()).rev().find(|length| path.get(..*length).is_some_and(|it| self.modules.contains(it)));
            let (module, rest) = path.split_at(length.unwrap_or_default());
            let alias = rest.split_first().and_then(|(name, rest)| Some((self.aliases.get(module)?.get(name)?, rest)));
            match alias {
                Some((alias, rest)) if seen.insert(path.clone()) => path = [alias, rest].concat(),
                Some(_) | None => return module.to_vec(),
            }
        }
    }

    /// The number of the floor of a module. `None` for the root of the crate: it declares all modules, and its exports
    /// come from any of them.
    fn height(&self, module: &[String]) -> Option<usize> {
        self.heights.get(module.first()?.as_str()).copied()
    }

    /// The table names each top-level module once, and nothing else.
    fn list_of_modules(&self, name: &str) -> Vec<Finding> {
        let exist: BTreeSet<&str> = self.modules.iter().filter_map(|module| Some(module.first()?.as_str())).collect();
        let missing = exist.iter().filter(|module| !self.heights.contains_key(**module));
        let fix = "add it to one: a resource to that of the other resources, other code as docs/ARCHITECTURE.md says";
        let missing = missing.map(|module| (format!("the module {module} of {name} is on no floor"), fix));
        let gone = self.heights.keys().filter(|module| !exist.contains(**module));
        let gone = gone.map(|module| (format!("{name} has no module {module}"), "remove the name"));
        let rule = "every module at the top of a crate is on a floor";
        missing.chain(gone).map(|(fault, fix)| Finding { file: FILE.to_owned(), rule, fault, fix }).collect()
    }

    fn upward(&self, file: String, (low, from): (usize, &Module), (high, to): (usize, &Module)) -> Finding {
        let floor = |height: usize| self.floors.get(height).map_or("?", |floor| floor.name.as_str());
        Finding {
            file,
            rule: "a module imports from lower floors only",
            fault: format!("{} ({}) imports {} ({})", from.join("::"), floor(low), to.join("::"), floor(high)),
            fix: GO_DOWN,
        }
    }

    /// One finding for each import between two modules in the same module that a chain of such imports leads back from.
    /// It comes with the module that both are in. A module inside another one imports as that one does; the two may
    /// import each other.
    fn circles(&self) -> Vec<(Module, Finding)> {
        let mut inside: BTreeMap<&[String], Neighbours<'_>> = BTreeMap::new();
        for (file, place, to) in self.imports() {
            let common = file.module.iter().zip(&to).take_while(|(one, other)| one == other).count();
            let (above, below) = file.module.split_at(common);
            if let (Some(one), Some(other)) = (below.first(), to.get(common)) {
                let imports = inside.entry(above).or_default().entry(one.as_str()).or_default();
                imports.entry(other.clone()).or_insert(place);
            }
        }
        let mut found = Vec::new();
        for (above, imports) in &inside {
            let shown = |module: &str| above.iter().map(String::as_str).chain([module]).collect::<Vec<_>>().join("::");
            for (from, targets) in imports {
                for (to, place) in targets.iter().filter(|(to, _)| leads_to(imports, to, from)) {
                    let finding = Finding {
                        file: place.clone(),
                        rule: "modules import each other without circles",
                        fault: format!("{} imports {}, which leads back to it", shown(from), shown(to)),
                        fix: "move what both need into a third module",
                    };
                    found.push((above.to_vec(), finding));
                }
            }
        }
        found
    }
}

fn between_equals(file: String, from: &Module, to: &Module) -> Finding {
    Finding {
        file,
        rule: "modules of one floor do not import each other",
        fault: format!("{} imports {}", from.join("::"), to.join("::")),
        fix: GO_DOWN,
    }
}

fn leads_to(imports: &Neighbours<'_>, start: &str, end: &str) -> bool {
    let mut seen = BTreeSet::from([start]);
    let mut open = vec![start];
    while let Some(module) = open.pop() {
        if module == end {
            return true;
        }
        open.extend(
            imports.get(module).into_iter().flat_map(BTreeMap::keys).map(String::as_str).filter(|it| seen.insert(*it)),
        );
    }
    false
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
        ("app/src/lib.rs", "mod core; mod issue; mod project; mod workflows; pub use crate::workflows::merge::merge;"),
        ("app/src/core/mod.rs", "mod app; mod error; pub use app::App; pub use self::error::Error;"),
        ("app/src/core/app.rs", "use super::error::Error; use crate::core::Other;"),
        ("app/src/core/error.rs", "use std::fmt;"),
        ("app/src/issue/mod.rs", "mod edit; use crate::core::App; use edit::change; pub use close::{close as shut};"),
        ("app/src/issue/edit.rs", "use super::close; use crate::issue::show;"),
        ("app/src/issue/close.rs", "pub fn close() {}"),
        ("app/src/issue/view/mod.rs", "use super::edit::Edited;"),
        ("app/src/issue/view/page/mod.rs", "use crate::issue::close::Closed;"),
        ("app/src/issue/view/page/head.rs", "use super::foot;"),
        ("app/src/issue/view/page/foot.rs", ""),
        ("app/src/project.rs", "use crate::core::{App, error::Error};"),
        ("app/src/workflows/merge.rs", "use crate::{issue, project}; fn f() { crate::workflows::push::g() }"),
        ("app/src/workflows/push.rs", ""),
        ("app/tests/all.rs", "use crate::anything;"),
        ("bench/src/bin/attack.rs", "use crate::anything;"),
        ("one/src/lib.rs", "pub struct One;"),
    ];

    /// The findings when `more` is added to the sound crates.
    fn found(more: &[(&str, &str)]) -> Vec<String> {
        let files = SOUND.iter().filter(|(file, _)| more.iter().all(|(other, _)| other != file)).chain(more);
        let source = |(file, text): &(&str, &str)| Source { file: format!("crates/{file}"), text: (*text).into() };
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
            found(&[("app/src/core/error.rs", "\nuse crate::issue::Issue;")]),
            ["crates/app/src/core/error.rs:2: core::error (core) imports issue (resources)"]
        );
        assert_eq!(
            found(&[("app/src/issue/close.rs", "fn f() { vec![crate::workflows::merge::now()]; }")]),
            ["crates/app/src/issue/close.rs:1: issue::close (resources) imports workflows::merge (workflows)"]
        );
    }

    #[test]
    fn a_name_of_the_root_is_followed_to_its_module() {
        assert_eq!(
            found(&[("app/src/core/error.rs", "use crate::merge;")]),
            ["crates/app/src/core/error.rs:1: core::error (core) imports workflows::merge (workflows)"]
        );
    }

    #[test]
    fn a_circle_is_a_finding_at_each_of_its_imports() {
        assert_eq!(
            found(&[("app/src/core/error.rs", "use super::app::App;")]),
            [
                "crates/app/src/core/app.rs:1: core::app imports core::error, which leads back to it",
                "crates/app/src/core/error.rs:1: core::error imports core::app, which leads back to it",
            ]
        );
    }

    #[test]
    fn circles_are_found_at_every_depth() {
        // At the top, between modules of a crate with floors, one of the two imports leads upwards or to an equal.
        assert_eq!(
            found(&[("app/src/issue/close.rs", "use crate::project;"), ("app/src/project.rs", "use crate::issue;")]),
            [
                "crates/app/src/issue/close.rs:1: issue::close imports project",
                "crates/app/src/project.rs:1: project imports issue",
            ]
        );
        assert_eq!(
            found(&[("app/src/issue/close.rs", "use super::view::page::head::Head;")]),
            [
                "crates/app/src/issue/close.rs:1: issue::close imports issue::view, which leads back to it",
                "crates/app/src/issue/edit.rs:1: issue::edit imports issue::close, which leads back to it",
                "crates/app/src/issue/view/page/mod.rs:1: issue::view imports issue::close, which leads back to it",
                "crates/app/src/issue/view/mod.rs:1: issue::view imports issue::edit, which leads back to it",
            ]
        );
        assert_eq!(
            found(&[("app/src/issue/view/page/foot.rs", "\nuse crate::issue::view::page::head::Head;")]),
            [
                "crates/app/src/issue/view/page/foot.rs:2: issue::view::page::foot imports issue::view::page::head, \
                 which leads back to it",
                "crates/app/src/issue/view/page/head.rs:1: issue::view::page::head imports issue::view::page::foot, \
                 which leads back to it",
            ]
        );
    }

    #[test]
    fn a_circle_through_a_name_of_the_module_above_is_found() {
        assert_eq!(
            found(&[("app/src/issue/close.rs", "use crate::issue::change;")]),
            [
                "crates/app/src/issue/close.rs:1: issue::close imports issue::edit, which leads back to it",
                "crates/app/src/issue/edit.rs:1: issue::edit imports issue::close, which leads back to it",
            ]
        );
        assert_eq!(
            found(&[("app/src/issue/edit.rs", "use super::shut;"), ("app/src/issue/close.rs", "use super::edit::E;")])
                .len(),
            2
        );
    }

    #[test]
    fn a_crate_without_floors_is_a_finding_and_so_are_its_circles() {
        assert_eq!(
            found(&[
                ("new/src/a.rs", "use crate::b::c::C;"),
                ("new/src/b/c.rs", "use crate::a;"),
                ("new/src/d/e.rs", "use super::f;"),
                ("new/src/d/f.rs", "use crate::d::e; use crate::b;"),
            ]),
            [
                "xtask/floors.toml: the crate new has none",
                "crates/new/src/a.rs:1: a imports b, which leads back to it",
                "crates/new/src/b/c.rs:1: b imports a, which leads back to it",
                "crates/new/src/d/e.rs:1: d::e imports d::f, which leads back to it",
                "crates/new/src/d/f.rs:1: d::f imports d::e, which leads back to it",
            ]
        );
    }

    #[test]
    fn programs_have_no_floors_and_no_circles() {
        let main = ("bench/src/bin/load/main.rs", "mod send; mod wait;");
        assert_eq!(found(&[main, ("bench/src/bin/load/send.rs", "use crate::wait;")]), [""; 0]);
        let sound = [main, ("bench/src/bin/load/send.rs", "use crate::wait;")];
        let found = found(&[&sound[..], &[("bench/src/bin/load/wait.rs", "use crate::send;")]].concat());
        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn resources_do_not_import_each_other() {
        assert_eq!(
            found(&[("app/src/project.rs", "mod inner { use super::super::issue; }")]),
            ["crates/app/src/project.rs:1: project imports issue"]
        );
    }

    #[test]
    fn every_module_is_on_a_floor_and_every_name_is_a_module() {
        assert_eq!(
            found(&[("app/src/project/mod.rs", ""), ("app/src/helpers.rs", ""), ("app/src/project.rs", "")]),
            ["xtask/floors.toml: the module helpers of app is on no floor"]
        );
        let floors = parse("[[app]]\nname = \"a\"\nmodules = [\"gone\"]").unwrap();
        let findings = check(&floors, &[]).unwrap();
        assert_eq!(findings.first().unwrap().fault, "app has no module gone");
        assert!(parse("[[app]]\nname = \"a\"\nfolders = \"b\"").is_err());
    }
}
