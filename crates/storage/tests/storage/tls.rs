//! Connections to a PostgreSQL that takes none without TLS, as managed databases do.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use tenon_storage::{Database, DatabaseUrl, Options};
use tenon_testkit::postgres::Cluster;
use tenon_testkit::soon;

/// An authority, and the certificates that it has signed.
struct Authority {
    folder: tempfile::TempDir,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ca.pem"), certificate.pem()).unwrap();
        Self { folder, issuer: Issuer::new(params, key) }
    }

    /// A certificate for these host names, of this user, and its key.
    fn sign(&self, hosts: &[&str], user: &str) -> (String, String) {
        let mut params =
            CertificateParams::new(hosts.iter().map(|host| (*host).to_owned()).collect::<Vec<_>>()).unwrap();
        params.distinguished_name.push(DnType::CommonName, user);
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.issuer).unwrap().pem(), key.serialize_pem())
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        path
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }
}

/// `Ok` if a statement could be run, and else the error.
fn opened(url: &str) -> Result<(), String> {
    let database = Database::open(Options { spare: 0, ..Options::new(DatabaseUrl::Postgres(url.to_owned())) });
    let database = database.map_err(|error| text(&error))?;
    database.migration_state().map(drop).map_err(|error| text(&error))
}

fn text(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// True if the server has let this user in, who may not make tables in every version of PostgreSQL.
fn is_signed_in(url: &str) -> bool {
    opened(url).map_or_else(|error| error.contains("permission denied for schema"), |()| true)
}

#[track_caller]
fn assert_refused(url: &str, why: &str) {
    let Err(error) = opened(url) else { panic!("{url} is not refused") };
    assert!(error.contains(why), "{url}: {error}");
    assert!(!error.contains("hidden"), "{error}");
}

#[test]
fn a_server_that_demands_tls_is_reached() {
    let Some(cluster) = Cluster::start_on_tcp() else { return };
    let port = cluster.tcp_port;
    let authority = Authority::new();
    let at = |host: &str, more: &str| format!("postgres://postgres@{host}:{port}/postgres?{more}");
    // No TLS yet.
    let root = authority.root();
    let full = |root: &Path| format!("sslmode=verify-full&sslrootcert={}", root.display());
    assert_eq!(opened(&at("localhost", "")), Ok(()));
    assert_refused(&at("localhost", "sslmode=require"), "the server has no TLS, which sslmode demands");

    let (certificate, key) = authority.sign(&["localhost"], "localhost");
    let rules = "local all all trust\nhostssl all ada 127.0.0.1/32 scram-sha-256\nhostssl all eve 127.0.0.1/32 cert\n\
                 hostssl all all 127.0.0.1/32 trust\n";
    cluster.run("CREATE ROLE ada LOGIN PASSWORD 'hidden'; CREATE ROLE eve LOGIN").unwrap();
    let authorities = std::fs::read_to_string(&root).unwrap();
    let files = [
        ("server.crt", certificate.as_str()),
        ("server.key", &key),
        ("root.crt", &authorities),
        ("pg_hba.conf", rules),
    ];
    cluster.reconfigure(&files, &["ALTER SYSTEM SET ssl = on", "ALTER SYSTEM SET ssl_ca_file = 'root.crt'"]).unwrap();
    soon("it has TLS", || opened(&at("localhost", "sslmode=require")).is_ok());
    assert_refused(&at("localhost", "sslmode=disable"), "no encryption");
    for mode in ["", "sslmode=prefer", "sslmode=require", &full(&root)] {
        assert_eq!(opened(&at("localhost", mode)), Ok(()), "{mode}");
    }
    // The certificate names the host, and not its address.
    assert_refused(&at("127.0.0.1", &full(&root)), "not valid for name");
    let authority_only = format!("sslmode=verify-ca&sslrootcert={}", root.display());
    assert_eq!(opened(&at("127.0.0.1", &authority_only)), Ok(()));
    // Another authority, that of the system, and a file that is none.
    let other = Authority::new();
    assert_refused(&at("localhost", &full(&other.root())), "TLS: invalid peer certificate");
    let with_root = format!("sslmode=require&sslrootcert={}", other.root().display());
    assert_refused(&at("localhost", &with_root), "TLS: invalid peer certificate");
    assert_refused(&at("localhost", &full(Path::new("/dev/null"))), "sslrootcert: /dev/null cannot be used");
    // A certificate that is trusted itself.
    let own = authority.file("own.pem", &certificate);
    assert_eq!(opened(&at("localhost", &full(&own))), Ok(()));
    assert_refused(&at("127.0.0.1", &full(&own)), "not valid for name");

    // The first host does not answer, and the second one does.
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let two = format!(
        "postgres://postgres@localhost:{closed},localhost:{port}/postgres?{}&target_session_attrs=read-write",
        full(&root)
    );
    assert_eq!(opened(&two), Ok(()));

    // A password in the address, and one in a file.
    let as_ada = |password: &str, more: &str| {
        format!("postgres://ada{password}@localhost:{port}/postgres?{}{more}", full(&root))
    };
    assert!(is_signed_in(&as_ada(":hidden", "")));
    assert_refused(&as_ada(":hidden2", ""), "password authentication failed");
    let passwords = authority.file("pgpass", &format!("localhost:{port}:*:ada:hidden\n"));
    let passfile = format!("&passfile={}", passwords.display());
    assert!(is_signed_in(&as_ada("", &passfile)));
    std::fs::set_permissions(&passwords, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_refused(&as_ada("", &passfile), "no password supplied");

    // A certificate in place of a password.
    let (certificate, key) = authority.sign(&[], "eve");
    let (certificate, key) = (authority.file("eve.pem", &certificate), authority.file("eve.key", &key));
    let as_eve = |more: &str| format!("postgres://eve@localhost:{port}/postgres?{}{more}", full(&root));
    let with = format!("&sslcert={}&sslkey={}", certificate.display(), key.display());
    assert!(is_signed_in(&as_eve(&with)));
    assert!(!is_signed_in(&as_eve("")));
}
