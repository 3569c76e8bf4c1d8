//! `cargo xtask seed`: fills a database.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use tenon_app::DatabaseUrl;
use tenon_bench::seed::{self, PASSWORD, Size, Target, Tokens};

/// Fill a database with users, groups, projects, members, shares, stars, tags, labels, milestones, issues, notes and
/// merge requests. The data is the same each time.
///
/// Stop the server first. A database with accounts beside root is refused. Large takes minutes and up to four
/// gigabytes. The merge requests have no repositories behind them: `cargo xtask bench-code` makes one.
///
/// For trying out and measuring only: every account has the same, well-known password.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The amount of data
    #[arg(long, value_enum, default_value_t = Size::Small)]
    size: Size,
    /// `sqlite:PATH` or `postgres://...` [default: a SQLite file in the data folder]
    #[arg(long, env = "TENON_DATABASE_URL", hide_env_values = true, value_name = "URL")]
    database_url: Option<DatabaseUrl>,
    /// Folder for all data of the server
    #[arg(long, env = "TENON_DATA_DIR", default_value = "tenon-data", value_name = "FOLDER")]
    data_dir: PathBuf,
    /// Personal access token of root, with all scopes [default: none is made]
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
}

pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    let target = Target {
        database_url: arguments
            .database_url
            .unwrap_or_else(|| DatabaseUrl::Sqlite(arguments.data_dir.join("tenon.db"))),
        data_dir: arguments.data_dir,
    };
    let bar =
        ProgressBar::new(0).with_style(ProgressStyle::with_template("{msg:10} {wide_bar} {pos}/{len} {elapsed}")?);
    // Some steps at the end have no parts that could be counted.
    bar.enable_steady_tick(Duration::from_secs(1));
    let tokens = Tokens { root: arguments.token, member: None };
    let landmarks = seed::fill(&target, arguments.size, &tokens, &bar)?;
    println!("{} is filled ({}).", target.database_url, arguments.size.as_str());
    println!("  password of every account  {PASSWORD}");
    println!("  a user with memberships    {}", landmarks.member);
    println!("  a project of theirs        {} ({})", landmarks.project_path, landmarks.project);
    println!("  a group of theirs          {} ({})", landmarks.group_path, landmarks.group);
    Ok(ExitCode::SUCCESS)
}
