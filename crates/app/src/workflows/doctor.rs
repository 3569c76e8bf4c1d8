//! Looking the server over (`tenon admin doctor`).

use tenon_git::Depth;
use tenon_storage::recount::{self, KEPT};
use tenon_storage::{MigrationState, bot, compile_options, token};

use crate::core::app::App;
use crate::core::error::{AppError, chain};
use crate::jobs;
use crate::repository::maintenance::inspect::{Fault, Mending, Outcome};
use crate::shared::access::account_removal;

/// The outcome of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The checked thing.
    pub subject: &'static str,
    /// True if it is as it should be.
    pub healthy: bool,
    /// The finding, and the repair if it is not well.
    pub text: String,
}

/// The flag without which the bundled SQLite prepares statements over and over.
const NEEDED_FLAG: &str = "ENABLE_QPSG";

/// The most bots that one run removes.
const BOTS: i64 = 1_000;

/// Checks schema, database, key, queue, counters, files and repositories, these as closely as `depth` says, and repairs what can be
/// repaired of them if `mending` says so. Only a database that does not answer at all, or a Git that does not work, is an error.
pub fn doctor(app: &App, mending: Mending, depth: Depth) -> Result<Vec<Finding>, AppError> {
    let schema = schema(app)?;
    if !schema.healthy {
        // The other checks need the current schema.
        return Ok(vec![schema, library(app)?]);
    }
    let mut findings = vec![schema, library(app)?, key(app)?, queue(app)?];
    findings.extend(database_file(app)?);
    findings.extend(rows(app, mending)?);
    findings.extend(kept_values(app, mending)?);
    findings.push(bots(app, mending)?);
    findings.extend(app.inspect_files(mending)?.into_iter().map(|fault| finding("files", fault)));
    findings.extend(repositories(app, mending, depth)?);
    Ok(findings)
}

fn schema(app: &App) -> Result<Finding, AppError> {
    let (healthy, text) = match app.database().migration_state()? {
        MigrationState::Current => (true, "up to date".to_owned()),
        MigrationState::Pending(count) => (false, format!("{count} pending migrations: run `tenon migrate`")),
    };
    Ok(Finding { subject: "database schema", healthy, text })
}

fn library(app: &App) -> Result<Finding, AppError> {
    let flags = compile_options(app.database())?;
    let well = flags.is_empty() || flags.iter().any(|flag| flag == NEEDED_FLAG);
    let text = match (flags.is_empty(), well) {
        (true, _) => "PostgreSQL".to_owned(),
        (false, true) => "SQLite with the required flags".to_owned(),
        (false, false) => {
            format!("SQLite was built without {NEEDED_FLAG}: build with the project's .cargo/config.toml")
        }
    };
    Ok(Finding { subject: "database library", healthy: well, text })
}

fn key(app: &App) -> Result<Finding, AppError> {
    let sample = app.database().read(token::any_sealed_secret)?;
    let (healthy, text) = match sample.map(|sealed| app.vault().open(&sealed)) {
        None => (true, "no secrets stored yet".to_owned()),
        Some(Ok(_)) => (true, "decrypts stored secrets".to_owned()),
        Some(Err(_)) => {
            (false, "cannot decrypt stored secrets: restore secret.key from the backup of this database".to_owned())
        }
    };
    Ok(Finding { subject: "secret key", healthy, text })
}

fn queue(app: &App) -> Result<Finding, AppError> {
    let (waiting, dead) = jobs::counts(app)?;
    let more = if dead == 0 { "" } else { ": see `tenon admin jobs`" };
    let text = format!("{waiting} waiting, {dead} failed{more}");
    Ok(Finding { subject: "job queue", healthy: dead == 0, text })
}

/// The file of SQLite. Nothing of it is repaired: a row that was lost is in a backup.
fn database_file(app: &App) -> Result<Vec<Finding>, AppError> {
    let subject = "database file";
    let faults = recount::faults_of_file(app.database())?;
    if faults.is_empty() {
        return Ok(vec![Finding { subject, healthy: true, text: "whole".to_owned() }]);
    }
    let text = |fault| format!("{fault}: restore the database from a backup");
    Ok(faults.into_iter().map(|fault| Finding { subject, healthy: false, text: text(fault) }).collect())
}

