-- How many carry a label, for lists of labels and totals of lists by one label. Triggers keep it, so that no write can
-- forget; what is deleted is not counted.
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
INSERT INTO label_counts (label_id, project_id, kind, state, confidential, count)
    SELECT label_id, project_id, kind, state, confidential, COUNT(*)
    FROM issuable_labels INNER JOIN issuables ON issuables.id = issuable_labels.issuable_id
    WHERE deleted_at IS NULL
    GROUP BY label_id, project_id, kind, state, confidential;

-- A plan is made once for a connection, perhaps when there are few rows: it must be the one for many all the same.
CREATE FUNCTION labels_are_put_on() RETURNS TRIGGER LANGUAGE plpgsql
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    INSERT INTO label_counts AS known (label_id, project_id, kind, state, confidential, count)
        SELECT label_id, project_id, kind, state, confidential, COUNT(*)
        FROM links INNER JOIN issuables ON issuables.id = links.issuable_id
        WHERE deleted_at IS NULL
        GROUP BY label_id, project_id, kind, state, confidential
        ON CONFLICT (label_id, project_id, kind, state, confidential) DO UPDATE SET count = known.count + EXCLUDED.count;
    RETURN NULL;
END
$$;
CREATE TRIGGER issuable_labels_insert_counts AFTER INSERT ON issuable_labels
    REFERENCING NEW TABLE AS links FOR EACH STATEMENT EXECUTE FUNCTION labels_are_put_on();

CREATE FUNCTION labels_are_taken_off() RETURNS TRIGGER LANGUAGE plpgsql
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    UPDATE label_counts AS known SET count = known.count - gone.count
        FROM (SELECT label_id, project_id, kind, state, confidential, COUNT(*) AS count
              FROM links INNER JOIN issuables ON issuables.id = links.issuable_id
              WHERE deleted_at IS NULL
              GROUP BY label_id, project_id, kind, state, confidential) AS gone
        WHERE (known.label_id, known.project_id, known.kind, known.state, known.confidential)
            = (gone.label_id, gone.project_id, gone.kind, gone.state, gone.confidential);
    RETURN NULL;
END
$$;
CREATE TRIGGER issuable_labels_delete_counts AFTER DELETE ON issuable_labels
    REFERENCING OLD TABLE AS links FOR EACH STATEMENT EXECUTE FUNCTION labels_are_taken_off();

CREATE FUNCTION what_carries_labels_changes() RETURNS TRIGGER LANGUAGE plpgsql
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    IF OLD.deleted_at IS NULL THEN
        UPDATE label_counts SET count = count - 1
            WHERE label_id IN (SELECT label_id FROM issuable_labels WHERE issuable_id = OLD.id)
                AND project_id = OLD.project_id AND kind = OLD.kind AND state = OLD.state
                AND confidential = OLD.confidential;
    END IF;
    IF NEW.deleted_at IS NULL THEN
        INSERT INTO label_counts AS known (label_id, project_id, kind, state, confidential, count)
            SELECT label_id, NEW.project_id, NEW.kind, NEW.state, NEW.confidential, 1
            FROM issuable_labels WHERE issuable_id = NEW.id
            ON CONFLICT (label_id, project_id, kind, state, confidential) DO UPDATE SET count = known.count + 1;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER issuables_update_counts_labels AFTER UPDATE OF state, confidential, deleted_at ON issuables
    FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state OR OLD.confidential IS DISTINCT FROM NEW.confidential
        OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
    EXECUTE FUNCTION what_carries_labels_changes();

-- Lists by milestone are counted by the index alone.
DROP INDEX issuables_project_created;
CREATE INDEX issuables_project_created
    ON issuables (project_id, kind, created_at, id, state, confidential, milestone_id, deleted_at)
    WHERE deleted_at IS NULL;
