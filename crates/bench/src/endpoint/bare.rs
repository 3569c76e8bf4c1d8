//! The queries of an endpoint by themselves: no HTTP, no JSON, no other work.

use std::time::{Duration, Instant};

use anyhow::Result;
use tenon_app::{Clock, SystemClock};
use tenon_domain::access::Viewer;
use tenon_domain::page::PageRequest;
use tenon_domain::time::Date;
use tenon_storage::{Database, ReadTx, StoreResult, WriteTx};

use super::Endpoint;
use crate::load::count;
use crate::seed::Landmarks;

pub(super) enum Floor {
    Reads(Box<Reads>),
    Writes(Box<Writes>),
}

pub(super) type Reads = dyn Fn(&mut ReadTx<'_>, &Facts) -> StoreResult<()>;
pub(super) type Writes = dyn Fn(&mut ReadTx<'_>, &Facts) -> Result<Box<Write>>;
/// One write, of a number that none before it had.
pub(super) type Write = dyn FnMut(&mut WriteTx<'_>, i64) -> Result<()>;

/// The objects that the queries are about.
pub(super) struct Facts {
    pub(super) landmarks: Landmarks,
    pub(super) member: Viewer,
    pub(super) today: Date,
    pub(super) page: PageRequest,
}

/// The number of times in a second that the endpoint's queries run, one after the other on one connection. Queries that
/// write do so in a transaction for each time.
pub fn bare(database: &Database, landmarks: &Landmarks, endpoint: &Endpoint, time: Duration) -> Result<f64> {
    let facts = Facts {
        member: Viewer::User { id: landmarks.member, admin: false, external: false },
        landmarks: landmarks.clone(),
        today: SystemClock.now().date_naive(),
        page: PageRequest::default(),
    };
    match &endpoint.floor {
        Floor::Reads(floor) => per_second(time, |_| database.read(|tx| floor(tx, &facts)).map_err(Into::into)),
        Floor::Writes(floor) => {
            let mut write = database.read(|tx| floor(tx, &facts))?;
            per_second(time, |number| database.write(|tx| write(tx, number)))
        }
    }
}

/// How many times are enough to warm up.
const WARM: i64 = 10;

fn per_second(time: Duration, mut work: impl FnMut(i64) -> Result<()>) -> Result<f64> {
    let mut number = 0;
    let started = Instant::now();
    while number < WARM && started.elapsed() < time {
        work(number)?;
        number += 1;
    }
    let (first, started) = (number, Instant::now());
    while started.elapsed() < time {
        work(number)?;
        number += 1;
    }
    Ok(count(usize::try_from(number - first)?) / started.elapsed().as_secs_f64())
}
