//! The address of a PostgreSQL server, as far as TLS is concerned.

use std::env;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::error::TlsError;

/// The port of a host that names none.
const PORT: u16 = 5432;

/// `sslmode`. `allow` is treated as `prefer`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mode {
    /// No TLS.
    Disable,
    /// TLS if the server has it.
    Prefer,
    /// TLS with any certificate, or with one of `sslrootcert` if that is named.
    Require,
    /// TLS with a certificate of an authority that is trusted.
    VerifyCa,
    /// The same, and it names the host.
    VerifyFull,
}

/// A server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Host {
    pub(crate) name: String,
    pub(crate) port: u16,
}

impl Host {
    /// True if it is reached over TCP: a path is a Unix socket, which has no TLS.
    pub(crate) fn is_remote(&self) -> bool {
        !self.name.is_empty() && !self.name.starts_with(['/', '@'])
    }
}

/// An address in its parts.
#[derive(Debug)]
pub(crate) struct Address {
    pub(crate) mode: Mode,
    pub(crate) hosts: Vec<Host>,
    pub(crate) root: Option<PathBuf>,
    /// The files of the certificate with which this program identifies itself, and of its key.
    pub(crate) client: Option<(PathBuf, PathBuf)>,
    pub(crate) passfile: Option<PathBuf>,
    /// The scheme, and the user with the password, up to the hosts.
    start: String,
    /// The database: from the `/` on.
    path: String,
    /// The parameters that are left to libpq, as they were written.
    rest: Vec<String>,
    /// A parameter that is not supported with TLS, and why.
    refused: Option<(String, &'static str)>,
}

impl Address {
    /// Fails if a parameter of TLS has a value that means nothing, or names something that is not supported: to pass
    /// over it could leave a connection less safe than was asked for.
    pub(crate) fn parse(text: &str) -> Result<Self, TlsError> {
        let parsed = Self::read(text)?;
        match parsed.refused {
            Some((ref name, problem)) if parsed.wants_tls() => Err(wrong(name, problem)),
            _ => Ok(parsed),
        }
    }

    fn read(text: &str) -> Result<Self, TlsError> {
        let (scheme, rest) = text.split_once("://").unwrap_or(("postgres", text));
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = place.find('/').map_or((place, ""), |at| place.split_at(at));
        let (user, hosts) = authority.rsplit_once('@').map_or((None, authority), |(user, hosts)| (Some(user), hosts));
        let start = user.map_or_else(|| format!("{scheme}://"), |user| format!("{scheme}://{user}@"));
        let mut given = Given::default();
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            given.take(parameter);
        }
        let from_environment = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        if from_environment("PGHOSTADDR").is_some() {
            given.refused = Some(("PGHOSTADDR".to_owned(), "is not supported: name the host"));
        }
        if user.is_some_and(|user| user.contains('@')) {
            given.refused = Some(("user".to_owned(), "a @ in a name or password is written as %40"));
        }
        let mode = given.mode.or_else(|| from_environment("PGSSLMODE"));
        let root = given.root.or_else(|| from_environment("PGSSLROOTCERT"));
        let passfile = given.passfile.or_else(|| from_environment("PGPASSFILE")).map(PathBuf::from);
        // As in libpq, a parameter wins over the place where hosts usually stand.
        let named = given.hosts.or_else(|| Some(hosts.to_owned()).filter(|hosts| !hosts.is_empty()));
        let named = named.or_else(|| from_environment("PGHOST")).unwrap_or_default();
        let client = match (given.certificate, given.key) {
            (Some(certificate), Some(key)) => Some((certificate.into(), key.into())),
            (None, None) => None,
            (Some(_), None) => return Err(wrong("sslkey", "it is needed with sslcert")),
            (None, Some(_)) => return Err(wrong("sslcert", "it is needed with sslkey")),
        };
        let is_system = root.as_deref() == Some("system");
        let mode = match mode.as_deref().map(mode_of).transpose()? {
            // As in libpq: who trusts any public authority has to look at the name.
            None if is_system => Mode::VerifyFull,
            Some(mode) if is_system && !matches!(mode, Mode::Disable | Mode::VerifyFull) => {
                return Err(wrong("sslmode", "is verify-full with sslrootcert=system"));
            }
            mode => mode.unwrap_or(Mode::Prefer),
        };
        let usual = from_environment("HOME").map(|home| Path::new(&home).join(".postgresql/root.crt"));
        let root = match root {
            Some(root) => Some(PathBuf::from(root)).filter(|_| !is_system),
            None => usual.filter(|path| path.exists()),
        };
        if mode == Mode::VerifyCa && root.is_none() {
            return Err(wrong("sslrootcert", "is needed with sslmode=verify-ca"));
        }
        Ok(Self {
            mode,
            hosts: hosts_of(&named, given.ports.as_deref())?,
            root,
            client,
            passfile: passfile.or_else(|| Some(Path::new(&from_environment("HOME")?).join(".pgpass"))),
            start,
            path: path.to_owned(),
            rest: given.rest,
            refused: given.refused,
        })
    }

