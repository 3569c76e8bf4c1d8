//! The users of a population.

use anyhow::Result;
use tenon_domain::id::UserId;
use tenon_domain::namespace::NamespaceKind;
use tenon_domain::user::{Profile, User, UserState};
use tenon_domain::visibility::Visibility;
use tenon_storage::namespace::{self, NewNamespace};
use tenon_storage::user::{self, NewUser};

use super::words::{FIRST_NAMES, LAST_NAMES};
use super::{DAYS, PASSWORD, World, moment};

/// Users in one transaction.
const BATCH: usize = 1_000;

impl World {
    /// Users with their personal namespaces. All of them have the same password, because hashing one is slow on
    /// purpose.
    pub(super) fn users(&mut self) -> Result<Vec<UserId>> {
        self.begin("users");
        let digest = tenon_auth::Passwords::default().hash(&self.entropy, PASSWORD)?;
        let database = self.database.clone();
        let mut ids = Vec::with_capacity(self.counts.users);
        for first in (1..=self.counts.users).step_by(BATCH) {
            let batch = first..=self.counts.users.min(first + BATCH - 1);
            database.write(|tx| {
                for number in batch {
                    let user = self.user(number);
                    let new = NewUser {
                        user: &user,
                        unconfirmed_email: None,
                        password_digest: Some(&digest),
                        password_expired: false,
                    };
                    let id = user::insert(tx, &new)?;
                    let home = NewNamespace {
                        kind: NamespaceKind::User,
                        owner: Some(id),
                        parent: None,
                        name: &user.name,
                        path: &user.username,
                        visibility: Visibility::Public,
                        at: user.created_at,
                    };
                    namespace::insert(tx, &home)?;
                    ids.push(id);
                    self.bar.inc(1);
                }
                anyhow::Ok(())
            })?;
            if first == 1 {
                self.plan_anew()?;
            }
        }
        Ok(ids)
    }

    fn user(&mut self, number: usize) -> User {
        let (first, last) = (self.random.word(FIRST_NAMES), self.random.word(LAST_NAMES));
        let username = format!("{}.{}{number}", first.to_lowercase(), last.to_lowercase());
        let made = moment(number);
        User {
            id: UserId::new(0),
            email: format!("{username}@example.com"),
            username,
            name: format!("{first} {last}"),
            state: UserState::Active,
            ghost: false,
            bot: false,
            admin: false,
            external: false,
            private_profile: self.random.percent(5),
            can_create_group: true,
            projects_limit: 100_000,
            profile: Profile::default(),
            avatar: None,
            confirmed_at: Some(made),
            last_sign_in_at: None,
            current_sign_in_at: None,
            last_activity_on: Some(moment(self.random.below(DAYS * 24 * 60)).date_naive()),
            created_at: made,
            updated_at: made,
        }
    }
}
