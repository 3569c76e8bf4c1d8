//! The rules alone, linked by a program that has its own database: may this person rename that project?

use tenon_domain::access::{AccessLevel, Decision, Standing, Viewer};
use tenon_domain::id::UserId;
use tenon_domain::project::{ProjectAction, ProjectFacts, decide};
use tenon_domain::visibility::Visibility;

fn main() {
    let facts = ProjectFacts::whole(Visibility::Internal, false);
    let viewer = Viewer::User { id: UserId::new(7), admin: false, external: false };
    let maintainer = Standing { viewer, level: Some(AccessLevel::Maintainer) };
    assert_eq!(decide(&maintainer, facts, ProjectAction::Edit), Decision::Allow);
    assert_eq!(decide(&maintainer, facts, ProjectAction::Administer), Decision::Deny);
    let anonymous = Standing { viewer: Viewer::Anonymous, level: None };
    assert_eq!(decide(&anonymous, facts, ProjectAction::Read), Decision::Hide);
}
