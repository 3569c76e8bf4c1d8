-- Requests of users to become members of projects and groups. One that was approved or denied is removed.
CREATE TABLE access_requests (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    namespace_id BIGINT REFERENCES namespaces (id) ON DELETE CASCADE,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    requested_at TIMESTAMP NOT NULL,
    CHECK ((namespace_id IS NULL) <> (project_id IS NULL))
);
CREATE UNIQUE INDEX access_requests_namespace_user ON access_requests (namespace_id, user_id);
CREATE UNIQUE INDEX access_requests_project_user ON access_requests (project_id, user_id);
CREATE INDEX access_requests_user ON access_requests (user_id);
