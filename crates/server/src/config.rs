//! Process configuration: flags, then the environment, then `tenon.toml`, then defaults. Not to be mixed with the
//! application settings, which live in the database and are changed through the API.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use tenon_app::{
    DatabaseUrl, InvalidDatabaseUrl, Limits, MailRoute, MailSender, RootCredentials, Secret, SignInProvider,
};
use tenon_edge::DEFAULT_MONITORS;

use crate::arguments::has_password;
use crate::backup_plan::{Backups, Section};
use crate::sign_in::{self, SignIn};

/// The settings of one source.
#[derive(Args, Default)]
pub(crate) struct Settings {
    /// Data folder of the server [default: ./tenon-data]
    #[arg(long, env = "TENON_DATA_DIR", global = true, value_name = "FOLDER")]
    data_dir: Option<PathBuf>,
    /// Address to listen on [default: 127.0.0.1:8080]
    #[arg(long, env = "TENON_LISTEN", global = true, value_name = "HOST:PORT")]
    listen: Option<SocketAddr>,
    /// Address to serve Git over SSH on, or `off` [default: port 2222 of the address of --listen]
    #[arg(long, env = "TENON_SSH_LISTEN", global = true, value_name = "HOST:PORT")]
    ssh_listen: Option<String>,
    /// Public host of Git over SSH [default: that of --base-url]
    #[arg(long, env = "TENON_SSH_HOST", global = true, value_name = "HOST")]
    ssh_host: Option<String>,
    /// Public port of Git over SSH [default: that of --ssh-listen]
    #[arg(long, env = "TENON_SSH_PORT", global = true, value_name = "PORT")]
    ssh_port: Option<u16>,
    /// Database: `sqlite:PATH` or `postgres://...` [default: a SQLite file in the data folder]
    #[arg(long, env = "TENON_DATABASE_URL", global = true, hide_env_values = true, value_name = "URL")]
    database_url: Option<String>,
    /// File with the password of the PostgreSQL database, if --database-url has none. PGPASSFILE works as well
    #[arg(long, env = "TENON_DATABASE_PASSWORD_FILE", global = true, value_name = "FILE")]
    database_password_file: Option<PathBuf>,
    /// Public URL of the server [default: that of --listen]
    #[arg(long, env = "TENON_BASE_URL", global = true, value_name = "URL")]
    base_url: Option<String>,
    /// Comma-separated addresses and ranges of proxies whose X-Forwarded-For is trusted
    #[arg(long, env = "TENON_TRUSTED_PROXIES", global = true, value_delimiter = ',', value_name = "ADDRESS")]
    trusted_proxies: Option<Vec<String>>,
    /// Comma-separated addresses and ranges that may read /-/metrics [default: this machine]
    #[arg(long, env = "TENON_MONITORING_ALLOWLIST", global = true, value_delimiter = ',', value_name = "ADDRESS")]
    monitoring_allowlist: Option<Vec<String>>,
    /// Number of threads that accept requests [default: one per core]
    #[arg(long, env = "TENON_WORKERS", global = true, value_name = "NUMBER")]
    workers: Option<usize>,
    /// Password of the first administrator, used on the first start only
    #[arg(long, env = "TENON_ROOT_PASSWORD", global = true, hide_env_values = true, value_name = "PASSWORD")]
    root_password: Option<String>,
    /// Personal access token of the first administrator, with all scopes
    #[arg(long, env = "TENON_ROOT_TOKEN", global = true, hide_env_values = true, value_name = "TOKEN")]
    root_token: Option<String>,
    /// Rate limits by address: `on`, or `off` for benchmarks and closed networks [default: on]
    #[arg(long, env = "TENON_LIMITS", global = true, value_name = "on|off")]
    limits: Option<Switch>,
    /// Mail transport: `smtps://USER:PASSWORD@HOST`, `smtp://...` with STARTTLS, or `file:FOLDER` [default: no email]
    #[arg(long, env = "TENON_MAIL", global = true, hide_env_values = true, value_name = "URL")]
    mail: Option<String>,
    /// Sender address of email, such as `Tenon <tenon@example.org>`
    #[arg(long, env = "TENON_MAIL_FROM", global = true, value_name = "ADDRESS")]
    mail_from: Option<String>,
    /// Configuration file [default: ./tenon.toml, if it exists]
    #[arg(long, env = "TENON_CONFIG", global = true, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// The switch of rate limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

/// The same, in `tenon.toml`.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the names are those of the file")]
struct File {
    data_dir: Option<PathBuf>,
    listen: Option<SocketAddr>,
    ssh_listen: Option<String>,
    ssh_host: Option<String>,
    ssh_port: Option<u16>,
    database_url: Option<String>,
    database_password_file: Option<PathBuf>,
    base_url: Option<String>,
    trusted_proxies: Option<Vec<String>>,
    monitoring_allowlist: Option<Vec<String>>,
    workers: Option<usize>,
    root_password: Option<String>,
    root_token: Option<String>,
    mail: Option<String>,
    mail_from: Option<String>,
    /// Groups of limits, by name.
    #[serde(default)]
    limits: BTreeMap<String, BTreeMap<String, u64>>,
    /// Other services with whose accounts users sign in.
    #[serde(default)]
    sign_in: SignIn,
    /// Backups that the server makes by itself.
    backup: Option<Section>,
}

/// An invalid setting.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    /// The file does not exist or cannot be read.
    #[error("the configuration file {path} cannot be read: {source}")]
    Unreadable { path: PathBuf, source: std::io::Error },
    /// The file is not valid.
    #[error("the configuration file {path} is invalid: {source}")]
    Wrong { path: PathBuf, source: Box<toml::de::Error> },
    /// An invalid value.
    #[error("{setting}: {problem}")]
    Invalid {
        /// The setting, under all its names.
        setting: &'static str,
        problem: String,
    },
}

