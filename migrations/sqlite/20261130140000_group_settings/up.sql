-- The settings of a group that are not the defaults: a JSON object of name and value.
ALTER TABLE namespaces ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
-- The addresses from which a group is reached, in the row of the group at the top and of all groups below it.
ALTER TABLE namespaces ADD COLUMN ip_ranges TEXT;
