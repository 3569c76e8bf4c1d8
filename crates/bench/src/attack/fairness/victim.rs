//! The victim: a signed-in user at work, one call after the other.

use std::time::{Duration, Instant};

use anyhow::Result;

use super::attacker::exchange;
use super::calls;
use super::ground::{Ground, ISSUES_OF_THE_VICTIM};

/// The groups of the victim's calls.
pub const GROUPS: [&str; 5] = ["issue", "tree", "page", "write", "new token"];
/// The pause between two calls: short enough for many samples, and long enough not to be a load.
const PAUSE: Duration = Duration::from_millis(4);

/// The time that each call took, by group.
#[derive(Debug, Clone, Default)]
pub struct Samples {
    times: [Vec<Duration>; GROUPS.len()],
    /// Calls that were not answered as on an idle server.
    pub failed: usize,
}

/// Does everything so many times.
pub(super) async fn work(ground: &Ground, rounds: usize) -> Result<Samples> {
    let token = format!("Private-Token: {}\r\n", ground.victim_token);
    let session = format!("Cookie: _service_session={}\r\n", ground.victim_session);
    let own = ground.own;
    let note = r#"{"body":"I have seen this."}"#;
    let write = format!("{token}Content-Type: application/json\r\nContent-Length: {}\r\n", note.len());
    let from = |address: &str, method: &str, path: &str, head: &str, body: &str| {
        let head = format!("{head}X-Forwarded-For: {address}\r\nConnection: close\r\n");
        format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n{head}\r\n{body}").into_bytes()
    };
    let call = |method: &str, path: &str, head: &str, body: &str| from("198.51.100.1", method, path, head, body);
    let issue = format!("/api/v4/projects/{own}/issues/1");
    let reads = [
        call("GET", &issue, &token, ""),
        call("GET", &format!("/api/v4/projects/{own}/repository/tree"), &token, ""),
        call("GET", "/vera/own", &session, ""),
    ];
    let mut samples = Samples::default();
    for round in 0..rounds {
        // In turn: the number of comments of one issue is bounded.
        let noted = 2 + round % (ISSUES_OF_THE_VICTIM - 1);
        let noted = call("POST", &format!("/api/v4/projects/{own}/issues/{noted}/notes"), &write, note);
        let unused = format!("Private-Token: {}\r\n", ground.unused_token());
        let new = from(calls::STRANGER, "GET", &issue, &unused, "");
        let calls = reads.iter().map(|read| (read, 200)).chain([(&noted, 201), (&new, 200)]);
        for ((message, want), times) in calls.zip(&mut samples.times) {
            let begun = Instant::now();
            if exchange(ground.port, message).await.is_ok_and(|status| status == want) {
                times.push(begun.elapsed());
            } else {
                samples.failed += 1;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
    samples.times.iter_mut().for_each(|times| times.sort_unstable());
    Ok(samples)
}

impl Samples {
    /// The time in milliseconds that so many in a hundred calls of a group did not exceed.
    #[must_use]
    pub fn percentile(&self, group: usize, percent: usize) -> f64 {
        let times = self.times.get(group).map(Vec::as_slice).unwrap_or_default();
        let place = (times.len() * percent).div_ceil(100).saturating_sub(1);
        times.get(place).map_or(f64::INFINITY, |time| time.as_secs_f64() * 1000.0)
    }

    /// How many calls of a group were answered.
    #[must_use]
    pub fn count(&self, group: usize) -> usize {
        self.times.get(group).map_or(0, Vec::len)
    }

    /// Adds those of another measurement.
    pub(super) fn add(&mut self, other: &Self) {
        self.failed += other.failed;
        for (all, more) in self.times.iter_mut().zip(&other.times) {
            all.extend(more);
            all.sort_unstable();
        }
    }

    #[cfg(test)]
    pub(super) fn of(milliseconds: &[u64]) -> Self {
        let mut times: Vec<Duration> = milliseconds.iter().copied().map(Duration::from_millis).collect();
        times.sort_unstable();
        Self { times: std::array::from_fn(|_| times.clone()), failed: 0 }
    }
}
