-- Accounts.
CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    username TEXT NOT NULL,
    username_key TEXT NOT NULL,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    unconfirmed_email TEXT,
    password_digest TEXT,
    password_expired BOOLEAN NOT NULL DEFAULT FALSE,
    state TEXT NOT NULL CHECK (state IN ('active', 'blocked')),
    ghost BOOLEAN NOT NULL DEFAULT FALSE,
    admin BOOLEAN NOT NULL DEFAULT FALSE,
    external BOOLEAN NOT NULL DEFAULT FALSE,
    private_profile BOOLEAN NOT NULL DEFAULT FALSE,
    can_create_group BOOLEAN NOT NULL DEFAULT TRUE,
    projects_limit BIGINT NOT NULL CHECK (projects_limit >= 0),
    bio TEXT,
    location TEXT,
    organization TEXT,
    public_email TEXT NOT NULL DEFAULT '',
    messenger TEXT NOT NULL DEFAULT '',
    professional_network TEXT NOT NULL DEFAULT '',
    microblog TEXT NOT NULL DEFAULT '',
    website_url TEXT NOT NULL DEFAULT '',
    avatar TEXT,
    confirmed_at TIMESTAMP,
    last_sign_in_at TIMESTAMP,
    current_sign_in_at TIMESTAMP,
    last_activity_on DATE,
    deleting_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX users_username_key ON users (username_key);
CREATE UNIQUE INDEX users_email ON users (email);
CREATE INDEX users_last_activity_on ON users (last_activity_on, id);

CREATE TABLE user_statuses (
    user_id BIGINT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    emoji TEXT NOT NULL,
    message TEXT NOT NULL
);

CREATE TABLE identities (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    provider TEXT NOT NULL,
    extern_uid TEXT NOT NULL,
    extern_uid_key TEXT NOT NULL
);
CREATE UNIQUE INDEX identities_provider_extern_uid ON identities (provider, extern_uid_key);
CREATE UNIQUE INDEX identities_user_provider ON identities (user_id, provider);

-- Personal, impersonation and OAuth access tokens. Only digests identify; a sealed secret can be shown again.
CREATE TABLE tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('personal', 'impersonation', 'oauth')),
    name TEXT NOT NULL,
    description TEXT,
    scopes TEXT NOT NULL,
    digest TEXT NOT NULL,
    sealed_secret TEXT,
    revoked BOOLEAN NOT NULL DEFAULT FALSE,
    replaced_by_id BIGINT REFERENCES tokens (id) ON DELETE SET NULL,
    expires_at DATE,
    last_used_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX tokens_digest ON tokens (digest);
CREATE INDEX tokens_user ON tokens (user_id, kind, id);
CREATE INDEX tokens_replaced_by ON tokens (replaced_by_id);

CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    digest TEXT NOT NULL,
    csrf_digest TEXT NOT NULL,
    expires_at TIMESTAMP NOT NULL,
    created_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX sessions_digest ON sessions (digest);
CREATE INDEX sessions_user ON sessions (user_id);

-- Groups and the personal namespaces of users. A group's id is its namespace's id.
CREATE TABLE namespaces (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('user', 'group')),
    parent_id BIGINT REFERENCES namespaces (id),
    owner_id BIGINT REFERENCES users (id),
    name TEXT NOT NULL,
    path TEXT NOT NULL,
    full_path TEXT NOT NULL,
    full_name TEXT NOT NULL,
    visibility TEXT NOT NULL CHECK (visibility IN ('private', 'internal', 'public')),
    description TEXT NOT NULL DEFAULT '',
    avatar TEXT,
    lfs_enabled BOOLEAN NOT NULL DEFAULT TRUE,
    request_access_enabled BOOLEAN NOT NULL DEFAULT FALSE,
    share_with_group_lock BOOLEAN NOT NULL DEFAULT FALSE,
    deleting_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    CHECK ((kind = 'user') = (owner_id IS NOT NULL)),
    CHECK (kind = 'group' OR parent_id IS NULL)
);
CREATE UNIQUE INDEX namespaces_owner ON namespaces (owner_id);
CREATE INDEX namespaces_parent ON namespaces (parent_id, name, id);
CREATE INDEX namespaces_name ON namespaces (kind, name, id);

