//! Mail about events of issues and merge requests: its recipients, and its content.

mod accounts;
mod budget;
mod content;
mod edits;
mod recipients;
mod unsubscribe;

use tenon_testkit::{Mail, TestServer};

/// Runs the waiting jobs, and yields the mails to the user of this name.
#[track_caller]
fn mails(server: &TestServer, name: &str) -> Vec<Mail> {
    server.run_jobs();
    server.mails(&format!("{name}@example.org"))
}

/// The only mail to the user of this name.
#[track_caller]
fn only_mail(server: &TestServer, name: &str) -> Mail {
    let mut mails = mails(server, name);
    assert_eq!(mails.len(), 1, "{name}: {mails:?}");
    mails.remove(0)
}

/// The users of these names who get a mail now. Each gets one.
#[track_caller]
fn who(server: &TestServer, names: &[&str]) -> Vec<String> {
    let got = names.iter().filter(|name| {
        let mails = mails(server, name);
        assert!(mails.len() <= 1, "{name}: {mails:?}");
        !mails.is_empty()
    });
    got.map(|name| (*name).to_owned()).collect()
}
