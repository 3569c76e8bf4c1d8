//! The groups with which a project may be shared.

use serde_json::json;
use tenon_app::error::AppError;
use tenon_app::project::{self, ShareProject};
use tenon_app::{Command, Reference};
use tenon_domain::access::AccessLevel;
use tenon_domain::id::NamespaceId;
use tenon_testkit::{TestServer, both_databases};

use crate::{member, of, project as project_of, wait};

#[both_databases]
fn a_share_makes_no_owner_of_a_project(server: &TestServer) {
    let (ada, bob) = (server.user("ada"), server.user("bob"));
    let id = project_of(&ada, "tool", "private");
    member(&ada, id, &bob, 40);
    let crew = bob.post("/groups", json!({"name": "crew", "path": "crew"})).assert_status(201).json()["id"]
        .as_i64()
        .expect("an id");
    let share = |level| {
        let request = ShareProject { group: NamespaceId::new(crew), level, expires_at: None };
        let work = move |command: &mut Command<'_>| project::share(command, &Reference::Id(id), request);
        wait(server.app().write(&of(&bob), work))
    };
    let refused = share(AccessLevel::Owner);
    let is_named =
        matches!(&refused, Err(AppError::Invalid(fields)) if fields.iter().any(|(field, _)| field == "group_access"));
    assert!(is_named, "{refused:?}");
    let (_, shared) = share(AccessLevel::Maintainer).expect("a share");
    assert_eq!(shared.level, AccessLevel::Maintainer);
}
