//! `tenon serve`.

use std::net::{SocketAddr, TcpListener};
use std::process::ExitCode;

use anyhow::Context;
use tenon_app::jobs::{self, Pace, start_schedule};
use tenon_app::repository::reconcile_all;
use tenon_app::transport::answer_hooks;
use tenon_app::{App, Secret, first_start};
use tenon_http::Http;
use tokio::sync::watch;

use crate::config::{Config, ConfigError};
use crate::terminal::say;
use crate::{logging, open, open_files};

/// Serves until a signal stops the process, and then completes the current requests and jobs.
pub(crate) fn serve(config: &Config) -> anyhow::Result<ExitCode> {
    logging::start();
    let listener = TcpListener::bind(config.listen)
        .with_context(|| format!("cannot listen on {} (--listen, TENON_LISTEN)", config.listen))?;
    let address = listener.local_addr()?;
    let base_url = config.base_url.clone().unwrap_or_else(|| format!("http://{address}"));
    let app = open::open(config, &base_url)?;
    let password = first_start(&app, config.root.clone())?;
    let http = Http::new(app.clone(), &config.trusted_proxies).map_err(|error| ConfigError::Invalid {
        setting: "trusted_proxies (--trusted-proxies, TENON_TRUSTED_PROXIES)",
        problem: error.to_string(),
    })?;
    let http = http.monitored_from(&config.monitoring_allowlist).map_err(|error| ConfigError::Invalid {
        setting: "monitoring_allowlist (--monitoring-allowlist, TENON_MONITORING_ALLOWLIST)",
        problem: error.to_string(),
    })?;
    welcome(config, address, &base_url, password.as_ref());
    let (stop, stopped) = watch::channel(false);
    let swept = app.sweep_repositories().context("the repositories cannot be checked")?;
    if swept > 0 {
        tracing::warn!(files = swept, "removed what killed processes of Git had left behind");
    }
    let merges = app.recover_merges(true).context("interrupted merges cannot be recovered")?;
    if merges > 0 {
        tracing::warn!(merges, "finished or gave up merges that had been cut off");
    }
    let interrupted = jobs::recover(&app)?;
    if interrupted > 0 {
        tracing::warn!(jobs = interrupted, "jobs that had been cut off are run again");
    }
    app.set_aside_strays().context("the repositories cannot be checked")?;
    start_hooks(app.clone())?;
    reconcile_all(&app)?;
    start_schedule(&app)?;
    let jobs = start_jobs(&app, stopped)?;
    open_files::raise_limit();
    let server = tenon_http::run(http, listener, config.workers)?;
    let outcome = actix_web::rt::System::new().block_on(server);
    stop.send_replace(true);
    drop(jobs.join());
    outcome?;
    Ok(ExitCode::SUCCESS)
}

/// Serves the hooks of pushes on their own thread until the process ends.
fn start_hooks(app: App) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(8).build()?;
    let work = move || {
        if let Err(error) = runtime.block_on(answer_hooks(app)) {
            tracing::error!(%error, "the socket of hooks cannot be served: every push will be refused");
        }
    };
    std::thread::Builder::new().name("hooks".to_owned()).spawn(work)?;
    Ok(())
}

/// Runs jobs on their own thread until a signal stops the process.
fn start_jobs(app: &App, stopped: watch::Receiver<bool>) -> anyhow::Result<std::thread::JoinHandle<()>> {
    let threads = jobs::threads(app);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().max_blocking_threads(threads).build()?;
    let app = app.clone();
    let work = move || runtime.block_on(jobs::serve(&app, Pace::default(), stopped));
    Ok(std::thread::Builder::new().name("jobs".to_owned()).spawn(work)?)
}

fn welcome(config: &Config, address: SocketAddr, base_url: &str, password: Option<&Secret>) {
    say(&format!("Tenon {} serves {base_url}", env!("CARGO_PKG_VERSION")));
    say(&format!("  listens on  {address}"));
    say(&format!("  data in     {}", config.data_dir.display()));
    say(&format!("  database    {}", config.database_url));
    if let Some(password) = password {
        say("");
        say("The administrator was created. This is shown once:");
        say(&format!("  user      root\n  password  {}", password.expose()));
    }
    say("");
    say("Next: make a token for the API,");
    say("  tenon admin token create --user root --name first --scopes api,sudo");
    say(&format!("and read {base_url}/api/v4/docs"));
}
