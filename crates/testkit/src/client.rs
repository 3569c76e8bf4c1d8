//! A client that sees everything: statuses, headers and bodies as they are.

use std::fmt::Write;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use ureq::Agent;
use ureq::http::{HeaderMap, Request};

/// The time for which a connection is kept for the next request. The server ends those that wait for five seconds.
const KEPT: Duration = Duration::from_secs(3);

/// Drives one server as one caller. Clones share their connections.
#[derive(Clone)]
pub struct Client {
    agent: Agent,
    base: String,
    headers: Vec<(String, String)>,
}

impl Client {
    /// A caller of the server at `base`, with a token or anonymous.
    pub fn new(base: &str, token: Option<&str>) -> Self {
        let config =
            Agent::config_builder().http_status_as_error(false).max_redirects(0).allow_non_standard_methods(true);
        let agent = Agent::new_with_config(config.max_idle_age(KEPT).build());
        let client = Self { agent, base: base.to_owned(), headers: Vec::new() };
        match token {
            Some(token) => client.with_token(token),
            None => client,
        }
    }

    /// A caller of the same server, who presents this token besides.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        self.header("Private-Token", token)
    }

    /// The address of the server.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// POST with a JSON body to a server that may be gone: the status, if there is an answer.
    pub fn try_post(&self, path: &str, body: &Value) -> Option<u16> {
        self.try_post_json(path, body).map(|(status, _)| status)
    }

    /// As [`Client::try_post`], with the answer; null if it is no JSON.
    pub fn try_post_json(&self, path: &str, body: &Value) -> Option<(u16, Value)> {
        let mut request = self.agent.post(format!("{}/api/v4{path}", self.base));
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let mut response = request.send_json(body).ok()?;
        let answer = response.body_mut().read_json().unwrap_or(Value::Null);
        Some((response.status().as_u16(), answer))
    }

    /// The same caller, with one more header on every request.
    #[must_use]
    pub fn header(&self, name: &str, value: &str) -> Self {
        let mut headers = self.headers.clone();
        headers.push((name.to_owned(), value.to_owned()));
        Self { headers, ..self.clone() }
    }

    /// The same caller, who presents this name and password as clients of Git do.
    #[must_use]
    pub fn basic(&self, name: &str, password: &str) -> Self {
        let encoded = STANDARD.encode(format!("{name}:{password}"));
        self.header("Authorization", &format!("Basic {encoded}"))
    }

    /// GET of a path below `/api/v4`.
    pub fn get(&self, path: &str) -> Reply {
        self.send("GET", path, None, Vec::new())
    }

    /// HEAD of a path below `/api/v4`.
    pub fn head(&self, path: &str) -> Reply {
        self.send("HEAD", path, None, Vec::new())
    }

    /// POST with a JSON body.
    pub fn post(&self, path: &str, body: Value) -> Reply {
        self.send("POST", path, Some("application/json"), body.to_string().into_bytes())
    }

    /// PUT with a JSON body.
    pub fn put(&self, path: &str, body: Value) -> Reply {
        self.send("PUT", path, Some("application/json"), body.to_string().into_bytes())
    }

    /// DELETE.
    pub fn delete(&self, path: &str) -> Reply {
        self.send("DELETE", path, None, Vec::new())
    }

    /// A form, as `a=1&b=2`.
    pub fn form(&self, method: &str, path: &str, body: &str) -> Reply {
        self.send(method, path, Some("application/x-www-form-urlencoded"), body.as_bytes().to_vec())
    }

    /// A form with the values of a JSON object: lists as `name[]=`, objects as `name[key]=`, null as nothing after `name=`.
    pub fn form_of(&self, method: &str, path: &str, body: &Value) -> Reply {
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        for (name, value) in body.as_object().into_iter().flatten() {
            append(&mut form, name, value);
        }
        self.form(method, path, &form.finish())
    }

    /// A multipart form.
    pub fn multipart(&self, method: &str, path: &str, form: &Multipart) -> Reply {
        self.send(method, path, Some(&Multipart::content_type()), form.body())
    }

    /// Any request. A path that starts with `/api/` or `//` (one slash is taken off) is taken from the server's root.
    pub fn send(&self, method: &str, path: &str, content_type: Option<&str>, body: Vec<u8>) -> Reply {
        self.exchange(method, path, content_type, body).unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }

    /// As [`Client::send`], to a server that may be gone: `None` if there is no whole answer.
    pub fn try_send(&self, method: &str, path: &str, content_type: Option<&str>, body: Vec<u8>) -> Option<Reply> {
        self.exchange(method, path, content_type, body).ok()
    }

    fn exchange(
        &self,
        method: &str,
        path: &str,
        content_type: Option<&str>,
        body: Vec<u8>,
    ) -> Result<Reply, ureq::Error> {
        let url = match path.strip_prefix("//") {
            Some(rest) => format!("{}/{rest}", self.base),
            None if path.starts_with("/api/") => format!("{}{path}", self.base),
            None => format!("{}/api/v4{path}", self.base),
        };
        let mut request = Request::builder().method(method).uri(&url);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        if let Some(content_type) = content_type {
            request = request.header("Content-Type", content_type);
        }
        let request = request.body(body).unwrap_or_else(|error| panic!("{method} {url}: {error}"));
        let mut response = self.agent.run(request)?;
        let body = response.body_mut().with_config().limit(64 << 20).read_to_vec()?;
        Ok(Reply {
            request: format!("{method} {path}"),
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            body,
        })
    }
}

