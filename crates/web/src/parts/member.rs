//! The members of a project or group: direct ones, and those through groups above or shares.

use tenon_app::error::{AppError, Missing};
use tenon_app::member::{self, AccessRequests, AddMembers, EditMember, MAX_ADDED, MemberView, MembersPage, NewMembers};
use tenon_app::{Command, ContainerReference, Query};
use tenon_domain::access::AccessLevel;
use tenon_domain::container::Container;
use tenon_domain::id::UserId;
use tenon_domain::patch::Patch;
use tenon_domain::time::Date;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::address::in_query;
use crate::kit::choice::Choice;
use crate::kit::flash::Flash;
use crate::kit::form::{Form, OriginalValues, day as typed_day, patch};
use crate::kit::pagination::{Pagination, chosen};
use crate::kit::parameters::Parameters;
use crate::kit::problems::Problems;
use crate::kit::words::day;
use crate::parts::access_requests::Requests;
use crate::parts::invited::{self, Invited};
use crate::parts::links::PersonLink;

/// The data of the page.
pub(crate) struct Found(MembersPage, Invited, AccessRequests);

/// Members in two lists, and the form that adds some.
pub(crate) struct Members {
    pub(crate) direct: Vec<Row>,
    pub(crate) others: Vec<Row>,
    pub(crate) others_total: i64,
    pub(crate) invited: Invited,
    pub(crate) requests: Requests,
    /// True if addresses can be invited.
    pub(crate) sends_mail: bool,
    pub(crate) pages: Pagination,
    pub(crate) search: String,
    /// The address to which forms are sent.
    pub(crate) address: String,
    /// The object whose fields the form of a member has.
    pub(crate) object: &'static str,
    pub(crate) levels: Vec<Choice>,
    pub(crate) may_manage: bool,
    /// True if the caller is one of the direct members.
    pub(crate) may_leave: bool,
    pub(crate) typed: FormValues,
    pub(crate) problems: Problems,
    /// The prefix of the ids of the fields that the problems are about.
    pub(crate) anchor: String,
}

pub(crate) struct Row {
    pub(crate) id: i64,
    pub(crate) person: PersonLink,
    pub(crate) level: &'static str,
    pub(crate) levels: Vec<Choice>,
    /// True if the membership can be neither changed nor ended.
    pub(crate) is_fixed: bool,
    /// The first day on which it no longer counts. The field is for a form, and the next one is in words.
    pub(crate) expires: String,
    pub(crate) expires_words: Option<String>,
    /// The group of the membership: its name, and its address.
    pub(crate) origin: Option<(String, String)>,
    /// The fields as the page had them at first ([`OriginalValues::field`]).
    pub(crate) shown: String,
}

/// The values of the form that adds members, or of the row of one.
#[derive(Debug, Clone, Default)]
pub(crate) struct FormValues {
    pub(crate) users: String,
    pub(crate) level: String,
    pub(crate) expires: String,
    /// The row whose form was sent.
    pub(crate) row: Option<RowValues>,
}

/// The values of the row of a member.
#[derive(Debug, Clone)]
pub(crate) struct RowValues {
    id: i64,
    level: Option<AccessLevel>,
    expires: String,
    shown: String,
}

impl FormValues {
    pub(crate) fn sent(form: Form<'_>) -> Self {
        Self {
            users: form.text("", "user_ids"),
            level: form.filled("", "access_level").unwrap_or_default(),
            expires: form.filled("", "expires_at").unwrap_or_default(),
            row: None,
        }
    }

    /// The fields of the form in the row of a user.
    pub(crate) fn of_row(form: Form<'_>, object: &str, user: UserId) -> Self {
        let row = RowValues {
            id: user.get(),
            level: level(&form.text(object, "access_level")),
            expires: form.filled(object, "expires_at").unwrap_or_default(),
            shown: OriginalValues::sent(form).field(),
        };
        Self { row: Some(row), ..Self::default() }
    }

