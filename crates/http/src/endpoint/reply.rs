//! The replies of handlers. The type of a reply is its documentation: it determines the status, and the response in the
//! API description.

use std::hash::{DefaultHasher, Hasher as _};

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use serde::Serialize;
use tenon_app::repository::CountedPage;
use tenon_domain::keyset::{KeysetPage, Listing};
use tenon_domain::page::Page;
use tenon_edge::error::ApiError;
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, ArrayItems, Ref, Schema};

use super::call::RequestHead;
use super::paging::{self, Defaults};

/// A successful response.
pub(crate) trait Reply {
    /// The response to `head`.
    fn respond(self, head: &RequestHead) -> Result<HttpResponse, ApiError>;

    /// The response in the API description.
    fn describe() -> ReplyDoc;
}

/// The responses of an endpoint in the API description.
#[derive(Clone, Default)]
pub(crate) struct ReplyDoc {
    pub(crate) outcomes: Vec<(StatusCode, &'static str, Option<RefOr<Schema>>)>,
    /// True if the response is one page of a list.
    pub(crate) paged: bool,
    /// The named schemas that the bodies refer to.
    pub(crate) schemas: Vec<(String, RefOr<Schema>)>,
}

impl ReplyDoc {
    fn of<T: ToSchema>(status: StatusCode, meaning: &'static str) -> Self {
        let mut schemas = Vec::new();
        T::schemas(&mut schemas);
        let schema = match T::schema() {
            // A type without fields needs no name: `bool`, arrays, free-form values.
            RefOr::T(Schema::Object(object)) if object.properties.is_empty() => RefOr::T(Schema::Object(object)),
            RefOr::T(Schema::Array(array)) => RefOr::T(Schema::Array(array)),
            schema => {
                schemas.push((T::name().into_owned(), schema));
                RefOr::Ref(Ref::from_schema_name(T::name()))
            }
        };
        Self { outcomes: vec![(status, meaning, Some(schema))], paged: false, schemas }
    }

    fn bare(status: StatusCode, meaning: &'static str) -> Self {
        Self { outcomes: vec![(status, meaning, None)], ..Self::default() }
    }
}

/// 200 with this body.
#[derive(Debug)]
pub(crate) struct Json<T>(pub(crate) T);

impl<T: Serialize + ToSchema> Reply for Json<T> {
    fn respond(self, head: &RequestHead) -> Result<HttpResponse, ApiError> {
        json(head, StatusCode::OK, &self.0)
    }

    fn describe() -> ReplyDoc {
        ReplyDoc::of::<T>(StatusCode::OK, "Done.")
    }
}

/// 201 with the new resource.
#[derive(Debug)]
pub(crate) struct Created<T>(pub(crate) T);

impl<T: Serialize + ToSchema> Reply for Created<T> {
    fn respond(self, head: &RequestHead) -> Result<HttpResponse, ApiError> {
        json(head, StatusCode::CREATED, &self.0)
    }

    fn describe() -> ReplyDoc {
        ReplyDoc::of::<T>(StatusCode::CREATED, "Created.")
    }
}

/// 204.
#[derive(Debug)]
pub(crate) struct NoContent;

impl Reply for NoContent {
    fn respond(self, _: &RequestHead) -> Result<HttpResponse, ApiError> {
        Ok(HttpResponse::NoContent().finish())
    }

    fn describe() -> ReplyDoc {
        ReplyDoc::bare(StatusCode::NO_CONTENT, "Done; there is no content.")
    }
}

/// 302 to this URL.
#[derive(Debug)]
pub(crate) struct Redirect(pub(crate) String);

impl Reply for Redirect {
    fn respond(self, _: &RequestHead) -> Result<HttpResponse, ApiError> {
        let there = HeaderValue::from_str(&self.0).map_err(|error| ApiError::internal(&error))?;
        Ok(HttpResponse::Found().insert_header((header::LOCATION, there)).finish())
    }

    fn describe() -> ReplyDoc {
        ReplyDoc::bare(StatusCode::FOUND, "The resource is at the URL in `Location`.")
    }
}

/// 202 with this body: work has started.
#[derive(Debug)]
pub(crate) struct Started<T>(pub(crate) T);

impl<T: Serialize + ToSchema> Reply for Started<T> {
    fn respond(self, head: &RequestHead) -> Result<HttpResponse, ApiError> {
        json(head, StatusCode::ACCEPTED, &self.0)
    }

    fn describe() -> ReplyDoc {
        ReplyDoc::of::<T>(StatusCode::ACCEPTED, "Started.")
    }
}

/// 202: the work will be done later.
#[derive(Debug)]
pub(crate) struct Accepted;

impl Reply for Accepted {
    fn respond(self, head: &RequestHead) -> Result<HttpResponse, ApiError> {
        json(head, StatusCode::ACCEPTED, &serde_json::json!({ "message": "202 Accepted" }))
    }

