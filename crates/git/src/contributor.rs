//! Who has worked on a project.

use std::collections::HashMap;

use crate::command::budget::Budget;
use crate::command::lossy;
use crate::error::GitError;
use crate::oid::Oid;
use crate::repository::Repository;

/// Older commits do not count.
const COMMITS: usize = 2000;

/// A person who has written commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contributor {
    /// The name on the newest of them.
    pub name: String,
    /// The address, by which people are distinguished.
    pub email: String,
    /// How many of the newest 2,000 commits, without merges.
    pub commits: i64,
}

impl Repository {
    /// The people who have written the newest 2,000 commits before `tip`, the one who wrote last first.
    pub fn contributors(&self, tip: Oid) -> Result<Vec<Contributor>, GitError> {
        let output = self
            .git("log")
            .args(["-z", "--no-merges", "--encoding=UTF-8", "--format=tformat:%an%x00%ae"])
            .arg(format!("--max-count={COMMITS}"))
            .operands([tip.to_string()])
            .budget(Budget::Long)
            .bytes()?;
        let fields: Vec<&[u8]> = output.split(|byte| *byte == 0).collect();
        let mut places: HashMap<&[u8], usize> = HashMap::new();
        let mut found: Vec<Contributor> = Vec::new();
        for pair in fields.chunks_exact(2) {
            let [name, email] = pair else { continue };
            let place = *places.entry(email).or_insert(found.len());
            match found.get_mut(place) {
                Some(contributor) => contributor.commits += 1,
                None => found.push(Contributor { name: lossy(name), email: lossy(email), commits: 1 }),
            }
        }
        Ok(found)
    }
}
