//! Waiting for events that nothing announces, such as the end of another process.

use std::time::{Duration, Instant};

/// The pause between two questions of a test.
const PAUSE: Duration = Duration::from_millis(10);
/// The time that a machine may take that is busy with other tests.
const PATIENCE: Duration = Duration::from_mins(3);

/// Leaves the processor to the awaited work, and to other tests.
#[expect(clippy::disallowed_methods, reason = "asked without a pause, the question takes a whole processor")]
pub fn pause() {
    std::thread::sleep(PAUSE);
}

/// Asks again and again until it is so. Panics with `what` after three minutes.
#[track_caller]
pub fn soon(what: &str, is_so: impl Fn() -> bool) {
    let asked = Instant::now();
    while !is_so() {
        assert!(asked.elapsed() < PATIENCE, "{what}");
        pause();
    }
}
