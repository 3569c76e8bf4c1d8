//! The API description, generated from the table of routes.

use std::collections::BTreeSet;

use actix_web::http::{Method, StatusCode};
use tenon_app::identity::Guard;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::{
    HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, ParameterStyle, PathItem, PathsBuilder,
};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::schema::{
    AnyOf, ArrayItems, ComponentsBuilder, KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type,
};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::server::Server;
use utoipa::openapi::tag::Tag;
use utoipa::openapi::{InfoBuilder, OpenApi, OpenApiBuilder, RefOr, Required};

use crate::endpoint::paging;
use crate::endpoint::{Endpoint, ReplyDoc, RouteTable};
use crate::params::FieldDoc;

mod failures;

const JSON: &str = "application/json";
const SCHEMES: [&str; 3] = ["private_token_header", "private_token_query", "bearer"];

/// The whole description.
pub(crate) fn document(table: &RouteTable, base_url: &str) -> OpenApi {
    let mut paths = PathsBuilder::new();
    let mut components = failures::described(ComponentsBuilder::new());
    let mut tags = BTreeSet::new();
    for endpoint in table.endpoints() {
        let mut reply = (endpoint.reply)();
        for (name, schema) in std::mem::take(&mut reply.schemas) {
            components = components.schema(name, overlapping(schema));
        }
        tags.insert(endpoint.tag);
        if let Some(method) = http_method(&endpoint.method) {
            paths = paths.path(&endpoint.path, PathItem::new(method, operation(endpoint, reply)));
        }
    }
    for (name, scheme) in SCHEMES.into_iter().zip(security_schemes()) {
        components = components.security_scheme(name, scheme);
    }
    OpenApiBuilder::new()
        .info(InfoBuilder::new().title("Tenon").version("v4").description(Some("The REST API of Tenon.")).build())
        .servers(Some([Server::new(format!("{base_url}/api/v4"))]))
        .paths(paths)
        .components(Some(components.build()))
        .tags(Some(tags.into_iter().map(Tag::new)))
        .build()
}

fn http_method(method: &Method) -> Option<HttpMethod> {
    [
        (Method::GET, HttpMethod::Get),
        (Method::POST, HttpMethod::Post),
        (Method::PUT, HttpMethod::Put),
        (Method::PATCH, HttpMethod::Patch),
        (Method::DELETE, HttpMethod::Delete),
    ]
    .into_iter()
    .find_map(|(known, described)| (known == *method).then_some(described))
}

fn operation(endpoint: &Endpoint, reply: ReplyDoc) -> OperationBuilder {
    let mut operation = OperationBuilder::new()
        .tag(endpoint.tag)
        .summary(Some(endpoint.summary))
        .operation_id(Some(operation_id(endpoint)));
    let in_path = |field: &FieldDoc| endpoint.path_params.iter().any(|param| param.name == field.name);
    let (of_path, fields): (Vec<FieldDoc>, Vec<FieldDoc>) = (endpoint.fields)().into_iter().partition(in_path);
    for param in &endpoint.path_params {
        let declared = of_path.iter().find(|field| field.name == param.name).map(|field| field.schema.clone());
        let kind = if param.numeric { Type::Integer } else { Type::String };
        let schema = declared.unwrap_or_else(|| RefOr::T(of_type(kind)));
        let param = ParameterBuilder::new().name(param.name).parameter_in(ParameterIn::Path).required(Required::True);
        operation = operation.parameter(param.schema(Some(schema)));
    }
    if endpoint.method == Method::GET || endpoint.method == Method::DELETE {
        operation = fields.into_iter().map(query_parameter).fold(operation, OperationBuilder::parameter);
    } else if !fields.is_empty() {
        operation = operation.request_body(Some(request_body(fields).build()));
    }
    let mut documented = BTreeSet::new();
    for (status, response) in responses(endpoint, reply) {
        // The reply's own description of a status wins.
        if documented.insert(status.as_u16()) {
            operation = operation.response(status.as_str(), response);
        }
    }
    if endpoint.guard == Guard::Anyone {
        operation = operation.security(SecurityRequirement::default());
    }
    let nothing: [&str; 0] = [];
    SCHEMES
        .into_iter()
        .fold(operation, |operation, scheme| operation.security(SecurityRequirement::new(scheme, nothing)))
}

