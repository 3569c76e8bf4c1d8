//! The sockets that stand for servers, and the way from there.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream as StdTcpStream, ToSocketAddrs as _};
use std::os::unix::net::UnixListener as StdUnixListener;
use std::sync::Arc;
use std::time::Duration;

use rustix::net::sockopt;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpStream, UnixListener, UnixStream};
use tokio::sync::oneshot;
use tokio_rustls::TlsConnector;

use crate::address::{Address, Host, Mode};
use crate::error::TlsError;
use crate::{certificates, passfile};

/// The packet by which a client asks for TLS.
const TLS_REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];
/// The server's answer if it has TLS, and if it has none.
const YES: u8 = b'S';
const NO: u8 = b'N';
/// How long a server is given to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes that the first packet of libpq may have, and an answer of the server to it.
const LONGEST_START: u32 = 10_000;
const LONGEST_ANSWER: u32 = 64 << 10;
/// The kinds of messages of a server: how to sign in, and a failure.
const AUTHENTICATION: u8 = b'R';
const ERROR: u8 = b'E';
/// The beginning of the message that names ways of signing in, and the one that is bound to TLS.
const SASL: [u8; 4] = [0, 0, 0, 10];
const BOUND: &[u8] = b"SCRAM-SHA-256-PLUS\0";

/// A folder with a socket for each host of an address, for as long as a connection uses it.
#[derive(Debug)]
pub struct Tunnel {
    address: String,
    /// Dropped, it ends the thread.
    _end: oneshot::Sender<()>,
    /// Held, so that programs that clean up temporary files pass the folder over.
    _lock: File,
    _folder: TempDir,
}

