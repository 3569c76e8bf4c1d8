//! Feeds (Atom, RFC 4287) of new events, for feed readers.

use std::collections::HashMap;

use actix_web::http::header;
use askama::Template;
use tenon_app::contribution::ContributionView;
use tenon_app::error::AppError;
use tenon_app::repository::{CommitView, TagView};
use tenon_app::user::UserView;
use tenon_domain::id::ProjectId;
use tenon_domain::time::Timestamp;

use super::activity;
use crate::context::project::ProjectContext;
use crate::context::request::RequestContext;
use crate::kit::answer::{Answer, FEED, RawBody};
use crate::kit::error::PageError;

/// The number of entries of a feed.
pub(crate) const ENTRIES: i64 = 20;
/// The number of characters of a text that an entry repeats.
const TEXT: usize = 1_000;

/// The address of the feed of a project.
pub(crate) const ACTIVITY: &str = "/activity.atom";

#[derive(Template)]
#[template(path = "feed.xml")]
struct Feed {
    title: String,
    /// The id of the feed. It stays when the project is renamed.
    id: String,
    /// The address of the feed, and that of the page about the same.
    address: String,
    page: String,
    updated: String,
    entries: Vec<Entry>,
}

/// A new event.
pub(crate) struct Entry {
    /// Its id within the project.
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) href: String,
    pub(crate) updated: String,
    pub(crate) author: String,
    pub(crate) text: String,
}

pub(crate) fn moment(at: Timestamp) -> String {
    at.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// A text without the characters that XML forbids, cut to a length.
pub(crate) fn plain(text: &str) -> String {
    let is_character = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    text.chars().filter(|c| is_character(c) && !matches!(c, '\u{fffe}' | '\u{ffff}')).take(TEXT).collect()
}

/// The head of a feed.
struct Head<'a> {
    title: String,
    id: String,
    /// The addresses of the feed, and of the page about the same.
    address: String,
    page: &'a str,
    /// The age of the feed, if it has no entry.
    made: Timestamp,
}

fn of_head(head: Head<'_>, entries: Vec<Entry>) -> Result<Answer, PageError> {
    // All moments are written in one form, so that texts compare as moments do.
    let updated = entries.iter().map(|entry| entry.updated.as_str()).max();
    let feed = Feed {
        updated: updated.map_or_else(|| moment(head.made), str::to_owned),
        title: plain(&head.title),
        id: head.id,
        address: head.address,
        page: head.page.to_owned(),
        entries,
    };
    let text = feed.render().map_err(|error| PageError::from(AppError::Internal(Box::new(error))))?;
    Ok(Answer::raw(RawBody::Whole(text.into_bytes()))
        .header(header::CONTENT_TYPE, FEED.to_owned())
        .header(header::CACHE_CONTROL, "private, max-age=60".to_owned()))
}

/// The address of what is `below` the page of a project: a page, or a feed such as `.atom`.
fn of_project(home: &str, below: &str) -> String {
    let dash = if below.starts_with('/') { "/-" } else { "" };
    format!("{home}{dash}{below}")
}

/// The feed of a page of the project.
pub(crate) fn feed(
    context: &ProjectContext,
    what: &str,
    below: &str,
    page: &str,
    entries: Vec<Entry>,
) -> Result<Answer, PageError> {
    let brief = &context.page.view.brief;
    let own = format!("{}/projects/{}", context.request.app().base_url(), brief.project.id);
    let page = of_project(&brief.web_url, page);
    let head = Head {
        title: format!("{what} of {}", brief.full_name),
        id: format!("{own}{below}"),
        address: of_project(&brief.web_url, below),
        page: &page,
        made: brief.project.created_at,
    };
    of_head(head, entries.into_iter().map(|entry| Entry { id: format!("{own}{}", entry.id), ..entry }).collect())
}