    /// The names of users, and addresses: between commas or blanks, names with or without `@` in front.
    fn names(&self) -> Vec<String> {
        let names = self.users.split(|c: char| c == ',' || c.is_whitespace()).map(|name| name.trim_start_matches('@'));
        names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }
}

/// Reads the members that the address asks for. The caller must have signed in.
pub(crate) fn read(query: &mut Query<'_>, of: &ContainerReference, asked: &Parameters) -> Result<Found, AppError> {
    query.user()?;
    let search = asked.words("search");
    let members = member::page(query, of, search.as_deref(), chosen(asked))?;
    Ok(Found(members, invited::read(query, of)?, member::access_requests_of_page(query, of)?))
}

impl Found {
    /// The same, for the page that shows it. `address` is the one to which its forms are sent.
    pub(crate) fn present(
        self,
        context: &RequestContext,
        frame: &Frame,
        address: String,
        object: &'static str,
        may_manage: bool,
        sent: Option<(FormValues, Problems)>,
    ) -> Members {
        let Self(MembersPage { direct, others, least, fixed, origins }, invited, requests) = self;
        let me = frame.user.as_ref().map(|user| user.id);
        let most = if object == "group_member" { AccessLevel::Owner } else { AccessLevel::Maintainer };
        let offered = |now: i64, least: AccessLevel| -> Vec<Choice> {
            let is_free = |level: &AccessLevel| (least..=most).contains(level);
            let levels = AccessLevel::ALL.into_iter().filter(|level| is_free(level) || level.value() == now);
            levels.map(|level| Choice::new(&level.value().to_string(), words(level), level.value() == now)).collect()
        };
        let (typed, problems) = sent.unwrap_or_default();
        let typed_row = |view: &MemberView| typed.row.as_ref().filter(|row| row.id == view.user.id.get());
        let row = |view: &MemberView| Row {
            id: view.user.id.get(),
            person: PersonLink::new(frame, &view.user),
            level: words(view.member.level),
            levels: offered(
                typed_row(view).and_then(|row| row.level).unwrap_or(view.member.level).value(),
                least.get(&view.user.id).copied().unwrap_or(AccessLevel::Guest),
            ),
            is_fixed: fixed.contains(&view.user.id),
            expires: typed_row(view).map_or_else(|| day_typed(view), |row| row.expires.clone()),
            expires_words: view.member.expires_at.map(day),
            shown: typed_row(view).map_or_else(|| shown(view).field(), |row| row.shown.clone()),
            origin: match view.member.container {
                Container::Group(id) => origins
                    .get(&id)
                    .map(|group| (group.full_name.clone(), format!("{}/groups/{}", frame.root, group.full_path))),
                Container::Project(_) => None,
            },
        };
        let search = context.parameters().words("search").unwrap_or_default();
        let query = if search.is_empty() { String::new() } else { format!("search={}", in_query(&search)) };
        let level = typed.level.parse().unwrap_or_else(|_no_number| AccessLevel::Developer.value());
        Members {
            direct: direct.items.iter().map(|view| Row { origin: None, ..row(view) }).collect(),
            others: others.items.iter().map(row).collect(),
            others_total: others.total,
            invited,
            requests: Requests::new(frame, requests),
            sends_mail: context.app().sends_mail(),
            may_leave: direct.items.iter().any(|view| Some(view.user.id.get()) == me && !fixed.contains(&view.user.id)),
            pages: Pagination::of(&direct).with_query(&query).at(&address),
            levels: offered(level, AccessLevel::Guest),
            anchor: typed.row.as_ref().map(|row| format!("member-{}-", row.id)).unwrap_or_default(),
            search,
            address,
            object,
            may_manage,
            typed,
            problems,
        }
    }
}

/// The day on which a membership ends, as its field has it.
fn day_typed(view: &MemberView) -> String {
    view.member.expires_at.map(|day| day.to_string()).unwrap_or_default()
}