/// The configuration of the process.
#[derive(Clone)]
pub(crate) struct Config {
    pub(crate) data_dir: PathBuf,
    pub(crate) listen: SocketAddr,
    /// The address to serve Git over SSH on; `None` if it is not served.
    pub(crate) ssh_listen: Option<SocketAddr>,
    /// `None` stands for the host of the public URL.
    pub(crate) ssh_host: Option<String>,
    /// `None` stands for the port of `ssh_listen`.
    pub(crate) ssh_port: Option<u16>,
    pub(crate) database_url: DatabaseUrl,
    /// Without a slash at the end; `None` stands for the address of `listen`.
    pub(crate) base_url: Option<String>,
    pub(crate) trusted_proxies: Vec<String>,
    /// Addresses and ranges that may read the metrics.
    pub(crate) monitoring_allowlist: Vec<String>,
    pub(crate) workers: usize,
    pub(crate) root: RootCredentials,
    /// How mail is sent, and its sender; `None` if no mail is sent.
    pub(crate) mail: Option<(MailRoute, MailSender)>,
    pub(crate) limits: Limits,
    /// The providers with whose accounts users sign in.
    pub(crate) providers: Vec<SignInProvider>,
    /// The backups that the server makes by itself.
    pub(crate) backups: Option<Backups>,
    /// The configuration file, if one was named.
    pub(crate) file: Option<PathBuf>,
}

impl Config {
    /// Gives a process of this program the same configuration, in its environment.
    pub(crate) fn pass_on(&self, process: &mut std::process::Command) {
        process.env("TENON_DATA_DIR", &self.data_dir).env("TENON_DATABASE_URL", self.database_url.with_credentials());
        if let Some(file) = &self.file {
            process.env("TENON_CONFIG", file);
        }
    }
}

/// The port of Git over SSH. No right is needed to open it. The port of SSH itself usually belongs to the machine.
const DEFAULT_SSH_PORT: u16 = 2222;
const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8080);

