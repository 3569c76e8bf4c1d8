//! Answering the hooks of pushes, on a socket that only this user may open.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::ExitCode;

use tenon_git::hook::{self, HookKind, HookReply, HookRequest, PushedRef};
use tenon_git::{Oid, RepositoryKind};
use tokio::net::{UnixListener, UnixStream};

use crate::core::app::App;
use crate::core::error::{AppError, chain};
use crate::core::ref_update::RefUpdate;
use crate::workflows::transport::push_check::PushDecision;
use crate::workflows::transport::refusal::DISK_FULL;

/// Answers the hooks of pushes for as long as it runs. A socket that a process before this one left is replaced.
pub async fn answer_hooks(app: App) -> std::io::Result<()> {
    let path = app.repositories().socket.clone();
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(&path)?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
    loop {
        let (stream, _) = listener.accept().await?;
        let app = app.clone();
        tokio::spawn(async move {
            if let Err(error) = answer(app, stream).await {
                tracing::warn!(%error, "a hook got no answer");
            }
        });
    }
}

/// Which hook of a push a program that was started under this name has to be; `None` if it has its own work to do.
#[must_use]
pub fn hook_of(argument_zero: &Path) -> Option<HookKind> {
    hook::kind(argument_zero)
}

/// Is that hook: asks the server that started the push.
#[must_use]
pub fn run_hook(kind: HookKind) -> ExitCode {
    hook::run(kind)
}

async fn answer(app: App, stream: UnixStream) -> std::io::Result<()> {
    let mut stream = stream.into_std()?;
    stream.set_nonblocking(false)?;
    // Git and the database block; a push takes as long as it takes.
    let work = move || {
        let request = HookRequest::read(&mut stream)?;
        let reply = app.hook_reply(&request);
        reply.write(&mut stream)
    };
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(std::io::Error::other(error)))
}

impl App {
    fn hook_reply(&self, request: &HookRequest) -> HookReply {
        let refusal = |text: String| HookReply { ok: false, messages: vec![text] };
        let Some(push) = self.push_sessions().find(&request.push) else {
            return refusal("This push is unknown to the server.".to_owned());
        };
        match request.hook {
            HookKind::PreReceive => match self.check_push(&request.push, &push, &request.refs, &request.objects) {
                Ok(()) => HookReply { ok: true, messages: Vec::new() },
                Err(PushDecision::Refused(text)) => refusal(text),
                Err(PushDecision::Failed(AppError::DiskFull)) => refusal(DISK_FULL.to_owned()),
                Err(PushDecision::Failed(error)) => {
                    tracing::error!(error = %chain(&error), "a push could not be judged");
                    refusal("The server could not check this push. Please try again later.".to_owned())
                }
            },
            HookKind::PostReceive => {
                let moved: Vec<RefUpdate> = request.refs.iter().filter_map(moved).collect();
                let recorded = match push.kind {
                    RepositoryKind::Code => self.handle_push(push.project, push.pusher, &moved),
                    RepositoryKind::Wiki => self.handle_wiki_push(push.project, push.pusher.user(), &moved),
                };
                if let Err(error) = recorded {
                    // The refs have moved: the reconciler brings the database to them.
                    tracing::error!(error = %chain(&error), "a push was not recorded");
                }
                let messages = self.push_messages(&push, &moved).unwrap_or_else(|error| {
                    tracing::warn!(error = %chain(&error), "a pusher gets no messages");
                    Vec::new()
                });
                HookReply { ok: true, messages }
            }
        }
    }
}

fn moved(pushed: &PushedRef) -> Option<RefUpdate> {
    let (old, new): (Oid, Oid) = (pushed.old.parse().ok()?, pushed.new.parse().ok()?);
    Some(RefUpdate { name: pushed.name.clone(), old, new })
}