/// Rows that name others which are not there, and removals whose job was lost.
fn rows(app: &App, mending: Mending) -> Result<Vec<Finding>, AppError> {
    let subject = "rows";
    let mut faults = app.inspect_rows(mending)?;
    faults.extend(app.inspect_removals(mending)?);
    if faults.is_empty() {
        return Ok(vec![Finding { subject, healthy: true, text: "all that they name is there".to_owned() }]);
    }
    Ok(faults.into_iter().map(|fault| finding(subject, fault)).collect())
}

/// The counters, sums and indexes that follow from rows. Each is made anew in a transaction of its own.
fn kept_values(app: &App, mending: Mending) -> Result<Vec<Finding>, AppError> {
    let subject = "counters";
    let mut findings = Vec::new();
    for kept in KEPT {
        let wrong = match app.database().read(|tx| recount::wrong(tx, kept)) {
            Ok(0) => continue,
            Ok(wrong) => wrong,
            // The other values are compared without it.
            Err(error) => {
                let text = format!("{} could not be compared: {}", kept.name, chain(&error));
                findings.push(Finding { subject, healthy: false, text });
                continue;
            }
        };
        let is_mended = mending == Mending::Repair;
        if is_mended {
            app.command(|command| Ok(recount::mend(&mut command.tx, kept)?))?;
        }
        let outcome = if is_mended { " (repaired)" } else { ": --fix counts them anew" };
        findings.push(Finding { subject, healthy: is_mended, text: format!("{}: wrong: {wrong}{outcome}", kept.name) });
    }
    if findings.is_empty() {
        findings.push(Finding {
            subject,
            healthy: true,
            text: format!("all {} kinds agree with the rows", KEPT.len()),
        });
    }
    Ok(findings)
}

/// The accounts of access tokens. One without a token, or without its project or group, is removed.
fn bots(app: &App, mending: Mending) -> Result<Finding, AppError> {
    let astray = app.database().read(|tx| bot::astray(tx, BOTS))?;
    let subject = "bots";
    if astray.is_empty() {
        return Ok(Finding { subject, healthy: true, text: "all have a token and a project or group".to_owned() });
    }
    let is_mended = mending == Mending::Repair;
    if is_mended {
        app.command(|command| astray.iter().try_for_each(|bot| account_removal::begin(command, *bot, false)))?;
    }
    let outcome = if is_mended { " (repaired)" } else { ": --fix removes them" };
    let text = format!("without a token, or without a project or group: {}{outcome}", astray.len());
    Ok(Finding { subject, healthy: is_mended, text })
}

/// A fault as a finding.
fn finding(subject: &'static str, fault: Fault) -> Finding {
    let (healthy, text) = match fault.outcome {
        Outcome::Found => (false, fault.text),
        Outcome::Mended => (true, format!("{} (repaired)", fault.text)),
        Outcome::Harmless => (true, fault.text),
    };
    Finding { subject, healthy, text }
}

fn repositories(app: &App, mending: Mending, depth: Depth) -> Result<Vec<Finding>, AppError> {
    let (count, faults) = app.inspect_repositories(mending, depth)?;
    let subject = "repositories";
    let healthy = faults.iter().all(|fault| fault.outcome != Outcome::Found);
    let malformed = faults.iter().filter(|fault| fault.outcome == Outcome::Harmless).count();
    let mut findings: Vec<Finding> = faults.into_iter().map(|fault| finding(subject, fault)).collect();
    if healthy {
        let sound = count.saturating_sub(malformed);
        let more = if malformed == 0 { String::new() } else { format!(", with malformed objects: {malformed}") };
        let text = match depth {
            Depth::Contents => format!("sound projects: {sound}{more}"),
            Depth::Connectivity => {
                format!("connected projects: {sound}; contents of objects were not checked")
            }
        };
        findings.push(Finding { subject, healthy, text });
    }
    Ok(findings)
}
