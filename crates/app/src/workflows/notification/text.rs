//! The body of a mail about an issue or merge request.

use tenon_domain::id::{LabelId, NoteId, UserId};
use tenon_domain::issuable::{Issuable, IssuableKind, State};
use tenon_domain::note::Note;
use tenon_domain::user::User;
use tenon_storage::{label, milestone, note, user};

use super::occasion::Occasion;
use crate::core::app::Query;
use crate::core::error::AppError;
use crate::core::mail::escaped;
use crate::policy::issuable::AuthorizedIssuable;
use crate::policy::reference::Reference;
use crate::shared::files::upload_address::led;
use crate::shared::issuable::edit_detail::{EditDetail, Swapped};
use crate::shared::markdown;

/// The subject of a mail.
pub(super) struct Scene<'a> {
    pub(super) found: &'a AuthorizedIssuable,
    pub(super) occasion: Occasion,
    pub(super) edit: EditDetail,
    /// The comment.
    pub(super) said: Option<&'a Note>,
    pub(super) actor: Option<&'a User>,
    /// True if it is said who has written a text.
    pub(super) names_author: bool,
}

/// True if there is still reason to remind of an issue.
pub(super) fn is_due(issue: &Issuable) -> bool {
    issue.state == State::Opened && issue.due_date.is_some()
}

/// The text of a mail.
pub(super) struct Text {
    /// Who did what; nothing if the text speaks for itself.
    sentences: Vec<String>,
    /// The text that a user has written, in Markdown.
    written: Option<String>,
    /// True if there is more of it.
    is_cut: bool,
}

impl Text {
    pub(super) fn of(query: &mut Query<'_>, scene: &Scene<'_>) -> Result<Self, AppError> {
        let by =
            scene.actor.map_or_else(|| "the server".to_owned(), |user| format!("{} (@{})", user.name, user.username));
        let issuable = &scene.found.issuable;
        let what = match issuable.kind {
            IssuableKind::Issue => "The issue",
            IssuableKind::MergeRequest => "The merge request",
        };
        let only = |sentence: String| (vec![sentence], None);
        let author = |verb: &str| if scene.names_author { vec![format!("{by} {verb}:")] } else { Vec::new() };
        let said = || scene.said.map(|note| note.body.clone());
        let (sentences, written) = match scene.occasion {
            Occasion::New => (author("wrote"), issuable.description.clone()),
            Occasion::Note => (author("commented"), said()),
            Occasion::NoteUpdated => (vec![format!("{by} edited a comment:")], said()),
            Occasion::Closed => only(format!("{what} was closed by {by}.")),
            Occasion::Reopened => only(format!("{what} was reopened by {by}.")),
            Occasion::Merged => only(format!("{what} was merged by {by}.")),
            Occasion::Approved => only(format!("{what} was approved by {by}.")),
            Occasion::Unapproved => only(format!("{by} withdrew their approval of {what}.")),
            Occasion::ChangesRequested => only(format!("{by} requested changes to {what}.")),
            Occasion::Due => {
                let day = issuable.due_date.map(|day| day.format("%Y-%m-%d").to_string()).unwrap_or_default();
                only(format!("{what} is due on {day}."))
            }
            Occasion::Updated => {
                let mut sentences = vec![format!("{what} was updated by {by}.")];
                sentences.extend(changes(query, scene)?);
                (sentences, text_of_edit(query, scene)?)
            }
        };
        let most = query.app.limits().mail.text;
        let is_cut = written.as_ref().is_some_and(|text| text.chars().nth(most).is_some());
        // A mail is read elsewhere, where an address needs its host.
        let project = query.app.links().page(&scene.found.home.full_path());
        let written = written.map(|text| led(&text.chars().take(most).collect::<String>(), &project));
        Ok(Self { sentences, written, is_cut })
    }

    pub(super) fn as_plain(&self, page: &str, unsubscribe: &str) -> String {
        let mut text: Vec<&str> = self.sentences.iter().map(String::as_str).collect();
        text.extend([self.written.as_deref(), self.is_cut.then_some(CUT)].into_iter().flatten());
        let end = format!("-- \n{page}\nUnsubscribe: {unsubscribe}\n");
        text.push(&end);
        text.join("\n\n")
    }

