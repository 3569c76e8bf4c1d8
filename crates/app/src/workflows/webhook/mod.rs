//! Events, sent to the receivers that hooks name.
//!
//! An event is captured in the transaction in which it happens (`shared/hook_event/record.rs`). A job makes its body,
//! once, and a delivery for each hook that receives it (`render.rs`); another sends the deliveries of one hook in their
//! order (`deliver.rs`). A delivery that a receiver refuses is sent again by a job of its own (`retry.rs`), so that its
//! followers need not wait.

mod announce;
mod attempt;
mod deliver;
mod failing;
mod on_request;
mod payload;
mod pipeline;
mod planning;
mod purge;
mod push;
mod render;
mod request;
mod resume;
mod retry;
mod secrets;

pub use failing::{DroppedMails, FailingHook, dropped_mails, failing, resend_parked};
pub use on_request::{TestOutcome, resend, test, test_system, testable};

pub(crate) use announce::{AnnounceFailingHook, SendFailingHook};
pub(crate) use attempt::RetryDelivery;
pub(crate) use deliver::DeliverToHook;
pub(crate) use purge::PurgeHookEvents;
pub(crate) use resume::ResumeDeliveries;
