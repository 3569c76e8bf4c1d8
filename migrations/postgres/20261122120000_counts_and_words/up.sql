-- How many carry a label, for lists of labels and totals of lists by one label. Triggers keep it; what is deleted is not
-- counted. Rows of issuables go only after they were marked as deleted, or with their project and its counts.
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

-- A plan is made once for a connection, perhaps when there are few rows. Written like this, each row is found by its key
-- all the same.
CREATE FUNCTION labels_are_put_on() RETURNS TRIGGER LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    INSERT INTO label_counts AS known (label_id, project_id, kind, state, confidential, count)
        SELECT label_id, project_id, kind, state, confidential, COUNT(*)
        FROM links CROSS JOIN LATERAL (
            SELECT project_id, kind, state, confidential
            FROM issuables WHERE id = links.issuable_id AND deleted_at IS NULL LIMIT 1
        ) AS carrier
        GROUP BY label_id, project_id, kind, state, confidential
        ON CONFLICT (label_id, project_id, kind, state, confidential) DO UPDATE SET count = known.count + EXCLUDED.count;
    RETURN NULL;
END
$$;
CREATE TRIGGER issuable_labels_insert_counts AFTER INSERT ON issuable_labels
    REFERENCING NEW TABLE AS links FOR EACH STATEMENT EXECUTE FUNCTION labels_are_put_on();

CREATE FUNCTION labels_are_taken_off() RETURNS TRIGGER LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    gone RECORD;
BEGIN
    FOR gone IN
        SELECT label_id, project_id, kind, state, confidential, COUNT(*) AS count
        FROM links CROSS JOIN LATERAL (
            SELECT project_id, kind, state, confidential
            FROM issuables WHERE id = links.issuable_id AND deleted_at IS NULL LIMIT 1
        ) AS carrier
        GROUP BY label_id, project_id, kind, state, confidential
    LOOP
        UPDATE label_counts SET count = count - gone.count
            WHERE label_id = gone.label_id AND project_id = gone.project_id AND kind = gone.kind
                AND state = gone.state AND confidential = gone.confidential;
    END LOOP;
    RETURN NULL;
END
$$;
CREATE TRIGGER issuable_labels_delete_counts AFTER DELETE ON issuable_labels
    REFERENCING OLD TABLE AS links FOR EACH STATEMENT EXECUTE FUNCTION labels_are_taken_off();

CREATE FUNCTION what_carries_labels_changes() RETURNS TRIGGER LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    carried BIGINT;
BEGIN
    FOR carried IN SELECT label_id FROM issuable_labels WHERE issuable_id = NEW.id LOOP
        IF OLD.deleted_at IS NULL THEN
            UPDATE label_counts SET count = count - 1
                WHERE label_id = carried AND project_id = OLD.project_id AND kind = OLD.kind
                    AND state = OLD.state AND confidential = OLD.confidential;
        END IF;
        IF NEW.deleted_at IS NULL THEN
            INSERT INTO label_counts AS known (label_id, project_id, kind, state, confidential, count)
                VALUES (carried, NEW.project_id, NEW.kind, NEW.state, NEW.confidential, 1)
                ON CONFLICT (label_id, project_id, kind, state, confidential) DO UPDATE SET count = known.count + 1;
        END IF;
    END LOOP;
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
