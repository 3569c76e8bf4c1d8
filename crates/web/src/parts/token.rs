//! Access tokens in a list, with the form that makes one. They are a user's own, or those with which administrators act
//! as a user.

use tenon_app::token::TokenView;
use tenon_domain::page::Page;
use tenon_domain::time::Date;
use tenon_domain::token::Scope;

use crate::kit::form::{Form, day as typed_day};
use crate::kit::pagination::Pagination;
use crate::kit::problems::Problems;
use crate::kit::words::{Moment, day};

/// The scopes that a person can choose, in words, and whether they are for tokens of administrators only. The others are for
/// machines and available over the API.
pub(crate) const SCOPES: [(Scope, &str, bool); 7] = [
    (Scope::Api, "Full access to the API and Git", false),
    (Scope::ReadApi, "Read-only access to the API", false),
    (Scope::ReadUser, "Read the user profile", false),
    (Scope::ReadRepository, "Read repositories (git clone and fetch)", false),
    (Scope::WriteRepository, "Write repositories (git push)", false),
    (Scope::Sudo, "Perform API actions as any user (administrators only)", true),
    (Scope::AdminMode, "Act as an administrator if admin mode is required (administrators only)", true),
];

/// The list and the form.
pub(crate) struct Tokens {
    /// The address to which forms are sent.
    pub(crate) address: String,
    /// The object of the fields of the form.
    pub(crate) object: &'static str,
    pub(crate) problems: Problems,
    pub(crate) typed: FormValues,
    pub(crate) scopes: Vec<ScopeBox>,
    /// The token that was just made. Shown once.
    pub(crate) secret: Option<String>,
    pub(crate) rows: Vec<Row>,
    pub(crate) pages: Pagination,
}

/// The result of a form.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) typed: FormValues,
    pub(crate) problems: Problems,
    /// The token that was made.
    pub(crate) made: Option<TokenView>,
}

/// The values of the form of a token.
#[derive(Debug, Clone, Default)]
pub(crate) struct FormValues {
    pub(crate) name: String,
    pub(crate) expires_at: String,
    pub(crate) scopes: Vec<Scope>,
}

pub(crate) struct ScopeBox {
    pub(crate) name: &'static str,
    pub(crate) words: &'static str,
    pub(crate) ticked: bool,
}

pub(crate) struct Row {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) scopes: String,
    pub(crate) created: Moment,
    pub(crate) used: Option<Moment>,
    pub(crate) expires: Option<String>,
}

impl FormValues {
    pub(crate) fn sent(form: Form<'_>, object: &str) -> Self {
        Self {
            name: form.filled(object, "name").unwrap_or_default(),
            expires_at: form.filled(object, "expires_at").unwrap_or_default(),
            scopes: form.list(object, "scopes").into_iter().filter_map(Scope::parse).collect(),
        }
    }

    /// The day on which it expires. A sentence if the typed text is no day.
    pub(crate) fn day(&self) -> Result<Option<Date>, Problems> {
        typed_day(&self.expires_at, "expires_at", "Expiration date must be a date such as 2027-01-31")
    }
}

impl Tokens {
    /// The tokens of a user, who is an administrator or not.
    pub(crate) fn new(
        address: String,
        object: &'static str,
        is_admin: bool,
        found: Page<TokenView>,
        outcome: Outcome,
    ) -> Self {
        let Outcome { typed, problems, made } = outcome;
        let offered = SCOPES.into_iter().filter(|(_, _, for_admins)| is_admin || !for_admins);
        let scope = |(scope, words, _): (Scope, &'static str, bool)| {
            let ticked = typed.scopes.contains(&scope);
            ScopeBox { name: scope.as_str(), words, ticked }
        };
        Self {
            scopes: offered.map(scope).collect(),
            pages: Pagination::of(&found),
            rows: found.items.into_iter().map(row).collect(),
            secret: made.and_then(|view| view.secret).map(|secret| secret.expose().to_owned()),
            address,
            object,
            problems,
            typed,
        }
    }
}

fn row(view: TokenView) -> Row {
    let token = view.token;
    Row {
        id: token.id.get(),
        name: token.name,
        scopes: token.scopes.iter().map(Scope::as_str).collect::<Vec<_>>().join(", "),
        created: token.created_at.into(),
        used: token.last_used_at.map(Moment::from),
        expires: token.expires_at.map(day),
    }
}
