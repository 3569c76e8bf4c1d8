DROP TABLE issuable_search;
DROP TABLE issuable_search_words;
CREATE INDEX issuables_title_trigrams ON issuables USING gin (lower(title) gin_trgm_ops);
CREATE INDEX issuables_description_trigrams ON issuables USING gin (lower(description) gin_trgm_ops);
