//! Repositories (reference: repository-git-webhooks, sections 1 to 13).

mod protection;

pub use protection::{NewProtection, list_protections, protect, protection, unprotect};
