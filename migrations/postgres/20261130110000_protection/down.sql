-- The highest level of an action stays. Users, groups and deploy keys are lost.
ALTER TABLE protected_refs ADD COLUMN push_level BIGINT NOT NULL DEFAULT 40 CHECK (push_level IN (0, 30, 40));
ALTER TABLE protected_refs ADD COLUMN merge_level BIGINT NOT NULL DEFAULT 40 CHECK (merge_level IN (0, 30, 40));
UPDATE protected_refs SET push_level = COALESCE((SELECT max(entry.access_level) FROM protected_ref_entries entry
    WHERE entry.protected_ref_id = protected_refs.id AND entry.action = 'push'), 0);
UPDATE protected_refs SET merge_level = COALESCE((SELECT max(entry.access_level) FROM protected_ref_entries entry
    WHERE entry.protected_ref_id = protected_refs.id AND entry.action = 'merge'), 0)
    WHERE kind = 'branch';
DROP TABLE protected_ref_entries;
ALTER TABLE protected_refs DROP COLUMN allow_force_push;
