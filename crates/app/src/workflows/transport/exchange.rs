//! Fetching and pushing over HTTP: one request, and one answer.

use bytes::Bytes;
use futures_util::stream::{self, StreamExt as _};
use tenon_git::transport::{GitProtocol, Service};

use crate::core::app::App;
use crate::repository::stream::ByteStream;
use crate::repository::stream::rate::TransferRate;
use crate::workflows::transport::answer::{answer, client_of, refs};
use crate::workflows::transport::body::ContentEncoding;
use crate::workflows::transport::git_access::{GitCaller, GitCredential};
use crate::workflows::transport::receive::{End, Unreceived, drain, receive};
use crate::workflows::transport::refusal::GitRefusal;

/// The request of a client of Git over HTTP.
#[derive(Clone)]
pub struct GitRequest {
    /// The full path of the project, without `.git`.
    pub path: String,
    /// `git-upload-pack` or `git-receive-pack`.
    pub service: String,
    /// The header `Git-Protocol`.
    pub protocol: Option<String>,
    /// The credential of Basic authentication.
    pub credential: Option<GitCredential>,
    /// How its body is encoded.
    pub encoding: ContentEncoding,
}

/// The refs of a repository, as Git advertises them before a fetch or push.
pub async fn advertise(app: &App, request: GitRequest) -> Result<ByteStream, GitRefusal> {
    let service = service_of(&request)?;
    let protocol = request.protocol.as_deref().and_then(GitProtocol::parse);
    let open = app.open_repository(request.path, service, GitCaller::Http(request.credential)).await?;
    let refs = refs(app, &open, service, protocol.as_ref()).await?;
    let is_version_2 = service == Service::UploadPack && protocol.is_some_and(|protocol| protocol.is_version_2());
    // Only older protocols have the line with the service's name in front.
    let line = format!("# service={}\n", service.name());
    let greeting = if is_version_2 { String::new() } else { format!("{:04x}{line}0000", line.len() + 4) };
    Ok(stream::iter([Ok(Bytes::from(greeting))]).chain(refs).boxed_local())
}

/// One request of a client, and the answer of Git. The request is received whole before anything is started for it.
pub async fn exchange(app: &App, request: GitRequest, mut input: ByteStream) -> Result<ByteStream, GitRefusal> {
    let service = service_of(&request)?;
    let protocol = request.protocol.as_deref().and_then(GitProtocol::parse);
    let mut open = app.open_repository(request.path, service, GitCaller::Http(request.credential)).await?;
    let client = client_of(app, open.user);
    let transfers = &app.limits().transfers;
    let mut rate = match service {
        Service::UploadPack => TransferRate::new(transfers),
        Service::ReceivePack => TransferRate::new(transfers).saving(transfers.push_pause),
    };
    let unreceived = match receive(app, service, client, request.encoding, End::OfBody, &mut input, &mut rate).await {
        Ok(received) => return answer(app, &mut open, service, protocol.as_ref(), received, rate).await,
        Err(unreceived) => unreceived,
    };
    // A client that is still sending would not read the answer.
    if unreceived.may_go_on() {
        drain(app, service, input, &mut rate).await;
    }
    match unreceived {
        Unreceived::Report(report) => Ok(stream::iter([Ok(Bytes::from(report))]).boxed_local()),
        Unreceived::Refused(refusal) => Err(refusal),
    }
}

fn service_of(request: &GitRequest) -> Result<Service, GitRefusal> {
    Service::parse(&request.service)
        .ok_or(GitRefusal::Forbidden("The command you're trying to execute is not allowed."))
}
