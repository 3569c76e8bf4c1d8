-- Invitations by mail to projects and groups. Only the digest of a token is stored. The token is made when the mail is sent.
CREATE TABLE invitations (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    namespace_id BIGINT REFERENCES namespaces (id) ON DELETE CASCADE,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    email TEXT NOT NULL,
    access_level BIGINT NOT NULL CHECK (access_level IN (10, 20, 30, 40, 50)),
    expires_at DATE,
    inviter_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    digest TEXT,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    ends_at TIMESTAMP NOT NULL,
    CHECK ((namespace_id IS NULL) <> (project_id IS NULL))
);
CREATE UNIQUE INDEX invitations_namespace_email ON invitations (namespace_id, email);
CREATE UNIQUE INDEX invitations_project_email ON invitations (project_id, email);
CREATE UNIQUE INDEX invitations_digest ON invitations (digest);
CREATE INDEX invitations_inviter ON invitations (inviter_id);
CREATE INDEX invitations_end ON invitations (ends_at);
