-- The address that the repository was imported from, without credentials. NULL if it was made here.
ALTER TABLE projects ADD COLUMN imported_from TEXT;