-- Every namespace with all that stand above it, itself included.
CREATE TABLE namespace_closure (
    ancestor_id BIGINT NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
    descendant_id BIGINT NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
    depth BIGINT NOT NULL,
    PRIMARY KEY (ancestor_id, descendant_id)
);
CREATE INDEX namespace_closure_descendant ON namespace_closure (descendant_id, ancestor_id);

CREATE TABLE projects (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    namespace_id BIGINT NOT NULL REFERENCES namespaces (id),
    creator_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    name TEXT NOT NULL,
    path TEXT NOT NULL,
    description TEXT,
    visibility TEXT NOT NULL CHECK (visibility IN ('private', 'internal', 'public')),
    archived BOOLEAN NOT NULL DEFAULT FALSE,
    default_branch TEXT,
    avatar TEXT,
    ci_config_path TEXT,
    merge_method TEXT NOT NULL DEFAULT 'merge' CHECK (merge_method IN ('merge', 'rebase_merge', 'ff')),
    forked_from_id BIGINT REFERENCES projects (id) ON DELETE SET NULL,
    sealed_import_url TEXT,
    import_status TEXT NOT NULL DEFAULT 'none'
        CHECK (import_status IN ('none', 'scheduled', 'started', 'finished', 'failed')),
    import_error TEXT,
    sealed_runners_token TEXT NOT NULL,
    star_count BIGINT NOT NULL DEFAULT 0,
    forks_count BIGINT NOT NULL DEFAULT 0,
    open_issues_count BIGINT NOT NULL DEFAULT 0,
    last_activity_at TIMESTAMP NOT NULL,
    deleting_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX projects_namespace_name ON projects (namespace_id, name);
CREATE INDEX projects_creator ON projects (creator_id);
CREATE INDEX projects_forked_from ON projects (forked_from_id);
CREATE INDEX projects_created_at ON projects (created_at, id);
CREATE INDEX projects_last_activity_at ON projects (last_activity_at, id);

CREATE TABLE project_features (
    project_id BIGINT PRIMARY KEY NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    issues_enabled BOOLEAN NOT NULL,
    merge_requests_enabled BOOLEAN NOT NULL,
    jobs_enabled BOOLEAN NOT NULL,
    wiki_enabled BOOLEAN NOT NULL,
    snippets_enabled BOOLEAN NOT NULL,
    container_registry_enabled BOOLEAN NOT NULL,
    shared_runners_enabled BOOLEAN NOT NULL,
    public_jobs BOOLEAN NOT NULL,
    lfs_enabled BOOLEAN NOT NULL,
    request_access_enabled BOOLEAN NOT NULL,
    resolve_outdated_diff_discussions BOOLEAN NOT NULL,
    only_allow_merge_if_pipeline_succeeds BOOLEAN NOT NULL,
    only_allow_merge_if_all_discussions_are_resolved BOOLEAN NOT NULL,
    printing_merge_request_link_enabled BOOLEAN NOT NULL
);

CREATE TABLE project_tags (
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    PRIMARY KEY (project_id, name)
);

-- One case-insensitive space of paths for users, groups and projects.
CREATE TABLE full_paths (
    path_key TEXT PRIMARY KEY NOT NULL,
    namespace_id BIGINT REFERENCES namespaces (id) ON DELETE CASCADE,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    CHECK ((namespace_id IS NULL) <> (project_id IS NULL))
);
CREATE UNIQUE INDEX full_paths_namespace ON full_paths (namespace_id);
CREATE UNIQUE INDEX full_paths_project ON full_paths (project_id);

CREATE TABLE members (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    namespace_id BIGINT REFERENCES namespaces (id) ON DELETE CASCADE,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    access_level BIGINT NOT NULL CHECK (access_level IN (10, 20, 30, 40, 50)),
    expires_at DATE,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    CHECK ((namespace_id IS NULL) <> (project_id IS NULL))
);
CREATE UNIQUE INDEX members_namespace_user ON members (namespace_id, user_id);
CREATE UNIQUE INDEX members_project_user ON members (project_id, user_id);
CREATE INDEX members_user ON members (user_id, namespace_id, project_id);

CREATE TABLE shares (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    namespace_id BIGINT REFERENCES namespaces (id) ON DELETE CASCADE,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    group_id BIGINT NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
    access_level BIGINT NOT NULL CHECK (access_level IN (10, 20, 30, 40, 50)),
    expires_at DATE,
    created_at TIMESTAMP NOT NULL,
    CHECK ((namespace_id IS NULL) <> (project_id IS NULL))
);
CREATE UNIQUE INDEX shares_namespace_group ON shares (namespace_id, group_id);
CREATE UNIQUE INDEX shares_project_group ON shares (project_id, group_id);
CREATE INDEX shares_group ON shares (group_id);

CREATE TABLE stars (
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at TIMESTAMP NOT NULL,
    PRIMARY KEY (project_id, user_id)
);
CREATE INDEX stars_user ON stars (user_id, project_id);

CREATE TABLE custom_attributes (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
    namespace_id BIGINT REFERENCES namespaces (id) ON DELETE CASCADE,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    value TEXT NOT NULL
);
CREATE UNIQUE INDEX custom_attributes_user ON custom_attributes (user_id, key);
CREATE UNIQUE INDEX custom_attributes_namespace ON custom_attributes (namespace_id, key);
CREATE UNIQUE INDEX custom_attributes_project ON custom_attributes (project_id, key);
CREATE INDEX custom_attributes_key ON custom_attributes (key, value);

CREATE TABLE hooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    url TEXT NOT NULL,
    sealed_token TEXT,
    push_events BOOLEAN NOT NULL,
    push_events_branch_filter TEXT,
    issues_events BOOLEAN NOT NULL,
    confidential_issues_events BOOLEAN NOT NULL,
    merge_requests_events BOOLEAN NOT NULL,
    tag_push_events BOOLEAN NOT NULL,
    note_events BOOLEAN NOT NULL,
    confidential_note_events BOOLEAN,
    job_events BOOLEAN NOT NULL,
    pipeline_events BOOLEAN NOT NULL,
    wiki_page_events BOOLEAN NOT NULL,
    enable_ssl_verification BOOLEAN NOT NULL,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE INDEX hooks_project ON hooks (project_id, id);

CREATE TABLE uploads (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    uploader_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    secret TEXT NOT NULL,
    file_name TEXT NOT NULL,
    size BIGINT NOT NULL,
    created_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX uploads_project_secret ON uploads (project_id, secret);
CREATE INDEX uploads_uploader ON uploads (uploader_id);

-- Application settings that differ from their defaults; values are JSON.
CREATE TABLE settings (
    name TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL,
    updated_at TIMESTAMP NOT NULL
);

-- The outbox: what happened, written with the change itself. Ids outlive what they name, hence no foreign keys.
CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    kind TEXT NOT NULL,
    actor_id BIGINT,
    user_id BIGINT,
    namespace_id BIGINT,
    project_id BIGINT,
    detail TEXT,
    relayed BOOLEAN NOT NULL DEFAULT FALSE,
    created_at TIMESTAMP NOT NULL
);
CREATE INDEX events_unrelayed ON events (id) WHERE NOT relayed;
CREATE INDEX events_project ON events (project_id, id);
CREATE INDEX events_actor ON events (actor_id, id);

-- The queue: a job is taken by moving its lease into the future, so that a crash gives it back.
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    dedup_key TEXT,
    run_at TIMESTAMP NOT NULL,
    attempts BIGINT NOT NULL DEFAULT 0,
    lease_until TIMESTAMP,
    dead BOOLEAN NOT NULL DEFAULT FALSE,
    last_error TEXT,
    created_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX jobs_dedup_key ON jobs (dedup_key) WHERE NOT dead;
CREATE INDEX jobs_due ON jobs (run_at, id) WHERE NOT dead;
