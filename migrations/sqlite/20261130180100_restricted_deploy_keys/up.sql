-- A rule that has named users, groups or deploy keys for pushes holds for deploy keys, also after the last of these was deleted
-- and the cascade has removed its entries. So does a rule that admits no one to push.

ALTER TABLE protected_refs ADD COLUMN restricts_deploy_keys BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE protected_refs SET restricts_deploy_keys = TRUE
    WHERE EXISTS (
        SELECT 1 FROM protected_ref_entries
        WHERE protected_ref_id = protected_refs.id AND action = 'push' AND access_level IS NULL
    ) OR NOT EXISTS (
        SELECT 1 FROM protected_ref_entries
        WHERE protected_ref_id = protected_refs.id AND action = 'push' AND access_level <> 0
    );
