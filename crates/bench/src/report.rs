//! The figures: as JSON to be kept, as a table to be read, and compared with an earlier time.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

/// One call of `cargo xtask bench`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Processor, memory and kernel.
    pub machine: String,
    /// The size of the database.
    pub size: String,
    /// How long each endpoint was driven.
    pub seconds: f64,
    /// On how many connections.
    pub connections: usize,
    /// One for each database.
    pub runs: Vec<Run>,
}

/// All endpoints on one database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Which one.
    pub database: String,
    /// From the start of the process to the first 200 of `/-/readiness`; the median of five.
    pub cold_start_ms: f64,
    /// Memory of the server a second after its start.
    pub idle_mib: f64,
    /// Memory of the server at the end.
    pub loaded_mib: f64,
    /// The endpoints.
    pub rows: Vec<Row>,
}

/// One endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The name of the endpoint.
    pub endpoint: String,
    /// The status of its answer. If that is no success, nothing was measured.
    pub status: u16,
    /// How long the answer's body is.
    pub body_bytes: usize,
    /// Successful answers in a second.
    pub per_second: f64,
    /// Half of the answers took at most so long.
    pub p50_ms: f64,
    /// Nine tenths did.
    pub p90_ms: f64,
    /// All but a hundredth did.
    pub p99_ms: f64,
    /// Other answers, and broken connections.
    pub errors: u64,
    /// Memory of the server afterwards.
    pub memory_mib: f64,
    /// Computing time of the server for one answer; a database in another process is not in it.
    pub cpu_us: f64,
    /// The same stack with a constant body.
    pub constant_body: Option<Floor>,
    /// The bare queries.
    pub queries: Option<Floor>,
}

impl Row {
    /// An endpoint that does not answer as it should.
    #[must_use]
    pub fn refused(endpoint: &str, status: u16) -> Self {
        Self {
            endpoint: endpoint.to_owned(),
            status,
            body_bytes: 0,
            per_second: 0.0,
            p50_ms: 0.0,
            p90_ms: 0.0,
            p99_ms: 0.0,
            errors: 1,
            memory_mib: 0.0,
            cpu_us: 0.0,
            constant_body: None,
            queries: None,
        }
    }
}

/// The speed of a program or of queries that do less than the endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Floor {
    /// The number of times in a second.
    pub per_second: f64,
    /// Computing time for one answer.
    pub cpu_us: Option<f64>,
    /// The work that is done.
    pub what: String,
}

impl Report {
    /// One table for each database, in Markdown.
    #[must_use]
    pub fn tables(&self) -> String {
        let mut text = format!(
            "{}; {} data, {} connections, {} s for each endpoint.\n",
            self.machine, self.size, self.connections, self.seconds
        );
        for run in &self.runs {
            let head = ["endpoint", "bytes", "req/s", "P50 ms", "P90 ms", "P99 ms", "errors", "RSS MiB", "CPU µs"];
            let floors = ["floor 1 req/s", "of floor 1", "floor 2 /s", "of floor 2"];
            let mut lines = vec![head.into_iter().chain(floors).map(str::to_owned).collect::<Vec<_>>()];
            lines.extend(run.rows.iter().map(cells));
            // Writing to a text cannot fail.
            _ = write!(
                text,
                "\n{}: cold start {:.0} ms, {:.0} MiB when idle, {:.0} MiB in the end.\n\n{}",
                run.database,
                run.cold_start_ms,
                run.idle_mib,
                run.loaded_mib,
                table(&lines)
            );
        }
        text
    }

    /// The comparison with the figures of `earlier`, in Markdown.
    #[must_use]
    pub fn compared_with(&self, earlier: &Self) -> String {
        let head = ["database", "endpoint", "req/s before", "now", "change", "P90 ms before", "now"];
        let mut lines = vec![head.map(str::to_owned).to_vec()];
        for run in &self.runs {
            let Some(before) = earlier.runs.iter().find(|before| before.database == run.database) else {
                continue;
            };
            for row in &run.rows {
                let Some(old) = before.rows.iter().find(|old| old.endpoint == row.endpoint) else {
                    continue;
                };
                lines.push(vec![
                    run.database.clone(),
                    row.endpoint.clone(),
                    format!("{:.0}", old.per_second),
                    format!("{:.0}", row.per_second),
                    change(old.per_second, row.per_second),
                    format!("{:.2}", old.p90_ms),
                    format!("{:.2}", row.p90_ms),
                ]);
            }
        }
        table(&lines)
    }
}

fn change(before: f64, now: f64) -> String {
    if before > 0.0 { format!("{:+.0} %", (now / before - 1.0) * 100.0) } else { "new".to_owned() }
}

fn cells(row: &Row) -> Vec<String> {
    if !(200..300).contains(&row.status) {
        let mut cells = vec![row.endpoint.clone(), format!("answers {}", row.status)];
        cells.resize(13, String::new());
        return cells;
    }
    let floor = |floor: &Option<Floor>| match floor {
        None => [String::new(), String::new()],
        Some(floor) => {
            [format!("{:.0}", floor.per_second), format!("{:.2}", row.per_second / floor.per_second.max(f64::EPSILON))]
        }
    };
    let own = [
        row.endpoint.clone(),
        row.body_bytes.to_string(),
        format!("{:.0}", row.per_second),
        format!("{:.2}", row.p50_ms),
        format!("{:.2}", row.p90_ms),
        format!("{:.2}", row.p99_ms),
        row.errors.to_string(),
        format!("{:.0}", row.memory_mib),
        format!("{:.0}", row.cpu_us),
    ];
    own.into_iter().chain(floor(&row.constant_body)).chain(floor(&row.queries)).collect()
}

/// Lines of cells, the first of which is the head, with columns of even width.
fn table(lines: &[Vec<String>]) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            // Names to the left, numbers to the right.
            _ = if column == 0 { write!(text, "| {cell:<width$} ") } else { write!(text, "| {cell:>width$} ") };
        }
        text.push_str("|\n");
        if number == 0 {
            for (column, width) in widths.iter().enumerate() {
                let (dashes, end) = if column == 0 { (width + 2, "") } else { (width + 1, ":") };
                _ = write!(text, "|{}{end}", "-".repeat(dashes));
            }
            text.push_str("|\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(per_second: f64) -> Report {
        let row = Row { per_second, errors: 0, ..Row::refused("GET /user", 200) };
        let run = Run {
            database: "SQLite".to_owned(),
            cold_start_ms: 20.0,
            idle_mib: 30.0,
            loaded_mib: 40.0,
            rows: vec![row, Row::refused("GET /users", 404)],
        };
        Report { machine: "m".to_owned(), size: "small".to_owned(), seconds: 1.0, connections: 1, runs: vec![run] }
    }

    #[test]
    fn a_table_has_as_many_cells_in_every_line() {
        let tables = report(10.0).tables();
        let pipes: Vec<usize> =
            tables.lines().filter(|line| line.starts_with('|')).map(|line| line.matches('|').count()).collect();
        assert_eq!(pipes, [14; 4], "{tables}");
    }

    #[test]
    fn the_change_is_shown_of_what_was_measured_both_times() {
        let compared = report(15.0).compared_with(&report(10.0));
        assert!(compared.contains("+50 %"), "{compared}");
        assert!(compared.contains("new"), "{compared}");
    }
}
