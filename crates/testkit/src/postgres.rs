//! A throw-away PostgreSQL cluster for one test process.
//!
//! [`cluster`] starts it on the first call and shares it with every test of the process. `TENON_TEST_POSTGRES_URL`
//! names a running server to use instead. With `TENON_TEST_POSTGRES=required`, a missing PostgreSQL is a panic and not
//! a notice.
//!
//! Nothing is left behind, even after `kill -9`. A shell owns the server and waits for the end of its standard input, a
//! pipe that only the test process holds. However that process ends, the kernel closes the pipe. The shell then stops
//! the server and removes its folder.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

use anyhow::{Context, Result, bail, ensure};
use diesel::connection::SimpleConnection;
use diesel::{Connection, PgConnection};

/// Names a server that already runs.
const URL_VARIABLE: &str = "TENON_TEST_POSTGRES_URL";
/// `required`: tests without PostgreSQL fail.
const DEMAND_VARIABLE: &str = "TENON_TEST_POSTGRES";

/// `$1` is the folder with PostgreSQL's programs, `$2` the address to listen on besides the Unix socket, and `$3` the port.
///
/// In memory a database is copied in a tenth of the time that it takes on a disk. The folder is therefore made in
/// `/dev/shm` if that has 2 GiB free (a container's usual 64 MiB would not do). `TMPDIR` is not asked: the path of a
/// Unix socket may have only about a hundred bytes. A broken pipe must not kill the shell before it has cleaned up.
///
/// A statement is planned once for all its parameters, not anew for each of its first five: in a database that lives
/// for one test this takes a fifth of the processor time away, and results do not depend on plans. Most plans are made
/// while tables are still empty: an index is preferred, which serves as well when they are not.
const KEEPER: &str = r#"
exec 2>&1
trap '' PIPE
trap 'exit 1' HUP INT TERM
room=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
parent=/tmp
[ "${room:-0}" -ge 2097152 ] && [ -w /dev/shm ] && parent=/dev/shm
dir=$(mktemp -d "$parent/tenon-pg.XXXXXX") || exit 1
trap '"$1/pg_ctl" -D "$dir/data" -m immediate -w stop >/dev/null 2>&1; rm -rf "$dir"' EXIT
"$1/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$dir/log" 2>&1 &&
"$1/pg_ctl" -D "$dir/data" -l "$dir/log" -w start -o "-c listen_addresses='$2' -c port=$3 -c unix_socket_directories=$dir \
  -c max_connections=300 -c fsync=off -c synchronous_commit=off -c full_page_writes=off \
  -c wal_level=minimal -c max_wal_senders=0 -c autovacuum=off -c plan_cache_mode=force_generic_plan \
  -c enable_seqscan=off \
  -c jit=off -c update_process_title=off -c track_activities=off -c track_counts=off" >/dev/null 2>&1 ||
{ cat "$dir/log"; exit 1; }
echo "ready $(cat "$dir/data/PG_VERSION") $dir"
exec >/dev/null 2>&1
while read -r _; do :; done
"#;

/// A PostgreSQL server on which tests make databases.
pub struct Cluster {
    /// The parts of a URL before and after the name of the database.
    url: (String, String),
    maintenance_database: String,
    /// The end of `CREATE DATABASE`.
    strategy: &'static str,
    /// The port of a server of [`Cluster::start_on_tcp`].
    pub tcp_port: u16,
    /// Connections to the maintenance database that no thread uses at the moment.
    connections: Mutex<Vec<PgConnection>>,
    /// Held for its pipe: see the module's text.
    keeper: Option<Keeper>,
}

/// The cluster that all tests of this process share, or `None` if there is no PostgreSQL (said once, loudly).
///
/// # Panics
/// If there is none although `TENON_TEST_POSTGRES=required`.
pub fn cluster() -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Result<Cluster>> = OnceLock::new();
    match CLUSTER.get_or_init(find_or_start) {
        Ok(cluster) => Some(cluster),
        Err(reason) => {
            without_postgres(reason);
            None
        }
    }
}

impl Cluster {
    /// A cluster that nothing else uses, so that it can be stopped; `None` as [`cluster`].
    ///
    /// # Panics
    /// As [`cluster`].
    pub fn start_another() -> Option<Self> {
        Self::start_own(None)
    }

    /// As [`Cluster::start_another`], on a free port of the loopback interface as well .
    ///
    /// # Panics
    /// As [`cluster`], and if there is no free port.
    pub fn start_on_tcp() -> Option<Self> {
        let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        Self::start_own(Some(free.expect("a free port").port()))
    }

    fn start_own(port: Option<u16>) -> Option<Self> {
        let programs = find_programs().context("there is no initdb on PATH or under /usr/lib/postgresql");
        programs.and_then(|programs| Self::start(&programs, port)).inspect_err(without_postgres).ok()
    }

