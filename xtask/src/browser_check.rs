//! `cargo xtask browser-check`: people's journeys over the pages, in a real browser.
//!
//! The browser is an installed Chromium. The packages of npm that drive it and inspect the pages lie in the folder of
//! builds.

use std::ffi::OsString;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::run;
use crate::server::Server;

/// The package that drives the browser, and those that find faults in pages: for users of a screen reader or a
/// keyboard, and in HTML.
const PACKAGES: [&str; 3] = ["playwright-core@1.65.1", "axe-core@4.14.1", "html-validate@10.9.0"];
const JOURNEYS: &str = "tests/browser/journeys.mjs";
const PICTURES: &str = "tests/browser/pictures.mjs";
const FIGURES: &str = "tests/browser/figures.mjs";
/// The folder of the pictures of README.
const OF_README: &str = "docs/pictures";
const TOKEN: &str = "browser-check-token-of-root";
/// The paths of Chromium, unless `CHROMIUM` names it. First without its windows: pages take a quarter less time there.
const BROWSERS: [&str; 3] = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/chromium-browser"];

/// For CI. Without a browser, Node.js or the package it says so and succeeds: `cargo test` does not need them.
pub(crate) fn where_possible() -> Result<ExitCode> {
    match tools() {
        Ok(tools) => start(&tools, &run::server()?, JOURNEYS, &[]),
        Err(reason) => {
            println!("skipped: {reason:#}");
            Ok(ExitCode::SUCCESS)
        }
    }
}

pub(crate) fn run() -> Result<ExitCode> {
    start(&tools()?, &run::server()?, JOURNEYS, &[])
}

#[derive(Debug, Args)]
pub(crate) struct Pictures {
    /// Make only the pictures of these names, with commas between them, each in its three forms; the script has the list
    #[arg(long)]
    only: Option<String>,
    /// Write the pictures of README and docs/walk.md to docs/pictures as well
    #[arg(long)]
    readme: bool,
}

/// Makes pictures of pages, in light, in dark and on a phone.
pub(crate) fn pictures(asked: &Pictures) -> Result<ExitCode> {
    let (folder, of_readme) = (run::target().join("pictures"), run::root().join(OF_README));
    fs::create_dir_all(&folder)?;
    let mut more: Vec<OsString> = vec![folder.clone().into(), run::root().into()];
    if let Some(name) = &asked.only {
        more.extend(["--only".into(), name.into()]);
    }
    if asked.readme {
        fs::create_dir_all(&of_readme)?;
        more.extend(["--readme".into(), of_readme.into()]);
    }
    println!("the pictures are in {}", folder.display());
    start(&tools()?, &run::server()?, PICTURES, &more)
}

/// Prints the figures of pages of the released server in the browser.
pub(crate) fn figures() -> Result<ExitCode> {
    start(&tools()?, &run::released_server()?, FIGURES, &[])
}

/// Runs a script with the address of a fresh server of this program, its token, and these arguments.
fn start((browser, modules): &(PathBuf, PathBuf), program: &Path, script: &str, more: &[OsString]) -> Result<ExitCode> {
    let folder = run::target().join("browser-check-run");
    // The script answers for the sign-in provider at this address.
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let issuer = format!("http://127.0.0.1:{port}");
    let provider = format!(
        "name = 'provider'\nlabel = 'Provider'\nissuer = '{issuer}'\nclient_id = 'tenon'\nallow_sign_up = true\n"
    );
    let config = if script == JOURNEYS { format!("[[sign_in.openid]]\n{provider}") } else { String::new() };
    let server = Server::configured(program, &folder, TOKEN, &config)?;
    let mut command = run::other("node".as_ref());
    command.arg(run::root().join(script)).args([&server.url, TOKEN]).args(more);
    command.env("NODE_PATH", modules).env("CHROMIUM", browser).env("TENON_TARGET", run::target());
    command.env("TENON_OPENID_ISSUER", issuer);
    run::status(&mut command)
}

/// The browser, and the folder of the packages. The folder is filled if it is empty.
fn tools() -> Result<(PathBuf, PathBuf)> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let browser = named.or_else(|| BROWSERS.iter().map(PathBuf::from).find(|path| path.exists()));
    let browser =
        browser.context("there is no Chromium (Debian: apt-get install chromium), and CHROMIUM names none")?;
    let folder = run::target().join("browser-check");
    fs::create_dir_all(&folder)?;
    let (installed, wanted) = (folder.join("installed"), PACKAGES.join(" "));
    if !fs::read_to_string(&installed).is_ok_and(|packages| packages == wanted) {
        let mut install = run::other("npm".as_ref());
        install.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]).arg(&folder).args(PACKAGES);
        let done = run::status(install.stdout(Stdio::null())).context("npm cannot be started")?;
        ensure!(done == ExitCode::SUCCESS, "{wanted} cannot be installed: the registry of npm cannot be reached");
        fs::write(&installed, wanted)?;
    }
    Ok((browser, folder.join("node_modules")))
}
