//! Writes that wait for the same turn are committed together, and each is still all or nothing by itself.

use std::sync::mpsc;

use tenon_app::Command;
use tenon_app::error::AppError;
use tenon_app::identity::{Credential, Guard, Identity};
use tenon_app::project::{self, CreateProject};
use tenon_domain::token::ScopeRule;
use tenon_testkit::{ROOT_TOKEN, TestServer, both_databases};

fn root() -> Identity {
    Identity {
        credential: Some(Credential::Token(ROOT_TOKEN.to_owned())),
        sudo: None,
        guard: Guard::SignedIn,
        scopes: ScopeRule::Api,
        reads: false,
    }
}

fn make(command: &mut Command<'_>, name: &str) -> Result<(), AppError> {
    project::create(command, CreateProject { name: Some(name.to_owned()), ..CreateProject::default() }).map(drop)
}

fn names(server: &TestServer) -> Vec<String> {
    let listed = server.root().get("/projects?order_by=name&sort=asc").assert_status(200);
    listed.each("path").iter().map(|path| path.as_str().expect("a text").to_owned()).collect()
}

/// Has a write wait in its transaction until four others wait behind it, and then ends it like this.
fn pile_up(server: &TestServer, first: Result<(), AppError>) -> [Result<(), AppError>; 5] {
    let (app, identity) = (server.app(), &root());
    let (release, released) = mpsc::channel();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let (first, kept, refused, broken, also_kept, ()) = runtime.block_on(async {
        tokio::join!(
            app.write(identity, move |command| {
                make(command, "first")?;
                released.recv().map_err(|_gone| AppError::internal("it was not released"))?;
                first
            }),
            app.write(identity, |command| make(command, "kept")),
            app.write(identity, |command| make(command, "refused").and(Err(AppError::Forbidden))),
            app.write(identity, |command| -> Result<(), AppError> {
                make(command, "broken")?;
                std::panic::resume_unwind(Box::new("as a test wants it"))
            }),
            app.write(identity, |command| make(command, "also-kept")),
            async move { release.send(()).expect("a receiver") },
        )
    });
    [first, kept, refused, broken, also_kept]
}

#[both_databases]
fn what_one_write_undoes_is_its_own(server: &TestServer) {
    let [first, kept, refused, broken, also_kept] = pile_up(server, Ok(()));
    assert!(first.is_ok() && kept.is_ok() && also_kept.is_ok());
    assert!(matches!(refused, Err(AppError::Forbidden)) && matches!(broken, Err(AppError::Internal(_))));
    assert_eq!(names(server), ["also-kept", "first", "kept"]);
}

#[both_databases]
fn those_behind_a_refused_write_are_kept(server: &TestServer) {
    let [first, kept, refused, _, also_kept] = pile_up(server, Err(AppError::Forbidden));
    assert!(matches!(first, Err(AppError::Forbidden)) && matches!(refused, Err(AppError::Forbidden)));
    assert!(kept.is_ok() && also_kept.is_ok());
    assert_eq!(names(server), ["also-kept", "kept"]);
}
