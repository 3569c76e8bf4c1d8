DROP TABLE variables;
