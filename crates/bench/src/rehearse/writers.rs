//! Writers that ask a server for changes without pause, and note what was acknowledged.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tenon_testkit::{Client, Multipart, Reply};

use super::model::{ANY, Record};
use super::observe::{self, number, text};
use super::site::Site;
use crate::random::Random;

/// Projects that the writer of projects keeps.
const MOST_PROJECTS: usize = 8;
/// The most bytes of an upload.
const MOST_BYTES: usize = 100_000;

/// The things that all writers share.
pub(crate) struct Office<'o> {
    pub(crate) site: &'o Site<'o>,
    pub(crate) record: &'o Record,
    /// Set when writers are to stop.
    pub(crate) is_over: &'o AtomicBool,
}

impl Office<'_> {
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// The client of the server that runs, and the number of its start; `None` at the end.
    pub(crate) fn client(&self) -> Option<(Client, u64)> {
        self.site.client(|| self.is_over())
    }

    /// Sends a request. `None` if it was not acknowledged: then it may have been carried out or not.
    fn send(&self, method: &str, path: &str, body: Body<'_>) -> Option<Reply> {
        let (client, start) = self.client()?;
        let (kind, bytes) = match body {
            Body::None => (None, Vec::new()),
            Body::Json(value) => (Some("application/json".to_owned()), value.to_string().into_bytes()),
            Body::Form(form) => (Some(Multipart::content_type()), form.body()),
        };
        let Some(reply) = client.try_send(method, path, kind.as_deref(), bytes) else {
            if self.site.is_up(start) && !self.is_over() {
                self.record.fault(format!("{method} {path}: no answer of a server that runs"));
            }
            return None;
        };
        match reply.status() {
            200..300 => Some(reply),
            // It was killed, or writes to the same thing.
            503 => None,
            status => {
                self.record.fault(format!("{method} {path}: {status} {}", reply.text()));
                None
            }
        }
    }

    /// As [`Office::send`], with the answer as JSON.
    fn json(&self, method: &str, path: &str, body: Body<'_>) -> Option<Value> {
        self.send(method, path, body).map(|reply| reply.json())
    }

    /// Makes a project with this description, by which it is found again. Yields its address and path. Tried under other names
    /// until it is acknowledged; `None` at the end.
    pub(crate) fn project(&self, description: &str) -> Option<(String, String)> {
        for attempt in 0.. {
            let name = format!("{}{description}-{attempt}", observe::OWN);
            let path = format!("root/{name}");
            let things = [format!("project/{name}"), format!("branch/{name}/main")];
            let [project, branch] = &things;
            let asked = self.record.ask(&[(project, Some(&path)), (branch, Some(ANY))]);
            let wish =
                json!({"path": name, "description": name, "visibility": "public", "initialize_with_readme": true});
            if let Some(made) = self.json("POST", "/projects", Body::Json(&wish)) {
                self.record.acknowledge("projects made", asked);
                return Some((format!("/projects/{}", number(&made, "id")), name));
            }
            if self.is_over() {
                break;
            }
        }
        None
    }

    /// Uploads a file to a project.
    fn upload(&self, at: &str, name: &str, random: &mut Random) {
        let bytes = some_bytes(random);
        let form = Multipart::default().file("file", "data.bin", &bytes);
        if let Some(made) = self.json("POST", &format!("{at}/uploads"), Body::Form(&form)) {
            // Its address is not known before.
            let thing = format!("file/{name}{}", text(&made, "url"));
            self.record.acknowledge_as("uploads", &thing, &observe::digest(&bytes));
        }
    }

    /// Gives a project another picture. The bytes of the last one are removed.
    fn picture(&self, at: &str, name: &str, random: &mut Random) {
        let bytes = some_picture(random);
        let asked = self.record.ask(&[(&format!("picture/{name}"), Some(&observe::digest(&bytes)))]);
        let form = Multipart::default().file("avatar", "picture.png", &bytes);
        if self.send("PUT", at, Body::Form(&form)).is_some() {
            self.record.acknowledge("pictures changed", asked);
        }
    }
}

/// The body of a request.
enum Body<'b> {
    None,
    Json(&'b Value),
    Form(&'b Multipart),
}

fn some_bytes(random: &mut Random) -> Vec<u8> {
    let count = random.between(1, MOST_BYTES);
    (0..count).map(|_| u8::try_from(random.below(256)).unwrap_or_default()).collect()
}

/// A file that has the form of a PNG.
fn some_picture(random: &mut Random) -> Vec<u8> {
    let header = [0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0];
    let chunks = [(b"IHDR", header.to_vec()), (b"IDAT", some_bytes(random)), (b"IEND", Vec::new())];
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, content) in chunks {
        file.extend(u32::try_from(content.len()).unwrap_or_default().to_be_bytes());
        let mut sum = flate2::Crc::new();
        for part in [kind.as_slice(), &content] {
            sum.update(part);
            file.extend(part);
        }
        file.extend(sum.sum().to_be_bytes());
    }
    file
}

