//! The groups of a population, below each other, and their members.

use anyhow::{Context, Result};
use tenon_domain::access::AccessLevel;
use tenon_domain::container::Container;
use tenon_domain::id::UserId;
use tenon_domain::member::Member;
use tenon_domain::namespace::{Namespace, NamespaceKind};
use tenon_domain::visibility::Visibility;
use tenon_storage::namespace::{self, NewNamespace};
use tenon_storage::{WriteTx, member};

use super::words::TEAMS;
use super::{DEEPEST, World, moment};

/// How often the first user belongs to a group in which projects live.
const LANDMARK_GROUPS: usize = 5;

/// The groups of a population.
pub(super) struct Groups {
    /// Those in which projects live.
    pub(super) homes: Vec<Namespace>,
    /// The place in `homes` of one to which the first user belongs.
    pub(super) landmark: usize,
}

impl World {
    /// Top groups, which are public, and subgroups at any depth below them. Some branches are private; everything below
    /// a private group is private as well.
    pub(super) fn groups(&mut self, users: &[UserId]) -> Result<Groups> {
        self.begin("groups");
        let database = self.database.clone();
        let (top, below) = (self.counts.top_groups, self.counts.subgroups);
        let (homes, step) = database.write(|tx| {
            let mut all: Vec<(Namespace, usize)> = Vec::with_capacity(top + below);
            for number in 0..top + below {
                let parent = (number >= top).then(|| self.parent(&all)).flatten();
                let depth = parent.map_or(1, |(_, depth)| depth + 1);
                let group = self.group(tx, number, parent.map(|(parent, _)| parent))?;
                self.members(tx, &group, users)?;
                all.push((group, depth));
                self.bar.inc(1);
            }
            let from = if below > 0 { top } else { 0 };
            let homes: Vec<Namespace> = all.into_iter().skip(from).map(|(group, _)| group).collect();
            let step = (homes.len() / LANDMARK_GROUPS).max(1);
            let first = users.first().context("no users")?;
            for group in homes.iter().step_by(step) {
                if member::find(tx, Container::Group(group.id), *first)?.is_none() {
                    member::insert(tx, &membership(Container::Group(group.id), *first, AccessLevel::Developer, 0))?;
                }
            }
            anyhow::Ok((homes, step))
        })?;
        let landmark = if step * 2 < homes.len() { step * 2 } else { 0 };
        Ok(Groups { homes, landmark })
    }

    fn parent<'a>(&mut self, all: &'a [(Namespace, usize)]) -> Option<(&'a Namespace, usize)> {
        // The top groups are few, so that most end up below other subgroups; too deep is tried again.
        loop {
            let (group, depth) = all.get(self.random.below(all.len()))?;
            if *depth < DEEPEST {
                return Some((group, *depth));
            }
        }
    }

    fn group(&mut self, tx: &mut WriteTx<'_>, number: usize, parent: Option<&Namespace>) -> Result<Namespace> {
        let team = self.random.word(TEAMS);
        let (name, path) = (format!("{team} {number}"), format!("{}-{number}", team.to_lowercase()));
        // The draw comes first, so that one more private group does not change everything after it.
        let closes = self.random.percent(10);
        let private = parent.is_some_and(|parent| closes || parent.visibility == Visibility::Private);
        let visibility = if private { Visibility::Private } else { Visibility::Public };
        let new = NewNamespace {
            kind: NamespaceKind::Group,
            owner: None,
            parent,
            name: &name,
            path: &path,
            visibility,
            at: moment(number),
        };
        let id = namespace::insert(tx, &new)?;
        Ok(Namespace {
            id,
            kind: NamespaceKind::Group,
            owner: None,
            parent: parent.map(|parent| parent.id),
            full_path: parent.map_or_else(|| path.clone(), |parent| format!("{}/{path}", parent.full_path)),
            full_name: parent.map_or_else(|| name.clone(), |parent| format!("{} / {name}", parent.full_name)),
            name,
            path,
            visibility,
            creation: tenon_domain::namespace::Creation::default(),
            avatar: None,
            ip_ranges: None,
        })
    }

    /// An owner and up to four others.
    fn members(&mut self, tx: &mut WriteTx<'_>, group: &Namespace, users: &[UserId]) -> Result<()> {
        let count = self.random.between(1, 5);
        let chosen = self.random.some(users, count);
        let levels = [AccessLevel::Owner, AccessLevel::Maintainer].into_iter();
        let levels = levels.chain(std::iter::repeat(AccessLevel::Developer));
        for (minute, (user, level)) in chosen.into_iter().zip(levels).enumerate() {
            member::insert(tx, &membership(Container::Group(group.id), user, level, minute))?;
        }
        Ok(())
    }
}

/// A membership that does not end.
pub(super) fn membership(container: Container, user: UserId, level: AccessLevel, minute: usize) -> Member {
    let made = moment(minute);
    Member { container, user, level, expires_at: None, created_at: made, created_by: None, updated_at: made }
}
