//! No parameter is dropped in silence: each that is documented is read, and each that is described has an effect, or
//! docs/API-QUIRKS.md says that it is passed over.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use regex::Regex;
use serde_json::Value;
use tenon_domain::project::Feature;

use crate::routes::normalised;

/// The parameters that are documented for each route.
const DOCUMENTED: &str = include_str!("parameters.tsv");
/// The list of those that are passed over.
const QUIRKS: &str = include_str!("../../docs/API-QUIRKS.md");

/// The parameters that each route of the description has.
fn described() -> BTreeMap<(String, String), BTreeSet<String>> {
    let document: Value = serde_json::from_str(&tenon_http::openapi().expect("a description")).expect("JSON");
    let mut all = BTreeMap::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let listed = operation["parameters"].as_array().into_iter().flatten();
            let mut names: BTreeSet<String> = listed
                .filter_map(|parameter| Some(parameter["name"].as_str()?.trim_end_matches("[]").to_owned()))
                .collect();
            for content in operation["requestBody"]["content"].as_object().into_iter().flat_map(|all| all.values()) {
                names.extend(
                    content["schema"]["properties"].as_object().into_iter().flat_map(|all| all.keys().cloned()),
                );
            }
            all.insert((method.to_uppercase(), normalised(path)), names);
        }
    }
    all
}

/// The names in code style that the entry of docs/API-QUIRKS.md about passed-over parameters has.
fn passed_over() -> BTreeSet<&'static str> {
    let (_, entry) = QUIRKS.split_once("<a id=\"passed-over\"></a>").expect("an entry");
    let entry = entry.split("\n- <a id=").next().unwrap_or_default();
    entry.split('`').skip(1).step_by(2).collect()
}

#[test]
fn every_documented_parameter_is_read() {
    let (described, passed_over, aliases) = (described(), passed_over(), aliases());
    let mut dropped = Vec::new();
    for line in DOCUMENTED.lines().filter(|line| !line.starts_with('#')) {
        let [method, path, names] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("three columns: {line}") };
        let route = (method.to_owned(), normalised(path));
        let read = described.get(&route).unwrap_or_else(|| panic!("{method} {path} is not served"));
        for name in names.split(' ') {
            let is_alias = || aliases.get(name).is_some_and(|names| names.iter().any(|name| read.contains(name)));
            let is_kept = match name.strip_suffix('*') {
                // Read, so that its value is checked, and without effect there.
                Some(name) => read.contains(name) && passed_over.contains(name),
                None => read.contains(name) || is_alias(),
            };
            if !is_kept {
                dropped.push(format!("{method} {path} {name}"));
            }
        }
    }
    assert_eq!(dropped, Vec::<String>::new(), "documented, and neither read nor listed as passed over");
}

/// The sources of the API, with their texts.
fn sources() -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = std::fs::read_to_string(&path).expect("a text");
                found.push((path, text));
            }
        }
    }
    let mut found = Vec::new();
    walk(Path::new("../crates/http/src"), &mut found);
    found.retain(|(path, _)| !["tests", "src/params/"].iter().any(|part| path.to_string_lossy().contains(part)));
    found.sort();
    found
}

/// The flags of hooks, in a table of their own.
const FLAGS: &str = include_str!("../../crates/domain/src/hook/flag.rs");

