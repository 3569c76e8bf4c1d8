//! Withdrawing tokens.

use tenon_auth::{Secret, digest};
use tenon_domain::event::EventKind;
use tenon_domain::oauth::{Application, ClientKind, Grant};
use tenon_storage::oauth::application;
use tenon_storage::oauth::grant::{self, Mark};
use tenon_storage::token;

use super::client::{ClientCredentials, authenticate};
use super::error::{OAuthError, Refusal};
use super::issue::{split, within};
use crate::core::app::{App, Command, Query};
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::core::spending::client::Client;

impl App {
    /// Ends the grant that an access or refresh token belongs to. One that is not known, or dead already, is as good as
    /// withdrawn.
    pub async fn revoke_token(&self, client: Option<ClientCredentials>, presented: Secret) -> Result<(), Refusal> {
        let look = {
            let (client, presented) = (client.clone(), presented.clone());
            move |query: &mut Query<'_>| Refusal::kept(to_be_ended(query, client.as_ref(), &presented))
        };
        let Some((grant, owner)) = self.read_credential(look).await?? else { return Ok(()) };
        let proved = grant.user.map(Client::User).or_else(|| owner.as_ref().map(Client::of_application));
        let work = move |command: &mut Command<'_>| {
            Refusal::kept(match to_be_ended(&mut command.query(), client.as_ref(), &presented) {
                Ok(Some((grant, _))) => end_grant(command, &grant).map_err(Refusal::from),
                Ok(None) => Ok(()),
                Err(refusal) => Err(refusal),
            })
        };
        Ok(self.used_by_proved(proved).write(&Identity::anonymous(), work).await??)
    }
}

/// The grant that a token belongs to, and whose grant it is, if the client may end it. A token of an application that can keep a secret needs that
/// secret; any other is ended by each client that has it, but not in the name of another application.
fn to_be_ended(
    query: &mut Query<'_>,
    client: Option<&ClientCredentials>,
    presented: &Secret,
) -> Result<Option<(Grant, Option<Application>)>, Refusal> {
    let client = client.map(|client| authenticate(&mut query.tx, client)).transpose()?;
    let Some(grant) = grant_of(query, presented)?.filter(|grant| !grant.revoked) else { return Ok(None) };
    let owner = grant.application.map(|id| application::find(&mut query.tx, id)).transpose()?.flatten();
    match (client, &owner) {
        (Some(client), Some(owner)) if client.id == owner.id => {}
        (None, Some(owner)) if owner.kind == ClientKind::Public => {}
        (None, None) => {}
        (Some(_), _) | (None, Some(_)) => return Err(OAuthError::NotYourToken.into()),
    }
    Ok(Some((grant, owner)))
}

fn grant_of(query: &mut Query<'_>, presented: &Secret) -> Result<Option<Grant>, AppError> {
    let whole = digest(presented.expose());
    if let Some((_, id)) = token::granted(&mut query.tx, &whole)? {
        return Ok(grant::find(&mut query.tx, id)?);
    }
    if let Some((found, _)) = grant::by_mark(&mut query.tx, Mark::Access(&whole))? {
        return Ok(Some(found));
    }
    // Also by a refresh token that was replaced: a client that has it has had the grant.
    let Some((family, _)) = split(presented.expose()) else { return Ok(None) };
    Ok(grant::by_mark(&mut query.tx, Mark::Family(&digest(family)))?.map(|(found, _)| found))
}

/// Ends a grant, with its tokens.
pub(super) fn end_grant(command: &mut Command<'_>, grant: &Grant) -> Result<(), AppError> {
    let now = command.now;
    // As long as its last access token could have worked.
    let until = now + within(command.app.limits().oauth.access_token);
    grant::revoke(&mut command.tx, grant.id, until)?;
    token::revoke_of_grant(&mut command.tx, grant.id, now)?;
    let mut event = command.event(EventKind::TokenRevoked);
    event.user = grant.user;
    command.append(&event)
}
