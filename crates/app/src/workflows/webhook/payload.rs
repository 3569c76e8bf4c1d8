//! The parts of bodies that the kinds of events share, and the bodies of issues, merge requests and comments.

use std::collections::HashMap;

use chrono::Datelike as _;
use serde_json::{Map, Value, json};
use tenon_domain::hook::Trigger;
use tenon_domain::id::{Iid, LabelId, ProjectId, UserId};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::label::Label;
use tenon_domain::user::User;
use tenon_domain::wiki::HOME;
use tenon_git::commit::Commit;
use tenon_git::{Oid, Signature};
use tenon_storage::project::ProjectWithNamespace;
use tenon_storage::{label, project, user};

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::core::links::Links;
use crate::shared::hook_event::record::{Changed, IssuableCapture};
use crate::shared::views::user_ref::UserRef;

/// The project of an event, and who made it happen.
pub(super) struct Scene {
    placed: ProjectWithNamespace,
    links: Links,
    actor: Option<(UserRef, User)>,
}

impl Scene {
    pub(super) fn new(
        query: &mut Query<'_>,
        placed: ProjectWithNamespace,
        actor: Option<UserId>,
    ) -> Result<Self, AppError> {
        let ids: Vec<UserId> = actor.into_iter().collect();
        let account = user::by_ids(&mut query.tx, &ids)?.into_values().next();
        let shown = UserRef::of(query, ids)?.into_values().next();
        Ok(Self { placed, links: query.app.links().clone(), actor: shown.zip(account) })
    }

    pub(super) fn project_id(&self) -> i64 {
        self.placed.project.id.get()
    }

    fn path(&self) -> String {
        format!("{}/{}", self.placed.home.full_path, self.placed.project.path)
    }

    /// The project, with the names that older receivers know.
    pub(super) fn project(&self) -> Value {
        project_part(&self.links, &self.placed)
    }

    /// The project, without those names.
    pub(super) fn project_without_copies(&self) -> Value {
        let mut part = self.project();
        if let Value::Object(fields) = &mut part {
            fields.retain(|name, _| !matches!(name.as_str(), "homepage" | "url" | "ssh_url" | "http_url"));
        }
        part
    }

    /// The names of namespace and project, as in `Team / Tool`.
    pub(super) fn full_name(&self) -> String {
        format!("{} / {}", self.placed.home.full_name, self.placed.project.name)
    }

    /// A page of the project.
    pub(super) fn page(&self, below: &str) -> String {
        format!("{}/{below}", self.links.pages(&self.path()))
    }

    /// The wiki, whose pages are on this branch, and the address of the page of it with this slug.
    pub(super) fn wiki(&self, slug: &str, branch: &str) -> (Value, String) {
        let path = self.path();
        let repository = format!("{path}.wiki");
        let page = self.links.wiki_page(&path, slug);
        let part = json!({
            "web_url": self.links.wiki_page(&path, HOME),
            "git_ssh_url": self.links.git_ssh(&repository),
            "git_http_url": self.links.git_http(&repository),
            "path_with_namespace": repository,
            "default_branch": branch,
        });
        (part, page)
    }

    /// The page of the release of a tag.
    pub(super) fn release_page(&self, tag: &str) -> String {
        self.links.release(&self.path(), tag)
    }

    /// The address of an archive of a tag, such as `zip`.
    pub(super) fn archive(&self, tag: &str, format: &str) -> String {
        self.links.archive(&self.path(), tag, format)
    }

    /// The repository of pushes.
    pub(super) fn repository_of_push(&self) -> Value {
        let path = self.path();
        json!({
            "name": self.placed.project.name,
            "url": self.links.git_ssh(&path),
            "description": self.placed.project.description.as_deref().unwrap_or_default(),
            "homepage": self.links.page(&path),
            "git_http_url": self.links.git_http(&path),
            "git_ssh_url": self.links.git_ssh(&path),
            "visibility_level": self.placed.project.visibility.level(),
        })
    }

