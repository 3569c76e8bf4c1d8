//! The grid of who may do what: one line for each action and visibility, one column for each kind of caller. It is a
//! snapshot to be read: a change of an ability shows here what it means.

#![expect(clippy::unwrap_used, reason = "what goes wrong here is a failed test")]

use std::fmt::Write;

use tenon_domain::access::{AccessLevel, Decision, Standing, Viewer};
use tenon_domain::group::{self, GroupAction, GroupFacts, GroupStanding};
use tenon_domain::id::UserId;
use tenon_domain::issuable::{IssuableAction, IssuableFacts, TrackerFacts};
use tenon_domain::namespace::{Creation, CreationLevel};
use tenon_domain::project::{self, ProjectAction, ProjectFacts};
use tenon_domain::visibility::Visibility;
use tenon_domain::{issue, merge_request};

const COLUMNS: [(&str, Viewer, Option<AccessLevel>); 9] = [
    ("anonymous", Viewer::Anonymous, None),
    ("external", user(false, true), None),
    ("stranger", user(false, false), None),
    ("guest", user(false, false), Some(AccessLevel::Guest)),
    ("reporter", user(false, false), Some(AccessLevel::Reporter)),
    ("developer", user(false, false), Some(AccessLevel::Developer)),
    ("maintainer", user(false, false), Some(AccessLevel::Maintainer)),
    ("owner", user(false, false), Some(AccessLevel::Owner)),
    ("admin", user(true, false), None),
];

const fn user(admin: bool, external: bool) -> Viewer {
    Viewer::User { id: UserId::new(1), admin, external }
}

const fn mark(decision: Decision) -> &'static str {
    match decision {
        Decision::Allow => "yes",
        Decision::Deny => "no",
        Decision::Hide => "-",
    }
}

/// A table with the callers as columns. `yes`: allowed; `no`: refused openly; `-`: answered as if it did not exist.
fn grid(title: &str, rows: impl Iterator<Item = (String, [Decision; 9])>) -> String {
    let mut text = format!("{title:<34}");
    for (name, _, _) in COLUMNS {
        write!(text, "{name:>11}").unwrap();
    }
    for (row, decisions) in rows {
        write!(text, "\n{row:<34}").unwrap();
        for decision in decisions {
            write!(text, "{:>11}", mark(decision)).unwrap();
        }
    }
    text
}

fn project_grid(archived: bool) -> String {
    let rows = ProjectAction::ALL.into_iter().flat_map(move |action| {
        Visibility::ALL.into_iter().map(move |visibility| {
            let facts = ProjectFacts::whole(visibility, archived);
            let decide = |(_, viewer, level)| project::decide(&Standing { viewer, level }, facts, action);
            (format!("{action:?} {}", visibility.as_str()), COLUMNS.map(decide))
        })
    });
    grid(if archived { "archived project" } else { "project" }, rows)
}

#[test]
fn projects() {
    insta::assert_snapshot!(project_grid(false));
}

#[test]
fn without_issues_and_merge_requests_there_are_no_labels_and_milestones_for_anyone() {
    let facts = ProjectFacts { tracker: None, ..ProjectFacts::whole(Visibility::Public, false) };
    for (_, viewer, level) in COLUMNS {
        for action in [ProjectAction::ReadPlanning, ProjectAction::ManageLabels, ProjectAction::ManageMilestones] {
            assert_eq!(project::decide(&Standing { viewer, level }, facts, action), Decision::Deny);
        }
    }
}

#[test]
fn archived_projects() {
    insta::assert_snapshot!(project_grid(true));
}

/// One line for each kind of issue: whose it is, whether it is confidential, whether its discussion is locked.
fn issue_grid(archived: bool) -> String {
    let kinds = [
        ("", IssuableFacts::default()),
        (" own", IssuableFacts { own: true, ..IssuableFacts::default() }),
        (" locked", IssuableFacts { locked: true, ..IssuableFacts::default() }),
        (" confidential", IssuableFacts { confidential: true, ..IssuableFacts::default() }),
        (" confidential own", IssuableFacts { confidential: true, own: true, ..IssuableFacts::default() }),
    ];
    let rows = IssuableAction::ALL.into_iter().flat_map(move |action| {
        kinds.into_iter().flat_map(move |(kind, issue)| {
            [Visibility::Private, Visibility::Public].into_iter().map(move |visibility| {
                let tracker = TrackerFacts { visibility, archived, enabled: true };
                let decide = |(_, viewer, level)| issue::decide(&Standing { viewer, level }, tracker, issue, action);
                (format!("{action:?}{kind} {}", visibility.as_str()), COLUMNS.map(decide))
            })
        })
    });
    grid(if archived { "issue, archived project" } else { "issue" }, rows)
}

#[test]
fn issues() {
    insta::assert_snapshot!(issue_grid(false));
}

