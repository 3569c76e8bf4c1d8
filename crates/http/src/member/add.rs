//! Adding members: one, or several at once.

use chrono::NaiveDate;
use tenon_app::member::{self, AddMembers, NewMembers};
use tenon_domain::id::UserId;
use tenon_edge::error::ApiError;

use super::Subject;
use crate::dto::member::AddedDto;
use crate::endpoint::{Call, Created};
use crate::params::level::LevelNumber;
use crate::params::params;

params! {
    /// New members.
    pub(crate) struct AddParams {
        /// The id of the user; several as a list or separated by commas.
        user_id: Option<Vec<i64>>,
        /// The user name, instead of the id.
        username: Option<String>,
        /// 10 guest, 20 reporter, 30 developer, 40 maintainer, 50 owner.
        access_level: LevelNumber,
        /// The day on which the membership expires.
        expires_at: Option<NaiveDate>,
    }
    rules(reader) {
        reader.mutually_exclusive(&["user_id", "username"]);
        // The second, newer way is accepted too, but the message names the older one only.
        if !reader.is_given("user_id") && !reader.is_given("username") {
            reader.complain("user_id", "is missing");
        }
    }
}

pub(super) async fn add(Call { caller, params }: Call<AddParams>, of: Subject) -> Result<Created<AddedDto>, ApiError> {
    let of = of(&caller);
    let users = match params.username {
        Some(name) => NewMembers::Named(vec![name]),
        None => NewMembers::Users(params.user_id.unwrap_or_default().into_iter().map(UserId::new).collect()),
    };
    let request = AddMembers { users, level: params.access_level.0, expires_at: params.expires_at };
    let added = caller.write(move |command| member::add(command, &of, request)).await?;
    Ok(Created(added.into()))
}
