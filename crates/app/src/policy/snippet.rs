//! From an id to a snippet, the caller's standing, and the verdict: in one step.

use tenon_domain::access::Decision;
use tenon_domain::id::{ProjectId, SnippetId};
use tenon_domain::project::ProjectAction;
use tenon_domain::snippet::{Snippet, SnippetAction, decide_in_project, decide_personal};
use tenon_domain::visibility::Visibility;
use tenon_storage::snippet;

use crate::core::app::Query;
use crate::core::error::{AppError, Judge, Missing};
use crate::policy::authorization::{AuthorizedProject, facts};
use crate::policy::reference::Reference;

/// Which snippet a request names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnippetReference {
    /// The project whose snippet it has to be; `None` for any.
    pub project: Option<Reference>,
    /// Its id.
    pub id: SnippetId,
}

/// A snippet that the caller may use in the asked way.
pub(crate) struct AuthorizedSnippet {
    pub(crate) snippet: Snippet,
    /// The project that it belongs to.
    pub(crate) home: Option<AuthorizedProject>,
    /// True if the caller has made it.
    pub(crate) own: bool,
}

impl AuthorizedSnippet {
    /// True if the caller may also do `action`.
    pub(crate) fn may(&self, query: &Query<'_>, action: SnippetAction) -> bool {
        self.decide(query, action) == Decision::Allow
    }

    fn decide(&self, query: &Query<'_>, action: SnippetAction) -> Decision {
        match &self.home {
            None => decide_personal(query.viewer(), self.own, self.snippet.visibility, action),
            Some(home) => {
                let visibility = self.snippet.visibility;
                decide_in_project(&home.standing, facts(&home.project), self.own, visibility, action)
            }
        }
    }
}

impl Query<'_> {
    /// The snippet of that id, if the caller may do `action` with it. A hidden one is missing, and called `missing`. One that is
    /// named without its project is changed by its author, and if it is one of a project by administrators.
    pub(crate) fn snippet(
        &mut self,
        of: &SnippetReference,
        action: SnippetAction,
        missing: Missing,
    ) -> Result<AuthorizedSnippet, AppError> {
        let named = match &of.project {
            Some(reference) => Some(self.project(reference, ProjectAction::Read)?),
            None => None,
        };
        let found = snippet::find(&mut self.tx, of.id)?;
        let found = found.filter(|found| named.as_ref().is_none_or(|home| found.project == Some(home.project.id)));
        let Some(snippet) = found else { return Err(AppError::NotFound(missing)) };
        let home = match (named, snippet.project) {
            (Some(home), _) => Some(home),
            (None, None) => None,
            (None, Some(id)) => match self.project_with_standing(&Reference::Id(id.get()))? {
                Some(home) => Some(home),
                None => return Err(AppError::NotFound(missing)),
            },
        };
        let own = self.viewer().user() == Some(snippet.author);
        if of.project.is_none() && action == SnippetAction::Edit && !own && !self.is_admin() {
            return Err(AppError::NotFound(missing));
        }
        let found = AuthorizedSnippet { snippet, home, own };
        found.decide(self, action).judge(missing)?;
        Ok(found)
    }

    /// The project in which the caller may make a snippet; `None` for one of the caller alone, which external users and accounts of
    /// access tokens may not have.
    pub(crate) fn snippet_home(&mut self, project: Option<&Reference>) -> Result<Option<ProjectId>, AppError> {
        let Some(reference) = project else {
            let may = self.user()?.is_person() && self.viewer().sees(Visibility::Internal);
            return if may { Ok(None) } else { Err(AppError::Forbidden) };
        };
        let found = self.project(reference, ProjectAction::Read)?;
        found.judge(ProjectAction::CreateSnippet)?;
        Ok(Some(found.project.id))
    }
}
