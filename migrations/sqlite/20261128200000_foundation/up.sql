-- All tables of Tenon 0.1 in SQLite; migrations/postgres makes the same ones in PostgreSQL. This file stays as it is. A later
-- change is a migration of its own (`cargo xtask db new`).

-- Accounts ------------------------------------------------------------------------------------------------------------

-- The primary address is in `email`. Further ones are in `emails`.
CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    username TEXT NOT NULL,
    username_key TEXT NOT NULL,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    unconfirmed_email TEXT,
    password_digest TEXT,
    password_expired BOOLEAN NOT NULL DEFAULT FALSE,
    state TEXT NOT NULL
        CHECK (state IN ('active', 'blocked', 'deactivated', 'banned', 'blocked_pending_approval')),
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
CREATE INDEX users_listed ON users (id, state, ghost, external, deleting_at) WHERE deleting_at IS NULL;
-- Few accounts wait for approval.
CREATE INDEX users_pending ON users (id, created_at)
    WHERE state = 'blocked_pending_approval' AND deleting_at IS NULL;

-- Details that only the user's own page shows. A user who has given none has no row.
CREATE TABLE user_details (
    user_id BIGINT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    job_title TEXT NOT NULL,
    pronouns TEXT
);

CREATE TABLE user_statuses (
    user_id BIGINT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    emoji TEXT NOT NULL,
    message TEXT NOT NULL
);

-- How users want pages to be shown. A user who has chosen nothing has no row.
CREATE TABLE user_preferences (
    user_id BIGINT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    view_diffs_file_by_file BOOLEAN NOT NULL,
    show_whitespace_in_diffs BOOLEAN NOT NULL,
    pass_user_identities_to_ci_jwt BOOLEAN NOT NULL
);

-- The users whom a user follows.
CREATE TABLE user_follows (
    follower_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    followed_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at TIMESTAMP NOT NULL,
    PRIMARY KEY (follower_id, followed_id)
);
CREATE INDEX user_follows_followed ON user_follows (followed_id, follower_id);