    fn describe() -> ReplyDoc {
        ReplyDoc::of::<serde_json::Value>(StatusCode::ACCEPTED, "Will be done.")
    }
}

/// 201 with the new resource, or 202 with what was done instead.
#[derive(Debug)]
pub(crate) enum CreatedOr<T, U> {
    Created(T),
    Instead(U),
}

impl<T: Serialize + ToSchema, U: Serialize + ToSchema> Reply for CreatedOr<T, U> {
    fn respond(self, head: &RequestHead) -> Result<HttpResponse, ApiError> {
        match self {
            Self::Created(made) => json(head, StatusCode::CREATED, &made),
            Self::Instead(done) => json(head, StatusCode::ACCEPTED, &done),
        }
    }

    fn describe() -> ReplyDoc {
        let mut doc = ReplyDoc::of::<T>(StatusCode::CREATED, "Created.");
        let instead = ReplyDoc::of::<U>(StatusCode::ACCEPTED, "Nothing was created; something else was done.");
        doc.outcomes.extend(instead.outcomes);
        doc.schemas.extend(instead.schemas);
        doc
    }
}

/// One page of a list, with paging headers.
#[derive(Debug)]
pub(crate) struct Paged<T>(pub(crate) Page<T>);

impl<T: Serialize + ToSchema> Reply for Paged<T> {
    fn respond(self, head: &RequestHead) -> Result<HttpResponse, ApiError> {
        page(head, &self.0, &[])
    }

    fn describe() -> ReplyDoc {
        let mut doc = ReplyDoc::of::<T>(StatusCode::OK, "One page of the list.");
        for (_, _, schema) in &mut doc.outcomes {
            *schema = schema.take().map(|items| {
                RefOr::T(Schema::Array(ArrayBuilder::new().items(ArrayItems::RefOrSchema(Box::new(items))).build()))
            });
        }
        doc.paged = true;
        doc
    }
}

fn page<T: Serialize>(head: &RequestHead, page: &Page<T>, defaults: Defaults) -> Result<HttpResponse, ApiError> {
    let mut response = json(head, StatusCode::OK, &page.items)?;
    for (name, value) in paging::headers(head, page.request, page.total, page.total_pages(), defaults) {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(name, value);
        }
    }
    Ok(response)
}

/// A page of keyset pagination, with a link to the next one.
fn keyset_page<T: Serialize>(head: &RequestHead, page: KeysetPage<T>) -> Result<HttpResponse, ApiError> {
    let mut response = json(head, StatusCode::OK, &page.items)?;
    let link = page.next.map(|token| paging::next_of(head, &token));
    if let Some(Ok(link)) = link.map(|link| HeaderValue::from_str(&link)) {
        response.headers_mut().insert(header::LINK, link);
    }
    Ok(response)
}

/// As [`Paged`], or a page of keyset pagination: its only header about paging is a link to the part that follows, if there
/// is one.
#[derive(Debug)]
pub(crate) struct Listed<T>(pub(crate) Listing<T>);

impl<T: Serialize + ToSchema> Reply for Listed<T> {
    fn respond(self, head: &RequestHead) -> Result<HttpResponse, ApiError> {
        match self.0 {
            Listing::Page(found) => page(head, &found, &[]),
            Listing::KeysetPage(found) => keyset_page(head, found),
        }
    }

    fn describe() -> ReplyDoc {
        let mut doc = Paged::<T>::describe();
        let refused = "Keyset pagination is not available for the order that was asked for.";
        doc.outcomes.push((StatusCode::METHOD_NOT_ALLOWED, refused, None));
        doc
    }
}

/// As [`Listed`], for a total that may not be known. Then no header says it, and no link leads to the last page.
#[derive(Debug)]
pub(crate) enum Counted<T> {
    Page(CountedPage<T>),
    Part(KeysetPage<T>),
}

impl<T: Serialize + ToSchema> Reply for Counted<T> {
    fn respond(self, head: &RequestHead) -> Result<HttpResponse, ApiError> {
        let CountedPage { page: found, is_counted } = match self {
            Self::Page(page) => page,
            Self::Part(part) => return keyset_page(head, part),
        };
        let mut response = page(head, &found, &[])?;
        if !is_counted {
            paging::without_total(response.headers_mut());
        }
        Ok(response)
    }

    fn describe() -> ReplyDoc {
        Listed::<T>::describe()
    }
}

/// As [`Paged`], with links that show these parameters if the client did not send them.
pub(crate) struct PagedBy<T>(pub(crate) Page<T>, pub(crate) Defaults);

