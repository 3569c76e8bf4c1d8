-- The index is made anew at the start, without short words.
INSERT INTO issuable_search (issuable_search) VALUES ('delete-all');