/// `get_projects_id_issues`: unique, because method and path are. Of a path that differs from another in `/-/` only,
/// that is a word as well.
fn operation_id(endpoint: &Endpoint) -> String {
    let path = endpoint.path.replace("/-/", "/dash/");
    let words = path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    std::iter::once(endpoint.method.as_str().to_ascii_lowercase().as_str()).chain(words).collect::<Vec<_>>().join("_")
}

fn query_parameter(field: FieldDoc) -> Parameter {
    // Lists are sent as `name[]=value`.
    let is_list = matches!(field.schema, RefOr::T(Schema::Array(_)));
    // Members of a hash are sent as `name[member]=value`.
    let is_hash = matches!(&field.schema, RefOr::T(Schema::Object(object)) if !object.properties.is_empty());
    ParameterBuilder::new()
        .style(is_hash.then_some(ParameterStyle::DeepObject))
        .explode(is_hash.then_some(true))
        .name(if is_list { format!("{}[]", field.name) } else { field.name.to_owned() })
        .parameter_in(ParameterIn::Query)
        .required(if field.required { Required::True } else { Required::False })
        .description(Some(field.description).filter(|text| !text.is_empty()))
        .schema(Some(field.schema))
        .build()
}

fn request_body(fields: Vec<FieldDoc>) -> RequestBodyBuilder {
    // JSON cannot carry a file.
    let content_type = if fields.iter().any(is_file) { "multipart/form-data" } else { JSON };
    let required = if fields.iter().any(|field| field.required) { Required::True } else { Required::False };
    let mut body = ObjectBuilder::new();
    for field in fields {
        if field.required {
            body = body.required(field.name);
        }
        body = body.property(field.name, described(field));
    }
    RequestBodyBuilder::new()
        .required(Some(required))
        .content(content_type, ContentBuilder::new().schema(Some(body)).build())
}

fn is_file(field: &FieldDoc) -> bool {
    let binary = SchemaFormat::KnownFormat(KnownFormat::Binary);
    matches!(&field.schema, RefOr::T(Schema::Object(object)) if object.format.as_ref() == Some(&binary))
}

fn described(field: FieldDoc) -> RefOr<Schema> {
    let text = Some(field.description).filter(|text| !text.is_empty());
    match field.schema {
        RefOr::T(Schema::Object(mut object)) => {
            object.description = text;
            RefOr::T(Schema::Object(object))
        }
        RefOr::T(Schema::Array(mut array)) => {
            array.description = text;
            RefOr::T(Schema::Array(array))
        }
        other => other,
    }
}

fn responses(endpoint: &Endpoint, reply: ReplyDoc) -> Vec<(StatusCode, RefOr<Response>)> {
    let mut responses: Vec<(StatusCode, RefOr<Response>)> = Vec::new();
    for (status, meaning, schema) in reply.outcomes {
        let mut response = ResponseBuilder::new().description(meaning);
        if let Some(schema) = schema {
            response = response.content(JSON, ContentBuilder::new().schema(Some(overlapping(schema))).build());
        }
        if reply.paged && status == StatusCode::OK {
            for name in paging::HEADERS {
                response = response.header(name, HeaderBuilder::new().schema(Some(of_type(Type::String))).build());
            }
        }
        responses.push((status, RefOr::T(response.build())));
    }
    responses.extend(failures::failures(endpoint));
    responses
}

/// A schema with overlapping alternatives: a reduced form is often a part of the full one, so that a value can match
/// several of them.
fn overlapping(schema: RefOr<Schema>) -> RefOr<Schema> {
    let RefOr::T(schema) = schema else { return schema };
    RefOr::T(match schema {
        Schema::OneOf(alternatives) => {
            let mut any = AnyOf::new();
            any.items = alternatives.items.into_iter().map(overlapping).collect();
            any.description = alternatives.description;
            any.schema_type = alternatives.schema_type;
            Schema::AnyOf(any)
        }
        Schema::AllOf(mut parts) => {
            parts.items = parts.items.into_iter().map(overlapping).map(part).collect();
            Schema::AllOf(parts)
        }
        Schema::Object(mut object) => {
            for property in object.properties.values_mut() {
                *property = overlapping(property.clone());
            }
            Schema::Object(object)
        }
        Schema::Array(mut array) => {
            if let ArrayItems::RefOrSchema(items) = array.items {
                array.items = ArrayItems::RefOrSchema(Box::new(overlapping(*items)));
            }
            Schema::Array(array)
        }
        other => other,
    })
}

