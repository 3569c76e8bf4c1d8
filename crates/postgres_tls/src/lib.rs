//! TLS for connections to PostgreSQL.
//!
//! The bundled libpq is built without TLS, so that no other library is needed to build the program. It is given a Unix socket of this
//! process instead of the server's address. What comes there goes on to the server through `rustls`. The parameters of the address mean
//! what libpq's manual says of them: `sslmode`, `sslrootcert`, `sslcert`, `sslkey`; several hosts and `target_session_attrs`
//! are libpq's own work, as each host has a socket of its own.

mod address;
mod certificates;
mod error;
mod passfile;
mod tunnel;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use address::{Address, Mode};
pub use error::TlsError;
pub use tunnel::Tunnel;

/// The tunnels of this process by the address that they serve, for as long as a connection uses them.
static TUNNELS: Mutex<BTreeMap<String, Weak<Tunnel>>> = Mutex::new(BTreeMap::new());

/// The way to the server that a `postgres://` address names: `None` if libpq reaches it by itself, without TLS. The result
/// is kept for as long as the connection that uses it.
///
/// # Errors
/// If a parameter or a file of the address cannot be used. Whether the server answers is not asked, but for `sslmode=prefer`: there
/// libpq is left alone with servers that have no TLS.
pub fn route(address: &str) -> Result<Option<Arc<Tunnel>>, TlsError> {
    let parsed = Address::parse(address)?;
    if !parsed.wants_tls() {
        return Ok(None);
    }
    if let Some(tunnel) = known(address) {
        return Ok(Some(tunnel));
    }
    // Asked without the lock: a server may take its time.
    if parsed.mode == Mode::Prefer && tunnel::none_has_tls(&parsed.hosts) {
        return Ok(None);
    }
    let made = Arc::new(Tunnel::start(&parsed)?);
    let mut tunnels = TUNNELS.lock().unwrap_or_else(PoisonError::into_inner);
    tunnels.retain(|_, tunnel| tunnel.strong_count() > 0);
    // Another thread may have made one in between.
    if let Some(tunnel) = tunnels.get(address).and_then(Weak::upgrade) {
        return Ok(Some(tunnel));
    }
    tunnels.insert(address.to_owned(), Arc::downgrade(&made));
    Ok(Some(made))
}

fn known(address: &str) -> Option<Arc<Tunnel>> {
    TUNNELS.lock().unwrap_or_else(PoisonError::into_inner).get(address).and_then(Weak::upgrade)
}
