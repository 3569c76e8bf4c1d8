//! The files that threads are about.

use std::collections::HashMap;

use tenon_app::merge_request::DifferencePage;
use tenon_app::note::Thread;
use tenon_domain::file_path::{self, FilePath};

use crate::parts::diff::ChangedFile;
use crate::parts::issuable::talk::{Draft, DraftPlace};

/// The threads by the files that they are about.
pub(super) fn threads_by_path(threads: Vec<Thread>) -> HashMap<String, Vec<Thread>> {
    let mut found: HashMap<String, Vec<Thread>> = HashMap::new();
    for thread in threads {
        let path = thread.position.as_ref().map(|position| position.new_path.clone()).unwrap_or_default();
        found.entry(path).or_default().push(thread);
    }
    found
}

/// The threads about a file, which are no longer among the others. Clients of the API name a file as JSON has it: of several whose
/// names look alike, the first one has these threads.
pub(super) fn about(file: &ChangedFile, threads_of: &mut HashMap<String, Vec<Thread>>) -> Vec<Thread> {
    let (_, kept) = &file.kept;
    let mut threads = threads_of.remove(&file.path).unwrap_or_default();
    threads.extend(threads_of.remove(&*file_path::shown(kept)).unwrap_or_default());
    threads.sort_by_key(|thread| thread.notes.first().map(|note| note.view.note.id));
    threads
}

/// True if a thread is about the file of these paths, before and after.
pub(super) fn is_about(thread: &Thread, (before, after): &(String, String)) -> bool {
    let Some(position) = &thread.position else { return false };
    let mut paths = [before, after].into_iter().filter_map(|kept| FilePath::from_kept(kept));
    paths.any(|path| path.is_meant_by(&position.new_path))
}

/// True if the form that was sent, or is open, belongs to a thread.
fn is_of(draft: &Draft, thread: &Thread) -> bool {
    match &draft.place {
        DraftPlace::Reply(id) => *id == thread.id,
        DraftPlace::Note(id) => thread.notes.iter().any(|note| note.view.note.id == *id),
        DraftPlace::Comment
        | DraftPlace::Line(_)
        | DraftPlace::Review(_)
        | DraftPlace::Move
        | DraftPlace::Fact(_)
        | DraftPlace::Tasks(_) => false,
    }
}

/// The threads on files that are not shown, the oldest first.
pub(super) fn on_other_files(
    left: HashMap<String, Vec<Thread>>,
    difference: &DifferencePage,
    draft: Option<&Draft>,
) -> Vec<Thread> {
    let mut gone: Vec<Thread> = left.into_values().flatten().collect();
    if let Some(file) = &difference.file {
        // The other files were not requested, but a typed text is not lost.
        gone.retain(|thread| is_about(thread, file) || draft.is_some_and(|draft| is_of(draft, thread)));
    }
    gone.sort_by_key(|thread| thread.notes.first().map(|note| note.view.note.id));
    gone
}