impl Tunnel {
    /// The address for libpq.
    pub fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn start(address: &Address) -> Result<Self, TlsError> {
        let config = Arc::new(certificates::config(address)?);
        // Only this account may enter it.
        let folder = tempfile::Builder::new().prefix("tenon-pg-").tempdir()?;
        let lock = File::open(folder.path())?;
        lock.lock()?;
        let passwords = match &address.passfile {
            Some(file) => passfile::write(file, &address.hosts, folder.path())?,
            None => None,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(4).build()?;
        let mut listeners = Vec::new();
        for (host, number) in address.hosts.iter().zip(1..) {
            if host.is_remote() {
                let listener = StdUnixListener::bind(folder.path().join(format!(".s.PGSQL.{number}")))?;
                listener.set_nonblocking(true)?;
                let way = Way {
                    host: host.clone(),
                    is_plain_allowed: address.mode == Mode::Prefer,
                    config: Arc::clone(&config),
                };
                listeners.push((listener, way));
            }
        }
        let (end, ended) = oneshot::channel::<()>();
        let work = move || {
            runtime.block_on(async move {
                for (listener, way) in listeners {
                    match UnixListener::from_std(listener) {
                        Ok(listener) => drop(tokio::spawn(serve(listener, Arc::new(way)))),
                        Err(error) => tracing::error!(%error, "connections to PostgreSQL cannot be made"),
                    }
                }
                let _ = ended.await;
            });
        };
        std::thread::Builder::new().name("postgres-tls".to_owned()).spawn(work)?;
        let text = address.through(folder.path(), passwords.as_deref());
        Ok(Self { address: text, _end: end, _lock: lock, _folder: folder })
    }
}

/// True if a server answers, and no server that answers has TLS. One that does not answer is reached through the tunnel, once it
/// does.
pub(crate) fn none_has_tls(hosts: &[Host]) -> bool {
    let answers: Vec<bool> = hosts.iter().filter(|host| host.is_remote()).filter_map(has_tls).collect();
    !answers.is_empty() && answers.iter().all(|has_tls| !has_tls)
}

/// True if a server has TLS; `None` if it does not answer at any of its addresses.
fn has_tls(host: &Host) -> Option<bool> {
    let ask = |address: &SocketAddr| -> io::Result<u8> {
        let mut server = StdTcpStream::connect_timeout(address, PATIENCE)?;
        server.set_read_timeout(Some(PATIENCE))?;
        server.write_all(&TLS_REQUEST)?;
        let mut answer = [0];
        server.read_exact(&mut answer)?;
        Ok(answer[0])
    };
    let addresses = (host.name.as_str(), host.port).to_socket_addrs().ok()?;
    addresses.into_iter().find_map(|address| ask(&address).ok()).map(|answer| answer != NO)
}

/// The way to one server.
struct Way {
    host: Host,
    /// True if a server without TLS will do.
    is_plain_allowed: bool,
    config: Arc<ClientConfig>,
}

async fn serve(listener: UnixListener, way: Arc<Way>) {
    loop {
        match listener.accept().await {
            Ok((near, _)) => drop(tokio::spawn(connect(near, Arc::clone(&way)))),
            Err(error) => {
                tracing::warn!(%error, "a connection to PostgreSQL could not be taken on");
                tokio::task::yield_now().await;
            }
        }
    }
}

/// Takes one connection of libpq to the server, until one of them ends it.
async fn connect(mut near: UnixStream, way: Arc<Way>) {
    let opened = tokio::time::timeout(PATIENCE, way.open()).await;
    let opened = opened.unwrap_or_else(|_elapsed| Err(io::Error::new(ErrorKind::TimedOut, "it does not answer")));
    // How a connection ends, both sides see.
    let _ended = match opened {
        Ok(Far::Tls(mut far)) => match begin(&mut near, &mut far).await {
            Ok(()) => copy_bidirectional(&mut near, &mut far).await.map(drop),
            Err(error) => Err(error),
        },
        Ok(Far::Plain(mut far)) => copy_bidirectional(&mut near, &mut far).await.map(drop),
        Err(error) => {
            let text = format!("{}:{}: {error}", way.host.name, way.host.port);
            refuse(&mut near, &text).await
        }
    };
}

/// Has a connection end whose other side is gone without a word. libpq asks for that only at its own socket.
fn notice_loss(server: &TcpStream) -> io::Result<()> {
    sockopt::set_socket_keepalive(server, true)?;
    sockopt::set_tcp_keepidle(server, Duration::from_secs(30))?;
    sockopt::set_tcp_keepintvl(server, Duration::from_secs(10))?;
    sockopt::set_tcp_keepcnt(server, 3)?;
    Ok(sockopt::set_tcp_user_timeout(server, 60_000)?)
}

/// A connection to a server.
enum Far {
    Tls(Box<tokio_rustls::client::TlsStream<TcpStream>>),
    Plain(TcpStream),
}

impl Way {
    async fn open(&self) -> io::Result<Far> {
        let mut server = TcpStream::connect((self.host.name.as_str(), self.host.port)).await?;
        server.set_nodelay(true)?;
        notice_loss(&server)?;
        server.write_all(&TLS_REQUEST).await?;
        let mut answer = [0];
        server.read_exact(&mut answer).await?;
        match answer {
            [YES] => {
                let name = ServerName::try_from(self.host.name.clone()).map_err(io::Error::other)?;
                let connector = TlsConnector::from(Arc::clone(&self.config));
                let secured = connector.connect(name, server).await;
                secured.map(|far| Far::Tls(Box::new(far))).map_err(|error| io::Error::other(format!("TLS: {error}")))
            }
            [NO] if self.is_plain_allowed => Ok(Far::Plain(server)),
            [NO] => Err(io::Error::other("the server has no TLS, which sslmode demands")),
            _ => Err(io::Error::other("it does not answer as PostgreSQL does")),
        }
    }
}

/// Passes on what is said until the server has named the ways of signing in. One of them is bound to the TLS of the connection, of
/// which libpq knows nothing: it would end the connection, and so that one is left out.
async fn begin(near: &mut UnixStream, far: &mut (impl AsyncRead + AsyncWrite + Unpin)) -> io::Result<()> {
    let start = message(near, LONGEST_START).await?;
    far.write_u32(length_of(&start)).await?;
    far.write_all(&start).await?;
    far.flush().await?;
    loop {
        let kind = far.read_u8().await?;
        let mut body = message(far, LONGEST_ANSWER).await?;
        if kind == AUTHENTICATION
            && let Some(ways) = body.strip_prefix(&SASL)
        {
            let ways = ways.split_inclusive(|byte| *byte == 0).filter(|way| *way != BOUND);
            body = SASL.iter().chain(ways.flatten()).copied().collect();
        }
        near.write_u8(kind).await?;
        near.write_u32(length_of(&body)).await?;
        near.write_all(&body).await?;
        if matches!(kind, AUTHENTICATION | ERROR) {
            return Ok(());
        }
    }
}

/// The body of a message, which begins with its length.
async fn message(source: &mut (impl AsyncRead + Unpin), most: u32) -> io::Result<Vec<u8>> {
    let length = source.read_u32().await?;
    let size = length.checked_sub(4).filter(|_| length <= most);
    let size = size.ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "it does not answer as PostgreSQL does"))?;
    let mut body = vec![0; usize::try_from(size).unwrap_or_default()];
    source.read_exact(&mut body).await?;
    Ok(body)
}

fn length_of(body: &[u8]) -> u32 {
    u32::try_from(body.len() + 4).unwrap_or(u32::MAX)
}

/// Answers libpq in the name of a server that cannot be reached: with the code by which it goes on to the next host.
async fn refuse(near: &mut UnixStream, text: &str) -> io::Result<()> {
    let _start = message(near, LONGEST_START).await?;
    let text = text.replace('\0', "");
    let fields = format!("SFATAL\0VFATAL\0C57P03\0M{text}\0\0");
    near.write_u8(ERROR).await?;
    near.write_u32(length_of(fields.as_bytes())).await?;
    near.write_all(fields.as_bytes()).await?;
    near.shutdown().await
}
