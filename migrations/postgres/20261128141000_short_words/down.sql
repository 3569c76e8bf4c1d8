-- The index is made anew at the start, without short words.
TRUNCATE issuable_search;
