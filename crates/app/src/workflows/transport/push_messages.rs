//! The messages that Git prints to the pusher after a push.

use std::collections::HashMap;

use tenon_domain::id::ProjectId;
use tenon_domain::issuable::IssuableKind;
use tenon_domain::project::Project;
use tenon_domain::project::setting::MERGE_REQUESTS;
use tenon_git::RepositoryKind;
use tenon_storage::issuable::{IssuableSet, VisibleIssuables};
use tenon_storage::{broadcast_message, merge_request, project, user};

use crate::core::app::App;
use crate::core::authentication::viewer_without_session;
use crate::core::error::AppError;
use crate::core::push_sessions::PushSession;
use crate::core::ref_update::RefUpdate;

/// Of a push, the most branches that are spoken of.
const MAX_BRANCHES: usize = 10;
/// The most open merge requests of these branches that are read.
const MAX_REQUESTS: i64 = 100;

impl App {
    /// The lines for the client of a push that has moved these refs.
    pub(crate) fn push_messages(&self, push: &PushSession, moved: &[RefUpdate]) -> Result<Vec<String>, AppError> {
        let now = self.now();
        let (placed, shown) = self.parts().database.read(|tx| -> Result<_, AppError> {
            Ok((project::find_placed(tx, push.project)?, broadcast_message::shown(tx, now)?))
        })?;
        let Some(placed) = placed else { return Ok(Vec::new()) };
        let path = placed.home.path_of(&placed.project.path);
        let mut lines = Vec::new();
        // One is enough for a terminal: the newest.
        if let Some(message) = shown.iter().rfind(|message| message.is_meant_for(&path)) {
            lines.extend(banner(&message.message));
        }
        let of_wiki = match push.kind {
            RepositoryKind::Code => "",
            RepositoryKind::Wiki => ".wiki",
        };
        if let Some(old) = &push.former_path {
            lines.extend([
                String::new(),
                format!("Project '{old}' was moved to '{path}{of_wiki}'."),
                String::new(),
                "Please update your Git remote:".to_owned(),
                String::new(),
                format!("  git remote set-url origin {}", self.links().git(push.over, &format!("{path}{of_wiki}"))),
                String::new(),
            ]);
        }
        if push.kind == RepositoryKind::Wiki {
            return Ok(lines);
        }
        if self.push_sessions().take_new(push) {
            lines.extend([
                String::new(),
                format!("The private project {path} was successfully created."),
                String::new(),
                "To configure the remote, run:".to_owned(),
                format!("  git remote add origin {}", self.links().git(push.over, &path)),
                String::new(),
                "To view the project, visit:".to_owned(),
                format!("  {}", self.links().page(&path)),
                String::new(),
            ]);
        }
        let branches = offered(&placed.project, moved);
        let branches: Vec<&str> = branches.into_iter().take(MAX_BRANCHES).collect();
        let open = self.open_from(push, &branches)?;
        for branch in branches {
            let (text, page) = if let Some(page) = open.get(branch) {
                (format!("View merge request for {branch}:"), page.clone())
            } else {
                let page = self.links().new_merge_request(&path, branch);
                (format!("To create a merge request for {branch}, visit:"), page)
            };
            lines.extend([String::new(), text, format!("  {page}"), String::new()]);
        }
        Ok(lines)
    }

    /// The page of the first open merge request from each branch that the pusher may see.
    fn open_from(&self, push: &PushSession, branches: &[&str]) -> Result<HashMap<String, String>, AppError> {
        let today = self.now().date_naive();
        self.parts().database.read(|tx| {
            let requests = merge_request::offered(tx, push.project, branches, MAX_REQUESTS)?;
            let user = match push.pusher.user().filter(|_| !requests.is_empty()) {
                Some(user) => user::find(tx, user)?,
                None => None,
            };
            let Some(user) = user else { return Ok(HashMap::new()) };
            let viewer = viewer_without_session(tx, &user)?;
            let targets: Vec<ProjectId> = requests.iter().map(|one| one.target).collect();
            let kind = IssuableKind::MergeRequest;
            let visible = VisibleIssuables::resolve(tx, kind, viewer, IssuableSet::All, today)?;
            let visible = visible.projects_among(&targets);
            let paths: HashMap<ProjectId, String> = project::by_ids(tx, &targets)?
                .into_iter()
                .filter(|target| visible.contains(&target.project.id.get()))
                .map(|target| (target.project.id, target.home.path_of(&target.project.path)))
                .collect();
            let mut pages = HashMap::new();
            for one in requests {
                if let Some(path) = paths.get(&one.target) {
                    let page = || self.links().issuable(IssuableKind::MergeRequest, path, one.iid);
                    pages.entry(one.branch).or_insert_with(page);
                }
            }
            Ok(pages)
        })
    }
}

/// The width of what Git prints, in a terminal of 80 characters behind its `remote: `.
const WIDTH: usize = 72;
/// Of a message to all users, the most lines that are printed.
const MAX_LINES: usize = 20;

/// A message to all users in the middle between two lines of `=`.
fn banner(message: &str) -> Vec<String> {
    let mut text = vec![String::new()];
    for word in message.split_whitespace() {
        let word: String = word.chars().filter(|c| !c.is_control()).take(WIDTH).collect();
        let length = word.chars().count();
        match text.last_mut() {
            Some(line) if line.is_empty() => *line = word,
            Some(line) if line.chars().count() + 1 + length <= WIDTH => {
                line.push(' ');
                line.push_str(&word);
            }
            Some(_) | None => text.push(word),
        }
    }
    let centred = |line: &String| {
        let before = WIDTH.saturating_sub(line.chars().count()) / 2;
        format!("{}{line}", " ".repeat(before))
    };
    let border = || "=".repeat(WIDTH);
    let mut lines = vec![String::new(), border(), String::new()];
    lines.extend(text.iter().take(MAX_LINES).map(centred));
    lines.extend([String::new(), border(), String::new()]);
    lines
}

/// The branches from which a merge request could be made.
fn offered<'a>(project: &Project, moved: &'a [RefUpdate]) -> Vec<&'a str> {
    let features = &project.features;
    if !features.printing_merge_request_link_enabled || !project.has(&MERGE_REQUESTS) {
        return Vec::new();
    }
    let pushed = moved.iter().filter(|one| !one.new.is_zero());
    let branches = pushed.filter_map(|one| one.name.strip_prefix("refs/heads/"));
    branches.filter(|name| project.default_branch.as_deref() != Some(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_stands_in_the_middle() {
        let border = "=".repeat(72);
        let spaces = " ".repeat(29);
        let line = format!("{spaces}Update tonight");
        let want = ["", border.as_str(), "", line.as_str(), "", border.as_str(), ""];
        assert_eq!(banner("Update\n\u{1b}tonight"), want);
        let long = banner(&"word ".repeat(1_000));
        assert_eq!(long.len(), 6 + MAX_LINES);
        assert!(long.iter().all(|line| line.chars().count() <= WIDTH));
    }
}
