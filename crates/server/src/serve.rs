//! `tenon serve`.

use std::net::{SocketAddr, TcpListener};
use std::process::ExitCode;

use actix_web::rt::signal::unix::{SignalKind, signal};
use anyhow::Context;
use tenon_app::jobs::{self, Pace, start_schedule};
use tenon_app::repository::reconcile_all;
use tenon_app::transport::answer_hooks;
use tenon_app::{App, Secret, SshAddress, SystemEntropy, first_start};
use tenon_edge::{Edge, SetupError};
use tenon_http::Http;
use tenon_ssh::HostKey;
use tenon_web::Site;
use tokio::sync::watch;

use crate::config::{Config, ConfigError};
use crate::terminal::say;
use crate::{alone, file_size, logging, open, open_files, tasks};

/// Serves until a signal stops the process, and then completes the current requests and jobs.
pub(crate) fn serve(config: &Config) -> anyhow::Result<ExitCode> {
    logging::start();
    file_size::survive_the_limit()?;
    open::prepare_folders(config)?;
    let _folder = alone::lock_folder(config)?;
    let listener = TcpListener::bind(config.listen)
        .with_context(|| format!("cannot listen on {} (--listen, TENON_LISTEN)", config.listen))?;
    let address = listener.local_addr()?;
    let base_url = config.base_url.clone().unwrap_or_else(|| format!("http://{address}"));
    let ssh = config.ssh_listen.map(bind_ssh).transpose()?;
    let port = config.ssh_port.or(ssh.as_ref().map(|(_, address)| address.port()));
    let default = SshAddress::default();
    let port = port.unwrap_or(default.port);
    let public = SshAddress { host: config.ssh_host.clone(), port, is_served: ssh.is_some() };
    let (app, right) = open::open_to_serve(config, &base_url, public)?;
    let _right = alone::hold(right)?;
    let host_key = ssh.as_ref().map(|_| HostKey::in_folder(&config.data_dir, &SystemEntropy)).transpose()?;
    let password = first_start(&app, config.root.clone())?;
    let edge = Edge::new(app.clone(), &config.trusted_proxies, &config.monitoring_allowlist).map_err(explained)?;
    let http = Http::new(edge.clone(), Some(Site::new(edge.clone())?.fallback()))?;
    let ssh = ssh.zip(host_key);
    welcome(config, address, &base_url, ssh.as_ref().map(|((_, address), key)| (*address, key)), password.as_ref());
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
    let ssh = ssh.map(|((listener, _), key)| start_ssh(&app, listener, key, stopped.clone())).transpose()?;
    let tasks = tasks::start(app.clone(), config, stopped.clone())?;
    let jobs = start_jobs(&app, stopped)?;
    open_files::raise_limit();
    let server = tenon_edge::run(edge, listener, config.workers, move |routes| http.configure(routes))?;
    let outcome = actix_web::rt::System::new().block_on(async {
        let _ending = actix_web::rt::spawn(end_streams(app.clone()));
        server.await
    });
    stop.send_replace(true);
    drop(jobs.join());
    drop(tasks.join());
    drop(ssh.map(std::thread::JoinHandle::join));
    outcome?;
    Ok(ExitCode::SUCCESS)
}

/// Ends the streams of events on a signal that stops the server. The server waits for the requests that are under way.
async fn end_streams(app: App) {
    let (interrupt, terminate) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    let (Ok(mut interrupt), Ok(mut terminate)) = (interrupt, terminate) else { return };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    app.end_streams();
}

/// The wrong part of the configuration, if that is the cause.
fn explained(error: SetupError) -> anyhow::Error {
    let setting = match &error {
        SetupError::Proxies(_) => "trusted_proxies (--trusted-proxies, TENON_TRUSTED_PROXIES)",
        SetupError::Monitors(_) => "monitoring_allowlist (--monitoring-allowlist, TENON_MONITORING_ALLOWLIST)",
        SetupError::Metrics(_) => return error.into(),
    };
    ConfigError::Invalid { setting, problem: error.to_string() }.into()
}

fn bind_ssh(address: SocketAddr) -> anyhow::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(address).with_context(|| {
        format!("cannot serve Git over SSH on {address} (--ssh-listen, TENON_SSH_LISTEN; `off` disables it)")
    })?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Serves Git over SSH on its own thread until a signal stops the process.
fn start_ssh(
    app: &App,
    listener: TcpListener,
    key: HostKey,
    stopped: watch::Receiver<bool>,
) -> anyhow::Result<std::thread::JoinHandle<()>> {
    let app = app.clone();
    let work = move || {
        if let Err(error) = tenon_ssh::run(&app, listener, &key, stopped) {
            tracing::error!(%error, "Git is not served over SSH any more");
        }
    };
    Ok(std::thread::Builder::new().name("ssh".to_owned()).spawn(work)?)
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
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(threads).build()?;
    let app = app.clone();
    let work = move || runtime.block_on(jobs::serve(&app, Pace::default(), stopped));
    Ok(std::thread::Builder::new().name("jobs".to_owned()).spawn(work)?)
}

fn welcome(
    config: &Config,
    address: SocketAddr,
    base_url: &str,
    ssh: Option<(SocketAddr, &HostKey)>,
    password: Option<&Secret>,
) {
    say(&format!("Tenon {} serves {base_url}", env!("CARGO_PKG_VERSION")));
    say(&format!("  listens on  {address}"));
    if let Some((address, key)) = ssh {
        say(&format!("  Git (SSH)   {address}, host key {}", key.fingerprint()));
    }
    say(&format!("  data in     {}", config.data_dir.display()));
    say(&format!("  database    {}", config.database_url));
    if let Some(password) = password {
        say("");
        say("Administrator account created. The password is shown only once:");
        say(&format!("  user      root\n  password  {}", password.expose()));
    }
    say("");
    say(&format!("Next: sign in at {base_url}/users/sign_in"));
    say("or create an API token with");
    say("  tenon admin token create --user root --name first --scopes api,sudo");
    say(&format!("API documentation: {base_url}/api/v4/docs"));
}
