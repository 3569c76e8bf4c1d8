DROP TABLE suggestions;