    /// Writes files into the folder of the server, runs statements, and has it read its configuration anew.
    pub fn reconfigure(&self, files: &[(&str, &str)], sql: &[&str]) -> Result<()> {
        let keeper = self.keeper.as_ref().context("the server of someone else is not changed")?;
        let account = Account::to_run_as()?;
        for (name, text) in files {
            let path = Path::new(&keeper.folder).join("data").join(name);
            std::fs::write(&path, text)?;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
            if let Some(account) = &account {
                std::os::unix::fs::chown(&path, Some(account.uid), Some(account.gid))?;
            }
        }
        sql.iter().chain(&["SELECT pg_reload_conf()"]).try_for_each(|statement| self.run(statement))
    }

    /// Stops the server: `fast` ends its connections, `immediate` is as if it had crashed.
    pub fn stop(&self, how: &str) -> Result<()> {
        self.control(&["-m", how, "stop"])
    }

    /// Starts the server after [`Cluster::stop`], with the same settings.
    pub fn start_again(&self) -> Result<()> {
        self.control(&["start"])
    }

    fn control(&self, arguments: &[&str]) -> Result<()> {
        let keeper = self.keeper.as_ref().context("the server of someone else is not stopped")?;
        let folder = Path::new(&keeper.folder);
        let options = std::fs::read_to_string(folder.join("data/postmaster.opts"))?;
        let options = options.split_once(' ').map_or("", |(_program, options)| options.trim());
        let mut command = program(keeper.programs.join("pg_ctl"));
        command.arg("-D").arg(folder.join("data")).arg("-l").arg(folder.join("log")).args(["-w", "-o", options]);
        command.args(arguments).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).current_dir("/");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if let Some(account) = Account::to_run_as()? {
            command.uid(account.uid).gid(account.gid);
        }
        ensure!(command.status()?.success(), "pg_ctl {arguments:?} failed");
        Ok(())
    }

    /// The address of `database`.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        let (before, after) = &self.url;
        format!("{before}{database}{after}")
    }

    /// The address for work on the server itself, such as `CREATE DATABASE`.
    #[must_use]
    pub fn admin_url(&self) -> String {
        self.url(&self.maintenance_database)
    }

    /// True if the server was started for this process, and ends with it.
    pub(crate) fn is_own(&self) -> bool {
        self.keeper.is_some()
    }

    /// Makes a database, empty or as a copy of `template`, to which no one may be connected at that moment.
    pub fn create_database(&self, name: &str, template: Option<&str>) -> Result<()> {
        let name = identifier(name)?;
        let template = identifier(template.unwrap_or("template0"))?;
        self.execute(&format!("CREATE DATABASE {name} TEMPLATE {template}{}", self.strategy))
    }

    /// Drops a database if it exists, together with the connections to it.
    pub fn drop_database(&self, name: &str) -> Result<()> {
        let name = identifier(name)?;
        self.execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
    }

    /// Runs statements on the server itself, as its superuser.
    pub fn run(&self, sql: &str) -> Result<()> {
        Ok(PgConnection::establish(&self.admin_url())?.batch_execute(sql)?)
    }

    /// The number that a `SELECT COUNT(*)` on the server itself yields.
    pub fn count(&self, sql: &str) -> Result<i64> {
        #[derive(diesel::QueryableByName)]
        struct Counted {
            #[diesel(sql_type = diesel::sql_types::BigInt)]
            count: i64,
        }
        let query = diesel::sql_query(format!("SELECT ({sql}) AS count"));
        let counted: Counted =
            diesel::RunQueryDsl::get_result(query, &mut PgConnection::establish(&self.admin_url())?)?;
        Ok(counted.count)
    }

    fn execute(&self, sql: &str) -> Result<()> {
        let kept = self.connections.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut connection = match kept {
            Some(connection) => connection,
            None => PgConnection::establish(&self.admin_url())?,
        };
        connection.batch_execute(sql).with_context(|| sql.to_owned())?;
        self.connections.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        Ok(())
    }

    fn at_url(url: &str) -> Result<Self> {
        let (address, parameters) = url.split_once('?').map_or((url, ""), |(address, rest)| (address, rest));
        let (scheme, place) = address.split_once("://").context("no scheme")?;
        ensure!(matches!(scheme, "postgres" | "postgresql"), "the scheme is not postgres://");
        let (server, database) = place.split_once('/').unwrap_or((place, ""));
        let after = if parameters.is_empty() { String::new() } else { format!("?{parameters}") };
        let maintenance_database = if database.is_empty() { "postgres" } else { database };
        Ok(Self {
            url: (format!("{scheme}://{server}/"), after),
            maintenance_database: maintenance_database.to_owned(),
            strategy: "",
            tcp_port: 0,
            connections: Mutex::default(),
            keeper: None,
        })
    }

    fn start(programs: &Path, port: Option<u16>) -> Result<Self> {
        let keeper = Keeper::start(programs, port)?;
        let at_port = port.map(|port| format!("&port={port}")).unwrap_or_default();
        let after = format!("?host={}&user=postgres{at_port}", keeper.folder);
        Ok(Self {
            url: ("postgres:///".to_owned(), after),
            maintenance_database: "postgres".to_owned(),
            // This is the fastest way without fsync. Older versions know no other way, and not the word.
            strategy: if keeper.version < 15 { "" } else { " STRATEGY file_copy" },
            tcp_port: port.unwrap_or_default(),
            connections: Mutex::default(),
            keeper: Some(keeper),
        })
    }
}

