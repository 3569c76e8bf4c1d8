//! Runners of jobs that work beside a test.

use std::thread::JoinHandle;

use tenon_app::App;
use tenon_app::jobs::{Pace, serve};
use tokio::sync::watch;

/// Runners at work. Dropping it stops them, after the jobs at hand.
pub struct RunningJobs {
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl RunningJobs {
    pub(crate) fn start(app: App, pace: Pace) -> Self {
        let (stop, stopped) = watch::channel(false);
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(serve(&app, pace, stopped));
        });
        Self { stop, thread: Some(thread) }
    }
}

impl Drop for RunningJobs {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
