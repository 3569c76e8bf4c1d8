//! Estimates and time spent.

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Client, TestServer, both_databases};

use crate::support::*;

fn estimate(client: &Client, path: &str, duration: &str) -> Value {
    client.post(&format!("{path}/time_estimate"), json!({"duration": duration})).assert_status(200).json()
}

fn spend(client: &Client, path: &str, duration: &str) -> Value {
    client.post(&format!("{path}/add_spent_time"), json!({"duration": duration})).assert_status(200).json()
}

#[both_databases]
fn an_estimate_is_set_overwritten_and_taken_away(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    let none =
        json!({"time_estimate": 0, "total_time_spent": 0, "human_time_estimate": null, "human_total_time_spent": null});
    assert_eq!(alice.get(&format!("{path}/time_stats")).assert_status(200).json(), none);
    let set = json!({"time_estimate": 12_600, "total_time_spent": 0, "human_time_estimate": "3h 30m", "human_total_time_spent": null});
    assert_eq!(estimate(&alice, &path, "3h30m"), set);
    assert_eq!(estimate(&alice, &path, "1w")["time_estimate"], 144_000);
    assert_eq!(alice.get(&format!("{path}/time_stats")).json()["human_time_estimate"], "1w");
    assert_eq!(alice.get(&path).json()["time_stats"]["time_estimate"], 144_000);
    let reset = alice.post(&format!("{path}/reset_time_estimate"), json!({})).assert_status(200).json();
    assert_eq!(reset, none);
}

#[both_databases]
fn time_spent_adds_up_and_is_taken_back(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    member(&alice, &format!("/projects/{tool}"), bob.id, 20);
    let path = titled(&alice, tool, "t");
    assert_eq!(spend(&alice, &path, "2h")["total_time_spent"], 7_200);
    assert_eq!(spend(&bob, &path, "1h 30m")["total_time_spent"], 12_600);
    assert_eq!(spend(&alice, &path, "-30m")["human_total_time_spent"], "3h");
    let stats = alice.get(&format!("{path}/time_stats")).json();
    assert_eq!((&stats["total_time_spent"], &stats["time_estimate"]), (&json!(10_800), &json!(0)));
    let reset = alice.post(&format!("{path}/reset_spent_time"), json!({})).assert_status(200).json();
    assert_eq!((&reset["total_time_spent"], &reset["human_total_time_spent"]), (&json!(0), &Value::Null));
    assert_eq!(spend(&alice, &path, "1h")["total_time_spent"], 3_600);
}

#[both_databases]
fn durations_are_read_as_people_write_them(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    for (text, seconds, human) in [
        ("3h30m", 12_600, "3h 30m"),
        ("1w 2d", 201_600, "1w 2d"),
        ("1.5h", 5_400, "1h 30m"),
        ("2 days, 3 hours", 68_400, "2d 3h"),
        ("1D", 28_800, "1d"),
        ("2", 7_200, "2h"),
        ("1h 30", 111_600, "3d 7h"),
        ("1:30", 90, "1m 30s"),
        ("1:00:00", 3_600, "1h"),
        ("1mo", 576_000, "1mo"),
        ("59s", 59, "59s"),
        ("3w 1h 10m", 436_200, "3w 1h 10m"),
        ("1 hour and 5 minutes", 3_900, "1h 5m"),
        ("1hr 1min 1sec", 3_661, "1h 1m 1s"),
        ("2 weeks with 1 dy plus 1 hrs", 320_400, "2w 1d 1h"),
    ] {
        let stats = estimate(&alice, &path, text);
        assert_eq!(
            (&stats["time_estimate"], &stats["human_time_estimate"]),
            (&json!(seconds), &json!(human)),
            "{text}"
        );
    }
}

