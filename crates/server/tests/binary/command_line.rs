//! Configuration, first start, and `tenon admin`.

use crate::process::{Serving, TOKEN, database, run, tenon, text};
use tenon_testkit::{Backend, DatabaseUrl, TestDatabase};

#[test]
fn a_wrong_setting_is_named_and_ends_with_2() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let file = folder.path().join("tenon.toml");
    std::fs::write(&file, "colour = 'blue'").unwrap();
    let file = file.to_str().unwrap();
    for (arguments, names) in [
        (["--listen", "nowhere"], "--listen"),
        (["--ssh-listen", "nowhere"], "--ssh-listen"),
        (["--ssh-host", "a b"], "--ssh-host"),
        (["--database-url", "mysql://x"], "--database-url"),
        (["--base-url", "git.example.org"], "--base-url"),
        (["--root-token", "short"], "TENON_ROOT_TOKEN"),
        (["--config", file], "colour"),
        (["--config", "/does/not/exist"], "/does/not/exist"),
        (["--trusted-proxies", "everybody"], "--trusted-proxies"),
        (["--monitoring-allowlist", "everyone"], "--monitoring-allowlist"),
    ] {
        let output = tenon(&["--data-dir", data, "--listen", "127.0.0.1:0"])
            .env("TENON_SSH_LISTEN", "127.0.0.1:0")
            .args(arguments)
            .output();
        let output = match arguments[0] {
            // Given once only.
            "--listen" => run(&["--data-dir", data, "--listen", "nowhere"]),
            _ => output.unwrap(),
        };
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {complaint}");
        assert!(complaint.contains(names), "{arguments:?}: {complaint}");
    }
}

#[test]
fn the_first_start_tells_what_to_do_and_the_second_keeps_silent() {
    let folder = tempfile::tempdir().unwrap();
    let (_database, url) = database(Backend::Sqlite, folder.path());
    let first = Serving::start(folder.path(), &url);
    let greeting = first.greeting();
    for part in [
        "serves http://127.0.0.1:",
        "listens on",
        "host key SHA256:",
        "data in",
        "SQLite",
        "password  ",
        "tenon admin token create",
    ] {
        assert!(greeting.contains(part), "{part}: {greeting}");
    }
    assert_eq!(first.root().get("/user").assert_status(200).json()["username"], "root");
    assert_eq!(first.anonymous().get("//-/readiness").assert_status(200).json()["status"], "ok");
    assert_eq!(first.terminate().code(), Some(0));
    let second = Serving::start(folder.path(), &url);
    assert!(!second.greeting().contains("password  "));
    assert_eq!(second.root().get("/user").status(), 200);
}

#[test]
fn the_command_line_shows_which_jobs_were_given_up_and_why() {
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        let folder = tempfile::tempdir().unwrap();
        let database = TestDatabase::new(backend);
        let url = match database.url() {
            DatabaseUrl::Sqlite(path) => format!("sqlite:{}", path.display()),
            DatabaseUrl::Postgres(url) => url.clone(),
        };
        let shown =
            || text(&run(&["--data-dir", folder.path().to_str().unwrap(), "--database-url", &url, "admin", "jobs"]));
        assert!(shown().lines().any(|line| line.split_whitespace().eq(["git", "0", "0", "0", "0"])), "{}", shown());
        database.execute(
            "INSERT INTO jobs (kind, payload, queue, user_id, run_at, created_at, failures, deaths, dead, last_error)
             VALUES ('read_messages', '{}', 'git', 7, '2026-01-01 00:00:00', '2026-01-01 00:00:00', 12, 1, TRUE, 'failed')",
        );
        let all = shown();
        assert!(all.lines().any(|line| line.split_whitespace().eq(["git", "0", "0", "0", "1"])), "{all}");
        assert!(all.contains("read_messages for user 7, queued at 2026-01-01 00:00:00; failures: 12, crashes: 1"));
        assert!(all.contains("    failed: failed"), "{all}");
    }
}

