//! `cargo xtask db`: migrations, always for both databases.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, ensure};
use clap::Subcommand;

use crate::migrations::{DIALECTS, FILES, is_name};
use crate::run;
use crate::tidy::released;

#[derive(Subcommand)]
pub(crate) enum Task {
    /// Make the folders of the next migration, for SQLite and for PostgreSQL
    New {
        /// Its purpose, such as `add_issue_weight`
        name: String,
    },
    /// Run the tests that compare what both dialects' migrations make
    Check,
    /// Record all migrations as released: `cargo xtask tidy` refuses to change them from then on
    Release,
}

pub(crate) fn run(task: &Task) -> Result<ExitCode> {
    match task {
        Task::New { name } => new(&run::root().join("migrations"), name, since_1970()?),
        Task::Check => {
            run::status(run::cargo(["test", "--package", "tenon-storage", "migrations"]).current_dir(run::root()))
        }
        Task::Release => released::record(&run::root()).map(|()| ExitCode::SUCCESS),
    }
}

fn new(migrations: &Path, name: &str, now: Duration) -> Result<ExitCode> {
    ensure!(is_name(name), "{name:?} is no name for a migration: use a-z, 0-9 and _, such as add_issue_weight");
    let version = version(now).max(last_version(migrations)? + 1);
    for dialect in DIALECTS {
        let folder = migrations.join(dialect).join(format!("{version}_{name}"));
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        for file in FILES {
            let path = folder.join(file);
            fs::write(&path, "").with_context(|| format!("cannot write {}", path.display()))?;
            println!("{}", path.display());
        }
    }
    println!("Write the same change in both dialects, then: cargo xtask db check");
    Ok(ExitCode::SUCCESS)
}

/// The highest version in either dialect, so that a clock that runs behind cannot order a migration before an older
/// one.
fn last_version(migrations: &Path) -> Result<u64> {
    let mut last = 0;
    for dialect in DIALECTS {
        let folder = migrations.join(dialect);
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let name = entry?.file_name();
            let version =
                name.to_str().and_then(|name| name.split_once('_')).and_then(|(version, _)| version.parse().ok());
            last = last.max(version.unwrap_or(0));
        }
    }
    Ok(last)
}

/// The time in UTC as `yyyymmddhhmmss`.
fn version(since_1970: Duration) -> u64 {
    let seconds = since_1970.as_secs();
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    let clock = second / 3_600 * 10_000 + second / 60 % 60 * 100 + second % 60;
    ((year * 100 + month) * 100 + day) * 1_000_000 + clock
}

/// Year, month and day of the `days`th day after 1 January 1970.
///
/// Counts in years that begin in March: the leap day is then the last of its year, and an era of 400 years has always
/// 146,097 days.
fn date(days: u64) -> (u64, u64, u64) {
    let since_era_0 = days + 719_468;
    let (era, day_of_era) = (since_era_0 / 146_097, since_era_0 % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let months_after_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * months_after_march + 2) / 5 + 1;
    let month = if months_after_march < 10 { months_after_march + 3 } else { months_after_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[expect(clippy::disallowed_methods, reason = "the name of a migration is the time at which it was begun")]
fn since_1970() -> Result<Duration> {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).context("the clock is set before 1970")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_dates_in_utc() {
        for (seconds, want) in [
            (0, 19_700_101_000_000),
            (951_782_399, 20_000_228_235_959),
            (951_782_400, 20_000_229_000_000),
            (951_868_800, 20_000_301_000_000),
            (1_735_689_599, 20_241_231_235_959),
            (4_107_542_400, 21_000_301_000_000),
        ] {
            assert_eq!(version(Duration::from_secs(seconds)), want, "{seconds}");
        }
    }
}
