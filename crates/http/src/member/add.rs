//! Adding members: one, or several at once.

use chrono::NaiveDate;
use tenon_app::Command;
use tenon_app::ContainerReference as Of;
use tenon_app::error::AppError;
use tenon_app::member::{self, AddMember, MemberView};
use tenon_domain::id::UserId;

use super::Subject;
use crate::dto::member::{AddedDto, SeveralDto};
use crate::endpoint::{Call, Created};
use crate::params::params;
use crate::wire::error::ApiError;

params! {
    /// New members.
    pub(crate) struct AddParams {
        /// The user; several at once as a list, or separated by commas.
        user_id: Option<Vec<i64>>,
        /// The user by user name, instead.
        username: Option<String>,
        /// 10 guest, 20 reporter, 30 developer, 40 maintainer, 50 owner.
        access_level: i64,
        /// From this day on the membership has ended.
        expires_at: Option<NaiveDate>,
    }
    rules(reader) {
        reader.mutually_exclusive(&["user_id", "username"]);
        // The newer second way counts, and is not named where both are missing: the text is an older one.
        if !reader.is_given("user_id") && !reader.is_given("username") {
            reader.complain("user_id", "is missing");
        }
    }
}

/// How many users one request may name.
const MOST: usize = 100;

pub(super) async fn add(Call { caller, params }: Call<AddParams>, of: Subject) -> Result<Created<AddedDto>, ApiError> {
    let of = of(&caller);
    let mut added = caller.write(move |command| add_all(command, &of, params)).await?;
    Ok(Created(match (added.pop(), added.is_empty()) {
        (Some(only), true) => AddedDto::One(Box::new(only.into())),
        (Some(_) | None, _) => AddedDto::Several(SeveralDto { status: "success" }),
    }))
}

/// Adds everybody in one transaction.
fn add_all(command: &mut Command<'_>, of: &Of, params: AddParams) -> Result<Vec<MemberView>, AppError> {
    let AddParams { user_id, username, access_level: level, expires_at } = params;
    if let Some(username) = username {
        return Ok(vec![member::add_named(command, of, &username, level, expires_at)?]);
    }
    let users = user_id.unwrap_or_default();
    if users.is_empty() {
        return Err(AppError::Parameter("user_id is invalid".to_owned()));
    }
    if users.len() > MOST {
        return Err(AppError::Parameter(format!("Too many users specified (limit is {MOST})")));
    }
    users
        .into_iter()
        .map(|user| member::add(command, of, AddMember { user: UserId::new(user), level, expires_at }))
        .collect()
}
