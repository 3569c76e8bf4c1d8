//! The effects that one caller can have on another. Each attack is played against the release server while a second
//! caller reads. That caller's times are compared with those on a quiet server.

mod attacks;
mod bystander;
mod confinement;
pub mod fairness;
mod packs;
mod site;

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use indicatif::ProgressBar;
use tokio::sync::{oneshot, watch};
use tokio::task::LocalSet;

pub use self::attacks::Attack;
use self::bystander::Times;
use self::confinement::Confinement;
use self::site::Site;
use crate::measure::Kind;

/// The time of a measuring, and its memory.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// How long each attack goes on.
    pub time: Duration,
    /// Memory that the server and its processes of Git may occupy together, in bytes.
    pub memory: u64,
}

/// The effects of an attack.
#[derive(Debug, Clone)]
pub struct Figure {
    /// Which attack; the first figure is the quiet server.
    pub name: &'static str,
    /// The reads of the other caller.
    pub times: Times,
    /// The most memory that was occupied, in MiB: of the server, and of it with its processes of Git.
    pub server_mib: f64,
    /// As above.
    pub all_mib: f64,
    /// The memory, in MiB, that the server still occupied when it answered quickly again.
    pub after_mib: f64,
    /// Answers that the attackers got, by class of their status: 2xx, 4xx, 5xx and broken connections.
    pub answers: attacks::Answers,
}

impl Figure {
    /// The factor by which the slowest reads took longer than on the quiet server: the largest ratio of P99 over all
    /// kinds of reads.
    #[must_use]
    pub fn ratio(&self, quiet: &Self) -> f64 {
        self.times.slowest(&quiet.times).ratio
    }
}

/// Plays all attacks, or those whose name contains `only`, on a fresh database of this kind.
pub async fn run(plan: &Plan, database: Kind, only: Option<&str>, bar: &ProgressBar) -> Result<Vec<Figure>> {
    let site = Arc::new(Site::start(database).await?);
    let confinement = Confinement::of(site.process(), plan.memory);
    bar.println(confinement.describe());
    let attacks: Vec<Attack> =
        attacks::ALL.into_iter().filter(|attack| only.is_none_or(|only| attack.name.contains(only))).collect();
    ensure!(!attacks.is_empty(), "there is no such attack");
    bar.set_length(u64::try_from(attacks.len())? + 1);
    bar.set_message("quiet");
    let quiet = Attack { name: "quiet", play: |_site, _stop| Box::pin(async { Ok(attacks::Answers::default()) }) };
    let mut figures = vec![one(plan, &site, &confinement, quiet).await?];
    bar.inc(1);
    for attack in attacks {
        bar.set_message(attack.name);
        figures.push(one(plan, &site, &confinement, attack).await?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(figures)
}

async fn one(plan: &Plan, site: &Arc<Site>, confinement: &Confinement, attack: Attack) -> Result<Figure> {
    let (stop, stopped) = watch::channel(false);
    let playing = play(attack, Arc::clone(site), stopped.clone())?;
    let tasks = LocalSet::new();
    let figure = async {
        let watching = tokio::task::spawn_local(confinement.watch(stopped.clone()));
        let times = bystander::read_until(site, Instant::now() + plan.time).await;
        stop.send_replace(true);
        let answers = playing.await.context("the attack ended early")??;
        let peak = watching.await?;
        ensure!(site.is_alive(), "{}: the server has ended\n{}", attack.name, site.log());
        let (server_mib, all_mib) = (peak.server_mib, peak.all_mib);
        Ok(Figure { name: attack.name, times: times?, server_mib, all_mib, after_mib: 0.0, answers })
    };
    let figure = tasks.run_until(figure).await?;
    // The work that the attack left is done before the next one.
    site.calm_down().await?;
    Ok(Figure { after_mib: confinement.server_mib(), ..figure })
}

/// Plays an attack on a thread of its own, which leaves the processor to the server and the other caller: attackers
/// have machines of their own.
fn play(
    attack: Attack,
    site: Arc<Site>,
    stop: watch::Receiver<bool>,
) -> Result<oneshot::Receiver<Result<attacks::Answers>>> {
    let (ended, answers) = oneshot::channel();
    std::thread::Builder::new().name("attackers".to_owned()).spawn(move || {
        let played = (|| {
            #[cfg(target_os = "linux")]
            rustix::process::setpriority_process(None, 19)?;
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            LocalSet::new().block_on(&runtime, (attack.play)(site, stop))
        })();
        drop(ended.send(played));
    })?;
    Ok(answers)
}

/// The figures as a Markdown table.
#[must_use]
pub fn table(figures: &[Figure]) -> String {
    let mut text = "| attack | reads of the other caller | failed | P50 ms | P99 ms | largest ratio of P99 to quiet | of which read, ms | server MiB | with Git MiB | server after MiB | attackers' answers 2xx / 4xx / 5xx / broken |\n|---|---|---|---|---|---|---|---|---|---|---|\n".to_owned();
    let Some(quiet) = figures.first() else { return text };
    for figure in figures {
        let slowest = figure.times.slowest(&quiet.times);
        let attacks::Answers { fine, refused, busy, broken } = figure.answers;
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.1} | {:.1} | {:.1} | {} {:.1} → {:.1} | {:.0} | {:.0} | {:.0} | {fine} / {refused} / {busy} / {broken} |",
            figure.name,
            figure.times.count(),
            figure.times.failed,
            figure.times.percentile(50),
            figure.times.percentile(99),
            slowest.ratio,
            slowest.read,
            slowest.quiet_ms,
            slowest.ms,
            figure.server_mib,
            figure.all_mib,
            figure.after_mib,
        );
    }
    text
}