impl Settings {
    /// The merged configuration. Fails with the first invalid setting.
    pub(crate) fn resolve(&self) -> Result<Config, ConfigError> {
        let file = self.file()?;
        let data_dir = self.data_dir.clone().or(file.data_dir).unwrap_or_else(|| PathBuf::from("tenon-data"));
        let listen = self.listen.or(file.listen).unwrap_or(DEFAULT_LISTEN);
        // It may have a password: the error does not show it.
        let database_url = self.database_url.as_deref().or(file.database_url.as_deref());
        let database_url = database_url.map(str::parse::<DatabaseUrl>).transpose();
        let wrong_url =
            |error: InvalidDatabaseUrl| invalid("database_url (--database-url, TENON_DATABASE_URL)", error.to_string());
        let database_url =
            database_url.map_err(wrong_url)?.unwrap_or_else(|| DatabaseUrl::Sqlite(data_dir.join("tenon.db")));
        let password_file = self.database_password_file.as_deref().or(file.database_password_file.as_deref());
        let database_url = with_password(database_url, password_file)?;
        let base_url = self.base_url.clone().or(file.base_url);
        let password = self.root_password.clone().or(file.root_password);
        if password.as_ref().is_some_and(|password| password.chars().count() < 8) {
            return Err(invalid("root_password (TENON_ROOT_PASSWORD)", "must have at least 8 characters".to_owned()));
        }
        let token = self.root_token.clone().or(file.root_token).filter(|token| !token.is_empty());
        if token.as_ref().is_some_and(|token| token.len() < 20 || !token.bytes().all(|byte| byte.is_ascii_graphic())) {
            let problem = "must have at least 20 visible ASCII characters".to_owned();
            return Err(invalid("root_token (TENON_ROOT_TOKEN)", problem));
        }
        Ok(Config {
            database_url,
            data_dir,
            listen,
            ssh_listen: ssh_listen(self.ssh_listen.as_deref().or(file.ssh_listen.as_deref()), listen)?,
            ssh_host: self.ssh_host.as_deref().or(file.ssh_host.as_deref()).map(checked_host).transpose()?,
            ssh_port: self.ssh_port.or(file.ssh_port),
            base_url: base_url.as_deref().map(checked_base_url).transpose()?,
            trusted_proxies: self.trusted_proxies.clone().or(file.trusted_proxies).unwrap_or_default(),
            monitoring_allowlist: self
                .monitoring_allowlist
                .clone()
                .or(file.monitoring_allowlist)
                .unwrap_or_else(|| DEFAULT_MONITORS.map(str::to_owned).to_vec()),
            workers: self.workers.or(file.workers).unwrap_or_else(cores),
            mail: mail(
                self.mail.as_deref().or(file.mail.as_deref()),
                self.mail_from.as_deref().or(file.mail_from.as_deref()),
            )?,
            limits: limits(self.limits, &file.limits)?,
            providers: sign_in::providers(&file.sign_in)
                .map_err(|problem| invalid("sign_in.openid (tenon.toml)", problem))?,
            backups: file
                .backup
                .map(Section::resolve)
                .transpose()
                .map_err(|problem| invalid("backup (tenon.toml)", problem))?,
            file: self.config.clone(),
            root: RootCredentials { password: password.map(Secret::given), token: token.map(Secret::given) },
        })
    }

    fn file(&self) -> Result<File, ConfigError> {
        let default = Path::new("tenon.toml");
        let path = match &self.config {
            Some(path) => path.as_path(),
            None if default.exists() => default,
            None => return Ok(File::default()),
        };
        let unreadable = |source| ConfigError::Unreadable { path: path.to_owned(), source };
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        toml::from_str(&text).map_err(|source| ConfigError::Wrong { path: path.to_owned(), source: Box::new(source) })
    }
}

/// The limits in force: the defaults, changed by the groups in the configuration file.
fn limits(switch: Option<Switch>, given: &BTreeMap<String, BTreeMap<String, u64>>) -> Result<Limits, ConfigError> {
    let mut limits = match switch {
        Some(Switch::Off) => Limits::without_rates(),
        Some(Switch::On) | None => Limits::default(),
    };
    for (group, numbers) in given {
        for (name, number) in numbers {
            limits
                .set(&format!("{group}.{name}"), *number)
                .map_err(|error| invalid("limits (tenon.toml)", error.to_string()))?;
        }
    }
    Ok(limits)
}

