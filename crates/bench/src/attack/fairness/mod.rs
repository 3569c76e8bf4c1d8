//! The fairness of the server. Beside each of many expensive calls a victim reads an issue, a tree and a page and
//! writes a note. The slowest hundredth of that is compared with the same on the idle server. The victim also calls
//! from an address of attackers, each time with a token that the server has not seen.

mod attacker;
mod calls;
mod ground;
mod victim;

use std::fmt::Write as _;

use anyhow::{Result, ensure};
use indicatif::ProgressBar;

pub use self::attacker::{ATTACKER, attack};
use self::attacker::{Attacker, Orders};
use self::ground::Ground;
pub use self::victim::{GROUPS, Samples};
use super::attacks::Answers;
use super::confinement::Confinement;
use crate::measure::Kind;

/// The number of samples of a measuring, and its bounds.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Calls of each group beside each expensive call.
    pub samples: usize,
    /// Connections of the attackers.
    pub connections: usize,
    /// The factor by which the P99 may grow beyond the idle P99.
    pub most: f64,
    /// The P99 in milliseconds that is held in any case.
    pub floor_ms: f64,
    /// Memory that the server and its processes of Git may occupy together, in bytes.
    pub memory: u64,
}

/// The least number of calls of each group on the idle server.
const IDLE: usize = 2_000;
/// Calls of each group before anything is measured.
const WARM_UP: usize = 50;

/// The word in the table for a row that is held.
const HELD: &str = "yes";

/// The times of the victim beside one expensive call.
#[derive(Debug, Clone)]
pub struct Figure {
    /// Which call.
    pub name: &'static str,
    /// The victim's calls beside it.
    pub samples: Samples,
    /// The answers that the attackers got.
    pub answers: Answers,
}

/// The idle server, and beside it each expensive call.
#[derive(Debug, Clone)]
pub struct Fairness {
    plan: Plan,
    idle: Samples,
    figures: Vec<Figure>,
}