/// Appends a value to a form under this name.
fn append(form: &mut url::form_urlencoded::Serializer<'_, String>, name: &str, value: &Value) {
    match value {
        // An empty list is a list with an empty text.
        Value::Array(items) if items.is_empty() => {
            form.append_pair(&format!("{name}[]"), "");
        }
        Value::Array(items) => items.iter().for_each(|item| append(form, &format!("{name}[]"), item)),
        Value::Object(entries) => {
            entries.iter().for_each(|(key, value)| append(form, &format!("{name}[{key}]"), value));
        }
        Value::Null => {
            form.append_pair(name, "");
        }
        Value::String(text) => {
            form.append_pair(name, text);
        }
        Value::Bool(_) | Value::Number(_) => {
            form.append_pair(name, &value.to_string());
        }
    }
}

/// An answer.
pub struct Reply {
    request: String,
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Reply {
    /// The status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Fails the test if the status is another one.
    #[track_caller]
    #[must_use]
    pub fn assert_status(self, want: u16) -> Self {
        assert_eq!(self.status, want, "{}: {}", self.request, self.text());
        self
    }

    /// Fails the test if status or JSON body are others.
    #[track_caller]
    pub fn assert(self, status: u16, body: Value) {
        assert_eq!((self.status, self.text()), (status, body.to_string()), "{}", self.request);
    }

    /// The body as JSON; null if there is none.
    #[track_caller]
    pub fn json(&self) -> Value {
        if self.body.is_empty() {
            return Value::Null;
        }
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{}: {error}: {}", self.request, self.text()))
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body.
    pub fn bytes(&self) -> &[u8] {
        &self.body
    }

    /// A header; empty if it is absent.
    pub fn header(&self, name: &str) -> String {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
    }

    /// All headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// One field of every object in a list, such as all names.
    #[track_caller]
    pub fn each(&self, field: &str) -> Vec<Value> {
        let list = self.json();
        let list = list.as_array().unwrap_or_else(|| panic!("{}: no list: {}", self.request, self.text()));
        list.iter().map(|item| item[field].clone()).collect()
    }
}

/// A multipart form that is being put together.
#[derive(Default)]
pub struct Multipart {
    parts: Vec<u8>,
}

const BOUNDARY: &str = "tenon-test-boundary";

impl Multipart {
    /// One more text field.
    #[must_use]
    pub fn text(mut self, name: &str, value: &str) -> Self {
        let mut part = String::new();
        write!(part, "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
            .expect("a string");
        self.parts.extend(part.into_bytes());
        self
    }

    /// One more file.
    #[must_use]
    pub fn file(mut self, name: &str, file_name: &str, bytes: &[u8]) -> Self {
        let mut head = String::new();
        write!(
            head,
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{file_name}\"\r\n\
             Content-Type: application/octet-stream\r\n\r\n"
        )
        .expect("a string");
        self.parts.extend(head.into_bytes());
        self.parts.extend(bytes);
        self.parts.extend(b"\r\n");
        self
    }

    /// The type of the body, with the boundary between its parts.
    pub fn content_type() -> String {
        format!("multipart/form-data; boundary={BOUNDARY}")
    }

    /// The whole body.
    pub fn body(&self) -> Vec<u8> {
        let mut body = self.parts.clone();
        body.extend(format!("--{BOUNDARY}--\r\n").into_bytes());
        body
    }
}
