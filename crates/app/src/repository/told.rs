//! What the pusher reads on the terminal after a push (reference: repository-git-webhooks, sections 2.7 and 5.6).

use tenon_domain::project::Project;
use tenon_storage::project;

use super::pushes::Push;
use super::received::Moved;
use crate::app::App;
use crate::error::AppError;

/// Of a push, the most branches that are spoken of.
const MAX_BRANCHES: usize = 10;

impl App {
    /// The lines for the client of a push that has moved these refs.
    pub(super) fn told_to_pusher(&self, push: &Push, moved: &[Moved]) -> Result<Vec<String>, AppError> {
        let placed = self.parts().database.read(|tx| project::find_placed(tx, push.project))?;
        let Some(placed) = placed else { return Ok(Vec::new()) };
        let path = placed.home.path_of(&placed.project.path);
        let mut lines = Vec::new();
        if let Some(old) = &push.former_path {
            lines.extend([
                String::new(),
                format!("Project '{old}' was moved to '{path}'."),
                String::new(),
                "Please update your Git remote:".to_owned(),
                String::new(),
                format!("  git remote set-url origin {}", self.links().git_http(&path)),
                String::new(),
            ]);
        }
        let branches = offered(&placed.project, moved);
        for branch in branches.iter().take(MAX_BRANCHES) {
            lines.extend([
                String::new(),
                format!("To create a merge request for {branch}, visit:"),
                format!("  {}", self.links().new_merge_request(&path, branch)),
                String::new(),
            ]);
        }
        Ok(lines)
    }
}

/// The branches from which a merge request could be made.
fn offered<'a>(project: &Project, moved: &'a [Moved]) -> Vec<&'a str> {
    let features = &project.features;
    if !features.printing_merge_request_link_enabled || !features.merge_requests_enabled {
        return Vec::new();
    }
    let pushed = moved.iter().filter(|one| !one.new.is_zero());
    let branches = pushed.filter_map(|one| one.name.strip_prefix("refs/heads/"));
    branches.filter(|name| project.default_branch.as_deref() != Some(name)).collect()
}
