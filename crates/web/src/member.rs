//! The members of a project or group: those of its own, and those of groups above and of shares.

use tenon_app::error::{AppError, Missing};
use tenon_app::member::{self, AddMembers, EditMember, MemberView, MembersPage, NewMembers};
use tenon_app::{Command, ContainerReference, Query};
use tenon_domain::access::AccessLevel;
use tenon_domain::container::Container;
use tenon_domain::id::UserId;
use tenon_domain::patch::Patch;
use tenon_domain::time::Date;

use crate::form::{Form, Problems};
use crate::frame::Frame;
use crate::issuable::form::{day as typed_day, patch};
use crate::issuable::list::Choice;
use crate::issuable::parts::PersonLink;
use crate::pagination::{Pagination, chosen};
use crate::parameters::Parameters;
use crate::place::in_query;
use crate::visit::Visit;
use crate::words::day;

/// The most users that one form adds.
const MOST: usize = 100;

/// What the page is made of.
pub(crate) struct Found(MembersPage);

/// Members in two lists, and the form that adds some.
pub(crate) struct Members {
    pub(crate) direct: Vec<Row>,
    pub(crate) others: Vec<Row>,
    pub(crate) others_total: i64,
    pub(crate) pages: Pagination,
    pub(crate) search: String,
    /// Where forms go.
    pub(crate) address: String,
    /// The object whose fields the form of a member has.
    pub(crate) object: &'static str,
    pub(crate) levels: Vec<Choice>,
    pub(crate) may_manage: bool,
    /// Whether the caller is one of the direct members.
    pub(crate) may_leave: bool,
    pub(crate) typed: Typed,
    pub(crate) problems: Problems,
}

/// A member.
pub(crate) struct Row {
    pub(crate) id: i64,
    pub(crate) person: PersonLink,
    pub(crate) level: &'static str,
    pub(crate) levels: Vec<Choice>,
    /// The first day on which it no longer counts: for a field, and in words.
    pub(crate) expires: String,
    pub(crate) expires_words: Option<String>,
    /// The group that the membership is in: its name, and its address.
    pub(crate) origin: Option<(String, String)>,
}

/// What was typed to add members.
#[derive(Debug, Clone, Default)]
pub(crate) struct Typed {
    pub(crate) users: String,
    pub(crate) level: String,
    pub(crate) expires: String,
}

impl Typed {
    pub(crate) fn sent(form: Form<'_>) -> Self {
        Self {
            users: form.text("", "user_ids"),
            level: form.filled("", "access_level").unwrap_or_default(),
            expires: form.filled("", "expires_at").unwrap_or_default(),
        }
    }

    /// The names of users: between commas or blanks, with or without `@`.
    fn names(&self) -> Vec<String> {
        let names = self.users.split(|c: char| c == ',' || c.is_whitespace()).map(|name| name.trim_start_matches('@'));
        names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }
}

/// Reads the members that the address asks for. For those who have signed in.
pub(crate) fn read(query: &mut Query<'_>, of: &ContainerReference, asked: &Parameters) -> Result<Found, AppError> {
    query.user()?;
    let search = asked.words("search");
    member::page(query, of, search.as_deref(), chosen(asked)).map(Found)
}

impl Found {
    /// The same, for the page that shows it. `address` is where its forms go.
    pub(crate) fn present(
        self,
        visit: &Visit,
        frame: &Frame,
        address: String,
        object: &'static str,
        may_manage: bool,
        sent: Option<(Typed, Problems)>,
    ) -> Members {
        let Self(MembersPage { direct, others, origins }) = self;
        let me = frame.user.as_ref().map(|user| user.id);
        let most = if object == "group_member" { AccessLevel::Owner } else { AccessLevel::Maintainer };
        let offered = |now: i64| -> Vec<Choice> {
            let levels = AccessLevel::ALL.into_iter().filter(|level| *level <= most || level.value() == now);
            levels.map(|level| Choice::new(&level.value().to_string(), words(level), level.value() == now)).collect()
        };
        let row = |view: &MemberView| Row {
            id: view.user.id.get(),
            person: PersonLink::new(frame, &view.user),
            level: words(view.member.level),
            levels: offered(view.member.level.value()),
            expires: view.member.expires_at.map(|day| day.to_string()).unwrap_or_default(),
            expires_words: view.member.expires_at.map(day),
            origin: match view.member.container {
                Container::Group(id) => origins
                    .get(&id)
                    .map(|group| (group.full_name.clone(), format!("{}/groups/{}", frame.root, group.full_path))),
                Container::Project(_) => None,
            },
        };
        let search = visit.parameters().words("search").unwrap_or_default();
        let query = if search.is_empty() { String::new() } else { format!("search={}", in_query(&search)) };
        let (typed, problems) = sent.unwrap_or_default();
        let level = typed.level.parse().unwrap_or_else(|_no_number| AccessLevel::Developer.value());
        Members {
            direct: direct.items.iter().map(|view| Row { origin: None, ..row(view) }).collect(),
            others: others.items.iter().map(row).collect(),
            others_total: others.total,
            may_leave: direct.items.iter().any(|view| Some(view.user.id.get()) == me),
            pages: Pagination::of(&direct).with_query(&query),
            levels: offered(level),
            search,
            address,
            object,
            may_manage,
            typed,
            problems,
        }
    }
}

const fn words(level: AccessLevel) -> &'static str {
    match level {
        AccessLevel::Guest => "Guest",
        AccessLevel::Reporter => "Reporter",
        AccessLevel::Developer => "Developer",
        AccessLevel::Maintainer => "Maintainer",
        AccessLevel::Owner => "Owner",
    }
}

fn level(text: &str) -> Option<AccessLevel> {
    text.parse().ok().and_then(AccessLevel::from_value)
}

fn last_day(text: &str) -> Result<Option<Date>, Problems> {
    typed_day(text, "expires_at", "Expires at is not a day, such as 2027-01-31")
}

/// What was typed as a request: the names, the level, and the day. A sentence where something is missing.
pub(crate) fn wanted(typed: &Typed) -> Result<(Vec<String>, Option<Date>), Problems> {
    let names = typed.names();
    if names.is_empty() {
        return Err(Problems::with("user_ids", "Name at least one user"));
    }
    if names.len() > MOST {
        return Err(Problems::with("user_ids", "Name at most 100 users"));
    }
    Ok((names, last_day(&typed.expires)?))
}

/// Adds the users of these names, all or none.
pub(crate) fn add(
    command: &mut Command<'_>,
    of: &ContainerReference,
    names: Vec<String>,
    typed: &Typed,
    expires_at: Option<Date>,
) -> Result<(), AppError> {
    for name in names {
        let request = AddMembers { users: NewMembers::Named(name.clone()), level: level(&typed.level), expires_at };
        let unknown = |error| match error {
            AppError::NotFound(missing) if missing == Missing::USER => {
                AppError::invalid("user_ids", format!("names a user who is not there: {name}"))
            }
            error => error,
        };
        member::add(command, of, request).map_err(unknown)?;
    }
    Ok(())
}

/// What the form of a member says; a sentence where the day is none.
pub(crate) fn change(form: Form<'_>, object: &str) -> Result<EditMember, Problems> {
    let expires_at = last_day(&form.filled(object, "expires_at").unwrap_or_default())?;
    Ok(EditMember {
        level: level(&form.text(object, "access_level")),
        expires_at: if form.has(object, "expires_at") { patch(true, expires_at) } else { Patch::Absent },
    })
}

/// The user that the last segment of an address names.
pub(crate) fn user(number: i64) -> UserId {
    UserId::new(number)
}
