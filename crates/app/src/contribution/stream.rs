//! Streams of contributions: what a caller may see of what happens, as it happens.
//!
//! **Invariant**: what is sent was found by the same conditions as the lists, for a caller who was authenticated anew
//! in the same transaction. A permission from the beginning of the stream counts for nothing.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tenon_domain::id::{EventId, ProjectId};
use tenon_domain::page::PageRequest;
use tenon_domain::project::ProjectAction;
use tenon_domain::refusal::ContributionRefusal;
use tenon_domain::time::Timestamp;
use tenon_storage::{event, project};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use super::{ContributionView, ListContributions, page_of};
use crate::core::app::{App, Query};
use crate::core::caller::Caller;
use crate::core::error::AppError;
use crate::core::event_feed::{EventFeed, Newest, Seat};
use crate::core::identity::Identity;
use crate::core::spending::client::{Client, Network};
use crate::policy::reference::Reference;

/// How many rows of the list of events are read at once.
const WINDOW: i64 = 1_000;
/// How long a stream is silent at most: proxies and clients take silence for a lost connection.
const HEARTBEAT: Duration = Duration::from_secs(20);
/// The pause of a stream between two reads, in which more events come together.
const PAUSE: Duration = Duration::from_millis(200);
/// The pause between two reads for all streams.
const TOGETHER: Duration = Duration::from_millis(20);
/// The longest pause after which events of other processes are looked for.
const IDLE: Duration = Duration::from_millis(500);

/// A request for a stream.
#[derive(Debug, Clone, Default)]
pub struct FollowContributions {
    /// Only in these projects; everywhere if none are named.
    pub projects: Vec<Reference>,
    /// The event before the first one of the stream. If it is not named, the stream begins now.
    pub after: Option<EventId>,
    /// When the stream ends, before it would by itself.
    pub within: Option<Duration>,
    /// The place of the caller.
    pub address: Option<IpAddr>,
}

/// A stream of contributions.
pub struct ContributionStream {
    app: App,
    identity: Identity,
    projects: Option<Arc<[ProjectId]>>,
    /// The last event that the caller has got, or may not see.
    last: EventId,
    /// True if there may be more that the feed says nothing of.
    is_behind: bool,
    newest: watch::Receiver<Newest>,
    /// When the token ends.
    token_ends: Option<Timestamp>,
    /// When it ends, once nothing more is to be sent.
    deadline: Instant,
    /// When it ends in any case.
    end: Instant,
    may_read: Instant,
    _seat: Seat,
}

/// The next part of a stream.
#[derive(Debug)]
pub enum StreamStep {
    /// Contributions in order, and the event up to which there are no others that the caller may see.
    Contributions(Vec<ContributionView>, EventId),
    /// That it is still there.
    Heartbeat,
}

/// The facts about the caller when a stream begins.
struct Beginning {
    client: Client,
    user: tenon_domain::id::UserId,
    projects: Option<Arc<[ProjectId]>>,
    newest: EventId,
    token_ends: Option<Timestamp>,
}

/// Contributions after some event, and what is known of those that follow.
struct Batch {
    found: Vec<ContributionView>,
    upto: EventId,
    is_behind: bool,
}

/// Begins a stream. Fails if the caller may not see a project that is named, or if there are too many streams.
pub async fn follow(
    app: &App,
    identity: &Identity,
    request: FollowContributions,
) -> Result<ContributionStream, AppError> {
    let limits = app.limits().streams.clone();
    if request.projects.len() > limits.projects {
        return Err(ContributionRefusal::TooManyProjects(limits.projects).into());
    }
    let projects = request.projects;
    let begun = app.read(identity, move |query| beginning(query, &projects)).await?;
    let seat = app.event_feed().enter(begun.user, Network::of(request.address), &limits)?;
    let now = Instant::now();
    let mut stream = ContributionStream {
        app: app.used_by(begun.client),
        identity: identity.clone(),
        projects: begun.projects,
        last: request.after.unwrap_or(begun.newest).clamp(EventId::new(0), begun.newest),
        is_behind: false,
        newest: app.event_feed().newest(),
        token_ends: begun.token_ends,
        deadline: now + request.within.unwrap_or(limits.whole).min(limits.whole),
        end: now + limits.whole,
        may_read: now,
        _seat: seat,
    };
    stream.is_behind = stream.last < begun.newest;
    stream.keep_reading();
    Ok(stream)
}

