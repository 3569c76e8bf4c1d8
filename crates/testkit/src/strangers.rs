//! Strangers who ask for so much at once that nothing of their share is left.

use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use tenon_app::identity::Identity;
use tenon_app::{Client, Network};
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::JoinSet;

use crate::server::TestServer;
use crate::wait::soon;

/// Anonymous requests from the address of the test that go on until this is dropped.
pub struct Strangers {
    go: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Strangers {
    /// Takes the threads for reads and searches that a network may have, and all its places in front of them.
    pub fn fill(server: &TestServer) -> Self {
        let app = server.app().used_by(Client::Network(Network::of(Some(Ipv4Addr::LOCALHOST.into()))));
        let waiting = app.limits().pools.waiting_per_client;
        let (go, gate) = channel();
        let (more, mut wanted) = unbounded_channel::<()>();
        let (asked, gate) =
            (app.clone(), Arc::new(Gate { gone: Mutex::new(gate), begun: [AtomicUsize::new(0), AtomicUsize::new(0)] }));
        let entered = Arc::clone(&gate);
        let ask = async move {
            let mut requests = JoinSet::new();
            while wanted.recv().await.is_some() {
                let (app, read, search) = (asked.clone(), Arc::clone(&gate), Arc::clone(&gate));
                requests.spawn(async move {
                    let identity = Identity::anonymous();
                    let reading = app.read(&identity, move |_query| {
                        read.pass(0);
                        Ok(())
                    });
                    let searching = app.search(&identity, move |_query| {
                        search.pass(1);
                        Ok(())
                    });
                    // Requests for which there is no place are refused.
                    let _ = tokio::join!(reading, searching);
                });
            }
            while requests.join_next().await.is_some() {}
        };
        let thread = std::thread::spawn(move || {
            tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(ask);
        });
        let is_full = |pool: &str| app.waiting().iter().any(|(name, number)| *name == pool && *number >= waiting);
        let ask_again = || {
            let _ = more.send(());
        };
        (0..waiting).for_each(|_| ask_again());
        soon("the strangers have taken their share", || {
            // A thread has taken a request from the queue, and its place is filled again. Strangers may have one thread
            // of each pool.
            ask_again();
            entered.begun.iter().all(|begun| begun.load(Ordering::SeqCst) > 0) && is_full("read") && is_full("search")
        });
        Self { go: Some(go), thread: Some(thread) }
    }
}

/// The gate that holds the threads of reads and searches.
struct Gate {
    gone: Mutex<Receiver<()>>,
    /// The number of reads and searches that have come this far.
    begun: [AtomicUsize; 2],
}

impl Gate {
    /// Waits until the strangers are gone.
    fn pass(&self, pool: usize) {
        self.begun[pool].fetch_add(1, Ordering::SeqCst);
        let _gone = self.gone.lock().unwrap_or_else(PoisonError::into_inner).recv();
    }
}

impl Drop for Strangers {
    fn drop(&mut self) {
        self.go = None;
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