-- Addresses beside the primary ones, which are in `users`. No address is in both tables: commands check that, and run
-- one after the other.
CREATE TABLE emails (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    email TEXT NOT NULL,
    confirmed_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX emails_email ON emails (email);
CREATE INDEX emails_user ON emails (user_id, id);

-- Links that confirm addresses. Only the digest of a token is stored. The token is made when the mail is sent.
CREATE TABLE email_confirmations (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    email TEXT NOT NULL,
    digest TEXT,
    created_at TIMESTAMP NOT NULL,
    expires_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX email_confirmations_digest ON email_confirmations (digest);
CREATE INDEX email_confirmations_user ON email_confirmations (user_id, expires_at);

-- Links by which users choose a new password, one for each user. Only the digest of a token is stored. The token is
-- made when the mail is sent. The row stays after its use, because it counts the mails.
CREATE TABLE password_resets (
    user_id BIGINT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    digest TEXT,
    asked_at TIMESTAMP NOT NULL,
    expires_at TIMESTAMP NOT NULL,
    counted_since TIMESTAMP NOT NULL,
    mails BIGINT NOT NULL
);
CREATE UNIQUE INDEX password_resets_digest ON password_resets (digest);

CREATE TABLE identities (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    provider TEXT NOT NULL,
    extern_uid TEXT NOT NULL,
    extern_uid_key TEXT NOT NULL
);
CREATE UNIQUE INDEX identities_provider_extern_uid ON identities (provider, extern_uid_key);
CREATE UNIQUE INDEX identities_user_provider ON identities (user_id, provider);

-- Users and the terms of service that they have accepted. `version` is the SHA-256 of the text.
CREATE TABLE terms_acceptances (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    version TEXT NOT NULL,
    accepted_at TIMESTAMP NOT NULL,
    PRIMARY KEY (user_id, version)
);

-- Signing in ----------------------------------------------------------------------------------------------------------

-- Sessions of browsers. The token against forged requests follows from the cookie and is not stored.
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- The session of the administrator who acts as the user in this one. It ends with that one; NULL in all others.
    impersonator_session_id BIGINT REFERENCES sessions (id) ON DELETE CASCADE,
    digest TEXT NOT NULL,
    address TEXT,
    user_agent TEXT,
    remembered BOOLEAN NOT NULL,
    awaits_second_factor BOOLEAN NOT NULL,
    created_at TIMESTAMP NOT NULL,
    last_used_at TIMESTAMP NOT NULL,
    expires_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX sessions_digest ON sessions (digest);
CREATE INDEX sessions_user ON sessions (user_id, last_used_at);
CREATE INDEX sessions_expires_at ON sessions (expires_at);
CREATE UNIQUE INDEX sessions_impersonator ON sessions (impersonator_session_id) WHERE impersonator_session_id IS NOT NULL;

-- Second factors. The secret is sealed. A factor without `enabled_at` is not confirmed yet and is not asked for.
-- `last_step` is the time step of the last code that was accepted: each code is good for one sign-in.
CREATE TABLE two_factors (
    user_id BIGINT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    secret TEXT NOT NULL,
    last_step BIGINT,
    enabled_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL
);

-- Digests of the unused codes for users who have lost their device.
CREATE TABLE recovery_codes (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    digest TEXT NOT NULL,
    PRIMARY KEY (user_id, digest)
);

-- Users who have to set up a second factor, and the time when they were first asked to.
CREATE TABLE two_factor_graces (
    user_id BIGINT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    began_at TIMESTAMP NOT NULL
);

-- Applications that act for users. Those that users register go with their accounts; one without an owner is the server's.
-- Secrets, codes and tokens of the following tables are known by their digests only.
CREATE TABLE oauth_applications (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    owner_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
    uid TEXT NOT NULL,
    secret_digest TEXT NOT NULL,
    name TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    scopes TEXT NOT NULL,
    confidential BOOLEAN NOT NULL,
    trusted BOOLEAN NOT NULL,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX oauth_applications_uid ON oauth_applications (uid);
CREATE INDEX oauth_applications_owner ON oauth_applications (owner_id, id);

-- Grants of applications. A grant without an application is that of a user who has signed in with a password. A grant
-- without a user is that of an application for itself, and `access_digest` is that of its token. A grant that begins
-- with a code keeps it, so that a second use is recognised.
CREATE TABLE oauth_grants (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    application_id BIGINT REFERENCES oauth_applications (id) ON DELETE CASCADE,
    user_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
    scopes TEXT NOT NULL,
    code_digest TEXT,
    code_used BOOLEAN NOT NULL DEFAULT FALSE,
    redirect_uri TEXT,
    code_challenge TEXT,
    code_challenge_method TEXT CHECK (code_challenge_method IN ('S256', 'plain')),
    nonce TEXT,
    family_digest TEXT,
    refresh_digest TEXT,
    -- The refresh tokens that were replaced within the last moments, the newest first, separated by spaces. Each is a
    -- digest, a colon, and the time in microseconds since 1970. If one of them is sent again, the grant goes on: two
    -- threads of one client may have sent it.
    replaced_refreshes TEXT NOT NULL DEFAULT '',
    access_digest TEXT,
    revoked BOOLEAN NOT NULL DEFAULT FALSE,
    expires_at TIMESTAMP NOT NULL,
    created_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX oauth_grants_code ON oauth_grants (code_digest);
CREATE UNIQUE INDEX oauth_grants_family ON oauth_grants (family_digest);
CREATE UNIQUE INDEX oauth_grants_access ON oauth_grants (access_digest);
CREATE INDEX oauth_grants_application ON oauth_grants (application_id, user_id, id);
CREATE INDEX oauth_grants_user ON oauth_grants (user_id, application_id, id);
CREATE INDEX oauth_grants_expiry ON oauth_grants (expires_at);

-- Requests of devices that have no browser (RFC 8628). The user enters the code of the device in a browser. The device
-- asks for its tokens with a secret of its own, of which only the digest is stored.
CREATE TABLE oauth_device_grants (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    application_id BIGINT NOT NULL REFERENCES oauth_applications (id) ON DELETE CASCADE,
    scopes TEXT NOT NULL,
    device_digest TEXT NOT NULL,
    user_code TEXT NOT NULL,
    user_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
    denied BOOLEAN NOT NULL DEFAULT FALSE,
    polled_at TIMESTAMP,
    expires_at TIMESTAMP NOT NULL,
    CHECK (user_id IS NULL OR NOT denied)
);
CREATE UNIQUE INDEX oauth_device_grants_digest ON oauth_device_grants (device_digest);
CREATE UNIQUE INDEX oauth_device_grants_user_code ON oauth_device_grants (user_code);
CREATE INDEX oauth_device_grants_application ON oauth_device_grants (application_id, expires_at);
CREATE INDEX oauth_device_grants_user ON oauth_device_grants (user_id);
CREATE INDEX oauth_device_grants_expiry ON oauth_device_grants (expires_at);

-- Personal, impersonation and OAuth access tokens. They are found by their digests. A sealed secret can be shown again.
CREATE TABLE tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    grant_id BIGINT REFERENCES oauth_grants (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('personal', 'impersonation', 'oauth')),
    name TEXT NOT NULL,
    description TEXT,
    scopes TEXT NOT NULL,
    digest TEXT NOT NULL,
    sealed_secret TEXT,
    revoked BOOLEAN NOT NULL DEFAULT FALSE,
    replaced_by_id BIGINT REFERENCES tokens (id) ON DELETE SET NULL,
    expires_at DATE,
    ends_at TIMESTAMP,
    last_used_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX tokens_digest ON tokens (digest);
CREATE INDEX tokens_user ON tokens (user_id, kind, id);
CREATE INDEX tokens_replaced_by ON tokens (replaced_by_id);
CREATE INDEX tokens_grant ON tokens (grant_id);
CREATE INDEX tokens_end ON tokens (ends_at);

CREATE TABLE ssh_keys (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    title TEXT NOT NULL,
    key_text TEXT NOT NULL,
    -- 32 hexadecimal digits.
    md5 TEXT NOT NULL,
    -- Base64 without padding.
    sha256 TEXT NOT NULL,
    usage_type TEXT NOT NULL CHECK (usage_type IN ('auth_and_signing', 'auth', 'signing')),
    expires_at TIMESTAMP,
    -- The last time when Git was used with the key. NULL if it never was.
    last_used_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX ssh_keys_md5 ON ssh_keys (md5);
CREATE UNIQUE INDEX ssh_keys_sha256 ON ssh_keys (sha256);
CREATE INDEX ssh_keys_user ON ssh_keys (user_id, id);

CREATE TABLE gpg_keys (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    key_text TEXT NOT NULL,
    -- Of the primary key, in hexadecimal, upper case.
    fingerprint TEXT NOT NULL,
    keyid TEXT NOT NULL,
    can_sign BOOLEAN NOT NULL,
    revoked BOOLEAN NOT NULL,
    expires_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX gpg_keys_fingerprint ON gpg_keys (fingerprint);
CREATE UNIQUE INDEX gpg_keys_keyid ON gpg_keys (keyid);
CREATE INDEX gpg_keys_user ON gpg_keys (user_id, id);

-- Only subkeys that may sign. Two keys may share one.
CREATE TABLE gpg_subkeys (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    gpg_key_id BIGINT NOT NULL REFERENCES gpg_keys (id) ON DELETE CASCADE,
    fingerprint TEXT NOT NULL,
    keyid TEXT NOT NULL,
    revoked BOOLEAN NOT NULL,
    expires_at TIMESTAMP
);
CREATE INDEX gpg_subkeys_key ON gpg_subkeys (gpg_key_id, id);
CREATE INDEX gpg_subkeys_keyid ON gpg_subkeys (keyid, id);

-- The people whom a key names.
CREATE TABLE gpg_user_ids (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    gpg_key_id BIGINT NOT NULL REFERENCES gpg_keys (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    email TEXT NOT NULL
);
CREATE INDEX gpg_user_ids_key ON gpg_user_ids (gpg_key_id, id);

-- Groups and projects -------------------------------------------------------------------------------------------------

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
    project_creation_level TEXT NOT NULL DEFAULT 'maintainer',
    subgroup_creation_level TEXT NOT NULL DEFAULT 'owner',
    require_two_factor_authentication BOOLEAN NOT NULL DEFAULT FALSE,
    two_factor_grace_period BIGINT NOT NULL DEFAULT 48,
    deleting_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    CHECK ((kind = 'user') = (owner_id IS NOT NULL)),
    CHECK (kind = 'group' OR parent_id IS NULL)
);
CREATE UNIQUE INDEX namespaces_owner ON namespaces (owner_id);
CREATE INDEX namespaces_parent ON namespaces (parent_id, name, id);
CREATE INDEX namespaces_name ON namespaces (kind, name, id);

-- Every namespace with all namespaces above it, itself included.
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
    -- The branch that becomes the default one of an empty repository when it is pushed.
    unborn_branch TEXT NOT NULL DEFAULT 'main',
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
-- These columns decide who sees a project: counts and conditions of access read the index, and not the wide rows.
-- SQLite answers from an index alone only if the column of its condition is in it.
CREATE INDEX projects_sight ON projects (visibility, namespace_id, id, deleting_at)
    WHERE deleting_at IS NULL;
CREATE INDEX projects_created_at ON projects (created_at, id, visibility, namespace_id, deleting_at)
    WHERE deleting_at IS NULL;
CREATE INDEX projects_last_activity_at ON projects (last_activity_at, id, visibility, namespace_id, deleting_at)
    WHERE deleting_at IS NULL;
CREATE INDEX projects_forked_from ON projects (forked_from_id) WHERE forked_from_id IS NOT NULL;

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

-- The paths that projects had before they moved: Git still finds them there, until something else takes the path.
CREATE TABLE former_paths (
    path_key TEXT PRIMARY KEY NOT NULL,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE
);
CREATE INDEX former_paths_project ON former_paths (project_id);

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

-- The bytes of all uploads of a project (uploader 0), and of each uploader. Quotas are checked at every upload.
-- Triggers keep the sums. Uploads of an account that is gone count for the project alone.
CREATE TABLE upload_totals (
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    uploader_id BIGINT NOT NULL,
    size BIGINT NOT NULL,
    PRIMARY KEY (project_id, uploader_id)
);

CREATE TRIGGER uploads_insert_totals AFTER INSERT ON uploads BEGIN
    INSERT INTO upload_totals (project_id, uploader_id, size) VALUES (NEW.project_id, 0, NEW.size)
        ON CONFLICT (project_id, uploader_id) DO UPDATE SET size = size + excluded.size;
    INSERT INTO upload_totals (project_id, uploader_id, size)
        SELECT NEW.project_id, NEW.uploader_id, NEW.size WHERE NEW.uploader_id IS NOT NULL
        ON CONFLICT (project_id, uploader_id) DO UPDATE SET size = size + excluded.size;
END;

CREATE TRIGGER uploads_delete_totals AFTER DELETE ON uploads BEGIN
    UPDATE upload_totals SET size = size - OLD.size
        WHERE project_id = OLD.project_id AND uploader_id IN (0, OLD.uploader_id);
END;

-- The uploads of a removed account go to another account, or to none. They count for their new account, and for the
-- project in either case.
CREATE TRIGGER uploads_update_totals AFTER UPDATE OF uploader_id ON uploads WHEN OLD.uploader_id IS NOT NEW.uploader_id BEGIN
    UPDATE upload_totals SET size = size - OLD.size
        WHERE project_id = OLD.project_id AND uploader_id = OLD.uploader_id;
    INSERT INTO upload_totals (project_id, uploader_id, size)
        SELECT NEW.project_id, NEW.uploader_id, NEW.size WHERE NEW.uploader_id IS NOT NULL
        ON CONFLICT (project_id, uploader_id) DO UPDATE SET size = size + excluded.size;
END;

-- Issues, and what merge requests share with them ---------------------------------------------------------------------

-- The last number given out, per owner and kind: an iid is never used twice.
CREATE TABLE iid_counters (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    namespace_id BIGINT REFERENCES namespaces (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('issue', 'merge_request', 'milestone')),
    last_iid BIGINT NOT NULL,
    CHECK ((namespace_id IS NULL) <> (project_id IS NULL))
);
CREATE UNIQUE INDEX iid_counters_project ON iid_counters (project_id, kind);
CREATE UNIQUE INDEX iid_counters_namespace ON iid_counters (namespace_id, kind);

CREATE TABLE labels (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    namespace_id BIGINT REFERENCES namespaces (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    color TEXT NOT NULL,
    description TEXT,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    CHECK ((namespace_id IS NULL) <> (project_id IS NULL))
);
CREATE INDEX labels_name ON labels (name, id);
-- Indexes of columns that are NULL in most rows are partial: otherwise SQLite does not use them.
CREATE UNIQUE INDEX labels_project_name ON labels (project_id, name) WHERE project_id IS NOT NULL;
CREATE UNIQUE INDEX labels_namespace_name ON labels (namespace_id, name) WHERE namespace_id IS NOT NULL;

CREATE TABLE label_priorities (
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    label_id BIGINT NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
    priority BIGINT NOT NULL CHECK (priority >= 0),
    PRIMARY KEY (project_id, label_id)
);
CREATE INDEX label_priorities_label ON label_priorities (label_id);

CREATE TABLE label_subscriptions (
    label_id BIGINT NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (label_id, user_id)
);
CREATE INDEX label_subscriptions_user ON label_subscriptions (user_id);

CREATE TABLE milestones (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    namespace_id BIGINT REFERENCES namespaces (id) ON DELETE CASCADE,
    iid BIGINT NOT NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL CHECK (state IN ('active', 'closed')),
    start_date DATE,
    due_date DATE,
    closed_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    CHECK ((namespace_id IS NULL) <> (project_id IS NULL))
);
CREATE INDEX milestones_title ON milestones (title, id);
CREATE UNIQUE INDEX milestones_project_iid ON milestones (project_id, iid) WHERE project_id IS NOT NULL;
CREATE UNIQUE INDEX milestones_project_title ON milestones (project_id, title) WHERE project_id IS NOT NULL;
CREATE UNIQUE INDEX milestones_namespace_iid ON milestones (namespace_id, iid) WHERE namespace_id IS NOT NULL;
CREATE UNIQUE INDEX milestones_namespace_title ON milestones (namespace_id, title) WHERE namespace_id IS NOT NULL;

-- Issues and merge requests. Deleted rows stay and are never found. Each order of a list has an index with the columns
-- of the usual filters, so that deep pages and counts read no row. SQLite answers from an index alone only if the
-- column of its condition is in it.
CREATE TABLE issuables (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('issue', 'merge_request')),
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    iid BIGINT NOT NULL,
    author_id BIGINT NOT NULL REFERENCES users (id),
    title TEXT NOT NULL,
    description TEXT,
    state TEXT NOT NULL CHECK (state IN ('opened', 'closed', 'merged', 'locked')),
    closed_at TIMESTAMP,
    closed_by_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    milestone_id BIGINT REFERENCES milestones (id) ON DELETE SET NULL,
    confidential BOOLEAN NOT NULL DEFAULT FALSE,
    discussion_locked BOOLEAN,
    due_date DATE,
    -- The day for which users were reminded that an issue is due. A later day is reminded of again.
    due_reminder DATE,
    time_estimate BIGINT NOT NULL DEFAULT 0 CHECK (time_estimate >= 0),
    total_time_spent BIGINT NOT NULL DEFAULT 0 CHECK (total_time_spent >= 0),
    user_notes_count BIGINT NOT NULL DEFAULT 0,
    upvotes BIGINT NOT NULL DEFAULT 0,
    downvotes BIGINT NOT NULL DEFAULT 0,
    moved_to_id BIGINT REFERENCES issuables (id) ON DELETE SET NULL,
    user_agent TEXT,
    ip_address TEXT,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    deleted_at TIMESTAMP
);
CREATE UNIQUE INDEX issuables_project_iid ON issuables (project_id, kind, iid);
CREATE INDEX issuables_author ON issuables (author_id, kind, created_at, id);
CREATE INDEX issuables_project_updated ON issuables (project_id, kind, updated_at, id, state, confidential, deleted_at)
    WHERE deleted_at IS NULL;
CREATE INDEX issuables_created ON issuables (kind, created_at, id, project_id, state, confidential, deleted_at)
    WHERE deleted_at IS NULL;
CREATE INDEX issuables_updated ON issuables (kind, updated_at, id, project_id, state, confidential, deleted_at)
    WHERE deleted_at IS NULL;
CREATE INDEX issuables_milestone ON issuables (milestone_id) WHERE milestone_id IS NOT NULL;
CREATE INDEX issuables_closed_by ON issuables (closed_by_id) WHERE closed_by_id IS NOT NULL;
CREATE INDEX issuables_moved_to ON issuables (moved_to_id) WHERE moved_to_id IS NOT NULL;
-- Lists by milestone are counted by the index alone.
CREATE INDEX issuables_project_created
    ON issuables (project_id, kind, created_at, id, state, confidential, milestone_id, deleted_at)
    WHERE deleted_at IS NULL;
CREATE INDEX issuables_due ON issuables (due_date, id) WHERE due_date IS NOT NULL AND deleted_at IS NULL;

-- Totals of lists without filters. Every write keeps them.
CREATE TABLE issuable_counts (
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    confidential BOOLEAN NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (project_id, kind, state, confidential)
);

CREATE TABLE issuable_labels (
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    label_id BIGINT NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
    PRIMARY KEY (issuable_id, label_id)
);
CREATE INDEX issuable_labels_label ON issuable_labels (label_id, issuable_id);

-- The number of issues and merge requests with a label, for lists of labels and totals of lists by one label. Triggers
-- keep it. Deleted ones are not counted. A row of `issuables` is removed only after it was marked as deleted, or with
-- its project and the counts of that.
CREATE TABLE label_counts (
    label_id BIGINT NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    confidential BOOLEAN NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (label_id, project_id, kind, state, confidential)
);
CREATE INDEX label_counts_project ON label_counts (project_id);

CREATE TRIGGER issuable_labels_insert_counts AFTER INSERT ON issuable_labels
BEGIN
    INSERT INTO label_counts (label_id, project_id, kind, state, confidential, count)
        SELECT NEW.label_id, project_id, kind, state, confidential, 1
        FROM issuables WHERE id = NEW.issuable_id AND deleted_at IS NULL
        ON CONFLICT (label_id, project_id, kind, state, confidential) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER issuable_labels_delete_counts AFTER DELETE ON issuable_labels
BEGIN
    UPDATE label_counts SET count = count - 1
        WHERE label_id = OLD.label_id AND (project_id, kind, state, confidential) =
            (SELECT project_id, kind, state, confidential
             FROM issuables WHERE id = OLD.issuable_id AND deleted_at IS NULL);
END;

CREATE TRIGGER issuables_update_counts_labels AFTER UPDATE OF state, confidential, deleted_at ON issuables
    WHEN OLD.state IS NOT NEW.state OR OLD.confidential IS NOT NEW.confidential OR OLD.deleted_at IS NOT NEW.deleted_at
BEGIN
    UPDATE label_counts SET count = count - 1
        WHERE OLD.deleted_at IS NULL
            AND label_id IN (SELECT label_id FROM issuable_labels WHERE issuable_id = OLD.id)
            AND project_id = OLD.project_id AND kind = OLD.kind AND state = OLD.state
            AND confidential = OLD.confidential;
    INSERT INTO label_counts (label_id, project_id, kind, state, confidential, count)
        SELECT label_id, NEW.project_id, NEW.kind, NEW.state, NEW.confidential, 1
        FROM issuable_labels WHERE issuable_id = NEW.id AND NEW.deleted_at IS NULL
        ON CONFLICT (label_id, project_id, kind, state, confidential) DO UPDATE SET count = count + 1;
END;

CREATE TABLE issuable_assignees (
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    PRIMARY KEY (issuable_id, user_id)
);
CREATE INDEX issuable_assignees_user ON issuable_assignees (user_id, issuable_id);

-- True if the user has subscribed, false if unsubscribed. Without a row, participation decides.
CREATE TABLE issuable_subscriptions (
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    subscribed BOOLEAN NOT NULL,
    PRIMARY KEY (issuable_id, user_id)
);
CREATE INDEX issuable_subscriptions_user ON issuable_subscriptions (user_id);

-- A discussion has no row of its own. Its notes have its id.
CREATE TABLE notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    author_id BIGINT NOT NULL REFERENCES users (id),
    discussion_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('note', 'discussion', 'diff')),
    system BOOLEAN NOT NULL DEFAULT FALSE,
    body TEXT NOT NULL,
    -- The issue or merge request that a system note names. The note is hidden from users who may not see that one.
    refers_to_id BIGINT REFERENCES issuables (id) ON DELETE CASCADE,
    -- The place of the note in a difference.
    position TEXT,
    resolved_at TIMESTAMP,
    resolved_by_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE INDEX notes_issuable_created ON notes (issuable_id, created_at, id);
CREATE INDEX notes_discussion ON notes (discussion_id, id);
CREATE INDEX notes_refers_to ON notes (refers_to_id);
CREATE INDEX notes_resolved_by ON notes (resolved_by_id);
-- Finds the system notes of an issue that name something, without reading all of its notes.
CREATE INDEX notes_naming ON notes (issuable_id, refers_to_id) WHERE refers_to_id IS NOT NULL;
-- Finds the comments of a user on an issue, without reading all of its notes.
CREATE INDEX notes_author ON notes (author_id, issuable_id);

-- Comments that only their authors see until they are published together.
CREATE TABLE draft_notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    author_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    body TEXT NOT NULL,
    -- The discussion that it answers. NULL if it begins one.
    discussion_id TEXT,
    position TEXT,
    -- True if the discussion that it answers is resolved with it.
    resolves BOOLEAN NOT NULL DEFAULT FALSE,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE INDEX draft_notes_author ON draft_notes (author_id, issuable_id, id);
CREATE INDEX draft_notes_issuable ON draft_notes (issuable_id);

-- Users who are named in the text of an issue or merge request itself, or of one of its notes.
CREATE TABLE mentions (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    note_id BIGINT REFERENCES notes (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE
);
CREATE INDEX mentions_issuable ON mentions (issuable_id, user_id);
CREATE INDEX mentions_note ON mentions (note_id);
CREATE INDEX mentions_user ON mentions (user_id);

CREATE TABLE award_emoji (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    note_id BIGINT REFERENCES notes (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id),
    name TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX award_emoji_issuable ON award_emoji (issuable_id, user_id, name) WHERE note_id IS NULL;
CREATE UNIQUE INDEX award_emoji_note ON award_emoji (note_id, user_id, name);
CREATE INDEX award_emoji_of_issuable ON award_emoji (issuable_id, note_id, id);
CREATE INDEX award_emoji_user ON award_emoji (user_id, name, issuable_id);

CREATE TABLE timelogs (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    user_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    seconds BIGINT NOT NULL,
    created_at TIMESTAMP NOT NULL
);
CREATE INDEX timelogs_issuable ON timelogs (issuable_id, id);
CREATE INDEX timelogs_user ON timelogs (user_id);

-- Changes of labels, milestone and state that clients read one by one.
CREATE TABLE resource_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    user_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    kind TEXT NOT NULL CHECK (kind IN ('label', 'milestone', 'state')),
    action TEXT NOT NULL,
    label_id BIGINT REFERENCES labels (id) ON DELETE SET NULL,
    milestone_id BIGINT REFERENCES milestones (id) ON DELETE SET NULL,
    created_at TIMESTAMP NOT NULL
);
CREATE INDEX resource_events_issuable ON resource_events (issuable_id, kind, id);
CREATE INDEX resource_events_user ON resource_events (user_id);
CREATE INDEX resource_events_label ON resource_events (label_id);
CREATE INDEX resource_events_milestone ON resource_events (milestone_id);

CREATE TABLE todos (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    author_id BIGINT NOT NULL REFERENCES users (id),
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    note_id BIGINT REFERENCES notes (id) ON DELETE SET NULL,
    action TEXT NOT NULL,
    done BOOLEAN NOT NULL DEFAULT FALSE,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE INDEX todos_user ON todos (user_id, done, id);
CREATE INDEX todos_author ON todos (author_id);
CREATE INDEX todos_issuable ON todos (issuable_id, user_id, done);
CREATE INDEX todos_note ON todos (note_id);

CREATE TABLE issue_links (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    source_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    target_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('relates_to', 'blocks')),
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    CHECK (source_id <> target_id)
);
CREATE UNIQUE INDEX issue_links_pair ON issue_links (source_id, target_id);
CREATE INDEX issue_links_target ON issue_links (target_id);

-- Merge requests ------------------------------------------------------------------------------------------------------

-- The columns that only merge requests have.
CREATE TABLE merge_requests (
    issuable_id BIGINT PRIMARY KEY NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    source_project_id BIGINT REFERENCES projects (id) ON DELETE SET NULL,
    source_branch TEXT NOT NULL,
    target_branch TEXT NOT NULL,
    draft BOOLEAN NOT NULL,
    squash BOOLEAN NOT NULL,
    force_remove_source_branch BOOLEAN NOT NULL,
    should_remove_source_branch BOOLEAN,
    allow_collaboration BOOLEAN NOT NULL,
    merge_status TEXT NOT NULL CHECK (merge_status IN ('unchecked', 'can_be_merged', 'cannot_be_merged')),
    merge_error TEXT,
    -- The newest version.
    base_sha TEXT,
    start_sha TEXT,
    head_sha TEXT,
    commits_count BIGINT NOT NULL DEFAULT 0,
    changes_count BIGINT NOT NULL DEFAULT 0,
    overflow BOOLEAN NOT NULL DEFAULT FALSE,
    -- A merge that waits for the pipeline.
    auto_merge_by_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    auto_merge_message TEXT,
    auto_merge_squash_message TEXT,
    -- A merge that has happened.
    merged_at TIMESTAMP,
    merged_by_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    merge_commit_sha TEXT,
    squash_commit_sha TEXT
);
CREATE INDEX merge_requests_source ON merge_requests (source_project_id, source_branch);
CREATE INDEX merge_requests_target_branch ON merge_requests (target_branch, issuable_id);
CREATE INDEX merge_requests_source_branch ON merge_requests (source_branch, issuable_id);
CREATE INDEX merge_requests_merged_by ON merge_requests (merged_by_id);
CREATE INDEX merge_requests_auto_merge_by ON merge_requests (auto_merge_by_id);
-- The merge request of a commit is found by the name of the commit.
CREATE INDEX merge_requests_merge_commit ON merge_requests (merge_commit_sha);
CREATE INDEX merge_requests_squash_commit ON merge_requests (squash_commit_sha);

CREATE TABLE merge_request_versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    issuable_id BIGINT NOT NULL REFERENCES merge_requests (issuable_id) ON DELETE CASCADE,
    base_sha TEXT NOT NULL,
    start_sha TEXT NOT NULL,
    head_sha TEXT NOT NULL,
    commits_count BIGINT NOT NULL,
    changes_count BIGINT NOT NULL,
    overflow BOOLEAN NOT NULL,
    -- NULL if there is no patch, or one that is too large.
    patch_id_sha TEXT,
    created_at TIMESTAMP NOT NULL
);
CREATE INDEX merge_request_versions_issuable ON merge_request_versions (issuable_id, id);

CREATE TABLE merge_request_reviewers (
    issuable_id BIGINT NOT NULL REFERENCES merge_requests (issuable_id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    PRIMARY KEY (issuable_id, user_id)
);
CREATE INDEX merge_request_reviewers_user ON merge_request_reviewers (user_id, issuable_id);

-- Files of a merge request that a user has viewed, as long as their changes have this digest.
CREATE TABLE viewed_files (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    digest TEXT NOT NULL,
    PRIMARY KEY (user_id, issuable_id, path)
);
CREATE INDEX viewed_files_issuable ON viewed_files (issuable_id);

-- The version of a merge request up to which a user has seen its changes.
CREATE TABLE seen_versions (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    version_id BIGINT NOT NULL REFERENCES merge_request_versions (id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, issuable_id)
);
CREATE INDEX seen_versions_issuable ON seen_versions (issuable_id);
CREATE INDEX seen_versions_version ON seen_versions (version_id);

-- Merges that are under way. A row is written before the branch moves, and removed when the merge is done or given up.
CREATE TABLE merge_intents (
    issuable_id BIGINT PRIMARY KEY NOT NULL REFERENCES merge_requests (issuable_id) ON DELETE CASCADE,
    -- No reference: a merge that has begun is finished even if the account is removed.
    user_id BIGINT NOT NULL,
    target_sha TEXT NOT NULL,
    source_sha TEXT NOT NULL,
    tip_sha TEXT NOT NULL,
    merge_commit_sha TEXT,
    squash_commit_sha TEXT,
    remove_source_branch BOOLEAN NOT NULL,
    created_at TIMESTAMP NOT NULL
);

-- The names of the issues that a merge request closes. The issue of a name is found when it is asked for, because
-- issues come, go and move after the text was written. An address is `project:7` for an issue of the same project
-- (`#1`), `namespace:5/tool` for one of a project beside it (`tool#1`), or the key of a full path.
CREATE TABLE merge_request_closing_names (
    issuable_id BIGINT NOT NULL REFERENCES merge_requests (issuable_id) ON DELETE CASCADE,
    -- The project of the merge request.
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    address TEXT NOT NULL,
    iid BIGINT NOT NULL,
    -- True if a commit names the issue, false if the title or description does.
    by_commit BOOLEAN NOT NULL,
    PRIMARY KEY (issuable_id, address, iid, by_commit)
);
CREATE INDEX merge_request_closing_names_address ON merge_request_closing_names (iid, address, issuable_id);
CREATE INDEX merge_request_closing_names_project ON merge_request_closing_names (project_id);

-- The merge requests that close an issue. An issue of the project from which that of the merge request was forked is
-- not closed. Queries give the issue: the condition on the kind is written so that no index of it is used.
CREATE VIEW merge_request_closes (issuable_id, issue_id, by_commit) AS
    SELECT n.issuable_id, i.id, n.by_commit
    FROM issuables i
    JOIN projects p ON p.id = i.project_id
    JOIN full_paths f ON f.project_id = p.id
    JOIN merge_request_closing_names n ON n.iid = i.iid AND n.address IN (
        'project:' || i.project_id, 'namespace:' || p.namespace_id || '/' || lower(p.path), f.path_key
    )
    JOIN projects h ON h.id = n.project_id
    WHERE i.kind || '' = 'issue' AND i.deleted_at IS NULL AND h.forked_from_id IS DISTINCT FROM i.project_id;

-- A project that moves has other projects beside it.
CREATE TRIGGER projects_move_closing_names AFTER UPDATE OF namespace_id ON projects
WHEN OLD.namespace_id IS NOT NEW.namespace_id BEGIN
    UPDATE merge_request_closing_names
        SET address = 'namespace:' || NEW.namespace_id || substr(address, instr(address, '/'))
        WHERE project_id = NEW.id AND address LIKE 'namespace:%';
END;

-- The index of words (docs/adr/0010) ----------------------------------------------------------------------------------

-- The words of titles and descriptions, without the texts. crates/domain/src/search/words.rs defines a word. `place`
-- holds one word, made of the kind and the project.
CREATE VIRTUAL TABLE issuable_search USING fts5 (
    place, title, description, tokenize = 'ascii', detail = 'column', content = '', contentless_delete = 1
);

-- If a row goes with its project, its entry goes too.
CREATE TRIGGER issuables_delete_words AFTER DELETE ON issuables
BEGIN
    DELETE FROM issuable_search WHERE rowid = OLD.id;
END;

-- All words. A part of a word is looked up here first.
CREATE TABLE issuable_search_words (
    id INTEGER PRIMARY KEY NOT NULL,
    word TEXT NOT NULL UNIQUE
);

CREATE VIRTUAL TABLE issuable_search_parts USING fts5 (
    word, tokenize = 'trigram case_sensitive 1', detail = 'none', columnsize = 0,
    content = 'issuable_search_words', content_rowid = 'id'
);

CREATE TRIGGER issuable_search_words_insert_parts AFTER INSERT ON issuable_search_words
BEGIN
    INSERT INTO issuable_search_parts (rowid, word) VALUES (NEW.id, NEW.word);
END;

CREATE VIRTUAL TABLE issuable_search_terms USING fts5vocab (issuable_search, col);

-- Repositories --------------------------------------------------------------------------------------------------------

-- The refs as the server has last seen them, so that lists need not ask Git. A reconciler makes them agree with the
-- repository.
CREATE TABLE refs (
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    oid TEXT NOT NULL,
    PRIMARY KEY (project_id, name)
);

CREATE TABLE repository_facts (
    project_id BIGINT PRIMARY KEY NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    commit_count BIGINT NOT NULL DEFAULT 0,
    repository_size BIGINT NOT NULL DEFAULT 0,
    readme_path TEXT,
    languages TEXT NOT NULL DEFAULT '[]',
    -- The licence on the default branch: its file, and its key if it is a known one.
    license_path TEXT,
    license_key TEXT,
    updated_at TIMESTAMP NOT NULL
);

-- The issues that a commit has mentioned or closed, each once, and the system note about that.
CREATE TABLE commit_references (
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    sha TEXT NOT NULL,
    closes BOOLEAN NOT NULL,
    note_id BIGINT REFERENCES notes (id) ON DELETE SET NULL,
    PRIMARY KEY (issuable_id, project_id, sha, closes)
);
CREATE INDEX commit_references_project ON commit_references (project_id);
CREATE INDEX commit_references_note ON commit_references (note_id);

CREATE TABLE protected_refs (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('branch', 'tag')),
    name TEXT NOT NULL,
    push_level BIGINT NOT NULL CHECK (push_level IN (0, 30, 40)),
    merge_level BIGINT NOT NULL CHECK (merge_level IN (0, 30, 40)),
    created_at TIMESTAMP NOT NULL,
    -- The time when the levels were changed. NULL if they are as they were made.
    updated_at TIMESTAMP
);
CREATE UNIQUE INDEX protected_refs_name ON protected_refs (project_id, kind, name);

CREATE TABLE deploy_keys (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    -- The user who has added it. NULL if that account is gone.
    user_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    title TEXT NOT NULL,
    key_text TEXT NOT NULL,
    -- 32 hexadecimal digits.
    md5 TEXT NOT NULL,
    -- Base64 without padding.
    sha256 TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX deploy_keys_md5 ON deploy_keys (md5);
CREATE UNIQUE INDEX deploy_keys_sha256 ON deploy_keys (sha256);
CREATE INDEX deploy_keys_user ON deploy_keys (user_id);

CREATE TABLE deploy_keys_projects (
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    deploy_key_id BIGINT NOT NULL REFERENCES deploy_keys (id) ON DELETE CASCADE,
    can_push BOOLEAN NOT NULL,
    PRIMARY KEY (project_id, deploy_key_id)
);
CREATE INDEX deploy_keys_projects_key ON deploy_keys_projects (deploy_key_id);

-- A key without a project is removed, whatever has removed the last one.
CREATE TRIGGER deploy_keys_projects_last AFTER DELETE ON deploy_keys_projects
BEGIN
    DELETE FROM deploy_keys
    WHERE id = OLD.deploy_key_id
        AND NOT EXISTS (SELECT 1 FROM deploy_keys_projects WHERE deploy_key_id = OLD.deploy_key_id);
END;

CREATE TABLE commit_comments (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    sha TEXT NOT NULL,
    author_id BIGINT NOT NULL REFERENCES users (id),
    note TEXT NOT NULL,
    path TEXT,
    line BIGINT,
    line_type TEXT CHECK (line_type IN ('new', 'old')),
    created_at TIMESTAMP NOT NULL
);
CREATE INDEX commit_comments_project ON commit_comments (project_id, sha, id);
CREATE INDEX commit_comments_author ON commit_comments (author_id);

CREATE TABLE pipelines (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    user_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    sha TEXT NOT NULL,
    ref TEXT NOT NULL,
    tag BOOLEAN NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'success', 'failed', 'canceled', 'skipped')),
    started_at TIMESTAMP,
    finished_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE INDEX pipelines_project ON pipelines (project_id, id);
CREATE INDEX pipelines_sha ON pipelines (project_id, sha, ref, id);
CREATE INDEX pipelines_user ON pipelines (user_id);

CREATE TABLE commit_statuses (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    pipeline_id BIGINT NOT NULL REFERENCES pipelines (id) ON DELETE CASCADE,
    author_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'success', 'failed', 'canceled', 'skipped')),
    target_url TEXT,
    description TEXT,
    coverage TEXT,
    -- True if a later status of the same name has taken its place.
    retried BOOLEAN NOT NULL DEFAULT FALSE,
    started_at TIMESTAMP,
    finished_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL
);
CREATE INDEX commit_statuses_pipeline ON commit_statuses (pipeline_id, id);
CREATE INDEX commit_statuses_author ON commit_statuses (author_id);

-- The release notes of a tag are its release.
CREATE TABLE releases (
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    tag_name TEXT NOT NULL,
    -- NULL if the release has the name of its tag.
    name TEXT,
    description TEXT NOT NULL,
    released_at TIMESTAMP NOT NULL,
    author_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    PRIMARY KEY (project_id, tag_name)
);
CREATE INDEX releases_released ON releases (project_id, released_at, tag_name);
CREATE INDEX releases_author ON releases (author_id);

CREATE TABLE release_links (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    tag_name TEXT NOT NULL,
    name TEXT NOT NULL,
    url TEXT NOT NULL,
    filepath TEXT,
    link_type TEXT NOT NULL CHECK (link_type IN ('other', 'runbook', 'package', 'image')),
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    FOREIGN KEY (project_id, tag_name) REFERENCES releases (project_id, tag_name) ON DELETE CASCADE
);
CREATE UNIQUE INDEX release_links_name ON release_links (project_id, tag_name, name);
CREATE UNIQUE INDEX release_links_url ON release_links (project_id, tag_name, url);
CREATE UNIQUE INDEX release_links_filepath ON release_links (project_id, tag_name, filepath);

CREATE TABLE release_milestones (
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    tag_name TEXT NOT NULL,
    milestone_id BIGINT NOT NULL REFERENCES milestones (id) ON DELETE CASCADE,
    PRIMARY KEY (project_id, tag_name, milestone_id),
    FOREIGN KEY (project_id, tag_name) REFERENCES releases (project_id, tag_name) ON DELETE CASCADE
);
CREATE INDEX release_milestones_milestone ON release_milestones (milestone_id);

-- Services and hooks --------------------------------------------------------------------------------------------------

-- Services to which projects are connected. The properties are JSON objects. Secret ones are in an object of their own,
-- which is encrypted.
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

-- Digests of the addresses that want no more mail of a service.
CREATE TABLE service_suppressions (
    service_id BIGINT NOT NULL REFERENCES services (id) ON DELETE CASCADE,
    address_digest TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    PRIMARY KEY (service_id, address_digest)
);

-- Hooks without a project are those of the whole server.
CREATE TABLE hooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    -- A service that receives events has a hook, which only the service shows.
    service_id BIGINT REFERENCES services (id) ON DELETE CASCADE,
    name TEXT NOT NULL DEFAULT '',
    description TEXT NOT NULL DEFAULT '',
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
    repository_update_events BOOLEAN NOT NULL DEFAULT FALSE,
    enable_ssl_verification BOOLEAN NOT NULL,
    -- The number of attempts in a row without an answer, their beginning, and the end of the pause that follows.
    unanswered BIGINT NOT NULL DEFAULT 0,
    failing_since TIMESTAMP,
    paused_until TIMESTAMP,
    -- True if users know that the hook fails. False again after a delivery that succeeds.
    failure_announced BOOLEAN NOT NULL DEFAULT FALSE,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE INDEX hooks_project ON hooks (project_id, id);
CREATE UNIQUE INDEX hooks_service ON hooks (service_id) WHERE service_id IS NOT NULL;

-- Events for hooks. `captured` is the state at the time of the event. `body` is made of it once, and is the same for
-- all receivers and attempts. There is no reference to the project, because its deletion is an event too.
CREATE TABLE hook_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT,
    actor_id BIGINT,
    hook_trigger TEXT NOT NULL,
    uuid TEXT NOT NULL,
    captured TEXT NOT NULL,
    body TEXT,
    -- The size of the body.
    bytes BIGINT NOT NULL DEFAULT 0,
    created_at TIMESTAMP NOT NULL
);
CREATE INDEX hook_events_unrendered ON hook_events (project_id, id) WHERE body IS NULL;
CREATE INDEX hook_events_created ON hook_events (created_at);
-- The events of a project that are removed to make room for others, the oldest first.
CREATE INDEX hook_events_rendered ON hook_events (project_id, id) WHERE body IS NOT NULL;

-- The sizes of the bodies of all events of a project. Project 0 stands for the whole server.
CREATE TABLE hook_event_bytes (
    project_id BIGINT PRIMARY KEY NOT NULL,
    bytes BIGINT NOT NULL
);

-- An event on its way to one hook, with the last attempt to send it.
CREATE TABLE hook_deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    hook_id BIGINT NOT NULL REFERENCES hooks (id) ON DELETE CASCADE,
    event_id BIGINT NOT NULL REFERENCES hook_events (id) ON DELETE CASCADE,
    uuid TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'retrying', 'delivered', 'parked')),
    attempts BIGINT NOT NULL DEFAULT 0,
    url TEXT NOT NULL DEFAULT '',
    request_headers TEXT NOT NULL DEFAULT '{}',
    response_status BIGINT,
    response_headers TEXT NOT NULL DEFAULT '{}',
    response_body TEXT NOT NULL DEFAULT '',
    duration_micros BIGINT NOT NULL DEFAULT 0,
    error TEXT,
    attempted_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX hook_deliveries_event ON hook_deliveries (event_id, hook_id);