fn beginning(query: &mut Query<'_>, projects: &[Reference]) -> Result<Beginning, AppError> {
    let user = query.user()?.id;
    let found = projects.iter().map(|named| Ok(query.project(named, ProjectAction::Read)?.project.id));
    let found = found.collect::<Result<Vec<_>, AppError>>()?;
    Ok(Beginning {
        client: Client::User(user),
        user,
        projects: (!found.is_empty()).then(|| found.into()),
        newest: event::newest(&mut query.tx)?,
        token_ends: token_end(query.caller),
    })
}

/// When the caller's token ends, as far as that is known beforehand.
fn token_end(caller: &Caller) -> Option<Timestamp> {
    let token = caller.token.as_ref()?;
    let day = token.expires_at.map(|day| day.and_time(chrono::NaiveTime::MIN).and_utc());
    match (day, token.ends_at) {
        (Some(day), Some(moment)) => Some(day.min(moment)),
        (day, moment) => day.or(moment),
    }
}

impl ContributionStream {
    /// Waits for what is to be sent next; `None` if the stream has ended: after its time, with the caller's token or
    /// account, or with the server. [`ContributionStream::sent`] and [`ContributionStream::sent_partly`] say what
    /// became of it.
    pub async fn next(&mut self) -> Option<StreamStep> {
        loop {
            let newest = *self.newest.borrow_and_update();
            if newest.is_over || Instant::now() >= self.end || self.token_ends.is_some_and(|end| end <= self.app.now())
            {
                return None;
            }
            if self.is_behind || newest.id > self.last {
                match self.read(newest.id).await {
                    Ok(Some(step)) => return Some(step),
                    Ok(None) => {}
                    Err(AppError::Busy { retry_after }) => {
                        sleep(Duration::from_secs(retry_after.into())).await;
                        continue;
                    }
                    Err(ended) => {
                        tracing::debug!(reason = %ended, "a stream of events has ended");
                        return None;
                    }
                }
                // All present events are sent, also if none of them may be seen for a while: `end` bounds it.
                if self.is_behind || Instant::now() < self.deadline {
                    continue;
                }
            }
            if Instant::now() >= self.deadline {
                return None;
            }
            let heartbeat = (Instant::now() + HEARTBEAT).min(self.deadline).min(self.token_deadline());
            tokio::select! {
                changed = self.newest.changed() => changed.ok()?,
                () = sleep_until(heartbeat) => {
                    self.keep_reading();
                    return (Instant::now() < self.deadline).then_some(StreamStep::Heartbeat);
                }
            }
        }
    }

    /// Notes that the caller has been sent everything up to this event.
    pub fn sent(&mut self, upto: EventId) {
        self.last = self.last.max(upto);
    }

    /// Notes that the caller has been sent everything up to this event, and not yet what followed it in the same step.
    pub fn sent_partly(&mut self, upto: EventId) {
        self.sent(upto);
        self.is_behind = true;
    }

