ALTER TABLE repository_facts DROP COLUMN wiki_size;
