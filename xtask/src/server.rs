//! A server of its own for checks that drive one from outside.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Stdio};

use anyhow::{Context, Result};

use crate::run;

/// A server on a fresh data folder, without limits of requests over time, which stops when this is dropped.
pub(crate) struct Server {
    child: Child,
    /// Its address; it may not answer yet.
    pub(crate) url: String,
}

impl Server {
    /// Starts one of this program with its data in `folder`, whose administrator has this token.
    pub(crate) fn start(program: &Path, folder: &Path, token: &str) -> Result<Self> {
        Self::configured(program, folder, token, "")
    }

    /// As [`Server::start`], with this configuration file.
    pub(crate) fn configured(program: &Path, folder: &Path, token: &str, config: &str) -> Result<Self> {
        let data = folder.join("data");
        if data.exists() {
            fs::remove_dir_all(&data).context("the last run's data cannot be removed")?;
        }
        fs::create_dir_all(&data)?;
        fs::write(folder.join("tenon.toml"), config)?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let address = format!("127.0.0.1:{port}");
        // Browsers make passkeys for names only.
        let url = format!("http://localhost:{port}");
        let mut command = run::other(program.as_os_str());
        command
            .args(["--limits", "off", "--ssh-listen", "off", "--listen", &address, "--base-url", &url, "--data-dir"])
            .arg(&data)
            .current_dir(folder);
        command.env("TENON_ROOT_TOKEN", token).env("TENON_ROOT_PASSWORD", "correct-horse-9").env_remove("TENON_CONFIG");
        command.stdout(Stdio::null()).stderr(fs::File::create(folder.join("server.log"))?);
        let child = command.spawn().context("the server did not start")?;
        Ok(Self { child, url })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ended = self.child.kill().and_then(|()| self.child.wait());
    }
}
