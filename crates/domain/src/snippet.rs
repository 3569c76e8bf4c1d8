//! Snippets: a few files of text under one title, of a user alone or in a project.

use crate::access::{AccessLevel, Decision, Standing, Viewer};
use crate::field_errors::{BLANK, FieldErrors, TAKEN};
use crate::id::{NoteId, ProjectId, SnippetId, UserId};
use crate::issuable::MAX_TEXT;
use crate::note::NoteKind;
use crate::project::{ProjectFacts, is_invisible};
use crate::time::Timestamp;
use crate::visibility::Visibility;

/// The longest title, in characters.
pub const MAX_TITLE: usize = 255;
/// The longest path of a file, in characters.
pub const MAX_PATH: usize = 255;
/// The most files of a snippet.
pub const MAX_FILES: usize = 10;
/// The most files while changes are made: later ones may remove some.
const MOST_MEANWHILE: usize = 10 * MAX_FILES;
/// The most bytes of all files of a snippet, whatever the setting `snippet_size_limit` says: they are kept in rows.
pub const MAX_BYTES: usize = 2 << 20;

/// A snippet without its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// The id, unique over the whole server.
    pub id: SnippetId,
    /// The project that it belongs to; `None` for one of a user alone.
    pub project: Option<ProjectId>,
    /// Who made it.
    pub author: UserId,
    /// The title.
    pub title: String,
    /// Markdown.
    pub description: Option<String>,
    /// Who may read it, of those who see its project.
    pub visibility: Visibility,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// A file of a snippet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnippetFile {
    /// Its path, with `/` between folders.
    pub path: String,
    /// Its text.
    pub content: String,
}

/// A comment on a snippet of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnippetNote {
    /// The id among comments on snippets.
    pub id: NoteId,
    /// The snippet.
    pub snippet: SnippetId,
    /// Who said it.
    pub author: UserId,
    /// The discussion that it belongs to: 40 hexadecimal digits.
    pub discussion: String,
    /// If it takes replies.
    pub kind: NoteKind,
    /// Markdown.
    pub body: String,
    /// When it was said.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// The actions that are possible with a snippet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SnippetAction {
    /// Read it.
    Read,
    /// Change and remove it.
    Edit,
    /// Comment on it, and react to it.
    Comment,
    /// Change and remove comments of others.
    Moderate,
}

/// Decides about a snippet of a user alone, which nobody comments on. `own` is true for the author's.
#[must_use]
pub fn decide_personal(viewer: Viewer, own: bool, visibility: Visibility, action: SnippetAction) -> Decision {
    let is_allowed = match action {
        SnippetAction::Read => own || viewer.sees(visibility),
        SnippetAction::Edit => own,
        SnippetAction::Comment | SnippetAction::Moderate => false,
    };
    if is_allowed { Decision::Allow } else { Decision::Hide }
}

/// Decides about a snippet of a project. It is never more open than the snippets of its project.
#[must_use]
pub fn decide_in_project(
    standing: &Standing,
    project: ProjectFacts,
    own: bool,
    visibility: Visibility,
    action: SnippetAction,
) -> Decision {
    let has_snippets = project.snippets.is_some_and(|snippets| standing.sees(snippets));
    if !standing.sees(project.visibility) || !has_snippets || !(own || standing.sees(visibility)) {
        return Decision::Hide;
    }
    match action {
        SnippetAction::Read => Decision::Allow,
        SnippetAction::Edit => {
            Decision::allow_if((own || standing.at_least(AccessLevel::Maintainer)) && !project.archived)
        }
        SnippetAction::Comment => Decision::allow_if(standing.viewer.user().is_some() && !project.archived),
        SnippetAction::Moderate => Decision::allow_if(standing.at_least(AccessLevel::Maintainer) && !project.archived),
    }
}