/// The shell that owns the server. It lives until its standard input ends.
#[derive(Debug)]
struct Keeper {
    version: u32,
    programs: PathBuf,
    folder: String,
    _shell: Child,
    _lifeline: ChildStdin,
}

impl Keeper {
    fn start(programs: &Path, port: Option<u16>) -> Result<Self> {
        let mut command = program("/bin/sh");
        command.args(["-c", KEEPER, "sh"]).arg(programs);
        command.arg(if port.is_some() { "127.0.0.1" } else { "" }).arg(port.unwrap_or(5432).to_string());
        // Only the variable that finds programs is passed on: PGPORT and the like would change the server.
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        // The account that runs it may not be allowed to enter the folder of the test.
        command.current_dir("/");
        // A signal to the tests' process group must not reach the shell before it has cleaned up.
        command.process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        if let Some(account) = Account::to_run_as()? {
            command.uid(account.uid).gid(account.gid);
        }
        let mut shell = command.spawn().context("/bin/sh did not start")?;
        let lifeline = shell.stdin.take().context("no pipe to /bin/sh")?;
        let mut said = BufReader::new(shell.stdout.take().context("no pipe from /bin/sh")?);
        let mut line = String::new();
        said.read_line(&mut line)?;
        if let Some((version, folder)) = line.trim_end().strip_prefix("ready ").and_then(|it| it.split_once(' ')) {
            let version = version.parse().context("PG_VERSION is no number")?;
            let (programs, folder) = (programs.to_owned(), folder.to_owned());
            return Ok(Self { version, programs, folder, _shell: shell, _lifeline: lifeline });
        }
        said.read_to_string(&mut line)?;
        shell.wait()?;
        bail!("PostgreSQL in {} did not start:\n{}", programs.display(), line.trim_end());
    }
}

/// The account that the server runs as, because PostgreSQL refuses to run as root.
struct Account {
    uid: u32,
    gid: u32,
}

impl Account {
    fn to_run_as() -> Result<Option<Self>> {
        if id(&["-u"])? != 0 {
            return Ok(None);
        }
        for name in ["postgres", "nobody"] {
            if let (Ok(uid), Ok(gid)) = (id(&["-u", name]), id(&["-g", name])) {
                return Ok(Some(Self { uid, gid }));
            }
        }
        bail!("running as root, and there is neither an account `postgres` nor `nobody` to start PostgreSQL as");
    }
}

fn id(arguments: &[&str]) -> Result<u32> {
    let output = program("id").args(arguments).stderr(Stdio::null()).output().context("`id` did not start")?;
    ensure!(output.status.success(), "`id {}` failed", arguments.join(" "));
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

fn find_or_start() -> Result<Cluster> {
    if let Some(url) = std::env::var_os(URL_VARIABLE).filter(|url| !url.is_empty()) {
        let url = url.into_string().ok().with_context(|| format!("{URL_VARIABLE} is not text"))?;
        return Cluster::at_url(&url).with_context(|| format!("{URL_VARIABLE} cannot be used"));
    }
    let programs = find_programs().context("there is no initdb on PATH or under /usr/lib/postgresql")?;
    Cluster::start(&programs, None)
}

fn without_postgres(reason: &anyhow::Error) {
    static NOTICE: OnceLock<()> = OnceLock::new();
    let demand = std::env::var(DEMAND_VARIABLE).unwrap_or_default();
    let remedy = format!("Install PostgreSQL (Debian: apt-get install postgresql) or set {URL_VARIABLE}.");
    assert!(
        matches!(demand.as_str(), "" | "required"),
        "{DEMAND_VARIABLE}={demand} means nothing: unset it or say required"
    );
    assert!(demand.is_empty(), "{DEMAND_VARIABLE}=required, but there is no PostgreSQL: {reason:#}\n{remedy}");
    NOTICE.get_or_init(|| {
        let line = "=".repeat(100);
        // Written past the capture of the test runner, which shows the output of `eprintln!` only for failed tests.
        // Nothing can be done about a closed standard error.
        _ = writeln!(
            std::io::stderr(),
            "\n{line}\nPOSTGRESQL IS NOT TESTED: {reason:#}\nTests run on SQLite only. {remedy}\n{line}"
        );
    });
}

/// The folder with `initdb` and `pg_ctl`: from `PATH`, else the newest of Debian's.
fn find_programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path)
        .filter_map(|folder| Some(folder.join("initdb").canonicalize().ok()?.parent()?.to_owned()));
    let mut versions: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let entry = entry.ok()?;
            Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin")))
        })
        .collect();
    versions.sort();
    let packaged = versions.into_iter().rev().map(|(_, folder)| folder);
    on_path
        .chain(packaged)
        .find(|folder| ["initdb", "pg_ctl", "postgres"].iter().all(|name| folder.join(name).exists()))
}