CREATE INDEX hook_deliveries_hook ON hook_deliveries (hook_id, id);
CREATE INDEX hook_deliveries_waiting ON hook_deliveries (hook_id, id) WHERE state = 'waiting';
CREATE INDEX hook_deliveries_retrying ON hook_deliveries (attempted_at, id) WHERE state = 'retrying';

-- The server ----------------------------------------------------------------------------------------------------------

-- Application settings that differ from their defaults. Values are JSON.
CREATE TABLE settings (
    name TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL,
    updated_at TIMESTAMP NOT NULL
);

-- Messages of administrators to all users. The access levels are numbers, separated by commas.
CREATE TABLE broadcast_messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    message TEXT NOT NULL,
    starts_at TIMESTAMP NOT NULL,
    ends_at TIMESTAMP NOT NULL,
    color TEXT NOT NULL,
    font TEXT NOT NULL,
    target_access_levels TEXT NOT NULL,
    target_path TEXT NOT NULL,
    broadcast_type TEXT NOT NULL CHECK (broadcast_type IN ('banner', 'notification')),
    dismissable BOOLEAN NOT NULL,
    theme TEXT NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE INDEX broadcast_messages_end ON broadcast_messages (ends_at);

-- The events about which users want mail: in general (neither a group nor a project), for a group, or for a project.
CREATE TABLE notification_settings (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    namespace_id BIGINT REFERENCES namespaces (id) ON DELETE CASCADE,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    level TEXT NOT NULL CHECK (level IN ('disabled', 'participating', 'watch', 'global', 'mention', 'custom')),
    -- One bit for each event of the level custom.
    events BIGINT NOT NULL,
    -- The address for mail. NULL if it is the primary one.
    email TEXT CHECK (email IS NULL OR (namespace_id IS NULL AND project_id IS NULL)),
    updated_at TIMESTAMP NOT NULL,
    CHECK (namespace_id IS NULL OR project_id IS NULL)
);
CREATE UNIQUE INDEX notification_settings_global ON notification_settings (user_id)
    WHERE namespace_id IS NULL AND project_id IS NULL;
