//! Differences between commits, as pages show them.

use std::time::{Duration, Instant};

use actix_web::rt::task::yield_now;
use sha2::{Digest as _, Sha256};
use tenon_app::highlighter::{Span, Words, changed_words};
use tenon_app::repository::{FileColours, FileDifference, Sides, WhiteSpace};
use tenon_app::{App, Query, user};
use tenon_domain::limits::PageLimits;

use crate::context::request::RequestContext;
use crate::kit::address::in_path;
use crate::kit::code::{self, Word};
use crate::kit::error::PageError;
use crate::kit::gap::Gap;
use crate::parts::diff_pictures::{DiffPicture, pictures};

/// The number of lines of a page that have colours. Each of these needs several elements more.
const COLOURED: usize = 3_000;

/// Files with at most this number of lines are laid out at once. They may be in view before they are measured, and
/// would then move the content below.
const AT_ONCE: usize = 64;

const NO_TEXT: &str = "Binary file not shown.";

/// The class of Git's remark `\ No newline at end of file`.
pub(crate) const MARKER: &str = "marker";

/// The reason why a file has no lines.
pub(crate) const TOO_MUCH: &str = "This diff is too large to display.";

/// The choice in the address about white space: `w=1` ignores it, and `w=0` does not. If the address has neither, the
/// caller's preference decides.
pub(crate) async fn white_space(context: &RequestContext) -> Result<WhiteSpace, PageError> {
    let is_shown = match context.query("w") {
        Some(asked) => asked != "1",
        None if !context.has_session() => true,
        None => {
            let preferred = |query: &mut Query<'_>| {
                let user = query.caller.user.is_some().then(|| user::preferences(query)).transpose()?;
                Ok(user.unwrap_or_default().show_whitespace_in_diffs)
            };
            context.ask(preferred).await?
        }
    };
    Ok(if is_shown { WhiteSpace::Counts } else { WhiteSpace::Ignored })
}

/// True if the address asks for both sides beside each other: `view=parallel`, or `view=inline` for one column. If it
/// has neither, the reader's choice decides.
pub(crate) fn is_parallel(context: &RequestContext) -> bool {
    context.query("view").map_or(context.look().is_parallel, |asked| asked == "parallel")
}

pub(crate) struct ChangedFile {
    /// Its path after and before, in their stored form: what threads and marks of files name.
    pub(crate) path: String,
    pub(crate) old_path: String,
    /// Its path as pages show it.
    pub(crate) shown: String,
    /// Its paths before and after, in their kept form.
    pub(crate) kept: (String, String),
    /// Its name in addresses: digits that follow from its path.
    pub(crate) anchor: String,
    /// The kind of change.
    pub(crate) what: String,
    /// The address of the file below the project. Empty if the file is gone.
    pub(crate) below: String,
    pub(crate) lines: Vec<DiffLine>,
    /// The picture before and after, if it is one.
    pub(crate) pictures: Vec<DiffPicture>,
    /// The reason why there are no lines. Empty if there are.
    pub(crate) note: &'static str,
    pub(crate) added: usize,
    pub(crate) removed: usize,
    /// A digest by which a later visit recognizes the same changes. Empty if they are too large for one.
    pub(crate) digest: String,
    /// The class of its approximate height, with which a browser lays it out only when it comes into view. Empty for
    /// few lines.
    pub(crate) height: String,
    /// The gap behind its last lines, if there may be one.
    pub(crate) rest: Option<Gap>,
}

impl ChangedFile {
    /// The directories of its path as pages show it, with a slash at the end. Empty at the top.
    pub(crate) fn folder(&self) -> &str {
        self.shown.rfind('/').and_then(|at| self.shown.get(..=at)).unwrap_or_default()
    }

    /// The last component of its path as pages show it.
    pub(crate) fn name(&self) -> &str {
        self.shown.rsplit('/').next().unwrap_or_default()
    }

