SET LOCAL statement_timeout = 0;
DROP INDEX issuable_search_found;
ALTER TABLE issuable_search DROP CONSTRAINT issuable_search_pkey;
UPDATE issuable_search AS title
    SET words = title.words || ARRAY(SELECT -word FROM unnest(description.words) AS word)
    FROM issuable_search AS description
    WHERE title.field = 'title' AND description.field = 'description' AND description.issuable_id = title.issuable_id;
DELETE FROM issuable_search WHERE field = 'description';
ALTER TABLE issuable_search DROP COLUMN field;
ALTER TABLE issuable_search ADD PRIMARY KEY (issuable_id);
CREATE INDEX issuable_search_found ON issuable_search USING gin (place, words) WITH (fastupdate = off);