    fn repository(&self) -> Value {
        let path = self.path();
        json!({
            "name": self.placed.project.name,
            "url": self.links.git_ssh(&path),
            "description": self.placed.project.description.as_deref().unwrap_or_default(),
            "homepage": self.links.page(&path),
        })
    }

    /// Who has pushed, field by field. An address is shown only if the account shows it to everyone.
    pub(super) fn user_fields(&self) -> Map<String, Value> {
        let (shown, account) = self.actor.as_ref().map(|(shown, account)| (shown, account)).unzip();
        let fields = [
            ("user_id", json!(shown.map(|user| user.id.get()))),
            ("user_name", json!(shown.map(|user| user.name.as_str()))),
            ("user_username", json!(shown.map(|user| user.username.as_str()))),
            ("user_email", json!(account.map(public_email))),
            ("user_avatar", json!(shown.and_then(|user| user.avatar_url.as_deref()))),
        ];
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    pub(super) fn user(&self) -> Value {
        match &self.actor {
            None => Value::Null,
            Some((shown, account)) => json!({
                "id": shown.id.get(), "name": shown.name, "username": shown.username, "avatar_url": shown.avatar_url,
                "email": public_email(account),
            }),
        }
    }

    /// The page of who made it happen.
    pub(super) fn user_page(&self) -> Option<String> {
        self.actor.as_ref().map(|(shown, _)| shown.web_url.clone())
    }

    /// The body of an issue or merge request.
    pub(super) fn issuable(
        &mut self,
        query: &mut Query<'_>,
        trigger: Trigger,
        of: &IssuableCapture,
    ) -> Result<Value, AppError> {
        let kind = IssuableKind::parse(&of.kind).unwrap_or(IssuableKind::Issue);
        let confidential = trigger == Trigger::ConfidentialIssue;
        let labels = labels_of(query, &[&of.labels])?;
        let people = people_of(query, &of.assignees)?;
        let mut changes = of.changes.clone();
        insert_change(&mut changes, "labels", &of.labels, &labels);
        insert_change(&mut changes, "assignees", &of.assignees, &people);
        if kind == IssuableKind::MergeRequest {
            insert_first(&mut changes, "assignee", &of.assignees, &people);
        }
        let attributes = self.attributes(query, kind, of)?;
        let assignees = listed(&of.assignees.now, &people);
        let mut body = json!({
            "object_kind": of.kind,
            "event_type": if confidential { "confidential_issue" } else { of.kind.as_str() },
            "user": self.user(),
            "project": self.project(),
            "object_attributes": attributes,
            "labels": listed(&of.labels.now, &labels),
            "changes": changes,
            "repository": self.repository(),
        });
        if let (Value::Object(body), Some(first)) = (&mut body, assignees.first()) {
            body.insert("assignee".to_owned(), first.clone());
            body.insert("assignees".to_owned(), Value::Array(assignees.clone()));
        }
        Ok(body)
    }

    /// The attributes of an issue or merge request, with what is made of addresses and commits.
    pub(super) fn attributes(
        &self,
        query: &mut Query<'_>,
        kind: IssuableKind,
        of: &IssuableCapture,
    ) -> Result<Map<String, Value>, AppError> {
        let mut attributes = of.attributes.clone();
        let iid = attributes.get("iid").and_then(Value::as_i64).unwrap_or_default();
        let page = self.links.issuable(kind, &self.path(), Iid::new(iid));
        attributes.insert("url".to_owned(), json!(page));
        if kind == IssuableKind::Issue {
            return Ok(attributes);
        }
        let source = attributes.get("source_project_id").and_then(Value::as_i64).map(ProjectId::new);
        let source = match source {
            Some(id) if id == self.placed.project.id => Some(self.placed.clone()),
            Some(id) => project::find_placed(&mut query.tx, id)?,
            None => None,
        };
        attributes.insert("source".to_owned(), source.map_or(Value::Null, |placed| project_part(&self.links, &placed)));
        attributes.insert("target".to_owned(), self.project());
        let head = attributes.remove("last_commit_id");
        let head = head.as_ref().and_then(Value::as_str).and_then(|id| id.parse::<Oid>().ok());
        let repository = query.app.repositories().store.repository(self.placed.project.id);
        let commit = head.and_then(|id| repository.commit(id).ok().flatten());
        let commit = commit.map_or(Value::Null, |commit| hook_commit(self, &commit));
        attributes.insert("last_commit".to_owned(), commit);
        Ok(attributes)
    }

    /// The body of a comment on a commit.
    pub(super) fn commit_note(&self, attributes: &Map<String, Value>, sha: &str, commit: Option<&Commit>) -> Value {
        let mut attributes = attributes.clone();
        let id = attributes.get("id").and_then(Value::as_i64).unwrap_or_default();
        attributes.insert("url".to_owned(), json!(self.page(&format!("commit/{sha}#note_{id}"))));
        json!({
            "object_kind": "note",
            "event_type": "note",
            "user": self.user(),
            "project_id": self.project_id(),
            "project": self.project(),
            "object_attributes": attributes,
            "repository": self.repository(),
            "commit": commit.map(|commit| hook_commit(self, commit)),
        })
    }

    /// The body of a comment on a snippet.
    pub(super) fn snippet_note(&self, attributes: &Map<String, Value>, snippet: &Map<String, Value>) -> Value {
        let mut attributes = attributes.clone();
        let id = |of: &Map<String, Value>| of.get("id").and_then(Value::as_i64).unwrap_or_default();
        let page = self.page(&format!("snippets/{}#note_{}", id(snippet), id(&attributes)));
        attributes.insert("url".to_owned(), json!(page));
        json!({
            "object_kind": "note",
            "event_type": "note",
            "user": self.user(),
            "project_id": self.project_id(),
            "project": self.project(),
            "object_attributes": attributes,
            "repository": self.repository(),
            "snippet": snippet,
        })
    }

    /// The body of a comment.
    pub(super) fn note(
        &mut self,
        query: &mut Query<'_>,
        trigger: Trigger,
        attributes: &Map<String, Value>,
        on: &IssuableCapture,
    ) -> Result<Value, AppError> {
        let kind = IssuableKind::parse(&on.kind).unwrap_or(IssuableKind::Issue);
        let about = self.attributes(query, kind, on)?;
        let mut attributes = attributes.clone();
        let page = about.get("url").and_then(Value::as_str).unwrap_or_default();
        let id = attributes.get("id").and_then(Value::as_i64).unwrap_or_default();
        attributes.insert("url".to_owned(), json!(format!("{page}#note_{id}")));
        let event = if trigger == Trigger::ConfidentialNote { "confidential_note" } else { "note" };
        let mut body = json!({
            "object_kind": "note",
            "event_type": event,
            "user": self.user(),
            "project_id": self.project_id(),
            "project": self.project(),
            "object_attributes": attributes,
            "repository": self.repository(),
        });
        if let Value::Object(body) = &mut body {
            body.insert(on.kind.clone(), Value::Object(about));
        }
        Ok(body)
    }
}

fn public_email(account: &User) -> &str {
    &account.profile.public_email
}

fn project_part(links: &Links, placed: &ProjectWithNamespace) -> Value {
    let project = &placed.project;
    let path = format!("{}/{}", placed.home.full_path, project.path);
    let (page, ssh, http) = (links.page(&path), links.git_ssh(&path), links.git_http(&path));
    let avatar = project.avatar.as_ref().map(|avatar| links.project_avatar(project.id, &avatar.file_name));
    json!({
        "id": project.id.get(),
        "name": project.name,
        "description": project.description.as_deref().unwrap_or_default(),
        "web_url": page,
        "avatar_url": avatar,
        "git_ssh_url": ssh,
        "git_http_url": http,
        "namespace": placed.home.name,
        "visibility_level": project.visibility.level(),
        "path_with_namespace": path,
        "default_branch": project.head_branch(),
        "ci_config_path": project.ci_config_path,
        "homepage": page,
        "url": ssh,
        "ssh_url": ssh,
        "http_url": http,
    })
}

/// A commit, as hooks name one.
pub(super) fn hook_commit(scene: &Scene, commit: &Commit) -> Value {
    json!({
        "id": commit.id.to_string(),
        "message": commit.message,
        "title": commit.title(),
        "timestamp": moment_of(&commit.committer),
        "url": format!("{}/commit/{}", scene.links.pages(&scene.path()), commit.id),
        "author": { "name": commit.author.name, "email": commit.author.email },
    })
}

/// The moment of a signature with the offset of its clock, as in `2026-03-02T11:00:00+01:00`.
fn moment_of(signature: &Signature) -> String {
    let offset = chrono::FixedOffset::east_opt(signature.offset_minutes.saturating_mul(60));
    let local = offset.map(|offset| signature.at().with_timezone(&offset));
    // The form has four digits for a year.
    match local.filter(|local| (0..=9999).contains(&local.year())) {
        Some(local) => local.to_rfc3339(),
        None => signature.at().to_rfc3339(),
    }
}

fn labels_of(query: &mut Query<'_>, all: &[&Changed]) -> Result<HashMap<i64, Value>, AppError> {
    let ids: Vec<LabelId> = all
        .iter()
        .flat_map(|one| one.now.iter().chain(one.before.iter().flatten()))
        .copied()
        .map(LabelId::new)
        .collect();
    let found = label::by_ids(&mut query.tx, &ids)?;
    Ok(found.into_values().map(|label| (label.id.get(), label_part(&label))).collect())
}

fn label_part(label: &Label) -> Value {
    use tenon_domain::container::Container;
    let (project, group) = match label.container {
        Container::Project(id) => (Some(id.get()), None),
        Container::Group(id) => (None, Some(id.get())),
    };
    json!({
        "id": label.id.get(),
        "title": label.name,
        "color": label.color,
        "project_id": project,
        "template": false,
        "description": label.description,
        "type": if group.is_some() { "GroupLabel" } else { "ProjectLabel" },
        "group_id": group,
    })
}

fn people_of(query: &mut Query<'_>, of: &Changed) -> Result<HashMap<i64, Value>, AppError> {
    let ids: Vec<UserId> = of.now.iter().chain(of.before.iter().flatten()).copied().map(UserId::new).collect();
    let found = UserRef::of(query, ids)?;
    let part = |user: UserRef| json!({ "id": user.id.get(), "name": user.name, "username": user.username, "avatar_url": user.avatar_url });
    Ok(found.into_iter().map(|(id, user)| (id.get(), part(user))).collect())
}

fn listed(ids: &[i64], found: &HashMap<i64, Value>) -> Vec<Value> {
    ids.iter().filter_map(|id| found.get(id).cloned()).collect()
}

/// The first of what there was and is, which receivers of older servers read, if another one has come first.
fn insert_first(changes: &mut Map<String, Value>, name: &str, of: &Changed, found: &HashMap<i64, Value>) {
    let Some(before) = &of.before else { return };
    let first = |ids: &[i64]| listed(ids, found).into_iter().next().unwrap_or_default();
    let (previous, current) = (first(before), first(&of.now));
    if previous != current {
        changes.insert(name.to_owned(), json!({ "previous": previous, "current": current }));
    }
}

fn insert_change(changes: &mut Map<String, Value>, name: &str, of: &Changed, found: &HashMap<i64, Value>) {
    if let Some(before) = &of.before {
        let change = json!({ "previous": listed(before, found), "current": listed(&of.now, found) });
        changes.insert(name.to_owned(), change);
    }
}
