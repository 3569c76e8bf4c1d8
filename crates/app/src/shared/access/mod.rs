//! Who may do what, if several resources change it: revocation, memberships, states of accounts.

pub(crate) mod account_removal;
pub(crate) mod account_state;
pub(crate) mod admission;
pub(crate) mod email_confirmation;
pub(crate) mod ended_access;
pub(crate) mod inherited;
pub(crate) mod invitation;
pub(crate) mod membership;
pub(crate) mod namespace_paths;
pub(crate) mod passkey_proof;
pub(crate) mod project_transfer;
pub(crate) mod revocation;
pub(crate) mod second_factor;
pub(crate) mod sign_in_challenge;
pub(crate) mod system_event;
pub mod visibilities;
pub(crate) mod ways_in;