#[test]
fn issues_of_archived_projects() {
    insta::assert_snapshot!(issue_grid(true));
}

fn merge_request_grid(archived: bool) -> String {
    let kinds = [
        ("", IssuableFacts::default()),
        (" own", IssuableFacts { own: true, ..IssuableFacts::default() }),
        (" locked", IssuableFacts { locked: true, ..IssuableFacts::default() }),
    ];
    let rows = IssuableAction::ALL.into_iter().flat_map(move |action| {
        kinds.into_iter().flat_map(move |(kind, facts)| {
            [Visibility::Private, Visibility::Public].into_iter().map(move |visibility| {
                let home = TrackerFacts { visibility, archived, enabled: true };
                let decide =
                    |(_, viewer, level)| merge_request::decide(&Standing { viewer, level }, home, facts, action);
                (format!("{action:?}{kind} {}", visibility.as_str()), COLUMNS.map(decide))
            })
        })
    });
    grid(if archived { "merge request, archived project" } else { "merge request" }, rows)
}

#[test]
fn merge_requests() {
    insta::assert_snapshot!(merge_request_grid(false));
}

#[test]
fn merge_requests_of_archived_projects() {
    insta::assert_snapshot!(merge_request_grid(true));
}

#[test]
fn where_merge_requests_are_switched_off_no_one_reads_or_opens_one() {
    let home = TrackerFacts { visibility: Visibility::Public, archived: false, enabled: false };
    for (_, viewer, level) in COLUMNS {
        let standing = Standing { viewer, level };
        assert_eq!(merge_request::decide_home(&standing, home), Decision::Deny);
        for action in IssuableAction::ALL {
            let decision = merge_request::decide(&standing, home, IssuableFacts::default(), action);
            assert_ne!(decision, Decision::Allow);
        }
    }
}

#[test]
fn where_issues_are_switched_off_no_one_sees_or_opens_one() {
    let tracker = TrackerFacts { visibility: Visibility::Public, archived: false, enabled: false };
    for (_, viewer, level) in COLUMNS {
        let standing = Standing { viewer, level };
        assert_eq!(issue::decide_tracker(&standing, tracker), Decision::Deny);
        for action in IssuableAction::ALL {
            assert_eq!(issue::decide(&standing, tracker, IssuableFacts::default(), action), Decision::Hide);
        }
    }
}

/// A group of this visibility with the usual rules.
fn facts(visibility: Visibility) -> GroupFacts {
    GroupFacts { visibility, creation: Creation::default() }
}

#[test]
fn a_group_says_who_puts_something_into_it() {
    use CreationLevel::{Developer, Maintainer, NoOne, Owner};
    for (level, want) in [
        (NoOne, [false, false, false, false]),
        (Owner, [false, false, false, true]),
        (Maintainer, [false, false, true, true]),
        (Developer, [false, true, true, true]),
    ] {
        let creation = Creation { projects: level, subgroups: level };
        let group = GroupFacts { visibility: Visibility::Public, creation };
        let roles = [AccessLevel::Reporter, AccessLevel::Developer, AccessLevel::Maintainer, AccessLevel::Owner];
        for action in [GroupAction::CreateProject, GroupAction::CreateSubgroup] {
            let may = |viewer, level| {
                let standing = GroupStanding { standing: Standing { viewer, level }, reaches_below: false };
                group::decide(&standing, group, action) == Decision::Allow
            };
            assert_eq!(roles.map(|role| may(user(false, false), Some(role))), want, "{level:?} {action:?}");
            assert_eq!(may(user(true, false), None), level != NoOne, "an administrator, {level:?} {action:?}");
            assert!(!may(user(false, true), Some(AccessLevel::Owner)), "an external user, {level:?} {action:?}");
        }
    }
}

#[test]
fn groups() {
    let rows = GroupAction::ALL.into_iter().flat_map(|action| {
        Visibility::ALL.into_iter().map(move |visibility| {
            let decide = |(_, viewer, level)| {
                let standing = GroupStanding { standing: Standing { viewer, level }, reaches_below: false };
                group::decide(&standing, facts(visibility), action)
            };
            (format!("{action:?} {}", visibility.as_str()), COLUMNS.map(decide))
        })
    });
    insta::assert_snapshot!(grid("group", rows));
}

#[test]
fn a_member_of_something_below_sees_the_group_and_no_more() {
    let standing = Standing { viewer: user(false, false), level: None };
    let who = GroupStanding { standing, reaches_below: true };
    let decide = |action| group::decide(&who, facts(Visibility::Private), action);
    assert_eq!(decide(GroupAction::Read), Decision::Allow);
    assert_eq!(decide(GroupAction::ReadNamespace), Decision::Hide);
    assert_eq!(decide(GroupAction::CreateProject), Decision::Deny);
    assert_eq!(decide(GroupAction::Administer), Decision::Deny);
}