/// One change of the files of a snippet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange {
    /// A new file.
    Create(SnippetFile),
    /// Another text of the file of this path.
    Update(SnippetFile),
    /// The file of this path is removed.
    Delete(String),
    /// Another path for a file, perhaps with another text.
    Move {
        /// Its path so far.
        from: String,
        /// Its new path.
        to: String,
        /// Its new text; `None` leaves it.
        content: Option<String>,
    },
}

/// The name that a file without one gets: the first that is free.
fn free_name(files: &[SnippetFile]) -> String {
    let mut number = 1;
    loop {
        let name = format!("snippetfile{number}.txt");
        if files.iter().all(|file| file.path != name) {
            return name;
        }
        number += 1;
    }
}

/// The files after these changes, in order. A new file without a path gets one.
///
/// # Errors
/// A path that is taken, or that no file has.
pub fn change_files(mut files: Vec<SnippetFile>, changes: Vec<FileChange>) -> Result<Vec<SnippetFile>, FieldErrors> {
    let missing = |path: &str| FieldErrors::of("files", format!("'{path}' does not exist"));
    for change in changes {
        match change {
            FileChange::Create(mut file) => {
                if file.path.is_empty() {
                    file.path = free_name(&files);
                }
                if files.iter().any(|other| other.path == file.path) {
                    return Err(FieldErrors::of("file_name", TAKEN));
                }
                if files.len() >= MOST_MEANWHILE {
                    return Err(FieldErrors::of("files", format!("are too many (maximum is {MAX_FILES})")));
                }
                files.push(file);
            }
            FileChange::Update(file) => {
                let known = files.iter_mut().find(|known| known.path == file.path);
                known.ok_or_else(|| missing(&file.path))?.content = file.content;
            }
            FileChange::Delete(path) => {
                let at = files.iter().position(|file| file.path == path).ok_or_else(|| missing(&path))?;
                files.remove(at);
            }
            FileChange::Move { from, to, content } => {
                let to = if to.is_empty() { free_name(&files) } else { to };
                if from != to && files.iter().any(|file| file.path == to) {
                    return Err(FieldErrors::of("file_name", TAKEN));
                }
                let file = files.iter_mut().find(|file| file.path == from).ok_or_else(|| missing(&from))?;
                file.path = to;
                if let Some(content) = content {
                    file.content = content;
                }
            }
        }
    }
    Ok(files)
}

/// The bytes of all files.
#[must_use]
pub fn size(files: &[SnippetFile]) -> usize {
    files.iter().map(|file| file.content.len()).sum()
}

/// Notes what is wrong with a snippet whose files may have so many bytes together.
pub fn check(errors: &mut FieldErrors, snippet: &Snippet, files: &[SnippetFile], bytes: usize) {
    errors.present("title", &snippet.title);
    errors.at_most(MAX_TITLE, "title", &snippet.title);
    let description = snippet.description.as_deref().unwrap_or_default();
    if description.len() > MAX_TEXT {
        errors.at_most(MAX_TEXT, "description", description);
    }
    errors.require(!files.is_empty(), "files", BLANK);
    if files.len() > MAX_FILES {
        errors.add("files", format!("are too many (maximum is {MAX_FILES})"));
    }
    for file in files {
        errors.at_most(MAX_PATH, "file_name", &file.path);
        errors.require(is_path(&file.path), "file_name", "is invalid");
        errors.present("content", &file.content);
    }
    let bytes = bytes.min(MAX_BYTES);
    if size(files) > bytes {
        errors.add("content", format!("is too long (maximum is {bytes} bytes)"));
    }
}

