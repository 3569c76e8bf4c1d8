//! The users behind the addresses in commits.

use std::collections::HashMap;

use tenon_domain::access::Decision;
use tenon_domain::user::{self, UserAction, normalise_email};
use tenon_domain::visibility::Visibility;
use tenon_storage::user as stored;

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::shared::views::user_ref::UserRef;

/// No account has a longer address, in bytes.
const LONGEST: usize = 1_000;

/// The users to whom these addresses of commits belong, by the addresses as they were given. Addresses that their users do
/// not show to the caller are left out, like those that no account has confirmed.
pub fn committers(query: &mut Query<'_>, addresses: Vec<String>) -> Result<HashMap<String, UserRef>, AppError> {
    let (viewer, settings) = (query.viewer(), query.settings()?);
    if user::decide(viewer, settings.restricts(Visibility::Public), UserAction::Read) != Decision::Allow {
        return Ok(HashMap::new());
    }
    let is_possible = |address: &String| address.len() <= LONGEST && !address.contains('\0');
    let given: Vec<(String, String)> = addresses
        .into_iter()
        .filter(is_possible)
        .map(|address| (normalise_email(&address), address))
        .filter(|(normal, _)| !normal.is_empty())
        .collect();
    let mut asked: Vec<String> = given.iter().map(|(normal, _)| normal.clone()).collect();
    asked.sort_unstable();
    asked.dedup();
    let found = stored::by_confirmed_emails(&mut query.tx, &asked)?;
    let links = query.app.links();
    let shown = |(normal, address): (String, String)| {
        let found = found.get(&normal)?;
        let is_shown = user::sees(viewer, found) == Decision::Allow && user::sees_address(viewer, found, &normal);
        is_shown.then(|| (address, UserRef::new(links, &settings, found.basic())))
    };
    Ok(given.into_iter().filter_map(shown).collect())
}
