//! Logs: readable on a terminal, JSON elsewhere. Never bodies, tokens or addresses of people.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

/// Starts logging to standard error. `TENON_LOG` is the filter, as in `info,tenon_app=debug`; every single request is
/// logged from `info` on, which is not the default.
pub(crate) fn start() {
    let filter = EnvFilter::try_from_env("TENON_LOG")
        .unwrap_or_else(|_unset| EnvFilter::new("warn,tenon=info,tenon_edge=warn,tenon_ssh=warn"));
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A second start, in a test, changes nothing.
    if std::io::stderr().is_terminal() {
        drop(logs.with_target(false).try_init());
    } else {
        drop(logs.json().try_init());
    }
}