#[test]
fn the_command_line_makes_users_and_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let admin = |arguments: &[&str]| run(&[&["--data-dir", data, "admin"], arguments].concat());
    let made = admin(&["user", "create", "--username", "ada", "--email", "ada@example.org"]);
    assert!(text(&made).contains("Created user ada") && text(&made).contains("Password: "), "{made:?}");
    let twice = admin(&["user", "create", "--username", "ada", "--email", "ada@example.org"]);
    assert_eq!((twice.status.code(), text(&twice).as_str()), (Some(1), ""));
    assert!(text(&admin(&["user", "list"])).lines().any(|line| line.contains("ada@example.org")));
    assert!(text(&admin(&["user", "reset-password", "--username", "ada"])).contains("Password: "));
    let disabled = admin(&["user", "disable-two-factor", "--username", "ada"]);
    assert_eq!(text(&disabled), "Two-factor authentication is not enabled for ada.\n");
    assert_eq!(admin(&["user", "disable-two-factor", "--username", "no-one"]).status.code(), Some(1));

    let token = admin(&["token", "create", "--user", "ada", "--name", "first", "--scopes", "api"]);
    let secret = text(&token);
    assert!(secret.ends_with('\n') && !secret.trim().contains(char::is_whitespace), "{secret:?}");
    let (_database, url) = database(Backend::Sqlite, folder.path());
    let serving = Serving::start(folder.path(), &url);
    let ada = tenon_testkit::Client::new(serving.root().base(), Some(secret.trim()));
    assert_eq!(ada.get("/user").assert_status(200).json()["username"], "ada");

    let unknown = admin(&["token", "create", "--user", "no-one", "--name", "x", "--scopes", "api"]);
    assert_eq!(unknown.status.code(), Some(1));
    let scope = admin(&["token", "create", "--user", "ada", "--name", "x", "--scopes", "everything"]);
    assert!(String::from_utf8_lossy(&scope.stderr).contains("everything"));
}

#[test]
fn the_command_line_sends_a_mail_to_see_whether_it_arrives() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let mails = folder.path().join("mails");
    let route = format!("file:{}", mails.display());
    let test = ["admin", "mail", "test", "ada@example.org"];
    let off = run(&[&["--data-dir", data], &test[..]].concat());
    let complaint = String::from_utf8_lossy(&off.stderr).into_owned();
    assert!(off.status.code() == Some(1) && complaint.contains("TENON_MAIL"), "{complaint}");
    let on = ["--data-dir", data, "--mail", &route, "--mail-from", "Tenon <tenon@example.org>"];
    let sent = run(&[&on, &test[..]].concat());
    assert_eq!(sent.status.code(), Some(0), "{}", text(&sent));
    let mail = std::fs::read_dir(&mails).unwrap().next().unwrap().unwrap();
    let mail = std::fs::read_to_string(mail.path()).unwrap();
    assert!(mail.contains("To: ada@example.org") && mail.contains("Subject: Test email"), "{mail}");
    let wrong = run(&[&on, &["admin", "mail", "test", "no address"][..]].concat());
    assert_eq!(wrong.status.code(), Some(1), "{}", text(&wrong));
    for (remove, says) in [(&[][..], "has not unsubscribed"), (&["--remove"], "to 0 services.")] {
        let looked = run(&[&on, &["admin", "mail", "suppressed", "ada@example.org"][..], remove].concat());
        assert!(looked.status.success() && text(&looked).contains(says), "{}", text(&looked));
    }
}

#[test]
fn the_doctor_finds_a_lost_key() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let (_database, url) = database(Backend::Sqlite, folder.path());
    let serving = Serving::start(folder.path(), &url);
    serving.root().post("/projects", serde_json::json!({"name": "Tool"})).assert_status(201).json();
    serving.terminate();
    assert_eq!(run(&["--data-dir", data, "admin", "doctor"]).status.code(), Some(0));
    std::fs::write(folder.path().join("secret.key"), "00".repeat(32)).unwrap();
    let output = run(&["--data-dir", data, "admin", "doctor"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("!!  secret key"), "{}", text(&output));
}

#[test]
fn the_token_of_the_environment_is_not_made_twice() {
    let folder = tempfile::tempdir().unwrap();
    let (_database, url) = database(Backend::Sqlite, folder.path());
    for _ in 0..2 {
        let serving = Serving::start(folder.path(), &url);
        let tokens = serving.root().get("/personal_access_tokens").assert_status(200);
        assert_eq!(tokens.json().as_array().unwrap().len(), 1);
        assert!(!tokens.text().contains(TOKEN));
        serving.terminate();
    }
}