CREATE UNIQUE INDEX notification_settings_group ON notification_settings (namespace_id, user_id)
    WHERE namespace_id IS NOT NULL;
CREATE UNIQUE INDEX notification_settings_project ON notification_settings (project_id, user_id)
    WHERE project_id IS NOT NULL;
CREATE INDEX notification_settings_user ON notification_settings (user_id);

-- Mails counted by the hour, for the user who has caused them and the service that sends them. Service 0 stands for
-- mails to users. There are no references, because mails stay counted when a project or an account is gone.
CREATE TABLE mail_counts (
    user_id BIGINT NOT NULL,
    service_id BIGINT NOT NULL,
    counted_from TIMESTAMP NOT NULL,
    sent BIGINT NOT NULL,
    dropped BIGINT NOT NULL,
    PRIMARY KEY (user_id, service_id, counted_from)
);
CREATE INDEX mail_counts_service ON mail_counts (service_id, counted_from);
CREATE INDEX mail_counts_age ON mail_counts (counted_from);

-- The outbox: events, written with the change itself. There are no references, because events outlive the rows that
-- they name.
CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    kind TEXT NOT NULL,
    actor_id BIGINT,
    user_id BIGINT,
    namespace_id BIGINT,
    project_id BIGINT,
    -- Contributions name these.
    issuable_id BIGINT,
    note_id BIGINT,
    milestone_id BIGINT,
    detail TEXT,
    relayed BOOLEAN NOT NULL DEFAULT FALSE,
    created_at TIMESTAMP NOT NULL
);
CREATE INDEX events_unrelayed ON events (id) WHERE NOT relayed;
CREATE INDEX events_project ON events (project_id, id);
CREATE INDEX events_actor ON events (actor_id, id);
CREATE INDEX events_issuable ON events (issuable_id);

