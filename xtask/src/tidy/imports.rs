//! Which paths within its own crate a Rust file names.

use std::path::{Component, Path};

use anyhow::{Result, anyhow};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A path that a file names, wherever that is: in a `use`, an expression, or the tokens of a macro.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Import {
    /// From the root of the crate.
    pub(super) path: Vec<String>,
    /// Counted from 1.
    pub(super) line: usize,
}

/// The path of the module that lies in `file`, which is named from the crate's `src`.
pub(super) fn module_of(file: &Path) -> Vec<String> {
    let without_ending = file.with_extension("");
    let words = without_ending.components().filter_map(|component| match component {
        Component::Normal(word) => word.to_str().map(str::to_owned),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => None,
    });
    let mut words: Vec<String> = words.collect();
    if matches!(words.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        words.pop();
    }
    words
}

/// The paths that begin with `crate`, `self` or `super` in the file of `module`. Fails when `text` is not Rust.
pub(super) fn of(module: &[String], text: &str) -> Result<Vec<Import>> {
    let tokens: TokenStream = text.parse().map_err(|error| anyhow!("{error}"))?;
    let mut found = Vec::new();
    walk(tokens, module, &mut found);
    Ok(found)
}

fn walk(tokens: TokenStream, module: &[String], found: &mut Vec<Import>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut rest = tokens.as_slice();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            TokenTree::Ident(word) if word == "mod" => {
                if let [TokenTree::Ident(name), TokenTree::Group(body), after @ ..] = after {
                    let mut inner = module.to_vec();
                    inner.push(name.to_string());
                    walk(body.stream(), &inner, found);
                    rest = after;
                }
            }
            TokenTree::Ident(word) if is_root(first) => {
                let mut start = module.to_vec();
                if word == "crate" {
                    start.clear();
                } else if word == "super" {
                    start.pop();
                }
                rest = path(start, first, after, found);
            }
            TokenTree::Group(group) => walk(group.stream(), module, found),
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Whether a path that begins with `token` leads to a module of this crate.
fn is_root(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Ident(word) if word == "crate" || word == "super" || word == "self")
}

/// Reads what follows a first word up to the end of the path, and returns what comes after it.
fn path<'a>(
    mut words: Vec<String>,
    first: &TokenTree,
    mut rest: &'a [TokenTree],
    found: &mut Vec<Import>,
) -> &'a [TokenTree] {
    let mut line = first.span().start().line;
    let mut named = !is_root(first);
    while let [TokenTree::Punct(one), TokenTree::Punct(two), next, after @ ..] = rest {
        if one.as_char() != ':' || two.as_char() != ':' {
            break;
        }
        match next {
            TokenTree::Ident(word) if word == "super" => {
                words.pop();
            }
            TokenTree::Ident(word) => {
                words.push(word.to_string());
                named = true;
                line = word.span().start().line;
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                each_of(&words, group.stream(), found);
                return after;
            }
            TokenTree::Punct(_) | TokenTree::Group(_) | TokenTree::Literal(_) => break,
        }
        rest = after;
    }
    if named {
        found.push(Import { path: words, line });
    }
    rest
}

/// The paths of a group, as in `use a::{b, c::d}`.
fn each_of(start: &[String], group: TokenStream, found: &mut Vec<Import>) {
    let tokens: Vec<TokenTree> = group.into_iter().collect();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    for part in tokens.split(is_comma) {
        if let Some((first @ TokenTree::Ident(word), after)) = part.split_first() {
            let mut words = start.to_vec();
            if word != "self" {
                words.push(word.to_string());
            }
            if let [] | [TokenTree::Ident(_), ..] = after {
                found.push(Import { path: words, line: word.span().start().line });
            } else {
                path(words, first, after, found);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(module: &str, text: &str) -> Vec<String> {
        let module: Vec<String> = module.split("::").filter(|word| !word.is_empty()).map(str::to_owned).collect();
        let shown = |import: Import| format!("{} {}", import.line, import.path.join("::"));
        of(&module, text).unwrap().into_iter().map(shown).collect()
    }

    #[test]
    fn the_module_of_a_file_is_its_path() {
        for (file, module) in [
            ("lib.rs", ""),
            ("main.rs", ""),
            ("issue.rs", "issue"),
            ("issue/mod.rs", "issue"),
            ("issue/edit/labels.rs", "issue::edit::labels"),
        ] {
            assert_eq!(module_of(Path::new(file)).join("::"), module, "{file}");
        }
    }

    #[test]
    fn paths_are_found_wherever_they_stand() {
        let text = "use crate::a::B;\nfn f() -> crate::c::D { vec![crate::e()] }\n/// `crate::never`\nconst T: &str = \"crate::never\";";
        assert_eq!(paths("", text), ["1 a::B", "2 c::D", "2 e"]);
    }

    #[test]
    fn groups_are_read_in_full() {
        let text = "use crate::{a::{self, B as C}, d,\n e::{f::*, g::h::{I, J}}};";
        assert_eq!(paths("", text), ["1 a", "1 a::B", "1 d", "2 e::f", "2 e::g::h::I", "2 e::g::h::J"]);
    }

    #[test]
    fn relative_paths_begin_at_their_module() {
        let text = "use super::a; use self::b; use super::super::c; mod inner { use super::d; use crate::e; }";
        assert_eq!(paths("x::y", text), ["1 x::a", "1 x::y::b", "1 c", "1 x::y::d", "1 e"]);
        assert_eq!(paths("x::y", "fn f(&self) { self.a(); Self::b() } pub(super) fn g() {}"), [""; 0]);
    }
}
