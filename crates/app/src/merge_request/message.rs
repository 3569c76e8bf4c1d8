//! The texts of the commits that a merge makes: those of the templates of the project, or the usual ones.

use std::collections::{HashMap, HashSet};

use tenon_domain::issuable::Issuable;
use tenon_domain::merge_request::{MergeRequest, MessageFacts, closing_sentence, expand, merge_message};
use tenon_domain::project::setting::{MERGE_COMMIT_TEMPLATE, SQUASH_COMMIT_TEMPLATE};
use tenon_domain::time::Timestamp;
use tenon_domain::user::User;
use tenon_git::commit::{Commit, CommitQuery, CommitRange};
use tenon_git::{GitError, Oid, Repository, Signature};
use tenon_storage::{merge_request, user};

use super::approvals;
use super::close_issues::references;
use crate::core::app::{App, Query};
use crate::core::error::AppError;
use crate::core::links::host_of;
use crate::policy::authorization::AuthorizedProject;

/// The newest commits whose messages and authors are named.
const MAX_COMMITS: i64 = 100;
/// The most characters of one value: the description and the messages of all commits can be long.
const MAX_VALUE: usize = 32_768;

/// The texts of the commits, as far as the database knows them.
pub(super) struct Messages {
    usual: String,
    merge: Option<String>,
    squash: Option<String>,
    /// The values of placeholders, by name.
    values: HashMap<&'static str, String>,
    /// The address of the author, who is not a co-author.
    author_email: String,
}

/// The texts of the commits with which `merger` merges, and the issues that it closes.
pub(super) fn messages(
    query: &mut Query<'_>,
    home: &AuthorizedProject,
    of: &Issuable,
    request: &MergeRequest,
    closes: &[Issuable],
    merger: &User,
) -> Result<Messages, AppError> {
    let closes = references(query, home, closes)?;
    let reference = of.full_reference(&home.full_path());
    let usual = merge_message(&MessageFacts {
        source_branch: &request.source_branch,
        target_branch: &request.target_branch,
        title: &of.title,
        closes: &closes,
        reference: &reference,
    });
    let template = |setting| home.project.settings.text_of(setting).map(ToOwned::to_owned);
    let (merge, squash) = (template(&MERGE_COMMIT_TEMPLATE), template(&SQUASH_COMMIT_TEMPLATE));
    let mut values = HashMap::new();
    let mut author_email = String::new();
    let uses = |name: &str| merge.iter().chain(&squash).any(|text| text.contains(name));
    if merge.is_some() || squash.is_some() {
        let description = of.description.as_deref().unwrap_or_default();
        values.extend([
            ("source_branch", request.source_branch.clone()),
            ("target_branch", request.target_branch.clone()),
            ("title", of.title.clone()),
            ("description", cut(&description.replace("\r\n", "\n"))),
            ("issues", closing_sentence(&closes)),
            ("reference", reference),
            ("local_reference", of.short_reference()),
            ("url", query.app.links().issuable(of.kind, &home.full_path(), of.iid)),
            ("merged_by", format!("{} <{}>", merger.name, merger.email)),
        ]);
        if uses("%{approved_by}") {
            let approved = approvals::of_one(query, of)?.approved;
            let approved: Vec<_> = approved.iter().map(|given| given.by).collect();
            values.insert("approved_by", trailers(query, "Approved-by", &approved)?);
        }
        if uses("%{reviewed_by}") {
            let reviewers = merge_request::reviewers(&mut query.tx, &[of.id])?.remove(&of.id).unwrap_or_default();
            values.insert("reviewed_by", trailers(query, "Reviewed-by", &reviewers)?);
        }
        author_email = user::find(&mut query.tx, of.author)?.map(|author| author.email).unwrap_or_default();
    }
    Ok(Messages { usual, merge, squash, values, author_email })
}

