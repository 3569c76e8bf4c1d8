-- A service that is sent events has a receiver among the hooks, which only the service shows.
ALTER TABLE hooks ADD COLUMN service_id BIGINT REFERENCES services (id) ON DELETE CASCADE;
CREATE UNIQUE INDEX hooks_service ON hooks (service_id) WHERE service_id IS NOT NULL;
INSERT INTO hooks (project_id, service_id, url, push_events, issues_events, confidential_issues_events, merge_requests_events,
    tag_push_events, note_events, confidential_note_events, job_events, pipeline_events, wiki_page_events,
    enable_ssl_verification, created_at, updated_at)
SELECT project_id, id, 'service:' || slug,
    push_events AND slug <> 'pipelines-email',
    issues_events AND slug NOT IN ('emails-on-push', 'pipelines-email', 'irker'),
    confidential_issues_events AND slug NOT IN ('emails-on-push', 'pipelines-email', 'irker'),
    merge_requests_events AND slug NOT IN ('emails-on-push', 'pipelines-email', 'irker'),
    tag_push_events AND slug NOT IN ('pipelines-email', 'irker'),
    note_events AND slug NOT IN ('emails-on-push', 'pipelines-email', 'irker'),
    confidential_note_events AND slug NOT IN ('emails-on-push', 'pipelines-email', 'irker'),
    FALSE,
    pipeline_events AND slug NOT IN ('emails-on-push', 'irker'),
    wiki_page_events AND slug NOT IN ('emails-on-push', 'pipelines-email', 'irker'),
    TRUE, created_at, updated_at
FROM services
WHERE active AND slug IN ('slack', 'mattermost', 'microsoft-teams', 'hangouts-chat', 'emails-on-push', 'pipelines-email',
    'irker');