    /// True if the note is shown. Pictures show by themselves that they are no text.
    pub(crate) fn shows_note(&self) -> bool {
        !self.note.is_empty() && (self.note != NO_TEXT || self.pictures.is_empty())
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DiffLine {
    pub(crate) class: &'static str,
    /// The numbers before and after. None for a side that does not have the line, and for heads of hunks.
    pub(crate) old: Option<u64>,
    pub(crate) new: Option<u64>,
    pub(crate) sign: &'static str,
    pub(crate) text: String,
    /// The gap above it, if it is the head of a hunk.
    pub(crate) gap: Option<Gap>,
    /// The words that differ from the corresponding line of the other side.
    differing: Words,
    /// The colours of its parts.
    spans: Vec<Span>,
}

impl DiffLine {
    /// Its text, split at the words that differ.
    pub(crate) fn words(&self) -> Vec<Word<'_>> {
        code::words(&self.text, &self.spans, &self.differing)
    }

    /// Gives it the colours of its parts.
    pub(crate) fn colour(&mut self, spans: &[Span]) {
        self.spans = spans.to_vec();
    }

    /// True if it is a line of the file, before or after.
    pub(crate) fn is_line(&self) -> bool {
        self.old.is_some() || self.new.is_some()
    }

    fn is_removed(&self) -> bool {
        self.class == "removed"
    }

    fn is_added(&self) -> bool {
        self.class == "added"
    }

    /// True if it is Git's remark that the line above it, the last one of a side, has no end of line.
    fn is_marker(&self) -> bool {
        self.class == MARKER
    }

    fn is_context(&self) -> bool {
        !self.is_removed() && !self.is_added() && !self.is_marker()
    }

    /// The numbers in the form of addresses. A missing number is 0.
    pub(crate) fn numbers(&self) -> String {
        format!("{}_{}", self.old.unwrap_or(0), self.new.unwrap_or(0))
    }
}

/// The name of the file of this path in addresses.
pub(crate) fn anchor(path: &str) -> String {
    let digits = hex::encode(Sha256::digest(path.as_bytes()));
    format!("f{}", digits.get(..16).unwrap_or_default())
}

/// The budget of a page for differences.
pub(crate) struct DiffBudget {
    lines: usize,
    /// The number of lines that may still have colours.
    coloured: usize,
    /// The time for comparing the words of all files. In lines that are not compared by then, no words are marked.
    words: Duration,
    compared_until: Instant,
}

impl DiffBudget {
    /// The full budget of the limits. The time starts now.
    pub(crate) fn of(limits: &PageLimits) -> Self {
        let words = limits.words.duration();
        Self { lines: limits.diff_lines, coloured: COLOURED, words, compared_until: Instant::now() + words }
    }
}

/// The changed files at a commit, with colours and pictures. They have their lines if the budget suffices.
pub(crate) async fn all_changed(
    app: &App,
    sides: Option<&Sides>,
    files: Vec<FileDifference>,
    commit: &str,
) -> Result<Vec<ChangedFile>, PageError> {
    let mut budget = DiffBudget::of(&app.limits().pages);
    let colours = match sides {
        // If reading the colours fails, the difference is shown without them.
        Some(sides) => sides.colours(app, &files).await.unwrap_or_default(),
        None => Vec::new(),
    };
    let colours = colours.into_iter().chain(std::iter::repeat_with(FileColours::default));
    let shown = match sides {
        Some(sides) => pictures(app, sides, &files).await,
        None => Vec::new(),
    };
    let shown = shown.into_iter().chain(std::iter::repeat_with(Vec::new));
    let mut all = Vec::with_capacity(files.len());
    for ((file, colours), pictures) in files.into_iter().zip(colours).zip(shown) {
        all.push(ChangedFile { pictures, ..changed(file, &colours, commit, &mut budget) });
        // Other requests are answered on the same thread.
        yield_now().await;
    }
    Ok(all)
}

/// A changed file at a commit. It has its lines if the budget suffices.
pub(crate) fn changed(
    file: FileDifference,
    colours: &FileColours,
    commit: &str,
    budget: &mut DiffBudget,
) -> ChangedFile {
    let what = match (file.new_file, file.deleted_file, file.renamed_file) {
        (true, _, _) => "added".to_owned(),
        (_, true, _) => "removed".to_owned(),
        (_, _, true) => format!("renamed from {}", file.old_path.legible()),
        _ if file.a_mode != file.b_mode => format!("mode changed from {} to {}", file.a_mode, file.b_mode),
        _ => "changed".to_owned(),
    };
    let below =
        if file.deleted_file { String::new() } else { format!("/blob/{commit}/{}", in_path(file.new_path.as_kept())) };
    let is_binary = file.diff.starts_with("Binary files ");
    let count = file.diff.lines().count();
    let (lines, note) = if file.too_large || (!is_binary && count > budget.lines) {
        (Vec::new(), TOO_MUCH)
    } else if is_binary {
        (Vec::new(), NO_TEXT)
    } else if count == 0 {
        (Vec::new(), "No content changes.")
    } else {
        let mut lines = lines(&file.diff);
        compare(&mut lines, budget.compared_until.min(Instant::now() + budget.words / 5));
        let coloured = lines.len().min(budget.coloured);
        lines.iter_mut().take(coloured).for_each(|line| colour(line, colours));
        budget.coloured -= coloured;
        (lines, "")
    };
    budget.lines = budget.lines.saturating_sub(lines.len());
    let of_class = |class: &str| lines.iter().filter(|line| line.class == class).count();
    ChangedFile {
        rest: rest(&lines).filter(|_| !file.deleted_file),
        digest: if file.too_large { String::new() } else { digest(&file.diff) },
        height: height(lines.len()),
        anchor: anchor(file.new_path.as_kept()),
        added: of_class("added"),
        removed: of_class("removed"),
        path: file.new_path.to_stored(),
        old_path: file.old_path.to_stored(),
        shown: file.new_path.legible(),
        kept: (file.old_path.as_kept().to_owned(), file.new_path.as_kept().to_owned()),
        what,
        below,
        pictures: Vec::new(),
        lines,
        note,
    }
}

/// The digest by which the same changes are recognized.
fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text)).get(..40).unwrap_or_default().to_owned()
}