-- The queues. A runner takes a job by moving its lease into the future, so that a crash gives the job back. Each queue
-- has runners of its own, so that a slow kind of work keeps no other waiting.
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    kind TEXT NOT NULL,
    queue TEXT NOT NULL DEFAULT 'short',
    -- The user for whom the job runs. One user may have only so many at once.
    user_id BIGINT,
    payload TEXT NOT NULL,
    dedup_key TEXT,
    run_at TIMESTAMP NOT NULL,
    -- If a job is asked for while it runs, it runs once more, from this moment on.
    again_at TIMESTAMP,
    -- True if the job may be claimed now. Other jobs are claimed, given up, or become ready at their time.
    ready BOOLEAN NOT NULL DEFAULT FALSE,
    -- The number of the last claim, by which a runner proves that it holds the job. A job is given up by the number of
    -- its failures, or of the processes that ended while it ran.
    claims BIGINT NOT NULL DEFAULT 0,
    failures BIGINT NOT NULL DEFAULT 0,
    deaths BIGINT NOT NULL DEFAULT 0,
    lease_until TIMESTAMP,
    dead BOOLEAN NOT NULL DEFAULT FALSE,
    last_error TEXT,
    created_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX jobs_dedup_key ON jobs (dedup_key) WHERE NOT dead;
