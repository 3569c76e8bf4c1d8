//! Values written as text: positions in differences, and addresses of databases.

use std::path::PathBuf;

use tenon_domain::note::DiffPosition;
use tenon_storage::note::position::{decode, encode};
use tenon_storage::{DatabaseUrl, InvalidDatabaseUrl};

#[test]
fn a_stored_position_comes_back() {
    let position = DiffPosition {
        base: "a".repeat(40),
        start: "b".repeat(40),
        head: "c".repeat(40),
        old_path: "a \"quoted\" name".to_owned(),
        new_path: "b".to_owned(),
        old_line: None,
        new_line: Some(7),
    };
    assert_eq!(decode(&encode(&position)), Some(position));
    assert_eq!(decode("{}"), None);
}

#[test]
fn the_scheme_chooses_the_database() {
    let sqlite = |path: &str| Ok(DatabaseUrl::Sqlite(PathBuf::from(path)));
    assert_eq!("sqlite:data/x.db".parse(), sqlite("data/x.db"));
    assert_eq!("sqlite:///srv/x.db".parse(), sqlite("/srv/x.db"));
    assert_eq!("mysql://x".parse::<DatabaseUrl>(), Err(InvalidDatabaseUrl));
    assert_eq!("sqlite:".parse::<DatabaseUrl>(), Err(InvalidDatabaseUrl));
}

#[test]
fn a_printed_url_has_no_password() {
    let url: DatabaseUrl = "postgres://tenon:secret@db.example/tenon?sslmode=disable".parse().unwrap();
    assert_eq!(url.to_string(), "PostgreSQL db.example/tenon");
}
