//! A list shows all that the ability allows, and nothing else: the SQL condition and the pure rule are held together on
//! random data.

use std::collections::{BTreeMap, HashSet};

use proptest::prelude::*;
use tenon_domain::access::{AccessLevel, Decision, Standing, Viewer};
use tenon_domain::container::Container;
use tenon_domain::group::{self, GroupAction, GroupFacts, GroupStanding};
use tenon_domain::id::{NamespaceId, ProjectId, UserId};
use tenon_domain::issuable::{IssuableKind, TrackerFacts};
use tenon_domain::member::Member;
use tenon_domain::namespace::{Namespace, NamespaceKind};
use tenon_domain::page::PageRequest;
use tenon_domain::project::setting::{ISSUES, MERGE_REQUESTS, REPOSITORY};
use tenon_domain::project::{
    self as rules, FIRST_BRANCH, FeatureLevel, Features, Import, MergeMethod, Project, ProjectAction, ProjectFacts,
};
use tenon_domain::settings::{Value, Values};
use tenon_domain::time::Date;
use tenon_domain::user::{Profile, User, UserState};
use tenon_domain::visibility::Visibility;
use tenon_storage::group::{GroupFilter, GroupOrder, GroupSet};
use tenon_storage::namespace::NewNamespace;
use tenon_storage::project::{NewProject, ProjectFilter, ProjectOrder, ProjectSet};
use tenon_storage::user::NewUser;
use tenon_storage::{Database, StoreError, WriteTx, access, member, namespace, project, share, user};

use crate::now;

/// An account that nothing else is known of.
pub(crate) fn a_user(username: &str) -> User {
    User {
        id: UserId::new(0),
        username: username.to_owned(),
        name: username.to_owned(),
        email: format!("{username}@example.org"),
        state: UserState::Active,
        ghost: false,
        bot: false,
        admin: false,
        external: false,
        private_profile: false,
        can_create_group: true,
        projects_limit: 10,
        profile: Profile::default(),
        avatar: None,
        confirmed_at: None,
        last_sign_in_at: None,
        current_sign_in_at: None,
        last_activity_on: None,
        created_at: now(),
        updated_at: now(),
    }
}

/// A made-up world: groups below each other, projects in them, memberships and shares, some of them expired.
#[derive(Debug, Clone)]
pub(crate) struct World {
    /// For each group: which earlier group is above it, if any, and how open it is.
    pub(crate) groups: Vec<(Option<usize>, Visibility)>,
    /// For each project: its group and how open it is.
    pub(crate) projects: Vec<(usize, Visibility)>,
    /// For each project: the levels of its code, issues and merge requests. Of those without, all are enabled.
    pub(crate) parts: Vec<[FeatureLevel; 3]>,
    /// In a group or (second half of the numbers) a project; with which level; whether expired.
    pub(crate) members: Vec<(usize, usize, AccessLevel, bool)>,
    /// Which group or project is opened to which group, with which level; whether expired.
    pub(crate) shares: Vec<(usize, usize, AccessLevel, bool)>,
}

const USERS: usize = 3;

fn visibilities() -> impl Strategy<Value = Visibility> {
    // Mostly private: there the rules differ.
    prop_oneof![4 => Just(Visibility::Private), 1 => Just(Visibility::Internal), 1 => Just(Visibility::Public)]
}

fn levels() -> impl Strategy<Value = AccessLevel> {
    proptest::sample::select(AccessLevel::ALL.to_vec())
}

fn parts() -> impl Strategy<Value = [FeatureLevel; 3]> {
    let level = || prop_oneof![3 => Just(FeatureLevel::Enabled), 2 => Just(FeatureLevel::Private), 1 => Just(FeatureLevel::Disabled)];
    [level(), level(), level()]
}

pub(crate) fn worlds() -> impl Strategy<Value = World> {
    let groups = prop::collection::vec((prop::option::of(0..6_usize), visibilities()), 1..7);
    let projects = prop::collection::vec((0..7_usize, visibilities()), 0..7);
    let members = prop::collection::vec((0..14_usize, 0..USERS, levels(), prop::bool::weighted(0.2)), 0..8);
    let shares = prop::collection::vec((0..14_usize, 0..7_usize, levels(), prop::bool::weighted(0.2)), 0..5);
    let parts = prop::collection::vec(parts(), 0..7);
    (groups, projects, parts, members, shares).prop_map(|(groups, projects, parts, members, shares)| World {
        groups,
        projects,
        parts,
        members,
        shares,
    })
}

