//! Totals of the scopes of a search, for the script. The page itself counts only the scope that it shows.

use serde_json::{Map, Value};
use tenon_app::search;

use super::show::{Named, SearchRequest, admit, is_counted, place};
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;

/// An object with the total of each scope that the address names (`scope[]`), or of all scopes of the place. Scopes
/// that the caller may not read, or that need Git, are left out. 404 if the place does not have a scope, or if the
/// caller may not see the place.
pub(super) async fn show(context: RequestContext) -> Result<Answer, PageError> {
    let asked = SearchRequest::of(&context);
    let of = asked.within.clone();
    let is_stranger = context.ask(move |query| place(query, of).map(|_| query.user().is_err())).await?;
    admit(&context, is_stranger)?;
    let offered = asked.offered(is_stranger);
    let chosen = context.parameters().list("scope");
    if chosen.iter().any(|name| !offered.iter().any(|known| known.0 == name)) {
        return Err(PageError::NotFound);
    }
    let is_chosen = |known: &Named| chosen.is_empty() || chosen.iter().any(|name| known.0 == name);
    let is_wanted = |known: &&Named| is_counted(known.2) && is_chosen(known);
    let wanted: Vec<&Named> = offered.iter().filter(is_wanted).collect();
    let mut counts = Map::new();
    if !asked.text.is_empty() && !wanted.is_empty() {
        let scopes = wanted.iter().map(|known| known.2).collect();
        let totals = search::totals(context.app(), context.identity(), asked.within, scopes, asked.text).await?;
        for (scope, total) in totals {
            let names = wanted.iter().filter(|known| known.2 == scope).map(|known| known.0.to_owned());
            counts.extend(names.map(|name| (name, Value::from(total))));
        }
    }
    Ok(Answer::json(&Value::Object(counts)))
}
