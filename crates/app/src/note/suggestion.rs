//! Changes of lines that comments propose: found in their texts, with the lines, before the comments are stored.

use std::collections::HashMap;

use tenon_domain::file_path::FilePath;
use tenon_domain::id::{NoteId, SuggestionId};
use tenon_domain::issuable::{IssuableAction, IssuableKind};
use tenon_domain::note::{DiffPosition, Note};
use tenon_domain::project::ProjectAction;
use tenon_domain::suggestion::{
    MAX_FILE, MAX_OF_NOTE, MAX_REPLACED_OF_NOTE, MAX_REPLACED_OF_REQUEST, Proposal, lines_of, propose,
};
use tenon_git::{LookupPath, Oid, Repository};
use tenon_markdown::Proposed;
use tenon_storage::{merge_request, note};

use crate::core::app::{App, Command, Query};
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::policy::issuable::IssuableReference;
use crate::shared::issuable::notes::readable;

/// The place at which a text is to stand.
#[derive(Debug, Clone)]
pub enum TextPlace {
    /// On this line of a difference, where it begins a discussion.
    Line(DiffPosition),
    /// In this discussion.
    Discussion(String),
    /// In place of the text of this note.
    Note(NoteId),
}

/// The suggestions of texts that are about to be stored. The lines are those of fixed commits, so that they stay right.
#[derive(Debug, Clone, Default)]
pub struct Suggestions(HashMap<Spot, Vec<Proposal>>);

/// A text on a line of a version.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Spot {
    text: String,
    head: String,
    path: String,
    line: i64,
}

impl Spot {
    /// None for a line that is not there after the change.
    fn of(text: &str, position: &DiffPosition) -> Option<Self> {
        let (head, path) = (position.head.clone(), position.new_path.clone());
        Some(Self { text: text.to_owned(), head, path, line: position.new_line? })
    }
}

/// Blocks, by the text and the line that they are about.
type Wanted = Vec<(Spot, Vec<Proposed>)>;

/// The word that the first line of a suggestion has.
const WORD: &str = "suggestion";
/// The most texts of one request that are looked through. A review has no more comments by default.
const MOST_TEXTS: usize = 200;

/// The suggestions of these texts, for the command that stores them. Asks Git for the lines, but only if a text has suggestions.
/// Lines that cannot be found, or may not be read, are missing: the command then refuses, or the text has no suggestions.
pub async fn suggested(
    app: &App,
    identity: &Identity,
    of: &IssuableReference,
    texts: Vec<(String, TextPlace)>,
) -> Result<Suggestions, AppError> {
    let is_one = |(text, _): &(String, TextPlace)| text.contains(WORD);
    if of.kind != IssuableKind::MergeRequest || !texts.iter().any(is_one) {
        return Ok(Suggestions::default());
    }
    let mut wanted = Vec::new();
    for (text, place) in texts.into_iter().filter(is_one).take(MOST_TEXTS) {
        let parse = move |_: &App, ends: tenon_markdown::Ends<'_>| {
            let mut proposed = tenon_markdown::suggestions(&text, ends);
            proposed.truncate(MAX_OF_NOTE);
            (text, proposed)
        };
        let ((text, proposed), _) = app.on_text(std::time::Duration::ZERO, parse).await?;
        if !proposed.is_empty() {
            wanted.push((text, place, proposed));
        }
    }
    if wanted.is_empty() {
        return Ok(Suggestions::default());
    }
    let of = of.clone();
    let found = app.read(identity, move |query| spots(query, &of, wanted)).await;
    let (repository, spots) = match found {
        Ok(Some(found)) => found,
        // The command answers the same.
        Ok(None) | Err(AppError::NotFound(_) | AppError::Forbidden) => return Ok(Suggestions::default()),
        Err(error) => return Err(error),
    };
    app.read_git(move || read(&repository, spots)).await
}

