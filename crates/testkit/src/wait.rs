//! Waiting for what is announced by nothing, such as the end of another process.

use std::time::{Duration, Instant};

/// How long a test waits between two questions.
const PAUSE: Duration = Duration::from_millis(10);
/// How long a machine may take that is busy with other tests.
const PATIENCE: Duration = Duration::from_mins(3);

/// Leaves the processor to what is waited for, and to other tests.
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