/// A world of a group with so many projects, and no members.
pub(crate) fn of_projects(number: usize) -> World {
    let groups = vec![(None, Visibility::Private)];
    let projects = vec![(0, Visibility::Private); number];
    World { groups, projects, parts: Vec::new(), members: Vec::new(), shares: Vec::new() }
}

pub(crate) struct Built {
    pub(crate) users: Vec<UserId>,
    pub(crate) groups: Vec<Namespace>,
    pub(crate) projects: Vec<Project>,
}

pub(crate) fn build(tx: &mut WriteTx<'_>, world: &World) -> Result<Built, StoreError> {
    let mut users = Vec::new();
    for number in 0..USERS {
        let account = User { external: number == 2, ..a_user(&format!("user{number}")) };
        users.push(user::insert(
            tx,
            &NewUser { user: &account, unconfirmed_email: None, password_digest: None, password_expired: false },
        )?);
    }
    let mut groups: Vec<Namespace> = Vec::new();
    for (number, (parent, visibility)) in world.groups.iter().enumerate() {
        let parent = parent.and_then(|parent| groups.get(parent)).cloned();
        let path = format!("group{number}");
        let new = NewNamespace {
            kind: NamespaceKind::Group,
            owner: None,
            parent: parent.as_ref(),
            name: &path,
            path: &path,
            visibility: *visibility,
            at: now(),
        };
        let id = namespace::insert(tx, &new)?;
        groups.push(namespace::find(tx, id)?.unwrap());
    }
    let mut projects = Vec::new();
    for (number, (home, visibility)) in world.projects.iter().enumerate() {
        let home = &groups[home % groups.len()];
        let mut new = a_project(home.id, &format!("project{number}"), *visibility);
        for (part, level) in
            [REPOSITORY, ISSUES, MERGE_REQUESTS].iter().zip(world.parts.get(number).into_iter().flatten())
        {
            new.settings.set(part, Value::Text(level.as_str().to_owned()));
        }
        new.id =
            project::insert(tx, &NewProject { project: &new, namespace: home, tags: &[], sealed_runners_token: "" })?;
        projects.push(new);
    }
    let built = Built { users, groups, projects };
    for (place, user, level, expired) in &world.members {
        let container = built.container(*place);
        let known = member::find(tx, container, built.users[*user])?;
        if known.is_none() {
            member::insert(
                tx,
                &Member {
                    container,
                    user: built.users[*user],
                    level: *level,
                    expires_at: end(*expired),
                    created_at: now(),
                    created_by: None,
                    updated_at: now(),
                },
            )?;
        }
    }
    for (place, with, level, expired) in &world.shares {
        let with = built.groups[with % built.groups.len()].id;
        share::delete(tx, built.container(*place), with)?;
        share::insert(tx, built.container(*place), with, *level, end(*expired), now())?;
    }
    Ok(built)
}

/// Expired means: since today.
fn end(expired: bool) -> Option<Date> {
    expired.then(|| now().date_naive())
}

fn a_project(namespace: NamespaceId, path: &str, visibility: Visibility) -> Project {
    Project {
        id: ProjectId::new(0),
        namespace,
        creator: None,
        name: path.to_owned(),
        path: path.to_owned(),
        description: None,
        visibility,
        archived: false,
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
        last_activity_at: now(),
        created_at: now(),
        updated_at: now(),
    }
}

impl Built {
    /// The first numbers mean groups, the others projects.
    fn container(&self, number: usize) -> Container {
        match self.projects.get(number.wrapping_sub(7)) {
            Some(project) => Container::Project(project.id),
            None => Container::Group(self.groups[number % self.groups.len()].id),
        }
    }

    pub(crate) fn viewers(&self) -> Vec<Viewer> {
        let mut viewers = vec![Viewer::Anonymous];
        for (number, id) in self.users.iter().enumerate() {
            viewers.push(Viewer::User { id: *id, admin: false, external: number == 2 });
        }
        viewers.push(Viewer::User { id: self.users[0], admin: true, external: false });
        viewers
    }
}

