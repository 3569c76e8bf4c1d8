//! `kill -9` while events flow to a hook: each arrives at least once, in order, under one name.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::mpsc;

use serde_json::json;
use tenon_testkit::{Backend, Received, Receiver};

use crate::process::{Serving, database};

/// The number of events that flow. More with `TENON_TEST_HOOK_EVENTS=10000`.
fn events() -> usize {
    std::env::var("TENON_TEST_HOOK_EVENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(240)
}

/// The number of times that the server is killed.
const KILLS: usize = 4;

#[test]
fn a_server_that_is_killed_delivers_every_event_in_order() {
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        let folder = tempfile::tempdir().unwrap();
        let (_database, url) = database(backend, folder.path());
        let receiver = Receiver::start();
        let mut acknowledged: BTreeSet<i64> = BTreeSet::new();
        let mut sent: Vec<Received> = Vec::new();
        for round in 0..KILLS {
            let serving = Serving::start_with(folder.path(), &url, &["--limits", "off"]);
            let root = serving.root();
            if round == 0 {
                let settings = json!({"allow_local_requests_from_hooks_and_services": true});
                let _ = root.put("/application/settings", settings).assert_status(200);
                let _ = root.post("/projects", json!({"path": "p"})).assert_status(201);
                let hook = json!({"url": receiver.url("/"), "issues_events": true});
                let _ = root.post("/projects/root%2Fp/hooks", hook).assert_status(201);
            }
            let (report, reports) = mpsc::channel();
            let writers: Vec<_> = (0..3)
                .map(|_number| {
                    let (root, report) = (serving.root(), report.clone());
                    std::thread::spawn(move || {
                        while let Some((201, body)) =
                            root.try_post_json("/projects/root%2Fp/issues", &json!({"title": "x"}))
                        {
                            report.send(body.get("iid").and_then(serde_json::Value::as_i64).unwrap()).unwrap();
                        }
                    })
                })
                .collect();
            drop(report);
            // Each time at another place: after so many events, and so many deliveries.
            acknowledged.extend(reports.iter().take(events() / KILLS + round));
            sent.extend(receiver.wait(|came| came.len() > round * 7));
            serving.kill();
            for writer in writers {
                writer.join().unwrap();
            }
            acknowledged.extend(reports.iter());
        }
        let serving = Serving::start_with(folder.path(), &url, &["--limits", "off"]);
        // Each body is read once: the receiver answers nothing in the meantime.
        let known = RefCell::new((0, distinct(&sent)));
        sent.extend(receiver.wait(|more| {
            let (read, numbers) = &mut *known.borrow_mut();
            numbers.extend(more[*read..].iter().map(iid));
            *read = more.len();
            acknowledged.len() <= numbers.len() && acknowledged.is_subset(numbers)
        }));
        drop(serving);
        assert_sound(backend, &sent, &acknowledged);
    }
}

fn iid(of: &Received) -> i64 {
    of.json().pointer("/object_attributes/iid").and_then(serde_json::Value::as_i64).unwrap()
}

fn distinct(sent: &[Received]) -> BTreeSet<i64> {
    sent.iter().map(iid).collect()
}

fn assert_sound(backend: Backend, sent: &[Received], acknowledged: &BTreeSet<i64>) {
    let missing: Vec<_> = acknowledged.difference(&distinct(sent)).copied().collect();
    assert!(missing.is_empty(), "{backend:?}: {missing:?}");
    let mut first: HashMap<i64, &Received> = HashMap::new();
    let mut newest = 0;
    for one in sent {
        let number = iid(one);
        match first.get(&number) {
            None => {
                assert!(number > newest, "{backend:?}: {number} came after {newest}");
                newest = number;
                first.insert(number, one);
            }
            // Sent a second time: the same, under the same name.
            Some(known) => {
                assert_eq!(known.body, one.body);
                assert_eq!(known.header("idempotency-key"), one.header("idempotency-key"));
            }
        }
    }
}