impl<T: Serialize + ToSchema> Reply for PagedBy<T> {
    fn respond(self, head: &RequestHead) -> Result<HttpResponse, ApiError> {
        page(head, &self.0, self.1)
    }

    fn describe() -> ReplyDoc {
        Paged::<T>::describe()
    }
}

/// A reply if something changed, 304 if nothing did.
#[derive(Debug)]
pub(crate) enum Changed<R> {
    Yes(R),
    No,
}

impl<R: Reply> Reply for Changed<R> {
    fn respond(self, head: &RequestHead) -> Result<HttpResponse, ApiError> {
        match self {
            Self::Yes(reply) => reply.respond(head),
            Self::No => Ok(HttpResponse::NotModified().finish()),
        }
    }

    fn describe() -> ReplyDoc {
        let mut doc = R::describe();
        doc.outcomes.push((StatusCode::NOT_MODIFIED, "Nothing changed.", None));
        doc
    }
}

/// A JSON response. Reads carry a weak `ETag` of their body; a client that has this version gets 304.
fn json(head: &RequestHead, status: StatusCode, body: &impl Serialize) -> Result<HttpResponse, ApiError> {
    let body = serde_json::to_vec(body).map_err(|error| ApiError::internal(&error))?;
    let mut response = HttpResponse::build(status);
    if head.reads() {
        let tag = weak_tag(&body);
        response.insert_header((header::ETAG, tag.as_str()));
        if head.if_none_match.as_deref().is_some_and(|held| holds(held, &tag)) {
            return Ok(response.status(StatusCode::NOT_MODIFIED).finish());
        }
    }
    Ok(response.insert_header((header::CONTENT_TYPE, "application/json")).body(body))
}

fn weak_tag(body: &[u8]) -> String {
    // No seed: the tag is the same on every server and after every start.
    let mut hasher = DefaultHasher::new();
    hasher.write(body);
    format!("W/\"{:016x}{:x}\"", hasher.finish(), body.len())
}

fn holds(if_none_match: &str, tag: &str) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    if_none_match.trim() == "*" || if_none_match.split(',').any(|held| opaque(held) == opaque(tag))
}

#[cfg(test)]
mod tests {
    use actix_web::body::to_bytes;
    use actix_web::http::Method;
    use serde_json::json;

    use super::*;

    fn head(method: Method, if_none_match: Option<&str>) -> RequestHead {
        RequestHead {
            method,
            if_none_match: if_none_match.map(str::to_owned),
            ..RequestHead::example("/api/v4/version", "")
        }
    }

    #[actix_web::test]
    async fn reads_carry_a_tag_and_are_not_sent_twice() {
        let first = Json(json!({"a": 1})).respond(&head(Method::GET, None)).unwrap();
        let tag = first.headers().get(header::ETAG).unwrap().to_str().unwrap().to_owned();
        assert_eq!(first.headers().get(header::CONTENT_TYPE).unwrap(), "application/json");
        assert_eq!(to_bytes(first.into_body()).await.unwrap(), r#"{"a":1}"#);
        for (held, status) in
            [(tag.as_str(), 304), (&tag[2..], 304), (&format!("\"x\", {tag}"), 304), ("*", 304), ("W/\"x\"", 200)]
        {
            let again = Json(json!({"a": 1})).respond(&head(Method::HEAD, Some(held))).unwrap();
            assert_eq!(
                (again.status().as_u16(), again.headers().get(header::ETAG).unwrap().to_str().unwrap()),
                (status, &*tag)
            );
        }
        let written = Json(json!({"a": 1})).respond(&head(Method::PUT, Some("*"))).unwrap();
        assert_eq!((written.status().as_u16(), written.headers().get(header::ETAG)), (200, None));
    }

    #[test]
    fn each_answer_has_its_status() {
        let head = head(Method::POST, None);
        let status = |response: Result<HttpResponse, ApiError>| response.unwrap().status().as_u16();
        assert_eq!(status(Created(1).respond(&head)), 201);
        assert_eq!(status(Accepted.respond(&head)), 202);
        assert_eq!(status(CreatedOr::<_, i32>::Created(1).respond(&head)), 201);
        assert_eq!(status(CreatedOr::<i32, _>::Instead(1).respond(&head)), 202);
        assert_eq!(status(Redirect("https://example.org".to_owned()).respond(&head)), 302);
        assert_eq!(status(NoContent.respond(&head)), 204);
        assert_eq!(status(Changed::Yes(Created(1)).respond(&head)), 201);
        assert_eq!(status(Changed::<NoContent>::No.respond(&head)), 304);
    }
}
