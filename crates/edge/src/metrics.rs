//! The metrics at `/-/metrics`.

use std::time::Duration;

use prometheus::{
    Encoder as _, Gauge, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGaugeVec, Opts, Registry,
    TextEncoder,
};
use tenon_app::server_task::BackupState;
use tenon_domain::server_task::ServerTask;

/// The metrics of one server.
#[derive(Debug, Clone)]
pub(crate) struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    seconds: HistogramVec,
    throttled: IntCounter,
    refused_connections: IntCounter,
    waiting: IntGaugeVec,
    in_flight: IntGaugeVec,
    backups: BackupMetrics,
}

/// The metrics of backups, once the server makes any. Each is a vector without labels: one that was never set is not shown.
#[derive(Debug, Clone)]
struct BackupMetrics {
    made_at: IntGaugeVec,
    verified_at: IntGaugeVec,
    seconds: IntGaugeVec,
    bytes: IntGaugeVec,
    failed: IntGaugeVec,
}

impl BackupMetrics {
    fn new() -> Result<Self, prometheus::Error> {
        let gauge = |name: &str, help: &str| IntGaugeVec::new(Opts::new(name, help), &[]);
        Ok(Self {
            made_at: gauge(
                "tenon_backup_last_success_timestamp_seconds",
                "When the last backup began; 0 if there is none.",
            )?,
            verified_at: gauge(
                "tenon_backup_last_verified_timestamp_seconds",
                "When the last verification of a backup began; 0 if there was none.",
            )?,
            seconds: gauge("tenon_backup_duration_seconds", "How long the last backup took.")?,
            bytes: gauge("tenon_backup_bytes", "Bytes of all files that the last backup needs.")?,
            failed: gauge(
                "tenon_backup_failed",
                "1 if the last backup or verification failed, or backups are overdue.",
            )?,
        })
    }

    fn all(&self) -> [&IntGaugeVec; 5] {
        [&self.made_at, &self.verified_at, &self.seconds, &self.bytes, &self.failed]
    }
}

impl Metrics {
    /// Metrics that start at zero.
    pub(crate) fn new() -> Result<Self, prometheus::Error> {
        let metrics = Self {
            registry: Registry::new(),
            requests: IntCounterVec::new(
                Opts::new("tenon_http_requests_total", "Requests to the API, by method, route and status."),
                &["method", "route", "status"],
            )?,
            seconds: HistogramVec::new(
                HistogramOpts::new("tenon_http_request_duration_seconds", "How long requests to the API took."),
                &["method", "route"],
            )?,
            throttled: IntCounter::new(
                "tenon_http_throttled_total",
                "Requests that were refused because their network had sent too many.",
            )?,
            refused_connections: IntCounter::new(
                "tenon_http_connections_refused_total",
                "Connections that were ended at once because their network, or all together, had too many.",
            )?,
            waiting: IntGaugeVec::new(
                Opts::new("tenon_pool_waiting", "Tasks that wait for a thread, by pool."),
                &["pool"],
            )?,
            in_flight: IntGaugeVec::new(
                Opts::new("tenon_http_bytes_in_flight", "Bytes of bodies and answers that are held in memory."),
                &["direction"],
            )?,
            backups: BackupMetrics::new()?,
        };
        let build = Gauge::with_opts(
            Opts::new("tenon_build_info", "The version that runs; always 1.")
                .const_label("version", env!("CARGO_PKG_VERSION")),
        )?;
        build.set(1.0);
        metrics.registry.register(Box::new(build))?;
        metrics.registry.register(Box::new(metrics.requests.clone()))?;
        metrics.registry.register(Box::new(metrics.seconds.clone()))?;
        metrics.registry.register(Box::new(metrics.throttled.clone()))?;
        metrics.registry.register(Box::new(metrics.refused_connections.clone()))?;
        metrics.registry.register(Box::new(metrics.waiting.clone()))?;
        metrics.registry.register(Box::new(metrics.in_flight.clone()))?;
        for gauge in metrics.backups.all() {
            metrics.registry.register(Box::new(gauge.clone()))?;
        }
        #[cfg(target_os = "linux")]
        metrics.registry.register(Box::new(prometheus::process_collector::ProcessCollector::for_self()))?;
        Ok(metrics)
    }

    /// Counts one request. `route` is a pattern, so that the number of series is bounded.
    pub(crate) fn count(&self, method: &str, route: &str, status: u16, took: Duration) {
        self.requests.with_label_values(&[method, route, &status.to_string()]).inc();
        self.seconds.with_label_values(&[method, route]).observe(took.as_secs_f64());
    }

    /// Counts one request that was refused because its client had sent too many.
    pub(crate) fn count_throttled(&self) {
        self.throttled.inc();
    }

    /// Counts one connection that was closed because its network, or the server, had too many.
    pub(crate) fn count_refused_connection(&self) {
        self.refused_connections.inc();
    }

    /// Sets the gauges that are read on request: waiting tasks by pool, and bytes in flight by direction.
    pub(crate) fn set_load(&self, waiting: &[(&str, usize)], in_flight: &[(&str, u64)]) {
        for (pool, tasks) in waiting {
            self.waiting.with_label_values(&[*pool]).set(i64::try_from(*tasks).unwrap_or(i64::MAX));
        }
        for (direction, bytes) in in_flight {
            self.in_flight.with_label_values(&[*direction]).set(i64::try_from(*bytes).unwrap_or(i64::MAX));
        }
    }

    /// Sets the gauges of the backups that the server makes.
    pub(crate) fn set_backups(&self, state: &BackupState) {
        let begun = |task: &Option<ServerTask>| task.as_ref().and_then(|task| task.started_at);
        let set = |gauge: &IntGaugeVec, value: i64| gauge.with_label_values::<&str>(&[]).set(value);
        let (made_at, verified_at) = (begun(&state.backup), begun(&state.verification));
        set(&self.backups.made_at, made_at.map_or(0, |at| at.timestamp()));
        set(&self.backups.verified_at, verified_at.map_or(0, |at| at.timestamp()));
        let end = state.backup.as_ref().and_then(|task| task.end.as_ref());
        let took = made_at.zip(end).map_or(0, |(begun, end)| (end.at - begun).num_seconds());
        set(&self.backups.seconds, took);
        set(&self.backups.bytes, end.and_then(|end| end.size).unwrap_or(0));
        set(&self.backups.failed, i64::from(state.is_overdue || !state.failures.is_empty()));
    }

    /// All metrics in the text format.
    pub(crate) fn text(&self) -> Result<Vec<u8>, prometheus::Error> {
        let mut text = Vec::new();
        TextEncoder::new().encode(&self.registry.gather(), &mut text)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_route() {
        let metrics = Metrics::new().unwrap();
        metrics.count("GET", "/users/{id}", 200, Duration::from_millis(3));
        metrics.count("GET", "/users/{id}", 200, Duration::from_millis(3));
        let text = String::from_utf8(metrics.text().unwrap()).unwrap();
        assert!(
            text.contains(r#"tenon_http_requests_total{method="GET",route="/users/{id}",status="200"} 2"#),
            "{text}"
        );
        for name in ["tenon_build_info{version=", "process_resident_memory_bytes ", "process_open_fds "] {
            assert!(text.contains(name), "{name}: {text}");
        }
    }
}
