//! One round: backups under writers and kills, and comparisons of what is restored.

use std::fs::{self, File};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use indicatif::ProgressBar;
use tenon_testkit::{Backend, pause};

use super::Plan;
use super::command::{Commands, Ended, Running};
use super::model::{Found, Model, Record};
use super::site::Site;
use super::writers::{self, Office};
use super::{observe, pushes};
use crate::random::Random;

/// Backups of a round, the first of which has everything.
const BACKUPS: usize = 4;
/// The time for which writers may get nothing done.
const PATIENCE: Duration = Duration::from_mins(3);
/// Longer than `tenon backup prune` keeps files that no backup needs.
const DAY: Duration = Duration::from_hours(25);
/// The steps of the command that is killed first, until one has told how many it has.
const SOME_STEPS: usize = 1000;

/// A round of a rehearsal.
pub(crate) struct Round<'r> {
    pub(crate) plan: &'r Plan,
    pub(crate) number: u32,
    /// A folder for all of it.
    pub(crate) folder: &'r Path,
    pub(crate) commands: &'r Commands,
    /// The databases that there are.
    pub(crate) backends: &'r [Backend],
    pub(crate) bar: &'r ProgressBar,
}

/// A backup, and the model before it was begun and after it has ended.
struct Made {
    name: String,
    before: Model,
    after: Model,
}

/// The commands of a round that were killed.
#[derive(Default)]
struct Kills {
    servers: usize,
    backups: usize,
    restores: usize,
    prunings: usize,
}

impl Round<'_> {
    pub(crate) fn run(&self, say: &dyn Fn(&str)) -> Result<()> {
        fs::create_dir_all(self.folder)?;
        let begun = Instant::now();
        let mut random = self.random(0);
        let backend = usize::try_from(self.number)? % self.backends.len();
        let backend = *self.backends.get(backend).context("no database")?;
        let site = Site::new(self.commands, self.folder, "source", backend)?;
        let record = Record::default();
        if let Some(size) = self.plan.data {
            self.bar.set_message(format!("round {}: the database is filled", self.number));
            site.fill(size)?;
        }
        site.start()?;
        let (client, _) = site.client(|| false).context("no server")?;
        record.find(&observe::everything(&client, &[])?);
        let mut kills = Kills::default();
        let random_of = |part| self.random(part);
        let made = with_writers(&site, &record, self.folder, &random_of, || {
            self.backups(&site, &record, &mut random, &mut kills)
        })?;
        site.stop()?;
        let counts: Vec<String> = record.now().counts.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        say(&format!(
            "round {}: {backend:?}, {:.0} s: {}",
            self.number,
            begun.elapsed().as_secs_f64(),
            counts.join(", ")
        ));
        let mut steps = SOME_STEPS;
        for (at, backup) in made.iter().enumerate() {
            let places = if self.plan.restores_all || at + 1 == made.len() {
                self.backends
            } else {
                one_of(self.backends, &mut random)
            };
            for to in places {
                self.bar.set_message(format!("round {}: backup {} is restored into {to:?}", self.number, at + 1));
                let place = Site::new(self.commands, self.folder, &format!("restored-{at}-{to:?}"), *to)?;
                self.restore(&place, backup, &mut random, &mut steps, &mut kills)
                    .with_context(|| format!("backup {at} ({}) of {backend:?} restored into {to:?}", backup.name))?;
                drop(place);
                fs::remove_dir_all(self.folder.join(format!("restored-{at}-{to:?}")))?;
            }
        }
        self.bar.set_message(format!("round {}: old backups are pruned", self.number));
        self.prune(&site, &mut random, &mut kills)?;
        let Kills { servers, backups, restores, prunings } = kills;
        say(&format!(
            "round {}: sound after {:.0} s; killed: {servers} servers, {backups} backups, {restores} restores, {prunings} prunings",
            self.number,
            begun.elapsed().as_secs_f64()
        ));
        fs::remove_dir_all(self.folder)?;
        Ok(())
    }

    /// The random numbers of a part of the round.
    pub(crate) fn random(&self, part: u64) -> Random {
        Random::new(self.plan.seed ^ (u64::from(self.number) << 32) ^ (part << 56))
    }

    /// A full backup and incremental ones, while writers work and commands are killed.
    fn backups(&self, site: &Site<'_>, record: &Record, random: &mut Random, kills: &mut Kills) -> Result<Vec<Made>> {
        let store = self.folder.join("store");
        let mut made = Vec::new();
        let mut steps = SOME_STEPS;
        for at in 0..BACKUPS {
            self.bar.set_message(format!("round {}: backup {} of {BACKUPS}", self.number, at + 1));
            wait(record, record.count() + self.plan.writes)?;
            let mut kill_at = random.percent(50).then(|| random.between(1, steps));
            let mut kills_server = random.percent(50);
            loop {
                let before = record.now();
                let mut running = site.create(&store, at == 0, kill_at.take().map(u64::try_from).transpose()?)?;
                if kills_server {
                    kills_server = false;
                    let moment = record.count() + random.below(self.plan.writes);
                    while !running.has_ended()? && !record.wait_for(moment) {}
                    site.kill()?;
                    site.start()?;
                    kills.servers += 1;
                }
                let ended = ended(running, record)?;
                if ended.was_killed() {
                    kills.backups += 1;
                    continue;
                }
                let ended = ended.succeeded()?;
                steps = usize::try_from(ended.steps)?.max(1);
                made.push(Made { name: self.commands.newest(&store)?, before, after: record.now() });
                break;
            }
            ensure!(!site.has_pin()?, "a pin was left by a backup that has ended");
            fail_with(&record.take_faults())?;
        }
        Ok(made)
    }

    /// Restores a backup, compares the server with the model, and asks the doctor.
    fn restore(
        &self,
        place: &Site<'_>,
        backup: &Made,
        random: &mut Random,
        steps: &mut usize,
        kills: &mut Kills,
    ) -> Result<()> {
        let store = self.folder.join("store");
        let mut kill_at = random.percent(50).then(|| random.between(1, *steps));
        loop {
            let ended = place.restore(&store, &backup.name, kill_at.take().map(u64::try_from).transpose()?)?;
            if ended.was_killed() {
                kills.restores += 1;
                if place.is_restored() {
                    break;
                }
                continue;
            }
            *steps = usize::try_from(ended.succeeded()?.steps)?.max(1);
            break;
        }
        let found = look_at(place, &backup.after.names())?;
        fail_with(&backup.after.faults(&backup.before, &found))
    }

    /// Removes all backups but the newest, which can be restored afterwards, as can one that is made then.
    fn prune(&self, site: &Site<'_>, random: &mut Random, kills: &mut Kills) -> Result<()> {
        let store = self.folder.join("store");
        make_old(&store)?;
        let killed = self.commands.prune(&store, Some(u64::try_from(random.between(1, 30))?))?;
        if killed.was_killed() {
            kills.prunings += 1;
        }
        self.commands.prune(&store, None)?.succeeded()?;
        self.commands.verify(&store)?;
        site.create(&store, false, None)?.wait()?.succeeded()?;
        self.commands.verify(&store)
    }
}

