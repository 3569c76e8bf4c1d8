//! Backups rehearsed: a server is written to without pause while backups are made of it, and both are killed at random. Each backup
//! is then restored into both databases and compared with what the server had acknowledged.

pub(crate) mod command;
mod model;
mod observe;
mod points;
mod pushes;
mod round;
pub(crate) mod site;
mod writers;

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use indicatif::ProgressBar;
use tenon_testkit::Backend;

use self::command::Commands;
use self::round::Round;
use crate::seed::Size;

/// The amount of work of a rehearsal.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The program `tenon`.
    pub program: PathBuf,
    /// Rounds. The server of each has SQLite and PostgreSQL in turn.
    pub rounds: u32,
    /// Where random numbers begin. The choices of a seed are always the same; the moments depend on the machine.
    pub seed: u64,
    /// The data of each server before it is written to; none if this is `None`.
    pub data: Option<Size>,
    /// Operations of writers between two backups.
    pub writes: usize,
    /// Commands that are ended at steps in even distances, beside the rounds.
    pub points: u64,
    /// Restore all backups into both databases, and not only the newest one of each round.
    pub restores_all: bool,
}

/// Makes all rounds. `bar` shows what is being done, and `say` gets lines to keep. Fails at the first fault, with its round and the
/// folder that has everything.
pub fn run(plan: &Plan, bar: &ProgressBar, say: &dyn Fn(&str)) -> Result<()> {
    let folder = tempfile::Builder::new().prefix("tenon-rehearsal-").tempdir()?;
    let commands = Commands::new(&plan.program, folder.path())?;
    let backends: Vec<Backend> =
        [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()).collect();
    for number in 0..plan.rounds {
        let place = folder.path().join(format!("round-{number}"));
        let round = Round { plan, number, folder: &place, commands: &commands, backends: &backends, bar };
        if let Err(error) = round.run(say) {
            let kept = folder.keep();
            bail!("seed {}, round {number}: {error:#}\nEverything is kept in {}", plan.seed, kept.display());
        }
    }
    if plan.points > 0 {
        let place = folder.path().join("points");
        let round = Round { plan, number: plan.rounds, folder: &place, commands: &commands, backends: &backends, bar };
        match round.points(plan.points) {
            Ok(killed) => say(&format!("kill points: {killed} commands were ended at a step, and all went on")),
            Err(error) => {
                let kept = folder.keep();
                bail!("seed {}, kill points: {error:#}\nEverything is kept in {}", plan.seed, kept.display());
            }
        }
    }
    folder.close().context("the folder of the rehearsal cannot be removed")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::process::program;

    #[test]
    fn the_faults_that_a_rehearsal_must_find_can_still_be_made() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for fault in ["no-pin", "files-before-rows", "refs-after-objects"] {
            let patch = format!("tests/mutations/{fault}.patch");
            let applied = program("git").args(["apply", "--check", &patch]).current_dir(&root).status().unwrap();
            assert!(
                applied.success(),
                "{patch} does not fit any more: make the same change by hand, and write it down anew"
            );
        }
    }
}