    /// The events to be sent up to `newest`, if any. Reads only if they may concern the caller.
    async fn read(&mut self, newest: EventId) -> Result<Option<StreamStep>, AppError> {
        let projects = self.projects.clone();
        if !self.is_behind && !self.app.event_feed().may_concern(projects.as_deref(), self.last) {
            self.sent(newest);
            return Ok(None);
        }
        if !self.is_behind {
            sleep_until(self.may_read.min(self.deadline)).await;
        }
        self.may_read = Instant::now() + PAUSE;
        let (after, most) = (self.last, self.app.limits().streams.step);
        let batch =
            self.app.read(&self.identity, move |query| after_event(query, projects.as_deref(), after, most)).await?;
        self.is_behind = batch.is_behind;
        // An event that was known before this read and is not in it has been removed.
        let upto = if batch.is_behind { batch.upto } else { batch.upto.max(newest) };
        if batch.found.is_empty() {
            self.sent(upto);
            return Ok(None);
        }
        Ok(Some(StreamStep::Contributions(batch.found, upto)))
    }

    /// The moment, by the clock that does not jump, at which the token ends.
    fn token_deadline(&self) -> Instant {
        let left = self.token_ends.and_then(|end| (end - self.app.now()).to_std().ok());
        left.map_or(self.deadline, |left| Instant::now() + left.min(HEARTBEAT))
    }

    /// Makes sure that a task reads which events are new.
    fn keep_reading(&self) {
        if self.app.event_feed().begin_reading() {
            tokio::spawn(read_for_all(self.app.used_by(Client::Server)));
        }
    }
}

/// The contributions after an event that the caller may see, `most` at once.
fn after_event(
    query: &mut Query<'_>,
    named: Option<&[ProjectId]>,
    after: EventId,
    most: usize,
) -> Result<Batch, AppError> {
    let (viewer, today) = (query.viewer(), query.today());
    let places = event::places_after(&mut query.tx, after, WINDOW)?;
    let upto = places.last().map_or(after, |(id, _)| *id);
    let is_behind = i64::try_from(places.len()).is_ok_and(|read| read >= WINDOW);
    let mut about: Vec<ProjectId> = places.into_iter().filter_map(|(_, project)| project).collect();
    about.sort_unstable();
    about.dedup();
    about.retain(|project| named.is_none_or(|named| named.contains(project)));
    if about.is_empty() {
        return Ok(Batch { found: Vec::new(), upto, is_behind });
    }
    let visible = project::visible_of(&mut query.tx, viewer, &about, today)?;
    let request = ListContributions {
        ascending: true,
        page: PageRequest::new(None, i64::try_from(most).ok()),
        ..ListContributions::default()
    };
    let page = page_of(query, None, visible.into_iter().collect(), &request, Some((after, upto)))?;
    let is_cut = i64::try_from(page.items.len()).is_ok_and(|shown| shown < page.total);
    match page.items.last() {
        Some(last) if is_cut => Ok(Batch { upto: last.id, found: page.items, is_behind: true }),
        Some(_) | None => Ok(Batch { found: page.items, upto, is_behind }),
    }
}

/// Reads which events are new, for all streams of this process, until there are none.
async fn read_for_all(app: App) {
    let feed = Arc::clone(app.event_feed());
    let mut reading = Reading { feed: &feed, is_cut_off: true };
    let mut last = None;
    while feed.goes_on() {
        let read = app.read_for_server(move |tx| {
            Ok(match last {
                None => (Vec::new(), event::newest(tx)?),
                Some(after) => {
                    let places = event::places_after(tx, after, WINDOW)?;
                    let newest = places.last().map_or(after, |(id, _)| *id);
                    (places, newest)
                }
            })
        });
        match read.await {
            Ok((places, newest)) => {
                feed.publish(&places, newest);
                last = Some(newest);
                if i64::try_from(places.len()).is_ok_and(|read| read >= WINDOW) {
                    continue;
                }
            }
            Err(error) => tracing::warn!(%error, "which events are new cannot be read"),
        }
        tokio::select! {
            () = feed.woken() => sleep(TOGETHER).await,
            () = sleep(IDLE) => {}
        }
    }
    reading.is_cut_off = false;
}

/// The task that reads. If it is dropped before its end, the next stream starts another.
struct Reading<'a> {
    feed: &'a EventFeed,
    is_cut_off: bool,
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        if self.is_cut_off {
            self.feed.reading_was_cut_off();
        }
    }
}
