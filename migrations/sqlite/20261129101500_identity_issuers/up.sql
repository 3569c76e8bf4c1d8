-- The address of the provider at which a user has signed in. NULL if an administrator has named the account.
ALTER TABLE identities ADD COLUMN issuer TEXT;
