//! Kill points: commands that are ended at steps in even distances, run again, and compared with a server that stands still.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use tenon_testkit::Backend;

use super::model::{Found, Record};
use super::observe;
use super::round::{Round, fail_with, look_at, make_old, wait, with_writers};
use super::site::Site;
use crate::process::program;

/// Operations of writers before the server is stopped.
const WRITES: usize = 150;
/// Backups that a pruning finds.
const PRUNED: usize = 3;

/// A server that stands still, with a backup of it.
struct Still<'s> {
    round: &'s Round<'s>,
    site: Site<'s>,
    /// Everything on it.
    found: Found,
    /// A folder with a backup.
    store: PathBuf,
}

impl Round<'_> {
    /// Ends `count` commands at steps, two fifths of them backups, two fifths restores and one fifth prunings. Yields how many had
    /// the step at which they were to end.
    pub(crate) fn points(&self, count: u64) -> Result<u64> {
        fs::create_dir_all(self.folder)?;
        let (site, record) = (Site::new(self.commands, self.folder, "source", Backend::Sqlite)?, Record::default());
        site.start()?;
        with_writers(&site, &record, self.folder, &|part| self.random(part), || wait(&record, WRITES))?;
        fail_with(&record.take_faults())?;
        let (client, _) = site.client(|| false).context("no server")?;
        let found = observe::everything(&client, &record.now().names())?;
        site.stop()?;
        let still = Still { round: self, site, found, store: self.folder.join("store") };
        let killed =
            still.creations(count * 2 / 5)? + still.restores(count * 2 / 5)? + still.prunings(count - count * 4 / 5)?;
        fs::remove_dir_all(self.folder)?;
        Ok(killed)
    }
}

impl Still<'_> {
    fn say(&self, command: &str, point: u64, count: u64) {
        self.round.bar.set_message(format!("kill points: {command} {point} of {count}"));
    }

    /// Backups. The last one stays for restores.
    fn creations(&self, count: u64) -> Result<u64> {
        let steps = self.site.create(&self.store, true, None)?.wait()?.succeeded()?.steps;
        let mut killed = 0;
        for (point, at) in points(count, steps) {
            self.say("backup", point, count);
            let store = self.round.folder.join(format!("store-{point}"));
            let outcome = || -> Result<bool> {
                let was_killed = self.site.create(&store, true, Some(at))?.wait()?.was_killed();
                self.site.create(&store, false, None)?.wait()?.succeeded()?;
                ensure!(!self.site.has_pin()?, "a pin was left");
                self.compare(&store, Backend::Sqlite, None)?;
                Ok(was_killed)
            };
            killed += u64::from(outcome().with_context(|| format!("a backup that was ended at step {at} of {steps}"))?);
            fs::remove_dir_all(&store)?;
        }
        Ok(killed)
    }

    /// Restores into each database in turn.
    fn restores(&self, count: u64) -> Result<u64> {
        let mut steps = Vec::new();
        for backend in self.round.backends {
            steps.push((*backend, self.compare(&self.store, *backend, None)?.0));
        }
        let mut killed = 0;
        for (backend, steps) in &steps {
            let count = count / u64::try_from(self.round.backends.len())?;
            for (point, at) in points(count, *steps) {
                self.say("restore", point, count);
                let compared = self.compare(&self.store, *backend, Some(at));
                let compared = compared
                    .with_context(|| format!("a restore into {backend:?} that was ended at step {at} of {steps}"));
                killed += u64::from(compared?.1);
            }
        }
        Ok(killed)
    }

    /// Prunings of a folder with several backups.
    fn prunings(&self, count: u64) -> Result<u64> {
        for _ in 1..PRUNED {
            self.site.create(&self.store, true, None)?.wait()?.succeeded()?;
        }
        make_old(&self.store)?;
        let commands = self.round.commands;
        let copy = |name: &str| -> Result<PathBuf> {
            let to = self.round.folder.join(name);
            let copied = program("cp").args(["-a".as_ref(), self.store.as_os_str(), to.as_os_str()]).status()?;
            ensure!(copied.success(), "cp failed");
            Ok(to)
        };
        let steps = commands.prune(&copy("pruned")?, None)?.succeeded()?.steps;
        let mut killed = 0;
        for (point, at) in points(count, steps) {
            self.say("pruning", point, count);
            let store = copy(&format!("pruned-{point}"))?;
            let outcome = || -> Result<bool> {
                let was_killed = commands.prune(&store, Some(at))?.was_killed();
                commands.prune(&store, None)?.succeeded()?;
                self.compare(&store, Backend::Sqlite, None)?;
                Ok(was_killed)
            };
            killed +=
                u64::from(outcome().with_context(|| format!("a pruning that was ended at step {at} of {steps}"))?);
            fs::remove_dir_all(&store)?;
        }
        Ok(killed)
    }

    /// Restores the newest backup, after one try that is ended at a step, and compares it with the server. Yields the steps of the
    /// restore, and true if the first try was ended.
    fn compare(&self, store: &Path, backend: Backend, kill_at: Option<u64>) -> Result<(u64, bool)> {
        let name = self.round.commands.newest(store)?;
        let place = Site::new(self.round.commands, self.round.folder, "restored", backend)?;
        let mut ended = place.restore(store, &name, kill_at)?;
        let (steps, was_killed) = (ended.steps, ended.was_killed());
        if was_killed && !place.is_restored() {
            ended = place.restore(store, &name, None)?;
        }
        ensure!(place.is_restored(), "it did not go on: {}", ended.output.trim());
        let names: Vec<String> = self.found.keys().cloned().collect();
        let found = look_at(&place, &names)?;
        let differs = self.found.iter().find(|(name, value)| found.get(*name) != Some(value));
        ensure!(differs.is_none() && found.len() == self.found.len(), "the restored server differs: {differs:?}");
        let draft = place.data.with_extension("restoring");
        ensure!(!draft.exists(), "{} was left", draft.display());
        let data = place.data.clone();
        drop(place);
        fs::remove_dir_all(data)?;
        Ok((steps, was_killed))
    }
}

/// The numbers of so many points, and the step of each: a third are the first steps, a third the last ones, and the rest lie at even
/// distances between.
fn points(count: u64, steps: u64) -> impl Iterator<Item = (u64, u64)> {
    let ends = count / 3;
    let between = count - 2 * ends;
    (1..=count).map(move |point| {
        let at = match point {
            _ if point <= ends => point,
            _ if point <= 2 * ends => steps.saturating_sub(point - ends - 1),
            _ => steps * (point - 2 * ends) / (between + 1),
        };
        (point, at.max(1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_at_both_ends_and_between() {
        let steps: Vec<u64> = points(9, 1000).map(|(_, at)| at).collect();
        assert_eq!(steps, [1, 2, 3, 1000, 999, 998, 250, 500, 750]);
        assert_eq!(points(2, 1).map(|(_, at)| at).collect::<Vec<_>>(), [1, 1]);
    }
}
