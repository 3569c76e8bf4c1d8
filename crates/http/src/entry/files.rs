//! Uploads, avatars, archives and release assets under their public addresses, outside the API.
//! Browsers must not trust these files: anything but a picture is an attachment, and no script in them may run.

use std::time::Instant;

use actix_web::http::Method;
use actix_web::http::header::{self, HeaderName};
use actix_web::web::{self, Payload, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use percent_encoding::percent_decode_str;
use serde_json::Value;
use tenon_app::avatar::{self, Holder};
use tenon_app::identicon::identicon;
use tenon_app::identity::{Guard, Identity};
use tenon_app::initials::Initials;
use tenon_app::{Reference, release, repository, upload};
use tenon_domain::id::{NamespaceId, ProjectId, UserId};
use tenon_domain::path::is_page;
use tenon_domain::token::ScopeRule;
use tenon_edge::client::app_of;
use tenon_edge::credentials;
use tenon_edge::error::ApiError;
use tenon_edge::finish::{UNKNOWN_ROUTE, finish};
use tenon_edge::param_map::ParamMap;

use super::state::Http;
use crate::download::{POLICY, disposition};
use crate::repository::archive;

/// Route names in the log and the metrics: the paths are unbounded and contain secrets.
const UPLOADS: &str = "(uploads)";
const AVATARS: &str = "(avatars)";
const ARCHIVES: &str = "(archives)";
const ASSETS: &str = "(release assets)";

/// The type of pictures that are texts.
const SVG: &str = "image/svg+xml";

/// The policy of such a picture: it may use its own styles. Opened by itself, it is in a sandbox without scripts.
const SVG_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/// Content types by file extension, and whether a browser may show the file. All others, above all HTML, are sent as
/// `application/octet-stream`.
const KINDS: [(&str, &str, bool); 21] = [
    ("png", "image/png", true),
    ("jpg", "image/jpeg", true),
    ("jpeg", "image/jpeg", true),
    ("gif", "image/gif", true),
    ("bmp", "image/bmp", true),
    ("webp", "image/webp", true),
    ("ico", "image/x-icon", true),
    ("svg", SVG, true),
    ("tiff", "image/tiff", false),
    ("mp4", "video/mp4", false),
    ("m4v", "video/mp4", false),
    ("mov", "video/quicktime", false),
    ("webm", "video/webm", false),
    ("ogv", "video/ogg", false),
    ("txt", "text/plain; charset=utf-8", false),
    ("log", "text/plain; charset=utf-8", false),
    ("csv", "text/csv; charset=utf-8", false),
    ("json", "application/json", false),
    ("pdf", "application/pdf", false),
    ("zip", "application/zip", false),
    ("gz", "application/gzip", false),
];

/// Serves files as the default service, because a project may be at any depth; passes all other paths on to the
/// fallback.
pub(crate) fn configure(http: &Http, config: &mut ServiceConfig) {
    let http = http.clone();
    config.default_service(web::to(move |request: HttpRequest, payload: Payload| {
        let http = http.clone();
        async move {
            match (Address::parse(request.uri().path()), http.fallback()) {
                (None, Some(fallback)) => fallback(request, payload).await,
                (address, _) => answer(&http, &request, address).await,
            }
        }
    }));
}

/// A file, as its path names it.
#[derive(Debug, PartialEq)]
enum Address {
    Upload {
        project: Reference,
        secret: String,
        name: String,
    },
    Avatar {
        holder: Holder,
        name: String,
    },
    Identicon(UserId),
    /// A picture that the server draws for a name.
    Initials(Initials),
    /// `format` is the extension of the file.
    Archive {
        project: Reference,
        revision: String,
        format: String,
    },
    /// The target of a release link.
    Asset {
        project: Reference,
        tag: String,
        path: String,
    },
}

impl Address {
    /// Parses an encoded path. `None` if it names no file.
    fn parse(path: &str) -> Option<Self> {
        let raw: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
        if let Some(dash) = raw.iter().position(|segment| *segment == "-").filter(|dash| *dash > 1)
            && !raw.iter().take(dash).skip(1).any(|segment| is_page(segment))
        {
            let (project, rest) = raw.split_at(dash);
            let found = Self::of_code(Reference::Path(decode_all(project)?.join("/")), rest);
            // A file may be called `-`.
            if found.is_some() {
                return found;
            }
        }
        let segments = decode_all(&raw)?;
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        match segments.as_slice() {
            ["uploads", "-", "system", kind, "avatar", id, name] => {
                let id = number(id)?;
                let holder = match *kind {
                    "user" => Holder::User(UserId::new(id)),
                    "group" => Holder::Group(NamespaceId::new(id)),
                    "project" => Holder::Project(ProjectId::new(id)),
                    _ => return None,
                };
                Some(Self::Avatar { holder, name: (*name).to_owned() })
            }
            ["uploads", "-", "system", "user", "identicon", name] => {
                Some(Self::Identicon(UserId::new(number(name.strip_suffix(".svg")?)?)))
            }
            ["uploads", "-", "system", "user", "initials", name] => Initials::parse(name).map(Self::Initials),
            ["-", "project", id, "uploads", secret, name] => {
                Some(Self::upload(Reference::Id(number(id)?), secret, name))
            }
            // A file of a repository may lie in a folder of this name.
            [namespace @ .., project, "uploads", secret, name]
                if !namespace.is_empty()
                    && !namespace.iter().chain([project]).skip(1).any(|segment| is_page(segment)) =>
            {
                let path = format!("{}/{project}", namespace.join("/"));
                Some(Self::upload(Reference::Path(path), secret, name))
            }
            _ => None,
        }
    }

    /// Parses the encoded rest after the path of a project, from the `-` on.
    fn of_code(project: Reference, rest: &[&str]) -> Option<Self> {
        match rest {
            [_, "archive", revision @ .., name] if !revision.is_empty() => {
                let name = decode_segment(name)?;
                let format = ["tar.gz", "tar.bz2"].into_iter().find(|format| name.ends_with(&format!(".{format}")));
                let format = format.or_else(|| Some(name.rsplit_once('.')?.1))?.to_owned();
                Some(Self::Archive { project, revision: decode_all(revision)?.join("/"), format })
            }
            [_, "releases", tag, "downloads", path @ ..] if !path.is_empty() => {
                // The slashes of a tag are encoded here.
                let tag = percent_decode_str(tag).decode_utf8().ok().filter(|tag| !tag.contains('\0'))?;
                Some(Self::Asset { project, tag: tag.into_owned(), path: decode_all(path)?.join("/") })
            }
            _ => None,
        }
    }

    fn upload(project: Reference, secret: &str, name: &str) -> Self {
        Self::Upload { project, secret: secret.to_owned(), name: name.to_owned() }
    }
}

fn decode_all(raw: &[&str]) -> Option<Vec<String>> {
    raw.iter().map(|segment| decode_segment(segment)).collect()
}

/// Decodes one segment, exactly once. `None` if a file system could read it as more than a name.
fn decode_segment(raw: &str) -> Option<String> {
    let decoded = percent_decode_str(raw).decode_utf8().ok()?;
    let plain = !matches!(&*decoded, "" | "." | "..") && !decoded.contains(['/', '\\', '\0']);
    plain.then(|| decoded.into_owned())
}

fn number(text: &str) -> Option<i64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

async fn answer(http: &Http, request: &HttpRequest, address: Option<Address>) -> HttpResponse {
    let started = Instant::now();
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let (route, outcome) = match address {
        Some(address @ Address::Upload { .. }) if reads => (UPLOADS, serve_file(http, request, address).await),
        Some(address @ Address::Avatar { .. }) if reads => (AVATARS, serve_file(http, request, address).await),
        Some(Address::Identicon(user)) if reads => (AVATARS, Ok(drawn(identicon(user)))),
        Some(Address::Initials(initials)) if reads => (AVATARS, Ok(drawn(initials.svg()))),
        Some(address @ Address::Archive { .. }) if reads => (ARCHIVES, serve_file(http, request, address).await),
        Some(address @ Address::Asset { .. }) if reads => (ASSETS, serve_file(http, request, address).await),
        Some(_) | None => (UNKNOWN_ROUTE, Err(ApiError::unknown_route())),
    };
    finish(http.edge(), request.method(), route, outcome, started)
}

async fn serve_file(http: &Http, request: &HttpRequest, address: Address) -> Result<HttpResponse, ApiError> {
    let query = ParamMap::from_query(request.query_string().as_bytes())?;
    let presented = credentials::present(&query.values, request.headers(), http.app().base_url())?;
    let identity = Identity {
        credential: presented.credential,
        sudo: presented.sudo,
        guard: Guard::Anyone,
        scopes: ScopeRule::Api,
        reads: true,
    };
    let app = &app_of(http.edge(), request);
    match address {
        Address::Upload { project, secret, name } => {
            let file_name = name.clone();
            let found = app.read(&identity, move |query| upload::find(query, &project, &secret, &file_name)).await?;
            // Held until the response is complete, which is then counted itself.
            let _permit = app.file_permit().await?;
            Ok(file(&name, upload::bytes(app, &found).await?))
        }
        Address::Identicon(user) => Ok(drawn(identicon(user))),
        Address::Initials(initials) => Ok(drawn(initials.svg())),
        Address::Avatar { holder, name } => {
            let file_name = name.clone();
            let found = app.read(&identity, move |query| avatar::find(query, holder, &file_name)).await?;
            let _permit = app.file_permit().await?;
            Ok(file(&name, avatar::bytes(app, &found).await?))
        }
        Address::Archive { project, revision, format } => {
            let (revision, format) = (Some(revision), Some(format));
            let path = query.values.get("path").and_then(Value::as_str).filter(|path| !path.is_empty());
            let path = path.map(str::to_owned);
            let found = repository::archive(app, &identity, project, revision, format, path).await?;
            Ok(archive(found))
        }
        Address::Asset { project, tag, path } => {
            let there = app.read(&identity, move |query| release::asset(query, &project, &tag, &path)).await?;
            Ok(HttpResponse::Found().insert_header((header::LOCATION, there)).finish())
        }
    }
}

/// A drawn picture. It depends only on its path, so it needs no credential, does not reveal if an account exists, and never
/// changes.
fn drawn(picture: String) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, SVG))
        .insert_header((header::CONTENT_DISPOSITION, "inline"))
        .insert_header((header::CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((header::CACHE_CONTROL, "public, max-age=604800, immutable"))
        .body(picture)
}

/// The response with these bytes. Ranges are not supported: a client that asks for one gets the whole file.
fn file(name: &str, bytes: Bytes) -> HttpResponse {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    let known = KINDS.iter().find(|(known, ..)| *known == ending);
    let (kind, shown) = known.map_or(("application/octet-stream", false), |(_, kind, shown)| (*kind, *shown));
    let policy = if kind == SVG { SVG_POLICY } else { POLICY };
    let headers: [(HeaderName, &str); 5] = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_DISPOSITION, &disposition(name, shown)),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "private"),
    ];
    let mut response = HttpResponse::Ok();
    for header in headers {
        response.insert_header(header);
    }
    response.body(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_have_addresses() {
        let upload = |project| Some(Address::upload(project, "s", "a b.png"));
        let path = |path: &str| upload(Reference::Path(path.to_owned()));
        let here = || Reference::Path("a/b".to_owned());
        let archive = |revision: &str, format: &str| {
            Some(Address::Archive { project: here(), revision: revision.to_owned(), format: format.to_owned() })
        };
        let asset = |tag: &str, path: &str| {
            Some(Address::Asset { project: here(), tag: tag.to_owned(), path: path.to_owned() })
        };
        for (address, want) in [
            ("/a/b/uploads/s/a%20b.png", path("a/b")),
            ("/a/b/c/d/uploads/s/a%20b.png", path("a/b/c/d")),
            ("/-/project/7/uploads/s/a%20b.png", upload(Reference::Id(7))),
            (
                "/uploads/-/system/group/avatar/7/x.png",
                Some(Address::Avatar { holder: Holder::Group(NamespaceId::new(7)), name: "x.png".to_owned() }),
            ),
            ("/uploads/-/system/user/initials/6-AL.svg", Some(Address::Initials(Initials::of("Ada Lovelace")))),
            ("/uploads/-/system/user/initials/3-AL", None),
            ("/uploads/-/system/user/identicon/7.svg", Some(Address::Identicon(UserId::new(7)))),
            ("/a/b/uploads/s/-", Some(Address::upload(here(), "s", "-"))),
            ("/a/b/-/archive/v1.0/b-v1.0.tar.gz", archive("v1.0", "tar.gz")),
            ("/a/b/-/archive/v1.0/b-v1.0.tar", archive("v1.0", "tar")),
            ("/a/b/-/archive/x/v1/b-x-v1.zip", archive("x/v1", "zip")),
            ("/a/b/-/releases/v1/downloads/bin/tool", asset("v1", "bin/tool")),
            ("/a/b/-/releases/x%2Fv1/downloads/tool", asset("x/v1", "tool")),
        ] {
            assert_eq!(Address::parse(address), want, "{address}");
        }
        for address in [
            "/uploads/-/system/user/identicon/7",
            "/uploads/-/system/user/identicon/x.svg",
            "/uploads/-/system/group/identicon/7.svg",
            "/",
            "/a/uploads/s/x",
            "/a/b/uploads/s",
            "/a/b/uploads/s/",
            "/a/b/uploads/s/..",
            "/a/b/uploads/s/%2e%2e",
            "/a/b/uploads/s/%2e%2e%2fx",
            "/a/b/uploads/s/x%00",
            "/a/b/uploads/s/%ff",
            "/a/b/uploads/s/..%5cx",
            "/a//b/uploads/s/x",
            "/uploads/-/system/user/avatar/x/x.png",
            "/uploads/-/system/appearance/avatar/1/x.png",
            "/a/-/archive/v1/a-v1.zip",
            // No project has this name.
            "/a/uploads/uploads/s/x.png",
            "/a/b/raw/main/uploads/s/x.png",
            "/a/b/blob/main/-/archive/v1/x.zip",
            "/a/b/-/archive/b-v1.zip",
            "/a/b/-/archive/v1/b-v1",
            "/a/b/-/releases/v1/downloads",
            "/a/b/-/releases/v1/downloads/..",
            "/a/b/-/releases/v%00/downloads/a",
            "/a/b/-/archive/v%00/a.zip",
            "/-/archive/v1/x.zip",
        ] {
            assert_eq!(Address::parse(address), None, "{address}");
        }
        // Decoded once: this is a name with a percent sign in it, and no such file exists.
        let twice = Address::parse("/a/b/uploads/s/%252e%252e");
        assert_eq!(twice, Some(Address::upload(Reference::Path("a/b".to_owned()), "s", "%2e%2e")));
    }

    #[test]
    fn only_pictures_are_shown() {
        for (name, kind, how) in [
            ("a.png", "image/png", "inline; filename=\"a.png\""),
            ("a.JPG", "image/jpeg", "inline; filename=\"a.JPG\""),
            ("a.svg", "image/svg+xml", "inline; filename=\"a.svg\""),
            ("a.html", "application/octet-stream", "attachment; filename=\"a.html\""),
            ("png", "application/octet-stream", "attachment; filename=\"png\""),
            (
                "ä\".txt",
                "text/plain; charset=utf-8",
                "attachment; filename=\"__.txt\"; filename*=UTF-8''%C3%A4%22%2Etxt",
            ),
        ] {
            let response = file(name, Bytes::new());
            let header = |name: &str| response.headers().get(name).unwrap().to_str().unwrap().to_owned();
            assert_eq!((header("content-type").as_str(), header("content-disposition").as_str()), (kind, how));
            let policy = if kind == SVG { SVG_POLICY } else { POLICY };
            assert_eq!(
                (header("content-security-policy").as_str(), header("x-content-type-options").as_str()),
                (policy, "nosniff")
            );
        }
    }
}
