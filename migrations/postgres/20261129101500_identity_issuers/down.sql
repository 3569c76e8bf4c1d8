ALTER TABLE identities DROP COLUMN issuer;
