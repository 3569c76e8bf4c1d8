//! Files: uploads, pictures, and their deletion.

pub mod avatar;
pub(crate) mod object_deletion;
pub mod stored;
pub mod upload;
pub(crate) mod upload_address;
