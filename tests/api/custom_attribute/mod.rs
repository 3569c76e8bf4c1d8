//! custom_attribute
