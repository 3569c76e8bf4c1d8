//! One server to a data folder, and one to a database.

use std::process::Output;

use serde_json::json;
use tenon_testkit::Backend;

use crate::process::{Serving, database, run, tenon, text};

/// Tries to serve, and says how that ended.
fn second(folder: &std::path::Path, url: &str) -> Output {
    let folder = folder.to_str().unwrap();
    let arguments =
        ["serve", "--data-dir", folder, "--listen", "127.0.0.1:0", "--ssh-listen", "off", "--database-url", url];
    tenon(&arguments).output().unwrap()
}

/// The complaint of a process that has ended with 1.
#[track_caller]
fn refused(ended: &Output) -> String {
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert_eq!(text(ended), "");
    String::from_utf8(ended.stderr.clone()).unwrap()
}

#[test]
fn a_second_server_on_a_data_folder_is_refused_with_the_process_of_the_first() {
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        let folder = tempfile::tempdir().unwrap();
        let (_database, url) = database(backend, folder.path());
        let first = Serving::start(folder.path(), &url);
        let complaint = refused(&second(folder.path(), &url));
        assert!(complaint.contains(&format!("(process {})", first.id())), "{complaint}");
        assert!(complaint.contains("serves the data folder") && complaint.contains("--data-dir"), "{complaint}");
        // The commands of an administrator work beside it, and so does the first one.
        let data = folder.path().to_str().unwrap();
        let admin =
            |arguments: &[&str]| run(&[&["--data-dir", data, "--database-url", &url, "admin"], arguments].concat());
        let made = admin(&["token", "create", "--user", "root", "--name", "beside", "--scopes", "api"]);
        assert_eq!(made.status.code(), Some(0), "{made:?}");
        assert_eq!(admin(&["jobs"]).status.code(), Some(0));
        first.root().post("/projects", json!({"path": "p"})).assert_status(201).json();
        // However it ends, the next one may begin at once.
        first.kill();
        let next = Serving::start(folder.path(), &url);
        assert_eq!(next.root().get("/projects/root%2Fp").status(), 200);
        assert_eq!(next.terminate().code(), Some(0));
        assert_eq!(Serving::start(folder.path(), &url).terminate().code(), Some(0));
    }
}

#[test]
fn a_second_server_on_a_database_is_refused_with_the_process_of_the_first() {
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        let shared = tempfile::tempdir().unwrap();
        let (_database, url) = database(backend, shared.path());
        let [one, other] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let first = Serving::start(one.path(), &url);
        let complaint = refused(&second(other.path(), &url));
        assert!(complaint.contains(&format!("process {}", first.id())), "{complaint}");
        assert!(complaint.contains("--database-url"), "{complaint}");
        first.kill();
        assert_eq!(Serving::start(other.path(), &url).terminate().code(), Some(0));
    }
}
