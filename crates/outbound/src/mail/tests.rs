//! How mail is written, and which texts are routes.

use super::*;

fn mail() -> Mail {
    Mail {
        to: "ada@example.org".to_owned(),
        from_name: Some("Bob".to_owned()),
        from_address: None,
        subject: "Tool | It breaks (#1)".to_owned(),
        message_id: "issue_1@tenon.example".to_owned(),
        in_reply_to: None,
        headers: vec![("X-GitLab-Project", "Tool".to_owned())],
        text: "It breaks.\n".to_owned(),
        html: None,
        at: SystemTime::UNIX_EPOCH,
    }
}

fn mailer() -> Mailer {
    let transport = Transport::Folder(PathBuf::new());
    Mailer { transport, from: "Tenon <tenon@example.org>".parse::<MailSender>().unwrap().0 }
}

fn written(mail: &Mail) -> String {
    String::from_utf8(mailer().written(mail).unwrap().formatted()).unwrap()
}

/// The lines of the head.
fn head(mail: &Mail) -> Vec<String> {
    let text = written(mail);
    let (head, _) = text.split_once("\r\n\r\n").unwrap();
    head.replace("\r\n ", " ").split("\r\n").map(str::to_owned).collect()
}

#[test]
fn a_mail_has_its_headers_and_its_text() {
    let reply = Mail { in_reply_to: Some("issue_1@tenon.example".to_owned()), ..mail() };
    let head = head(&reply);
    for line in [
        "From: Bob <tenon@example.org>",
        "To: ada@example.org",
        "Subject: Tool | It breaks (#1)",
        "Message-ID: <issue_1@tenon.example>",
        "In-Reply-To: <issue_1@tenon.example>",
        "References: <issue_1@tenon.example>",
        "X-GitLab-Project: Tool",
        "Date: Thu, 01 Jan 1970 00:00:00 +0000",
    ] {
        assert!(head.iter().any(|known| known == line), "{line} in {head:#?}");
    }
    let text = written(&mail());
    assert!(text.ends_with("\r\n\r\nIt breaks.\r\n"), "{text:?}");
}

#[test]
fn html_follows_the_text() {
    let text = written(&Mail { html: Some("<p>It <b>breaks</b>.</p>".to_owned()), ..mail() });
    let (plain, html) = (text.find("text/plain").unwrap(), text.find("text/html").unwrap());
    assert!(text.contains("multipart/alternative") && plain < html);
}

#[test]
fn nothing_of_a_mail_makes_another_header() {
    let attack = "a\r\nBcc: eve@example.org\r\n\r\nbody";
    let hostile = Mail {
        subject: attack.to_owned(),
        from_name: Some(attack.to_owned()),
        headers: vec![("X-GitLab-Project", attack.to_owned())],
        ..mail()
    };
    let head = head(&hostile);
    assert!(!head.iter().any(|line| line.to_lowercase().starts_with("bcc")), "{head:#?}");
    assert!(head.iter().any(|line| line.contains("a  Bcc: eve@example.org    body")));
    for wrong in [
        Mail { to: "ada@example.org\r\nBcc: eve@example.org".to_owned(), ..mail() },
        Mail { to: "ada@example.org, eve@example.org".to_owned(), ..mail() },
        Mail { to: String::new(), ..mail() },
        Mail { message_id: "a>\r\nBcc: b@c".to_owned(), ..mail() },
        Mail { in_reply_to: Some("none".to_owned()), ..mail() },
        Mail { headers: vec![("X-A: b\r\nBcc", String::new())], ..mail() },
    ] {
        assert!(matches!(mailer().written(&wrong), Err(MailError::Unwritable(_))));
    }
}

#[test]
fn other_alphabets_are_encoded() {
    let text = written(&Mail { subject: "Grüße".to_owned(), text: "Grüße =_tenon_part".to_owned(), ..mail() });
    assert!(text.is_ascii());
    assert!(!text.contains("=_tenon_part"), "what ends a part cannot be said in one");
}

#[test]
fn a_mail_that_is_too_large_is_not_sent() {
    let error = mailer().send(&mail(), 10).unwrap_err();
    assert!(matches!(error, MailError::TooLarge(size) if size > 100));
}

