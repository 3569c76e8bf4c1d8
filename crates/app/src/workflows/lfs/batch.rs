//! Which of many objects a client may send or get.

use tenon_domain::lfs::LfsOid;
use tenon_storage::lfs;

use crate::core::app::App;
use crate::shared::files::stored::lfs_key;
use crate::workflows::lfs::access::{LfsOperation, LfsRequest};
use crate::workflows::lfs::refusal::LfsRefusal;

/// The most objects of one question.
pub const MOST_OBJECTS: usize = 1_000;

/// An object as a client names it.
#[derive(Debug, Clone)]
pub struct BatchObject {
    /// Its name, which may be none.
    pub oid: String,
    /// Its size in bytes, which may be wrong.
    pub size: i64,
}

/// The next step of a client with an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchEntry {
    /// The client gets it; it has so many bytes.
    Download(i64),
    /// The client sends it.
    Upload,
    /// The project has it already.
    Present,
    /// The project does not have it. Others may.
    Missing,
    /// The name or the size is none.
    Malformed,
    /// It has more bytes than this.
    TooLarge(u64),
}

/// The answer to a question about many objects.
#[derive(Debug)]
pub struct Batch {
    /// The objects in the order of the question.
    pub entries: Vec<(BatchObject, BatchEntry)>,
    /// True if the caller has no credential and needs none.
    pub is_anonymous: bool,
}

/// Says what a client has to do with each of these objects. An object that only other projects have is to be sent, as a new one
/// is: nothing tells them apart.
///
/// # Errors
/// As a fetch or a push.
pub async fn batch(
    app: &App,
    request: LfsRequest,
    operation: LfsOperation,
    objects: Vec<BatchObject>,
) -> Result<Batch, LfsRefusal> {
    let opened = app.open_lfs(request, operation).await?;
    let project = opened.project;
    let most = app.limits().quotas.lfs_object;
    let store = app.objects().clone();
    let entries = opened.read(move |tx| {
        let is_there = |oid: &str| {
            let there = LfsOid::parse(oid).map(|oid| store.is_there(&lfs_key(&oid)));
            !matches!(there, Some(Ok(false)))
        };
        let names: Vec<Option<LfsOid>> = objects.iter().map(|object| LfsOid::parse(&object.oid)).collect();
        let known: Vec<LfsOid> = names.iter().flatten().cloned().collect();
        let linked = lfs::linked(tx, project, &known)?;
        let entry = |object: &BatchObject| match (linked.get(&object.oid), operation) {
            (Some(size), LfsOperation::Download) => BatchEntry::Download(*size),
            (None, LfsOperation::Download) => BatchEntry::Missing,
            (Some(size), LfsOperation::Upload) if *size != object.size => BatchEntry::Malformed,
            // Bytes that were lost come back from a client that has them.
            (Some(_), LfsOperation::Upload) if is_there(&object.oid) => BatchEntry::Present,
            (None, LfsOperation::Upload) if u64::try_from(object.size).is_ok_and(|size| size > most) => {
                BatchEntry::TooLarge(most)
            }
            (_, LfsOperation::Upload) => BatchEntry::Upload,
        };
        let judged = objects.into_iter().zip(names).map(|(object, name)| {
            let entry = if name.is_none() || object.size < 0 { BatchEntry::Malformed } else { entry(&object) };
            (object, entry)
        });
        Ok(judged.collect())
    });
    Ok(Batch { entries: entries.await?, is_anonymous: opened.is_anonymous() })
}
