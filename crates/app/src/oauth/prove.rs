//! Whose budgets a request for tokens counts against: what it presents is looked up before anything else is done for it.

use tenon_auth::digest;
use tenon_domain::id::UserId;
use tenon_storage::oauth::grant::{self, Mark};

use super::exchange::GrantRequest;
use super::issue::split;
use crate::core::app::App;
use crate::core::error::AppError;

impl App {
    /// The same application, used by the user whose grant a code or a refresh token belongs to. It stays that of the network for
    /// what proves no user.
    pub(super) async fn used_by_owner(&self, request: &GrantRequest) -> Self {
        if !self.client().is_anonymous() {
            return self.clone();
        }
        let (app, request) = (self.clone(), request.clone());
        let owner = self.on_credentials(move || app.owner(&request)).await;
        self.used_by_user(owner.unwrap_or_else(|reason| {
            tracing::trace!(%reason, "a grant was not looked up");
            None
        }))
    }

    fn owner(&self, request: &GrantRequest) -> Result<Option<UserId>, AppError> {
        let (code, family) = match request {
            GrantRequest::Code { code, .. } => (Some(digest(code.expose())), None),
            GrantRequest::Refresh(token) => (None, split(token.expose()).map(|(family, _)| digest(family))),
            GrantRequest::Password { .. } | GrantRequest::Client | GrantRequest::Device(_) => (None, None),
        };
        let code = code.as_deref().map(Mark::Code);
        let Some(mark) = code.or(family.as_deref().map(Mark::Family)) else { return Ok(None) };
        let found = self.parts().database.read_credential(|tx| grant::by_mark(tx, mark).map_err(AppError::from))?;
        Ok(found.filter(|(grant, _)| grant.is_active(self.now())).and_then(|(grant, _)| grant.user))
    }
}