fn check(database: &Database, built: &Built) -> Result<(), StoreError> {
    let today = now().date_naive();
    let everything = PageRequest::new(None, Some(100));
    database.read(|tx| {
        for viewer in built.viewers() {
            let filter = ProjectFilter::new(viewer, today, ProjectSet::All);
            let listed = project::list(tx, &filter, ProjectOrder::Id, false, everything)?;
            let listed: Vec<ProjectId> = listed.items.iter().map(|placed| placed.project.id).collect();
            let with_issues = ProjectFilter { with_issues: true, ..filter.clone() };
            let with_requests = ProjectFilter { with_merge_requests: true, ..filter };
            let with_issues: HashSet<ProjectId> = project::ids(tx, &with_issues)?.into_iter().collect();
            let with_requests: HashSet<ProjectId> = project::ids(tx, &with_requests)?.into_iter().collect();
            let (mut allowed, mut readable) = (Vec::new(), HashSet::new());
            for project in &built.projects {
                let level = match viewer.user() {
                    None => None,
                    Some(user) => access::project_levels(tx, user, project.id, project.namespace, today)?.effective(),
                };
                let facts = ProjectFacts::of(project);
                let verdict = rules::decide(&Standing { viewer, level }, facts, ProjectAction::Read);
                allowed.extend((verdict == Decision::Allow).then_some(project.id));
                let verdict = rules::decide(&Standing { viewer, level }, facts, ProjectAction::ReadCode);
                readable.extend((verdict == Decision::Allow).then_some(project.id));
                for (kind, found) in [(IssuableKind::Issue, &with_issues), (IssuableKind::MergeRequest, &with_requests)]
                {
                    let facts = TrackerFacts::of(kind, project);
                    let has = facts.enabled && Standing { viewer, level }.sees(facts.visibility);
                    assert_eq!(found.contains(&project.id), has, "{kind:?} of {project:?} for {viewer:?}");
                }
            }
            assert_eq!(listed, allowed, "projects for {viewer:?}");
            let all: Vec<ProjectId> = built.projects.iter().map(|project| project.id).collect();
            let listed = project::readable_code(tx, viewer, &all, today)?;
            assert_eq!(listed, readable, "code for {viewer:?}");

            let filter = GroupFilter {
                set: GroupSet::Visible(viewer),
                today,
                member: None,
                parent: None,
                below: None,
                top_level: false,
                search: None,
                visibility: None,
                skip: Vec::new(),
                custom_attributes: BTreeMap::new(),
            };
            let listed = tenon_storage::group::list(tx, &filter, GroupOrder::Id, false, everything)?;
            let listed: Vec<NamespaceId> = listed.items.iter().map(tenon_domain::group::Group::id).collect();
            let mut allowed = Vec::new();
            for namespace in &built.groups {
                let (level, reaches_below) = match viewer.user() {
                    None => (None, false),
                    Some(user) => (
                        access::group_levels(tx, user, namespace.id, today)?.effective(),
                        access::is_related(tx, user, namespace.id, today)?,
                    ),
                };
                let standing = GroupStanding { standing: Standing { viewer, level }, reaches_below };
                let facts = GroupFacts { visibility: namespace.visibility, creation: namespace.creation };
                let verdict = group::decide(&standing, facts, GroupAction::Read);
                allowed.extend((verdict == Decision::Allow).then_some(namespace.id));
            }
            assert_eq!(listed, allowed, "groups for {viewer:?}");
        }
        Ok(())
    })
}

/// Runs `check` on forty-eight worlds, the same ones each time.
pub(crate) fn on_worlds<S: Strategy>(worlds: &S, check: impl Fn(&S::Value)) {
    // Worlds are built by numbers from a fixed seed: a failure comes back until it is mended.
    let mut runner = proptest::test_runner::TestRunner::new_with_rng(
        ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() },
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    let outcome = runner.run(worlds, |world| {
        check(&world);
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn lists_and_abilities_agree() {
    on_worlds(&worlds(), |world| {
        crate::on_each_backend(|database| {
            let built = database.write(|tx| build(tx, world)).unwrap();
            check(database, &built).unwrap();
        });
    });
}
