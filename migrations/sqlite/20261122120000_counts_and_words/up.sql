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

-- Lists by milestone are counted by the index alone.
DROP INDEX issuables_project_created;
CREATE INDEX issuables_project_created
    ON issuables (project_id, kind, created_at, id, state, confidential, milestone_id, deleted_at)
    WHERE deleted_at IS NULL;

-- The index of words in place of one of trigrams: a word is found by the few entries of its own, and not by what several
-- long lists of trigrams have in common. Parts of words are looked up among the words, of which there are few. `place` holds
-- one word, made of the kind and the project. What is a word, crates/storage/src/words.rs says; `search_text` is the program's own.
DROP TABLE issuable_search;
CREATE VIRTUAL TABLE issuable_search USING fts5 (
    place, title, description, tokenize = 'ascii', detail = 'column', content = '', contentless_delete = 1
);
INSERT INTO issuable_search (rowid, place, title, description)
    SELECT id, replace(kind, '_', '') || project_id, search_text(title), search_text(description)
    FROM issuables WHERE deleted_at IS NULL;

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
INSERT INTO issuable_search_words (word)
    SELECT DISTINCT term FROM issuable_search_terms WHERE col <> 'place' AND length(term) >= 3;

-- Of what goes with its project, the entries go, too.
CREATE TRIGGER issuables_delete_words AFTER DELETE ON issuables
BEGIN
    DELETE FROM issuable_search WHERE rowid = OLD.id;
END;