/// Other names of parameters, which the description leaves out, with the names under which it has them.
pub(crate) fn aliases() -> BTreeMap<String, BTreeSet<String>> {
    let alias = Regex::new(r"(?m)^        (?:r#)?(\w+)((?: \| (?:r#)?\w+)+): ").expect("a pattern");
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (_, text) in sources() {
        for found in alias.captures_iter(&text) {
            for name in found[2].split(" | ").filter(|name| !name.is_empty()) {
                let name = name.trim_start_matches("r#").to_owned();
                all.entry(name).or_default().insert(found[1].to_owned());
            }
        }
    }
    let flag = Regex::new(r#"&\["(\w+)", "(\w+)"\]"#).expect("a pattern");
    for found in flag.captures_iter(FLAGS) {
        all.entry(found[2].to_owned()).or_default().insert(found[1].to_owned());
    }
    for feature in Feature::ALL {
        for name in feature.names() {
            all.entry((*name).to_owned()).or_default().insert(feature.name().to_owned());
        }
    }
    all
}

#[test]
fn every_parameter_without_effect_is_listed() {
    let field = Regex::new(r"#\[expect\(dead_code[^\n]*\n\s*(?:r#)?(\w+)").expect("a pattern");
    let passed_over = passed_over();
    let mut unlisted = Vec::new();
    for (path, text) in sources() {
        let dead = field.captures_iter(&text).map(|found| found[1].to_owned());
        unlisted.extend(
            dead.filter(|name| !passed_over.contains(name.as_str())).map(|name| format!("{}: {name}", path.display())),
        );
    }
    assert_eq!(unlisted, Vec::<String>::new(), "read, without effect, and not listed as passed over");
}

/// A struct of parameters: its file, and its fields.
struct Declared {
    file: PathBuf,
    fields: BTreeSet<String>,
}

/// A handler: its file, its name, the struct of its parameters, and its body.
struct Handler {
    file: PathBuf,
    name: String,
    params: String,
    body: String,
}

fn declared(sources: &[(PathBuf, String)]) -> BTreeMap<String, Vec<Declared>> {
    let head = Regex::new(r"(?m)^    (?:pub\([a-z]+\) )?struct (\w+) \{\n").expect("a pattern");
    let field = Regex::new(r"(?m)^        (?:r#)?(\w+)(?: \| (?:r#)?\w+)*: ").expect("a pattern");
    let mut all: BTreeMap<String, Vec<Declared>> = BTreeMap::new();
    for (file, text) in sources {
        for found in head.captures_iter(text) {
            let rest = &text[found.get(0).expect("a match").end()..];
            let inside = rest.split("\n    }").next().unwrap_or_default();
            let fields = field.captures_iter(inside).map(|field| field[1].to_owned()).collect();
            all.entry(found[1].to_owned()).or_default().push(Declared { file: file.clone(), fields });
        }
    }
    all
}

fn handlers(sources: &[(PathBuf, String)]) -> Vec<Handler> {
    let head =
        Regex::new(r"(?m)^(?:pub\([a-z]+\) )?async fn (\w+)\(([^{]*?Call<(\w+)>[^{]*?)\) ->").expect("a pattern");
    let head_with_pattern =
        Regex::new(r"(?ms)^(?:pub\([a-z]+\) )?async fn (\w+)\((.*?Call<(\w+)>.*?)\)\s*->").expect("a pattern");
    let mut all = Vec::new();
    for (file, text) in sources {
        for piece in text.split("\nasync fn ").flat_map(|piece| piece.split("\npub(super) async fn ")).skip(1) {
            let function = format!("async fn {}", piece.split("\n}\n").next().unwrap_or_default());
            let found = head.captures(&function).or_else(|| head_with_pattern.captures(&function));
            if let Some(found) = found {
                let body = function[found.get(0).expect("a match").end()..].to_owned();
                all.push(Handler { file: file.clone(), name: found[1].to_owned(), params: found[3].to_owned(), body });
            }
        }
    }
    all
}

/// The declaration that a handler means: in its file, or in the module from which its file takes the name. None for a
/// struct that is not declared with `params!`.
fn meant<'d>(handler: &Handler, text: &str, all: &'d [Declared]) -> Option<&'d Declared> {
    let own = all.iter().find(|known| known.file == handler.file);
    let from = Regex::new(&format!(r"(\w+)::(?:\{{[^}}]*)?\b{}\b", handler.params)).expect("a pattern");
    let module = from.captures(text).map(|found| found[1].to_owned()).unwrap_or_default();
    let folder = handler.file.parent();
    let named = |known: &&Declared| {
        let stem = if module == "super" { "mod" } else { module.as_str() };
        known.file.parent() == folder && known.file.file_stem().is_some_and(|known| known == stem)
    };
    own.or_else(|| all.iter().find(named))
}

/// The parameters that a handler leaves in its hands: none if it gives them all to something else.
fn untouched(handler: &Handler, declared: &Declared) -> Vec<String> {
    let whole = Regex::new(r"\bparams\b(?:\.\w+\(|[^.\w]|\.\s*$)").expect("a pattern");
    let part = Regex::new(r"\bparams\s*\.\s*(?:r#)?(\w+)\b").expect("a pattern");
    // One that does not name them gives the whole call to something else.
    if whole.is_match(&handler.body) || !handler.body.contains("params") {
        return Vec::new();
    }
    let touched: BTreeSet<&str> =
        part.captures_iter(&handler.body).filter_map(|found| Some(found.get(1)?.as_str())).collect();
    declared.fields.iter().filter(|field| !touched.contains(field.as_str())).cloned().collect()
}

/// The compiler finds a field that no handler reads. One that a handler reads, and another with the same struct does
/// not, is found here.
#[test]
fn handlers_that_share_their_parameters_read_all_of_them() {
    let sources = sources();
    let (declared, handlers) = (declared(&sources), handlers(&sources));
    assert!(handlers.len() > 150 && declared.len() > 60, "{} handlers, {} structs", handlers.len(), declared.len());
    let texts: BTreeMap<&PathBuf, &str> = sources.iter().map(|(file, text)| (file, text.as_str())).collect();
    let mut dropped = Vec::new();
    for handler in &handlers {
        let text = texts.get(&handler.file).copied().unwrap_or_default();
        let Some(declared) = declared.get(&handler.params).and_then(|all| meant(handler, text, all)) else { continue };
        let left = untouched(handler, declared);
        dropped.extend(left.into_iter().map(|field| format!("{} {}: {field}", handler.file.display(), handler.name)));
    }
    let passed_over = passed_over();
    dropped.retain(|line| !passed_over.contains(line.rsplit(' ').next().unwrap_or_default()));
    assert_eq!(dropped, Vec::<String>::new(), "read by no line of the handler");
}
