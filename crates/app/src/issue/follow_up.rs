//! Issues that continue discussions of a merge request.

use tenon_domain::id::Iid;
use tenon_domain::issuable::{Issuable, IssuableKind, MAX_TEXT, MAX_TITLE};

use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::policy::issuable::IssuableReference;
use crate::policy::reference::Reference;
use crate::shared::issuable::open_discussions::OpenDiscussions;
use crate::shared::views::user_ref::UserRef;

/// Of a note, the most characters that are quoted.
const MAX_QUOTE: usize = 1000;
/// The space kept free for the line that says how many discussions the description has no room for.
const LAST_LINE: usize = 100;

/// Which discussions an issue is to continue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowUpOf {
    /// The number of the merge request, in the project of the issue.
    pub merge_request: Iid,
    /// One discussion of it, instead of all that are open.
    pub discussion: Option<String>,
}

/// The discussions that an issue continues.
pub(super) struct FollowUp(OpenDiscussions);

impl FollowUp {
    /// Those discussions, if the caller may resolve them.
    pub(super) fn find(query: &mut Query<'_>, project: &Reference, of: FollowUpOf) -> Result<Self, AppError> {
        let merge_request =
            IssuableReference { kind: IssuableKind::MergeRequest, project: project.clone(), iid: of.merge_request };
        OpenDiscussions::find(query, &merge_request, of.discussion.as_deref()).map(Self)
    }

    /// Gives an issue the title and the description that its author has not.
    pub(super) fn fill_in(
        &self,
        query: &mut Query<'_>,
        issue: &mut Issuable,
        is_described: bool,
    ) -> Result<(), AppError> {
        if issue.title.is_empty() {
            issue.title = title(&self.0.found.issuable.title);
        }
        if !is_described {
            issue.description = Some(self.description(query)?);
        }
        Ok(())
    }

    /// Resolves the discussions, with a system note in each that names the issue.
    pub(super) fn resolve_discussions(self, command: &mut Command<'_>, issue: &Issuable) -> Result<(), AppError> {
        self.0.continue_in(command, issue)
    }

    /// The discussions as a list of what is to be done. It never goes through the quick actions: what it quotes commands
    /// nothing.
    fn description(&self, query: &mut Query<'_>) -> Result<String, AppError> {
        let found = &self.0.found;
        let mut list = List::of(&found.issuable.short_reference(), self.0.len());
        let page = query.app.links().issuable(IssuableKind::MergeRequest, &found.home.full_path(), found.issuable.iid);
        for some in self.0.firsts() {
            let notes = some.load(&mut query.tx)?;
            let people = UserRef::of(query, notes.iter().map(|note| note.author).collect())?;
            for note in notes {
                let author = people.get(&note.author).map_or("ghost", |author| &author.username);
                if !list.add(author, &format!("{page}#note_{}", note.id), &note.body) {
                    return Ok(list.finished());
                }
            }
        }
        Ok(list.finished())
    }
}

fn title(merge_request: &str) -> String {
    let frame = "Follow-up from \"\"".len();
    format!("Follow-up from \"{}\"", cut(merge_request, MAX_TITLE - frame))
}

/// A list of what is to be done that fits into a description.
struct List {
    text: String,
    /// How many characters that is.
    length: usize,
    /// How many entries are still to come.
    left: usize,
}

impl List {
    fn of(merge_request: &str, entries: usize) -> Self {
        let text = match entries {
            0 => format!("There are no unresolved discussions in {merge_request}."),
            1 => format!("The following discussion from {merge_request} should be addressed:"),
            _ => format!("The following discussions from {merge_request} should be addressed:"),
        };
        Self { length: text.chars().count(), text, left: entries }
    }

    /// Adds an entry; yields whether there was room for it.
    fn add(&mut self, author: &str, link: &str, body: &str) -> bool {
        let entry = format!("\n\n- [ ] @{author} started a [discussion]({link}):\n\n{}", quoted(body));
        let length = self.length + entry.chars().count();
        let fits = length + LAST_LINE <= MAX_TEXT;
        if fits {
            self.text.push_str(&entry);
            self.length = length;
            self.left -= 1;
        }
        fits
    }

    fn finished(mut self) -> String {
        if self.left > 0 {
            self.text.push_str(&format!("\n\nThere is no room here for {} more.", self.left));
        }
        self.text
    }
}

/// A text as a quotation inside an entry of a list: each of its lines is marked, however they end.
fn quoted(body: &str) -> String {
    let body = cut(body, MAX_QUOTE).replace("\r\n", "\n");
    let lines = body.trim_end().split(['\n', '\r']).map(|line| format!("  > {line}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// At most so many characters of a text.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_title_is_cut() {
        assert_eq!(title("Tidy"), "Follow-up from \"Tidy\"");
        let long = title(&"é".repeat(MAX_TITLE));
        assert_eq!(long.chars().count(), MAX_TITLE);
        assert!(long.ends_with("é…\""), "{long}");
    }

    #[test]
    fn no_line_escapes_its_quotation() {
        assert_eq!(quoted("a\n/close\r# b\r\n\nc\n"), "  > a\n  > /close\n  > # b\n  > \n  > c");
    }

    #[test]
    fn the_list_ends_where_there_is_no_room() {
        let mut list = List::of("!1", 100_000);
        let body = "\n".repeat(MAX_QUOTE - 1) + "x";
        let added = (0..100_000).take_while(|_| list.add("ann", "http://x", &body)).count();
        let text = list.finished();
        assert!(text.chars().count() <= MAX_TEXT, "{}", text.len());
        assert!(text.ends_with(&format!("no room here for {} more.", 100_000 - added)));
    }
}
