DROP TABLE terms_acceptances;