/// The fields of the row of a member.
fn shown(view: &MemberView) -> OriginalValues {
    let level = view.member.level.value().to_string();
    OriginalValues::of([("access_level", level.into()), ("expires_at", day_typed(view).into())])
}

/// A level in a word.
pub(crate) const fn words(level: AccessLevel) -> &'static str {
    match level {
        AccessLevel::Guest => "Guest",
        AccessLevel::Reporter => "Reporter",
        AccessLevel::Developer => "Developer",
        AccessLevel::Maintainer => "Maintainer",
        AccessLevel::Owner => "Owner",
    }
}

/// The level that a form names by its number.
pub(crate) fn level(text: &str) -> Option<AccessLevel> {
    text.parse().ok().and_then(AccessLevel::from_value)
}

/// The day on which something ends, as a form has it. A sentence if the text is no day.
pub(crate) fn last_day(text: &str) -> Result<Option<Date>, Problems> {
    typed_day(text, "expires_at", "Expiration date must be a date such as 2027-01-31")
}

/// The sentence after these were added, or invited if all of them are addresses.
pub(crate) fn flash_of(names: &[String]) -> Flash {
    if names.iter().all(|name| name.contains('@')) { Flash::InvitationSent } else { Flash::MemberAdded }
}

/// The values of the form as a request: the names, the level, and the day. A sentence if something is missing.
pub(crate) fn wanted(typed: &FormValues) -> Result<(Vec<String>, Option<Date>), Problems> {
    let names = typed.names();
    if names.is_empty() {
        return Err(Problems::with("user_ids", "Enter at least one username"));
    }
    if names.len() > MAX_ADDED {
        return Err(Problems::with("user_ids", &format!("Enter at most {MAX_ADDED} usernames")));
    }
    Ok((names, last_day(&typed.expires)?))
}

/// Adds the users of these names, and invites those of these addresses, all or none.
pub(crate) fn add(
    command: &mut Command<'_>,
    of: &ContainerReference,
    names: Vec<String>,
    typed: &FormValues,
    expires_at: Option<Date>,
) -> Result<(), AppError> {
    let level = level(&typed.level);
    let (addresses, names): (Vec<String>, Vec<String>) = names.into_iter().partition(|name| name.contains('@'));
    invited::invite(command, of, addresses, level, expires_at)?;
    if names.is_empty() {
        return Ok(());
    }
    let request = AddMembers { users: NewMembers::Named(names), level, expires_at };
    member::add(command, of, request).map(drop).map_err(|error| match error {
        AppError::NotFound(Missing::UserNamed(name)) => {
            AppError::invalid("user_ids", format!("include {name}, which does not exist"))
        }
        error => error,
    })
}

/// The changed fields of the form of a member.
pub(crate) struct Change {
    /// Cleared if the level is invalid.
    level: Patch<AccessLevel>,
    expires_at: Patch<Date>,
}

/// Reads the form of a member. A sentence if the day is invalid.
pub(crate) fn change(form: Form<'_>, object: &str) -> Result<Change, Problems> {
    let shown = OriginalValues::sent(form);
    let form = form.changed(&shown);
    let expires_at = last_day(&form.filled(object, "expires_at").unwrap_or_default())?;
    Ok(Change {
        level: patch(form.has(object, "access_level"), level(&form.text(object, "access_level"))),
        expires_at: patch(form.has(object, "expires_at"), expires_at),
    })
}

/// Changes a membership. A level that was not changed in the form stays as it is stored.
pub(crate) fn edit(
    command: &mut Command<'_>,
    of: &ContainerReference,
    user: UserId,
    change: Change,
) -> Result<(), AppError> {
    let stored = member::show(&mut command.query(), of, user)?.member.level;
    let request = EditMember { level: change.level.apply(Some(stored)), expires_at: change.expires_at };
    member::edit(command, of, user, request).map(drop)
}

/// The user that the last segment of an address names.
pub(crate) fn user(number: i64) -> UserId {
    UserId::new(number)
}
