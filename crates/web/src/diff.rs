//! Differences between commits, as pages show them.

use sha2::{Digest as _, Sha256};
use tenon_app::repository::FileDifference;

use crate::place::in_path;

/// Why a file has no lines.
pub(crate) const TOO_MUCH: &str = "These changes are too large to be shown here.";

/// A file that differs.
pub(crate) struct ChangedFile {
    pub(crate) path: String,
    pub(crate) old_path: String,
    /// By what addresses name it: digits that follow from its path.
    pub(crate) anchor: String,
    /// What happened to it.
    pub(crate) what: String,
    /// The address of the file below the project; empty where it is gone.
    pub(crate) below: String,
    pub(crate) lines: Vec<DiffLine>,
    /// Why there are no lines; empty where there are.
    pub(crate) note: &'static str,
    pub(crate) added: usize,
    pub(crate) removed: usize,
}

/// A line of a difference.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DiffLine {
    pub(crate) class: &'static str,
    /// The numbers before and after; none for lines that are on one side only, and for heads of hunks.
    pub(crate) old: Option<u64>,
    pub(crate) new: Option<u64>,
    pub(crate) sign: &'static str,
    pub(crate) text: String,
}

impl DiffLine {
    /// Whether it is a line of the file, before or after.
    pub(crate) fn is_line(&self) -> bool {
        self.old.is_some() || self.new.is_some()
    }

    /// The numbers, as addresses write them: 0 for none.
    pub(crate) fn numbers(&self) -> String {
        format!("{}_{}", self.old.unwrap_or(0), self.new.unwrap_or(0))
    }
}

/// What addresses call the file of this path.
pub(crate) fn anchor(path: &str) -> String {
    let digits = hex::encode(Sha256::digest(path.as_bytes()));
    format!("f{}", digits.get(..16).unwrap_or_default())
}

/// A changed file at a commit, with as many lines as are `left`.
pub(crate) fn changed(file: FileDifference, commit: &str, left: &mut usize) -> ChangedFile {
    let what = match (file.new_file, file.deleted_file, file.renamed_file) {
        (true, _, _) => "added".to_owned(),
        (_, true, _) => "removed".to_owned(),
        (_, _, true) => format!("renamed from {}", file.old_path),
        _ if file.a_mode != file.b_mode => format!("changed, mode {} before and {} now", file.a_mode, file.b_mode),
        _ => "changed".to_owned(),
    };
    let below = if file.deleted_file { String::new() } else { format!("/blob/{commit}/{}", in_path(&file.new_path)) };
    let is_binary = file.diff.starts_with("Binary files ");
    let count = file.diff.lines().count();
    let (lines, note) = if file.too_large || (!is_binary && count > *left) {
        (Vec::new(), TOO_MUCH)
    } else if is_binary {
        (Vec::new(), "This is no text.")
    } else if count == 0 {
        (Vec::new(), "No line of it differs.")
    } else {
        (lines(&file.diff), "")
    };
    *left = left.saturating_sub(lines.len());
    let of_class = |class: &str| lines.iter().filter(|line| line.class == class).count();
    ChangedFile {
        anchor: anchor(&file.new_path),
        added: of_class("added"),
        removed: of_class("removed"),
        path: file.new_path,
        old_path: file.old_path,
        what,
        below,
        lines,
        note,
    }
}

/// The lines of a unified text, with their numbers.
pub(crate) fn lines(text: &str) -> Vec<DiffLine> {
    let (mut old, mut new) = (0_u64, 0_u64);
    let number = |count: &mut u64| {
        let shown = *count;
        *count += 1;
        Some(shown)
    };
    let mut line = |line: &str| {
        let (head, rest) = line.split_at_checked(1).unwrap_or((line, ""));
        let (class, left, right, sign, text) = match head {
            "@" => {
                (old, new) = starts(line);
                ("hunk", None, None, "", line)
            }
            "+" => ("added", None, number(&mut new), "+", rest),
            "-" => ("removed", number(&mut old), None, "\u{2212}", rest),
            " " => ("", number(&mut old), number(&mut new), "", rest),
            _ => ("hunk", None, None, "", line),
        };
        DiffLine { class, old: left, new: right, sign, text: text.to_owned() }
    };
    text.lines().map(&mut line).collect()
}

/// The first numbers of `@@ -1,2 +3,4 @@`.
fn starts(line: &str) -> (u64, u64) {
    let number = |sign: char| {
        let (_, rest) = line.split_once(sign)?;
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    (number('-').unwrap_or_default(), number('+').unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_numbers_that_their_hunk_says() {
        let shown: Vec<String> = lines("@@ -3,2 +7,3 @@ fn\n a\n-b\n+c\n+d\n\\ No newline at end of file\n")
            .into_iter()
            .map(|line| format!("{}|{}|{}", line.numbers(), line.sign, line.text))
            .collect();
        let want = [
            "0_0||@@ -3,2 +7,3 @@ fn",
            "3_7||a",
            "4_0|\u{2212}|b",
            "0_8|+|c",
            "0_9|+|d",
            "0_0||\\ No newline at end of file",
        ];
        assert_eq!(shown, want);
    }
}