/// The address of a database with the password of a file in it.
fn with_password(url: DatabaseUrl, file: Option<&Path>) -> Result<DatabaseUrl, ConfigError> {
    let Some(file) = file else { return Ok(url) };
    let wrong = |problem: String| {
        invalid("database_password_file (--database-password-file, TENON_DATABASE_PASSWORD_FILE)", problem)
    };
    let DatabaseUrl::Postgres(address) = &url else {
        return Err(wrong("the database is not one of PostgreSQL".to_owned()));
    };
    // Also that of a process which this one has started, as the address was passed on whole.
    if has_password(address) {
        return Ok(url);
    }
    let password = std::fs::read_to_string(file).map_err(|error| wrong(format!("{}: {error}", file.display())))?;
    let password = utf8_percent_encode(password.trim_end_matches(['\r', '\n']), NON_ALPHANUMERIC);
    let separator = if address.contains('?') { '&' } else { '?' };
    Ok(DatabaseUrl::Postgres(format!("{address}{separator}password={password}")))
}

fn invalid(setting: &'static str, problem: String) -> ConfigError {
    ConfigError::Invalid { setting, problem }
}

fn checked_base_url(text: &str) -> Result<String, ConfigError> {
    let url = text.trim_end_matches('/');
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://")).unwrap_or_default();
    let plain = rest.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'?' | b'#' | b'"' | b'<' | b'>'));
    if rest.is_empty() || !plain {
        let problem = format!("{text:?} is not a URL such as https://git.example.org");
        return Err(invalid("base_url (--base-url, TENON_BASE_URL)", problem));
    }
    Ok(url.to_owned())
}

/// The address to serve Git over SSH on; `None` if it is not served.
fn ssh_listen(given: Option<&str>, listen: SocketAddr) -> Result<Option<SocketAddr>, ConfigError> {
    match given {
        None => Ok(Some(SocketAddr::new(listen.ip(), DEFAULT_SSH_PORT))),
        Some("" | "off") => Ok(None),
        Some(text) => text.parse().map(Some).map_err(|error| {
            invalid(
                "ssh_listen (--ssh-listen, TENON_SSH_LISTEN)",
                format!("{text:?} must be HOST:PORT or `off`: {error}"),
            )
        }),
    }
}

/// How mail is sent, and its sender.
fn mail(route: Option<&str>, from: Option<&str>) -> Result<Option<(MailRoute, MailSender)>, ConfigError> {
    let Some(route) = route.filter(|route| !matches!(*route, "" | "off")) else { return Ok(None) };
    let wrong_from = |problem: String| invalid("mail_from (--mail-from, TENON_MAIL_FROM)", problem);
    // The route has a password: it is not shown.
    let route = route.parse().map_err(|error| invalid("mail (--mail, TENON_MAIL)", format!("{error}")))?;
    let from = from.ok_or_else(|| wrong_from("is required to send email".to_owned()))?;
    Ok(Some((route, from.parse().map_err(|error| wrong_from(format!("{error}")))?)))
}

