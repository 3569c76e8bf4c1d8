//! Merges that were under way when the server stopped: finished if the branch has moved, given up if it has not.

use tenon_domain::merge_request::MergeIntent;
use tenon_storage::{issuable, merge_request, project};

use super::accept::give_up;
use super::mergeability::oid;
use crate::core::app::{App, By};
use crate::core::error::AppError;

/// A merge that was begun this long ago is not under way any more, in seconds.
const ABANDONED: i64 = 600;

impl App {
    /// Recovers all merges that are not under way any more, and returns how many those were. At the start of a process
    /// that is `alone`, none is under way. Idempotent. Blocks: asks Git.
    pub fn recover_merges(&self, alone: bool) -> Result<usize, AppError> {
        let mut intents = self.parts().database.read(|tx| merge_request::intents(tx).map_err(AppError::from))?;
        let now = self.now();
        intents.retain(|intent| alone || (now - intent.at).num_seconds() > ABANDONED);
        for intent in &intents {
            if let Err(error) = self.recover_one(intent) {
                let error: &dyn std::error::Error = &error;
                tracing::error!(merge_request = %intent.of, error, "a merge that was cut off cannot be dealt with");
            }
        }
        Ok(intents.len())
    }

    fn recover_one(&self, intent: &MergeIntent) -> Result<(), AppError> {
        let found = self.parts().database.read(|tx| -> Result<_, AppError> {
            let Some(of) = issuable::by_ids(tx, &[intent.of])?.pop() else { return Ok(None) };
            let (request, target) = (merge_request::find(tx, intent.of)?, project::find(tx, of.project)?);
            Ok(request.zip(target))
        })?;
        let has_moved = match &found {
            None => false,
            Some((request, target)) => {
                let repositories = self.merge_repositories(target, request);
                let made = oid(&intent.tip)?;
                match repositories.target_tip(request)? {
                    Some(tip) => {
                        repositories.target.commit(made)?.is_some() && repositories.target.is_ancestor(made, tip)?
                    }
                    None => false,
                }
            }
        };
        if has_moved {
            self.finish(intent)?;
            // Everything else about the refs is left to their reconciler.
            if let Some((request, target)) = &found {
                self.reconcile_refs(target.id)?;
                if intent.remove_source_branch {
                    self.remove_source(request, intent.by, oid(&intent.source)?);
                }
            }
            return Ok(());
        }
        self.as_actor(By::User(intent.by), |command| give_up(command, intent.of))
    }
}
