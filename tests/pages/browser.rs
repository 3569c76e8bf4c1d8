//! A browser without script: it keeps cookies, and sends forms as pages have them.

use std::cell::RefCell;
use std::collections::BTreeMap;

use regex::Regex;
use tenon_testkit::{Client, Reply, TestServer};

/// A browser that has no cookies yet.
pub(crate) struct Browser {
    client: Client,
    cookies: RefCell<BTreeMap<String, String>>,
}

/// An answer, which is HTML or leads elsewhere.
pub(crate) struct Page {
    pub(crate) reply: Reply,
    pub(crate) html: String,
}

impl Browser {
    pub(crate) fn of(server: &TestServer) -> Self {
        Self { client: server.anonymous(), cookies: RefCell::default() }
    }

    /// A browser in which the user has signed in.
    pub(crate) fn signed_in(server: &TestServer, login: &str, password: &str) -> Self {
        let browser = Self::of(server);
        let page = browser.sign_in(login, password);
        assert_eq!(page.reply.status(), 302, "{}", page.html);
        browser
    }

    pub(crate) fn sign_in(&self, login: &str, password: &str) -> Page {
        let page = self.get("/users/sign_in");
        page.submit(self, "/users/sign_in", &[("user[login]", login), ("user[password]", password)])
    }

    pub(crate) fn get(&self, path: &str) -> Page {
        self.send("GET", path, &[], &[])
    }

    /// POST of these fields, and nothing else.
    pub(crate) fn post(&self, path: &str, fields: &[(&str, &str)]) -> Page {
        self.send("POST", path, fields, &[])
    }

    pub(crate) fn send(&self, method: &str, path: &str, fields: &[(&str, &str)], headers: &[(&str, &str)]) -> Page {
        let cookies: Vec<String> =
            self.cookies.borrow().iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut client = self.client.header("X-Test", "browser");
        if !cookies.is_empty() {
            client = client.header("Cookie", &cookies.join("; "));
        }
        for (name, value) in headers {
            client = client.header(name, value);
        }
        let encode =
            |text: &str| {
                text.bytes()
                    .map(|byte| {
                        if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") }
                    })
                    .collect::<String>()
            };
        let body: Vec<String> =
            fields.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
        let kind = (method != "GET").then_some("application/x-www-form-urlencoded");
        let reply = client.send(method, &format!("/{path}"), kind, body.join("&").into_bytes());
        self.keep_cookies(&reply);
        let html = reply.text();
        Page { reply, html }
    }

    fn keep_cookies(&self, reply: &Reply) {
        for line in reply.headers().get_all("set-cookie") {
            let line = line.to_str().expect("a cookie");
            let (pair, attributes) = line.split_once(';').expect("attributes");
            assert!(attributes.contains("HttpOnly") && attributes.contains("SameSite=Lax"), "{line}");
            let (name, value) = pair.split_once('=').expect("a name");
            if attributes.contains("Max-Age=0") {
                self.cookies.borrow_mut().remove(name);
            } else {
                self.cookies.borrow_mut().insert(name.to_owned(), value.to_owned());
            }
        }
    }

    /// The value of a cookie; empty where there is none.
    pub(crate) fn cookie(&self, name: &str) -> String {
        self.cookies.borrow().get(name).cloned().unwrap_or_default()
    }

    pub(crate) fn set_cookie(&self, name: &str, value: &str) {
        self.cookies.borrow_mut().insert(name.to_owned(), value.to_owned());
    }
}

impl Page {
    #[track_caller]
    pub(crate) fn assert_status(self, want: u16) -> Self {
        assert_eq!(self.reply.status(), want, "{}", self.html);
        self
    }

    /// Where the answer leads.
    #[track_caller]
    pub(crate) fn location(&self) -> String {
        assert!(matches!(self.reply.status(), 302 | 303), "{}: {}", self.reply.status(), self.html);
        self.reply.header("location")
    }

    /// The token of the page's forms.
    #[track_caller]
    pub(crate) fn token(&self) -> String {
        first(&self.html, r#"name="authenticity_token" value="([^"]+)""#)
    }

    /// Sends a form of the page: its token and hidden fields, and these fields.
    #[track_caller]
    pub(crate) fn submit(&self, browser: &Browser, path: &str, fields: &[(&str, &str)]) -> Page {
        let form = Regex::new(&format!(r#"(?s)<form method="post" action="{}".*?</form>"#, regex::escape(path)));
        let form =
            form.expect("a pattern").find(&self.html).unwrap_or_else(|| panic!("a form to {path} in {}", self.html));
        let hidden = Regex::new(r#"<input type="hidden" name="([^"]+)" value="([^"]*)">"#).expect("a pattern");
        let hidden: Vec<(String, String)> =
            hidden.captures_iter(form.as_str()).map(|field| (plain(&field[1]), plain(&field[2]))).collect();
        let mut all: Vec<(&str, &str)> = hidden.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        all.extend(fields);
        browser.post(&plain(path), &all)
    }

    /// The queries that links of the page add to its own address.
    pub(crate) fn queries(&self) -> Vec<String> {
        let links = Regex::new("href=\"(\\?[^\"#]*)").expect("a pattern");
        links.captures_iter(&self.html).map(|link| plain(&link[1])).collect()
    }

    /// The addresses of all links of the page that lead to this server.
    pub(crate) fn links(&self) -> Vec<String> {
        let links = Regex::new("href=\"(/[^\"#]*)").expect("a pattern");
        links.captures_iter(&self.html).map(|link| plain(&link[1])).collect()
    }
}

/// The first match of the group of a pattern.
#[track_caller]
pub(crate) fn first(html: &str, pattern: &str) -> String {
    let found = Regex::new(pattern).expect("a pattern").captures(html);
    found.map_or_else(|| panic!("{pattern} in {html}"), |found| found[1].to_owned())
}

fn plain(text: &str) -> String {
    text.replace("&#38;", "&")
        .replace("&amp;", "&")
        .replace("&#39;", "'")
        .replace("&#34;", "\"")
        .replace("&#60;", "<")
        .replace("&#62;", ">")
}
