//! The requests of a client on a connection, answered as the protocol wants it. Work that takes time is passed on.

use std::collections::HashMap;

use russh::keys::{Algorithm, HashAlg, PublicKey};
use russh::server::{Auth, ChannelOpenHandle, Handler, Msg, PublicKeyOffer, Session, VerifiedPublicKey};
use russh::{Channel, ChannelId, ChannelOpenFailure, Error, Pty};
use tenon_app::transport::SshCaller;
use tenon_app::{App, Client, Network};
use tokio::sync::mpsc::UnboundedSender;

use crate::command::Request;

/// The only name that clients sign in with. Their key says who they are.
const USER: &str = "git";
/// The only variable that clients may set.
const PROTOCOL: &str = "GIT_PROTOCOL";

/// An event of a connection.
pub(crate) enum Event {
    /// The client has proved a key, which is that of this user.
    SignedIn(Client),
    /// The client wants something done on a channel.
    Asked(Box<Task>),
    /// The client has closed a channel.
    Closed(ChannelId),
}

/// The work of a channel, its user, and the channel for its bytes.
pub(crate) struct Task {
    pub(crate) channel: Channel<Msg>,
    pub(crate) caller: SshCaller,
    pub(crate) request: Request,
    /// The variable `GIT_PROTOCOL`.
    pub(crate) protocol: Option<String>,
}

/// The client of one connection.
pub(crate) struct Peer {
    app: App,
    network: Network,
    /// There are at most as many events as a connection may have channels, and two for each.
    events: UnboundedSender<Event>,
    caller: Option<SshCaller>,
    keys_offered: usize,
    channels: HashMap<ChannelId, State>,
}

/// The progress of a channel.
enum State {
    /// No request has come yet, but the environment may have been set.
    Open { channel: Box<Channel<Msg>>, protocol: Option<String> },
    /// A command runs, or has run.
    Busy,
}

impl Peer {
    pub(crate) fn new(app: App, network: Network, events: UnboundedSender<Event>) -> Self {
        Self { app, network, events, caller: None, keys_offered: 0, channels: HashMap::new() }
    }

    /// The owner of this key, if the key may be used at all with this algorithm.
    async fn holder(&self, user: &str, key: &PublicKey, algorithm: &Algorithm) -> Option<SshCaller> {
        // RSA with SHA-1 proves nothing any more.
        if user != USER || matches!(algorithm, Algorithm::Rsa { hash: None }) {
            return None;
        }
        let fingerprint = key.fingerprint(HashAlg::Sha256).to_string();
        let sha256 = fingerprint.strip_prefix("SHA256:")?.to_owned();
        let found = self.app.ssh_caller(sha256, self.network).await;
        found.unwrap_or_else(|error| {
            tracing::warn!(%error, "a key could not be looked up");
            None
        })
    }

    /// Begins the requested work on a channel, once.
    fn begin(&mut self, channel: ChannelId, request: Request, session: &mut Session) -> Result<(), Error> {
        let state = self.channels.get_mut(&channel).map(|state| std::mem::replace(state, State::Busy));
        match (state, &self.caller) {
            (Some(State::Open { channel: open, protocol }), Some(caller)) => {
                session.channel_success(channel)?;
                let task = Task { channel: *open, caller: caller.clone(), request, protocol };
                self.tell(Event::Asked(Box::new(task)))
            }
            _ => session.channel_failure(channel),
        }
    }

    fn tell(&self, event: Event) -> Result<(), Error> {
        self.events.send(event).map_err(|_closed| Error::Disconnect)
    }
}

impl Handler for Peer {
    type Error = Error;

    /// Called before the client has proved that it holds the key.
    async fn auth_publickey_offered(&mut self, user: &str, offer: PublicKeyOffer<'_>) -> Result<Auth, Error> {
        self.keys_offered += 1;
        if self.keys_offered > self.app.limits().ssh.keys {
            return Err(Error::Disconnect);
        }
        let holder = self.holder(user, offer.public_key, offer.algorithm).await;
        Ok(if holder.is_some() { Auth::Accept } else { Auth::reject() })
    }

    async fn auth_publickey(&mut self, user: &str, proved: VerifiedPublicKey<'_>) -> Result<Auth, Error> {
        let holder = self.holder(user, proved.public_key, proved.algorithm).await;
        let Some(caller) = holder else { return Ok(Auth::reject()) };
        let client = caller.client();
        self.caller = Some(caller);
        self.tell(Event::SignedIn(client))?;
        Ok(Auth::Accept)
    }

    async fn channel_open_session(
        &mut self,
        channel: Channel<Msg>,
        reply: ChannelOpenHandle,
        _session: &mut Session,
    ) -> Result<(), Error> {
        if self.channels.len() >= self.app.limits().ssh.commands {
            reply.reject(ChannelOpenFailure::ResourceShortage).await;
            return Ok(());
        }
        self.channels.insert(channel.id(), State::Open { channel: Box::new(channel), protocol: None });
        reply.accept().await;
        Ok(())
    }

    async fn env_request(
        &mut self,
        channel: ChannelId,
        name: &str,
        value: &str,
        session: &mut Session,
    ) -> Result<(), Error> {
        match self.channels.get_mut(&channel) {
            Some(State::Open { protocol, .. }) if name == PROTOCOL => {
                *protocol = Some(value.to_owned());
                session.channel_success(channel)
            }
            _ => session.channel_failure(channel),
        }
    }

    async fn exec_request(&mut self, channel: ChannelId, line: &[u8], session: &mut Session) -> Result<(), Error> {
        self.begin(channel, Request::parse(line), session)
    }

    async fn shell_request(&mut self, channel: ChannelId, session: &mut Session) -> Result<(), Error> {
        self.begin(channel, Request::Greeting, session)
    }

    async fn channel_close(&mut self, channel: ChannelId, _session: &mut Session) -> Result<(), Error> {
        self.channels.remove(&channel);
        self.tell(Event::Closed(channel))
    }

    async fn pty_request(
        &mut self,
        channel: ChannelId,
        _terminal: &str,
        _columns: u32,
        _rows: u32,
        _width: u32,
        _height: u32,
        _modes: &[(Pty, u32)],
        session: &mut Session,
    ) -> Result<(), Error> {
        session.channel_failure(channel)
    }

    async fn subsystem_request(&mut self, channel: ChannelId, _name: &str, session: &mut Session) -> Result<(), Error> {
        session.channel_failure(channel)
    }

    async fn x11_request(
        &mut self,
        channel: ChannelId,
        _single: bool,
        _protocol: &str,
        _cookie: &str,
        _screen: u32,
        session: &mut Session,
    ) -> Result<(), Error> {
        session.channel_failure(channel)
    }
}
