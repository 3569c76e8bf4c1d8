//! What a service receives: a hook that only the service shows.

use tenon_domain::hook::{Hook, HookEvents};
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
    let wants = |event| service.is_called_for(event);
    let receiver = Hook {
        id: HookId::new(0),
        project: Some(service.project),
        name: service.definition.title.to_owned(),
        description: String::new(),
        // Where it is sent to is a setting of the service, and often a secret.
        url: format!("service:{}", service.definition.slug),
        events: HookEvents {
            push: wants(ServiceEvent::Push),
            issues: wants(ServiceEvent::Issue),
            confidential_issues: wants(ServiceEvent::ConfidentialIssue),
            merge_requests: wants(ServiceEvent::MergeRequest),
            tag_push: wants(ServiceEvent::TagPush),
            note: wants(ServiceEvent::Note),
            confidential_note: Some(wants(ServiceEvent::ConfidentialNote)),
            job: wants(ServiceEvent::Job),
            pipeline: wants(ServiceEvent::Pipeline),
            wiki_page: wants(ServiceEvent::WikiPage),
            repository_update: false,
        },
        push_events_branch_filter: None,
        enable_ssl_verification: true,
        created_at: service.created_at,
        updated_at: service.updated_at,
    };
    Ok(hook::save_receiver(&mut command.tx, service.id, &receiver)?)
}