/// True for a path that leads below the folder of a snippet and can be read as it looks.
fn is_path(path: &str) -> bool {
    let is_segment = |segment: &str| !segment.trim().is_empty() && segment != "." && segment != "..";
    !path.contains(|c: char| is_invisible(c) || c == '\\') && path.split('/').all(is_segment)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, content: &str) -> SnippetFile {
        SnippetFile { path: path.to_owned(), content: content.to_owned() }
    }

    #[test]
    fn a_path_stays_below_its_folder_and_reads_as_it_looks() {
        for path in ["a", "a.rb", "src/main.rs", ".env", "...", "ж x", "a%2Fb"] {
            assert!(is_path(path), "{path}");
        }
        for path in ["", " ", "/a", "a/", "a//b", ".", "..", "a/../b", "a\\b", "a\0b", "a\nb", "a\u{202e}b", "\u{200b}"]
        {
            assert!(!is_path(path), "{path:?}");
        }
    }

    #[test]
    fn changes_follow_each_other() {
        let start = vec![file("a", "1"), file("b", "2")];
        let moved = FileChange::Move { from: "a".to_owned(), to: "c".to_owned(), content: None };
        let changes = vec![
            moved,
            FileChange::Create(file("a", "3")),
            FileChange::Update(file("c", "4")),
            FileChange::Delete("b".to_owned()),
            FileChange::Create(file("", "5")),
        ];
        let want = vec![file("c", "4"), file("a", "3"), file("snippetfile1.txt", "5")];
        assert_eq!(change_files(start, changes), Ok(want));
    }

    #[test]
    fn files_may_be_too_many_meanwhile() {
        let start: Vec<SnippetFile> = (0..MAX_FILES).map(|number| file(&format!("old{number}"), "x")).collect();
        let created = (0..MAX_FILES).map(|number| FileChange::Create(file(&format!("new{number}"), "y")));
        let deleted = (0..MAX_FILES).map(|number| FileChange::Delete(format!("old{number}")));
        let done = change_files(start, created.chain(deleted).collect()).unwrap();
        let want: Vec<SnippetFile> = (0..MAX_FILES).map(|number| file(&format!("new{number}"), "y")).collect();
        assert_eq!(done, want);
        let endless = (0..1000).map(|_| FileChange::Create(file("", "x"))).collect();
        assert!(change_files(Vec::new(), endless).is_err());
    }

    #[test]
    fn a_change_of_a_missing_file_and_a_second_file_of_a_path_are_refused() {
        let to_a = |from: &str| FileChange::Move { from: from.to_owned(), to: "a".to_owned(), content: None };
        for (change, field, text) in [
            (FileChange::Create(file("a", "x")), "file_name", TAKEN),
            (to_a("b"), "file_name", TAKEN),
            (to_a("none"), "file_name", TAKEN),
            (FileChange::Update(file("none", "x")), "files", "'none' does not exist"),
            (FileChange::Delete("none".to_owned()), "files", "'none' does not exist"),
        ] {
            let start = vec![file("a", "1"), file("b", "2")];
            assert_eq!(change_files(start, vec![change.clone()]), Err(FieldErrors::of(field, text)), "{change:?}");
        }
    }

    #[test]
    fn what_is_too_much_is_refused_at_its_bound() {
        let snippet = |title: &str| Snippet {
            id: SnippetId::new(1),
            project: None,
            author: UserId::new(1),
            title: title.to_owned(),
            description: None,
            visibility: Visibility::Private,
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
        };
        let problems = |title: &str, files: &[SnippetFile], bytes: usize| {
            let mut errors = FieldErrors::default();
            check(&mut errors, &snippet(title), files, bytes);
            errors.sentences()
        };
        let most: Vec<SnippetFile> = (0..MAX_FILES).map(|number| file(&number.to_string(), "xy")).collect();
        assert_eq!(problems(&"t".repeat(MAX_TITLE), &most, 20), "");
        assert_eq!(problems("t", &most, 19), "Content is too long (maximum is 19 bytes)");
        let more: Vec<SnippetFile> = (0..=MAX_FILES).map(|number| file(&number.to_string(), "x")).collect();
        assert_eq!(problems("t", &more, 20), "Files are too many (maximum is 10)");
        assert_eq!(problems("", &[], 20), "Title can't be blank, Files can't be blank");
        let whole = [file("a", &"x".repeat(MAX_BYTES + 1))];
        assert_eq!(problems("t", &whole, usize::MAX), "Content is too long (maximum is 2097152 bytes)");
    }
}
