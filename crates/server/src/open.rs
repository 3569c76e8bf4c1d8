//! From configuration to an application: the data folder, the key, the database.

use std::io::{ErrorKind, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use tempfile::NamedTempFile;
use tenon_app::repository::Repositories;
use tenon_app::{
    App, Database, DatabaseUrl, Entropy, KEY_LENGTH, Mailer, Objects, Options, Parts, Passwords, ServingRight,
    SshAddress, SystemClock, SystemEntropy, Vault, addresses_of, mail,
};

use tenon_backup::is_copy;

use crate::config::Config;
use crate::terminal::say;
use crate::{alone, private};

/// Opens the application with these public addresses, and brings its database up to date.
pub(crate) fn open(config: &Config, base_url: &str, ssh: SshAddress) -> anyhow::Result<App> {
    bring_up(config, open_database(config)?, base_url, ssh)
}

fn bring_up(config: &Config, database: Database, base_url: &str, ssh: SshAddress) -> anyhow::Result<App> {
    let migrated = database.migrate().context("the database cannot be brought up to date")?;
    if migrated > 0 {
        tracing::info!(migrations = migrated, "the database was brought up to date");
    }
    assemble(config, database, base_url, ssh)
}

/// As [`open`], for a server. First it takes the right to serve the database, which the server holds for as long as it
/// serves.
pub(crate) fn open_to_serve(config: &Config, base_url: &str, ssh: SshAddress) -> anyhow::Result<(App, ServingRight)> {
    let database = open_database(config)?;
    let right = alone::take_database(config)?;
    Ok((bring_up(config, database, base_url, ssh)?, right))
}

/// Opens the application without migrating its database.
pub(crate) fn open_unmigrated(config: &Config, base_url: &str) -> anyhow::Result<App> {
    let database = open_database(config)?;
    assemble(config, database, base_url, SshAddress::default())
}

/// `tenon migrate`.
pub(crate) fn migrate(config: &Config) -> anyhow::Result<ExitCode> {
    let count = open_database(config)?.migrate().context("the database cannot be brought up to date")?;
    say(&match count {
        0 => format!("{} is up to date.", config.database_url),
        count => format!("{}: ran {count} migrations.", config.database_url),
    });
    Ok(ExitCode::SUCCESS)
}

/// Makes the data folder if it is missing, and that of a SQLite file, and closes them to other accounts.
pub(crate) fn prepare_folders(config: &Config) -> anyhow::Result<()> {
    make_folder(&config.data_dir)?;
    private::narrow(&config.data_dir);
    if let DatabaseUrl::Sqlite(path) = &config.database_url {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            make_folder(folder)?;
        }
        private::narrow_database(path);
    }
    Ok(())
}

fn open_database(config: &Config) -> anyhow::Result<Database> {
    prepare_folders(config)?;
    Database::open(Options::new(config.database_url.clone()))
        .with_context(|| format!("{} (--database-url, TENON_DATABASE_URL) cannot be opened", config.database_url))
}

fn make_folder(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("the folder {} (--data-dir, TENON_DATA_DIR) cannot be created", folder.display()))
}

fn assemble(config: &Config, database: Database, base_url: &str, ssh: SshAddress) -> anyhow::Result<App> {
    let key = secret_key(&config.data_dir.join("secret.key"), &SystemEntropy)?;
    let listening: Vec<SocketAddr> = std::iter::once(config.listen).chain(config.ssh_listen).collect();
    let parts = Parts {
        database,
        objects: Objects::in_folder(&config.data_dir.join("objects"))?,
        repositories: Repositories::in_folder(&config.data_dir, std::env::current_exe().ok(), &config.limits)
            .context("Git cannot be used: install git 2.43 or newer (Debian: apt install git)")?,
        clock: Arc::new(SystemClock),
        entropy: Arc::new(SystemEntropy),
        vault: Vault::new(&key),
        base_url: base_url.to_owned(),
        own_addresses: addresses_of(&listening),
        ssh,
        limits: config.limits.clone(),
        passwords: Passwords::default(),
        highlighter: std::env::current_exe().ok(),
        mail: mailer(config, base_url)?,
        providers: config.providers.clone(),
        backups: config.backups.as_ref().filter(|_| !is_copy(&config.data_dir)).map(|backups| backups.plan.clone()),
        crash_points: None,
    };
    App::new(parts).context("the application's threads cannot be started")
}

/// The mailer, if the configuration says how mail is sent.
fn mailer(config: &Config, base_url: &str) -> anyhow::Result<Option<Mailer>> {
    let Some((route, from)) = config.mail.clone() else { return Ok(None) };
    let mailer = Mailer::new(route, from, mail::host(base_url));
    mailer.map(Some).context("mail (--mail, TENON_MAIL) cannot be sent")
}

/// The key that seals secrets, as hexadecimal digits in a file that only its owner may read. Made on the first start.
/// Two processes that start at once end up with the same key.
fn secret_key(path: &Path, entropy: &dyn Entropy) -> anyhow::Result<[u8; KEY_LENGTH]> {
    let failed = || format!("{} cannot be written", path.display());
    if !path.try_exists().with_context(failed)? {
        let mut fresh = [0; KEY_LENGTH];
        entropy.fill(&mut fresh);
        make_key(path, &hex::encode(fresh)).with_context(failed)?;
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let bytes = hex::decode(text.trim()).ok().and_then(|bytes| bytes.try_into().ok());
    bytes.with_context(|| {
        format!("{} does not hold {} hexadecimal digits: restore it from a backup", path.display(), KEY_LENGTH * 2)
    })
}

/// Writes a key into a file that only its owner may read. The file is complete as soon as it has its name: on a full
/// disk there is none.
fn make_key(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Err(error) if error.error.kind() != ErrorKind::AlreadyExists => Err(error.error),
        Ok(_) | Err(_) => Ok(()),
    }
}
