//! The contexts of handlers: the request with access to the use cases, and the project or group that it is about.

pub(crate) mod frame;
pub(crate) mod group;
pub(crate) mod project;
pub(crate) mod project_frame;
pub(crate) mod request;
pub(crate) mod site;
pub(crate) mod watch;
