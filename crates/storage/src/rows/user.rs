//! The row of an account.

use chrono::NaiveDate;
use diesel::prelude::*;
use tenon_domain::avatar::Avatar;
use tenon_domain::id::UserId;
use tenon_domain::user::{BasicUser, Profile, User, UserState};

use crate::db::row::{Moment, parsed, utc};
use crate::error::{StoreError, StoreResult};
use crate::schema::users;

#[derive(Queryable, Selectable)]
#[diesel(table_name = users)]
pub(crate) struct UserRow {
    id: i64,
    username: String,
    name: String,
    email: String,
    state: String,
    ghost: bool,
    bot: bool,
    admin: bool,
    external: bool,
    private_profile: bool,
    can_create_group: bool,
    projects_limit: i64,
    bio: Option<String>,
    location: Option<String>,
    organization: Option<String>,
    public_email: String,
    messenger: String,
    professional_network: String,
    microblog: String,
    website_url: String,
    avatar: Option<String>,
    confirmed_at: Option<Moment>,
    last_sign_in_at: Option<Moment>,
    current_sign_in_at: Option<Moment>,
    last_activity_on: Option<NaiveDate>,
    created_at: Moment,
    updated_at: Moment,
}

impl TryFrom<UserRow> for User {
    type Error = StoreError;

    fn try_from(row: UserRow) -> StoreResult<Self> {
        Ok(Self {
            id: UserId::new(row.id),
            state: parsed("users", "state", row.id, &row.state, UserState::parse)?,
            username: row.username,
            name: row.name,
            email: row.email,
            ghost: row.ghost,
            bot: row.bot,
            admin: row.admin,
            external: row.external,
            private_profile: row.private_profile,
            can_create_group: row.can_create_group,
            projects_limit: row.projects_limit,
            profile: Profile {
                bio: row.bio,
                location: row.location,
                organization: row.organization,
                public_email: row.public_email,
                messenger: row.messenger,
                professional_network: row.professional_network,
                microblog: row.microblog,
                website_url: row.website_url,
            },
            avatar: row.avatar.as_deref().and_then(Avatar::parse),
            confirmed_at: row.confirmed_at.map(utc),
            last_sign_in_at: row.last_sign_in_at.map(utc),
            current_sign_in_at: row.current_sign_in_at.map(utc),
            last_activity_on: row.last_activity_on,
            created_at: utc(row.created_at),
            updated_at: utc(row.updated_at),
        })
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = users)]
pub(crate) struct BasicUserRow {
    id: i64,
    username: String,
    name: String,
    email: String,
    state: String,
    ghost: bool,
    avatar: Option<String>,
    created_at: Moment,
}

impl TryFrom<BasicUserRow> for BasicUser {
    type Error = StoreError;

    fn try_from(row: BasicUserRow) -> StoreResult<Self> {
        Ok(Self {
            id: UserId::new(row.id),
            state: parsed("users", "state", row.id, &row.state, UserState::parse)?,
            username: row.username,
            name: row.name,
            email: row.email,
            ghost: row.ghost,
            avatar: row.avatar.as_deref().and_then(Avatar::parse),
            created_at: utc(row.created_at),
        })
    }
}
