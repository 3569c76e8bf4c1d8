//! The tree of files beside a directory or file. It is written as a list in which one directory of each level is open.

use tenon_app::repository::{FileTree, TreeLevel};
use tenon_domain::file_path::FilePath;

use crate::kit::address::in_path;

/// A step of writing the tree.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TreeStep {
    /// A directory opens.
    Open(String),
    /// It ends.
    Close,
    /// A directory or file that is not open.
    Entry(TreeEntry),
    /// A submodule, which has no page.
    Plain(String),
    /// This many entries are left out of the directory at this address.
    More(usize, String),
}

/// An entry with a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TreeEntry {
    pub(super) name: String,
    /// The kind of its page: `tree` or `blob`.
    pub(super) page: &'static str,
    /// The path as part of addresses, with a slash before it.
    pub(super) below: String,
    /// True if the page is about it.
    pub(super) is_here: bool,
}

/// The steps for the tree beside what is at this path.
pub(super) fn steps(tree: &FileTree, path: &FilePath) -> Vec<TreeStep> {
    let mut steps = Vec::new();
    write(&tree.levels, path, &mut steps);
    steps
}

fn write(levels: &[TreeLevel], path: &FilePath, steps: &mut Vec<TreeStep>) {
    let Some((level, deeper)) = levels.split_first() else { return };
    for entry in &level.entries {
        let name = entry.name.legible();
        let is_here = entry.path == *path;
        match (entry.kind, deeper.first()) {
            ("tree", Some(open)) if open.path == entry.path => {
                steps.push(TreeStep::Open(name));
                write(deeper, path, steps);
                steps.push(TreeStep::Close);
            }
            ("commit", _) => steps.push(TreeStep::Plain(name)),
            (kind, _) => {
                let page = if kind == "tree" { "tree" } else { "blob" };
                let below = format!("/{}", in_path(entry.path.as_kept()));
                steps.push(TreeStep::Entry(TreeEntry { name, page, below, is_here }));
            }
        }
    }
    if level.left_out > 0 {
        let kept = level.path.as_kept();
        let below = if kept.is_empty() { String::new() } else { format!("/{}", in_path(kept)) };
        steps.push(TreeStep::More(level.left_out, below));
    }
}