/// The feed of the contributions of a user, in projects that the caller may see.
pub(crate) fn of_user(
    context: &RequestContext,
    of: &UserView,
    paths: &HashMap<ProjectId, String>,
    found: Vec<ContributionView>,
) -> Result<Answer, PageError> {
    let base = context.app().base_url();
    let entry = |view: ContributionView| {
        let path = view.project.and_then(|id| paths.get(&id));
        let home = path.map_or_else(|| of.basic.web_url.clone(), |path| format!("{base}/{path}"));
        let entry = happened(&home, view);
        Entry { id: format!("{base}/users/{}{}", of.user.id, entry.id), ..entry }
    };
    let head = Head {
        title: format!("Activity of {}", of.user.name),
        id: format!("{base}/users/{}.atom", of.user.id),
        address: format!("{}.atom", of.basic.web_url),
        page: &of.basic.web_url,
        // The feed does not reveal when a private profile was made.
        made: if of.shows_creation { of.user.created_at } else { Timestamp::UNIX_EPOCH },
    };
    of_head(head, found.into_iter().map(entry).collect())
}

/// The entry about an event in the project whose page is `home`.
pub(crate) fn happened(home: &str, view: ContributionView) -> Entry {
    let author = view.author.as_ref().map(|user| user.name.clone()).unwrap_or_default();
    let about = activity::below(&view);
    let what = if let Some(push) = &view.push {
        match activity::several(push) {
            Some(refs) => format!("{} {refs}", push.action),
            None => format!("{} {} {}", push.action, push.ref_type, push.ref_name.as_deref().unwrap_or_default()),
        }
    } else {
        format!("{} {}", view.contribution.action_name, view.target_title.as_deref().unwrap_or_default())
    };
    let said = view.note.as_ref().map(|note| note.note.body.clone());
    let pushed = view.push.as_ref().and_then(|push| push.commit_title.clone());
    Entry {
        id: format!("#event-{}", view.id),
        title: plain(&format!("{author} {what}")),
        href: of_project(home, &about),
        updated: moment(view.created_at),
        author: plain(&author),
        text: plain(&said.or(pushed).unwrap_or_default()),
    }
}

/// The feed of the tags of a project.
pub(crate) fn tags(context: &ProjectContext, found: Vec<TagView>) -> Result<Answer, PageError> {
    let home = &context.page.view.brief.web_url;
    let entry = |tag: TagView| {
        let at = tag.created_at.or_else(|| tag.commit.as_ref().map(|commit| commit.committer.at));
        let title = tag.commit.as_ref().map(|commit| commit.title.clone()).unwrap_or_default();
        Entry {
            // A tag that was moved gets a new entry.
            id: format!("/tags/{}#{}", crate::kit::address::in_path(&tag.name), tag.target),
            title: plain(&tag.name),
            href: of_project(home, &format!("/tags/{}", crate::kit::address::in_path(&tag.name))),
            updated: moment(at.unwrap_or(context.page.view.brief.project.created_at)),
            author: plain(tag.commit.as_ref().map_or("", |commit| &commit.author.name)),
            text: plain(&tag.message.unwrap_or(title)),
        }
    };
    let entries = found.into_iter().map(entry).collect();
    feed(context, "Tags", "/tags.atom", "/tags", entries)
}

/// The feed of the commits of a branch or tag.
pub(crate) fn commits(context: &ProjectContext, revision: &str, found: Vec<CommitView>) -> Result<Answer, PageError> {
    let home = &context.page.view.brief.web_url;
    let entry = |commit: CommitView| {
        let page = format!("/commit/{}", commit.id);
        Entry {
            title: plain(&commit.title),
            href: of_project(home, &page),
            id: page,
            updated: moment(commit.committer.at),
            author: plain(&commit.author.name),
            text: plain(&commit.message),
        }
    };
    let most = usize::try_from(ENTRIES).unwrap_or(usize::MAX);
    let entries = found.into_iter().take(most).map(entry).collect();
    let below = format!("/commits/{}", crate::kit::address::in_path(revision));
    feed(context, &format!("Commits to {revision}"), &format!("{below}.atom"), &below, entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feeds_have_only_characters_of_xml() {
        assert_eq!(plain("a\u{1}\u{b}b\n\u{fffe}<&"), "ab\n<&");
        assert_eq!(plain(&"x".repeat(2_000)).len(), TEXT);
    }
}
