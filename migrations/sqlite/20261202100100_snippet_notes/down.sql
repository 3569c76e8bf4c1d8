DROP TABLE snippet_awards;
DROP TABLE snippet_notes;