#[test]
fn a_folder_keeps_each_mail_once() {
    let folder = std::env::temp_dir().join(format!("tenon-mail-{}", std::process::id()));
    let from = || "tenon@example.org".parse::<MailSender>().unwrap_or_else(|error| panic!("{error}"));
    let route: MailRoute = format!("file:{}", folder.display()).parse().unwrap_or_else(|error| panic!("{error}"));
    let mailer = Mailer::new(route, from(), "tenon.example").unwrap();
    for _ in 0..2 {
        mailer.send(&mail(), 10_000).unwrap();
    }
    let names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["issue_1@tenon.example.ada@example.org.eml"]);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_route_says_how_mail_is_encrypted() {
    let route = |text: &str| text.parse::<MailRoute>().map(|route| route.0).map_err(|error| error.to_string());
    let smtp = |text: &str| match route(text) {
        Ok(Route::Smtp { host, port, account, encryption }) => (host, port, account, encryption),
        Ok(Route::Folder(_)) => panic!("{text} is a folder"),
        Err(error) => panic!("{text}: {error}"),
    };
    let account = |user: &str, password: &str| Some((user.to_owned(), password.to_owned()));
    let host = || "mail.example".to_owned();
    let secure = smtp("smtps://ada%40x:p%3Aw@mail.example");
    assert!(secure == (host(), 465, account("ada@x", "p:w"), Encryption::Implicit));
    assert!(smtp("smtp://mail.example:2525") == (host(), 2525, None, Encryption::StartTls));
    assert!(smtp("smtp://mail.example?tls=none") == (host(), 25, None, Encryption::None));
    assert!(route("file:/var/mail") == Ok(Route::Folder("/var/mail".into())));
    for (wrong, why) in [
        ("mail.example", "neither an address"),
        ("http://mail.example", "begins with neither"),
        ("smtps://mail.example?tls=none", "tls can only be none"),
        ("smtp://mail.example?tls=maybe", "tls can only be none"),
        ("smtp://ada:pw@mail.example?tls=none", "without encryption"),
        ("smtps://ada@mail.example", "the password is missing"),
        ("file:", "the folder is missing"),
    ] {
        let error = route(wrong).err().unwrap();
        assert!(error.contains(why), "{wrong}: {error}");
        assert!(!error.contains("pw"));
    }
}

#[test]
fn a_sender_is_one_address() {
    for good in ["tenon@example.org", "Tenon <tenon@example.org>"] {
        assert!(good.parse::<MailSender>().is_ok(), "{good}");
    }
    for wrong in ["", "tenon", "a@example.org\r\nBcc: b@example.org", "a@example.org, b@example.org"] {
        assert!(wrong.parse::<MailSender>().is_err(), "{wrong:?}");
    }
}

/// A mail server on this machine for one connection, which answers `RCPT` so; yields what it was sent.
fn mail_server(recipient: &'static str) -> (u16, std::thread::JoinHandle<String>) {
    use std::io::{BufRead as _, BufReader, Write as _};

    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let served = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap());
        let (mut sent, mut is_data) = (String::new(), false);
        stream.write_all(b"220 here\r\n").unwrap();
        loop {
            let mut line = String::new();
            if lines.read_line(&mut line).unwrap_or(0) == 0 {
                return sent;
            }
            sent += &line;
            is_data = is_data && line != ".\r\n";
            let answer = match line.split([' ', '\r']).next().unwrap() {
                _ if is_data => continue,
                "DATA" => {
                    is_data = true;
                    "354 go on"
                }
                "RCPT" => recipient,
                "QUIT" => "221 bye",
                _ => "250 ok",
            };
            stream.write_all(format!("{answer}\r\n").as_bytes()).unwrap();
        }
    });
    (port, served)
}

fn by_smtp(port: u16) -> Mailer {
    let route: MailRoute =
        format!("smtp://127.0.0.1:{port}?tls=none").parse().unwrap_or_else(|error| panic!("{error}"));
    let from: MailSender = "tenon@example.org".parse().unwrap_or_else(|error| panic!("{error}"));
    Mailer::new(route, from, "tenon.example").unwrap()
}

#[test]
fn a_mail_server_gets_the_mail() {
    let (port, served) = mail_server("250 ok");
    let mailer = by_smtp(port);
    mailer.send(&mail(), 10_000).unwrap();
    drop(mailer);
    let sent = served.join().unwrap();
    for line in ["EHLO tenon.example", "MAIL FROM:<tenon@example.org>", "RCPT TO:<ada@example.org>", "It breaks."] {
        assert!(sent.contains(line), "{line} in {sent}");
    }
}

#[test]
fn a_refusal_names_no_address() {
    let (port, served) = mail_server("550 no such user ada@example.org");
    let mailer = by_smtp(port);
    let error = mailer.send(&mail(), 10_000).unwrap_err();
    assert_eq!(error.to_string(), "the mail server answered 550");
    drop(mailer);
    served.join().unwrap();
    // Nothing listens there any more.
    let error = by_smtp(port).send(&mail(), 10_000).unwrap_err();
    assert!(matches!(error, MailError::Unavailable(_)), "{error}");
}

#[test]
fn a_mail_from_another_address_names_who_sends_it() {
    let head = head(&Mail { from_address: Some("bob@example.org".to_owned()), ..mail() });
    assert!(head.contains(&"From: Bob <bob@example.org>".to_owned()), "{head:?}");
    assert!(head.contains(&"Sender: Tenon <tenon@example.org>".to_owned()), "{head:?}");
    let wrong = Mail { from_address: Some("bob".to_owned()), ..mail() };
    assert!(matches!(mailer().written(&wrong), Err(MailError::Unwritable(_))));
}
