//! Commits, and what they change.

use askama::Template;
use tenon_app::repository::{self, Browsed, CommitPage, FileDifference, HistoryPage};

use super::Room;
use super::frame::{ProjectFrame, Spot, Tab};
use super::tree::CommitLine;
use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::pagination::{self, Pagination};
use crate::place::{in_path, in_query};
use crate::words::Moment;

#[derive(Template)]
#[template(path = "project/commits.html")]
struct ListPage {
    frame: Frame,
    project: ProjectFrame,
    spot: Spot,
    commits: Vec<CommitLine>,
    pages: Pagination,
}

pub(super) async fn list(room: Room, below: &[&str]) -> Result<Answer, PageError> {
    let asked = room.asked(below);
    let (only, request) = (asked.only, pagination::asked(&room.visit));
    let found = match repository::history(room.visit.app(), room.code()?, asked, request).await? {
        Browsed::Found(found) => found,
        Browsed::Other(_) | Browsed::Empty => return Err(PageError::NotFound),
    };
    let HistoryPage { located, commits, refs } = found;
    let spot = Spot::new(&located, refs, only, "commits");
    let twin = format!("/repository/commits?ref_name={}&path={}", in_query(&spot.name), in_query(&spot.path));
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Commits).with_twin(&twin);
    let pages = Pagination::of(&commits).with_query(spot.ties);
    let commits = commits.items.into_iter().map(Into::into).collect();
    Answer::page(&ListPage { frame: room.frame, project, spot, commits, pages })
}

#[derive(Template)]
#[template(path = "project/commit.html")]
struct ShowPage {
    frame: Frame,
    project: ProjectFrame,
    commit: CommitLine,
    /// What follows the first line of the message.
    body: String,
    /// The committer, where another one than the author.
    committer: Option<String>,
    authored: Moment,
    /// Ids, and their first digits.
    parents: Vec<(String, String)>,
    files: Vec<ChangedFile>,
    /// Whether there are more files, or more lines, than are shown.
    is_cut: bool,
}

/// A file that a commit changes.
struct ChangedFile {
    path: String,
    /// What happened to it.
    what: String,
    /// The address of the file below the project; empty where it is gone.
    below: String,
    lines: Vec<DiffLine>,
    /// Why there are no lines; empty where there are.
    note: &'static str,
}

/// A line of a difference.
struct DiffLine {
    class: &'static str,
    old: String,
    new: String,
    sign: &'static str,
    text: String,
}

pub(super) async fn show(room: Room, revision: &str) -> Result<Answer, PageError> {
    let found = repository::commit_page(room.visit.app(), room.code()?, revision.to_owned()).await?;
    let CommitPage { commit, files, is_cut } = found;
    let mut left = room.visit.app().limits().pages.diff_lines;
    let id = commit.id.clone();
    let files: Vec<ChangedFile> = files.into_iter().map(|file| changed(file, &id, &mut left)).collect();
    let is_cut = is_cut || files.iter().any(|file| file.note == TOO_MUCH);
    let message = commit.message.trim();
    let body = message.split_once('\n').map(|(_, body)| body.trim_start_matches('\n').to_owned());
    // A title that lists shorten is shown whole here.
    let title = message.lines().next().filter(|title| !title.is_empty()).map(str::to_owned);
    let committer = (commit.committer.name != commit.author.name).then(|| commit.committer.name.clone());
    let authored = commit.author.at.into();
    let digits = |id: &String| (id.clone(), id.get(..8).unwrap_or_default().to_owned());
    let parents = commit.parent_ids.iter().map(digits).collect();
    let mut line = CommitLine::from(commit);
    line.title = title.unwrap_or(line.title);
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Commits)
        .with_twin(&format!("/repository/commits/{}", line.id));
    let body = body.unwrap_or_default();
    Answer::page(&ShowPage {
        frame: room.frame,
        project,
        commit: line,
        body,
        committer,
        authored,
        parents,
        files,
        is_cut,
    })
}

const TOO_MUCH: &str = "These changes are too large to be shown here.";

/// A changed file, with as many lines as are left.
fn changed(file: FileDifference, commit: &str, left: &mut usize) -> ChangedFile {
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
    ChangedFile { path: file.new_path, what, below, lines, note }
}

/// The lines of a unified text, with their numbers.
fn lines(text: &str) -> Vec<DiffLine> {
    let (mut old, mut new) = (0_u64, 0_u64);
    let number = |count: &mut u64| {
        let shown = count.to_string();
        *count += 1;
        shown
    };
    let mut line = |line: &str| {
        let none = String::new;
        let (head, rest) = line.split_at_checked(1).unwrap_or((line, ""));
        let (class, left, right, sign, text) = match head {
            "@" => {
                (old, new) = starts(line);
                ("hunk", none(), none(), "", line)
            }
            "+" => ("added", none(), number(&mut new), "+", rest),
            "-" => ("removed", number(&mut old), none(), "\u{2212}", rest),
            " " => ("", number(&mut old), number(&mut new), "", rest),
            _ => ("hunk", none(), none(), "", line),
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
            .map(|line| format!("{}|{}|{}|{}", line.old, line.new, line.sign, line.text))
            .collect();
        let want =
            ["|||@@ -3,2 +7,3 @@ fn", "3|7||a", "4||\u{2212}|b", "|8|+|c", "|9|+|d", "|||\\ No newline at end of file"];
        assert_eq!(shown, want);
    }
}
