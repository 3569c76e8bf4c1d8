//! Secondary addresses of users.

mod administration;
mod own;
mod primary;

use serde_json::{Value, json};

/// A request for a new address.
fn new(address: &str) -> Value {
    json!({"email": address})
}

/// The refusal of an address that an account has.
fn taken() -> Value {
    json!({"message": {"email": ["has already been taken"]}})
}
