//! The arguments that the measuring commands share: the server, its database, and the files for the tables.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use tenon_bench::measure::{Databases, Kind};
use tenon_bench::process;

/// The arguments of all of them.
#[derive(Args)]
pub(crate) struct Measured {
    /// Which database
    #[arg(long, value_enum, default_value_t = Databases::Both)]
    database: Databases,
    /// Take the server as it was built last
    #[arg(long)]
    no_build: bool,
    /// Write the tables here, as Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

impl Measured {
    /// Builds the server, unless it is taken as it is.
    pub(crate) fn build(&self) -> Result<()> {
        if self.no_build { Ok(()) } else { process::build(&["--package", "tenon"]) }
    }

    /// The databases, one after the other.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.database.kinds().iter().copied()
    }

    /// Prints the tables, and writes them to the file.
    pub(crate) fn show(&self, tables: &str) -> Result<()> {
        println!("{tables}");
        self.markdown.as_deref().map_or(Ok(()), |file| write(file, tables))
    }
}

/// How far the measurements on a database are.
pub(crate) fn bar(kind: Kind) -> Result<ProgressBar> {
    let style = ProgressStyle::with_template(&format!("{:10} {{msg:40}} {{wide_bar}} {{pos}}/{{len}}", kind.as_str()))?;
    Ok(ProgressBar::new(0).with_style(style))
}

/// Writes a file.
pub(crate) fn write(file: &Path, text: &str) -> Result<()> {
    std::fs::write(file, text).with_context(|| format!("{} cannot be written", file.display()))
}
