//! The bytes of files.

use actix_web::http::{StatusCode, header};
use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tenon_app::repository::{self, ByteStream, Content, LfsObject, RawFile};
use tenon_app::wiki;
use tenon_domain::project::setting::{REPOSITORY, WIKI};
use tenon_domain::settings::Setting;
use tenon_domain::visibility::Visibility;

use crate::context::project::ProjectContext;
use crate::kit::answer::{Answer, RawBody};
use crate::kit::error::PageError;
use crate::kit::{browser_cache, text};

/// Larger files are streamed instead of read before the answer starts.
const AT_ONCE: u64 = 256 * 1024;

/// The policy of a picture that is a text: only its own styles.
const SVG_POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'";

/// The policy of a document that a page of ours may show.
const PDF_POLICY: &str = "sandbox; default-src 'none'; frame-ancestors 'self'";

/// The bytes of a file. Browsers show pictures, PDF and plain text, and save all others. No script in them may run.
pub(super) async fn show(context: ProjectContext) -> Result<Answer, PageError> {
    let (app, identity) = (context.request.app(), context.request.identity());
    let file = repository::raw_file(app, context.code()?, context.at(), AT_ONCE).await?;
    if context.request.query("lfs") == Some("true")
        && let Some(object) = repository::lfs_object(app, identity, context.project(), &file.content).await?
    {
        return Ok(saved(&file.name.to_string(), object));
    }
    sent(&context, file, &REPOSITORY).await
}

/// A large file, which browsers save.
fn saved(name: &str, LfsObject { size, body }: LfsObject) -> Answer {
    Answer::raw(RawBody::Stream(size, body))
        .header(header::CONTENT_TYPE, "application/octet-stream".to_owned())
        .header(header::CONTENT_DISPOSITION, saved_as(name))
        .header(header::CACHE_CONTROL, "private, no-store".to_owned())
}

/// A file of the wiki, with its path from the top.
pub(super) async fn of_wiki(context: &ProjectContext, path: String) -> Result<Answer, PageError> {
    let (app, identity) = (context.request.app(), context.request.identity());
    let file = wiki::attachment(app, identity, context.project(), path, AT_ONCE).await?;
    sent(context, file, &WIKI).await
}

/// The answer with a file of this part of the project.
async fn sent(context: &ProjectContext, file: RawFile, part: &Setting) -> Result<Answer, PageError> {
    let RawFile { name, content, blob_id, is_fixed } = file;
    let named = name.to_string();
    let picture = text::picture(&named);
    let kept = kept(context, part, is_fixed, picture.is_some());
    let tag = format!("\"{blob_id}\"");
    if context.request.has(&tag) {
        let kind = picture.or_else(|| text::is_named_pdf(&named).then_some(text::PDF));
        // A browser takes the headers for those of the file that it has.
        let answer = guarded(Answer::empty(StatusCode::NOT_MODIFIED), kind.unwrap_or_default());
        return Ok(headed(answer, tag, kept));
    }
    let size = content.size();
    let facts = |first: &[u8]| (text::is_binary(first), text::is_pdf(&named, first));
    let ((is_binary, is_pdf), body) = match content {
        Content::Whole(bytes) => (facts(&bytes), RawBody::Whole(bytes)),
        Content::Large(blob) => {
            let (first, whole) = begun(blob.stream(context.request.app()).await?).await;
            (facts(&first), RawBody::Stream(size, whole))
        }
    };
    let (kind, how) = match picture {
        Some(kind) => (kind, "inline".to_owned()),
        None if is_pdf => (text::PDF, "inline".to_owned()),
        None if is_binary => ("application/octet-stream", saved_as(&named)),
        None => ("text/plain; charset=utf-8", "inline".to_owned()),
    };
    let answer = guarded(Answer::raw(body).header(header::CONTENT_TYPE, kind.to_owned()), kind);
    Ok(headed(answer.header(header::CONTENT_DISPOSITION, how), tag, kept))
}

/// The answer with the policy of files of this type.
fn guarded(answer: Answer, kind: &str) -> Answer {
    match kind {
        // The styles in a picture are part of it.
        text::SVG => answer.header(header::CONTENT_SECURITY_POLICY, SVG_POLICY.to_owned()),
        text::PDF => answer
            .header(header::CONTENT_SECURITY_POLICY, PDF_POLICY.to_owned())
            .header(header::X_FRAME_OPTIONS, "SAMEORIGIN".to_owned()),
        _ => answer,
    }
}

/// The value of `Cache-Control`. A file that strangers may not see has to leave the browser when its user signs out.
///
/// A text is shown by itself, and no script could ask for it again, so it is never kept. A picture is part of pages. It
/// is kept like them, if browsers remove it ([`browser_cache`]).
fn kept(context: &ProjectContext, part: &Setting, is_fixed: bool, is_picture: bool) -> &'static str {
    let app = context.request.app();
    let is_public = context.page.view.brief.project.visibility_of(part) == Visibility::Public
        && !app.known_settings().restricts(Visibility::Public);
    match (is_public, is_fixed) {
        (true, true) => "public, max-age=31536000, immutable",
        (true, false) => "private, no-cache",
        (false, _) if is_picture && browser_cache::is_trusted(app.base_url()) => "private, no-cache",
        (false, _) => "private, no-store",
    }
}

fn headed(answer: Answer, tag: String, kept: &str) -> Answer {
    answer.header(header::ETAG, tag).header(header::CACHE_CONTROL, kept.to_owned())
}

/// The header that makes browsers save a file under its name (RFC 6266).
fn saved_as(name: &str) -> String {
    format!("attachment; filename*=UTF-8''{}", utf8_percent_encode(name, NON_ALPHANUMERIC))
}

/// The first bytes of a stream, and the stream with them.
async fn begun(mut bytes: ByteStream) -> (Bytes, ByteStream) {
    match bytes.next().await {
        Some(Ok(first)) => (first.clone(), stream::iter([Ok(first)]).chain(bytes).boxed_local()),
        Some(Err(error)) => (Bytes::new(), stream::iter([Err(error)]).boxed_local()),
        None => (Bytes::new(), stream::empty().boxed_local()),
    }
}
