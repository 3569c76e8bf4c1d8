//! Parts that the access tokens of projects and those of groups have in common: the list and the form.

use tenon_app::access_token::{AccessTokenView, AccessTokensPage, CreateAccessToken};
use tenon_app::token::{ListTokens, TokenOrder};
use tenon_domain::access::AccessLevel;
use tenon_domain::container::Container;
use tenon_domain::page::PageRequest;
use tenon_domain::token::Scope;

use crate::kit::choice::Choice;
use crate::kit::form::{Form, day as typed_day};
use crate::kit::pagination::Pagination;
use crate::kit::problems::Problems;
use crate::kit::words::{Moment, day};
use crate::parts::token::{SCOPES, ScopeBox};

const FORM: &str = "access_token";

/// A token of a list.
pub(crate) struct Row {
    pub(crate) id: i64,
    pub(crate) name: String,
    /// The role of its account.
    pub(crate) level: &'static str,
    pub(crate) scopes: String,
    pub(crate) created: Moment,
    pub(crate) used: Option<Moment>,
    pub(crate) expires: Option<String>,
}

/// The values of the form of a token.
#[derive(Debug, Clone, Default)]
pub(crate) struct FormValues {
    pub(crate) name: String,
    pub(crate) expires_at: String,
    level: Option<AccessLevel>,
    scopes: Vec<Scope>,
}

/// The result of a form.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) typed: FormValues,
    pub(crate) problems: Problems,
    /// The token that was made.
    pub(crate) made: Option<AccessTokenView>,
}

/// The list and the form.
pub(crate) struct Listed {
    /// The address to which forms are sent.
    pub(crate) href: String,
    /// The word for what the tokens open.
    pub(crate) home: &'static str,
    pub(crate) rows: Vec<Row>,
    pub(crate) pages: Pagination,
    /// True if tokens may be made here.
    pub(crate) may_create: bool,
    pub(crate) typed: FormValues,
    pub(crate) levels: Vec<Choice>,
    pub(crate) scopes: Vec<ScopeBox>,
    pub(crate) problems: Problems,
    /// The secret of the token that was just made. Shown once.
    pub(crate) secret: Option<String>,
}

/// The tokens that the page shows: those that work, the newest first.
pub(crate) fn shown(page: PageRequest) -> ListTokens {
    ListTokens { active: Some(true), order_by: TokenOrder::CreatedAt, descending: true, page, ..ListTokens::default() }
}

impl Listed {
    pub(crate) fn new(href: String, found: AccessTokensPage, outcome: Outcome) -> Self {
        let AccessTokensPage { tokens, home, may_create } = found;
        let Outcome { typed, problems, made } = outcome;
        let now = typed.level.unwrap_or(AccessLevel::Guest);
        let levels = AccessLevel::ALL.into_iter().filter(|level| *level <= home.highest_level());
        let level = |level: AccessLevel| Choice::new(&level.value().to_string(), level.name(), level == now);
        let offered = SCOPES.into_iter().filter(|(scope, _, _)| Scope::OF_BOTS.contains(scope));
        let scope = |(scope, words, _): (Scope, &'static str, bool)| {
            let ticked = typed.scopes.contains(&scope);
            ScopeBox { name: scope.as_str(), words, ticked }
        };
        Self {
            levels: levels.map(level).collect(),
            scopes: offered.map(scope).collect(),
            pages: Pagination::of(&tokens).at(&href),
            rows: tokens.items.into_iter().map(row).collect(),
            secret: made.and_then(|view| view.token.secret).map(|secret| secret.expose().to_owned()),
            home: match home {
                Container::Project(_) => "project",
                Container::Group(_) => "group",
            },
            may_create,
            typed,
            problems,
            href,
        }
    }
}

fn row(view: AccessTokenView) -> Row {
    let token = view.token.token;
    Row {
        id: token.id.get(),
        name: token.name,
        level: view.level.map_or("No role", AccessLevel::name),
        scopes: token.scopes.iter().map(Scope::as_str).collect::<Vec<_>>().join(", "),
        created: token.created_at.into(),
        used: token.last_used_at.map(Moment::from),
        expires: token.expires_at.map(day),
    }
}

impl FormValues {
    pub(crate) fn sent(form: Form<'_>) -> Self {
        let level = form.filled(FORM, "access_level").and_then(|text| text.parse().ok());
        Self {
            name: form.filled(FORM, "name").unwrap_or_default(),
            expires_at: form.filled(FORM, "expires_at").unwrap_or_default(),
            level: level.and_then(AccessLevel::from_value),
            scopes: form.list(FORM, "scopes").into_iter().filter_map(Scope::parse).collect(),
        }
    }

    /// The token that the form asks for. A sentence if the typed day is none.
    pub(crate) fn created(&self) -> Result<CreateAccessToken, Problems> {
        let wrong = "Expiration date must be a date such as 2027-01-31";
        Ok(CreateAccessToken {
            name: self.name.clone(),
            description: None,
            scopes: self.scopes.clone(),
            level: self.level,
            expires_at: typed_day(&self.expires_at, "expires_at", wrong)?,
        })
    }
}