/// Makes issues, changes, comments and removes them.
pub(crate) fn tracker(office: &Office<'_>, mut random: Random) {
    let Some((at, name)) = office.project("tracker") else { return };
    // The titles and addresses of issues that are there.
    let mut issues: Vec<(String, String)> = Vec::new();
    for count in 0.. {
        if office.is_over() {
            break;
        }
        let chosen = random.below(issues.len());
        match (random.below(100), issues.get(chosen).cloned()) {
            (0..40, _) | (_, None) => {
                let title = format!("issue {count}");
                let asked =
                    office.record.ask(&[(&format!("issue/{name}/{title}"), Some(&observe::issue("first", "opened")))]);
                let wish = json!({"title": title, "description": "first"});
                if let Some(made) = office.json("POST", &format!("{at}/issues"), Body::Json(&wish)) {
                    office.record.acknowledge("issues made", asked);
                    issues.push((title, format!("{at}/issues/{}", number(&made, "iid"))));
                }
            }
            (40..70, Some((title, issue))) => {
                let (description, event, state) = match random.below(4) {
                    0 => (format!("closed {count}"), "close", "closed"),
                    _ => (format!("changed {count}"), "reopen", "opened"),
                };
                let value = observe::issue(&description, state);
                let asked = office.record.ask(&[(&format!("issue/{name}/{title}"), Some(&value))]);
                let wish = json!({"description": description, "state_event": event});
                if office.send("PUT", &issue, Body::Json(&wish)).is_some() {
                    office.record.acknowledge("issues changed", asked);
                }
            }
            (70..92, Some((title, issue))) => {
                let body = format!("comment {count}");
                let asked = office.record.ask(&[(&format!("note/{name}/{title}/{body}"), Some("there"))]);
                if office.send("POST", &format!("{issue}/notes"), Body::Json(&json!({"body": body}))).is_some() {
                    office.record.acknowledge("comments", asked);
                }
            }
            (_, Some((title, issue))) => {
                issues.swap_remove(chosen);
                let asked = office.record.ask_removal(&["issue", "note"].map(|kind| format!("{kind}/{name}/{title}")));
                if office.send("DELETE", &issue, Body::None).is_some() {
                    office.record.acknowledge("issues removed", asked);
                }
            }
        }
    }
}

/// Makes projects with uploads, renames and removes them.
pub(crate) fn projects(office: &Office<'_>, mut random: Random) {
    let mut projects: Vec<(String, String)> = Vec::new();
    for count in 0.. {
        if office.is_over() {
            break;
        }
        if projects.len() > random.below(MOST_PROJECTS) {
            let (at, name) = projects.remove(0);
            let kinds = ["project", "branch", "file", "picture"];
            let asked = office.record.ask_removal(&kinds.map(|kind| format!("{kind}/{name}")));
            if office.send("DELETE", &at, Body::None).is_some() {
                office.record.acknowledge("projects removed", asked);
            }
            continue;
        }
        let Some((at, name)) = office.project(&format!("project{count}")) else { break };
        office.upload(&at, &name, &mut random);
        office.picture(&at, &name, &mut random);
        let path = format!("renamed{count}");
        let asked = office.record.ask(&[(&format!("project/{name}"), Some(&format!("root/{path}")))]);
        if office.send("PUT", &at, Body::Json(&json!({"name": path, "path": path}))).is_some() {
            office.record.acknowledge("projects renamed", asked);
        }
        projects.push((at, name));
    }
}

/// Uploads files, and replaces the picture of a project.
pub(crate) fn uploads(office: &Office<'_>, mut random: Random) {
    let Some((at, name)) = office.project("uploads") else { return };
    while !office.is_over() {
        if random.percent(40) {
            office.upload(&at, &name, &mut random);
        } else {
            office.picture(&at, &name, &mut random);
        }
    }
}

/// Makes commits through the API and merges them.
pub(crate) fn merges(office: &Office<'_>, _random: Random) {
    let Some((at, name)) = office.project("merges") else { return };
    for count in 0.. {
        if office.is_over() {
            break;
        }
        merge_one(office, &at, &name, count);
    }
}

/// Makes a branch with a commit, a merge request of it, and merges that. `None` as soon as something is not acknowledged.
fn merge_one(office: &Office<'_>, at: &str, name: &str, count: u32) -> Option<()> {
    let record = office.record;
    let (branch, title) = (format!("topic{count}"), format!("Merge {count}"));
    let (branch_thing, thing) = (format!("branch/{name}/{branch}"), format!("merge/{name}/{title}"));
    record.ask(&[(&branch_thing, Some(ANY))]);
    let action = json!({"action": "create", "file_path": format!("file{count}"), "content": format!("text {count}")});
    let wish = json!({"branch": branch, "start_branch": "main", "commit_message": title, "actions": [action]});
    let made = office.json("POST", &format!("{at}/repository/commits"), Body::Json(&wish))?;
    record.acknowledge_as("commits", &branch_thing, text(&made, "id"));
    let asked = record.ask(&[(&thing, Some("opened"))]);
    let wish = json!({"source_branch": branch, "target_branch": "main", "title": title});
    let made = office.json("POST", &format!("{at}/merge_requests"), Body::Json(&wish))?;
    record.acknowledge("merge requests", asked);
    let asked = record.ask(&[(&thing, Some("merged"))]);
    let main = format!("branch/{name}/main");
    record.ask(&[(&main, Some(ANY))]);
    let merge = format!("{at}/merge_requests/{}/merge", number(&made, "iid"));
    let merged = office.json("PUT", &merge, Body::Json(&json!({})))?;
    record.acknowledge("merges", asked);
    record.acknowledge_as("targets moved", &main, text(&merged, "merge_commit_sha"));
    Some(())
}
