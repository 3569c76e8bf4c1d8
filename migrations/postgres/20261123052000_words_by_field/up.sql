-- The words of a title and of a description in rows of their own: an index entry is written for each word of a row that
-- changes, and a description has most of the words.
SET LOCAL statement_timeout = 0;
DROP INDEX issuable_search_found;
ALTER TABLE issuable_search DROP CONSTRAINT issuable_search_pkey;
ALTER TABLE issuable_search ADD COLUMN field TEXT NOT NULL DEFAULT 'title' CHECK (field IN ('title', 'description'));
INSERT INTO issuable_search (issuable_id, field, place, words)
    SELECT issuable_id, 'description', place, ARRAY(SELECT -word FROM unnest(words) AS word WHERE word < 0)
    FROM issuable_search WHERE 0 > ANY (words);
UPDATE issuable_search SET words = ARRAY(SELECT word FROM unnest(words) AS word WHERE word > 0)
    WHERE field = 'title' AND 0 > ANY (words);
ALTER TABLE issuable_search ALTER COLUMN field DROP DEFAULT;
ALTER TABLE issuable_search ADD PRIMARY KEY (issuable_id, field);
CREATE INDEX issuable_search_found ON issuable_search USING gin (place, words) WITH (fastupdate = off);
