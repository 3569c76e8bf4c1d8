-- Hooks of the whole server are managed as well, and have names.
ALTER TABLE hooks ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE hooks ADD COLUMN description TEXT NOT NULL DEFAULT '';