#[both_databases]
fn every_refusal_has_its_text(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    estimate(&alice, &path, "1h");
    spend(&alice, &path, "1h");
    for wrong in ["soon", "1 parsec", "", "h", "1h x", "-1h", "--1h", "1e5h", "NaN"] {
        let reply = alice.post(&format!("{path}/time_estimate"), json!({"duration": wrong}));
        assert_eq!((reply.status(), reply.json()), (400, field("time_estimate", "has an invalid format")), "{wrong:?}");
    }
    for wrong in ["soon", "", "1h x"] {
        let reply = alice.post(&format!("{path}/add_spent_time"), json!({"duration": wrong}));
        assert_eq!((reply.status(), reply.json()), (400, field("time_spent", "has an invalid format")), "{wrong:?}");
    }
    server.advance(TimeDelta::minutes(1));
    let before = alice.get(&path).json();
    let too_much = alice.post(&format!("{path}/add_spent_time"), json!({"duration": "-1h 1m"}));
    too_much.assert(400, field("time_spent", "Time to subtract exceeds the total time spent"));
    let after = alice.get(&path).json();
    assert_eq!((&after["time_stats"], &after["updated_at"]), (&before["time_stats"], &before["updated_at"]));
    for way in ["time_estimate", "add_spent_time"] {
        alice.post(&format!("{path}/{way}"), json!({})).assert(400, parameter("duration is missing"));
    }
    for (way, body) in [
        ("time_estimate", json!({"duration": "1h"})),
        ("reset_time_estimate", json!({})),
        ("add_spent_time", json!({"duration": "1h"})),
        ("reset_spent_time", json!({})),
    ] {
        let nowhere = path.replace("/issues/1", "/issues/9");
        alice.post(&format!("{nowhere}/{way}"), body.clone()).assert(404, not_found());
        server.anonymous().post(&format!("{path}/{way}"), body.clone()).assert(401, unauthorized());
    }
    alice.get(&path.replace("/issues/1", "/issues/9/time_stats")).assert(404, not_found());
}

#[both_databases]
fn nothing_is_no_duration(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    estimate(&alice, &path, "1h");
    for zero in ["0h", "0", "0m"] {
        let reply = alice.post(&format!("{path}/add_spent_time"), json!({"duration": zero}));
        assert_eq!((reply.status(), reply.json()), (400, field("time_spent", "has an invalid format")), "{zero}");
    }
}

#[both_databases]
fn an_estimate_of_nothing_takes_the_estimate_away(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    for zero in ["0h", "0", "0m"] {
        estimate(&alice, &path, "1h");
        let stats = alice.post(&format!("{path}/time_estimate"), json!({"duration": zero})).assert_status(200).json();
        assert_eq!((&stats["time_estimate"], &stats["human_time_estimate"]), (&json!(0), &Value::Null), "{zero}");
    }
}

#[both_databases]
fn huge_durations_are_refused_or_stored(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    for text in ["99999999999999999999y", "2147483648s", "999999y"] {
        for way in ["time_estimate", "add_spent_time"] {
            let reply = alice.post(&format!("{path}/{way}"), json!({"duration": text}));
            assert!(matches!(reply.status(), 200 | 400), "{way} {text}: {}", reply.status());
        }
    }
    for text in ["1h ".repeat(20_000), "9".repeat(100_000), "1:".repeat(50_000)] {
        let status = alice.post(&format!("{path}/time_estimate"), json!({"duration": text})).status();
        assert!(matches!(status, 200 | 400), "{status}");
    }
    let stats = alice.get(&format!("{path}/time_stats")).assert_status(200).json();
    for name in ["time_estimate", "total_time_spent"] {
        assert!(stats[name].as_i64().is_some_and(|seconds| (0..=2_147_483_647).contains(&seconds)), "{stats}");
    }
}

#[both_databases]
fn times_are_for_those_who_may_edit(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = titled(&cast.owner, cast.project, "t");
    for (way, body) in [
        ("time_estimate", json!({"duration": "1h"})),
        ("reset_time_estimate", json!({})),
        ("add_spent_time", json!({"duration": "1h"})),
        ("reset_spent_time", json!({})),
    ] {
        let statuses = cast.statuses(|client| client.post(&format!("{path}/{way}"), body.clone()));
        assert_eq!(statuses, [403, 403, 200, 200, 200, 200, 200], "{way}");
        cast.guest.post(&format!("{path}/{way}"), body.clone()).assert(403, forbidden());
    }
    assert_eq!(cast.statuses(|client| client.get(&format!("{path}/time_stats"))), [200; 7]);
    for author in [&cast.stranger, &cast.guest] {
        let own = titled(author, cast.project, "t");
        estimate(author, &own, "1h");
        spend(author, &own, "1h");
    }
}

#[both_databases]
fn every_change_leaves_a_note_and_a_date(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    let mut last = alice.get(&path).json()["updated_at"].as_str().expect("a date").to_owned();
    for (way, duration) in [
        ("time_estimate", "3h"),
        ("add_spent_time", "2h"),
        ("add_spent_time", "-1h"),
        ("reset_time_estimate", ""),
        ("reset_spent_time", ""),
    ] {
        server.advance(TimeDelta::minutes(1));
        let _ = alice.post(&format!("{path}/{way}"), json!({"duration": duration})).assert_status(200);
        let now = alice.get(&path).json()["updated_at"].as_str().expect("a date").to_owned();
        assert!(now > last, "{way}");
        last = now;
    }
    let want = [
        "changed time estimate to 3h",
        "added 2h of time spent",
        "subtracted 1h of time spent",
        "removed time estimate",
        "removed time spent",
    ];
    assert_eq!(system_notes(&alice, &path), want);
}
