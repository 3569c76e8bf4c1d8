//! The application behind a test server, with its administrator.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenon_app::repository::Repositories;
use tenon_app::{
    App, Limits, Objects, Parts, Passwords, RootCredentials, Secret, SshAddress, SystemEntropy, Vault, first_start,
};
use tenon_domain::time::TimeDelta;
use tenon_storage::Database;

use crate::clock::TestClock;

/// The token of the administrator `root`, who has the id 1.
pub const ROOT_TOKEN: &str = "root-token-of-every-test-server";

/// The key that seals secrets in tests.
const KEY: [u8; tenon_app::KEY_LENGTH] = [7; tenon_app::KEY_LENGTH];

/// Makes the administrator of every test server.
pub(crate) fn make_root(database: Database) {
    let folder = tempfile::tempdir().expect("a folder");
    let limits = Limits::without_rates();
    let repositories = repositories_in(folder.path(), &limits);
    let clock = Arc::<TestClock>::default();
    // Before all events on the server of a test.
    clock.advance(-TimeDelta::seconds(1));
    drop(application(parts(database, folder.path(), &clock, limits, repositories)));
}

/// The parts of an application that no test asks for in particular.
pub(crate) fn parts(
    database: Database,
    folder: &Path,
    clock: &Arc<TestClock>,
    limits: Limits,
    repositories: Repositories,
) -> Parts {
    Parts {
        database,
        objects: Objects::in_folder(&files_in(folder)).expect("an object store"),
        repositories,
        clock: Arc::<TestClock>::clone(clock),
        entropy: Arc::new(SystemEntropy),
        vault: Vault::new(&KEY),
        base_url: "http://localhost".to_owned(),
        own_addresses: Vec::new(),
        ssh: SshAddress::default(),
        limits,
        passwords: Passwords::quick(),
        highlighter: None,
        mail: None,
        providers: Vec::new(),
        backups: None,
        crash_points: None,
    }
}

/// An application with its administrator.
pub(crate) fn application(parts: Parts) -> App {
    let app = App::new(parts).expect("an application");
    let root =
        RootCredentials { password: Some(Secret::given("root password")), token: Some(Secret::given(ROOT_TOKEN)) };
    first_start(&app, root).expect("an administrator");
    app
}

/// The folder of avatars and uploads in the folder of a server.
pub(crate) fn files_in(folder: &Path) -> PathBuf {
    folder.join("objects")
}

/// Pushes are not checked here: hooks need a program of their own, which is the real binary.
pub(crate) fn repositories_in(folder: &Path, limits: &Limits) -> Repositories {
    Repositories::in_folder(folder, None, limits).expect("a usable git")
}
