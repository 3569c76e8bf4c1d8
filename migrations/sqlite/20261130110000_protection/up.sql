-- Who may push to, merge into and unprotect protected branches, and who may create protected tags: one row each.
ALTER TABLE protected_refs ADD COLUMN allow_force_push BOOLEAN NOT NULL DEFAULT FALSE;

CREATE TABLE protected_ref_entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    protected_ref_id BIGINT NOT NULL REFERENCES protected_refs (id) ON DELETE CASCADE,
    -- The action. `push` is the creation of tags.
    action TEXT NOT NULL CHECK (action IN ('push', 'merge', 'unprotect')),
    access_level BIGINT CHECK (access_level IN (0, 30, 40)),
    user_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
    group_id BIGINT REFERENCES namespaces (id) ON DELETE CASCADE,
    deploy_key_id BIGINT REFERENCES deploy_keys (id) ON DELETE CASCADE,
    CHECK ((access_level IS NOT NULL) + (user_id IS NOT NULL) + (group_id IS NOT NULL) + (deploy_key_id IS NOT NULL) = 1)
);
CREATE INDEX protected_ref_entries_rule ON protected_ref_entries (protected_ref_id);
CREATE INDEX protected_ref_entries_user ON protected_ref_entries (user_id);
CREATE INDEX protected_ref_entries_group ON protected_ref_entries (group_id);
CREATE INDEX protected_ref_entries_deploy_key ON protected_ref_entries (deploy_key_id);

INSERT INTO protected_ref_entries (protected_ref_id, action, access_level)
    SELECT id, 'push', push_level FROM protected_refs ORDER BY id;
INSERT INTO protected_ref_entries (protected_ref_id, action, access_level)
    SELECT id, 'merge', merge_level FROM protected_refs WHERE kind = 'branch' ORDER BY id;
INSERT INTO protected_ref_entries (protected_ref_id, action, access_level)
    SELECT id, 'unprotect', 40 FROM protected_refs WHERE kind = 'branch' ORDER BY id;
ALTER TABLE protected_refs DROP COLUMN push_level;
ALTER TABLE protected_refs DROP COLUMN merge_level;
