//! The commits in notes of the server, which pages name short and as links.

use std::borrow::Cow;

use tenon_domain::system_note::SystemNoteKind;

use crate::core::links::Links;
use crate::policy::authorization::AuthorizedProject;

/// The digits of a commit that pages show.
const SHORT: usize = 8;

/// The text of a note of the server in which commits are short, and links to their pages. `home` is the project of the
/// issue or merge request.
pub(super) fn with_commit_links<'b>(links: &Links, home: &AuthorizedProject, body: &'b str) -> Cow<'b, str> {
    let page = |path: &str| links.page(path);
    linked(body, &home.full_path(), &|name: &str| home.namespace.path_of(name), &page)
}

/// As [`with_commit_links`]; `beside` is the path of a project of this name in the same namespace.
fn linked<'b>(
    body: &'b str,
    home: &str,
    beside: &dyn Fn(&str) -> String,
    page: &dyn Fn(&str) -> String,
) -> Cow<'b, str> {
    if let Some((before, rest)) = SystemNoteKind::commit_in(body) {
        let (name, behind) = rest.split_at(rest.find(' ').unwrap_or(rest.len()));
        let (project, sha) = name.split_once('@').unwrap_or(("", name));
        let path = match project {
            "" => home.to_owned(),
            path if path.contains('/') => path.to_owned(),
            name => beside(name),
        };
        return match short(sha) {
            Some(short) if sha.len() >= 40 => {
                let at = if project.is_empty() { String::new() } else { format!("{project}@") };
                Cow::Owned(format!("{before}[`{at}{short}`]({}/-/commit/{sha}){behind}", page(&path)))
            }
            _ => Cow::Borrowed(body),
        };
    }
    if !SystemNoteKind::lists_commits(body) {
        return Cow::Borrowed(body);
    }
    let line = |line: &str| {
        let listed = line.strip_prefix("* ").and_then(|item| item.split_once(" - "));
        match listed.and_then(|(sha, title)| Some((short(sha)?, sha, title))) {
            Some((short, sha, title)) => format!("* [`{short}`]({}/-/commit/{sha}) {title}", page(home)),
            None => line.to_owned(),
        }
    };
    Cow::Owned(body.lines().map(line).collect::<Vec<_>>().join("\n"))
}

/// The first digits of a name of a commit. None if it is no such name.
fn short(sha: &str) -> Option<&str> {
    let is_sha = sha.len() >= 7 && sha.len() <= 64 && sha.bytes().all(|byte| byte.is_ascii_hexdigit());
    sha.get(..sha.len().min(SHORT)).filter(|_| is_sha)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_are_short_and_links() {
        let sha = "a3991f9673967d9d263a61ab2eca994642674b25";
        let shown = |body: &str| {
            linked(body, "acme/bat", &|name| format!("acme/{name}"), &|path| format!("/{path}")).into_owned()
        };
        for (body, want) in [
            (format!("mentioned in commit {sha}"), format!("mentioned in commit [`a3991f96`](/acme/bat/-/commit/{sha})")),
            (
                format!("closed via commit cat@{sha}"),
                format!("closed via commit [`cat@a3991f96`](/acme/cat/-/commit/{sha})"),
            ),
            (
                format!("mentioned in commit a/b/c@{sha}"),
                format!("mentioned in commit [`a/b/c@a3991f96`](/a/b/c/-/commit/{sha})"),
            ),
            (
                format!("enabled an automatic merge when the pipeline for {sha} succeeds"),
                format!(
                    "enabled an automatic merge when the pipeline for [`a3991f96`](/acme/bat/-/commit/{sha}) succeeds"
                ),
            ),
            (
                "added 2 commits\n\n* a3991f96 - Oil - it\n* 1 commit from branch `main`".to_owned(),
                "added 2 commits\n\n* [`a3991f96`](/acme/bat/-/commit/a3991f96) Oil - it\n* 1 commit from branch `main`"
                    .to_owned(),
            ),
        ] {
            assert_eq!(shown(&body), want);
        }
        for same in ["mentioned in commit x", "mentioned in issue #4", "added 2h of time spent", "closed", "added \n"] {
            assert_eq!(shown(same), same);
        }
    }
}
