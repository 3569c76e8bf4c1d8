//! Parts that the deploy tokens of projects and those of groups have in common: the list and the form.

use tenon_app::deploy_token::{CreateDeployToken, DeployTokenView};
use tenon_domain::deploy_token::DeployScope;
use tenon_domain::page::Page;

use crate::kit::form::{Form, day as typed_day};
use crate::kit::pagination::Pagination;
use crate::kit::problems::Problems;
use crate::kit::words::{Moment, day};

const FORM: &str = "deploy_token";

/// A token of a list.
pub(crate) struct Row {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) username: String,
    pub(crate) scopes: String,
    pub(crate) created: Moment,
    /// The last day on which it works.
    pub(crate) expires: Option<String>,
    pub(crate) is_expired: bool,
}

/// The values of the form of a token.
#[derive(Default)]
pub(crate) struct FormValues {
    pub(crate) name: String,
    pub(crate) username: String,
    pub(crate) expires_at: String,
}

/// The result of a form.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) typed: FormValues,
    pub(crate) problems: Problems,
    /// The token that was made.
    pub(crate) made: Option<DeployTokenView>,
}

/// The list and the form.
pub(crate) struct Listed {
    /// The address to which forms are sent.
    pub(crate) href: String,
    pub(crate) rows: Vec<Row>,
    pub(crate) pages: Pagination,
    /// True if the caller may make and revoke tokens.
    pub(crate) may_change: bool,
    pub(crate) typed: FormValues,
    pub(crate) problems: Problems,
    /// The user name and the secret of the token that was just made. Shown once.
    pub(crate) made: Option<(String, String)>,
}

impl Listed {
    pub(crate) fn new(href: String, may_change: bool, found: Page<DeployTokenView>, outcome: Outcome) -> Self {
        let made = outcome.made.and_then(|view| Some((view.token.username(), view.secret?.expose().to_owned())));
        let pages = Pagination::of(&found).at(&href);
        let rows = found.items.into_iter().map(row).collect();
        Self { rows, pages, may_change, typed: outcome.typed, problems: outcome.problems, made, href }
    }
}

fn row(view: DeployTokenView) -> Row {
    let token = view.token;
    Row {
        id: token.id.get(),
        username: token.username(),
        name: token.name,
        scopes: token.scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(", "),
        created: token.created_at.into(),
        expires: token.expires_at.map(day),
        is_expired: view.expired,
    }
}

impl FormValues {
    pub(crate) fn sent(form: Form<'_>) -> Self {
        Self {
            name: form.filled(FORM, "name").unwrap_or_default(),
            username: form.filled(FORM, "username").unwrap_or_default(),
            expires_at: form.filled(FORM, "expires_at").unwrap_or_default(),
        }
    }

    /// The token that the form asks for. A sentence if the typed day is none.
    pub(crate) fn created(&self) -> Result<CreateDeployToken, Problems> {
        let wrong = "Expiration date must be a date such as 2027-01-31";
        Ok(CreateDeployToken {
            name: self.name.clone(),
            scopes: vec![DeployScope::ReadRepository],
            expires_at: typed_day(&self.expires_at, "expires_at", wrong)?,
            username: Some(self.username.clone()),
        })
    }
}
