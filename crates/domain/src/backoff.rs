//! Pauses before something that failed is tried again.

use crate::time::TimeDelta;

/// The pause after so many failures: `start` doubled for each of them, `most` at most. `jitter` lengthens it by up to a quarter, so
/// that what failed together does not come back together.
#[must_use]
pub fn pause_after(start: TimeDelta, failures: i64, most: TimeDelta, jitter: u8) -> TimeDelta {
    let doublings = u32::try_from(failures.clamp(0, 16)).unwrap_or(16);
    lengthened((start * 2_i32.pow(doublings)).min(most), jitter)
}

/// A pause lengthened by up to a quarter.
#[must_use]
pub fn lengthened(pause: TimeDelta, jitter: u8) -> TimeDelta {
    pause + pause * i32::from(jitter) / 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_bound_and_are_lengthened_by_a_quarter_at_most() {
        let seconds = |failures, jitter| {
            pause_after(TimeDelta::seconds(1), failures, TimeDelta::seconds(2048), jitter).num_seconds()
        };
        assert_eq!([seconds(-1, 0), seconds(0, 0), seconds(1, 0), seconds(3, 0)], [1, 1, 2, 8]);
        assert_eq!([seconds(11, 0), seconds(i64::MAX, 0)], [2048, 2048]);
        assert!(seconds(3, 255) < 10 && seconds(12, 255) < 2560);
    }
}
