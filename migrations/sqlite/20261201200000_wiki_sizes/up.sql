-- Bytes of the repository of the wiki on disk.
ALTER TABLE repository_facts ADD COLUMN wiki_size BIGINT NOT NULL DEFAULT 0;
