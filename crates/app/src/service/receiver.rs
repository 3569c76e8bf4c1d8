//! The hook of a service, which only the service shows.

use tenon_domain::hook::{BranchFilterStrategy, Health, Hook, HookEvents};
use tenon_domain::id::HookId;
use tenon_domain::service::{Service, ServiceEvent};
use tenon_storage::hook;

use crate::core::app::Command;
use crate::core::error::AppError;

/// Brings the receiver of a service to what the service now wants. That of a service out of use receives nothing, but stays: by
/// its deliveries, mails are counted.
pub(super) fn sync(command: &mut Command<'_>, service: &Service) -> Result<(), AppError> {
    if !service.definition.is_sent_events() {
        return Ok(());
    }
    let mut events = HookEvents::default();
    for event in ServiceEvent::ALL {
        if let Some(flag) = event.flag() {
            events.set(flag.trigger, service.is_called_for(*event));
        }
    }
    let receiver = Hook {
        id: HookId::new(0),
        project: Some(service.project),
        name: service.definition.title.to_owned(),
        description: String::new(),
        // The address to which it sends is a setting of the service, and often a secret.
        url: format!("service:{}", service.definition.slug),
        events,
        push_events_branch_filter: None,
        branch_filter_strategy: BranchFilterStrategy::AllBranches,
        url_variables: Vec::new(),
        custom_headers: Vec::new(),
        custom_webhook_template: None,
        health: Health::default(),
        enable_ssl_verification: true,
        created_at: service.created_at,
        updated_at: service.updated_at,
    };
    Ok(hook::save_receiver(&mut command.tx, service.id, &receiver)?)
}
