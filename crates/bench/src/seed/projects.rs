//! The projects of a population, with members, shares, stars, tags, labels and milestones.

use anyhow::{Context, Result};
use tenon_auth::Secret;
use tenon_domain::access::AccessLevel;
use tenon_domain::container::Container;
use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::namespace::Namespace;
use tenon_domain::project::{FIRST_BRANCH, Features, Import, MergeMethod, Project};
use tenon_domain::settings::Values;
use tenon_domain::visibility::Visibility;
use tenon_storage::project::{self, NewProject};
use tenon_storage::{WriteTx, member, share};

use super::groups::{Groups, membership};
use super::trackers::Tracker;
use super::words::{KINDS, OBJECTS, PURPOSES, TAGS, TEAMS, VERBS};
use super::{DAYS, Landmarks, World, moment};

/// Projects in one transaction.
const BATCH: usize = 1_000;
/// Projects in which the first user is a developer.
const LANDMARK_PROJECTS: usize = 20;
/// People from elsewhere who have worked on the project with so many issues, the first user among them.
const CROWD: usize = 30;
/// How many projects of a hundred are private.
const PRIVATE: usize = 60;

impl World {
    /// Projects, spread evenly over the groups, in the order of their trackers.
    pub(super) fn projects(&mut self, users: &[UserId], groups: &Groups) -> Result<(Landmarks, Vec<Tracker>)> {
        self.begin("projects");
        let database = self.database.clone();
        let private = private_in_public_groups(&groups.homes);
        let mut landmarks = None;
        let mut trackers = Vec::with_capacity(self.counts.projects);
        for start in (0..self.counts.projects).step_by(BATCH) {
            let batch = start..self.counts.projects.min(start + BATCH);
            database.write(|tx| {
                for (number, home) in batch.zip(groups.homes.iter().cycle().skip(start % groups.homes.len().max(1))) {
                    let is_landmark = number == groups.landmark;
                    let roll = self.random.below(1_000);
                    let visibility = if is_landmark || home.visibility == Visibility::Private || roll < private {
                        Visibility::Private
                    } else if roll.is_multiple_of(2) {
                        Visibility::Internal
                    } else {
                        Visibility::Public
                    };
                    let (tracker, path) = self.project(tx, number, home, visibility, is_landmark, users)?;
                    let id = tracker.project;
                    trackers.push(tracker);
                    if self.random.percent(5) {
                        self.share(tx, id, home, groups)?;
                    }
                    if is_landmark {
                        landmarks = Some(Landmarks {
                            member: *users.first().context("no users")?,
                            project: id,
                            project_path: format!("{}/{path}", home.full_path),
                            group: home.id,
                            group_path: home.full_path.clone(),
                            issues: 0,
                            open_issues: Vec::new(),
                            open_merge_requests: Vec::new(),
                        });
                    }
                    self.bar.inc(1);
                }
                anyhow::Ok(())
            })?;
            if start == 0 {
                self.plan_anew()?;
            }
        }
        Ok((landmarks.context("no projects")?, trackers))
    }

    fn project(
        &mut self,
        tx: &mut WriteTx<'_>,
        number: usize,
        home: &Namespace,
        visibility: Visibility,
        is_landmark: bool,
        users: &[UserId],
    ) -> Result<(Tracker, String)> {
        let random = &mut self.random;
        let (team, kind) = (random.word(TEAMS), random.word(KINDS));
        let path = format!("{}-{kind}-{number}", team.to_lowercase());
        let about = format!("{} {} {}.", random.word(VERBS), random.word(OBJECTS), random.word(PURPOSES));
        let count = random.between(3, 8);
        let mut members = random.some(users, count);
        let every = (self.counts.projects / LANDMARK_PROJECTS).max(1);
        if let Some(first) = users.first().filter(|first| number.is_multiple_of(every) && !members.contains(first)) {
            members.push(*first);
        }
        let made = moment(number);
        let project = Project {
            id: ProjectId::new(0),
            namespace: home.id,
            creator: members.first().copied(),
            name: format!("{team} {kind} {number}"),
            path: path.clone(),
            description: random.percent(80).then_some(about),
            visibility,
            // An archived project cannot be written to.
            archived: random.percent(4) && !is_landmark,
            default_branch: None,
            unborn_branch: FIRST_BRANCH.to_owned(),
            avatar: None,
            ci_config_path: None,
            merge_method: MergeMethod::default(),
            features: Features::default(),
            settings: Values::default(),
            forked_from: None,
            import: Import::None,
            imported_from: None,
            star_count: 0,
            forks_count: 0,
            open_issues_count: 0,
            last_activity_at: moment(number + random.below(DAYS * 24 * 60)),
            created_at: made,
            updated_at: made,
        };
        let count = random.below(4);
        let tags: Vec<String> = random.some(TAGS, count).into_iter().map(ToOwned::to_owned).collect();
        let sealed = self.vault.seal(&self.entropy, Secret::generate(&self.entropy).expose())?;
        let new = NewProject { project: &project, namespace: home, tags: &tags, sealed_runners_token: &sealed };
        let id = project::insert(tx, &new)?;
        let levels = [AccessLevel::Maintainer, AccessLevel::Developer, AccessLevel::Developer, AccessLevel::Reporter];
        for (minute, (user, level)) in members.iter().zip(levels.into_iter().cycle()).enumerate() {
            let level = if Some(user) == users.first() { AccessLevel::Developer } else { level };
            member::insert(tx, &membership(Container::Project(id), *user, level, number + minute))?;
        }
        // Most have none or a few, some have many.
        let random = &mut self.random;
        let count = random.below(5) * random.below(5);
        for user in random.some(users, count) {
            project::add_star(tx, id, user, made)?;
        }
        if is_landmark {
            let others: Vec<UserId> =
                users.iter().take(CROWD).filter(|user| !members.contains(user)).copied().collect();
            members.extend(others);
        }
        Ok((Tracker::make(tx, id, members, made)?, path))
    }

    fn share(&mut self, tx: &mut WriteTx<'_>, id: ProjectId, home: &Namespace, groups: &Groups) -> Result<()> {
        let guest = groups.homes.get(self.random.below(groups.homes.len()));
        if let Some(guest) = guest.filter(|guest| guest.id != home.id) {
            share::insert(tx, Container::Project(id), guest.id, AccessLevel::Developer, None, moment(0))?;
        }
        Ok(())
    }
}

/// How many projects of a thousand in public groups are private, so that [`PRIVATE`] of a hundred are so in all.
fn private_in_public_groups(homes: &[Namespace]) -> usize {
    let open = homes.iter().filter(|home| home.visibility != Visibility::Private).count();
    let closed = homes.len() - open;
    (PRIVATE * 10 * homes.len()).saturating_sub(closed * 1_000).checked_div(open).unwrap_or(0)
}
