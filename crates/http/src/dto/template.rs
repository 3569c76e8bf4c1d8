//! Templates of files as JSON.

use serde::Serialize;
use tenon_app::template::{License, TemplateName, TemplateView};
use utoipa::ToSchema;

/// An entry of a list of templates.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TemplateNameDto {
    /// The key that requests name.
    key: String,
    name: String,
}

impl From<TemplateName> for TemplateNameDto {
    fn from(template: TemplateName) -> Self {
        Self { key: template.key.to_owned(), name: template.name.to_owned() }
    }
}

/// The key is also the name.
impl From<String> for TemplateNameDto {
    fn from(key: String) -> Self {
        Self { name: key.clone(), key }
    }
}

/// A file.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FileTemplateDto {
    pub(crate) name: String,
    pub(crate) content: String,
}

/// A licence.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LicenseTemplateDto {
    /// The SPDX identifier in lower case.
    key: String,
    name: String,
    nickname: Option<String>,
    popular: bool,
    html_url: String,
    source_url: String,
    description: String,
    /// The conditions under which the work may be used.
    conditions: Vec<String>,
    /// The permissions that the licence grants.
    permissions: Vec<String>,
    /// The limitations of warranty, liability and other rights.
    limitations: Vec<String>,
    content: String,
}

impl From<License> for LicenseTemplateDto {
    fn from(license: License) -> Self {
        Self {
            html_url: license.html_url(),
            key: license.key,
            name: license.name,
            nickname: license.nickname,
            popular: license.popular,
            source_url: license.source_url,
            description: license.description,
            conditions: license.conditions,
            permissions: license.permissions,
            limitations: license.limitations,
            content: license.content,
        }
    }
}

/// One template.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum TemplateDto {
    License(Box<LicenseTemplateDto>),
    File(FileTemplateDto),
}

impl From<TemplateView> for TemplateDto {
    fn from(view: TemplateView) -> Self {
        match view {
            TemplateView::License(license) => Self::License(Box::new(license.into())),
            TemplateView::File(file) => {
                Self::File(FileTemplateDto { name: file.key.to_owned(), content: file.content.to_owned() })
            }
        }
    }
}