-- Users take turns. The jobs of the next user are found in one step, however many the one before has.
CREATE INDEX jobs_ready ON jobs (queue, user_id, run_at, id) WHERE ready;
CREATE INDEX jobs_scheduled ON jobs (queue, run_at, id) WHERE NOT ready AND NOT dead AND lease_until IS NULL;
CREATE INDEX jobs_leased ON jobs (queue, lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX jobs_dead ON jobs (id) WHERE dead;

-- Who may see what ----------------------------------------------------------------------------------------------------

-- A number that is drawn anew with every change of the tables that decide who may see what. Answers from these tables
-- hold as long as the number stays the same (crates/storage/src/cache/access_cache.rs). Triggers draw it, so that no
-- write can forget it.
CREATE TABLE access_revision (
    id BIGINT PRIMARY KEY NOT NULL CHECK (id = 1),
    value BIGINT NOT NULL
);
INSERT INTO access_revision (id, value) VALUES (1, random());

CREATE TRIGGER members_insert_changes_access AFTER INSERT ON members
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER members_update_changes_access AFTER UPDATE ON members
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER members_delete_changes_access AFTER DELETE ON members
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER shares_insert_changes_access AFTER INSERT ON shares
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER shares_update_changes_access AFTER UPDATE ON shares
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER shares_delete_changes_access AFTER DELETE ON shares
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER namespace_closure_insert_changes_access AFTER INSERT ON namespace_closure
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER namespace_closure_update_changes_access AFTER UPDATE ON namespace_closure
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER namespace_closure_delete_changes_access AFTER DELETE ON namespace_closure
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER namespaces_insert_changes_access AFTER INSERT ON namespaces
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER namespaces_update_changes_access AFTER UPDATE OF owner_id ON namespaces
    WHEN OLD.owner_id IS NOT NEW.owner_id
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER namespaces_delete_changes_access AFTER DELETE ON namespaces
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER projects_insert_changes_access AFTER INSERT ON projects
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER projects_update_changes_access AFTER UPDATE OF namespace_id, visibility, deleting_at ON projects
    WHEN OLD.namespace_id IS NOT NEW.namespace_id OR OLD.visibility IS NOT NEW.visibility
        OR OLD.deleting_at IS NOT NEW.deleting_at
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER projects_delete_changes_access AFTER DELETE ON projects
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER project_features_insert_changes_access AFTER INSERT ON project_features
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER project_features_update_changes_access AFTER UPDATE OF issues_enabled, merge_requests_enabled ON project_features
    WHEN OLD.issues_enabled IS NOT NEW.issues_enabled OR OLD.merge_requests_enabled IS NOT NEW.merge_requests_enabled
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER project_features_delete_changes_access AFTER DELETE ON project_features
BEGIN
    UPDATE access_revision SET value = random();
END;

-- Settings and broadcast messages are kept in memory by this revision as well.
CREATE TRIGGER settings_insert_changes_access AFTER INSERT ON settings
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER settings_update_changes_access AFTER UPDATE ON settings
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER settings_delete_changes_access AFTER DELETE ON settings
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER broadcast_messages_insert_changes_access AFTER INSERT ON broadcast_messages
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER broadcast_messages_update_changes_access AFTER UPDATE ON broadcast_messages
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER broadcast_messages_delete_changes_access AFTER DELETE ON broadcast_messages
BEGIN
    UPDATE access_revision SET value = random();
END;