    /// True if the connection may have TLS.
    pub(crate) fn wants_tls(&self) -> bool {
        self.mode != Mode::Disable && self.hosts.iter().any(Host::is_remote)
    }

    /// The address for libpq: the host of the number `n` is reached through the socket `.s.PGSQL.n` of `folder`.
    pub(crate) fn through(&self, folder: &Path, passfile: Option<&Path>) -> String {
        let quoted = |path: &Path| utf8_percent_encode(&path.to_string_lossy(), NON_ALPHANUMERIC).to_string();
        let mut text = self.start.clone();
        for (host, number) in self.hosts.iter().zip(1..) {
            let (name, port) = if host.is_remote() { (folder, number) } else { (Path::new(&host.name), host.port) };
            let comma = if number == 1 { "" } else { "," };
            let _ = write!(text, "{comma}{}:{port}", quoted(name));
        }
        // Over a Unix socket libpq asks for neither, and the environment must not make it ask.
        text += &format!("{}?sslmode=disable&gssencmode=disable", self.path);
        if let Some(passfile) = passfile {
            text += &format!("&passfile={}", quoted(passfile));
        }
        for parameter in &self.rest {
            text += &format!("&{parameter}");
        }
        text
    }
}

/// The parameters of an address that matter here.
#[derive(Default)]
struct Given {
    mode: Option<String>,
    root: Option<String>,
    certificate: Option<String>,
    key: Option<String>,
    hosts: Option<String>,
    ports: Option<String>,
    passfile: Option<String>,
    rest: Vec<String>,
    refused: Option<(String, &'static str)>,
}

impl Given {
    fn take(&mut self, parameter: &str) {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let value = percent_decode_str(value).decode_utf8_lossy().into_owned();
        let field = match name {
            "sslmode" => &mut self.mode,
            "sslrootcert" => &mut self.root,
            "sslcert" => &mut self.certificate,
            "sslkey" => &mut self.key,
            "host" => &mut self.hosts,
            "port" => &mut self.ports,
            "passfile" => &mut self.passfile,
            "channel_binding" | "sslcompression" | "sslsni" | "gssencmode" if value != "require" => return,
            "hostaddr" | "channel_binding" | "gssencmode" => {
                self.refused = Some((name.to_owned(), "is not supported"));
                return;
            }
            _ if name.starts_with("ssl") => {
                self.refused = Some((name.to_owned(), "is not supported"));
                return;
            }
            _ => {
                self.rest.push(parameter.to_owned());
                return;
            }
        };
        *field = Some(value);
    }
}

fn wrong(name: &str, problem: &'static str) -> TlsError {
    TlsError::Parameter { name: name.to_owned(), problem }
}

fn mode_of(word: &str) -> Result<Mode, TlsError> {
    Ok(match word {
        "disable" => Mode::Disable,
        "allow" | "prefer" => Mode::Prefer,
        "require" => Mode::Require,
        "verify-ca" => Mode::VerifyCa,
        "verify-full" => Mode::VerifyFull,
        _ => return Err(wrong("sslmode", "is one of disable, allow, prefer, require, verify-ca and verify-full")),
    })
}

/// The hosts of a list such as `a.example,b.example:6432,[::1]`. Ports apart are a list of the same length, or one port.
fn hosts_of(list: &str, ports: Option<&str>) -> Result<Vec<Host>, TlsError> {
    let apart: Vec<&str> = ports.into_iter().flat_map(|ports| ports.split(',')).collect();
    let host = |(at, text): (usize, &str)| {
        let end_of_name = text.rfind(']').map_or(0, |at| at + 1);
        let (name, port) = match text.get(end_of_name..).and_then(|rest| rest.rfind(':')) {
            Some(colon) => text.split_at(end_of_name + colon),
            None => (text, ""),
        };
        let port = port.trim_start_matches(':');
        let given = if port.is_empty() { apart.get(at).or(apart.first()).copied().unwrap_or_default() } else { port };
        let port = match given {
            "" => PORT,
            given => given.parse().map_err(|_number| wrong("port", "is not a number of a port"))?,
        };
        let name = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
        Ok(Host { name: percent_decode_str(name).decode_utf8_lossy().into_owned(), port })
    };
    if list.is_empty() { Ok(Vec::new()) } else { list.split(',').enumerate().map(host).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Address {
        Address::parse(text).unwrap()
    }

    fn hosts(text: &str) -> Vec<(String, u16)> {
        parsed(text).hosts.into_iter().map(|host| (host.name, host.port)).collect()
    }

    #[test]
    fn hosts_and_ports_are_read_as_libpq_reads_them() {
        let one = |name: &str, port| vec![(name.to_owned(), port)];
        assert_eq!(hosts("postgres://db.example.org/tenon"), one("db.example.org", 5432));
        assert_eq!(
            hosts("postgres://ada:p%40ss@db.example.org:6432/tenon?sslmode=require"),
            one("db.example.org", 6432)
        );
        assert_eq!(hosts("postgres://[::1]:5/tenon"), one("::1", 5));
        assert_eq!(hosts("postgres://[::1]/tenon"), one("::1", 5432));
        assert_eq!(hosts("postgresql:///tenon?host=/run/postgresql"), one("/run/postgresql", 5432));
        assert_eq!(hosts("postgresql:///tenon?host=db&port=7"), one("db", 7));
        assert_eq!(hosts("postgresql://other/tenon?host=db"), one("db", 5432));
        assert_eq!(hosts("postgres:///tenon"), []);
        let two = vec![("a".to_owned(), 1), ("b".to_owned(), 5432)];
        assert_eq!(hosts("postgres://a:1,b/tenon"), two);
        assert!(Address::parse("postgres://a:x/tenon").is_err());
    }

    #[test]
    fn libpq_gets_sockets_in_place_of_hosts() {
        let address = parsed(
            "postgres://ada:p%40s@a,b:7/tenon?sslmode=verify-full&target_session_attrs=read-write&sslrootcert=/ca.pem",
        );
        assert_eq!((address.mode, address.root.as_deref()), (Mode::VerifyFull, Some(Path::new("/ca.pem"))));
        assert_eq!(
            address.through(Path::new("/tmp/x"), Some(Path::new("/tmp/x/pass"))),
            "postgres://ada:p%40s@%2Ftmp%2Fx:1,%2Ftmp%2Fx:2/tenon?sslmode=disable&gssencmode=disable\
             &passfile=%2Ftmp%2Fx%2Fpass&target_session_attrs=read-write"
        );
        let mixed = parsed("postgres://%2Frun%2Fpg:3,b/tenon");
        assert_eq!(
            mixed.through(Path::new("/t"), None),
            "postgres://%2Frun%2Fpg:3,%2Ft:2/tenon?sslmode=disable&gssencmode=disable"
        );
    }

    #[test]
    fn only_tcp_has_tls() {
        let wants = |text: &str| parsed(text).wants_tls();
        assert!(wants("postgres://db/tenon") && wants("postgres://db/tenon?sslmode=require"));
        assert!(!wants("postgres://db/tenon?sslmode=disable") && !wants("postgres:///tenon?host=/run&sslmode=require"));
    }

    #[test]
    fn what_is_not_supported_is_refused_without_the_password() {
        for text in
            ["sslmode=yes", "sslcrl=/x", "sslkey=/x", "sslcert=/x", "hostaddr=1.2.3.4", "channel_binding=require"]
        {
            let error = Address::parse(&format!("postgres://ada:hidden@db/tenon?{text}")).unwrap_err().to_string();
            assert!(error.starts_with(&text[..3]) && !error.contains("hidden"), "{error}");
        }
        assert_eq!(parsed("postgres://db/tenon?sslrootcert=system").mode, Mode::VerifyFull);
        assert!(Address::parse("postgres://ada:hid@den@db/tenon").is_err());
        // Without TLS they are the matter of libpq.
        assert!(Address::parse("postgres://db/tenon?sslmode=disable&hostaddr=1.2.3.4").is_ok());
    }
}