/// Measures all expensive calls, or those whose name contains `only`, on a fresh database of this kind.
pub async fn run(plan: &Plan, database: Kind, only: Option<&str>, bar: &ProgressBar) -> Result<Fairness> {
    let chosen: Vec<_> = calls::ALL.iter().filter(|call| only.is_none_or(|only| call.name.contains(only))).collect();
    ensure!(!chosen.is_empty(), "there is no such call");
    bar.set_length(u64::try_from(chosen.len())? + 2);
    bar.set_message("filling the server");
    let idle = plan.samples.max(IDLE);
    let ground = Ground::make(database, WARM_UP + idle + plan.samples * chosen.len()).await?;
    bar.println(Confinement::of(ground.process(), plan.memory).describe());
    bar.inc(1);
    bar.set_message("idle");
    // Content that is read for the first time is no part of either.
    victim::work(&ground, WARM_UP).await?;
    let idle = victim::work(&ground, idle).await?;
    ensure!(idle.failed == 0, "{} calls fail on the idle server\n{}", idle.failed, ground.log());
    bar.inc(1);
    let mut figures = Vec::new();
    for call in chosen {
        bar.set_message(call.name);
        let requests = call.requests(&ground);
        let orders = Orders { port: ground.port, connections: plan.connections, requests };
        let attacker = Attacker::start(&orders)?;
        // The attack is under way when the first samples are taken.
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        let samples = victim::work(&ground, plan.samples).await?;
        let answers = attacker.stop()?;
        ensure!(ground.is_alive(), "{}: the server has ended\n{}", call.name, ground.log());
        figures.push(Figure { name: call.name, samples, answers });
        ground.calm_down().await?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(Fairness { plan: *plan, idle, figures })
}

impl Fairness {
    /// True if the P99 of every group is held beside every call, and no call of the victim has failed. Every expensive
    /// call must also have been answered at least once: one that is always refused costs nothing, and shows nothing.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.figures.iter().all(|figure| self.verdict(&figure.samples, figure.answers) == HELD)
    }

    /// [`HELD`], or the faults of the row.
    fn verdict(&self, samples: &Samples, answers: Answers) -> String {
        let mut faults = self.broken(samples);
        if samples.failed > 0 {
            faults.push("calls have failed");
        }
        if answers.fine == 0 {
            faults.push("the expensive call was never answered");
        }
        if faults.is_empty() { HELD.to_owned() } else { format!("no: {}", faults.join(", ")) }
    }

    /// The groups whose P99 is not held.
    fn broken(&self, samples: &Samples) -> Vec<&'static str> {
        let is_broken = |(group, _): &(usize, &&str)| {
            let (now, idle) = (samples.percentile(*group, 99), self.idle.percentile(*group, 99));
            now > self.plan.floor_ms && now > idle * self.plan.most
        };
        GROUPS.iter().enumerate().filter(is_broken).map(|(_, name)| *name).collect()
    }

    /// The figures as Markdown: the idle server, then a row for each expensive call, and one for all together.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = "| idle | calls | P50 ms | P99 ms |\n|---|--:|--:|--:|\n".to_owned();
        for (group, name) in GROUPS.iter().enumerate() {
            let [half, most] = [50, 99].map(|percent| self.idle.percentile(group, percent));
            let _ = writeln!(text, "| {name} | {} | {half:.1} | {most:.1} |", self.idle.count(group));
        }
        text += "\n| beside |";
        for name in GROUPS {
            let _ = write!(text, " {name} P50 → P99 ms | ratio |");
        }
        text += " failed | attackers' answers 2xx / 4xx / 5xx / broken | held |\n|---|";
        text += &"--:|".repeat(GROUPS.len() * 2 + 1);
        text += "---|---|\n";
        let mut all = Samples::default();
        let mut answers = Answers::default();
        for figure in &self.figures {
            all.add(&figure.samples);
            answers.fine += figure.answers.fine;
            answers.refused += figure.answers.refused;
            answers.busy += figure.answers.busy;
            answers.broken += figure.answers.broken;
            self.row(&mut text, figure.name, &figure.samples, figure.answers);
        }
        self.row(&mut text, "all together", &all, answers);
        let samples = all.count(0);
        let Plan { most, floor_ms, .. } = self.plan;
        let _ = writeln!(
            text,
            "\nHeld: a P99 of at most {most} times the idle one, or of {floor_ms} ms; no call of the victim fails, and the expensive call is answered. {samples} calls of the first group beside attacks."
        );
        text
    }

    fn row(&self, text: &mut String, name: &str, samples: &Samples, answers: Answers) {
        let _ = write!(text, "| {name} |");
        for group in 0..GROUPS.len() {
            let [half, most] = [50, 99].map(|percent| samples.percentile(group, percent));
            let ratio = most / self.idle.percentile(group, 99);
            let _ = write!(text, " {half:.1} → {most:.1} | {ratio:.1} |");
        }
        let Answers { fine, refused, busy, broken } = answers;
        let held = self.verdict(samples, answers);
        let _ = writeln!(text, " {} | {fine} / {refused} / {busy} / {broken} | {held} |", samples.failed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fairness(beside: &[u64]) -> Fairness {
        let plan = Plan { samples: 1, connections: 1, most: 5.0, floor_ms: 50.0, memory: 0 };
        let answers = Answers { fine: 1, ..Answers::default() };
        let figure = Figure { name: "call", samples: Samples::of(beside), answers };
        Fairness { plan, idle: Samples::of(&[1, 2, 20]), figures: vec![figure] }
    }

    #[test]
    fn a_p99_is_held_within_five_times_the_idle_one_or_fifty_milliseconds() {
        assert!(fairness(&[1, 100]).holds());
        assert!(!fairness(&[1, 101]).holds());
        let small = Fairness { idle: Samples::of(&[1]), ..fairness(&[50]) };
        assert!(small.holds());
        assert!(!Fairness { idle: Samples::of(&[1]), ..fairness(&[51]) }.holds());
    }

    #[test]
    fn a_call_that_fails_is_not_held() {
        let mut fairness = fairness(&[1]);
        fairness.figures[0].samples.failed = 1;
        assert!(!fairness.holds());
        assert!(fairness.table().contains("no: calls have failed"), "{}", fairness.table());
    }

    #[test]
    fn a_call_that_is_never_answered_is_not_held() {
        let mut fairness = fairness(&[1]);
        fairness.figures[0].answers = Answers { fine: 0, refused: 7, busy: 7, broken: 7 };
        assert!(!fairness.holds());
        assert!(fairness.table().contains("no: the expensive call was never answered"), "{}", fairness.table());
    }
}
