//! A browser without script: it keeps cookies, and sends forms as pages have them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use regex::Regex;
use tenon_testkit::{Client, Multipart, Reply, TestServer};

/// A browser that has no cookies yet.
pub(crate) struct Browser {
    client: Client,
    cookies: RefCell<BTreeMap<String, String>>,
}

/// An answer, which is HTML or leads elsewhere. If the page says that there is none, `html` lacks the parts that depend
/// on the caller and the address.
pub(crate) struct Page {
    pub(crate) reply: Reply,
    pub(crate) html: String,
}

/// A field of a form, as a page has it.
struct Field {
    is_hidden: bool,
    name: String,
    value: String,
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
        let mut client = self.with_cookies();
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
        self.page(client.send(method, &format!("/{path}"), kind, body.join("&").into_bytes()))
    }

    fn page(&self, reply: Reply) -> Page {
        self.keep_cookies(&reply);
        let html = if reply.status() == 404 { of_anyone(&reply.text()) } else { reply.text() };
        Page { reply, html }
    }

    /// POST of a form with files.
    pub(crate) fn upload(&self, path: &str, form: &Multipart) -> Page {
        self.upload_with(path, form, &[])
    }

    /// As [`Browser::upload`], with these headers.
    pub(crate) fn upload_with(&self, path: &str, form: &Multipart, headers: &[(&str, &str)]) -> Page {
        let client = headers.iter().fold(self.with_cookies(), |client, (name, value)| client.header(name, value));
        self.page(client.multipart("POST", &format!("/{path}"), form))
    }

    fn with_cookies(&self) -> Client {
        let cookies: Vec<String> =
            self.cookies.borrow().iter().map(|(name, value)| format!("{name}={value}")).collect();
        let client = self.client.header("X-Test", "browser");
        if cookies.is_empty() { client } else { client.header("Cookie", &cookies.join("; ")) }
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

    /// The value of a cookie; empty if there is none.
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

    /// The target of the answer.
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
        self.submit_form(self.forms(path).first().copied(), browser, path, fields)
    }

    /// As [`Page::submit`], the last of several forms with this address.
    #[track_caller]
    pub(crate) fn submit_last(&self, browser: &Browser, path: &str, fields: &[(&str, &str)]) -> Page {
        self.submit_form(self.forms(path).last().copied(), browser, path, fields)
    }

    /// The forms of the page that lead to this address.
    fn forms(&self, path: &str) -> Vec<&str> {
        let form = pattern(&format!(r#"(?s)<form method="post" action="{}".*?</form>"#, regex::escape(path)));
        form.find_iter(&self.html).map(|form| form.as_str()).collect()
    }

    #[track_caller]
    fn submit_form(&self, form: Option<&str>, browser: &Browser, path: &str, fields: &[(&str, &str)]) -> Page {
        let form = form.unwrap_or_else(|| panic!("a form to {path} in {}", self.html));
        let hidden = pattern(r#"<input type="hidden" name="([^"]+)" value="([^"]*)">"#);
        let hidden: Vec<(String, String)> =
            hidden.captures_iter(form).map(|field| (plain(&field[1]), plain(&field[2]))).collect();
        let mut all: Vec<(&str, &str)> = hidden.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        all.extend(fields);
        browser.post(&plain(path), &all)
    }

    /// Sends a form of the page as a browser does: all fields as they stand there, but for these. A box, or a list of
    /// boxes, that is given as an empty text is not ticked.
    #[track_caller]
    pub(crate) fn send_with(&self, browser: &Browser, path: &str, changes: &[(&str, &str)]) -> Page {
        let mut fields = self.fields(path);
        for (name, _) in changes {
            fields.retain(|field| field.is_hidden || field.name != *name);
        }
        let mut all: Vec<(&str, &str)> =
            fields.iter().map(|field| (field.name.as_str(), field.value.as_str())).collect();
        let boxes = pattern(r#"type="checkbox" name="([^"]+)""#);
        let boxes: Vec<String> = boxes.captures_iter(&self.html).map(|field| plain(&field[1])).collect();
        all.extend(
            changes.iter().filter(|(name, value)| !value.is_empty() || !boxes.iter().any(|known| known == name)),
        );
        browser.post(&plain(path), &all)
    }

    /// The fields of the longest form of the page that goes to `path`, in the order in which a browser sends them.
    #[track_caller]
    fn fields(&self, path: &str) -> Vec<Field> {
        let form = self.forms(path).into_iter().max_by_key(|form| form.len());
        let form = form.unwrap_or_else(|| panic!("a form to {path} in {}", self.html));
        let control = pattern(r"(?s)<input ([^>]*)>|<textarea ([^>]*)>(.*?)</textarea>|<select ([^>]*)>(.*?)</select>");
        let option = pattern(r#"<option value="([^"]*)"( selected)?>"#);
        let attribute = |text: &str, name: &str| {
            let found = pattern(&format!(r#"(?:^| ){name}="([^"]*)""#)).captures(text);
            found.map(|found| plain(&found[1]))
        };
        let mut fields = Vec::new();
        for found in control.captures_iter(form) {
            let part = |at: usize| found.get(at).map(|part| part.as_str());
            let attributes = part(1).or_else(|| part(2)).or_else(|| part(4)).unwrap_or_default();
            let kind = attribute(attributes, "type").unwrap_or_default();
            let Some(name) = attribute(attributes, "name") else { continue };
            let is_ticked = !matches!(kind.as_str(), "checkbox" | "radio") || attributes.contains(" checked");
            let value = match (part(3), part(5)) {
                (Some(text), _) => plain(text.strip_prefix('\n').unwrap_or(text)),
                (_, Some(options)) => {
                    let all: Vec<_> = option.captures_iter(options).collect();
                    let chosen = all.iter().find(|option| option.get(2).is_some()).or_else(|| all.first());
                    chosen.map(|option| plain(&option[1])).unwrap_or_default()
                }
                _ => attribute(attributes, "value").unwrap_or_default(),
            };
            if is_ticked {
                fields.push(Field { is_hidden: kind == "hidden", name, value: value.replace('\n', "\r\n") });
            }
        }
        fields
    }

    /// Presses the button that leads to `path` by itself, whatever form it belongs to: it sends the hidden fields of
    /// that form, and its own name and value.
    #[track_caller]
    pub(crate) fn press(&self, browser: &Browser, path: &str) -> Page {
        let button = pattern(&format!(r#"<button [^>]*formaction="{}"[^>]*>"#, regex::escape(path))).find(&self.html);
        let button = button.unwrap_or_else(|| panic!("a button to {path} in {}", self.html)).as_str();
        let form = first(button, r#" form="([^"]+)""#);
        let form = first(&self.html, &format!(r#"(?s)(<form method="post" [^>]*id="{form}">.*?</form>)"#));
        let hidden = pattern(r#"<input type="hidden" name="([^"]+)" value="([^"]*)">"#);
        let own = pattern(r#" name="([^"]+)" value="([^"]*)""#);
        let fields = hidden.captures_iter(&form).chain(own.captures(button));
        let fields: Vec<(String, String)> = fields.map(|field| (plain(&field[1]), plain(&field[2]))).collect();
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        browser.post(&plain(path), &fields)
    }

    /// How many elements the page has.
    pub(crate) fn elements(&self) -> usize {
        let is_tag = |two: &&[u8]| matches!(two, [b'<', first] if first.is_ascii_alphabetic());
        self.html.as_bytes().windows(2).filter(is_tag).count()
    }

    /// The queries that links of the page add to its own address.
    pub(crate) fn queries(&self) -> Vec<String> {
        self.addresses("\\?")
    }

    /// The addresses of all links of the page that lead to this server.
    pub(crate) fn links(&self) -> Vec<String> {
        self.addresses("/")
    }

    /// The targets of links that begin so, without fragments.
    fn addresses(&self, beginning: &str) -> Vec<String> {
        let links = pattern(&format!("href=\"({beginning}[^\"]*)"));
        let whole = |link: regex::Captures<'_>| plain(&link[1]);
        links
            .captures_iter(&self.html)
            .map(whole)
            .map(|link| link.split('#').next().unwrap_or_default().to_owned())
            .collect()
    }
}

/// A page without its header, its token, and the way to sign in.
fn of_anyone(html: &str) -> String {
    let own = r#"(?s)<header class="site">.*?</header>|<p class="onward">.*?</p>\n|<meta name="csrf-[^>]*>\n| data-user="[0-9]+"( data-impersonated)?|<aside class="flash bar".*?</aside>\n"#;
    pattern(own).replace_all(html, "").into_owned()
}

/// A pattern, compiled once for all tests: to compile it takes longer than most uses of it.
pub(crate) fn pattern(text: &str) -> &'static Regex {
    static KNOWN: Mutex<BTreeMap<String, &'static Regex>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(regex) = known.get(text) {
        return regex;
    }
    let regex: &Regex = Box::leak(Box::new(Regex::new(text).expect("a pattern")));
    known.insert(text.to_owned(), regex);
    regex
}

/// The first match of the group of a pattern.
#[track_caller]
pub(crate) fn first(html: &str, text: &str) -> String {
    let found = pattern(text).captures(html);
    found.map_or_else(|| panic!("{text} in {html}"), |found| found[1].to_owned())
}

/// Escaped text as it was.
pub(crate) fn plain(text: &str) -> String {
    text.replace("&#38;", "&")
        .replace("&amp;", "&")
        .replace("&#39;", "'")
        .replace("&#34;", "\"")
        .replace("&#60;", "<")
        .replace("&#62;", ">")
}

/// The page at this path, on which nothing hostile acts.
#[track_caller]
pub(crate) fn safe(browser: &Browser, path: &str) -> String {
    let html = browser.get(path).assert_status(200).html;
    for forbidden in ["<img src=x", "<b>x</b>", "<script>alert"] {
        assert!(!html.contains(forbidden), "{path} has {forbidden}: {html}");
    }
    html
}

/// The page to which the answer to a form leads.
#[track_caller]
pub(crate) fn followed(browser: &Browser, answer: &Page) -> String {
    assert_eq!(answer.reply.status(), 303, "{}", answer.html);
    let there = answer.location();
    browser.get(there.split('#').next().unwrap_or_default()).assert_status(200).html
}
