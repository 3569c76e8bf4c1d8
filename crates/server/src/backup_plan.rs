//! `[backup]` of `tenon.toml`: the backups that the server makes by itself.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use tenon_domain::server_task::{BackupPlan, BackupSchedule};
use tenon_domain::time::TimeDelta;

/// The section of the file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Section {
    to: PathBuf,
    #[serde(default)]
    every: Option<String>,
    #[serde(default)]
    verify_every: Option<String>,
    #[serde(default)]
    scratch: Option<PathBuf>,
    #[serde(default)]
    with_key: bool,
    #[serde(default)]
    key_file: Option<PathBuf>,
    #[serde(default)]
    keep_hourly: Option<u32>,
    #[serde(default)]
    keep_daily: Option<u32>,
    #[serde(default)]
    keep_weekly: Option<u32>,
    #[serde(default)]
    keep_monthly: Option<u32>,
}

/// The backups that the server makes by itself.
#[derive(Debug, Clone)]
pub(crate) struct Backups {
    pub(crate) plan: BackupPlan,
    /// The file of the key by which they are encrypted.
    pub(crate) key_file: Option<PathBuf>,
    /// Arguments of `tenon backup create`, of `verify` and of `prune`, behind the folder.
    pub(crate) create: Vec<String>,
    pub(crate) verify: Vec<String>,
    pub(crate) prune: Vec<String>,
}

impl Section {
    /// Fails with the wrong field and its problem.
    pub(crate) fn resolve(self) -> Result<Backups, String> {
        let period = |name: &str, text: Option<String>, default: &str| {
            let text = text.unwrap_or_else(|| default.to_owned());
            period(&text).ok_or_else(|| format!("{name}: {text:?} is not a number of hours or days such as 1h or 7d"))
        };
        let every = period("every", self.every, "1d")?;
        let verify_every = match self.verify_every.as_deref() {
            Some("off") => None,
            _ => Some(period("verify_every", self.verify_every, "7d")?),
        };
        let folder = absolute(&self.to)?;
        let keep = |name: &str, number: Option<u32>| number.map(|number| format!("--keep-{name}={number}"));
        let prune = [
            keep("hourly", self.keep_hourly),
            keep("daily", self.keep_daily),
            keep("weekly", self.keep_weekly),
            keep("monthly", self.keep_monthly),
        ];
        let key_file = self.key_file.as_deref().map(absolute).transpose()?;
        let scratch = self.scratch.as_deref().map(absolute).transpose()?;
        let scratch = scratch.map(|folder| format!("--scratch={}", folder.display()));
        let key: Vec<String> = key_file.iter().map(|file| format!("--key-file={}", file.display())).collect();
        let with = |more: Vec<String>| key.iter().cloned().chain(more).collect();
        Ok(Backups {
            key_file,
            plan: BackupPlan { folder, schedule: BackupSchedule { every, verify_every } },
            create: with(self.with_key.then(|| "--with-key".to_owned()).into_iter().collect()),
            verify: with(scratch.into_iter().collect()),
            prune: with(prune.into_iter().flatten().collect()),
        })
    }
}

fn absolute(folder: &Path) -> Result<PathBuf, String> {
    std::path::absolute(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

/// A time such as `1h` or `7d`: whole hours or days, a year at most.
fn period(text: &str) -> Option<TimeDelta> {
    let (number, hours) = match text.split_at_checked(text.len().checked_sub(1)?)? {
        (number, "h") => (number, 1),
        (number, "d") => (number, 24),
        _ => return None,
    };
    let number: u16 = number.parse().ok()?;
    let hours = i64::from(number) * hours;
    (1..=366 * 24).contains(&hours).then(|| TimeDelta::hours(hours))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(text: &str) -> Result<Backups, String> {
        toml::from_str::<Section>(text).map_err(|error| error.to_string()).and_then(Section::resolve)
    }

    #[test]
    fn periods_are_whole_hours_or_days() {
        let hours = |text| period(text).map(|period| period.num_hours());
        assert_eq!([hours("1h"), hours("12h"), hours("7d")], [Some(1), Some(12), Some(168)]);
        for wrong in ["", "h", "0h", "1", "1m", "-1h", "1.5h", "99999d", "1ü"] {
            assert_eq!(hours(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_section_becomes_a_plan_and_arguments() {
        let daily = resolved("to = \"/backups\"").unwrap();
        let hours = |period: TimeDelta| period.num_hours();
        assert_eq!(daily.plan.folder, Path::new("/backups"));
        assert_eq!((hours(daily.plan.schedule.every), daily.plan.schedule.verify_every.map(hours)), (24, Some(168)));
        assert!(daily.create.is_empty() && daily.verify.is_empty() && daily.prune.is_empty());
        let all =
            "to = \"/b\"\nevery = \"1h\"\nverify_every = \"off\"\nscratch = \"/s\"\nwith_key = true\nkeep_daily = 3";
        let all = resolved(all).unwrap();
        assert_eq!(all.plan.schedule.verify_every, None);
        assert_eq!((all.create, all.verify), (vec!["--with-key".to_owned()], vec!["--scratch=/s".to_owned()]));
        assert_eq!(all.prune, ["--keep-daily=3"]);
        let sealed = resolved("to = \"/b\"\nkey_file = \"/k\"").unwrap();
        assert_eq!([sealed.create, sealed.verify, sealed.prune], [["--key-file=/k"]; 3]);
        assert_eq!(sealed.key_file.as_deref(), Some(Path::new("/k")));
        assert!(resolved("to = \"/b\"\nevery = \"5m\"").unwrap_err().starts_with("every: \"5m\""));
        assert!(resolved("every = \"1h\"").unwrap_err().contains("to"));
        assert!(resolved("to = \"/b\"\nurl = \"x\"").unwrap_err().contains("url"));
    }
}
