//! Numbers that look random and are the same in every run.
//!
//! Not `rand`: which numbers its ranges give may change with its version, and then figures of before and after would be
//! of different populations.

use std::sync::{Mutex, PoisonError};

use tenon_auth::Entropy;

/// A generator (splitmix64) that starts from a fixed seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// So many bytes, which no compression makes shorter.
    pub(crate) fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.fill(&mut bytes);
        bytes
    }

    fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            for (to, from) in chunk.iter_mut().zip(self.next().to_le_bytes()) {
                *to = from;
            }
        }
    }

    /// A number from 0 to `end` - 1; 0 if `end` is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % end).unwrap_or_default()
    }

    /// A number from `first` to `last`, both included.
    pub(crate) fn between(&mut self, first: usize, last: usize) -> usize {
        first + self.below((last + 1).saturating_sub(first))
    }

    /// True if something of this many percent happens.
    pub(crate) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of these texts; empty if there are none.
    pub(crate) fn word<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words.get(self.below(words.len())).copied().unwrap_or_default()
    }

    /// One of these, if there are any.
    pub(crate) fn one<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        all.get(self.below(all.len())).copied()
    }

    /// `count` of these, each at most once, as far as there are so many.
    pub(crate) fn some<T: Copy + PartialEq>(&mut self, all: &[T], count: usize) -> Vec<T> {
        let mut chosen = Vec::with_capacity(count);
        while chosen.len() < count.min(all.len()) {
            if let Some(one) = all.get(self.below(all.len())).filter(|one| !chosen.contains(*one)) {
                chosen.push(*one);
            }
        }
        chosen
    }
}

/// Randomness for secrets of a population that is no secret: the same in every run.
pub(crate) struct Repeatable(Mutex<Random>);

impl Repeatable {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(Mutex::new(Random::new(seed)))
    }
}

impl Entropy for Repeatable {
    fn fill(&self, bytes: &mut [u8]) {
        let mut random = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        random.fill(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_gives_the_same_numbers() {
        let numbers = || {
            let mut random = Random::new(7);
            [0; 4].map(|_| random.below(1000))
        };
        assert_eq!(numbers(), numbers());
    }

    #[test]
    fn chosen_things_are_different_from_each_other() {
        let mut chosen = Random::new(7).some(&[1, 2, 3], 5);
        chosen.sort_unstable();
        assert_eq!(chosen, [1, 2, 3]);
    }
}
