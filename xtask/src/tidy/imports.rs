//! Which paths within its own crate a Rust file names, and under which names it has them.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use anyhow::{Result, anyhow};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A path that a file names: in a `use`, an expression, or the tokens of a macro.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Import {
    /// From the root of the crate.
    pub(super) path: Vec<String>,
    /// Counted from 1.
    pub(super) line: usize,
}

/// The imports and the aliases of a file.
#[derive(Debug, Default)]
pub(super) struct Named {
    pub(super) imports: Vec<Import>,
    /// The paths that the `use` items of the file's module stand for, from the root of the crate, by the names that
    /// they have there. Other modules reach the items behind them through these names. Names of other crates are among
    /// them.
    pub(super) aliases: BTreeMap<String, Vec<String>>,
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

/// The paths that begin with `crate`, `self` or `super` in the file of `module`, and its aliases. Fails if `text` is
/// not Rust.
pub(super) fn of(module: &[String], text: &str) -> Result<Named> {
    let tokens: TokenStream = text.parse().map_err(|error| anyhow!("{error}"))?;
    let mut named = Named::default();
    add_aliases(tokens.clone(), module, &mut named.aliases);
    walk(tokens, module, &mut named.imports);
    Ok(named)
}

/// Adds the names of the `use` items among these tokens, but not of those in groups: they are of functions and of
/// modules inside.
fn add_aliases(tokens: TokenStream, module: &[String], aliases: &mut BTreeMap<String, Vec<String>>) {
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        if matches!(&token, TokenTree::Ident(word) if word == "use") {
            let is_end = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';');
            let tree: Vec<TokenTree> = tokens.by_ref().take_while(|token| !is_end(token)).collect();
            add_tree(None, &tree, module, aliases);
        }
    }
}

/// Adds the names of a tree of `use` that stands behind the path `start`.
fn add_tree(
    start: Option<&[String]>,
    tree: &[TokenTree],
    module: &[String],
    aliases: &mut BTreeMap<String, Vec<String>>,
) {
    let (mut path, mut name) = (start.map(<[String]>::to_vec), None);
    let mut tokens = tree.iter();
    while let Some(token) = tokens.next() {
        // A path that begins with none of the three words leads into a module here, or to another crate.
        let here = || module.to_vec();
        match token {
            TokenTree::Ident(word) if word == "crate" => path = Some(Vec::new()),
            TokenTree::Ident(word) if word == "self" => path = path.or_else(|| Some(here())),
            TokenTree::Ident(word) if word == "super" => drop(path.get_or_insert_with(here).pop()),
            TokenTree::Ident(word) if word == "as" => name = tokens.next().map(ToString::to_string),
            TokenTree::Ident(word) => path.get_or_insert_with(here).push(word.to_string()),
            TokenTree::Group(group) => {
                let parts: Vec<TokenTree> = group.stream().into_iter().collect();
                for part in parts.split(is_comma) {
                    add_tree(path.as_deref(), part, module, aliases);
                }
                return;
            }
            TokenTree::Punct(punct) if punct.as_char() == '*' => return,
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    if let Some(path) = path
        && let Some(name) = name.or_else(|| path.last().cloned())
    {
        aliases.insert(name, path);
    }
}

fn is_comma(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',')
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

/// True if a path that begins with `token` leads to a module of this crate.
fn is_root(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Ident(word) if word == "crate" || word == "super" || word == "self")
}

/// Reads the path behind its first word up to its end, and returns the tokens after it.
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
        of(&module, text).unwrap().imports.into_iter().map(shown).collect()
    }

    #[test]
    fn names_of_use_items_stand_for_paths() {
        let text = "pub use self::a::B; pub(crate) use c::{self, D as E, f::{G, H}}; use crate::i::J; use super::k; \
                    use crate::l::*; fn f() { use crate::m::N; } mod tests { use super::O; }";
        let aliases = of(&["x".to_owned(), "y".to_owned()], text).unwrap().aliases;
        let shown: Vec<String> = aliases.iter().map(|(name, path)| format!("{name} {}", path.join("::"))).collect();
        let want =
            ["B x::y::a::B", "E x::y::c::D", "G x::y::c::f::G", "H x::y::c::f::H", "J i::J", "c x::y::c", "k x::k"];
        assert_eq!(shown, want);
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