/// Gives a line the colours that it has in its file, before or after.
fn colour(line: &mut DiffLine, colours: &FileColours) {
    let (side, number) = match (line.new, line.old) {
        (Some(number), _) => (&colours.after, number),
        (None, Some(number)) => (&colours.before, number),
        (None, None) => return,
    };
    let number = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    line.spans = number.map(|number| side.line(number).to_vec()).unwrap_or_default();
}

/// The class for this number of lines. The styles have a class for every second power of two, up to 32,768 lines.
fn height(lines: usize) -> String {
    let class = [128, 512, 2_048, 8_192].into_iter().find(|class| lines <= *class).unwrap_or(32_768);
    if lines <= AT_ONCE { String::new() } else { format!(" lines-{class}") }
}

/// The lines of a unified text, with their numbers.
pub(crate) fn lines(text: &str) -> Vec<DiffLine> {
    // Text before the first hunk is not shown.
    let (mut old, mut new) = (1_u64, 1_u64);
    let number = |count: &mut u64| {
        let shown = *count;
        *count += 1;
        Some(shown)
    };
    let mut line = |line: &str| {
        let (head, rest) = line.split_at_checked(1).unwrap_or((line, ""));
        let mut gap = None;
        let (class, left, right, sign, text) = match head {
            "@" => {
                let shown = new;
                (old, new) = starts(line);
                gap = left_out(shown, old, new);
                ("hunk", None, None, "", line)
            }
            "+" => ("added", None, number(&mut new), "+", rest),
            "-" => ("removed", number(&mut old), None, "\u{2212}", rest),
            " " => ("", number(&mut old), number(&mut new), "", rest),
            "\\" => (MARKER, None, None, "", line),
            _ => ("hunk", None, None, "", line),
        };
        DiffLine {
            class,
            old: left,
            new: right,
            sign,
            gap,
            text: text.to_owned(),
            differing: Words::new(),
            spans: Vec::new(),
        }
    };
    text.lines().map(&mut line).collect()
}

/// The gap between the first line that is not shown yet and a hunk. The hunk begins at these lines, before and after.
fn left_out(shown: u64, old: u64, new: u64) -> Option<Gap> {
    let offset = i64::try_from(new).ok()?.checked_sub(i64::try_from(old).ok()?)?;
    (old > 0 && new > shown).then(|| Gap { first: shown, last: Some(new - 1), offset })
}

/// The number of lines that Git shows around a change. If fewer follow the last change, the file ends there.
const AROUND: usize = 3;

