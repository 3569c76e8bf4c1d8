//! Workflows over several resources: they combine the use cases of these.

pub mod access_token;
pub(crate) mod account_deletion;
pub(crate) mod account_demand;
pub(crate) mod commit_references;
pub mod dashboard;
pub(crate) mod doctor;
pub(crate) mod expired_access;
pub(crate) mod file_inspection;
pub(crate) mod first_start;
pub(crate) mod group_deletion;
pub(crate) mod integration;
pub mod issue_branch;
pub mod lfs;
pub(crate) mod maintenance_scan;
pub mod notification;
pub mod openid;
pub(crate) mod row_inspection;
pub mod transport;
pub mod webhook;