/// A host as it stands in addresses, without the brackets of IPv6.
fn checked_host(text: &str) -> Result<String, ConfigError> {
    let host = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let is_plain = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:".contains(&byte));
    let is_name = !host.contains(':') || host.parse::<std::net::Ipv6Addr>().is_ok();
    if host.is_empty() || host.starts_with('-') || !is_plain || !is_name {
        let problem = format!("{text:?} is not a host name such as git.example.org");
        return Err(invalid("ssh_host (--ssh-host, TENON_SSH_HOST)", problem));
    }
    Ok(host.to_owned())
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(2, std::num::NonZero::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(settings: Settings) -> Result<Config, String> {
        settings.resolve().map_err(|error| error.to_string())
    }

    #[test]
    fn nothing_set_means_a_folder_here_and_loopback() {
        let config = resolved(Settings::default()).ok().unwrap();
        assert_eq!(config.data_dir, Path::new("tenon-data"));
        assert_eq!((config.listen, config.base_url), (DEFAULT_LISTEN, None));
        assert_eq!(config.database_url, DatabaseUrl::Sqlite(PathBuf::from("tenon-data/tenon.db")));
        assert_eq!(config.ssh_listen, Some("127.0.0.1:2222".parse().unwrap()));
    }

    #[test]
    fn git_over_ssh_is_served_beside_http_unless_it_is_off() {
        let resolve = |listen: &str, ssh: Option<&str>| {
            let listen = Some(listen.parse().unwrap());
            resolved(Settings { listen, ssh_listen: ssh.map(str::to_owned), ..Settings::default() })
        };
        let served = |listen, ssh| resolve(listen, ssh).ok().unwrap().ssh_listen.map(|address| address.to_string());
        assert_eq!(served("0.0.0.0:80", None).as_deref(), Some("0.0.0.0:2222"));
        assert_eq!(served("0.0.0.0:80", Some("[::]:22")).as_deref(), Some("[::]:22"));
        assert_eq!(served("0.0.0.0:80", Some("off")), None);
        assert!(resolve("0.0.0.0:80", Some("here")).err().unwrap().contains("TENON_SSH_LISTEN"));
        let host = |host: &str| resolved(Settings { ssh_host: Some(host.to_owned()), ..Settings::default() });
        assert_eq!(host("[2001:db8::1]").ok().unwrap().ssh_host.as_deref(), Some("2001:db8::1"));
        for wrong in ["", "a b", "git.example.org:22", "-oProxyCommand=sh", "a/b", "git@example.org"] {
            assert!(host(wrong).err().unwrap().contains("TENON_SSH_HOST"), "{wrong}");
        }
    }

    #[test]
    fn mail_needs_a_route_and_a_sender() {
        let resolve = |mail: Option<&str>, from: Option<&str>| {
            let (mail, mail_from) = (mail.map(str::to_owned), from.map(str::to_owned));
            resolved(Settings { mail, mail_from, ..Settings::default() })
        };
        assert!(resolve(None, None).ok().unwrap().mail.is_none());
        assert!(resolve(Some("off"), Some("tenon@example.org")).ok().unwrap().mail.is_none());
        assert!(resolve(Some("file:mail"), Some("Tenon <tenon@example.org>")).ok().unwrap().mail.is_some());
        let wrong = |mail, from| resolve(Some(mail), from).err().unwrap();
        assert!(wrong("file:mail", None).contains("TENON_MAIL_FROM"));
        assert!(wrong("file:mail", Some("tenon")).contains("TENON_MAIL_FROM"));
        let secret = wrong("smtp://ada:hidden@mail.example?tls=none", Some("tenon@example.org"));
        assert!(secret.contains("TENON_MAIL") && !secret.contains("hidden"), "{secret}");
    }

    #[test]
    fn a_password_may_be_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        std::fs::write(&file, "p@ss word\n").unwrap();
        let resolve = |url: &str| {
            let (database_url, database_password_file) = (Some(url.to_owned()), Some(file.clone()));
            resolved(Settings { database_url, database_password_file, ..Settings::default() })
        };
        let url = resolve("postgres://ada@db/tenon?sslmode=require").ok().unwrap().database_url;
        assert_eq!(url.with_credentials(), "postgres://ada@db/tenon?sslmode=require&password=p%40ss%20word");
        assert_eq!(url.to_string(), "PostgreSQL db/tenon");
        // One that is in the address stays, as in the processes of the server.
        let both = resolve("postgres://ada:x@db/tenon").ok().unwrap().database_url;
        assert_eq!(both.with_credentials(), "postgres://ada:x@db/tenon");
        assert!(resolve("sqlite:x.db").err().unwrap().contains("TENON_DATABASE_PASSWORD_FILE"));
        let wrong = resolve("mysql://ada:hidden@db").err().unwrap();
        assert!(wrong.contains("TENON_DATABASE_URL") && !wrong.contains("hidden"), "{wrong}");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = |settings| resolved(settings).err().unwrap();
        let base = Settings { base_url: Some("git.example.org".into()), ..Settings::default() };
        assert!(wrong(base).starts_with("base_url (--base-url, TENON_BASE_URL)"));
        let token = Settings { root_token: Some("short".into()), ..Settings::default() };
        assert!(wrong(token).contains("TENON_ROOT_TOKEN"));
        let password = Settings { root_password: Some("short".into()), ..Settings::default() };
        assert!(wrong(password).contains("TENON_ROOT_PASSWORD"));
        let file = Settings { config: Some("/does/not/exist.toml".into()), ..Settings::default() };
        assert!(wrong(file).contains("/does/not/exist.toml"));
    }
}
