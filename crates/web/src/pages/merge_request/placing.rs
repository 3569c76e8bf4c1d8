//! Places threads and drafts below the lines of a file that differs.

use std::collections::HashMap;
use std::time::Instant;

use tenon_app::issuable::AwardCount;
use tenon_app::note::Thread;
use tenon_domain::id::NoteId;
use tenon_domain::merge_request::DiffRefs;

use super::below::Below;
use super::line::{Older, Standing, place};
use super::query::join;
use super::review::Waiting;
use crate::context::frame::Frame;
use crate::parts::diff::{ChangedFile, TOO_MUCH};
use crate::parts::issuable::difference_query::only;
use crate::parts::issuable::talk::{Draft, LineSpot, ThreadView, view};

/// Places threads and drafts.
pub(super) struct Placing<'a> {
    pub(super) frame: &'a Frame,
    pub(super) awards: &'a HashMap<Option<NoteId>, Vec<AwardCount>>,
    pub(super) draft: Option<&'a Draft>,
    /// The query of the difference that is shown.
    pub(super) query: &'a str,
    /// The commits that are compared.
    pub(super) refs: Option<&'a DiffRefs>,
    pub(super) older: &'a Older,
    pub(super) waiting: Waiting,
    pub(super) ignores_space: bool,
    /// The time until which the words of suggestions are compared.
    pub(super) compared_until: Instant,
}

impl Placing<'_> {
    /// A thread with the drafts that answer it.
    pub(super) fn thread(&mut self, thread: Thread) -> ThreadView {
        let mut shown = view(self.frame, thread, self.awards, self.draft, self.compared_until);
        shown.drafts = self.waiting.of_thread(&shown.id);
        shown
    }

    /// The threads and drafts below the lines of a file, by the numbers of the line. Also returns the threads whose
    /// lines are gone.
    pub(super) fn in_file(
        &mut self,
        file: &ChangedFile,
        threads: Vec<Thread>,
    ) -> (HashMap<String, Below>, Vec<ThreadView>) {
        let mut below: HashMap<String, Below> = HashMap::new();
        let mut outdated = Vec::new();
        let Some(refs) = self.refs else { return (below, outdated) };
        for thread in threads {
            let Some(position) = thread.position.clone() else { continue };
            let (standing, quoted) = place(&position, refs, file, self.older);
            let mut thread = self.thread(thread);
            match standing {
                Standing::Line(numbers) => {
                    thread.line = None;
                    below.entry(numbers).or_default().threads.push(thread);
                }
                Standing::Moved(numbers) => {
                    if let Some(spot) = &mut thread.line {
                        spot.words = format!("{} of an older version", spot.words);
                    }
                    below.entry(numbers).or_default().threads.push(thread);
                }
                Standing::Outdated => {
                    thread.quoted = quoted;
                    if let Some(spot) = &mut thread.line {
                        self.not_shown(file, spot);
                    }
                    outdated.push(thread);
                }
            }
        }
        let older = self.older;
        let line = |position: &tenon_domain::note::DiffPosition| match place(position, refs, file, older).0 {
            Standing::Line(numbers) | Standing::Moved(numbers) => Some(numbers),
            Standing::Outdated => None,
        };
        for (numbers, card) in self.waiting.on_lines(&file.path, line) {
            below.entry(numbers).or_default().drafts.push(card);
        }
        (below, outdated)
    }

    /// Sets the reason why a line is not shown. If the file is too large to be shown with others, the link leads to the
    /// file alone.
    fn not_shown(&self, file: &ChangedFile, spot: &mut LineSpot) {
        let line = &spot.words;
        spot.words = if file.note == TOO_MUCH {
            if let Some((_, anchor)) = spot.below.split_once('#') {
                let alone = only(&file.kept);
                spot.below = format!("/diffs?{}#{anchor}", join(self.query, &alone));
            }
            format!("{line} (diff too large to display)")
        } else if self.ignores_space {
            format!("{line} (hidden with whitespace changes)")
        } else {
            format!("{line} (outdated)")
        };
    }
}
