//! What stands below which line of a file that differs: threads, and drafts.

use std::collections::HashMap;

use tenon_app::issuable::AwardCount;
use tenon_app::note::Thread;
use tenon_domain::id::NoteId;
use tenon_domain::merge_request::DiffRefs;

use super::changes::Below;
use super::line::{Older, Standing, place};
use super::review::Waiting;
use crate::diff::ChangedFile;
use crate::frame::Frame;
use crate::issuable::excerpt::Excerpt;
use crate::issuable::talk::{Draft, ThreadView, view};

/// Places threads and drafts.
pub(super) struct Placing<'a> {
    pub(super) frame: &'a Frame,
    pub(super) awards: &'a HashMap<Option<NoteId>, Vec<AwardCount>>,
    pub(super) draft: Option<&'a Draft>,
    /// The part of a long discussion that is asked for.
    pub(super) excerpt: Option<&'a Excerpt>,
    /// The commits that are compared.
    pub(super) refs: Option<&'a DiffRefs>,
    pub(super) older: &'a Older,
    pub(super) waiting: Waiting,
    pub(super) ignores_space: bool,
}

impl Placing<'_> {
    /// A thread with the drafts that answer it.
    pub(super) fn thread(&mut self, thread: Thread) -> ThreadView {
        let mut shown = view(self.frame, thread, self.awards, self.draft, self.excerpt);
        shown.drafts = self.waiting.of_thread(&shown.id);
        shown
    }

    /// What stands below the lines of a file, by the numbers of the line, and the threads whose lines are gone.
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
                        spot.words = not_shown(&spot.words, self.ignores_space);
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
}

/// What is said of a line that is not shown.
fn not_shown(line: &str, ignores_space: bool) -> String {
    if ignores_space {
        format!("{line}, which is not among the lines shown without white space")
    } else {
        format!("{line} of an older version, which is gone")
    }
}