/// The lines that these texts are about, and the repository that has them. None if the caller may not read its code.
fn spots(
    query: &mut Query<'_>,
    of: &IssuableReference,
    wanted: Vec<(String, TextPlace, Vec<Proposed>)>,
) -> Result<Option<(Repository, Wanted)>, AppError> {
    let (found, filter) = readable(query, of, IssuableAction::Read)?;
    if !found.home.may(ProjectAction::ReadCode) {
        return Ok(None);
    }
    // A position may name any commit: others than those that were offered here are not read.
    let heads = merge_request::known_heads(&mut query.tx, found.issuable.id)?;
    let mut spots = Vec::new();
    for (text, place, proposed) in wanted {
        let position = match place {
            TextPlace::Line(position) => Some(position),
            TextPlace::Discussion(id) => {
                let notes = note::discussion(&mut query.tx, &filter, &id)?;
                notes.into_iter().next().and_then(|first| first.position)
            }
            TextPlace::Note(id) => note::find(&mut query.tx, &filter, id)?.and_then(|note| note.position),
        };
        let position = position.filter(|position| heads.contains(&position.head));
        if let Some(spot) = position.and_then(|position| Spot::of(&text, &position)) {
            spots.push((spot, proposed));
        }
    }
    let repository = query.app.repositories().store.repository(found.home.project.id);
    Ok(Some((repository, spots)))
}

fn read(repository: &Repository, spots: Wanted) -> Result<Suggestions, AppError> {
    let mut found = HashMap::new();
    let mut room = MAX_REPLACED_OF_REQUEST;
    for (spot, proposed) in spots {
        let (Ok(head), Some(path)) =
            (spot.head.parse::<Oid>(), LookupPath::parse(FilePath::from_stored(&spot.path).as_kept()))
        else {
            continue;
        };
        let path = repository.exact_path(head, path)?;
        let Some((entry, blob)) = repository.file_at(head, &path, MAX_FILE)? else { continue };
        let Some(content) = blob.content.filter(|_| !entry.is_link()) else { continue };
        // A block whose lines cannot be replaced would give the others a wrong place: then none can be applied.
        if let Some(proposals) = proposals(&content, spot.line, &proposed, room.min(MAX_REPLACED_OF_NOTE)) {
            room -= replaced(&proposals);
            found.insert(spot, proposals);
        }
    }
    Ok(Suggestions(found))
}

/// The lines that the blocks of one comment replace. `None` if one of them has none, and if they have more than `most` bytes.
fn proposals(content: &[u8], line: i64, blocks: &[Proposed], most: usize) -> Option<Vec<Proposal>> {
    let lines = lines_of(content)?;
    let mut all = Vec::with_capacity(blocks.len());
    for block in blocks {
        all.push(propose(&lines, line, (block.above, block.below), &block.text)?);
        if replaced(&all) > most {
            return None;
        }
    }
    Some(all)
}

fn replaced(proposals: &[Proposal]) -> usize {
    proposals.iter().map(|one| one.from_content.len()).sum()
}

impl Suggestions {
    fn of(&self, note: &Note) -> &[Proposal] {
        let spot = note.position.as_ref().and_then(|position| Spot::of(&note.body, position));
        spot.and_then(|spot| self.0.get(&spot)).map(Vec::as_slice).unwrap_or_default()
    }

    /// Stores those of a note that is new, or whose text was changed. One that a commit applies stays as it is.
    pub(super) fn store(&self, command: &mut Command<'_>, note: &Note) -> Result<(), AppError> {
        let wanted = self.of(note);
        let known = if note.position.is_some() {
            note::suggestions_of(&mut command.tx, &[note.id])?.remove(&note.id).unwrap_or_default()
        } else {
            Vec::new()
        };
        let mut taken = vec![false; wanted.len()];
        let mut gone: Vec<SuggestionId> = Vec::new();
        for one in known {
            let place = usize::try_from(one.place).unwrap_or(usize::MAX);
            let stays = one.commit.is_some() || wanted.get(place) == Some(&one.proposal);
            match taken.get_mut(place) {
                Some(taken) if stays => *taken = true,
                None if one.commit.is_some() => {}
                _ => gone.push(one.id),
            }
        }
        if !gone.is_empty() {
            note::delete_suggestions(&mut command.tx, &gone)?;
        }
        for ((place, proposal), is_taken) in (0..).zip(wanted).zip(taken) {
            if !is_taken {
                note::insert_suggestion(&mut command.tx, note.issuable, note.id, place, proposal)?;
            }
        }
        Ok(())
    }
}
