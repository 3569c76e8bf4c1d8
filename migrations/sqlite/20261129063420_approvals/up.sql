-- Approvals of merge requests, and the rules of projects about them.

-- A project without a row has the values of a new project.
CREATE TABLE approval_settings (
    project_id BIGINT PRIMARY KEY NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    reset_on_push BOOLEAN NOT NULL,
    author_may_approve BOOLEAN NOT NULL
);

CREATE TABLE approval_rules (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('any_approver', 'regular')),
    approvals_required BIGINT NOT NULL CHECK (approvals_required BETWEEN 0 AND 100)
);
CREATE UNIQUE INDEX approval_rules_name ON approval_rules (project_id, name);
CREATE UNIQUE INDEX approval_rules_any_approver ON approval_rules (project_id) WHERE kind = 'any_approver';

CREATE TABLE approval_rule_users (
    rule_id BIGINT NOT NULL REFERENCES approval_rules (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (rule_id, user_id)
);
CREATE INDEX approval_rule_users_user ON approval_rule_users (user_id);

CREATE TABLE approval_rule_groups (
    rule_id BIGINT NOT NULL REFERENCES approval_rules (id) ON DELETE CASCADE,
    group_id BIGINT NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
    PRIMARY KEY (rule_id, group_id)
);
CREATE INDEX approval_rule_groups_group ON approval_rule_groups (group_id);

-- The newest verdict of each reviewer.
CREATE TABLE merge_request_verdicts (
    issuable_id BIGINT NOT NULL REFERENCES merge_requests (issuable_id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    verdict TEXT NOT NULL CHECK (verdict IN ('approved', 'changes_requested')),
    created_at TIMESTAMP NOT NULL,
    PRIMARY KEY (issuable_id, user_id)
);
CREATE INDEX merge_request_verdicts_user ON merge_request_verdicts (user_id, issuable_id);