/// Waits until writers have done so much.
pub(crate) fn wait(record: &Record, count: usize) -> Result<()> {
    let begun = Instant::now();
    while !record.wait_for(count) {
        fail_with(&record.take_faults())?;
        ensure!(begun.elapsed() < PATIENCE, "writers get nothing done");
    }
    Ok(())
}

/// Waits for the end of a backup. Writers that have a fault end it.
fn ended(mut running: Running, record: &Record) -> Result<Ended> {
    while !running.has_ended()? {
        fail_with(&record.take_faults())?;
        pause();
    }
    running.wait()
}

/// Does `work` while all writers work, each with random numbers of its own.
pub(crate) fn with_writers<T>(
    site: &Site<'_>,
    record: &Record,
    folder: &Path,
    random: &dyn Fn(u64) -> Random,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let is_over = AtomicBool::new(false);
    let office = &Office { site, record, is_over: &is_over };
    std::thread::scope(|scope| {
        let writers = [writers::tracker, writers::projects, writers::uploads, writers::merges];
        for (writer, part) in writers.into_iter().zip(1..) {
            let random = random(part);
            scope.spawn(move || writer(office, random));
        }
        let random = random(9);
        scope.spawn(move || {
            if let Err(error) = pushes::pushes(office, random, folder) {
                office.record.fault(format!("{error:#}"));
            }
        });
        let done = work();
        is_over.store(true, Ordering::Relaxed);
        done
    })
}

/// Starts a server that was restored, reads everything on it, and has the doctor look at it. Things of these names are asked for.
pub(crate) fn look_at(place: &Site<'_>, names: &[String]) -> Result<Found> {
    place.start()?;
    let (client, _) = place.client(|| false).context("no server")?;
    let found = observe::everything(&client, names)?;
    place.stop()?;
    place.doctor()?;
    Ok(found)
}

/// Fails with the first faults, if there are any.
pub(crate) fn fail_with(faults: &[String]) -> Result<()> {
    if faults.is_empty() {
        return Ok(());
    }
    let first: Vec<&str> = faults.iter().take(20).map(String::as_str).collect();
    bail!("{} faults:\n  {}", faults.len(), first.join("\n  "))
}

/// One of these, as a list.
fn one_of<'a, T>(all: &'a [T], random: &mut Random) -> &'a [T] {
    let at = random.below(all.len());
    all.get(at..=at).unwrap_or_default()
}

/// Makes all files below a folder older than a day.
pub(crate) fn make_old(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            make_old(&entry.path())?;
        } else {
            let file = File::options().write(true).open(entry.path())?;
            let old = file.metadata()?.modified()? - DAY;
            file.set_modified(old)?;
        }
    }
    Ok(())
}