/// The possible gap behind the last of these lines.
fn rest(lines: &[DiffLine]) -> Option<Gap> {
    let (old, new) = lines.last().and_then(|line| Some((line.old?, line.new?)))?;
    let unchanged = lines.iter().rev().take_while(|line| line.old.is_some() && line.new.is_some()).count();
    let offset = i64::try_from(new).ok()?.checked_sub(i64::try_from(old).ok()?)?;
    (unchanged >= AROUND).then(|| Gap { first: new + 1, last: None, offset })
}

/// Marks the words that differ, if lines were removed and others added in their place. A marker between them belongs to
/// the last removed line.
pub(crate) fn compare(lines: &mut [DiffLine], deadline: Instant) {
    let go_on = |line: &DiffLine, next: &DiffLine| {
        next.is_added() && !line.is_context() || line.is_removed() && (next.is_removed() || next.is_marker())
    };
    for lines in lines.chunk_by_mut(go_on) {
        let of_file = lines.iter_mut().filter(|line| !line.is_marker());
        let (removed, added): (Vec<_>, Vec<_>) = of_file.partition(|line| line.is_removed());
        if removed.is_empty() || added.is_empty() {
            continue;
        }
        let (before, after) = (texts(&removed), texts(&added));
        let found = changed_words(&before, &after, deadline);
        let words = found.removed.into_iter().chain(found.added);
        removed.into_iter().chain(added).zip(words).for_each(|(line, words)| line.differing = words);
    }
}

fn texts<'l>(lines: &'l [&mut DiffLine]) -> Vec<&'l str> {
    lines.iter().map(|line| line.text.as_str()).collect()
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

    #[test]
    fn what_is_left_out_lies_before_hunks_and_behind_the_last_one() {
        let shown = lines("@@ -3,4 +3,5 @@\n a\n b\n c\n+d\n e\n@@ -20,4 +21,3 @@\n-f\n g\n h\n i\n");
        let gaps: Vec<Gap> = shown.iter().filter_map(|line| line.gap).collect();
        let first = Gap { first: 1, last: Some(2), offset: 0 };
        assert_eq!(gaps, [first, Gap { first: 8, last: Some(20), offset: 1 }]);
        assert_eq!(rest(&shown), Some(Gap { first: 24, last: None, offset: 0 }));
        // The file ends here: fewer lines follow than Git shows.
        assert_eq!(rest(&lines("@@ -1,3 +1,4 @@\n+d\n a\n b\n")), None);
        assert_eq!(rest(&lines("@@ -1,3 +1,4 @@\n+d\n a\n b\n c\n\\ No newline at end of file\n")), None);
        // A new file has no other lines.
        assert!(lines("@@ -0,0 +1,2 @@\n+a\n+b\n").iter().all(|line| line.gap.is_none()));
    }

    #[test]
    fn words_are_compared_across_the_marker_of_a_missing_end_of_line() {
        let mark = "\\ No newline at end of file\n";
        for text in [
            format!("@@ -1 +1 @@\n-let old = 1;\n{mark}+let new = 1;\n"),
            format!("@@ -1 +1 @@\n-let old = 1;\n+let new = 1;\n{mark}"),
            format!("@@ -1 +1 @@\n-let old = 1;\n{mark}+let new = 1;\n{mark}"),
        ] {
            let mut shown = lines(&text);
            compare(&mut shown, Instant::now() + Duration::from_mins(1));
            let words = shown.iter().flat_map(DiffLine::words).filter(|word| word.differs);
            assert_eq!(words.map(|word| word.text.to_owned()).collect::<Vec<_>>(), ["old", "new"], "{text}");
        }
    }

    #[test]
    fn words_are_compared_where_lines_were_added_in_the_place_of_removed_ones() {
        let mut shown = lines("@@ -1,4 +1,4 @@\n a\n-let old = 1;\n+let new = 1;\n b\n-gone\n c\n+come\n");
        compare(&mut shown, Instant::now() + Duration::from_mins(1));
        let differing = |line: &DiffLine| {
            let words = line.words().into_iter().filter(|word| word.differs);
            words.map(|word| word.text.to_owned()).collect::<Vec<_>>()
        };
        let found: Vec<Vec<String>> = shown.iter().map(differing).collect();
        let none = Vec::<String>::new;
        let want = [none(), none(), vec!["old".to_owned()], vec!["new".to_owned()], none(), none(), none(), none()];
        assert_eq!(found, want);
    }
}
