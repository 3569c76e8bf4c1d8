//! The names in a text: people, who come to take part, and other issues and merge requests, which learn of it.

use std::collections::HashSet;

use tenon_domain::access::Decision;
use tenon_domain::id::{Iid, NoteId, TodoId, UserId};
use tenon_domain::issuable::{Issuable, IssuableAction, IssuableKind, relative_reference};
use tenon_domain::todo::{Todo, TodoAction};
use tenon_domain::user::{User, sees};
use tenon_markdown::{Mention, Names, Reference as Named};
use tenon_storage::{issuable, note, todo, user};

use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::policy::authorization::AuthorizedProject;
use crate::policy::issuable::{AuthorizedIssuable, IssuableReference};
use crate::policy::reference::Reference;
use crate::shared::issuable::people::readers;
use crate::shared::issuable::system_notes;

/// More issues than this one text does not bring to others' notice: it would be a flood.
pub(crate) const MAX_CROSS_REFERENCES: usize = 30;

/// Indexes what a text of an issue names, which was found before the transaction: users become participants and get an entry in their to-do lists, and issues
/// get a system note. `note` is the comment that the text is; without one it is title and description. Returns the users
/// whom the text did not name before.
pub(crate) fn index_references(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    note: Option<NoteId>,
    names: &Names,
) -> Result<Vec<UserId>, AppError> {
    let before = issuable::mentioned(&mut command.tx, found.issuable.id, note)?;
    note::remove_mentions(&mut command.tx, found.issuable.id, note)?;
    let mut users = index_new_references(command, found, note, names)?;
    users.retain(|user| !before.contains(user));
    Ok(users)
}

/// As [`index_references`], of a text that there was not before.
pub(crate) fn index_new_references(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    note: Option<NoteId>,
    names: &Names,
) -> Result<Vec<UserId>, AppError> {
    let mut mentions = names.mentions().to_vec();
    mentions.retain(|mention| command.may_call(&mention.username));
    let users = mentioned(&mut command.query(), found, &mentions)?;
    let ids: Vec<UserId> = users.iter().map(|(user, _)| user.id).collect();
    note::insert_mentions(&mut command.tx, found.issuable.id, note, &ids)?;
    for (user, leads) in users {
        let action = if leads { TodoAction::DirectlyAddressed } else { TodoAction::Mentioned };
        if Some(user.id) != command.actor() {
            add_todos(command, &found.issuable, &[user.id], action, note)?;
        }
    }
    cross_reference(command, found, names)?;
    Ok(ids)
}

/// The people whom a text names, whom its writer may see and who may read the issue, and whether a line begins with their name.
fn mentioned(
    query: &mut Query<'_>,
    found: &AuthorizedIssuable,
    mentions: &[Mention],
) -> Result<Vec<(User, bool)>, AppError> {
    let names: Vec<String> = mentions.iter().map(|mention| mention.username.clone()).collect();
    let mut users = user::by_usernames(&mut query.tx, &names)?;
    let viewer = query.viewer();
    users.retain(|user| sees(viewer, user) == Decision::Allow);
    let readers = readers(query, found, users)?;
    let leads = |user: &User| {
        mentions.iter().any(|mention| mention.leads && mention.username.eq_ignore_ascii_case(&user.username))
    };
    Ok(readers.into_iter().map(|user| (leads(&user), user)).map(|(leads, user)| (user, leads)).collect())
}

/// Puts an issue on the lists of those of `users` who have nothing about it there yet.
pub(crate) fn add_todos(
    command: &mut Command<'_>,
    issue: &Issuable,
    users: &[UserId],
    action: TodoAction,
    note: Option<NoteId>,
) -> Result<(), AppError> {
    if users.is_empty() {
        return Ok(());
    }
    let author = command.user()?.id;
    let busy: HashSet<UserId> = todo::pending_of(&mut command.tx, issue.id, users)?.into_iter().collect();
    for user in users.iter().filter(|user| !busy.contains(user)) {
        let entry = Todo {
            id: TodoId::new(0),
            user: *user,
            author,
            issuable: issue.id,
            note,
            action,
            done: false,
            created_at: command.now,
            updated_at: command.now,
        };
        todo::insert(&mut command.tx, &entry)?;
    }
    Ok(())
}

/// Writes a system note into the issues that a text names, once for each pair. Only those that the writer may see: what
/// a text names by guessing stays silent.
fn cross_reference(command: &mut Command<'_>, found: &AuthorizedIssuable, names: &Names) -> Result<(), AppError> {
    let author = command.user()?.id;
    let here = found.home.full_path();
    let targets = names.references().into_iter().filter_map(|reference| match reference {
        Named::Issue { project, iid } => Some((IssuableKind::Issue, project, iid)),
        Named::MergeRequest { project, iid } => Some((IssuableKind::MergeRequest, project, iid)),
        Named::User(_) | Named::Label(_) | Named::Milestone(_) | Named::External(_) => None,
    });
    for (kind, project, iid) in targets.take(MAX_CROSS_REFERENCES) {
        let target = named_issuable(&mut command.query(), &found.home, kind, project.as_deref(), iid)?;
        let Some(target) = target else { continue };
        let is_news = target.issuable.id != found.issuable.id
            && !target.home.project.archived
            && !note::is_referred_to(&mut command.tx, target.issuable.id, found.issuable.id)?;
        if is_news {
            let there = target.home.full_path();
            let reference = relative_reference(&there, &here, &found.issuable.short_reference());
            let body = format!("mentioned in {} {reference}", found.issuable.kind.noun());
            system_notes::write(command, target.issuable.id, author, body, Some(found.issuable.id))?;
        }
    }
    Ok(())
}

/// The issue or merge request that a text in a project names, if the caller may see it.
pub(crate) fn named_issuable(
    query: &mut Query<'_>,
    home: &AuthorizedProject,
    kind: IssuableKind,
    project: Option<&str>,
    iid: i64,
) -> Result<Option<AuthorizedIssuable>, AppError> {
    let project = match project {
        None => Reference::Id(home.project.id.get()),
        Some(path) if path.contains('/') => Reference::Path(path.to_owned()),
        Some(name) => Reference::Path(home.namespace.path_of(name)),
    };
    let of = IssuableReference { kind, project, iid: Iid::new(iid) };
    hidden_is_none(query.issuable(&of, IssuableAction::Read))
}

fn hidden_is_none<T>(found: Result<T, AppError>) -> Result<Option<T>, AppError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(AppError::NotFound(_) | AppError::Forbidden) => Ok(None),
        Err(other) => Err(other),
    }
}
