-- What projects are connected to. The settings are JSON objects; what is secret is in one of its own, which is encrypted.
CREATE TABLE services (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    slug TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    properties TEXT NOT NULL,
    sealed_properties TEXT,
    push_events BOOLEAN NOT NULL,
    tag_push_events BOOLEAN NOT NULL,
    issues_events BOOLEAN NOT NULL,
    confidential_issues_events BOOLEAN NOT NULL,
    merge_requests_events BOOLEAN NOT NULL,
    note_events BOOLEAN NOT NULL,
    confidential_note_events BOOLEAN NOT NULL,
    pipeline_events BOOLEAN NOT NULL,
    wiki_page_events BOOLEAN NOT NULL,
    job_events BOOLEAN NOT NULL,
    commit_events BOOLEAN NOT NULL,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX services_slug ON services (project_id, slug);