/// `name` in quotes, if it is one that needs no escaping, neither in SQL nor in a URL.
fn identifier(name: &str) -> Result<String> {
    let plain = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    ensure!(plain && (1..=63).contains(&name.len()), "{name:?} is no database name for tests: use a-z, 0-9 and _");
    Ok(format!("\"{name}\""))
}

#[expect(clippy::disallowed_methods, reason = "PostgreSQL's own programs; none of this is the server's code")]
fn program(name: impl AsRef<std::ffi::OsStr>) -> Command {
    Command::new(name)
}

#[cfg(test)]
mod tests {
    use diesel::sql_types::BigInt;
    use diesel::{QueryableByName, RunQueryDsl, sql_query};

    use super::*;

    #[derive(QueryableByName)]
    struct Counted {
        #[diesel(sql_type = BigInt)]
        count: i64,
    }

    #[test]
    fn a_copied_database_has_what_its_template_has_and_nothing_flows_back() {
        let Some(cluster) = cluster() else { return };
        let connect = |database: &str| PgConnection::establish(&cluster.url(database)).unwrap();
        let count = |database: &str, what: &str| {
            let query = sql_query(format!("SELECT count(*) FROM {what}"));
            query.get_result::<Counted>(&mut connect(database)).unwrap().count
        };
        let (original, copy) = (&format!("original_{}", std::process::id()), &format!("copy_{}", std::process::id()));
        cluster.create_database(original, None).unwrap();
        connect(original).batch_execute("CREATE TABLE words AS SELECT 'one' AS word").unwrap();
        cluster.create_database(copy, Some(original)).unwrap();
        connect(copy).batch_execute("INSERT INTO words VALUES ('two')").unwrap();
        assert_eq!([copy, original].map(|database| count(database, "words")), [2, 1]);
        cluster.drop_database(copy).unwrap();
        cluster.drop_database(original).unwrap();
        let left = format!("pg_database WHERE datname = '{copy}'");
        assert_eq!(count(&cluster.maintenance_database, &left), 0);
    }

    #[test]
    fn the_cluster_ends_when_its_pipe_is_closed() {
        let Some(programs) = find_programs() else { return };
        let Keeper { folder, _shell: mut shell, _lifeline: lifeline, .. } = Keeper::start(&programs, None).unwrap();
        assert!(Path::new(&folder).join("data/postmaster.pid").exists());
        drop(lifeline);
        shell.wait().unwrap();
        assert!(!Path::new(&folder).exists());
    }

    #[test]
    fn a_server_that_does_not_start_says_why_and_leaves_nothing() {
        let empty = tempfile::tempdir().unwrap();
        let error = Keeper::start(empty.path(), None).unwrap_err().to_string();
        assert!(error.contains("initdb"), "{error}");
    }

    #[test]
    fn a_given_server_keeps_its_parameters_for_every_database() {
        let cases = [
            (
                "postgres://me:secret@db:5433/main?sslmode=disable",
                "postgres://me:secret@db:5433/x?sslmode=disable",
                "main",
            ),
            ("postgres://db", "postgres://db/x", "postgres"),
            ("postgresql:///?host=/run/pg", "postgresql:///x?host=/run/pg", "postgres"),
        ];
        for (given, want, maintenance_database) in cases {
            let cluster = Cluster::at_url(given).unwrap();
            assert_eq!(cluster.url("x"), want);
            assert_eq!(cluster.maintenance_database, maintenance_database);
        }
        assert!(Cluster::at_url("sqlite://x").is_err());
    }

    #[test]
    fn names_that_would_need_escaping_are_refused() {
        for name in ["", "a b", "a\"b", "A", "x?host=y"] {
            assert!(identifier(name).is_err(), "{name}");
        }
    }
}
