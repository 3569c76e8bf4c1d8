//! The rules for every Rust file.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::Finding;

const MOST_LINES: usize = 450;

/// The files that may tell the databases apart; `on_each!` is in the second.
const KNOW_BOTH_DATABASES: [&str; 6] = [
    "crates/storage/src/db/dialect.rs",
    "crates/storage/src/db/connection.rs",
    "crates/storage/src/db/multi_connection.rs",
    "crates/storage/src/migrate.rs",
    "crates/storage/src/text_index/mod.rs",
    "crates/storage/src/backup/dialect.rs",
];

/// Adds every `.rs` file under `folder`, named from `root`, in a fixed order.
pub(super) fn list(root: &Path, folder: &str, files: &mut Vec<String>) -> Result<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root.join(folder)).with_context(|| format!("cannot read {folder}"))? {
        let entry = entry?;
        if let Ok(name) = entry.file_name().into_string() {
            names.push((format!("{folder}/{name}"), entry.file_type()?.is_dir()));
        }
    }
    names.sort();
    for (name, is_folder) in names {
        if is_folder {
            list(root, &name, files)?;
        } else if Path::new(&name).extension().is_some_and(|extension| extension == "rs") {
            files.push(name);
        }
    }
    Ok(())
}

/// The text that is written for readers: the comment of a line of Rust, any line of another text. The checks' own tests
/// quote the words that they look for.
pub(super) fn prose<'a>(file: &str, line: &'a str) -> &'a str {
    if Path::new(file).extension().is_none_or(|extension| extension != "rs") {
        return line;
    }
    let comment = line.find("//").filter(|_| !file.starts_with("xtask/src/tidy/"));
    comment.and_then(|start| line.get(start..)).unwrap_or_default()
}

pub(super) fn check(file: &str, text: &str) -> Vec<Finding> {
    [first_line(file, text), length(file, text), backend(file, text)].into_iter().flatten().collect()
}

/// A reader learns from the first line what the file is for.
fn first_line(file: &str, text: &str) -> Option<Finding> {
    let said = text.lines().next().and_then(|line| line.strip_prefix("//!"));
    let says_something = said.is_some_and(|said| said.contains(char::is_alphabetic));
    (!says_something).then(|| Finding {
        file: file.to_owned(),
        rule: "every file begins with a `//!` line that says what it is for",
        fault: "begins with something else".to_owned(),
        fix: "say in one sentence what one finds here; if that needs an `and`, consider two files",
    })
}

fn length(file: &str, text: &str) -> Option<Finding> {
    let lines = text.lines().count();
    (lines > MOST_LINES).then(|| Finding {
        file: file.to_owned(),
        rule: "no file has more than 450 lines",
        fault: format!("has {lines}"),
        fix: "split it by use case: one file for each thing that a user can do",
    })
}

/// One code for both databases, with the exception of the few files in which they really differ.
fn backend(file: &str, text: &str) -> Option<Finding> {
    // This crate talks about the text that it looks for.
    if KNOW_BOTH_DATABASES.contains(&file) || file.starts_with("xtask/") {
        return None;
    }
    // The field has the connection that is one of the two, past the texts of statements.
    let tells_apart = |line: &str| {
        ["AnyConnection::Sqlite(", "AnyConnection::Postgres(", "conn.any"].iter().any(|it| line.contains(it))
    };
    let (number, _) = (1..).zip(text.lines()).find(|(_, line)| tells_apart(line))?;
    Some(Finding {
        file: format!("{file}:{number}"),
        rule: "only db/dialect.rs, db/connection.rs, db/multi_connection.rs, migrate.rs, text_index/mod.rs and backup/dialect.rs of tenon-storage tell the databases apart",
        fault: "matches on the kind of connection".to_owned(),
        fix: "use on_each! if the expression is the same for both, else give dialect.rs a function",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_in_its_first_line_what_it_is_for() {
        assert_eq!(first_line("a.rs", "//! The states of an issue.\n"), None);
        for text in ["", "use std::fs;\n", "\n//! Late.\n", "//!\n//! Late.\n", "//! .\n", "// No doc.\n"] {
            assert!(first_line("a.rs", text).is_some(), "{text:?}");
        }
    }

    #[test]
    fn a_file_has_at_most_450_lines() {
        assert_eq!(length("a.rs", &"x\n".repeat(450)), None);
        assert_eq!(length("a.rs", &"x\n".repeat(451)).unwrap().fault, "has 451");
    }

    #[test]
    fn only_few_files_tell_the_databases_apart() {
        let text =
            "//! .\nmatch conn {\n    AnyConnection::Sqlite(c) => ..,\n    AnyConnection::Postgres(c) => ..,\n}\n";
        assert_eq!(backend("crates/storage/src/db/dialect.rs", text), None);
        assert_eq!(
            backend("crates/storage/src/issue/query.rs", text).unwrap().file,
            "crates/storage/src/issue/query.rs:3"
        );
        assert_eq!(backend("crates/storage/src/issue/query.rs", "fn find(conn: &mut DbConn) {}"), None);
        assert!(backend("crates/storage/src/issue/query.rs", "users::table.load(&mut tx.conn.any)").is_some());
    }
}