/// A part of a flattened object. One that may be absent leaves out its fields; it does not make the whole object null.
fn part(schema: RefOr<Schema>) -> RefOr<Schema> {
    let RefOr::T(Schema::AnyOf(mut any)) = schema else { return schema };
    let null = RefOr::T(of_type(Type::Null));
    for alternative in any.items.iter_mut().filter(|alternative| **alternative == null) {
        *alternative = RefOr::T(of_type(Type::Object));
    }
    RefOr::T(Schema::AnyOf(any))
}

fn of_type(kind: Type) -> Schema {
    ObjectBuilder::new().schema_type(kind).build().into()
}

fn security_schemes() -> [SecurityScheme; 3] {
    [
        SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new("Private-Token"))),
        SecurityScheme::ApiKey(ApiKey::Query(ApiKeyValue::new("private_token"))),
        SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;
    use crate::all_routes::all_routes;

    #[test]
    fn every_route_is_described() {
        let table = all_routes().unwrap();
        let document = serde_json::to_value(document(&table, "https://tenon.example")).unwrap();
        let mut ids = HashSet::new();
        for route in table.listing() {
            let operation = &document["paths"][&route.path][route.method.to_ascii_lowercase()];
            assert!(!operation["summary"].as_str().unwrap_or_default().is_empty(), "{} {}", route.method, route.path);
            assert!(ids.insert(operation["operationId"].as_str().unwrap().to_owned()), "{}", operation["operationId"]);
        }
        assert_eq!(document["servers"][0]["url"], "https://tenon.example/api/v4");
        assert!(document["components"]["schemas"]["VersionDto"].is_object(), "{document:#}");
        assert!(document["components"]["schemas"]["AgentServerDto"].is_object(), "{document:#}");
    }

    #[test]
    fn a_name_stands_for_one_schema() {
        let table = all_routes().unwrap();
        let mut known = HashMap::new();
        for (name, schema) in table.endpoints().flat_map(|endpoint| (endpoint.reply)().schemas) {
            let schema = serde_json::to_value(schema).unwrap();
            let first = known.entry(name.clone()).or_insert_with(|| schema.clone());
            assert_eq!(*first, schema, "two types are called {name}: give one of them #[schema(as = ...)]");
        }
    }

    #[test]
    fn a_flattened_part_that_may_be_absent_does_not_forbid_the_rest() {
        let table = all_routes().unwrap();
        let document = serde_json::to_value(document(&table, "https://tenon.example")).unwrap();
        let parts = &document["components"]["schemas"]["NoteDto"]["allOf"];
        let absent = parts.as_array().unwrap().iter().find(|part| part["anyOf"].is_array()).unwrap();
        assert!(!absent.to_string().contains("null"), "{absent:#}");
    }

    #[test]
    fn every_operation_says_how_it_can_fail() {
        let table = all_routes().unwrap();
        let document = serde_json::to_value(document(&table, "https://tenon.example")).unwrap();
        assert!(!document.to_string().contains("oneOf"), "alternatives may overlap");
        let failures = &document["components"]["responses"];
        for status in ["429", "503"] {
            assert!(failures[format!("Failure{status}")]["headers"]["Retry-After"].is_object(), "{failures:#}");
        }
        for route in table.listing() {
            let responses = &document["paths"][&route.path][route.method.to_ascii_lowercase()]["responses"];
            for status in ["400", "401", "403", "404", "406", "429", "503"] {
                assert!(responses[status].is_object(), "{} {} {status}", route.method, route.path);
            }
            assert!(route.method == "GET" || responses["507"].is_object(), "{} {}", route.method, route.path);
            assert!(route.method == "GET" || responses["413"].is_object(), "{} {}", route.method, route.path);
        }
    }
}
