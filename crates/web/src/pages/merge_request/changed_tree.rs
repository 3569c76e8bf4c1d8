//! The tree of changed files. It is written as a list in which each directory is open.

use crate::parts::diff::ChangedFile;

/// The number of directories inside one another that the tree shows. Below them, the name of a file is its further path.
const MOST_LEVELS: usize = 12;

/// A step of writing the tree.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ChangedStep {
    /// A directory opens. The name has several parts if there is nothing but a directory in it.
    Open(String),
    /// It ends.
    Close,
    File(ListedFile),
}

/// A file of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListedFile {
    pub(super) href: String,
    /// The path as pages show it.
    pub(super) shown: String,
    /// The part of the path that is not in the directories around it.
    pub(super) name: String,
    pub(super) added: usize,
    pub(super) removed: usize,
    pub(super) is_viewed: bool,
}

impl ListedFile {
    /// The entry of a file of the merge request at `href`, which is on the page, or alone on the page of this query.
    pub(super) fn new(href: &str, alone: Option<String>, file: &ChangedFile, is_viewed: bool) -> Self {
        let anchor = &file.anchor;
        Self {
            href: alone.map_or_else(|| format!("#{anchor}"), |query| format!("{href}/diffs?{query}#{anchor}")),
            shown: file.shown.clone(),
            name: file.shown.clone(),
            added: file.added,
            removed: file.removed,
            is_viewed,
        }
    }
}

/// A file with the names of the directories on its path.
type Located<'f> = (Vec<&'f str>, &'f ListedFile);

/// The steps for these files, which are in the order of their paths.
pub(super) fn steps(files: &[ListedFile]) -> Vec<ChangedStep> {
    let located: Vec<Located<'_>> = files.iter().map(locate).collect();
    let mut steps = Vec::new();
    write(&located, 0, MOST_LEVELS, &mut steps);
    steps
}

fn locate(file: &ListedFile) -> Located<'_> {
    let directories = file.shown.rsplit_once('/').map_or("", |(directories, _)| directories);
    (directories.split_terminator('/').collect(), file)
}

/// Writes files that have the first `depth` directories of their paths in common.
fn write(mut files: &[Located<'_>], depth: usize, levels: usize, steps: &mut Vec<ChangedStep>) {
    while let Some(((directories, file), others)) = files.split_first() {
        let Some(directory) = directories.get(depth).filter(|_| levels > 0) else {
            let name = file.shown.splitn(depth + 1, '/').last().unwrap_or_default().to_owned();
            steps.push(ChangedStep::File(ListedFile { name, ..(*file).clone() }));
            files = others;
            continue;
        };
        let is_inside = |(other, _): &&Located<'_>| other.get(depth) == Some(directory);
        let (inside, outside) = files.split_at(files.iter().take_while(is_inside).count());
        let is_shared = |at: &usize| inside.iter().all(|(other, _)| other.get(*at) == directories.get(*at));
        let below = (depth + 1..directories.len()).find(|at| !is_shared(at)).unwrap_or(directories.len());
        let name: Vec<&str> = directories.iter().take(below).skip(depth).copied().collect();
        steps.push(ChangedStep::Open(name.join("/")));
        write(inside, below, levels - 1, steps);
        steps.push(ChangedStep::Close);
        files = outside;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(paths: &[&str]) -> String {
        let listed = |path: &&str| ListedFile {
            href: String::new(),
            shown: (*path).to_owned(),
            name: String::new(),
            added: 1,
            removed: 0,
            is_viewed: false,
        };
        let files: Vec<ListedFile> = paths.iter().map(listed).collect();
        let words = steps(&files).into_iter().map(|step| match step {
            ChangedStep::Open(name) => format!("{name}["),
            ChangedStep::Close => "]".to_owned(),
            ChangedStep::File(file) => file.name,
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn directories_are_around_their_files() {
        assert_eq!(written(&[]), "");
        assert_eq!(written(&["README.md"]), "README.md");
        assert_eq!(written(&["a.txt", "src/a.rs", "src/b.rs", "z.txt"]), "a.txt src[ a.rs b.rs ] z.txt");
        assert_eq!(written(&["src/a/x", "src/b.rs", "src/c/y"]), "src[ a[ x ] b.rs c[ y ] ]");
    }

    #[test]
    fn a_directory_of_one_directory_is_one_entry_with_it() {
        assert_eq!(written(&["crates/web/src/kit/words.rs"]), "crates/web/src/kit[ words.rs ]");
        assert_eq!(written(&["a/b/c/x", "a/b/c/y", "a/b/d/z"]), "a/b[ c[ x y ] d[ z ] ]");
        assert_eq!(written(&["a/b/c/x", "a/b/y"]), "a/b[ c[ x ] y ]");
        assert_eq!(written(&["a/b", "a/b/c"]), "a[ b b[ c ] ]");
    }

    #[test]
    fn levels_have_a_bound() {
        let zigzag: Vec<String> =
            (1..40).flat_map(|levels| ["x", "y/z"].map(|end| format!("{}{end}", "d/".repeat(levels)))).collect();
        let mut paths: Vec<&str> = zigzag.iter().map(String::as_str).collect();
        paths.sort_unstable();
        let text = written(&paths);
        assert_eq!(text.matches('[').count(), text.matches(']').count());
        let deepest = text.chars().fold((0_usize, 0), |(level, most), letter| match letter {
            '[' => (level + 1, most.max(level + 1)),
            ']' => (level - 1, most),
            _ => (level, most),
        });
        assert_eq!(deepest, (0, MOST_LEVELS));
    }
}
