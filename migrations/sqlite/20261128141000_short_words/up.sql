-- Words of one and two characters, and those that signs make, are part of the index of words: it is made anew at the start.
INSERT INTO issuable_search (issuable_search) VALUES ('delete-all');
