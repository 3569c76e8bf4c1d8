//! The other caller: a signed-in user who reads while the attack goes on.

use std::time::{Duration, Instant};

use anyhow::Result;

use super::site::Site;

/// The pause between two reads: short enough that the slowest hundredth of each kind is several reads, not one, and
/// long enough not to be a load.
const PAUSE: Duration = Duration::from_millis(4);

/// A kind of read, and how long each one took.
#[derive(Debug, Clone)]
struct Kind {
    name: &'static str,
    path: &'static str,
    times: Vec<Duration>,
}

/// The times of the reads.
#[derive(Debug, Clone)]
pub struct Times {
    kinds: Vec<Kind>,
    /// Reads that were not answered with 200.
    pub failed: usize,
}

/// The reads: rows, lists, trees, files, commits, and the first request of a fetch.
const READS: [(&str, &str); 8] = [
    ("project", "/api/v4/projects/{id}"),
    ("issues", "/api/v4/projects/{id}/issues"),
    ("user", "/api/v4/user"),
    ("tree", "/api/v4/projects/{id}/repository/tree"),
    ("file", "/api/v4/projects/{id}/repository/files/README.md?ref=main"),
    ("branches", "/api/v4/projects/{id}/repository/branches"),
    ("commits", "/api/v4/projects/{id}/repository/commits"),
    ("refs of a fetch", "/vera/own.git/info/refs?service=git-upload-pack"),
];

/// Reads one kind after the other until then.
pub(super) async fn read_until(site: &Site, until: Instant) -> Result<Times> {
    let mut times =
        Times { kinds: READS.map(|(name, path)| Kind { name, path, times: Vec::new() }).to_vec(), failed: 0 };
    while Instant::now() < until {
        for kind in &mut times.kinds {
            let path = kind.path.replace("{id}", &site.own.to_string());
            let begun = Instant::now();
            match site.get_as(&path, &site.vera, "198.51.100.1").await {
                Ok(200) => kind.times.push(begun.elapsed()),
                Ok(_) | Err(_) => times.failed += 1,
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
    for kind in &mut times.kinds {
        kind.times.sort_unstable();
    }
    Ok(times)
}

impl Times {
    /// How many reads succeeded.
    #[must_use]
    pub fn count(&self) -> usize {
        self.kinds.iter().map(|kind| kind.times.len()).sum()
    }

    /// The time in milliseconds that so many in a hundred of all reads did not exceed.
    #[must_use]
    pub fn percentile(&self, percent: usize) -> f64 {
        let mut all: Vec<Duration> = self.kinds.iter().flat_map(|kind| kind.times.iter().copied()).collect();
        all.sort_unstable();
        at(&all, percent)
    }

    /// The kind of read whose P99 grew most.
    pub(super) fn slowest(&self, quiet: &Self) -> Slowest {
        let compared = self.kinds.iter().zip(&quiet.kinds).map(|(now, then)| {
            let (ms, quiet_ms) = (at(&now.times, 99), at(&then.times, 99));
            let ratio = if quiet_ms > 0.0 && ms > 0.0 { ms / quiet_ms } else { f64::INFINITY };
            Slowest { read: now.name, quiet_ms, ms, ratio }
        });
        let none = Slowest { read: "", quiet_ms: 0.0, ms: 0.0, ratio: 0.0 };
        compared.fold(none, |most, next| if next.ratio > most.ratio { next } else { most })
    }
}

/// A kind of read, with its P99 in milliseconds on the quiet server and beside an attack.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slowest {
    pub(super) read: &'static str,
    pub(super) quiet_ms: f64,
    pub(super) ms: f64,
    pub(super) ratio: f64,
}

fn at(sorted: &[Duration], percent: usize) -> f64 {
    let place = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(place).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
}
