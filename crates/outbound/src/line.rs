//! Text sent over a plain connection to an address that users have named. The address is checked as that of an HTTP request.

use std::net::SocketAddr;

use tokio::io::AsyncWriteExt;
use tokio::net::{TcpStream, lookup_host};
use url::Url;

use crate::address::is_public;
use crate::http::{Client, SendError};

impl Client {
    /// Connects to a machine and sends it `text`. The answer is not read.
    ///
    /// # Errors
    /// If the connection is not allowed, or if the machine does not take everything in time.
    pub async fn send_text(&self, host: &str, port: u16, text: &str, local_allowed: bool) -> Result<(), SendError> {
        let time = self.bounds.time;
        let sent = tokio::time::timeout(time, self.connect_and_write(host, port, text, local_allowed));
        sent.await.unwrap_or(Err(SendError::Timeout(time)))
    }

    async fn connect_and_write(&self, host: &str, port: u16, text: &str, local_allowed: bool) -> Result<(), SendError> {
        let is_own = || Url::parse(&format!("http://{host}/")).is_ok_and(|url| self.own.is_named_by(&url));
        if !local_allowed && is_own() {
            return Err(SendError::Blocked { url: host.to_owned() });
        }
        let failed = |error: std::io::Error| SendError::Failed(error.kind().to_string());
        let found: Vec<SocketAddr> = lookup_host((host, port)).await.map_err(failed)?.collect();
        let is_permitted = |address: &SocketAddr| is_public(address.ip()) && !self.own.contains(address.ip());
        if !local_allowed && !found.iter().all(is_permitted) {
            return Err(SendError::Blocked { url: host.to_owned() });
        }
        // Only addresses that were checked: the name is not resolved again.
        let mut connection = TcpStream::connect(found.as_slice()).await.map_err(failed)?;
        connection.write_all(text.as_bytes()).await.map_err(failed)?;
        connection.shutdown().await.map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::TcpListener;
    use std::time::Duration;

    use super::*;
    use crate::http::Bounds;
    use crate::own::OwnAddresses;

    #[tokio::test]
    async fn only_checked_addresses_get_the_text() {
        let bounds = Bounds { time: Duration::from_secs(10), response: 100 };
        let client = Client::new(bounds, OwnAddresses::default()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let blocked = client.send_text("localhost", port, "no", false).await;
        assert!(matches!(blocked, Err(SendError::Blocked { .. })), "{blocked:?}");
        client.send_text("127.0.0.1", port, "yes\n", true).await.unwrap();
        let mut got = String::new();
        listener.accept().unwrap().0.read_to_string(&mut got).unwrap();
        assert_eq!(got, "yes\n");
        drop(listener);
        assert!(matches!(client.send_text("127.0.0.1", port, "x", true).await, Err(SendError::Failed(_))));
    }

    #[tokio::test]
    async fn the_server_itself_gets_no_text() {
        let bounds = Bounds { time: Duration::from_secs(10), response: 100 };
        let own = OwnAddresses::new("https://git.example.invalid", &["9.9.9.9".parse().unwrap()]);
        let client = Client::new(bounds, own).unwrap();
        for host in ["git.example.invalid", "GIT.example.invalid.", "9.9.9.9"] {
            let blocked = client.send_text(host, 6659, "no", false).await;
            assert!(matches!(blocked, Err(SendError::Blocked { .. })), "{host}: {blocked:?}");
        }
    }
}
