//! A client that describes a server, as Terraform does. It makes an object with everything set, reads it, changes each field, and reads
//! it again, by id and by path. No field differs from what was sent, and no other field changes.

mod containers;
mod hooks;
mod people;
mod repositories;
mod server_settings;
mod tracker;

use serde_json::{Map, Value as Json, json};
use tenon_testkit::Client;

/// Fields that follow from others, or change with each write.
const FOLLOWING: &[&str] = &["updated_at", "last_activity_at", "_links", "namespace"];

/// An object that the client describes.
struct Managed<'a> {
    client: Client,
    /// The path at which it is made.
    create: String,
    /// The method of a change.
    method: &'a str,
    /// Fields that are sent when it is made, and never read.
    unread: Json,
    /// Fields without which no change is accepted.
    always: &'a [&'a str],
    /// The fields when it is made, and after the changes.
    first: Json,
    second: Json,
    /// The paths at which it is read and changed.
    paths: fn(&Json) -> Vec<String>,
    /// Fields that change with a field: its name, and theirs.
    follow: &'a [(&'a str, &'a [&'a str])],
}

/// The fields of one object and of another, which take precedence.
fn merged(base: &Json, more: &Json) -> Json {
    let mut all = base.clone();
    all.as_object_mut().expect("an object").extend(more.as_object().cloned().expect("an object"));
    all
}

fn entries(object: &Json) -> impl Iterator<Item = (&String, &Json)> {
    object.as_object().into_iter().flatten()
}

/// A field that is empty is the same as one that is null.
fn same(found: &Json, want: &Json) -> bool {
    found == want || (found.is_null() && want == "") || (want.is_null() && found == "")
}

impl Managed<'_> {
    /// Notes the fields of an answer that are not as they were sent.
    fn compare(&self, step: &str, answer: &Json, sent: &Json, wrong: &mut Vec<String>) {
        for (name, want) in entries(sent) {
            if !same(&answer[name], want) {
                wrong.push(format!("{} {step}: {name} is {}, not {want}", self.create, answer[name]));
            }
        }
    }

    /// Notes the fields that differ between two answers and neither were sent nor follow from those that were.
    fn assert_kept(&self, step: &str, before: &Json, after: &Json, sent: &Json, wrong: &mut Vec<String>) {
        let follows = |name: &str| {
            FOLLOWING.contains(&name)
                || self.follow.iter().any(|(field, names)| sent.get(field).is_some() && names.contains(&name))
        };
        for (name, was) in entries(before).filter(|(name, _)| sent.get(name.as_str()).is_none() && !follows(name)) {
            if after.get(name) != Some(was) {
                wrong.push(format!("{} {step}: {name} was {was} and is {}", self.create, after[name]));
            }
        }
        for (name, is) in entries(after).filter(|(name, _)| before.get(name.as_str()).is_none() && !follows(name)) {
            wrong.push(format!("{} {step}: {name} was not there and is {is}", self.create));
        }
    }

    /// Reads the object at all its paths. The answers must be the same.
    fn read(&self, made: &Json) -> Json {
        let mut answers = (self.paths)(made).into_iter().map(|path| self.client.get(&path).assert_status(200).json());
        let first = answers.next().expect("a path");
        for another in answers {
            assert_eq!(another, first, "{}", self.create);
        }
        first
    }

    fn change(&self, made: &Json, body: &Json) -> Json {
        let path = (self.paths)(made).remove(0);
        let sent = body.to_string().into_bytes();
        self.client.send(self.method, &path, Some("application/json"), sent).assert_status(200).json()
    }

    /// Does all that such a client does, and yields the object as it is at last.
    fn manage(&self) -> Json {
        let mut wrong = Vec::new();
        let new = merged(&self.first, &self.unread);
        let mut made = self.client.post(&self.create, new).assert_status(201).json();
        self.compare("created", &made, &self.first, &mut wrong);
        let created = self.read(&made);
        self.compare("read", &created, &self.first, &mut wrong);
        let mut before = self.read(&made);
        self.assert_kept("read again", &created, &before, &json!({}), &mut wrong);
        let mut wanted = self.first.clone();
        for (name, value) in entries(&self.second) {
            let always = self.always.iter().map(|name| ((*name).to_owned(), wanted[name].clone()));
            let change = always.chain([(name.clone(), value.clone())]).collect::<Map<_, _>>().into();
            let changed = self.change(&made, &change);
            let step = format!("after {change}");
            self.compare(&step, &changed, &change, &mut wrong);
            made = merged(&made, &changed);
            let after = self.read(&made);
            wanted[name] = value.clone();
            self.compare(&step, &after, &wanted, &mut wrong);
            self.assert_kept(&step, &before, &after, &change, &mut wrong);
            before = after;
        }
        // Clients send the whole description as well, if one field of it has changed.
        for whole in [&wanted, &self.first, &wanted] {
            made = merged(&made, &self.change(&made, whole));
            self.compare("the whole", &made, whole, &mut wrong);
            self.compare("the whole, read", &self.read(&made), whole, &mut wrong);
        }
        self.assert_kept("the whole, sent again", &before, &self.read(&made), &json!({}), &mut wrong);
        // An answer that is sent back as it is changes nothing.
        let last = self.read(&made);
        let _ = self.change(&made, &last);
        self.assert_kept("the answer, sent back", &last, &self.read(&made), &json!({}), &mut wrong);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        last
    }
}

/// The last part of a path for this name.
fn encoded(name: &Json) -> String {
    name.as_str().expect("a text").replace('/', "%2F")
}

/// A project with a commit, and the path of it.
fn home(client: &Client) -> String {
    let body = json!({"name": "home", "initialize_with_readme": true, "visibility": "private"});
    format!("/projects/{}", client.post("/projects", body).assert_status(201).json()["id"])
}
