//! The syntax of a text.

use syntect::parsing::{SyntaxReference, SyntaxSet};

use crate::{MAX_LINE, fence};

/// The source of the language of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language<'a> {
    /// The name of its file, without folders. If the name says nothing, the first line of the text decides.
    OfFile(&'a str),
    /// The name of the language or an extension of its files, with the words that may follow it behind the marks of a block of code
    /// in Markdown: `rust,ignore`.
    Named(&'a str),
}

/// Extensions that say nothing about the language. The part of the name before them does.
const WRAPPERS: [&str; 8] = ["bak", "dist", "example", "in", "orig", "rej", "sample", "template"];

/// Extensions and names of languages that the syntaxes do not list, or that more than one of them lists. The second is the name
/// to search for instead.
const ALIASES: &[(&str, &str)] = &[
    ("bzl", "py"),
    ("cjs", "js"),
    ("console", "sh"),
    ("containerfile", "dockerfile"),
    ("fs", "fsi"),
    ("geojson", "json"),
    ("golang", "go"),
    // Of C, C++ and Objective-C; the syntax of C++ knows most of all three.
    ("h", "cpp"),
    ("ipynb", "json"),
    ("jsonc", "json"),
    ("jsonl", "json"),
    ("mdx", "md"),
    ("mjs", "js"),
    ("plaintext", "txt"),
    ("shell", "sh"),
    ("webmanifest", "json"),
];

/// The syntax of a text; `None` if it has none, or that of plain text.
pub(crate) fn find<'s>(syntaxes: &'s SyntaxSet, language: Language<'_>, text: &str) -> Option<&'s SyntaxReference> {
    let found = match language {
        Language::OfFile(name) => by_file_name(syntaxes, name).or_else(|| by_first_line(syntaxes, text)),
        Language::Named(words) => by_token(syntaxes, fence::language(words)),
    };
    found.filter(|syntax| syntax.name != "Plain Text")
}

fn by_file_name<'s>(syntaxes: &'s SyntaxSet, name: &str) -> Option<&'s SyntaxReference> {
    let name = name.trim_end_matches('~');
    let mut rest = name;
    // The whole name, and then each extension, the longest first: `x.html.erb` is `html.erb` before it is `erb`.
    loop {
        if let Some(found) = by_extension(syntaxes, rest) {
            return Some(found);
        }
        let Some((_, extension)) = rest.split_once('.') else { break };
        rest = extension;
    }
    let (stem, extension) = name.rsplit_once('.')?;
    let is_wrapped = WRAPPERS.iter().any(|wrapper| extension.eq_ignore_ascii_case(wrapper));
    is_wrapped.then(|| by_file_name(syntaxes, stem)).flatten()
}

fn by_extension<'s>(syntaxes: &'s SyntaxSet, extension: &str) -> Option<&'s SyntaxReference> {
    (!extension.is_empty()).then(|| syntaxes.find_syntax_by_extension(resolved(extension))).flatten()
}

fn by_token<'s>(syntaxes: &'s SyntaxSet, name: &str) -> Option<&'s SyntaxReference> {
    (!name.is_empty()).then(|| syntaxes.find_syntax_by_token(resolved(name))).flatten()
}

fn by_first_line<'s>(syntaxes: &'s SyntaxSet, text: &str) -> Option<&'s SyntaxReference> {
    let line = text.lines().next().unwrap_or_default();
    let is_short = line.len() <= MAX_LINE;
    (is_short && !line.is_empty()).then(|| syntaxes.find_syntax_by_first_line(line)).flatten()
}

fn resolved(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name)).map_or(name, |(_, known)| known)
}
