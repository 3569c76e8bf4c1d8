//! Parameters that come with the form, or with the address.

use crate::context::request::RequestContext;

/// A parameter of the form, or of the address if the form has none. An empty one is absent.
pub(super) fn sent(context: &RequestContext, name: &str) -> Option<String> {
    context.form().filled("", name).or_else(|| context.query(name).map(ToOwned::to_owned))
}
