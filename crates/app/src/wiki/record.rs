//! Records of the database about changes of wikis, and the events that follow from them.

use serde_json::json;
use tenon_domain::hook::Trigger;
use tenon_domain::id::{ProjectId, UserId};
use tenon_git::{BranchName, Repository, RepositoryKind};
use tenon_storage::{issuable, project};

use super::page::{PageView, read};
use super::pages::all;
use crate::core::app::{App, Command};
use crate::core::error::AppError;
use crate::core::ref_update::RefUpdate;
use crate::jobs::enqueue;
use crate::repository::refresh::RefreshRepository;
use crate::shared::hook_event::captured::{Captured, fields};
use crate::shared::hook_event::record::record;

/// The change of a page.
pub(super) struct PageChange<'c> {
    pub(super) page: &'c PageView,
    pub(super) message: &'c str,
    /// The branch of the pages.
    pub(super) branch: &'c str,
    /// The word for what was done with it: `create`, `update` or `delete`.
    pub(super) action: &'static str,
}

impl App {
    /// Records that a push has moved refs of a wiki: the project was active, and the size is another one. If clones began at a
    /// branch that is not there, they begin at one that was pushed from now on.
    pub(crate) fn handle_wiki_push(
        &self,
        project: ProjectId,
        actor: Option<UserId>,
        moved: &[RefUpdate],
    ) -> Result<(), AppError> {
        let repository = self.repositories().store.find(project, RepositoryKind::Wiki);
        let created = moved.iter().filter(|one| !one.new.is_zero());
        lead_head(&repository, created.filter_map(|one| one.name.strip_prefix("refs/heads/")))?;
        self.record_wiki_change(project, actor, None)
    }

    /// Records that a wiki was changed, and the event of the page, if it was changed over the API or a form.
    pub(super) fn record_wiki_change(
        &self,
        id: ProjectId,
        actor: Option<UserId>,
        change: Option<PageChange<'_>>,
    ) -> Result<(), AppError> {
        self.command(|command| {
            if project::find(&mut command.tx, id)?.is_none() {
                return Ok(());
            }
            let now = command.now;
            issuable::touch_project(&mut command.tx, id, now)?;
            command.charged_to(actor, |command| enqueue(command, &RefreshRepository { project: id.get() }))?;
            match change {
                Some(change) => record_page(command, id, actor, &change),
                None => Ok(()),
            }
        })
    }
}

/// Lets clones begin at one of these branches if they began at none.
fn lead_head<'n>(repository: &Repository, created: impl Iterator<Item = &'n str>) -> Result<(), AppError> {
    let head = repository.default_branch()?;
    let is_there = match &head {
        Some(branch) => repository.ref_target(&branch.full())?.is_some(),
        None => false,
    };
    if is_there {
        return Ok(());
    }
    let created: Vec<&str> = created.collect();
    let usual = ["main", "master"].into_iter().find(|name| created.contains(name));
    if let Some(branch) = usual.or_else(|| created.first().copied()).and_then(|name| BranchName::parse(name).ok()) {
        repository.set_default_branch(&branch)?;
    }
    Ok(())
}

fn record_page(
    command: &mut Command<'_>,
    project: ProjectId,
    actor: Option<UserId>,
    change: &PageChange<'_>,
) -> Result<(), AppError> {
    record(command, Some(project), Trigger::WikiPage, actor, |_command| Ok(captured(change)))
}

fn captured(change: &PageChange<'_>) -> Captured {
    let PageChange { page, message, branch, action } = *change;
    let attributes = json!({
        "action": action,
        "content": page.content.as_deref().unwrap_or_default(),
        "format": page.format.as_str(),
        "message": message,
        "slug": page.slug,
        "title": page.title,
    });
    Captured::WikiPage { attributes: fields(attributes), branch: branch.to_owned() }
}

/// The first page of the wiki of a project, as an event has it, for a test of a hook. Blocks: asks Git.
pub(crate) fn sample_page(app: &App, project: ProjectId) -> Result<Option<Captured>, AppError> {
    let repository = app.repositories().store.find(project, RepositoryKind::Wiki);
    if !repository.exists() {
        return Ok(None);
    }
    let Some(branch) = repository.default_branch()? else { return Ok(None) };
    let Some(tip) = repository.ref_target(&branch.full())? else { return Ok(None) };
    let Some(file) = all(&repository, tip)?.into_iter().next() else { return Ok(None) };
    let page = read(&repository, tip, file)?;
    let change = PageChange { page: &page, message: "", branch: branch.as_str(), action: "create" };
    Ok(Some(captured(&change)))
}
