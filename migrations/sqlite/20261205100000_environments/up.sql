-- Environments: the places to which the code of a project is deployed.
CREATE TABLE environments (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    slug TEXT NOT NULL,
    tier TEXT NOT NULL,
    state TEXT NOT NULL,
    external_url TEXT,
    description TEXT,
    auto_stop TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX environments_project_name ON environments (project_id, name);
CREATE UNIQUE INDEX environments_project_slug ON environments (project_id, slug);