/// One line for each of these users.
fn trailers(query: &mut Query<'_>, word: &str, users: &[tenon_domain::id::UserId]) -> Result<String, AppError> {
    let found = user::by_ids(&mut query.tx, users)?;
    let line = |user: &User| trailer(query.app, word, user);
    Ok(users.iter().filter_map(|id| found.get(id)).map(line).collect::<Vec<_>>().join("\n"))
}

/// The line that names a user at the end of a message: `Co-authored-by: NAME <ADDRESS>`. Neither has what Git does not take.
pub(super) fn trailer(app: &App, word: &str, user: &User) -> String {
    let Signature { name, email, .. } = Signature::new(&user.name, &open_address(app, user), Timestamp::default());
    trailer_of(word, &name, &email)
}

fn trailer_of(word: &str, name: &str, address: &str) -> String {
    format!("{word}: {name} <{address}>")
}

/// The address of a user in commits that others make. Other people may read it than may read the user's own: who has a public one
/// is named with it, everybody else with an address that takes no mail.
pub(super) fn open_address(app: &App, user: &User) -> String {
    match user.profile.public_email.as_str() {
        "" => match &app.known_settings().accounts.private_host {
            Some(host) => format!("{}@{host}", user.username),
            None => format!("{}@noreply.{}", user.username, host_of(&app.links().page(""))),
        },
        public => public.to_owned(),
    }
}

impl Messages {
    /// The text of the merge commit, and of the one commit that several become. Asks Git if a template names commits.
    pub(super) fn of_commits(
        &self,
        title: &str,
        repository: &Repository,
        (target, source): (Oid, Oid),
    ) -> Result<(String, String), AppError> {
        let mut values = self.values.clone();
        let templates = || self.merge.iter().chain(&self.squash);
        if templates().any(|text| ["%{first_", "%{all_", "%{co_"].iter().any(|start| text.contains(start))) {
            values.extend(self.values_of_commits(repository, target, source)?);
        }
        let value = |name: &str| values.get(name).cloned();
        let filled = |template: &Option<String>| {
            template.as_deref().map(|text| expand(text, value)).filter(|text| !text.is_empty())
        };
        let merge = filled(&self.merge).unwrap_or_else(|| self.usual.clone());
        Ok((merge, filled(&self.squash).unwrap_or_else(|| title.to_owned())))
    }

    fn values_of_commits(
        &self,
        repository: &Repository,
        target: Oid,
        source: Oid,
    ) -> Result<[(&'static str, String); 4], AppError> {
        let query = CommitQuery::new(CommitRange::Between { from: target, to: source });
        let count = repository.commit_count(&query)?;
        let listed = |skip, limit| match repository.commit_list(&query, skip, limit) {
            // Such messages are more than a commit has room for.
            Err(GitError::TooLarge(_)) => Ok(Vec::new()),
            other => other,
        };
        let newest = listed(0, MAX_COMMITS)?;
        let oldest = if count > MAX_COMMITS { listed(count - 1, 1)? } else { Vec::new() };
        let first = oldest.last().or_else(|| newest.last());
        let text = |commit: &Commit| commit.message.trim().to_owned();
        let is_long = |commit: &&Commit| text(commit).lines().count() > 1;
        let several = newest.iter().rev().find(is_long).or(first);
        let all: Vec<String> = newest.iter().rev().map(|commit| format!("* {}", text(commit))).collect();
        let mut known = HashSet::from([self.author_email.as_str()]);
        let authors = newest.iter().rev().map(|commit| &commit.author);
        let others: Vec<String> = authors
            .filter(|author| known.insert(author.email.as_str()))
            .map(|author| trailer_of("Co-authored-by", &author.name, &author.email))
            .collect();
        Ok([
            ("first_commit", cut(&first.map(text).unwrap_or_default())),
            ("first_multiline_commit", cut(&several.map(text).unwrap_or_default())),
            ("all_commits", cut(&all.join("\n\n"))),
            ("co_authored_by", cut(&others.join("\n"))),
        ])
    }
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_VALUE).collect()
}