    pub(super) fn as_html(
        &self,
        query: &mut Query<'_>,
        project: &Reference,
        page: &str,
        unsubscribe: &str,
    ) -> Result<String, AppError> {
        let paragraph = |text: &str| format!("<p>{}</p>\n", escaped(text));
        let mut html = "<!doctype html>\n<html><body>\n".to_owned();
        html.extend(self.sentences.iter().map(|sentence| paragraph(sentence)));
        if let Some(written) = &self.written {
            html += &markdown::render(query, written, Some(project))?;
        }
        if self.is_cut {
            html += &paragraph(CUT);
        }
        html += &format!(
            "\n<hr>\n<p><a href=\"{}\">View online</a> · <a href=\"{}\">Unsubscribe</a></p>\n</body></html>\n",
            escaped(page),
            escaped(unsubscribe),
        );
        Ok(html)
    }
}

/// The changes of an edit, a sentence for each.
fn changes(query: &mut Query<'_>, scene: &Scene<'_>) -> Result<Vec<String>, AppError> {
    let edit = &scene.edit;
    let mut sentences = Vec::new();
    for (people, role) in [(&edit.assignees, "Assignees"), (&edit.reviewers, "Reviewers")] {
        if let Some(names) = swapped(query, people)? {
            sentences.push(format!("{role}: {names}."));
        }
    }
    if edit.milestone {
        let id = scene.found.issuable.milestone;
        let ids: Vec<_> = id.into_iter().collect();
        let title = milestone::by_ids(&mut query.tx, &ids)?.into_values().next().map(|found| found.title);
        sentences.push(match title {
            Some(title) => format!("Milestone: {title}."),
            None => "Milestone removed.".to_owned(),
        });
    }
    if !edit.labels.is_empty() {
        let ids: Vec<LabelId> = edit.labels.iter().copied().map(LabelId::new).collect();
        let mut names: Vec<String> =
            label::by_ids(&mut query.tx, &ids)?.into_values().map(|label| label.name).collect();
        names.sort();
        if !names.is_empty() {
            sentences.push(format!("Labels added: {}.", names.join(", ")));
        }
    }
    if edit.pushed
        && let Some(branch) = scene.found_branch(query)?
    {
        sentences.push(format!("New commits were pushed to the source branch {branch}."));
    }
    Ok(sentences)
}

impl Scene<'_> {
    fn found_branch(&self, query: &mut Query<'_>) -> Result<Option<String>, AppError> {
        let request = tenon_storage::merge_request::find(&mut query.tx, self.found.issuable.id)?;
        Ok(request.map(|request| request.source_branch))
    }
}

/// `@ada and @bob added, @carol removed`.
fn swapped(query: &mut Query<'_>, people: &Swapped) -> Result<Option<String>, AppError> {
    if people.is_empty() {
        return Ok(None);
    }
    let ids: Vec<UserId> = people.added.iter().chain(&people.removed).copied().map(UserId::new).collect();
    let known = user::by_ids(&mut query.tx, &ids)?;
    let parts = [(&people.added, "added"), (&people.removed, "removed")].map(|(ids, verb)| {
        let names: Vec<String> = ids
            .iter()
            .filter_map(|id| known.get(&UserId::new(*id)))
            .map(|user| format!("@{}", user.username))
            .collect();
        (!names.is_empty()).then(|| format!("{} {verb}", names.join(", ")))
    });
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    Ok((!parts.is_empty()).then(|| parts.join("; ")))
}

/// The description, for who is mentioned there now; else the commits that came.
fn text_of_edit(query: &mut Query<'_>, scene: &Scene<'_>) -> Result<Option<String>, AppError> {
    let reader = query.user()?.id;
    if scene.edit.mentioned.contains(&reader.get()) {
        return Ok(scene.found.issuable.description.clone());
    }
    let Some(id) = scene.edit.push_note.map(NoteId::new) else { return Ok(None) };
    let note = note::by_ids(&mut query.tx, &[id])?.remove(&id);
    Ok(note.filter(|note| note.system && note.issuable == scene.found.issuable.id).map(|note| note.body))
}

/// The place at which a text goes on.
const CUT: &str = "The rest of this message is available online.";
