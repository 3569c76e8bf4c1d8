-- Feature flags of projects, their strategies, and lists of users that strategies name.
CREATE TABLE feature_flags (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    description TEXT,
    active BOOLEAN NOT NULL,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX feature_flags_project_name ON feature_flags (project_id, name);
CREATE TABLE feature_flag_user_lists (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    iid BIGINT NOT NULL,
    name TEXT NOT NULL,
    user_xids TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX feature_flag_user_lists_project_iid ON feature_flag_user_lists (project_id, iid);
CREATE UNIQUE INDEX feature_flag_user_lists_project_name ON feature_flag_user_lists (project_id, name);
-- The parameters are an object of texts in JSON.
CREATE TABLE feature_flag_strategies (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    feature_flag_id BIGINT NOT NULL REFERENCES feature_flags (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    parameters TEXT NOT NULL,
    user_list_id BIGINT REFERENCES feature_flag_user_lists (id) ON DELETE CASCADE
);
CREATE INDEX feature_flag_strategies_flag ON feature_flag_strategies (feature_flag_id);
CREATE INDEX feature_flag_strategies_list ON feature_flag_strategies (user_list_id) WHERE user_list_id IS NOT NULL;
CREATE TABLE feature_flag_scopes (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    strategy_id BIGINT NOT NULL REFERENCES feature_flag_strategies (id) ON DELETE CASCADE,
    environment_scope TEXT NOT NULL
);
CREATE INDEX feature_flag_scopes_strategy ON feature_flag_scopes (strategy_id);
